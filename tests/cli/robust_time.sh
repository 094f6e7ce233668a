#!/bin/sh
# Time limits and signals: --time 1 and one SIGTERM end every command. The bound
# here is 30 s, against hangs; the times themselves are in docs/reliability.md.
set -u
sw=$(cd "$(dirname "$BUILD/statewise")" && pwd)/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "FAIL: $*"; cat "$work/out" "$work/err" 2>/dev/null | head; bad=1; }

awk 'BEGIN { n = 3000; print "(define (problem p) (:objects"; for (i = 0; i < n; i++) print "b" i
  print ") (:init (handempty)"; for (i = 0; i < n; i++) { if (i) print "(on b" i " b" i-1 ")"; else print "(ontable b0)" }
  print "(clear b" n-1 ")) (:goal (and"; for (i = 1; i < n; i++) print "(on b" i-1 " b" i ")"; print ")))" }' >"$work/tower.pddl"
awk 'BEGIN { n = 900; print "p edge", n, n*(n-1)/2; for (i = 1; i <= n; i++) for (j = 1; j < i; j++) print "e", i, j }' >"$work/clique.col"
awk 'BEGIN { for (i = 0; i < 500; i++) printf "( "; printf "a "; for (i = 0; i < 500; i++) printf ") " }' >"$work/nested.sentence"
awk 'BEGIN { n = 360; m = 1530; print "p cnf", n, m; srand(5)
  for (i = 0; i < m; i++) { for (j = 0; j < 3; j++) printf "%d ", (rand() < .5 ? -1 : 1) * (1 + int(rand() * n)); print 0 } }' >"$work/hard.cnf"
for file in tower.pddl clique.col nested.sentence hard.cnf; do
  begin=$(date +%s%N)
  timeout 30 "$sw" solve "$work/$file" --no-model --time 1 >"$work/out" 2>"$work/err"
  code=$?
  case $code in 0 | 10 | 20) ;; *) say "solve $file --time 1: exit $code" ;; esac
  echo "solve $file --time 1: $((($(date +%s%N) - begin) / 1000000)) ms"
done

# COMMAND that would take long; SIGTERM after a second; it must end by itself
term() {
  "$sw" "$@" >"$work/out" 2>"$work/err" &
  pid=$!
  sleep 1
  kill -TERM $pid 2>/dev/null
  begin=$(date +%s%N)
  (sleep 30; kill -KILL $pid 2>/dev/null) & guard=$!
  wait $pid; code=$?
  kill $guard 2>/dev/null
  [ $code -ne 137 ] || say "$*: had to be killed"
  echo "SIGTERM: $((($(date +%s%N) - begin) / 1000000)) ms, exit $code: $*"
}
"$sw" gen sat --n 20 --count 200 -o "$work/d.safetensors" >/dev/null 2>&1
term gen sat --n 200 --family unsat --count 100 -o "$work/g.safetensors" --progress none
term gen blocks --n 9 --count 1000000 --exclude 1000000 --split test -o "$work/g.safetensors" --progress none
term train --data "$work/d.safetensors" --steps 1000000 -o "$work/run" --progress none
term eval --domain sat --instances 100000 --db "$work/x.db" --progress none
term solve "$work/hard.cnf" --no-model --time 0
term solve "$work/clique.col" --no-model --time 0
term probe transplant --domain sat --model models/sat.safetensors --instances 100000
term quickstart --out "$work/q"
exit $bad
