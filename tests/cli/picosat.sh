#!/bin/sh
# `solve` without a model (its own search and CaDiCaL) against PicoSAT, which
# shares no code with either: 150 random formulas around the threshold, of 10 to
# 60 variables, and the shipped examples. The answers must agree. Needs picosat.
set -u
sw=$(cd "$(dirname "$BUILD/statewise")" && pwd)/statewise
command -v picosat >/dev/null || { echo "picosat is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 sat=0 unsat=0
compare() { # FILE
  picosat -n "$1" >"$work/pico" 2>&1; theirs=$?
  timeout 60 "$sw" solve "$1" --no-model >"$work/ours" 2>"$work/err"; ours=$?
  if [ $ours -ne $theirs ]; then
    echo "FAIL: $1: we exit with $ours, PicoSAT with $theirs"; cat "$1" | head -200; bad=1
  fi
  [ $ours -eq 10 ] && sat=$((sat + 1))
  [ $ours -eq 20 ] && unsat=$((unsat + 1))
}
for seed in $(seq 1 150); do
  awk -v seed="$seed" 'BEGIN { srand(seed); n = 10 + int(rand() * 51); m = int(n * (3.6 + 1.6 * rand()))
    print "p cnf", n, m
    for (i = 0; i < m; i++) {
      for (j = 0; j < 2 + (rand() < 0.97); j++) printf "%d ", (rand() < .5 ? -1 : 1) * (1 + int(rand() * n))
      print 0 } }' >"$work/$seed.cnf"
  compare "$work/$seed.cnf"
done
for file in examples/*.cnf; do compare "$file"; done
echo "$sat satisfiable, $unsat unsatisfiable"
[ $sat -ge 20 ] && [ $unsat -ge 20 ] || { echo "FAIL: one kind is missing"; bad=1; }
exit $bad
