#!/bin/sh
# Files in bad company: full disks, pipes, links, limits, junk and leftovers.
set -u
sw=$(cd "$(dirname "$BUILD/statewise")" && pwd)/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "FAIL: $*"; cat "$work/out" "$work/err" 2>/dev/null | head -20; bad=1; }
run() { timeout 30 "$sw" "$@" >"$work/out" 2>"$work/err"; code=$?; }
printf 'p cnf 1 1\n1 0\n' >"$work/one.cnf"
small='--d 16 --layers 1 --heads 2 --threads 1 --progress none'

# an answer that nobody could read is no answer
timeout 30 "$sw" solve "$work/one.cnf" --no-model >/dev/full 2>"$work/err"
[ $? -eq 74 ] || say "solve >/dev/full"
run gen sat --n 5 --count 20 -o /dev/full
[ $code -ge 64 ] || say "gen -o /dev/full: exit $code"

# pipes do not block for ever
mkfifo "$work/pipe.cnf"
timeout 20 "$sw" solve "$work/pipe.cnf" --no-model --time 1 >"$work/out" 2>"$work/err"
[ $? -eq 75 ] || say "a pipe without a writer"
(sleep 1; cat "$work/one.cnf" >"$work/pipe.cnf") &
timeout 20 "$sw" solve "$work/pipe.cnf" --no-model --time 15 >"$work/out" 2>"$work/err"
[ $? -eq 10 ] || say "a pipe with a slow writer"
wait
(while :; do echo c; done >"$work/pipe.cnf") 2>/dev/null &
timeout 20 "$sw" solve "$work/pipe.cnf" --no-model --time 1 >"$work/out" 2>"$work/err"
[ $? -eq 75 ] || say "a pipe whose writer never ends"
wait
timeout 20 "$sw" show model "$work/pipe.cnf" >"$work/out" 2>"$work/err"
[ $? -eq 66 ] || say "a pipe as a model"

# a limit on the size of files is an error with its name
(ulimit -f 8; timeout 30 "$sw" gen sat --n 20 --count 200 -o "$work/limited.safetensors") >"$work/out" 2>"$work/err"
[ $? -eq 74 ] || say "ulimit -f"
grep -q 'larger than allowed' "$work/err" || say "ulimit -f: the reason is not told"
[ -z "$(ls "$work" | grep limited)" ] || say "ulimit -f: something was left"

# a full disk is called one
if mkdir "$work/disk" && mount -t tmpfs -o size=64k none "$work/disk" 2>/dev/null; then
  run gen sat --n 20 --count 200 -o "$work/disk/x.safetensors"
  [ $code -eq 74 ] && grep -q 'disk is full' "$work/err" || say "full disk"
  umount "$work/disk"
fi

# the store in the root directory is a path like any other
run eval --domain sat --n 5 --no-model --instances 1 --progress none --db /proc/statewise.db
grep -q 'create the directory' "$work/err" && say "--db in a directory that exists"

# junk in LATEST does not restart the run
run gen sat --n 5 --count 20 -o "$work/d.safetensors"
run train --data "$work/d.safetensors" --steps 3 $small -o "$work/run" --time-limit 0.000001
[ -e "$work/run/LATEST" ] || say "no checkpoint"
cp -r "$work/run" "$work/spoiled"
for junk in '' x 12x -1 99999999999999999999; do
  printf '%s' "$junk" >"$work/spoiled/LATEST"
  run train --data "$work/d.safetensors" --steps 3 $small -o "$work/spoiled"
  [ $code -eq 65 ] || say "LATEST '$junk': exit $code"
done

# what a killed run left behind goes, what others hold or named stays
: >"$work/run/step-00000001.model.safetensors.4194000-0.tmp"
: >"$work/run/mine.tmp"
run train --data "$work/d.safetensors" --steps 3 $small -o "$work/run"
[ $code -eq 0 ] || say "resuming: exit $code"
[ -e "$work/run/step-00000001.model.safetensors.4194000-0.tmp" ] && say "an orphan stayed"
[ -e "$work/run/mine.tmp" ] || say "a file of the user went"

# logs, metrics and locks do not follow links
for name in metrics.jsonl lock; do
  rm -rf "$work/linked"; mkdir "$work/linked"; echo precious >"$work/precious"
  ln -s "$work/precious" "$work/linked/$name"
  run train --data "$work/d.safetensors" --steps 2 $small -o "$work/linked"
  [ $name = metrics.jsonl ] || [ $code -eq 74 ] || say "$name as a link: exit $code"
  [ "$(cat "$work/precious")" = precious ] || say "$name: the link was followed"
done

# two evaluations on one store
run gen sat --n 5 --count 1 -o "$work/one.safetensors"
(timeout 60 "$sw" eval --domain sat --n 40 --no-model --policies exact --instances 400 --db "$work/two.db" --progress none >/dev/null 2>"$work/err1"; echo $? >"$work/code1") &
timeout 60 "$sw" eval --domain sat --n 41 --no-model --policies exact --instances 400 --db "$work/two.db" --progress none >"$work/out" 2>"$work/err"
[ $? -eq 0 ] || say "the second evaluation failed"
wait
[ "$(cat "$work/code1")" -eq 0 ] || say "the first evaluation failed: $(cat "$work/err1")"
exit $bad
