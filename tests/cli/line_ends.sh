#!/bin/sh
# LF, CR LF and CR alone end lines in every problem file, and what the relaxed
# reading leaves out is told: no reading answers for a part of the clauses.
set -u
sw=$BUILD/statewise
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "$1"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
run() { "$sw" "$@" >"$dir/out" 2>"$dir/err"; code=$?; }
answer() { grep -v '^c' "$dir/out"; }

printf 'c x and not x\np cnf 1 2\n1 0\nc between\n-1 0\n' >"$dir/lf.cnf"
printf 'c a triangle\np edge 3 3\ne 1 2\nc between\ne 2 3\ne 1 3\n' >"$dir/lf.col"
printf '(define (problem p) ; a comment\n(:objects a b)\n(:init (on a b) (ontable b) (clear a)) ; more\n(:goal (and (on b a) ; both\n (ontable a))))\n' >"$dir/lf.pddl"
printf '# a sentence\ny x # and\nx\n' >"$dir/lf.sentence"
printf 'rule s : a "x" # first\nrule a : "y" | "y" "x"\n' >"$dir/lf.grammar"
for kind in cnf col pddl sentence; do
  sed 's/$/\r/' "$dir/lf.$kind" >"$dir/crlf.$kind"
  tr '\n' '\r' <"$dir/lf.$kind" >"$dir/cr.$kind"
done
sed 's/$/\r/' "$dir/lf.grammar" >"$dir/crlf.grammar"
tr '\n' '\r' <"$dir/lf.grammar" >"$dir/cr.grammar"
for kind in cnf:20 col:20 pddl:10 sentence:10; do
  file=${kind%:*} more=
  for ends in lf crlf cr; do
    [ $file = col ] && more="--colors 2"
    [ $file = sentence ] && more="--grammar $dir/$ends.grammar"
    run solve "$dir/$ends.$file" --no-model $more
    [ $code -eq "${kind#*:}" ] || fail "$ends.$file: exit $code"
    answer >"$dir/$ends"
    cmp -s "$dir/lf" "$dir/$ends" || fail "$ends.$file: another answer"
    [ -s "$dir/$ends" ] || fail "$ends.$file: no answer"
  done
done

# a file in one line, and clauses behind the end of the formula: whatever the
# hints say, nobody hears SATISFIABLE of x and not x
printf 'p cnf 1 2 1 0 -1 0\n' >"$dir/one.cnf"
printf 'p cnf 1 2\n1 0\n%%\n-1 0\n' >"$dir/percent.cnf"
for file in one percent cr; do
  for reading in pedantic normal relaxed; do
    run solve "$dir/$file.cnf" --no-model --reading $reading
    [ $code -eq 10 ] && fail "$file.cnf, $reading: a wrong answer"
  done
done
printf 'p cnf 1 1 9\n1 0\n%%\nthe end\n' >"$dir/left.cnf"
run solve "$dir/left.cnf" --no-model --reading relaxed
[ $code -eq 10 ] || fail "text behind the numbers: exit $code"
grep -q '^c warning: line 1: left out: something follows the header.s two numbers: "9"' "$dir/out" || fail "not told what was left out"
printf 'p edge 2 9\ne 1 2\nedge 1 2\n' >"$dir/left.col"
run solve "$dir/left.col" --no-model --reading relaxed
grep -q '^c warning: left out: 1 lines of unknown kind; 1 edges, 9 declared' "$dir/out" || fail "not told which lines were left out"
exit 0
