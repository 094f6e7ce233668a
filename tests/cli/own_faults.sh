#!/bin/sh
# Import and quickstart --data when something goes wrong: files that end too
# early, a full disk, kills at any moment, and what the five domains' own data
# sets give to eval --data.
set -u
sw=$(realpath "${BUILD:?}")/statewise
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "FAIL: $*"; bad=1; }
cp examples/record.py "$work/"
cd "$work"
python3 record.py 30 >searches.jsonl
"$sw" import searches.jsonl -o whole >said.txt 2>&1 || say "$(cat said.txt)"
hash=$(sed -n 's/^content hash //p' said.txt)

# Compressed files give the same set; cut short they give an error and no set.
gzip -k searches.jsonl
xz -k searches.jsonl
for kind in gz xz; do
  "$sw" import searches.jsonl.$kind -o packed 2>&1 | grep -q "^content hash $hash" || say "$kind: another set"
  for keep in 1 20 400 3000; do
    head -c $keep searches.jsonl.$kind >cut.jsonl.$kind
    "$sw" import cut.jsonl.$kind -o cut >out.txt 2>err.txt
    code=$?
    [ $code -ge 65 ] && [ $code -le 74 ] || say "$kind cut at $keep: exit $code"
    grep -q "cut.jsonl.$kind" err.txt || say "$kind cut at $keep: $(cat err.txt)"
    [ -z "$(ls | grep '^cut\(\.[0-9]\|$\)')" ] || say "$kind cut at $keep: $(ls)"
  done
done
head -c 3000 searches.jsonl >cut.jsonl
"$sw" import cut.jsonl -o cut >out.txt 2>err.txt && say "half a line was taken"
grep -q '^error: cut.jsonl:[0-9]*: not JSON' err.txt || say "$(cat err.txt)"

# A full disk: an error, nothing left, and the old set as it was.
cp whole full
(ulimit -f 40; exec "$sw" import searches.jsonl -o full >out.txt 2>err.txt)
[ $? -eq 74 ] || say "a full disk: $(cat err.txt)"
cmp -s whole full || say "a full disk took the old set"
[ -z "$(ls | grep tmp)" ] || say "a full disk left $(ls)"

# Killed at any moment: the old set or the new one, and the next run cleans up.
n=0
while [ $n -lt 12 ]; do
  "$sw" import searches.jsonl -o full --seed 7 --progress none >/dev/null 2>&1 &
  pid=$!
  sleep "0.0$n"
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  "$sw" show trace full >/dev/null 2>err.txt || say "after a kill: $(cat err.txt)"
  n=$((n + 1))
done
"$sw" import searches.jsonl -o full >/dev/null 2>&1
cmp -s whole full || say "the set after kills is another"
[ -z "$(ls | grep tmp)" ] || say "kills left $(ls)"

# quickstart --data, killed, goes on to the same page and the same figures.
quick() { exec "$sw" quickstart --data whole --out "$1" --steps 24 --d 16 --layers 1 --states 20 --progress none --json; }
(quick one) >one.json 2>err.txt || say "quickstart: $(cat err.txt)"
n=1
while [ $n -lt 4 ]; do
  quick two >/dev/null 2>&1 &
  pid=$!
  sleep "0.$((n * 3))"
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  n=$((n + 1))
done
(quick two) >two.json 2>err.txt || say "quickstart again: $(cat err.txt)"
sed -i 's/"train_seconds": [0-9.e-]*//g' one.json two.json
cmp -s one.json two.json || say "quickstart after kills: $(cat one.json two.json)"
cmp -s one/forced.json two/forced.json && cmp -s one/transplant.json two/transplant.json || say "other measures after kills"
[ -s two/report/index.html ] || say "no page"

# Data sets of the program's own domains, asked step by step.
small="--d 16 --layers 1 --steps 3 --progress none"
for domain in sat blocks parsing trees 'coloring --viability'; do
  name=${domain%% *}
  "$sw" gen $domain --count 16 -o set-$name --progress none >err.txt 2>&1 &&
    "$sw" train --data set-$name --mask causal $small -o run-$name >err.txt 2>&1 &&
    "$sw" eval --data set-$name --model run-$name --resamples 0 --json --progress none >forced.json 2>err.txt || say "$domain: $(tail -2 err.txt)"
  grep -q '"cumulative": {"steps": [1-9]' forced.json || say "$domain: $(head -c 300 forced.json)"
done
"$sw" train --data set-sat --architecture mlp --steps 3 --progress none -o mlp >err.txt 2>&1
"$sw" eval --data set-sat --model mlp --resamples 0 --progress none >out.txt 2>&1 || say "a model that reads states: $(cat out.txt)"
"$sw" probe transplant --data set-parsing --model run-parsing >out.txt 2>&1 && say "pairs where there are none"
grep -q 'after two different histories' out.txt || say "$(cat out.txt)"
exit $bad
