#!/bin/sh
# models/sat-full.safetensors, shown the assignment alone: it finds conflicts in
# the problem (the size-matched bank, and at chance with another problem) by a
# head that looks at the falsified clause, and `solve --verifier model` says what it missed and never UNSATISFIABLE.
set -eu
sw=${BUILD:?}/statewise
model=models/sat-full.safetensors
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail() { echo "$*"; exit 1; }
figure() { # NAME: the first value of that name in the JSON on stdin
  tr ',{' '\n\n' | sed -n "s/^ *\"$1\": *\([^,}]*\).*/\1/p" | head -1
}
holds() { awk -v a="$1" -v b="$3" "BEGIN { exit !(a $2 b) }" || fail "$4: $1 is not $2 $3"; }

"$sw" probe bank eval --model $model --n 12 --family planted --ratio 4.0 --viable 100 --conflicts 50 \
  --histories 2 --fewer --foreign --resamples 0 --json --progress none >"$out/bank"
own=$(figure auroc <"$out/bank")
foreign=$(sed 's/.*"foreign_problem"//' "$out/bank" | figure auroc)
echo "bank: AUROC $own, with another problem $foreign"
holds "$own" ">=" 0.99 "AUROC"
holds "$foreign" "<=" 0.65 "AUROC with another problem"

"$sw" probe attention --model $model --n 12 --family planted --ratio 4.0 --viable 20 --conflicts 20 \
  --threads 1 --json --progress none >"$out/look"
part() { sed "s/.*\"$1\": *{//" "$out/look" | figure "$2"; } # the last so named: of the whole, not by head
holds "$(part facts literal)" ">=" 0.99 "values of literals read off"
holds "$(part facts item)" ">=" 0.99 "what is left of clauses read off"
head=$(sed 's/.*"most_question_least"//' "$out/look" | sed 's/"by_head".*//' | tr -d '\n')
falsified=$(echo "$head" | figure left_0) satisfied=$(echo "$head" | figure satisfied)
echo "the question's attention: falsified clause $falsified, satisfied one $satisfied"
holds "$falsified" ">=" 0.3 "attention on a falsified clause"
holds "$satisfied" "<=" 0.03 "attention on a satisfied clause"

for file in tests/data/satlib/uf20-91/*.cnf; do
  code=0
  "$sw" solve "$file" --model $model --verifier model --guided-only --threads 1 >"$out/solve" || code=$?
  [ $code -eq 10 ] || fail "$file: exit $code: $(cat "$out/solve")"
  grep -q '^c verifier model: missed [0-9]* of [0-9]* conflicts' "$out/solve" || fail "$file: no count of misses"
done
grep -q '^c answered by: block-only' "$out/solve" || fail "not answered by the model: $(cat "$out/solve")"

# Options of the task count above the model's, as in eval, and nonsense is refused.
file=examples/planted-20.cnf
answer() { "$sw" solve $file --model $model --verifier model --guided-only --threads 1 "$@" 2>&1 | grep -v 'wall time'; }
answer >"$out/plain"
answer --format full --layout reread --retry-mark 1 --decisions 2000 | cmp "$out/plain" - || fail "the model's own options change something"
answer --format evidence >"$out/other"
if cmp -s "$out/plain" "$out/other"; then fail "solve --model ignores --format"; fi
for wrong in '--format bogus' '--layout bogus' '--retry-mark bogus' '--expert bogus' '--n 2'; do
  code=0
  "$sw" solve $file --model $model --guided-only --threads 1 $wrong >"$out/solve" 2>&1 || code=$?
  [ $code -eq 64 ] || fail "solve $wrong: exit $code: $(cat "$out/solve")"
done
code=0 # the verdict must not be shown to who gives it
"$sw" solve $file --model $model --verifier model --format residual --threads 1 >"$out/solve" 2>&1 || code=$?
[ $code -eq 64 ] && grep -q 'shows the verdict' "$out/solve" || fail "solve --format residual: exit $code: $(cat "$out/solve")"

# All eight signs of three variables: no assignment holds, and a model's word is no proof.
{
  echo "p cnf 6 8"
  for a in "" -; do for b in "" -; do for c in "" -; do echo "${a}1 ${b}2 ${c}3 0"; done; done; done
} >"$out/none.cnf"
code=0
"$sw" solve "$out/none.cnf" --model $model --verifier model --guided-only --threads 1 >"$out/solve" || code=$?
[ $code -eq 0 ] && grep -q '^s UNKNOWN' "$out/solve" || fail "exit $code: $(cat "$out/solve")"
grep -q 'exhausted.*proves nothing' "$out/solve" || fail "not exhausted: $(cat "$out/solve")"
code=0
"$sw" solve "$out/none.cnf" --model $model --guided-only --threads 1 >"$out/solve" || code=$?
[ $code -eq 20 ] || fail "exact: exit $code"
