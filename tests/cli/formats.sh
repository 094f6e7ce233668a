#!/bin/sh
# The reader printed in docs/formats.md opens a data set we wrote, and the
# content hash is the chain described there (independent XXH64 in Python).
set -u
. tests/find_python.sh
sw=$BUILD/statewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$sw" gen sat --n 6 --count 7 --seed 3 -o "$work/d" >/dev/null 2>&1 || { echo "gen failed"; exit 1; }
sed -n '/^import json, struct/,/^```/p' docs/formats.md | grep -v '^```' >"$work/check.py"
[ "$(wc -l <"$work/check.py")" -eq 8 ] || { echo "the reader in the docs is not eight lines"; exit 1; }
cat >>"$work/check.py" <<'P'
import sys
M = 2**64 - 1
P = [0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5]
rot = lambda x, r: (x << r | x >> 64 - r) & M
rnd = lambda a, v: rot((a + v * P[1]) & M, 31) * P[0] & M
def xxh64(b, seed):
    word = lambda i: int.from_bytes(b[i:i + 8], "little")
    i, n = 0, len(b)
    if n >= 32:
        v = [(seed + P[0] + P[1]) & M, (seed + P[1]) & M, seed, (seed - P[0]) & M]
        while n - i >= 32:
            v = [rnd(v[k], word(i + 8 * k)) for k in range(4)]; i += 32
        h = sum(rot(x, r) for x, r in zip(v, (1, 7, 12, 18))) & M
        for x in v: h = ((h ^ rnd(0, x)) * P[0] + P[3]) & M
    else: h = (seed + P[4]) & M
    h = (h + n) & M
    while n - i >= 8: h = (rot(h ^ rnd(0, word(i)), 27) * P[0] + P[3]) & M; i += 8
    if n - i >= 4:
        h = (rot(h ^ int.from_bytes(b[i:i + 4], "little") * P[0] & M, 23) * P[1] + P[2]) & M; i += 4
    for c in b[i:]: h = rot(h ^ c * P[4] & M, 11) * P[0] & M
    h = (h ^ h >> 33) * P[1] & M
    h = (h ^ h >> 29) * P[2] & M
    return h ^ h >> 32
d = load(sys.argv[1])
assert len(d["n"]) == 7 and (d["n"] == 6).all()
assert d["trace_start"][-1] == len(d["tokens"]) == len(d["supervised"])
assert (d["block_start"][d["trace_block"]] == d["trace_start"]).all()
raw = open(sys.argv[1], "rb").read()
size, = struct.unpack("<Q", raw[:8])
assert (8 + size) % 64 == 0
h = 0
for name in "tokens supervised trace_start block_start trace_block n terminal decisions conflicts".split():
    h = xxh64(d[name].tobytes(), h)
assert json.loads(raw[8:8 + size])["__metadata__"]["content_hash"] == "%016x" % h
P
"$python" "$work/check.py" "$work/d"
