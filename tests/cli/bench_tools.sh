#!/bin/sh
# The benches that are scripts: growth gives a row a size and mask, and a figure;
# the PyTorch step computes the masked attention (its own check) where it is installed.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
export STATEWISE="$BUILD/statewise"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$here/tools/bench_growth.py" --n 5,8 --threads 1 --json "$folder/rows" --svg "$folder/figure.svg" >"$folder/table"
python3 - "$folder" <<'PY'
import json, sys, xml.dom.minidom
rows = json.load(open(sys.argv[1] + "/rows"))
assert [(r["n"], r["mask"]) for r in rows] == [(5, "ssa"), (5, "causal"), (8, "ssa"), (8, "causal")], rows
for r in rows:
    assert r["tokens"] == r["prefix"] + r["block"] * r["blocks"] and not r["extrapolated"], r
    assert r["train_tokens_per_s"] > 0 and r["ms_per_decision"] > 0, r
assert rows[0]["tokens"] == rows[1]["tokens"] < rows[2]["tokens"]
xml.dom.minidom.parse(sys.argv[1] + "/figure.svg")
assert len(open(sys.argv[1] + "/table").readlines()) == 5
PY
for python in python3 /usr/bin/python3; do
  "$python" -c 'import torch' 2>/dev/null || continue
  "$python" "$here/tools/bench_peers.py" --d 16 --layers 2 --heads 2 --prefix 20 --blocks 2 --block 8 --rounds 1 --threads 1 | grep -q '^  ratio [0-9]'
  break
done
