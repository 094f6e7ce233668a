#!/bin/sh
# The page in a real browser (tests/serve/page.py): 1280 and 390 wide, light and
# dark. `make test` installs the browser. STATEWISE_PICTURES=FOLDER keeps
# screenshots.
set -u
sw=$BUILD/statewise
work=$(mktemp -d)
pid=
trap '[ -n "$pid" ] && kill $pid 2>/dev/null; rm -rf "$work"' EXIT
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { echo "chromium is not installed"; exit 77; }
export STATEWISE_MODELS=models PYTHONDONTWRITEBYTECODE=1
cnf=tests/data/satlib/uf20-91/uf20-01.cnf
mkdir -p "$work/out/report"
echo '<!doctype html><title>report</title><h1>A report</h1>' >"$work/out/report/index.html"
"$sw" eval --model tests/data/serve/ssa.safetensors --n 8 --instances 3 --db "$work/out/results.db" --progress none >/dev/null || exit 1
"$sw" serve --port 0 --quiet --threads 1 --dir "$work/out" --model tests/data/serve/ssa.safetensors --model tests/data/serve/causal.safetensors \
  --model models/coloring.safetensors --model models/blocks.safetensors --model models/parsing.safetensors >"$work/url" & pid=$!
n=0; while [ ! -s "$work/url" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
python3 tests/serve/page.py "$(cat "$work/url")" "$cnf" ${STATEWISE_PICTURES:-}
