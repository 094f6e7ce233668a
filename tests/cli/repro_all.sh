#!/bin/sh
# Every experiment, at a tiny size, from nothing to its table, on models that
# they share; then the pages of all that was kept.
set -u
sw=$(realpath "$BUILD")/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "$*"; bad=1; }
export STATEWISE_RESULTS=$work/results
tiny="--seeds 1 --traces 8 --instances 2 --progress none --keep --out $work/out
  --train until=steps --train steps=1 --train epochs=1 --train d=8 --train layers=1 --train heads=2 --train batch=2
  --train table=0 --train valid-limit=1
  --measure states=3 --measure histories=2 --measure instances=6 --measure rollouts=2 --measure resamples=0
  --measure viable=2 --measure conflicts=2 --measure fewer=1 --measure trials=2 --measure traces=2 --measure free=1
  --measure decisions=20"

"$sw" repro --list --json >"$work/list" || say "--list"
ids=$(grep -o '{"id": *"[^"]*", *"place"' "$work/list" | sed 's/{"id": *"//; s/".*//')
[ "$(echo "$ids" | wc -l)" -ge 37 ] || say "only $(echo "$ids" | wc -l) experiments"
for id in $ids; do
  "$sw" repro "$id" $tiny >"$work/table" 2>"$work/err" || { say "$id: $(cat "$work/err")"; continue; }
  [ -s "$work/out/$id/table.md" ] && [ -s "$work/out/$id/table.tex" ] || say "$id: no table"
  [ "$(grep -c . "$work/table")" -ge 4 ] || say "$id: an empty table"
done
"$sw" repro --list --json >"$work/list" || say "--list, after"
grep -o '"state": *"[^"]*"' "$work/list" | sort | uniq -c
grep -q '"state": *"never run"' "$work/list" && say "something was never run"

"$sw" repro --pages >"$work/page" 2>"$work/err" || say "--pages: $(cat "$work/err")"
[ "$(cat "$work/page")" = "$work/results/index.md" ] || say "--pages printed $(cat "$work/page")"
for id in $ids; do
  [ -s "$work/results/$id.md" ] || say "no page of $id"
  grep -q "($id.md)" "$work/results/index.md" || say "the index does not name $id"
done
if command -v gnuplot >/dev/null; then
  "$sw" repro --pages --site "$work/site" >"$work/page" 2>"$work/err" || say "--site: $(cat "$work/err")"
  [ "$(cat "$work/page")" = "$work/site/index.html" ] || say "--site printed $(cat "$work/page")"
  for id in $ids; do
    [ -s "$work/site/$id.html" ] || say "no page of $id in the site"
    grep -q "href=\"$id.html\"" "$work/site/index.html" || say "the site's index does not name $id"
  done
  grep -l 'http\|<script[^>]*src\|<link\|<img\|url(' "$work/site"/*.html && say "above: pages that point outside"
fi
cp -r "$work/results" "$work/before"
"$sw" repro --pages >/dev/null 2>&1
diff -rq "$work/before" "$work/results" || say "above: pages differ when made again"
exit $bad
