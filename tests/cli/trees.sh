#!/bin/sh
# gen, train and `statewise trees` on a few tiny trees, with and without slot
# memory: the table, the JSON, the r^k prediction and the refusals.
set -eu
tool=$BUILD/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
small="--mask causal-noslot --d 32 --layers 2 --heads 2 --ffn 32 --batch 2 --steps 2 --threads 1 --progress none"

for k in 4 8; do
  "$tool" gen trees --arity $k --format simple --count 6 --exclude 6 \
    --progress none -o "$dir/k$k.st" >/dev/null
  "$tool" train --data "$dir/k$k.st" $small --keep-every 1 -o "$dir/k$k" >/dev/null
  [ -f "$dir/k$k/at-00000001.safetensors" ]
done
"$tool" train --data "$dir/k4.st" $small --memory 2 -o "$dir/m4" >/dev/null

"$tool" trees "$dir/k4" "$dir/k8/at-00000001.safetensors" "$dir/m4" \
  --instances 4 --free 2 --threads 1 >"$dir/table" 2>/dev/null
grep -q '^4 trees teacher-forced, 2 free-running' "$dir/table"
[ "$(grep -c ' star ' "$dir/table")" -eq 3 ]

"$tool" trees "$dir/k4" "$dir/k8" --instances 4 --free 0 --threads 1 --json \
  >"$dir/json" 2>/dev/null
for word in '"k": *8' '"all_correct":' '"predicted_all_correct":' \
            '"verifier_loss_balanced":' '"perfect_rate": *null'; do
  grep -q "$word" "$dir/json" || { echo "no $word in the JSON"; exit 1; }
done

# Training and test never meet: of the 128 stars with one leaf, none of those
# trained on is in the test stream, whatever the encoding; without the exclusion
# many are.
prefixes() { # FILE COUNT: the trees, one a line
  i=0
  while [ $i -lt $2 ]; do
    "$tool" show trace "$1" --index $i | sed -n '/^prefix,/{n;p;}'
    i=$((i + 1))
  done | sort -u
}
stars="--arity 1 --progress none"
"$tool" gen trees $stars --count 60 -o "$dir/train.st" >/dev/null
"$tool" gen trees $stars --count 20 --split test --exclude 60 --format verbose -o "$dir/test.st" >/dev/null
"$tool" gen trees $stars --count 20 --split test --exclude 0 -o "$dir/any.st" >/dev/null
prefixes "$dir/train.st" 60 >"$dir/train"
prefixes "$dir/test.st" 20 >"$dir/test"
prefixes "$dir/any.st" 20 >"$dir/any"
[ "$(wc -l <"$dir/train")" -gt 30 ] && [ "$(wc -l <"$dir/test")" -gt 10 ] || { echo "too few different stars"; exit 1; }
met=$(comm -12 "$dir/train" "$dir/test" | wc -l)
[ "$met" -eq 0 ] || { echo "$met test trees were trained on"; comm -12 "$dir/train" "$dir/test"; exit 1; }
[ "$(comm -12 "$dir/train" "$dir/any" | wc -l)" -gt 0 ] || { echo "the streams would not meet anyway"; exit 1; }

fails() { # expected exit code, then the command
  want=$1; shift
  code=0; "$@" >/dev/null 2>"$dir/err" || code=$?
  [ "$code" -eq "$want" ] || { echo "$*: exit $code, not $want"; cat "$dir/err"; exit 1; }
}
fails 64 "$tool" trees
fails 66 "$tool" trees "$dir/nothing.safetensors"
fails 64 "$tool" gen trees --family oak -o "$dir/x.st"
fails 64 "$tool" gen trees --arity 129 -o "$dir/x.st"
fails 64 "$tool" train --data "$dir/k4.st" --mask ssa --slots 0 --memory 2 \
  --d 32 --heads 2 --steps 1 --progress none -o "$dir/ssa"
fails 64 "$tool" eval --model "$dir/k4" --instances 1 --db "$dir/results.db"
fails 64 "$tool" probe transplant --model "$dir/k4"
fails 64 "$tool" probe bank eval --model "$dir/k4"
