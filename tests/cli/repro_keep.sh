#!/bin/sh
# repro --keep grows results/: rows and seeds made one by one, in any order and
# by runs that know nothing of each other, give what one whole run gives; killed
# between or while keeping, nothing that was kept is lost; what was made again
# replaces; what one table asked stands in others; what cannot be mixed is told.
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
kept() { STATEWISE_RESULTS=$work/$1 "$sw" repro "${2:-coloring-30}" --kept --json 2>"$work/kept.err"; }
# All but who made it and how long it took.
cells() { kept "$1" | "$python" -c '
import json, sys
d = json.load(sys.stdin)
for m in ("made_by", "command", "seconds", "date"): d.pop(m)
for list in [d["models"]] + [c["values"] for c in d["cells"] if c["unit"] != "s"]:
    for item in list: item.pop("by")
d["cells"] = [c for c in d["cells"] if c["unit"] != "s"]
print(json.dumps(d, indent=0))'; }
same() { # WHAT PLACE PLACE
  cells "$2" >"$work/a"; cells "$3" >"$work/b"
  [ -s "$work/a" ] && cmp -s "$work/a" "$work/b" || say "$1: the cells differ: $(diff "$work/a" "$work/b" | head -4)"
}
state() { # PLACE ID STATE
  STATEWISE_RESULTS=$1 "$sw" repro "$2" --list --json | grep -q "\"state\": *\"$3\"" || say "$2 in $1 is not $3"
}

keep whole --seeds 2
grep -q '"each": *"[01]\{12\}"' "$work"/whole/answers/coloring30-ssa-42-*.jsonl || say "single instances are not kept"
keep one --row ssa --seeds 2
cp -r "$work/one" "$work/first"
kept one | grep -q '"state": *"not run"' || say "a row that was not run is not said to be missing"
state "$work/one" coloring-30 partial
# A table with a number in every cell is whole only with all its seeds.
if [ -d results/answers ]; then
  cp -r results "$work/seeds"
  state "$work/seeds" bootstrap kept
  rm "$work"/seeds/answers/*-456-*.jsonl
  state "$work/seeds" bootstrap partial
fi
keep one --row causal --seed 42 --seeds 1
keep one --row causal --seed 123 --seeds 1
same "row by row" whole one
keep two --seed 123 --seeds 1
keep two --row causal --seed 42 --seeds 1
keep two --row ssa --seed 42 --seeds 1
same "the other way round" whole two
for command in '--row causal --seed 42 --seeds 1' '--seed 123 --seeds 1'; do
  grep -q "\"command\": *\"statewise repro coloring-30 --scale small $command" "$work/two/origins.jsonl" || say "no command $command"
done
grep -q '"counting": *[0-9]' "$work/first/origins.jsonl" || say "the version of counting is not kept"
# Again and again: no answer changes, and a line is an answer.
cp -r "$work/two" "$work/before"
keep two --row ssa --seed 42 --seeds 1
for file in "$work"/before/answers/coloring30-*; do
  sed 's/"\(train_\)\{0,1\}seconds": *{[^}]*}//g' "$file" >"$work/a"
  sed 's/"\(train_\)\{0,1\}seconds": *{[^}]*}//g' "$work/two/answers/${file##*/}" >"$work/b"
  cmp -s "$work/a" "$work/b" || say "keeping the same again changes ${file##*/}: $(diff "$work/a" "$work/b" | head -c 400)"
done
LC_ALL=C sort -c "$work/two/subjects.jsonl" 2>"$work/err" || say "subjects are not sorted: $(cat "$work/err")"

# Two at once, and killed at moments of the way: what was kept stays.
cp -r "$work/first" "$work/three"
for pause in 0.02 0.06 0.1 0.15 0.25; do
  STATEWISE_RESULTS=$work/three "$sw" repro coloring-30 --row causal --seeds 2 $small --out "$work/out" --keep >/dev/null 2>&1 & pid=$!
  sleep $pause; kill -KILL "$pid" 2>/dev/null; wait "$pid" 2>/dev/null
  cells three >"$work/a"; cells first >"$work/b"
  cmp -s "$work/a" "$work/b" || { same "killed after $pause s" whole three; rm -r "$work/three"; cp -r "$work/first" "$work/three"; }
done
keep three --row causal --seed 42 --seeds 1 & one=$!
keep three --row causal --seed 123 --seeds 1
wait $one
same "two at once" whole three
# Killed between its files: answers that no table takes yet, and nothing less.
cp -r "$work/first" "$work/between"
cp "$work"/whole/answers/* "$work/between/answers/"; cp "$work/whole/origins.jsonl" "$work/between/"
cells between >"$work/a" && [ -s "$work/a" ] || say "half a commit cannot be read: $(cat "$work/kept.err")"
keep between --row causal --seeds 2
same "after half a commit" whole between

# A changed number is replaced by what is made now, and --check looks at that alone.
export STATEWISE_RESULTS=$work/two
sed -i 's/\("solve_rate": *{"value": *\)[0-9.e-]*/\10.123/' "$work"/two/answers/coloring30-ssa-42-*.jsonl
cells two | grep -q '0.123' || say "the test did not change a number"
"$sw" repro coloring-30 $small --row causal --seeds 1 --out "$work/out" --check >"$work/check" 2>"$work/err" || say "--check of another row: $(cat "$work/err")"
grep -q '(17 compared)' "$work/check" || say "--check said $(cat "$work/check")"
"$sw" repro coloring-30 $small --row ssa --seeds 1 --out "$work/out" --check >"$work/check" 2>"$work/err" && say "a changed number passes --check"
keep two --row ssa --seeds 1
same "replaced" whole two

# A recipe that has changed since: shown, told, to be made again; the old answers stay.
sed -i 's/"train": *"mask=causal"/"train": "mask=causal lr=1"/' "$work/two/subjects.jsonl"
"$sw" repro --pages >/dev/null 2>"$work/err" || say "--pages: $(cat "$work/err")"
grep -q 'coloring30-causal-42-.* is stale: its train has changed since' "$work/err" || say "a changed recipe is not told: $(cat "$work/err")"
grep -q 'coloring-30.*older settings' "$work/two/index.md" || say "the index counts what is stale"
"$sw" repro --all coloring-30 $small --list --seeds 2 | grep -q 'causal' || say "what is stale is not to be made again"
keep two --row causal --seeds 2
same "made again" whole two
# A preset is what it sets, not its name.
sed -i 's/"preset_hash": *"[0-9a-f]*"/"preset_hash": "0123456789abcdef"/g' "$work/two/subjects.jsonl"
"$sw" repro --pages >/dev/null 2>"$work/err"
grep -q 'its preset has changed since' "$work/err" || say "a changed preset is not told: $(cat "$work/err")"
# Pages change nothing that is kept.
cp -r "$work/whole" "$work/again"
STATEWISE_RESULTS=$work/again "$sw" repro --pages >/dev/null 2>"$work/err" || say "--pages: $(cat "$work/err")"
rm "$work"/again/*.md
diff -r "$work/whole" "$work/again" >/dev/null || say "--pages changes what is kept"
# One scale a table.
cp -r "$work/whole" "$work/scale"
sed -i 's/\("table": *"coloring-30", *"scale": *\)"small"/\1"paper"/' "$work/scale/subjects.jsonl"
keep scale --row causal --seeds 2
grep -q 'their scale is paper' "$work/err" || say "another scale is not told: $(cat "$work/err")"

# A shipped model: its weights are on record, and when the file has others by
# now the row is to be made again.
export STATEWISE_RESULTS=$work/shipped
models=$(realpath "$(dirname "$0")/../../models")
shipped() { STATEWISE_MODELS=$work/models "$sw" repro "$@"; }
mkdir -p "$work/shipped" "$work/models"
cp "$models/blocks.safetensors" "$models/parsing.safetensors" "$models/sat.safetensors" "$work/models/"
few="--instances 2 --out $work/out --progress none --threads 1"
shipped shipped --row blocks-5 $few --keep >/dev/null 2>"$work/err" || say "shipped: $(cat "$work/err")"
grep -q '"shipped": *"blocks", *"weights": *"[0-9a-f]\{16\}"' "$work/shipped/subjects.jsonl" || say "no weights of a shipped model on record"
shipped --all shipped --row blocks-5 --instances 2 --list | grep -q '^0 parts' || say "a kept row of a shipped model is to be made again"
sed -i '/"shipped": *"blocks"/s/"weights": *"[0-9a-f]*"/"weights": "0123456789abcdef"/' "$work/shipped/subjects.jsonl"
shipped --all shipped --row blocks-5 --instances 2 --list | grep -q 'shipped: blocks-5' || say "other weights of a shipped model go unnoticed"
shipped shipped --row parsing $few --keep >/dev/null 2>"$work/err" || say "shipped parsing: $(cat "$work/err")"
shipped --all shipped --row parsing --instances 2 --list | grep -q '^0 parts' || say "another row of a shipped model is to be made again"
# What an experiment only draws follows from where it is kept, and is planned nowhere else.
shipped corruption --row fp-0 --instances 1 --seeds 1 --out "$work/out" --progress none --threads 1 --keep >/dev/null 2>"$work/err" ||
  say "corruption: $(cat "$work/err")"
shipped --all corruption-asymmetry --list | grep -q '^0 parts' || say "what is drawn from another is planned too"
for name in corruption corruption-asymmetry; do
  kept shipped $name | grep -o '"row": *"fp-0", *"label[^}]*"values": *\[{[^}]*}' | sed 's/"agrees": *[a-z]*//; s/"by".*//' >"$work/$name.cells"
done
[ -s "$work/corruption.cells" ] && cmp -s "$work/corruption.cells" "$work/corruption-asymmetry.cells" || say "what is drawn is not what is kept"
kept shipped corruption | grep -q '"agrees": *true' || say "the table is not judged"
kept shipped corruption-asymmetry | grep -q '"agrees": *\(true\|false\)' && say "the figure judges the table again"
if command -v gnuplot >/dev/null; then
  shipped --pages --site "$work/site" >/dev/null 2>"$work/err" || say "--pages: $(cat "$work/err")"
  grep -q 'judged in <a href="corruption.html">' "$work/site/corruption-asymmetry.html" || say "its page does not say where the numbers are judged"
  # Counters of an older version: said, and not judged.
  grep -q 'counted by version' "$work/site/corruption.html" && say "a run of today counts as an older one"
  sed -i 's/, *"counting": *[0-9]*//' "$work/shipped/origins.jsonl"
  sed -i 's/"by": *"[0-9a-f]*"/"by": "00000000"/' "$work"/shipped/answers/shipped-sat-*.jsonl
  shipped --pages --site "$work/site" >/dev/null 2>"$work/err"
  grep -q 'of 1 of 1 runs were counted by version 3' "$work/site/corruption.html" || say "the page does not say how it was counted"
fi

# Other sizes: refused, nothing is lost.
export STATEWISE_RESULTS=$work/whole
cp -r "$work/whole" "$work/refused"
"$sw" repro coloring-30 $small --instances 6 --row ssa --seeds 1 --out "$work/out" --keep >/dev/null 2>"$work/err"
[ $? -eq 64 ] || say "values of other sizes are mixed"
grep -q 'instances=12' "$work/err" || say "it does not say which: $(cat "$work/err")"
diff -r "$work/refused" "$work/whole" >/dev/null || say "the refused run changed what is kept"

# Values without single instances count; a new seed comes to them.
cp -r "$work/whole" "$work/bare"
sed -i 's/, *"each": *"[^"]*"//g' "$work"/bare/answers/coloring30-*.jsonl
keep bare --row causal --seed 456 --seeds 1
kept bare | "$python" -c '
import json, sys
cell = next(c for c in json.load(sys.stdin)["cells"] if (c["row"], c["column"]) == ("causal", "decisions, cumulative"))
half = 4.302653 * cell["sd"] / 3 ** .5
assert cell["seeds"] == 3 and cell["sd"] > 0, cell
assert abs(cell["value"] - half - cell["low"]) < 1e-4 and abs(cell["value"] + half - cell["high"]) < 1e-4, cell' ||
  say "not Student's interval over old seeds and a new one"

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
# What one table asked of a model and seed stands in another; other sizes are another question.
export STATEWISE_RESULTS=$work/share
share() { "$sw" repro --all bootstrap --row coloring-causal --seeds 1 --out "$work/none" "$@"; }
"$sw" repro slots --row coloring-causal --seeds 1 $small --out "$work/out" --keep >/dev/null 2>"$work/err" || say "slots: $(cat "$work/err")"
share $small --list | grep -q '^0 parts' || say "what another table asked is planned: $(share $small --list)"
share --list | grep -q 'bootstrap: coloring-causal' || say "other sizes count as asked"
share $small --instances 6 --list | grep -q 'bootstrap: coloring-causal' || say "another number of instances counts as asked"
share $small >/dev/null 2>"$work/err" || say "--all of what another keeps: $(cat "$work/err")"
[ -e "$work/none" ] && say "--all made what another table asked"
"$sw" repro --all no-such >/dev/null 2>"$work/err" && say "--all takes any name"
# What is damaged is told with its place, and stays.
printf '{"of": "x"\n' >"$work/share/answers/x.jsonl"
"$sw" repro --list >/dev/null 2>"$work/err" && say "damage is not told"
grep -q 'answers/x.jsonl:1: ' "$work/err" || say "damage without its place: $(cat "$work/err")"
exit $bad
