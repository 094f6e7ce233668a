#!/bin/sh
# train --facts: it changes what is learned, runs through a kill to the same
# bits, is off after its share of the steps, and is refused where there are no
# facts to ask for.
set -eu
sw=${BUILD:?}/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }
quiet="--progress none"
"$sw" gen sat --format full --layout reread --n 6 --count 60 --seed 3 -o "$dir/data" $quiet >/dev/null
train() { # NAME OPTION...
  name=$1
  shift
  "$sw" train --data "$dir/data" --mask block-only -o "$dir/$name" --d 16 --layers 1 --heads 2 --slots 0 \
    --batch 4 --steps 8 --lr 3e-3 --threads 1 --valid-limit 4 $quiet "$@" >/dev/null
}
same() { cmp "$dir/$1/model.safetensors" "$dir/$2/model.safetensors"; }
train plain
train facts --facts 2
train none --facts 2 --facts-share 0
same plain facts 2>/dev/null && fail "--facts changes nothing"
[ "$(grep -c '"fact_loss"' "$dir/facts/metrics.jsonl")" = 8 ] || fail "fact_loss is not in every step's line"
grep -q '"fact_loss": *0[,}]' "$dir/facts/metrics.jsonl" && fail "a step had no facts"
grep -v '"fact_loss": *0[,}]' "$dir/none/metrics.jsonl" && fail "--facts-share 0 asked for facts"
grep -q fact_loss "$dir/plain/metrics.jsonl" && fail "facts without --facts"
# the tensors; the metadata names the options
tensors() { "$sw" show model "$dir/$1/model.safetensors" --json | grep -o '"weights_xxh64": *"[^"]*"'; }
[ -n "$(tensors plain)" ] || fail "no hash of the weights"
[ "$(tensors plain)" = "$(tensors none)" ] || fail "--facts-share 0 differs from no facts"
"$sw" train --data "$dir/data" --mask block-only -o "$dir/again" --d 16 --layers 1 --heads 2 --slots 0 \
  --batch 4 --steps 8 --lr 3e-3 --threads 2 --valid-limit 4 $quiet --facts 2 --checkpoint-seconds 0 \
  --time-limit 0.000001 >/dev/null 2>&1 && fail "the run was not stopped"
"$sw" train --data "$dir/data" --mask block-only -o "$dir/again" --d 16 --layers 1 --heads 2 --slots 0 \
  --batch 4 --steps 8 --lr 3e-3 --threads 2 --valid-limit 4 $quiet --facts 2 >/dev/null
same facts again || fail "a stopped run ends with other weights"

refused() { # WORDS OPTION...
  words=$1
  shift
  if "$sw" train -o "$dir/refused" --steps 1 $quiet --facts 1 "$@" >"$dir/out" 2>&1; then fail "taken: $*"; fi
  grep -q -- "$words" "$dir/out" || fail "$* says: $(cat "$dir/out")"
}
refused "does not go with --contrastive" --data "$dir/data" --contrastive 1
refused "family lstm learn none" --data "$dir/data" --architecture lstm
"$sw" gen blocks --n 3 --count 20 -o "$dir/blocks" $quiet >/dev/null
refused "the domain blocks knows none" --data "$dir/blocks"
