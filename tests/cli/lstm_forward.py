"""The LSTM once more, from the formulas and the weight file alone, with nothing
but the standard library: compares the scores that `statewise show logits`
printed. usage: lstm_forward.py WEIGHTS LOGITS.json MODE "TOKENS" "BLOCKS"
"""
import json
import math
import struct
import sys

path, answer, mode, tokens, blocks = sys.argv[1:]
tokens = [int(t) for t in tokens.split()]
blocks = [int(b) for b in blocks.split()]

with open(path, "rb") as f:
    size = struct.unpack("<Q", f.read(8))[0]
    header = json.loads(f.read(size))
    data = f.read()


def tensor(name):
    t = header[name]
    begin, end = t["data_offsets"]
    flat = struct.unpack("<%df" % ((end - begin) // 4), data[begin:end])
    if len(t["shape"]) == 1:
        return list(flat)
    width = t["shape"][1]
    return [flat[i : i + width] for i in range(0, len(flat), width)]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


embedding = tensor("token_embedding.weight")
position = tensor("position_embedding.weight")
layers = sum(1 for name in header if name.startswith("lstm.weight_ih_l"))
weights = [
    [tensor("lstm.%s_l%d" % (part, l)) for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    for l in range(layers)
]
norm_w, norm_b = tensor("ln_f.weight"), tensor("ln_f.bias")
d = len(norm_w)
prefix = blocks.count(0)


def step(x, state):
    """One token through all layers; state is a list of (h, c)."""
    after = []
    for (w_ih, w_hh, b_ih, b_hh), (h, c) in zip(weights, state):
        z = [dot(w_ih[k], x) + b_ih[k] + dot(w_hh[k], h) + b_hh[k] for k in range(4 * d)]
        i, f, g, o = (z[k * d : (k + 1) * d] for k in range(4))
        c = [sigmoid(f[k]) * c[k] + sigmoid(i[k]) * math.tanh(g[k]) for k in range(d)]
        h = [sigmoid(o[k]) * math.tanh(c[k]) for k in range(d)]
        after.append((h, c))
        x = h
    return after


def scores(h):
    mean = math.fsum(h) / d
    spread = math.sqrt(math.fsum((x - mean) ** 2 for x in h) / d + 1e-5)
    final = [(h[k] - mean) / spread * norm_w[k] + norm_b[k] for k in range(d)]
    return [dot(row, final) for row in embedding]


zero = [([0.0] * d, [0.0] * d) for _ in range(layers)]
state, behind_prefix, want, rank = zero, zero, [], 0
for t, token in enumerate(tokens):
    first = t == 0 or blocks[t] != blocks[t - 1]
    rank = 0 if first else rank + 1
    if first and blocks[t] > 0:
        if mode == "block-reset":
            state = zero
        elif mode == "prefix-restored":
            state = behind_prefix
    # standard positions, or block-relative where history is out of sight
    at = t if mode == "continuous" else rank + (prefix if blocks[t] else 0)
    state = step([e + p for e, p in zip(embedding[token], position[at])], state)
    if blocks[t] == 0:
        behind_prefix = state
    want.append(scores(state[-1][0]))

with open(answer) as f:
    got = json.load(f)["logits"]
assert len(got) == len(want), (len(got), len(want))
worst = max(abs(a - b) for x, y in zip(got, want) for a, b in zip(x, y))
largest = max(abs(b) for y in want for b in y)
assert largest > 0.1, largest
assert worst < 2e-6 * largest, (worst, largest)
print("lstm %s: %d rows, off by %.1e of %.2f" % (mode, len(got), worst, largest))
