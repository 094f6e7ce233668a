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
awk 'BEGIN { n = 250; print "p edge", n, 15526; srand(7); for (i = 1; i <= n; i++) for (j = 1; j < i; j++) if (rand() < .5) print "e", i, j }' >"$work/random.col"
for file in tower.pddl clique.col nested.sentence hard.cnf; do
  begin=$(date +%s%N)
  timeout 30 "$sw" solve "$work/$file" --no-model --time 1 >"$work/out" 2>"$work/err"
  code=$?
  case $code in 0 | 10 | 20) ;; *) say "solve $file --time 1: exit $code" ;; esac
  echo "solve $file --time 1: $((($(date +%s%N) - begin) / 1000000)) ms"
done

# COMMAND that would take long; SIGTERM after a second; it must end by itself.
# Exit 75: stopped, run me again; 143: the signal itself; solve tells what it has
# (0, or 10 with the best colouring); the rest is another
# error, or a command that had ended before.
term() {
  "$sw" "$@" >"$work/out" 2>"$work/err" &
  pid=$!
  sleep 1
  kill -TERM $pid 2>/dev/null
  begin=$(date +%s%N)
  (sleep 30; kill -KILL $pid 2>/dev/null) & guard=$!
  wait $pid; code=$?
  kill $guard 2>/dev/null
  took=$((($(date +%s%N) - begin) / 1000000))
  [ $code -ne 137 ] || say "$*: had to be killed"
  case $1:$code in solve:0 | solve:10 | serve:0 | *:75 | *:143) ;; *) say "$*: exit $code" ;; esac
  echo "SIGTERM: $took ms, exit $code: $*"
}
"$sw" gen sat --n 20 --count 200 -o "$work/d.safetensors" >/dev/null 2>&1
"$sw" gen trees --count 20 --exclude 20 -o "$work/t.safetensors" >/dev/null 2>&1
"$sw" train --data "$work/d.safetensors" --steps 2 --d 64 -o "$work/runs/ssa" --progress none >/dev/null 2>&1
"$sw" train --data "$work/t.safetensors" --mask causal-noslot --steps 2 --d 64 -o "$work/trees" --progress none >/dev/null 2>&1
quiet="--progress none"
# One step must not take longer than the bound under a sanitizer, either.
case $BUILD in *san*) light="--d 32 --layers 1 --heads 2 --batch 2" width="--width 2" ;; *) light= width= ;; esac
term gen sat --n 200 --family unsat --count 100 -o "$work/g.safetensors" $quiet
term gen blocks --n 9 --count 1000000 --exclude 1000000 --split test -o "$work/g.safetensors" $quiet
term train --data "$work/d.safetensors" --steps 1000000 $light -o "$work/run" $quiet
term eval --domain sat --instances 100000 $width --db "$work/x.db" $quiet
term solve "$work/hard.cnf" --no-model --time 0
term solve "$work/random.col" --no-model --time 0
term quickstart --out "$work/q"
term repro blocks-5 --out "$work/r" $quiet
term report "$work/runs" --states 100000 --viable 100000 $quiet
term trees "$work/trees" --instances 50000 $quiet
many=100000
probe() { kind=$1; shift; term probe $kind "$@" --model models/sat.safetensors $quiet; }
probe transplant --states $many --instances $many
probe padding --trials $many --instances $many
probe length --traces $many
probe representation --states $many --instances $many
probe visited --instances $many
term probe case --states $many --instances $many --model tests/data/serve/causal.safetensors $quiet
probe bank eval --viable $many
probe attention --viable $many --conflicts $many
term probe guide --model models/sat.safetensors --states $many --instances $many $quiet
for kind in kernels gen train decide; do term bench $kind; done
url=$work/url
"$sw" serve --port 0 --quiet --threads 1 --model models/sat.safetensors >"$url" & server=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s "$url" ] || sleep 0.5; done
term audit "$(cat "$url")v1" --domain sat --situations 100000 -o "$work/audit" --guide-cache none $quiet
kill $server
term serve --port 0 --quiet --model models/sat.safetensors
exit $bad
