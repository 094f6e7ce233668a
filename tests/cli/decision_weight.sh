#!/bin/sh
# train --decision-weight: it changes what is learned, weight 1 does not, threads
# and a stopped run end with the same bits, and it is refused where there is no
# scratchpad.
set -eu
sw=${BUILD:?}/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }
quiet="--progress none"
"$sw" gen sat --format self --layout reread --n 6 --count 60 --seed 3 -o "$dir/data" $quiet >/dev/null
train() { # NAME OPTION...
  name=$1
  shift
  "$sw" train --data "$dir/data" --mask block-only -o "$dir/$name" --d 16 --layers 1 --heads 2 --slots 0 \
    --batch 4 --steps 8 --lr 3e-3 --valid-limit 4 $quiet "$@" >/dev/null
}
weights() { "$sw" show model "$dir/$1/model.safetensors" --json | grep -o '"weights_xxh64": *"[^"]*"'; }
train plain --threads 1
train one --threads 1 --decision-weight 1
train heavy --threads 1 --decision-weight 8
[ -n "$(weights plain)" ] || fail "no hash of the weights"
[ "$(weights plain)" = "$(weights one)" ] || fail "--decision-weight 1 differs from none"
[ "$(weights plain)" != "$(weights heavy)" ] || fail "--decision-weight changes nothing"
[ "$(grep -c '"decision_loss"' "$dir/heavy/metrics.jsonl")" = 8 ] || fail "decision_loss is not in every step's line"
grep -q '"decision_loss": *0[,}]' "$dir/heavy/metrics.jsonl" && fail "a step had no decisions"
grep -q decision_loss "$dir/plain/metrics.jsonl" && fail "decisions without --decision-weight"
train again --threads 2 --decision-weight 8 --checkpoint-seconds 0 --time-limit 0.000001 2>/dev/null && fail "the run was not stopped"
train again --threads 2 --decision-weight 8
cmp "$dir/heavy/model.safetensors" "$dir/again/model.safetensors" || fail "a stopped run ends with other weights"

refused() { # WORDS OPTION...
  words=$1
  shift
  if "$sw" train -o "$dir/refused" --steps 1 $quiet --decision-weight 2 "$@" >"$dir/out" 2>&1; then fail "taken: $*"; fi
  grep -q -- "$words" "$dir/out" || fail "$* says: $(cat "$dir/out")"
}
"$sw" gen sat --format full --layout reread --n 6 --count 20 --seed 3 -o "$dir/full" $quiet >/dev/null
refused "has a scratchpad that the model writes" --data "$dir/full"
refused "does not go with --contrastive" --data "$dir/data" --contrastive 1
refused "family lstm write no scratchpad" --data "$dir/data" --architecture lstm
"$sw" gen blocks --n 3 --count 20 -o "$dir/blocks" $quiet >/dev/null
refused "the domain blocks has no scratchpads" --data "$dir/blocks"
