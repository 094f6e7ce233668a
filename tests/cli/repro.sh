#!/bin/sh
# repro, small: every experiment runs; a cell is what `eval` gives for the same
# model; killed and run again it ends with the same table; the mean and the
# deviation are over the seeds; and wrong names are told.
set -u
sw=$BUILD/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
small="--traces 40 --instances 6 --progress none --train steps=2 --train d=16 --train layers=1 --train heads=2 --train batch=2"

for id in $("$sw" repro --list | sed -n 's/^\([a-z0-9-]*\)  *[^ ].*/\1/p' | grep .); do
  "$sw" repro "$id" $small --out "$work/all" >"$work/$id" 2>"$work/err" || say "$id: $(cat "$work/err")"
  rows=$("$sw" repro --list | sed -n "/^$id /,/rows:/s/.*rows: //p" | wc -w)
  for file in table.md table.tex; do
    [ -s "$work/all/$id/$file" ] || say "$id: no $file"
  done
  [ "$(find "$work/all/$id" -name model.safetensors | wc -l)" -eq "$rows" ] || say "$id: not $rows models"
done
[ "$(ls "$work/all" | wc -l)" -ge 10 ] || say "only $(ls "$work/all")"
grep -q '93.4 ± 2.3' "$work/flagship" || say "the paper's number is not there: $(cat "$work/flagship")"

# Three models a row, and what eval says of each.
"$sw" repro sat-30 --row causal --seeds 3 $small --instances 20 --out "$work/seeds" --json >"$work/seeds.json" 2>"$work/err" ||
  say "three seeds: $(cat "$work/err")"
for seed in 42 43 44; do
  "$sw" eval --model "$work/seeds/sat-30/causal-$seed" --protocol cumulative --loop masked --tokens 4096 --instances 20 \
    --policies none --db none --json --progress none >"$work/eval.$seed" || say "eval $seed"
done
rates=$(sed -n 's/.*"domain".*"solve_rate": *\([0-9.e-]*\), *"n".*"rows".*/\1/p' "$work"/eval.4? | tr '\n' ' ')
mean=$(sed -n 's/.*"column": *"cumulative, 4,096 tokens", *"paper": *"62.5", *"solve_rate": *\([0-9.e-]*\), *"sd": *\([0-9.e-]*\).*/\1 \2/p' "$work/seeds.json")
echo "$rates $mean" | awk 'NF != 5 { exit 1 }
  { m = ($1 + $2 + $3) / 3; v = (($1 - m) ^ 2 + ($2 - m) ^ 2 + ($3 - m) ^ 2) / 2
    d = $4 - m; s = $5 - sqrt(v); exit !(m > 0 && v > 0 && d * d < 1e-12 && s * s < 1e-12) }' ||
  say "mean and deviation of ($rates) are not ($mean)"

# Stopped at several moments, then run to the end: the same table.
"$sw" repro sat-50 $small --out "$work/whole" >"$work/whole.txt" 2>&1 || say "whole: $(cat "$work/whole.txt")"
for pause in 0.05 0.15 0.3 0.5; do
  "$sw" repro sat-50 $small --out "$work/killed" >/dev/null 2>&1 & pid=$!
  sleep $pause; kill -KILL "$pid" 2>/dev/null; wait "$pid" 2>/dev/null
done
"$sw" repro sat-50 $small --out "$work/killed" >"$work/killed.txt" 2>&1
cmp -s "$work/whole.txt" "$work/killed.txt" || say "after kills: $(diff "$work/whole.txt" "$work/killed.txt")"

refuse() { # CODE TEXT COMMAND...
  code=$1 text=$2; shift 2
  "$@" >"$work/out" 2>"$work/err"; got=$?
  [ "$got" -eq "$code" ] || say "exit $got, not $code: $*"
  grep -q "$text" "$work/err" || say "no \"$text\" in: $(cat "$work/err")"
}
refuse 64 'which experiment' "$sw" repro
refuse 64 'did you mean parsing' "$sw" repro parsin
refuse 64 'no row `sa`' "$sw" repro parsing --row sa
refuse 64 'name=value' "$sw" repro parsing --row ssa --traces 40 --out "$work/all" --train steps --progress none
refuse 64 'step' "$sw" repro parsing --row ssa --traces 40 --out "$work/all" --train stepz=1 --progress none
exit $bad
