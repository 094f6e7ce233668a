#!/bin/sh
# A short path of every command under valgrind's memcheck (make valgrind): an
# error or a leak of ours fails. Slow, so not part of the suite.
# Usage: tests/valgrind.sh PROGRAM [part of a line's text]
set -u
sw=$(realpath "$1") only=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
bad=0 count=0
export STATEWISE_RESULTS="$work/results"
check() { # WANTED-EXIT-CODE COMMAND...
  want=$1; shift
  case "$*" in *"$only"*) ;; *) return ;; esac
  start=$(date +%s)
  valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
    --errors-for-leak-kinds=definite,indirect "$sw" "$@" >"$work/out" 2>"$work/err"
  code=$?
  count=$((count + 1))
  echo "exit $code, $(($(date +%s) - start)) s: $*"
  [ $code -eq "$want" ] || { bad=$((bad + 1)); tail -40 "$work/err"; }
}
small="--d 16 --layers 1 --heads 2 --slots 2 --batch 2 --steps 2"
quiet="--threads 1 --progress none"
make_quickly() { "$sw" "$@" >/dev/null 2>&1 || { echo "cannot prepare: $*"; exit 1; }; }
make_quickly gen sat --n 6 --count 12 -o "$work/d.safetensors"
make_quickly train --data "$work/d.safetensors" --mask causal $small --verify 1 -o "$work/runs/causal" $quiet
make_quickly gen trees --n 12 --count 8 --exclude 8 -o "$work/t.safetensors"
make_quickly train --data "$work/t.safetensors" --mask causal-noslot --d 16 --layers 1 --heads 2 --steps 2 -o "$work/trees" $quiet
model="--model $work/runs/causal $quiet"

check 0 help
check 0 show mask
check 0 show trace "$work/d.safetensors"
check 0 show model "$work/runs/causal/model.safetensors"
check 0 gen sat --n 6 --count 4 -o "$work/x.safetensors" $quiet
check 0 gen coloring --n 8 --count 4 -o "$work/x.safetensors" $quiet
check 0 gen blocks --n 4 --count 4 -o "$work/x.safetensors" $quiet
check 0 gen parsing --count 4 -o "$work/x.safetensors" $quiet
check 0 train --data "$work/d.safetensors" --mask ssa $small -o "$work/runs/ssa" $quiet
check 0 eval --model "$work/runs/causal" --n 6 --instances 2 --policies exact --db "$work/runs/results.db" $quiet
printf 'p cnf 3 2\n1 2 3 0\n-1 -2 0\n' >"$work/x.cnf"
printf 'p edge 4 3\ne 1 2\ne 2 3\ne 3 4\n' >"$work/x.col"
printf '(define (problem p) (:objects a b) (:init (on a b) (ontable b) (clear a) (handempty)) (:goal (and (on b a) (ontable a))))\n' >"$work/x.pddl"
echo 'f ( a , ( b ) )' >"$work/x.sentence"
check 10 solve "$work/x.cnf" --model "$work/runs/causal" --threads 1
for file in x.cnf x.col x.pddl x.sentence; do check 10 solve "$work/$file" --no-model; done
check 0 probe transplant $model --states 3 --instances 2 --into "$work/runs"
check 0 probe bank eval $model --viable 2 --conflicts 2 --instances 20 --fewer
check 0 probe attention $model --viable 2 --conflicts 2 --instances 20 --fewer
check 0 probe padding $model --trials 3 --instances 2
check 0 probe length $model --traces 2 --instances 2
check 0 probe representation $model --states 3 --instances 2
check 0 probe visited $model --instances 2 --decisions 10
check 0 probe verify $model --instances 2 --bank-states 0
check 0 probe guide $model --states 3 --instances 2
check 0 probe case $model --states 3 --instances 2 --into "$work/runs"
check 0 probe history --data "$work/d.safetensors"
check 0 trees "$work/trees" --instances 2 --free 1 --exclude 8 $quiet
check 0 repro blocks-5 --row ssa --traces 12 --instances 2 --train until=steps --train steps=2 --train d=16 --train layers=1 \
  --train heads=2 --train batch=2 --out "$work/repro" $quiet
check 0 report "$work/runs" --viable 0 $quiet
"$sw" serve --port 0 --quiet --threads 1 --model "$work/runs/causal" >"$work/url" & server=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s "$work/url" ] || sleep 0.5; done
check 0 audit "$(cat "$work/url")v1" --n 6 --instances 1 --decisions 4 --states 2 --model "$work/runs/causal" \
  --guide-cache none -o "$work/audit" $quiet
kill $server
if [ -z "$only" ] || [ "$only" = serve ]; then # ended by a signal, with a request before
  valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
    "$sw" serve --port 0 --quiet --threads 1 --model "$work/runs/causal" >"$work/url2" 2>"$work/err" & server=$!
  for i in $(seq 60); do [ -s "$work/url2" ] || sleep 0.5; done
  python3 -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1] + "v1/models").read()' "$(cat "$work/url2")" || bad=$((bad + 1))
  kill -TERM $server; wait $server; code=$?
  count=$((count + 1)); echo "exit $code: serve"
  [ $code -eq 0 ] || { bad=$((bad + 1)); tail -40 "$work/err"; }
fi
echo "$count commands, $bad with errors"
[ $bad -eq 0 ]
