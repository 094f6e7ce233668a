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
cnf=../shared/data/satlib/uf20-91/uf20-01.cnf
if [ ! -f "$cnf" ]; then # a formula of that size, written as SATLIB writes them
  cnf=$work/uf20-91.cnf
  python3 - >"$cnf" <<'PY'
import random
rng = random.Random(1)
value = [rng.choice((-1, 1)) for _ in range(21)]
print("c planted 3-SAT\np cnf 20  91 ")
done = 0
while done < 91:
    clause = [v * rng.choice((-1, 1)) for v in rng.sample(range(1, 21), 3)]
    if any(l * value[abs(l)] > 0 for l in clause):
        print("", *clause, 0)
        done += 1
print("%\n0\n")
PY
fi
mkdir -p "$work/out/report"
echo '<!doctype html><title>report</title><h1>A report</h1>' >"$work/out/report/index.html"
"$sw" eval --model tests/data/serve/ssa.safetensors --n 8 --instances 3 --db "$work/out/results.db" --progress none >/dev/null || exit 1
"$sw" serve --port 0 --quiet --threads 1 --dir "$work/out" --model tests/data/serve/ssa.safetensors --model tests/data/serve/causal.safetensors \
  --model models/coloring.safetensors --model models/blocks.safetensors --model models/parsing.safetensors >"$work/url" & pid=$!
n=0; while [ ! -s "$work/url" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
python3 tests/serve/page.py "$(cat "$work/url")" "$cnf" ${STATEWISE_PICTURES:-}
