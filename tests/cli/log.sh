#!/bin/sh
# The debug build (docs/debugging.md): its log says what a search and a training
# step do, one line an event and by topic, and changes no result; the release
# has neither log nor contracts in it.
set -u
debug=$BUILD/statewise-debug plain=$BUILD/statewise
case $BUILD in *san) echo "a sanitizer's build has contracts, so there is no release to compare"; exit 77 ;; esac
[ -x "$debug" ] || { echo "no debug program"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
quiet="--progress none --threads 1"

"$plain" gen sat --n 5 --count 20 --seed 3 -o "$work/data" $quiet >/dev/null 2>&1 || say "gen failed"
for program in plain debug; do
  eval "p=\$$program"
  STATEWISE_LOG=train "$p" train --data "$work/data" --d 16 --layers 1 --heads 2 --slots 2 --batch 4 --steps 3 \
    --valid-share 0 $quiet -o "$work/$program" >/dev/null 2>"$work/$program.train" || say "$program: train failed"
  STATEWISE_LOG=search "$p" eval --model "$work/$program" --n 5 --instances 2 --decisions 12 --policies none \
    --db none --json $quiet >"$work/$program.json" 2>"$work/$program.search" || say "$program: eval failed"
done
cmp -s "$work/plain/model.safetensors" "$work/debug/model.safetensors" || say "the debug build trains other weights"

# A step: its items, then its loss and norm.
[ "$(grep -c '^train: step ' "$work/debug.train")" = 3 ] || say "not 3 steps: $(cat "$work/debug.train")"
grep -q '^train: step 1: loss [0-9.]*, norm [0-9.e-]*, rate ' "$work/debug.train" || say "a step lacks its loss, norm or rate"
[ "$(grep -c '^train:   item [0-3]: [0-9]* tokens, [0-9]* targets, loss ' "$work/debug.train")" = 12 ] || say "not 12 items"
# A decision: who is asked about what, what each candidate scores, what is taken, how it ends.
grep -q '^search: instance 0, block 1: .* is asked, [0-9]* candidates' "$work/debug.search" || say "no question"
grep -q '^search:   [^ ]* *-*[0-9.]*$' "$work/debug.search" || say "no scores"
grep -q '^search:   takes candidate [0-9]*, token [0-9]*' "$work/debug.search" || say "nothing is taken"
grep -q '^search: instance [01] ends: ' "$work/debug.search" || say "no end"
grep -q '^train:' "$work/debug.search" && say "a topic that was not asked for"
# Unasked it is silent, and a release knows nothing of it.
"$debug" eval --model "$work/debug" --n 5 --instances 1 --policies none --db none $quiet 2>&1 | grep '^search:' && say "a log that nobody asked for"
grep -q '^\(search\|train\):' "$work/plain.train" "$work/plain.search" && say "a release logs"
nm "$plain" 2>/dev/null | grep -E ' sw_(contract_broken|log|log_wants|trace_check|net_check|game_check)$' && say "above: debug code in a release"
nm "$debug" | grep -q ' sw_contract_broken$' || say "a debug build without contracts"
exit $bad
