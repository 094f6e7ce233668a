#!/bin/sh
# show mask and show trace: the patterns, the warning of leaky masks, the SVG,
# and a generated trace in words.
set -u
sw=$BUILD/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "FAIL: $*"; bad=1; }

"$sw" show mask --mask ssa --json >"$work/out" 2>"$work/err" || say "show mask ssa"
[ -s "$work/err" ] && say "ssa printed a warning"
grep -q '"rows": \["11111000000", "11111000000", "11100000000", .*, "11111000111"\]' "$work/out" || say "the rows of ssa: $(cat "$work/out")"
"$sw" show mask --mask ssa >"$work/out" || say "show mask ssa as text"
grep -q '^block 2.0  *# #  # # #  \. \. \.  # \. \.$' "$work/out" || say "the drawing of ssa"
grep -q 'block-relative 0 1 2 3 4 5 3 4 5$' "$work/out" || say "the positions"
"$sw" show mask --mask causal-noslot >"$work/out" || say "causal-noslot without --slots"
grep -q '^45 of 81 pairs' "$work/out" || say "pairs of causal-noslot"
for mask in causal-release swa-prefix-release random-matched; do
  "$sw" show mask --mask $mask >/dev/null 2>"$work/err" || say "show mask $mask"
  grep -q "^warning: $mask leaks" "$work/err" || say "$mask printed no warning"
done
for mask in ssa causal causal-noslot blanket block-only swa-prefix reverse swa; do
  "$sw" show mask --mask $mask >/dev/null 2>"$work/err" || say "show mask $mask"
  [ -s "$work/err" ] && say "$mask printed $(cat "$work/err")"
done
"$sw" show mask --mask reverse --svg "$work/m.svg" >/dev/null || say "--svg"
grep -q '^</svg>$' "$work/m.svg" || say "the SVG does not end"
"$sw" show mask --mask ssa --beside causal --blocks 4,3,3,3 --svg "$work/two.svg" >/dev/null || say "--beside"
[ "$(grep -c 'rows read columns' "$work/two.svg")" -eq 2 ] || say "--beside draws no second mask"
grep -q 'fill="var(--mask-other)"' "$work/two.svg" || say "the history is not drawn"
[ "$(grep -c '<rect ' "$work/m.svg")" -gt 20 ] || say "the SVG is empty"

"$sw" show mask --list >"$work/list" || say "show mask --list"
[ "$(wc -l <"$work/list")" -eq 13 ] || say "--list: $(cat "$work/list")"
while read -r line; do
  grep -qxF "$line" "$(dirname "$0")/../../docs/masks.md" || say "docs/masks.md lacks: $line"
done <"$work/list"

"$sw" help gen >/dev/null 2>&1 || say "help gen"
"$sw" gen sat --n 5 --count 3 --seed 1 --format enriched -o "$work/d" >/dev/null 2>&1 || say "gen"
"$sw" show trace "$work/d" --index 2 >"$work/out" || say "show trace"
grep -q '2 of 3 (sat enriched), n 5' "$work/out" || say "head: $(head -1 "$work/out")"
grep -q '^block 1, tokens ' "$work/out" || say "no block 1"
grep -q '\*v[0-9]' "$work/out" || say "no supervised variable is marked"
"$sw" show trace "$work/d" --index 2 --json >"$work/json" || say "show trace --json"
grep -q '"supervised": \[' "$work/json" || say "JSON without supervision"
"$sw" show trace "$work/d" --view one >"$work/out" || say "show trace --view one"
[ "$(grep -c '^block ' "$work/out")" -eq 1 ] || say "--view one shows more than one block"
"$sw" show trace "$work/d" --index 3 >/dev/null 2>"$work/err"; [ $? -eq 64 ] || say "index past the end"
grep -q '^hint: 0 to 2' "$work/err" || say "no hint for an index past the end"
exit $bad
