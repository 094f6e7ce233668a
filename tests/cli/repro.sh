#!/bin/sh
# repro, small: experiments of every kind run from nothing to their table; a
# cell is what `eval` gives for the same model; models are shared; killed and
# run again it ends with the same cells; mean and deviation are over the seeds;
# a kept result is compared; a report shows it; and wrong names are told.
set -u
sw=$(realpath "$BUILD")/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
. tests/find_python.sh
small="--traces 24 --instances 6 --progress none --train until=steps --train steps=2 --train d=16 --train layers=1 --train heads=2 --train batch=2"
export STATEWISE_RESULTS=$work/results

"$sw" repro --list >"$work/list" || say "--list"
"$sw" repro --list --json >"$work/list.json" || say "--list --json"
[ "$(grep -o '"state":' "$work/list.json" | wc -l)" -ge 37 ] || say "fewer than 37 experiments"
grep -o '"state": *"[^"]*"' "$work/list.json" | sort -u | grep -qv 'never run' && say "something is kept before it was run"
grep -q '^verifier-swap' "$work/list" || say "the list lacks verifier-swap"
grep -q 'names: T8 tab:verifier-swap' "$work/list" || say "the list lacks the paper's labels"
# Of those that are named, only these.
"$sw" repro T8 parsing --list >"$work/some" || say "T8 parsing --list"
[ "$(grep -c '^[a-z]' "$work/some")" -eq 2 ] && grep -q '^verifier-swap' "$work/some" && grep -q '^parsing' "$work/some" || say "T8 parsing --list: $(cat "$work/some")"
[ "$("$sw" repro tab:verifier-swap --list --json | grep -o '"state":' | wc -l)" -eq 1 ] || say "--list --json of one lists others"

# One small search domain, with every kind of output.
"$sw" repro parsing $small --out "$work/all" >"$work/parsing" 2>"$work/err" || say "parsing: $(cat "$work/err")"
for file in experiment.json table.md table.tex; do
  [ -s "$work/all/parsing/$file" ] || say "parsing: no $file"
done
[ "$(find "$work/all/models" -name model.safetensors | wc -l)" -eq 2 ] || say "parsing: not two models"
grep -q '59.5 ± 38.5' "$work/parsing" || say "the paper's number is not there: $(cat "$work/parsing")"
for word in floor 'exact rule' ceiling '95 %'; do
  grep -q "$word" "$work/parsing" || say "no column \"$word\""
done
grep -q 'ceiling (' "$work/parsing" || say "the table does not say which rule its ceiling is"
# The same models in another experiment are not trained again.
before=$(stat -c %Y "$work/all/models/parsing-rival-ssa-42/run.json")
"$sw" repro protocols --row parsing-ssa $small --out "$work/all" --json >"$work/protocols" 2>"$work/err" || say "protocols: $(cat "$work/err")"
[ "$(stat -c %Y "$work/all/models/parsing-rival-ssa-42/run.json")" = "$before" ] || say "a shared model was trained again"
[ "$(find "$work/all/models" -name model.safetensors | wc -l)" -eq 2 ] || say "protocols: more models than its row needs"

# Three models per row, and what eval says of each.
"$sw" repro parsing --row causal --seeds 3 $small --instances 20 --out "$work/seeds" --json >"$work/seeds.json" 2>"$work/err" ||
  say "three seeds: $(cat "$work/err")"
rates=
for seed in 42 123 456; do
  "$sw" eval --model "$work/seeds/models/parsing-rival-causal-$seed" --protocol cumulative --loop open --tokens 0 --instances 20 \
    --policies none --db none --json --progress none >"$work/eval.$seed" || say "eval $seed"
  rates="$rates $(grep -o '"solve_rate": *[0-9.e-]*' "$work/eval.$seed" | head -1 | sed 's/.*: *//')"
done
cell=$(sed 's/.*"cells": *\[//; s/}, *{"row".*//' "$work/seeds.json")
values=$(echo "$cell" | sed 's/.*"values": *\[//' | grep -o '"value": *[0-9.e-]*' | sed 's/.*: *//' | tr '\n' ' ')
[ "$(echo $rates | awk '{for (i = 1; i <= NF; i++) printf "%.9f ", $i}')" = "$(echo $values | awk '{for (i = 1; i <= NF; i++) printf "%.9f ", $i}')" ] ||
  say "eval gives $rates, repro $values"
mean=$(echo "$cell" | sed 's/"values".*//' | grep -o '"\(value\|sd\)": *[0-9.e-]*' | sed 's/.*: *//' | tr '\n' ' ')
echo "$rates $mean" | awk 'NF != 5 { exit 1 }
  { m = ($1 + $2 + $3) / 3; v = (($1 - m) ^ 2 + ($2 - m) ^ 2 + ($3 - m) ^ 2) / 2
    d = $4 - m; s = $5 - sqrt(v); exit !(d * d < 1e-12 && s * s < 1e-12) }' ||
  say "mean and deviation of ($rates) are not ($mean)"

# Stopped at several moments, then run to the end: the same cells.
"$sw" repro blocks-5 $small --out "$work/whole" >/dev/null 2>"$work/err" || say "whole: $(cat "$work/err")"
for pause in 0.05 0.2 0.5; do
  "$sw" repro blocks-5 $small --out "$work/killed" >/dev/null 2>&1 & pid=$!
  sleep $pause; kill -KILL "$pid" 2>/dev/null; wait "$pid" 2>/dev/null
done
"$sw" repro blocks-5 $small --out "$work/killed" >/dev/null 2>"$work/err" || say "after kills: $(cat "$work/err")"
"$python" tests/same_tree.py "$work/whole/blocks-5" "$work/killed/blocks-5" || say "after kills the cells differ"

# Kept, listed as kept, checked, and a changed number is found.
"$sw" repro parsing $small --out "$work/all" --keep >/dev/null 2>"$work/err" || say "--keep: $(cat "$work/err")"
"$sw" repro --list --json | grep -q '"id": *"parsing", *"place": *"[^"]*", *"state": *"kept"' || say "parsing is not listed as kept"
"$sw" repro parsing $small --out "$work/again" --check >"$work/check" 2>"$work/err" || say "--check: $(cat "$work/err")"
grep -q 'every number of parsing that was made now is as kept' "$work/check" || say "--check said: $(cat "$work/check")"
"$sw" repro parsing $small --instances 3 --out "$work/fewer" --check >"$work/check" 2>"$work/err"
[ $? -eq 1 ] || say "--check passes on fewer instances than are kept"
grep -q '^differs: .*kept of [0-9]* instances, now of 3$' "$work/err" || say "--check on fewer instances: $(cat "$work/err")"
sed -i 's/"value": *[0-9.e-][0-9.e-]*/"value": 0.123/g' "$work"/results/answers/parsing-rival-*-42-*.jsonl
"$sw" repro parsing $small --out "$work/again" --check >"$work/check" 2>"$work/err"
[ $? -eq 1 ] || say "a changed number passes --check"
grep -q '^differs: .*kept 0.123' "$work/err" || say "--check does not tell what differs: $(cat "$work/err")"

# What is there is a page.
if command -v gnuplot >/dev/null; then
  "$sw" report "$work/all" --viable 0 --states 0 --progress none >/dev/null 2>"$work/err" || say "report: $(cat "$work/err")"
  grep -q 'id="cells-parsing-[0-9]' "$work/all/report/index.html" || say "no table of parsing on the page"
  grep -q '59.5 ± 38.5' "$work/all/report/index.html" || say "the page lacks the paper's number"
  grep -q '^parsing,ssa,cumulative,%,' "$work/all/report/experiments.csv" || say "experiments.csv lacks parsing"
  "$sw" report "$work/all/parsing" --viable 0 --states 0 --progress none >/dev/null 2>"$work/err" || say "report of one: $(cat "$work/err")"
  grep -q 'id="training"' "$work/all/parsing/report/index.html" || say "the models of parsing are not found from its directory"
  grep -q 'id="endings"' "$work/all/parsing/report/index.html" || say "the store of parsing is not found from its directory"
fi

refuse() { # CODE TEXT COMMAND...
  code=$1 text=$2; shift 2
  "$@" >"$work/out" 2>"$work/err"; got=$?
  [ "$got" -eq "$code" ] || say "exit $got, not $code: $*"
  grep -q "$text" "$work/err" || say "no \"$text\" in: $(cat "$work/err")"
}
refuse 64 'which experiment' "$sw" repro
refuse 64 'did you mean parsing' "$sw" repro parsin
refuse 64 'repro --list names them' "$sw" repro T99
refuse 64 'repro parsing --list shows its rows' "$sw" repro parsing --row nothing-like-it
# A verifier is checked also where the rows asked name their own and do not take it.
refuse 64 'no such verifier' "$sw" repro verifier-swap --row oracle --instances 1 --out "$work/none" --verifier nonsense --progress none
refuse 64 'no such verifier' "$sw" repro parsing --row ssa $small --out "$work/none" --verifier nonsense
refuse 64 'no row `sa`' "$sw" repro parsing --row sa
refuse 64 'name=value' "$sw" repro parsing --row ssa --traces 40 --out "$work/all" --train steps --progress none
refuse 64 'is below' "$sw" repro parsing --row ssa --out "$work/none" --train steps=-1 --progress none
refuse 64 'name=value' "$sw" repro parsing --row ssa --out "$work/none" --measure states --progress none
[ -e "$work/none" ] && say "work was begun with options that cannot be meant"
refuse 64 'step' "$sw" repro parsing --row ssa --traces 40 --out "$work/all" --train stepz=1 --progress none
refuse 66 'nothing is kept' "$sw" repro blocks-5 $small --out "$work/whole" --check
# What the traces say without a model is what the probe says of the same traces, in the mean over five sets.
STATEWISE_RESULTS="$work/results" "$sw" repro history-irrelevance --row features --traces 60 --out "$work/traces" --json --progress none \
  >"$work/traces.json" 2>"$work/err" || say "the linear test on traces failed: $(cat "$work/err")"
for seed in 42 123 456 789 2024; do
  "$sw" gen sat --preset release --n 50 --count 60 --seed $seed -o "$work/set.safetensors" --progress none >/dev/null 2>&1 &&
    "$sw" probe history --data "$work/set.safetensors" --samples 0 --block-number --seed $seed --json
done >"$work/sets.json"
"$python" - "$work" <<'P' || say "the linear test on traces is not that of the probe"
import json, sys
cells = {c["column"]: c for c in json.load(open(sys.argv[1] + "/traces.json"))["cells"]}
sets = [json.loads(line) for line in open(sys.argv[1] + "/sets.json")]
assert len(sets) == 5
for column, part in (("features of the state", "state"), ("features of state and history", "state_and_history")):
    mean = sum(s[part]["accuracy"] for s in sets) / 5
    cell = cells[column]
    assert abs(cell["value"] - mean) < 1e-12, (column, cell["value"], mean)
    spread = (sum((s[part]["accuracy"] - mean) ** 2 for s in sets) / 4) ** 0.5
    half = 2.7764451051977987 * spread / 5 ** 0.5  # Student, four degrees of freedom
    assert spread > 0 and abs(cell["high"] - cell["low"] - 2 * half) < 1e-9, (cell, half)
P
# What is kept is printed without making anything.
"$sw" repro parsing --kept --out "$work/nothing" >"$work/kept" 2>"$work/err" || say "--kept: $(cat "$work/err")"
grep -q '59.5 ± 38.5' "$work/kept" || say "--kept prints no table: $(cat "$work/kept")"
[ -e "$work/nothing" ] && say "--kept makes something"
refuse 66 'nothing is kept' "$sw" repro blocks-5 --kept
# Answers without a number prove nothing, and what they say of themselves reaches no terminal as it is.
sed -i 's/"figures": *{.*/"figures": {}}/' "$work"/results/answers/*.jsonl
refuse 66 'nothing is kept' "$sw" repro parsing $small --out "$work/again" --check
printf '{"subject": "\\u001b[2J"}\n' >>"$work/results/subjects.jsonl"
refuse 65 'subjects.jsonl:' "$sw" repro parsing --kept
grep -q "$(printf '\033')" "$work/err" && say "an escape sequence of a kept file reaches the terminal"
exit $bad
