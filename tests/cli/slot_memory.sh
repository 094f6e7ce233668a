#!/bin/sh
# A decoder with slot memory is searched and probed like any other: the same
# answers with and without the cache, with one thread and with two.
set -eu
sw=${BUILD:?}/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
quiet="--progress none"
fail() { echo "$*"; exit 1; }
"$sw" gen sat --n 5 --count 60 --seed 7 -o "$dir/data.safetensors" $quiet >/dev/null
"$sw" train --data "$dir/data.safetensors" --mask causal-noslot --memory 3 --memory-width 32 \
  --memory-gate 0 --d 32 --layers 2 --heads 2 --ffn 32 --batch 4 --steps 12 --lr 4e-3 \
  --valid-limit 4 -o "$dir/run" $quiet
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
