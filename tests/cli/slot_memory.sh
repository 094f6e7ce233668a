#!/bin/sh
# A decoder with slot memory is trained, searched and probed like any other: the
# same weights with one thread and with two and after kill -9, the same answers
# in any company.
set -eu
sw=${BUILD:?}/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
quiet="--progress none"
fail() { echo "$*"; exit 1; }
"$sw" gen sat --n 5 --count 60 --seed 7 -o "$dir/data.safetensors" $quiet >/dev/null
train() { # DIR THREADS
  "$sw" train --data "$dir/data.safetensors" --mask causal-noslot --memory 3 --memory-width 32 \
    --memory-gate 0 --d 32 --layers 2 --heads 2 --ffn 32 --batch 4 --steps 12 --lr 4e-3 \
    --valid-limit 4 --valid-every 4 --checkpoint-seconds 0 --threads "$2" -o "$1" $quiet
}
train "$dir/run" 1
kills=0
for moment in 2 3 4 5 6 7; do
  train "$dir/killed" 2 & pid=$!
  sleep "0.${moment}37"
  # the shell function's own child is the program
  kill -9 $(cat "/proc/$pid/task/$pid/children" 2>/dev/null) 2>/dev/null && kills=$((kills + 1))
  wait $pid 2>/dev/null || true
done
train "$dir/killed" 2
cmp "$dir/run/model.safetensors" "$dir/killed/model.safetensors" || fail "killed: other weights"
echo "killed $kills times"
evaluate() { # NAME OPTIONS
  name=$1
  shift
  "$sw" eval --model "$dir/run" --instances 12 --policies none --db "$dir/$name.db" --json $quiet "$@" |
    sed 's/"decisions_per_s": *[^,]*//g' >"$dir/$name.json"
  grep -q '"solve_rate"' "$dir/$name.json" || fail "$name: no result"
}
for protocol in rebuilt cumulative; do
  evaluate one --protocol $protocol --threads 1
  evaluate two --protocol $protocol --threads 2 --width 7
  cmp "$dir/one.json" "$dir/two.json"
  rm "$dir"/*.db
done
"$sw" probe transplant --model "$dir/run" --states 20 --instances 20 --json $quiet >"$dir/probe.json"
grep -q '"argmax_agreement"' "$dir/probe.json" || fail "probe transplant"
