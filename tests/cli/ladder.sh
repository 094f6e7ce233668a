#!/bin/sh
# The rungs of the ladder of evidence and the layout `reread`, with small models
# that have hardly been trained, so that they write wrong scratchpads and decide
# badly: whatever they do, what is shown of the history, the cache, the games in
# company and the number of threads change nothing under a block-local mask.
set -eu
sw=${BUILD:?}/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }
quiet="--progress none"
figure() { # NAME: the first value of that name in the JSON on stdin
  tr ',{' '\n\n' | sed -n "s/^ *\"$1\": *\([^,}]*\).*/\1/p" | head -1
}

for rung in touched full self self-scan; do
  for layout in prefix reread; do
    name=$rung-$layout mask=ssa
    [ $layout = reread ] && mask=block-only
    "$sw" gen sat --format $rung --layout $layout --n 6 --count 60 --seed 3 \
      -o "$dir/data" $quiet >/dev/null
    # one head of 128
    "$sw" train --data "$dir/data" --mask $mask -o "$dir/$name" --d 128 --layers 1 --heads 1 --ffn 32 \
      --slots 2 --table 640 --batch 4 --steps 6 --lr 3e-3 --threads 1 --valid-limit 4 $quiet
    play="eval --model $dir/$name --policies none --n 6 --instances 3 --decisions 4 --on-error rescue
      --db none --json $quiet"
    plain() { sed 's/"decisions_per_s": *[^,]*,//g'; }
    "$sw" $play --threads 1 | plain >"$dir/one"
    "$sw" $play --threads 2 --width 1 | plain | cmp "$dir/one" -
    "$sw" $play --threads 1 --protocol cumulative | plain | cmp "$dir/one" -
    "$sw" $play --threads 1 --no-cache | plain | cmp "$dir/one" -
    pads=$(figure pads <"$dir/one") blocks=$(figure blocks <"$dir/one")
    case $rung in
      self*) [ "$pads" -gt 0 ] || fail "$name: no scratchpad was written" ;;
      *) [ "$pads" -eq 0 ] || fail "$name: $pads scratchpads" ;;
    esac
    [ "$blocks" -ge "$pads" ] || fail "$name: $pads scratchpads in $blocks blocks"
    "$sw" probe transplant --model "$dir/$name" --n 6 --instances 20 --states 8 --json --threads 1 \
      $quiet >"$dir/json"
    [ "$(figure exact_equal_rate <"$dir/json")" = 1 ] || fail "$name: not invariant"
    bank="probe bank eval --model $dir/$name --n 6 --viable 6 --conflicts 3 --histories 2 --fewer --foreign
      --with-history yes --json --threads 1 $quiet"
    "$sw" $bank >"$dir/cached"
    # a full pass for every token of a scan would take minutes
    [ $rung = self-scan ] || "$sw" $bank --path full | cmp "$dir/cached" -
    [ "$(figure protocol_gap <"$dir/cached")" = 0 ] || fail "$name: the history shows in the bank"
    # unless asked, no scratchpad is written behind every history
    "$sw" $bank --with-history auto >"$dir/auto"
    case $rung in
      self*) grep -q '"protocol_gap": *null' "$dir/auto" || fail "$name: asked behind histories" ;;
      *) cmp "$dir/cached" "$dir/auto" ;;
    esac
    sed 's/.*"foreign_problem"//' "$dir/cached" | tail -c 20000 >"$dir/foreign"
    [ "$(figure brier <"$dir/cached")" != "$(figure brier <"$dir/foreign")" ] ||
      fail "$name: another problem changes nothing"
  done
done

# Who lets the model write nothing cannot ask for what stands behind its scratchpad.
refused() { # TEXT COMMAND...
  text=$1; shift
  if "$sw" "$@" $quiet >"$dir/out" 2>&1; then fail "accepted: $*"; fi
  grep -q "$text" "$dir/out" || fail "$*: $(cat "$dir/out")"
}
refused 'behind a scratchpad' probe attention --model "$dir/self-prefix" --n 6
refused 'behind a scratchpad' probe verify --model "$dir/self-prefix" --n 6 --instances 1
"$sw" gen sat --format prop --n 6 --count 20 -o "$dir/prop" $quiet >/dev/null
if "$sw" probe history --data "$dir/prop" >"$dir/out" 2>&1; then fail "probe history: accepted"; fi
grep -q 'without a scratchpad' "$dir/out" || fail "probe history: $(cat "$dir/out")"

# A format that shows the verdict proves nothing in an open loop.
if "$sw" eval --domain sat --no-model --policies exact --n 6 --format residual --instances 2 --db none \
  $quiet >"$dir/out" 2>&1; then fail "residual in an open loop"; fi
grep -q -- "--verdict-shown" "$dir/out"
"$sw" eval --domain sat --no-model --policies exact --n 6 --format residual --instances 2 --db none \
  --verdict-shown $quiet >/dev/null
# Whoever lets the policy decide is asked, not only eval; so is a verifier that has the policy's word inside.
rule="solve examples/planted-20.cnf --rule clause+exact --format residual --guided-only"
for v in model confirm:5:model any:never+model; do
  if "$sw" $rule --verifier $v >"$dir/out" 2>&1; then fail "solve --verifier $v: accepted"; fi
  grep -q 'shows the verdict' "$dir/out" || fail "solve --verifier $v: $(cat "$dir/out")"
  refused 'shows the verdict' gen sat --n 5 --ratio 3 --format prop --play clause+exact --verifier $v --count 1 -o "$dir/shown"
done
refused 'play RULE' gen sat --n 5 --verdict-shown --count 1 -o "$dir/shown"
[ ! -e "$dir/shown" ] || fail "a refused gen left a file"
"$sw" gen sat --n 5 --ratio 3 --format prop --play clause+exact --verifier model --count 1 -o "$dir/shown" \
  --verdict-shown $quiet >/dev/null
"$sw" gen sat --n 5 --ratio 3 --format prop --play clause+exact --count 1 -o "$dir/shown" $quiet >/dev/null
for how in '--verifier model --verdict-shown' '--verifier exact' ''; do
  code=0
  "$sw" $rule $how >"$dir/out" || code=$?
  [ $code = 10 ] || fail "solve $how: exit $code"
done
"$sw" eval --domain sat --no-model --policies exact --n 6 --format prop --instances 2 --db none \
  --verifier exact $quiet >/dev/null
