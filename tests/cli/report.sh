#!/bin/sh
# A report of a small directory: the page stands alone (no address, no script,
# no unclosed element), its figures are there, the tables hold what the store
# holds, CSV counts agree, it is the same when made again, and each way it can
# fail says so.
set -u
sw=$BUILD/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
dir=$work/runs
command -v gnuplot >/dev/null || { echo "gnuplot is not installed"; exit 77; }

"$sw" quickstart --out "$dir" --steps 4 --instances 12 --states 30 --progress none >"$work/table" 2>"$work/err" ||
  { echo "quickstart failed"; cat "$work/err"; exit 1; }
make_report() { "$sw" report "$dir" --viable 24 --conflicts 12 --states 40 --progress none "$@"; }
make_report >"$work/out" 2>"$work/err" || { echo "report failed: $(cat "$work/err")"; exit 1; }
page=$dir/report/index.html
[ "$(cat "$work/out")" = "$page" ] || say "printed: $(cat "$work/out")"

# The page asks nobody for anything.
grep -n 'http\|//[a-z]\|<script[^>]*src\|<link\|<img\|@import\|url(' "$page" && say "above: the page points outside"
grep -o 'href="[^"#]*"' "$page" | sed 's/href="//; s/"//' | while read -r file; do
  [ -s "$dir/report/$file" ] || echo "the page names $file, which is not there"
done | grep . && bad=1
for id in figure-solve figure-depth figure-loss figure-reliability masks search tables; do
  grep -q "id=\"$id\"" "$page" || say "the page has no $id"
done
for tag in html body section figure svg table div p g; do
  open=$(grep -o "<$tag[ >]" "$page" | wc -l) close=$(grep -o "</$tag>" "$page" | wc -l)
  [ "$open" -eq "$close" ] || say "<$tag>: $open opened, $close closed"
done
grep -q 'prefers-color-scheme:dark' "$page" || say "no dark style"
grep -q '@media print' "$page" || say "no print style"
grep -c 'rgb(' "$page" | grep -qx 0 || say "a plot keeps a fixed colour: $(grep -o 'rgb([^)]*)' "$page" | sort -u | head -3)"
ids=$(grep -o ' id=["'"'"'][^"'"'"']*' "$page" | sort)
[ "$(echo "$ids" | wc -l)" -eq "$(echo "$ids" | uniq | wc -l)" ] || say "ids twice: $(echo "$ids" | uniq -d | head -3)"

# Numbers: the table of the quickstart, the page, the CSV and the store agree.
rate=$(sed -n 's/^SSA  *\([0-9.]*\) %.*/\1/p' "$work/table")
[ -n "$rate" ] || say "no SSA row in the quickstart's table"
grep -q "<th scope=\"row\">SSA</th><td>$rate %" "$page" || say "SSA's solve rate $rate is not on the page"
grep -q "^| SSA | $rate %" "$dir/report/tables.md" || say "tables.md lacks SSA $rate"
grep -q "^SSA & $rate .% \[" "$dir/report/tables.tex" || say "tables.tex lacks SSA $rate"
[ "$(grep -c '^\\begin{table}' "$dir/report/tables.tex")" -eq "$(grep -c '^\\end{table}' "$dir/report/tables.tex")" ] || say "tables.tex is unbalanced"
[ "$(wc -l <"$dir/report/outcomes.csv")" -eq 181 ] || say "outcomes.csv: not 15 conditions of 12 instances"
[ "$(wc -l <"$dir/report/curves.csv")" -eq 9 ] || say "curves.csv: not 2 models of 4 steps"
[ "$(wc -l <"$dir/report/summary.csv")" -eq 4 ] || say "summary.csv: not three rows"
solved=$(awk -F, '$1=="SSA" && $2=="cumulative" {s+=$11} END {printf "%.1f", 100*s/12}' "$dir/report/outcomes.csv")
[ "$solved" = "$rate" ] || say "outcomes.csv says $solved, the table $rate"
for file in "$dir"/report/*.csv; do
  [ "$(sed 's/"[^"]*"/x/g' "$file" | awk -F, '{print NF}' | sort -u | wc -l)" -eq 1 ] || say "$file: rows of different length"
done

# Made again, the same bytes; and the runs are untouched.
cp -r "$dir/report" "$work/before"
make_report --json >"$work/out" 2>&1 || say "second report failed"
grep -q '"page"' "$work/out" || say "--json printed: $(cat "$work/out")"
diff -rq "$work/before" "$dir/report" || say "above: differs when made again"
find "$dir" -name '*.tmp' | grep . && say "above: temporaries are left"

# What probes leave in a directory is a page, with no run and no store in it;
# so is a directory of tree models.
"$sw" probe padding --model "$dir/ssa" --model "$dir/causal" --trials 6 --instances 4 --resamples 0 --into "$work/probes" --progress none >/dev/null 2>"$work/err" ||
  say "probe padding --into: $(cat "$work/err")"
"$sw" probe visited --model "$dir/ssa" --instances 3 --into "$work/probes" --progress none --json >"$work/visited" 2>"$work/err" ||
  say "probe visited --into: $(cat "$work/err")"
cmp -s "$work/visited" "$work/probes/visited.json" || say "visited.json is not what --json prints"
"$sw" report "$work/probes" --progress none >/dev/null 2>"$work/err" || say "report of probes: $(cat "$work/err")"
grep -q 'id="padding"' "$work/probes/report/index.html" || say "no table of padding"
grep -q '<th scope="row">SSA</th><td>6</td>' "$work/probes/report/index.html" || say "padding: not six trials of SSA"
grep -q 'id="visited"' "$work/probes/report/tables.md" "$work/probes/report/index.html" || say "no table of visited"
"$sw" gen trees --arity 4 --format simple --count 6 --exclude 6 --progress none -o "$work/k4.st" >/dev/null 2>&1
"$sw" train --data "$work/k4.st" --mask causal-noslot --d 32 --layers 1 --heads 2 --ffn 32 --batch 2 --steps 2 -o "$work/trees/k4" --progress none >/dev/null 2>&1 ||
  say "no tree model"
"$sw" report "$work/trees" --progress none >/dev/null 2>"$work/err" || say "report of tree models: $(cat "$work/err")"
grep -q 'id="training"' "$work/trees/report/index.html" || say "tree models: no table of training"
"$sw" trees "$work/trees/k4" --instances 4 --free 2 --into "$work/trees" --progress none >/dev/null 2>&1 || say "trees --into"
"$sw" report "$work/trees" --progress none >/dev/null 2>"$work/err" || say "report of trees: $(cat "$work/err")"
grep -q 'id="trees"' "$work/trees/report/index.html" || say "no table of trees"

# A label that is HTML is text, and a word that gnuplot could obey is not run.
cp -r "$dir" "$work/labelled"
"$sw" train --data "$dir/data.safetensors" --mask block-only --d 16 --layers 1 --heads 2 --slots 2 --steps 3 \
  --label '<b>&"x`touch evil`' -o "$work/labelled/odd" --progress none >/dev/null 2>&1 || say "no model with an odd label"
"$sw" report "$work/labelled" --viable 0 --states 0 --progress none >/dev/null 2>"$work/err" || say "odd label: $(cat "$work/err")"
grep -q '&lt;b&gt;&amp;&quot;x`touch evil`' "$work/labelled/report/index.html" || say "the odd label is not shown as text"
grep -q '<b>&' "$work/labelled/report/index.html" && say "the odd label is markup"
[ -e evil ] && say "the odd label was executed"

refuse() { # CODE WORD COMMAND...
  code=$1 word=$2; shift 2
  "$@" >"$work/out" 2>"$work/err"; got=$?
  [ "$got" -eq "$code" ] || say "$*: exit $got, expected $code"
  grep -q "^error: .*$word" "$work/err" || say "$*: no error with \"$word\": $(cat "$work/err")"
  grep -q '^hint: ' "$work/err" || say "$*: no hint"
}
refuse 66 'no such directory' "$sw" report "$work/absent"
refuse 66 'no such directory' "$sw" report "$page"
mkdir "$work/empty"
refuse 66 "nothing to report" "$sw" report "$work/empty"
refuse 64 'one directory' "$sw" report a b
refuse 64 'unknown option' "$sw" report --state 3
mkdir "$work/bin"
refuse 66 'gnuplot' env PATH="$work/bin" "$(realpath "$sw")" report "$dir" --progress none
cp -r "$dir" "$work/broken"
echo 'not json' >"$work/broken/ssa/transplant.json"
"$sw" report "$work/broken" --progress none >"$work/out" 2>"$work/err" && say "a broken transplant.json is no error"
grep -q '^error: .*transplant.json' "$work/err" || say "the broken file is not named: $(cat "$work/err")"
cp "$dir/ssa/transplant.json" "$work/broken/ssa/transplant.json"
echo 'not a database' >"$work/broken/results.db"
"$sw" report "$work/broken" --progress none >"$work/out" 2>"$work/err" && say "a broken store is no error"
grep -q '^error: .*results.db' "$work/err" || say "the broken store is not named: $(cat "$work/err")"
# One broken run and one of another program are left out and named.
cp "$dir/results.db" "$work/broken/results.db"
mkdir "$work/broken/torn" "$work/broken/foreign"
head -c 3000 "$dir/ssa/model.safetensors" >"$work/broken/torn/model.safetensors"
python3 - "$work/broken/foreign/model.safetensors" <<'END'
import json, struct, sys
head = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(head)) + head + bytes(4))
END
"$sw" report "$work/broken" --progress none >"$work/out" 2>"$work/err" || say "one broken run refuses all: $(cat "$work/err")"
for run in torn foreign; do
  grep -q "left out: $run (" "$work/err" || say "$run is not named: $(cat "$work/err")"
  grep -q "Left out: <code>$run</code>" "$work/broken/report/index.html" || say "the page does not name $run"
done
grep -q '^| SSA | ' "$work/broken/report/tables.md" || say "the runs beside a broken one are not reported"
mkdir "$work/only"; cp -r "$work/broken/torn" "$work/only"
"$sw" report "$work/only" --progress none >"$work/out" 2>"$work/err" && say "nothing but a broken run is no error"
rm -r "$work/broken/torn" "$work/broken/foreign"
rm "$work/broken/results.db" "$work/broken/bank.json" "$work/broken/case.json"
"$sw" report "$work/broken" --viable 0 --states 0 --progress none >"$work/out" 2>"$work/err" || say "without a store: $(cat "$work/err")"
[ -e "$work/broken/case.json" ] && say "--states 0 asked states"
[ -e "$work/broken/bank.json" ] && say "--viable 0 asked states"
grep -q 'id="search"' "$work/broken/report/index.html" && say "a search that nobody looked for"
grep -q 'No searches were played' "$work/broken/report/index.html" || say "the page does not say that nothing was played"
grep -q 'id="figure-reliability"' "$work/broken/report/index.html" && say "a figure without data"
exit $bad
