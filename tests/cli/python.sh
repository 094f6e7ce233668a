#!/bin/sh
# The Python reader of the formats page opens weights that we wrote: at most eight
# lines, numpy and the standard library, values as `statewise show model` knows
# them (names, shapes, number of parameters).
set -u
. tests/find_python.sh
sw=$BUILD/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$sw" gen sat --n 6 --count 40 --seed 3 -o "$work/data" --progress none >/dev/null &&
"$sw" train --data "$work/data" --mask ssa --d 16 --layers 1 --heads 2 --slots 2 --steps 2 -o "$work/run" --progress none >/dev/null ||
  { echo "no model could be trained"; exit 1; }
sed -n '/^import json, struct, numpy/,/^```/p' docs/formats.md | grep -v '^```' >"$work/reader.py"
lines=$(wc -l <"$work/reader.py")
[ "$lines" -ge 4 ] && [ "$lines" -le 8 ] || { echo "the reader has $lines lines"; exit 1; }
cat "$work/reader.py" - >"$work/check.py" <<'P'
import sys
w = load(sys.argv[1])
card = json.load(open(sys.argv[2]))
assert w["token_embedding.weight"].shape == (2030, 16), w["token_embedding.weight"].shape
assert w["blocks.0.attn.qkv.weight"].shape == (48, 16), sorted(w)
assert sum(t.size for t in w.values()) == card["parameters"], (sum(t.size for t in w.values()), card["parameters"])
assert all(np.isfinite(t).all() for t in w.values())
assert 0 < np.abs(w["token_embedding.weight"]).mean() < 1
P
"$python" "$work/check.py" "$work/run/model.safetensors" "$work/run/run.json"
