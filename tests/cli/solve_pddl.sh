#!/bin/sh
# solve on PDDL problems and sentences, and the domains' gen and eval from the
# outside: answers, exit codes and messages.
set -u
sw=$BUILD/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$1"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
run() { "$sw" "$@" >"$dir/out" 2>"$dir/err"; code=$?; }

for problem in sussman:6 sort-ten:30 swap-towers:30; do
  run solve "examples/${problem%:*}.pddl" --no-model
  [ $code -eq 10 ] || fail "$problem: exit $code"
  grep -q '^s SATISFIABLE$' "$dir/out" || fail "$problem: no s line"
  [ "$(grep -c '^(' "$dir/out")" -eq "${problem#*:}" ] || fail "$problem: length"
done
run solve examples/sussman.pddl --rule first-untried
[ $code -eq 10 ] || fail "rule: exit $code"

printf '(define (problem p) (:objects a)\n(:init (ontable a) (clear a))\n(:goal (on a a)))\n' >"$dir/no.pddl"
run solve "$dir/no.pddl" --no-model
[ $code -eq 20 ] || fail "impossible goal: exit $code"
printf '(define (problem p) (:objects a)\n(:init (ontable a)\n(at a)))\n' >"$dir/bad.pddl"
run solve "$dir/bad.pddl" --no-model
[ $code -eq 65 ] || fail "bad file: exit $code"
grep -q 'bad.pddl:3: unknown predicate `at`' "$dir/err" || fail "no line number"

# what is not understood of a goal is not passed over
printf '(define (problem p) (:objects a b)\n(:init (= (total-cost) 0) (ontable a) (ontable b) (clear a) (clear b))\n(:goal (= a b)))\n' >"$dir/same.pddl"
run solve "$dir/same.pddl" --no-model
[ $code -eq 65 ] || fail "a goal with =: exit $code"
grep -q 'same.pddl:3: goal not understood: `=`' "$dir/err" || fail "a goal with =: no line"

echo 'f ( a , ( b ) )' >"$dir/x.sentence"
run solve "$dir/x.sentence" --no-model
[ $code -eq 10 ] || fail "sentence: exit $code"
grep -q '^v (expr (call f' "$dir/out" || fail "no derivation"
echo 'f ( a' >"$dir/x.sentence"
run solve "$dir/x.sentence" --no-model
[ $code -eq 20 ] || fail "no sentence: exit $code"

# ordered choice commits to `y`; that it finds no derivation proves nothing
printf 'rule s : a "x"\nrule a : "y" | "y" "x"\n' >"$dir/commits.grammar"
echo 'y x x' >"$dir/x.sentence"
run solve "$dir/x.sentence" --no-model --grammar "$dir/commits.grammar"
[ $code -eq 10 ] || fail "a sentence with one derivation: exit $code"
grep -q '^v (s (a y x) x)$' "$dir/out" || fail "another derivation"
echo 'y x x x' >"$dir/x.sentence"
run solve "$dir/x.sentence" --no-model --grammar "$dir/commits.grammar"
[ $code -eq 20 ] || fail "a sentence without one: exit $code"

run gen parsing --grammar examples/words.grammar --count 50 -o "$dir/p.safetensors"
[ $code -eq 0 ] || fail "gen parsing: exit $code"
run gen blocks --n 7 --count 20 --too-long cut -o "$dir/b.safetensors"
[ $code -eq 0 ] || fail "gen blocks: exit $code"
run eval --domain blocks --no-model --policies exact --db none --progress none --instances 200
[ $code -eq 0 ] || fail "eval blocks: exit $code"
grep -q '^first-untried  *85\.0 %' "$dir/out" || fail "not the published rate"
run eval --domain blocks --no-model --policies first-legal --db none --progress none --on-error execute
grep -q '^first-legal  *4\.0 %' "$dir/out" || fail "not the published rate of first-legal"
exit 0
