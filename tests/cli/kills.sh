#!/bin/sh
# kill -9 at seeded moments of gen, train, eval, repro and report, anywhere in
# the time a whole run takes. The same command follows, and is killed again or
# not, as the seed has it; when it ends by itself, everything must be as after a
# run that nobody disturbed: the same files and no other (no temporary either),
# the same bits, and in a store each row once. 10 kills; 200 with
# STATEWISE_LONG. KILLS=N and KILL_SEED=N choose others, KILL_ONLY a command.
# Death at each system call of a save is in tests/api/test_faults.c.
set -u
sw=$(realpath "${BUILD:?}")/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v gnuplot >/dev/null || { echo "gnuplot is not installed"; exit 77; }
seed=${KILL_SEED:-1} kills=${KILLS:-10}
[ -n "${STATEWISE_LONG:-}" ] && kills=${KILLS:-200}
export TMPDIR="$work/tmp" STATEWISE_RESULTS="$work/results"
mkdir "$TMPDIR"
bad=0
say() { echo "FAIL: $*"; bad=1; }
quiet="--progress none --threads 1"
small="--mask ssa --d 16 --layers 1 --heads 2 --slots 2 --batch 2"

# ---- what is killed: run_NAME DIR ----
run_gen() { "$sw" gen sat --n 10 --count 600 --seed 7 -o "$1/data.safetensors" $quiet; }
run_train() {
  "$sw" train --data "$work/given.safetensors" $small --steps 60 --dropout 0.1 --valid-limit 4 \
    --valid-every 20 --checkpoint-seconds 0 -o "$1/run" $quiet
}
run_eval() {
  "$sw" eval --model "$work/given" --instances 150 --n 12 --db "$1/results.db" --on-error rescue --width 4 $quiet
}
run_repro() {
  "$sw" repro blocks-5 --traces 24 --instances 6 --train until=steps --train steps=4 --train d=16 \
    --train layers=1 --train heads=2 --train batch=2 --out "$1/out" $quiet
}
run_report() {
  "$sw" report "$1/runs" --viable 12 --conflicts 6 --states 20 $quiet
}

same() { # NAME DIR
  python3 tests/same_tree.py "$work/whole.$1" "$2" >"$work/log" 2>&1 || say "$1: $(cat "$work/log")"
  [ -z "$(ls -A "$TMPDIR")" ] || say "$1: left in TMPDIR: $(ls "$TMPDIR")"
}

# ---- seeded moments ----
draw() { # N: a number below N
  state=$(((state * 1103515245 + 12345) % 2147483648))
  drawn=$((state / 65536 % $1))
}
now() { echo $(($(date +%s%N) / 1000000)); }
fresh() { # DIR: nothing but what a report is of
  rm -rf "$1"
  mkdir -p "$1/runs"
  cp -r "$work/given" "$1/runs/ssa"
}
# One run to its end; `length` becomes the shortest time that one took.
whole() { # NAME DIR
  start=$(now)
  run_$1 "$2" >"$work/log" 2>&1 || { say "$1: $(cat "$work/log")"; return; }
  took=$(($(now) - start))
  [ $took -ge $length ] || length=$took
}
torment() { # NAME KILLS
  name=$1 done=0 ends=0 late=0 length=1000000
  dir=$work/killed.$name
  fresh "$work/whole.$name"
  fresh "$work/second.$name"
  whole $name "$work/whole.$name"
  whole $name "$work/second.$name"
  same $name "$work/second.$name" # or the comparison is wrong
  while [ "$done" -lt "$2" ] && [ $bad -eq 0 ]; do
    fresh "$dir"
    while :; do
      draw $((length + 1))
      run_$name "$dir" >"$work/log" 2>&1 & pid=$!
      sleep "$(printf '%d.%03d' $((drawn / 1000)) $((drawn % 1000)))"
      if kill -9 $(cat "/proc/$pid/task/$pid/children" 2>/dev/null) 2>/dev/null
      then done=$((done + 1)); else late=$((late + 1)); fi
      wait $pid 2>/dev/null
      draw 2
      if [ "$drawn" -eq 0 ] || [ "$done" -ge "$2" ]; then break; fi
    done
    whole $name "$dir"
    ends=$((ends + 1))
    same $name "$dir"
  done
  echo "$name: killed $done times in $ends runs of $length ms; $late times it had ended before"
}

"$sw" gen sat --n 8 --count 60 --seed 7 -o "$work/given.safetensors" $quiet >/dev/null 2>&1 || say "no data"
"$sw" train --data "$work/given.safetensors" $small --steps 8 -o "$work/given" $quiet >/dev/null 2>&1 || say "no model"
state=$seed
for name in gen train eval repro report; do
  case ${KILL_ONLY:-$name} in "$name") torment $name $((kills / 5)) ;; esac
done
exit $bad
