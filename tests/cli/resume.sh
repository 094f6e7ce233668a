#!/bin/sh
# Exact resume: 20 moments of kill -9 in training and in evaluation, each time
# the same command again; final weights and outcome rows must equal those of an
# uninterrupted run, for one thread and for two.
set -eu
sw=${BUILD:?}/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
quiet="--progress none"
"$sw" gen sat --n 8 --count 120 --seed 7 -o "$dir/data.safetensors" $quiet >/dev/null
options="--data $dir/data.safetensors --mask ssa --d 32 --layers 2 --heads 2 --slots 2 --batch 2
  --steps 40 --dropout 0.1 --lr 2e-3 --valid-limit 4 --valid-every 10 --checkpoint-seconds 0 $quiet"
train() { "$sw" train -o "$1" --threads "$2" $options; }
weights() { grep -o '"final_weights": *"[0-9a-f]*"' "$1/run.json"; }

start=$(date +%s%N)
train "$dir/whole" 1
length=$((($(date +%s%N) - start) / 1000000))
train "$dir/two" 2
[ -n "$(weights "$dir/whole")" ]
[ "$(weights "$dir/whole")" = "$(weights "$dir/two")" ]
cmp "$dir/whole/model.safetensors" "$dir/two/model.safetensors"

pause() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }
same_as_whole() { # DIR
  [ "$(weights "$dir/whole")" = "$(weights "$1")" ]
  cmp "$dir/whole/model.safetensors" "$1/model.safetensors"
  [ "$(grep -c '"step":' "$1/metrics.jsonl")" -eq 40 ] # every step once
  [ "$(grep -o '"step": *[0-9]*' "$1/metrics.jsonl" | sort -u | wc -l)" -eq 40 ]
}
kills=0 moment=0 run=1
while [ "$kills" -lt 20 ]; do
  moment=$((moment + 1))
  "$sw" train -o "$dir/killed$run" --threads 2 $options & pid=$!
  pause $((2 + moment * 7919 % length)) # anywhere in a run
  kill -9 "$pid" 2>/dev/null && kills=$((kills + 1))
  wait "$pid" 2>/dev/null || true
  if [ -f "$dir/killed$run/run.json" ]; then
    same_as_whole "$dir/killed$run"
    run=$((run + 1))
  fi
done
train "$dir/killed$run" 2
same_as_whole "$dir/killed$run"
echo "training: killed $kills times in $run runs"

evaluate() { # DB
  "$sw" eval --model "$dir/whole" --instances 60 --n 10 --db "$1" --on-error rescue \
    --policies none --width 4 --json $quiet |
    sed 's/"decisions_per_s": *[^,]*//g'
}
start=$(date +%s%N)
evaluate "$dir/whole.db" >"$dir/whole.json"
grep -q solve_rate "$dir/whole.json"
length=$((($(date +%s%N) - start) / 1000000))
kills=0 moment=0 run=1
while [ "$kills" -lt 20 ]; do
  moment=$((moment + 1))
  "$sw" eval --model "$dir/whole" --instances 60 --n 10 --db "$dir/killed$run.db" --on-error rescue \
    --policies none --width 4 --json $quiet >/dev/null 2>&1 & pid=$!
  pause $((2 + moment * 7919 % length))
  if kill -9 "$pid" 2>/dev/null; then kills=$((kills + 1)); else run=$((run + 1)); fi
  wait "$pid" 2>/dev/null || true
done
for db in "$dir"/killed*.db; do
  evaluate "$db" >"$dir/killed.json"
  cmp "$dir/whole.json" "$dir/killed.json"
done
echo "evaluation: killed $kills times in $run stores"

# a stop by signal leaves a checkpoint and says "run me again"
"$sw" train -o "$dir/signal" --threads 1 $options & pid=$!
while [ ! -e "$dir/signal/lock" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
kill -TERM "$pid" 2>/dev/null || true
code=0; wait "$pid" || code=$?
[ "$code" -eq 75 ] || [ "$code" -eq 0 ]
train "$dir/signal" 2
[ "$(weights "$dir/whole")" = "$(weights "$dir/signal")" ]
# other options in the same directory are refused
if "$sw" train --data "$dir/data.safetensors" --mask ssa -o "$dir/signal" --d 64 $quiet 2>"$dir/err"; then exit 1; fi
grep -q "other options" "$dir/err"
