#!/bin/sh
# A user's own experiment: 20 lines of YAML, from nothing to a page, killed on
# the way; the same in shards; over a data set of his own and an environment of
# his own; ten mistakes, each told with line and column.
set -u
sw=$(realpath "$BUILD")/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
cp examples/sweep.yaml "$work/sweep.yaml"
"$sw" repro "$work/sweep.yaml" --list --out "$work/one" >"$work/list" 2>&1 || say "--list: $(cat "$work/list")"
grep -q 'rows: ssa-5 causal-5 ssa-6 causal-6' "$work/list" || say "--list does not show the sweep: $(cat "$work/list")"
[ -e "$work/one" ] && say "--list made something"

# killed after the first model, then on from there
"$sw" repro "$work/sweep.yaml" --out "$work/one" --threads 1 --progress none >/dev/null 2>"$work/size" &
pid=$!
for i in $(seq 600); do
  [ -e "$work/one/models/ssa-5-42/run.json" ] && break
  kill -0 $pid 2>/dev/null || break
  sleep 0.05
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
grep -q 'sweep: 4 rows, 4 columns, 8 models to train' "$work/size" || say "its size is not said before: $(cat "$work/size")"
[ -e "$work/one/sweep/experiment.json" ] && say "it was through before it was killed"
first=$(stat -c %Y%i "$work/one/models/ssa-5-42/model.safetensors" 2>/dev/null)
"$sw" repro "$work/sweep.yaml" --out "$work/one" --threads 1 --progress none >"$work/table" 2>"$work/err" || say "after the kill: $(cat "$work/err")"
[ -z "$first" ] || [ "$first" = "$(stat -c %Y%i "$work/one/models/ssa-5-42/model.safetensors")" ] || say "a model that was there was trained again"
grep -q '^causal-6 *with its history' "$work/table" || say "no row causal-6: $(cat "$work/table")"
grep -q 'n=6: SSA minus causal' "$work/table" || say "no statistic"
"$sw" report "$work/one" --viable 0 --states 0 --progress none >/dev/null 2>"$work/err" || say "report: $(cat "$work/err")"
grep -q '3-SAT: two masks at two sizes' "$work/one/report/index.html" || say "the page lacks the table"
grep -q 'figure-experiment-sweep' "$work/one/report/index.html" || say "the page lacks the figure"
"$sw" repro "$work/sweep.yaml" --list --out "$work/one" | grep -q '; kept' || say "--list does not know that it is done"

# two shards, put together: the same table
for i in 1 2; do
  "$sw" repro "$work/sweep.yaml" --out "$work/two" --threads 1 --progress none --shard $i/2 >/dev/null 2>"$work/err" || say "shard $i: $(cat "$work/err")"
  [ $i = 1 ] && { "$sw" repro "$work/sweep.yaml" --out "$work/two" --merge >/dev/null 2>"$work/err"; grep -q '1 of 2 shards' "$work/err" || say "a missing shard is not told"; }
done
[ "$(ls "$work/two/models" | wc -l)" -eq 8 ] || say "shards trained $(ls "$work/two/models" | wc -l) models, not 8"
"$sw" repro "$work/sweep.yaml" --out "$work/two" --merge >"$work/merged" 2>"$work/err" || say "--merge: $(cat "$work/err")"
cmp -s "$work/one/sweep/table.md" "$work/two/sweep/table.md" || { say "shards give another table"; diff "$work/one/sweep/table.md" "$work/two/sweep/table.md"; }

# an own data set
"$sw" gen sat --n 5 --count 40 --seed 7 -o "$work/mine.safetensors" >/dev/null 2>"$work/err" || say "gen: $(cat "$work/err")"
cat >"$work/mine.yaml" <<END
title: My own data
models:
  - {id: mine, domain: sat, gen: {n: 5}, data: $work/mine.safetensors, train: {mask: ssa, steps: 4, d: 16, layers: 1, heads: 2, batch: 4}}
columns:
  - {id: solved, search: {protocol: rebuilt, instances: 4}}
  - {id: same, title: same choice, measure: padding, settings: {trials: 4, instances: 4}, figure: agreement}
rows:
  - {id: mine, model: mine}
  - {id: rule, rule: clause+exact, columns: [solved]}
END
"$sw" repro "$work/mine.yaml" --out "$work/three" --threads 1 --progress none >"$work/table" 2>"$work/err" || say "own data: $(cat "$work/err")"
grep -q '^mine *same choice .* 100.0' "$work/table" || say "own data: $(cat "$work/table")"
[ -e "$work/three/data" ] && say "own data: traces were made"

# an environment of one's own: the command line starts it, a file cannot
cat >"$work/queens.yaml" <<END
title: Queens
models:
  - {id: queens, domain: queens, traces: 20, train: {mask: ssa, steps: 4, d: 16, layers: 1, heads: 2, batch: 4}}
columns:
  - {id: solved, search: {protocol: rebuilt, instances: 4}}
rows:
  - {id: queens, model: queens}
END
"$sw" repro "$work/queens.yaml" --out "$work/four" >/dev/null 2>"$work/err" && say "a domain that nobody opened"
grep -q "queens.yaml:3:26: there is no domain .queens" "$work/err" || say "queens: $(cat "$work/err")"
"$sw" repro "$work/queens.yaml" --domain "exec:python3 examples/queens.py" --out "$work/four" --threads 1 --progress none >"$work/table" 2>"$work/err" || say "queens: $(cat "$work/err")"
grep -q '^queens *solved' "$work/table" || say "queens: $(cat "$work/table")"
sed -i 's/domain: queens/domain: "exec:python3 examples\/queens.py"/' "$work/queens.yaml"
"$sw" repro "$work/queens.yaml" --out "$work/five" >/dev/null 2>"$work/err" && say "a file started a program"

# ours as text, which is read again
"$sw" repro --show oracle-bound >"$work/ours.yaml" 2>&1 || say "--show: $(cat "$work/ours.yaml")"
cmp -s "$work/ours.yaml" experiments/oracle-bound.yaml || say "--show is not the file"
"$sw" repro "$work/ours.yaml" --list >/dev/null 2>"$work/err" || say "ours as a user's: $(cat "$work/err")"
"$sw" repro "$work/sweep.yaml" --keep >/dev/null 2>"$work/err" && say "a user's experiment is kept among ours"
"$sw" repro "$work/sweep.yaml" --shard 3/2 >/dev/null 2>"$work/err" && say "shard 3 of 2"

# mistakes: sed's change, then where it is and what is said
n=0
mistake() { # SED PLACE WORDS
  sed "$1" "$work/sweep.yaml" >"$work/wrong.yaml"
  cmp -s "$work/wrong.yaml" "$work/sweep.yaml" && say "mistake $1 changes nothing"
  "$sw" repro "$work/wrong.yaml" --out "$work/never" >"$work/out" 2>"$work/err" && say "mistake $1 is no error"
  grep -q "^error: $work/wrong.yaml:$2: .*$3" "$work/err" || say "mistake $1, expected $2 $3: $(cat "$work/err")"
  n=$((n + 1))
}
mistake 's/^seeds:/seed:/' 4:1 'no member .seed'
mistake 's/protocol: rebuilt/protocol: rebuild/' 16:54 'not one of'
mistake 's/{protocol: rebuilt,/{protcol: rebuilt,/' 16:44 'no option .protcol'
mistake 's/figures:/figures: \&f/' 23:10 'anchors'
mistake 's/seeds: 2/seeds: !!int 2/' 4:8 'tags'
mistake 's/^beside:/seeds:/' 5:1 'comes twice'
mistake 's/a: ssa-6/a: ssa-7/' 22:75 'no row .ssa-7'
mistake 's/minus: with}/minus: wit}/' 17:45 'no column .wit'
mistake 's/model: "{mask}-{n}"/model: "{mask}-{m}"/' 20:73 'no variable of the matrix .m'
mistake 's/steps: 30/steps: many/' 13:36 'not a whole number'
mistake '$a---\ntitle: more' 25:1 'second document'
mistake 's/domain: sat/domain: sta/' 10:13 'no domain .sta'
mistake '/^title:/d' 3:1 '.title. is missing'
mistake 's/card: parameters/card: parameters, figure: x/' 18:40 'names the figure already'
mistake 's/^  - {id: gain/\t- {id: gain/' 17:1 'token'
[ -e "$work/never" ] && say "a file with a mistake made something"
[ $n -ge 10 ] || say "only $n mistakes"
exit $bad
