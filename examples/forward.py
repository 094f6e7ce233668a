"""The forward pass of a slot decoder in numpy, from the weight file alone,
against Model.logits of the library (docs/model.md has the formulas).

    python3 examples/forward.py [MODEL.safetensors]

`forward` is what another program needs to run our weights. The mask is an
ordinary boolean array; who may see whom is all that makes SSA different."""
import math
import os
import sys

import numpy as np

import statewise

erf = np.vectorize(math.erf, otypes=[float])


def positions(kind, blocks):
    """Position ids: a block counts on from what was before it, or from a place of its own."""
    prefix, rank = blocks.count(0), [i - blocks.index(b) for i, b in enumerate(blocks)]
    if kind == "standard":
        return np.arange(len(blocks))
    first, behind = (512, 0) if kind == "block-first" else (0, prefix)
    return np.array([r + (behind if b else first) for r, b in zip(rank, blocks)])


def forward(path, tokens, blocks):
    """Logits after every token: [len(tokens)][vocabulary]."""
    w, meta = statewise.read_tensors(path)
    w = {name: np.asarray(values, float) for name, values in w.items()}
    layers, heads, slots = (int(meta[k]) for k in ("layers", "heads", "slots"))
    kind, local = meta["position_kind"], meta["mask"] in ("ssa", "blanket", "block-only")
    rotary = kind == "rotary"  # counts as the mask does: do blocks see each other?
    place = positions("standard" if rotary and not local else kind, list(blocks))

    def norm(name, x):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return x * w[name + ".weight"] + w[name + ".bias"]

    def linear(name, x):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def rotate(x):  # element i of a head with element i + dim / 2; slots stay
        half = x.shape[-1] // 2
        angle = place[:, None] * 10000.0 ** (-np.arange(half) / half)
        a, b, c, s = x[:, slots:, :half], x[:, slots:, half:], np.cos(angle), np.sin(angle)
        return np.concatenate([x[:, :slots], np.concatenate([a * c - b * s, b * c + a * s], -1)], 1)

    x = w["token_embedding.weight"][tokens]
    x = x if rotary else x + w["position_embedding.weight"][place]
    x = np.concatenate([w["slot_embedding"][0], x])
    sees = statewise.mask(meta["mask"], blocks, slots=slots, window=int(meta["window"]))
    for layer in range(layers):
        at = f"blocks.{layer}."
        q, k, v = linear(at + "attn.qkv", norm(at + "ln1", x)).reshape(len(x), 3, heads, -1).transpose(1, 2, 0, 3)
        q, k = (rotate(q), rotate(k)) if rotary else (q, k)
        score = np.where(sees, q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1]), -np.inf)
        weight = np.exp(score - score.max(-1, keepdims=True))
        seen = (weight / weight.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(x), -1)
        x = x + linear(at + "attn.out_proj", seen) / math.sqrt(layers)
        z = linear(at + "mlp.fc_in", norm(at + "ln2", x))
        x = x + linear(at + "mlp.fc_out", z * (1 + erf(z / math.sqrt(2))) / 2) / math.sqrt(layers)
    return norm("ln_f", x[slots:]) @ w["token_embedding.weight"].T


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "models", "coloring.safetensors")
    blocks = np.repeat([0, 1, 2, 3], [30, 4, 6, 5])  # a problem and three blocks
    with statewise.Model(path) as model:
        tokens = np.random.default_rng(1).integers(model.vocabulary, size=len(blocks))
        theirs = model.logits(tokens, blocks)
    ours = forward(path, tokens, list(blocks))
    worst = np.abs(ours - theirs).max() / np.abs(theirs).max()
    print(f"{os.path.basename(path)}: {theirs.size} logits differ by at most {worst:.1e} of the largest")
