#!/bin/sh
# The pages of the kept results and of a report in a real browser
# (tests/report/page.py): tables sort and filter, points of a series say what
# they are, nothing is clipped at 1280 and 390, light and dark.
# STATEWISE_PICTURES=FOLDER keeps screenshots.
set -u
sw=$BUILD/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { echo "chromium is not installed"; exit 77; }
command -v gnuplot >/dev/null || { echo "gnuplot is not installed"; exit 77; }
[ -d results/answers ] || { echo "there are no kept results"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
mkdir "$work/results"
cp -r results/answers results/*.jsonl "$work/results/"
STATEWISE_RESULTS=$work/results "$sw" repro --pages --site "$work/site" >/dev/null || exit 1
"$sw" quickstart --out "$work/runs" --steps 4 --instances 12 --states 30 --progress none >/dev/null || exit 1
"$sw" report "$work/runs" --viable 24 --conflicts 12 --states 40 --progress none >/dev/null || exit 1
set --
for id in index flagship calibration ladder verifier-swap; do set -- "$@" "$work/site/$id.html"; done
python3 tests/report/page.py "${STATEWISE_PICTURES:--}" "$@" "$work/runs/report/index.html"
