#!/bin/sh
# repro --keep grows a table: rows and seeds made one by one, in any order and
# by runs that know nothing of each other, give what one whole run gives; killed
# between or while keeping, nothing that was kept is lost; what was made again
# replaces; what cannot be mixed is left out or refused, and said.
set -u
sw=$(realpath "$BUILD")/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
. tests/find_python.sh
say() { echo "$*"; bad=1; }
small="--traces 24 --instances 12 --progress none --threads 1 --train until=steps --train steps=2 --train d=16 --train layers=1 --train heads=2 --train batch=2"
# keep PLACE OPTIONS...: adds to the results of PLACE; every run trains anew
keep() {
  place=$1; shift
  STATEWISE_RESULTS=$work/$place "$sw" repro coloring-30 $small --out "$work/out" --keep "$@" >/dev/null 2>"$work/err" ||
    say "$place, $*: $(cat "$work/err")"
}
# cells FILE: all but who made it
cells() { sed 's/"by": *[0-9]*//g; s/"made_by".*//' "$1"; }
same() { # WHAT FILE FILE
  cells "$2" >"$work/a"; cells "$3" >"$work/b"
  cmp -s "$work/a" "$work/b" || say "$1: the cells differ"
}

keep whole --seeds 2
grep -q '"each": *"[01]\{12\}"' "$work/whole/coloring-30.json" || say "single instances are not kept"
keep one --row ssa --seeds 2
cp "$work/one/coloring-30.json" "$work/first"
grep -q '"state": *"not run"' "$work/first" || say "a row that was not run is not said to be missing"
STATEWISE_RESULTS=$work/one "$sw" repro --list --json | grep -q '"id": *"coloring-30", *"place": *"[^"]*", *"state": *"partial"' || say "half a table is not partial"
# A table with a number in every cell is whole only with all its seeds: one model a row of the three that bootstrap has.
mkdir "$work/seeds"
"$python" - "$work/seeds" <<'P'
import json, sys
kept = json.load(open("results/bootstrap.json"))
for seeds in (1, 3):
    for cell in kept["cells"]:
        cell["state"], cell["seeds"] = "done", seeds
    json.dump(kept, open(f"{sys.argv[1]}/{seeds}.json", "w"))
P
for case in "1 partial" "3 kept"; do
  set -- $case
  cp "$work/seeds/$1.json" "$work/seeds/bootstrap.json"
  STATEWISE_RESULTS=$work/seeds "$sw" repro bootstrap --list --json | grep -q "\"state\": *\"$2\"" || say "bootstrap with $1 of three seeds is not $2"
done
keep one --row causal --seed 42 --seeds 1
keep one --row causal --seed 123 --seeds 1
same "row by row" "$work/whole/coloring-30.json" "$work/one/coloring-30.json"
keep two --seed 123 --seeds 1
keep two --row causal --seed 42 --seeds 1
keep two --row ssa --seed 42 --seeds 1
same "the other way round" "$work/whole/coloring-30.json" "$work/two/coloring-30.json"
cmp -s "$work/one/coloring-30.json" "$work/two/coloring-30.json" && say "who made it is not told"
for command in '--row causal --seed 42 --seeds 1' '--seed 123 --seeds 1'; do
  grep -q "\"command\": *\"statewise repro coloring-30 --scale small $command" "$work/two/coloring-30.json" || say "no command $command"
done
# What its counters mean is told of each run; of one that did not know, nothing.
grep -q '"counting": *[0-9]' "$work/first" || say "the version of counting is not kept"
mkdir -p "$work/counted"; sed 's/, "counting": *[0-9]*//' "$work/first" >"$work/counted/coloring-30.json"
keep counted --row causal --seed 42 --seeds 1
[ "$(grep -o '"counting"' "$work/counted/coloring-30.json" | wc -l)" = 1 ] || say "an older run counts as of today"
# Again and again: the same, with the same origins.
cp "$work/two/coloring-30.json" "$work/before"
keep two --row ssa --seed 42 --seeds 1
sed 's/"seconds": *[0-9.e+-]*//g; s/"date": *"[^"]*"//g' "$work/before" >"$work/a"
sed 's/"seconds": *[0-9.e+-]*//g; s/"date": *"[^"]*"//g' "$work/two/coloring-30.json" >"$work/b"
cmp -s "$work/a" "$work/b" || say "keeping the same again changes the file"

# Two at once, and killed at moments of the way: what was kept stays.
mkdir -p "$work/three"; cp "$work/first" "$work/three/coloring-30.json"
for pause in 0.02 0.06 0.1 0.15 0.25; do
  STATEWISE_RESULTS=$work/three "$sw" repro coloring-30 --row causal --seeds 2 $small --out "$work/out" --keep >/dev/null 2>&1 & pid=$!
  sleep $pause; kill -KILL "$pid" 2>/dev/null; wait "$pid" 2>/dev/null
  cmp -s "$work/three/coloring-30.json" "$work/first" || { same "killed after $pause s" "$work/whole/coloring-30.json" "$work/three/coloring-30.json"; cp "$work/first" "$work/three/coloring-30.json"; }
done
keep three --row causal --seed 42 --seeds 1 & one=$!
keep three --row causal --seed 123 --seeds 1
wait $one
same "two at once" "$work/whole/coloring-30.json" "$work/three/coloring-30.json"

# A changed number is replaced by what is made now, and --check looks at that alone.
export STATEWISE_RESULTS=$work/two
sed -i 's/\("row": *"ssa", *"label"[^]]*"values": *\[{"seed": *42, *"value": *\)[0-9.e-]*/\10.123/' "$work/two/coloring-30.json"
grep -q '0.123' "$work/two/coloring-30.json" || say "the test did not change a number"
"$sw" repro coloring-30 $small --row causal --seeds 1 --out "$work/out" --check >"$work/check" 2>"$work/err" || say "--check of another row: $(cat "$work/err")"
grep -q '(17 compared)' "$work/check" || say "--check said $(cat "$work/check")"
"$sw" repro coloring-30 $small --row ssa --seeds 1 --out "$work/out" --check >"$work/check" 2>"$work/err" && say "a changed number passes --check"
keep two --row ssa --seeds 1
same "replaced" "$work/whole/coloring-30.json" "$work/two/coloring-30.json"

# Settings that are others by now: left out, and said.
sed -i 's/\("title": *"state-rebuilt", *"source": *"search", *"settings": *"\)[^"]*/\1loop=masked tokens=1/' "$work/two/coloring-30.json"
keep two --row ssa --seeds 1
grep -q 'row causal, column state-rebuilt are left out: its settings' "$work/err" || say "a changed column is not told: $(cat "$work/err")"
keep two --row ssa --seeds 1
[ -s "$work/err" ] && say "left out twice: $(cat "$work/err")"
cp "$work/whole/coloring-30.json" "$work/two/coloring-30.json"
sed -i 's/"train": *"mask=causal"/"train": "mask=causal lr=1"/' "$work/two/coloring-30.json"
keep two --row ssa --seeds 2
grep -q 'row causal are left out: its train' "$work/err" || say "a changed recipe is not told: $(cat "$work/err")"
# A preset is what it sets, not its name.
sed 's/"preset_hash": *"[0-9a-f]*"/"preset_hash": "0123456789abcdef"/g' "$work/whole/coloring-30.json" >"$work/two/coloring-30.json"
keep two --row ssa --seed 42 --seeds 1
grep -q 'row causal are left out: its preset' "$work/err" || say "a changed preset is not told: $(cat "$work/err")"
# Summed up anew, nothing changes; where something would go, the file stays.
cp -r "$work/whole" "$work/again"
STATEWISE_RESULTS=$work/again "$sw" repro --pages >/dev/null 2>"$work/err" || say "--pages: $(cat "$work/err")"
cmp -s "$work/whole/coloring-30.json" "$work/again/coloring-30.json" || say "summed up anew the file differs"
sed 's/"preset_hash": *"[0-9a-f]*"/"preset_hash": "0123456789abcdef"/g' "$work/whole/coloring-30.json" >"$work/again/coloring-30.json"
cp "$work/again/coloring-30.json" "$work/before"
STATEWISE_RESULTS=$work/again "$sw" repro --pages >/dev/null 2>"$work/err" || say "--pages: $(cat "$work/err")"
grep -q 'coloring-30: settings have changed' "$work/err" || say "--pages does not tell: $(cat "$work/err")"
cmp -s "$work/before" "$work/again/coloring-30.json" || say "--pages left something out"
sed -i 's/"scale": *"small"/"scale": "paper"/' "$work/two/coloring-30.json"
keep two --row causal --seeds 2
grep -q 'their scale is paper' "$work/err" || say "another scale is not told: $(cat "$work/err")"
keep two --row ssa --seeds 2
same "after all that" "$work/whole/coloring-30.json" "$work/two/coloring-30.json"
# A shipped model: its weights are on record, and when the file has others by
# now the row is to be made again.
export STATEWISE_RESULTS=$work/shipped
models=$(realpath "$(dirname "$0")/../../models")
shipped() { STATEWISE_MODELS=$work/models "$sw" repro "$@"; }
mkdir -p "$work/shipped" "$work/models"
cp "$models/blocks.safetensors" "$models/parsing.safetensors" "$work/models/"
shipped shipped --row blocks-5 --instances 2 --out "$work/out" --progress none --threads 1 --keep >/dev/null 2>"$work/err" ||
  say "shipped: $(cat "$work/err")"
grep -q '"shipped": *"blocks", *"seed": *0, *"weights": *"[0-9a-f]\{16\}"' "$work/shipped/shipped.json" || say "no weights of a shipped model on record"
shipped --all shipped --row blocks-5 --list | grep -q '^0 parts' || say "a kept row of a shipped model is to be made again"
sed -i 's/"weights": *"[0-9a-f]*"/"weights": "0123456789abcdef"/' "$work/shipped/shipped.json"
shipped --all shipped --row blocks-5 --list | grep -q 'shipped: blocks-5' || say "other weights of a shipped model go unnoticed"
shipped shipped --row parsing --instances 2 --out "$work/out" --progress none --threads 1 --keep >/dev/null 2>"$work/err"
grep -q 'row blocks-5 are left out: its weights' "$work/err" || say "other weights are mixed: $(cat "$work/err")"
shipped --all shipped --row parsing --list | grep -q '^0 parts' || say "another row of a shipped model is to be made again"
sed -i 's/"models": *\[[^]]*\]/"models": []/' "$work/shipped/shipped.json"
shipped --all shipped --row parsing --list | grep -q 'shipped: parsing' || say "a row of a shipped model that names no weights passes as of today's"
# What an experiment only draws follows from where it is kept, and is planned nowhere else.
cp "$models/sat.safetensors" "$work/models/"
shipped corruption --row fp-0 --instances 1 --seeds 1 --out "$work/out" --progress none --threads 1 --keep >/dev/null 2>"$work/err" ||
  say "corruption: $(cat "$work/err")"
shipped --all corruption-asymmetry --list | grep -q '^0 parts' || say "what is drawn from another is planned too"
if command -v gnuplot >/dev/null; then
  shipped --pages --site "$work/site" >/dev/null 2>"$work/err" || say "--pages: $(cat "$work/err")"
  for name in corruption corruption-asymmetry; do
    grep -o '"row": *"fp-0", *"label[^}]*"values": *\[{[^}]*}' "$work/shipped/$name.json" | sed 's/"agrees": *[a-z]*//; s/"by".*//' >"$work/$name.cells"
  done
  [ -s "$work/corruption.cells" ] && cmp -s "$work/corruption.cells" "$work/corruption-asymmetry.cells" || say "what is drawn is not what is kept"
  grep -q '"agrees": *true' "$work/shipped/corruption.json" || say "the table is not judged"
  grep -q '"agrees": *\(true\|false\)' "$work/shipped/corruption-asymmetry.json" && say "the figure judges the table again"
  grep -q 'judged in <a href="corruption.html">' "$work/site/corruption-asymmetry.html" || say "its page does not say where the numbers are judged"
  # Counters of an older version: said, and not judged.
  grep -q 'counted by version' "$work/site/corruption.html" && say "a run of today counts as an older one"
  sed -i 's/, *"counting": *[0-9]*//' "$work/shipped/corruption.json"
  shipped --pages --site "$work/site" >/dev/null 2>"$work/err"
  grep -q 'of 1 of 1 runs were counted by version 3' "$work/site/corruption.html" || say "the page does not say how it was counted"
fi

# Other sizes: refused, nothing is lost.
export STATEWISE_RESULTS=$work/two
cp "$work/two/coloring-30.json" "$work/before"
"$sw" repro coloring-30 $small --instances 6 --row ssa --seeds 1 --out "$work/out" --keep >/dev/null 2>"$work/err"
[ $? -eq 64 ] || say "values of other sizes are mixed"
grep -q 'instances=12' "$work/err" || say "it does not say which: $(cat "$work/err")"
cmp -s "$work/before" "$work/two/coloring-30.json" || say "the refused run changed the kept file"

# A file of before, without single instances and with one maker: its values
# count (their intervals are over the seeds alone: repro/test_cells).
export STATEWISE_RESULTS=$work/old
mkdir -p "$work/old"
over=$(grep -o '"over": *"[^"]*"' "$work/whole/coloring-30.json" | head -1)
sed "s/, \"each\": *\"[^\"]*\"//g; s/, \"by\": *[0-9]*//g; s/\"rows\": *\[[^]]*\], //; s/\"made_by\": *\[[^]]*\]/$over/" \
  "$work/whole/coloring-30.json" >"$work/old/coloring-30.json"
grep -q '"each"\|"by"\|"rows"\|made_by' "$work/old/coloring-30.json" && say "the test's old file is not old"
keep old --row ssa --seeds 2
[ -s "$work/err" ] && say "an old file: $(cat "$work/err")"
numbers() { grep -o '"\(value\|sd\|seeds\|instances\)": *[0-9.e-]*' "$1" | grep -v '"value": *$'; }
numbers "$work/whole/coloring-30.json" >"$work/a"; numbers "$work/old/coloring-30.json" >"$work/b"
diff "$work/a" "$work/b" >"$work/diff" || say "an old file's numbers changed: $(head -3 "$work/diff")"
# Another seed comes to values without instances: Student's interval of all.
keep old --row causal --seed 456 --seeds 1
cell=$(sed 's/.*"row": *"causal", *"label": *"[^"]*", *"column": *"decisions, cumulative"//; s/"values".*//' "$work/old/coloring-30.json")
echo "$cell" | grep -q '"seeds": *3' || say "the new seed did not come to the old ones: $cell"
echo "$cell" | grep -o '"\(value\|sd\|low\|high\)": *[0-9.e-]*' | sed 's/.*: *//' | tr '\n' ' ' | awk '
  NF != 4 { exit 1 }
  { half = 4.302653 * $2 / sqrt(3); a = $1 - half - $3; b = $1 + half - $4; exit !($2 > 0 && a * a + b * b < 1e-8) }' ||
  say "not Student's interval: $cell"

# All that is missing: models that two tables share are trained once, what is
# kept is not made again, and a killed campaign goes on.
export STATEWISE_RESULTS=$work/all
both="repro --all coloring-30 coloring-budget $small --seeds 1 --out $work/campaign"
all() { "$sw" $both "$@"; }
mkdir -p "$work/all"
all --list >"$work/plan" || say "--all --list"
grep -q '^coloring30-ssa, seed 42: .* 2 tables' "$work/plan" || say "the plan does not share models: $(cat "$work/plan")"
[ "$(all --list --json | grep -o '"experiment"' | wc -l)" -eq 4 ] || say "not four parts: $(cat "$work/plan")"
all --row causal --list | grep -q 'ssa' && say "--row does not choose rows of --all"
all --row nobody --list >/dev/null 2>"$work/err" && say "--all of a row that none has"
grep -q 'row `nobody`' "$work/err" || say "the unknown row is not named: $(cat "$work/err")"
for pause in 0.05 0.1 0.2; do
  "$sw" $both >/dev/null 2>&1 & pid=$!
  sleep $pause; kill -KILL "$pid" 2>/dev/null; wait "$pid" 2>/dev/null
done
all >/dev/null 2>"$work/err" || say "--all: $(cat "$work/err")"
[ "$(find "$work/campaign/models" -name model.safetensors | wc -l)" -eq 2 ] || say "--all did not train two models"
"$sw" repro coloring-30 $small --seeds 1 --out "$work/campaign" --check >/dev/null 2>"$work/err" || say "--all kept others: $(cat "$work/err")"
rm -r "$work/campaign" # weights are gone; the results are there
all >/dev/null 2>"$work/err" || say "--all again: $(cat "$work/err")"
[ -e "$work/campaign" ] && say "--all made again what is kept"
all --list | grep -q '^0 parts' || say "something is left: $(all --list)"
rm "$work/all/coloring-budget.json"
all --list >"$work/plan"
grep -q 'coloring-30:' "$work/plan" && say "what is kept is planned again"
all >/dev/null 2>"$work/err" || say "--all, the other table: $(cat "$work/err")"
[ -s "$work/all/coloring-budget.json" ] || say "the missing table was not made"
# What another table keeps of the same model and seed is taken from there: a
# look writes nothing, and sizes that differ are another question.
export STATEWISE_RESULTS=$work/share
share() { "$sw" repro --all bootstrap --row coloring-causal --seeds 1 --out "$work/none" "$@"; }
"$sw" repro slots --row coloring-causal --seeds 1 $small --out "$work/out" --keep >/dev/null 2>"$work/err" || say "slots: $(cat "$work/err")"
share $small --list | grep -q '^0 parts' || say "what another table keeps is planned: $(share $small --list)"
share --list | grep -q 'bootstrap: coloring-causal' || say "other sizes are taken over"
share $small --instances 6 --list | grep -q 'bootstrap: coloring-causal' || say "another number of instances is taken over"
[ -e "$work/share/bootstrap.json" ] && say "--list wrote a file"
share $small >/dev/null 2>"$work/err" || say "--all of what another keeps: $(cat "$work/err")"
grep -qx 'bootstrap: coloring-causal, seed 42 as kept in slots' "$work/err" || say "it does not say where from: $(cat "$work/err")"
[ -e "$work/none" ] && say "--all made what another table keeps"
one() { grep -o '"row": *"coloring-causal", *"label.*"values": *\[{[^}]*}' "$work/share/$1.json" | sed 's/.*"values"//'; }
[ -n "$(one slots)" ] && [ "$(one slots)" = "$(one bootstrap)" ] || say "another value came: $(one slots), $(one bootstrap)"
grep -q '"made_by": *\[{"command": *"statewise repro slots ' "$work/share/bootstrap.json" || say "who made it is lost"
share $small >/dev/null 2>"$work/err"
[ -s "$work/err" ] && say "taken over twice: $(cat "$work/err")"
if command -v gnuplot >/dev/null; then # --pages does so for tables with a file
  cp "$work/share/bootstrap.json" "$work/before"
  sed -i 's/"values": *\[[^]]*\]/"values": []/g; s/"models": *\[[^]]*\]/"models": []/' "$work/share/bootstrap.json"
  "$sw" repro --pages >/dev/null 2>"$work/err" || say "--pages: $(cat "$work/err")"
  grep -q 'bootstrap: coloring-causal, seed 42 as kept in slots' "$work/err" || say "--pages takes nothing over: $(cat "$work/err")"
  same "--pages, taken over" "$work/before" "$work/share/bootstrap.json"
fi
"$sw" repro --all no-such >/dev/null 2>"$work/err" && say "--all takes any name"
exit $bad
