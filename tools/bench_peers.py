#!/usr/bin/env python3
"""A training step of `statewise bench train` beside the same step in PyTorch, in
turns in one run: the same sizes, mask ssa, loss on the same tokens, clipping and
AdamW. The PyTorch step is packed as ours is: blocks share the prefix's keys, no
masked pair between blocks is formed, the last layer computes the rows that feed
the loss. It loops over heads and blocks: its batched product is slower.

    make bench-peers         or  /usr/bin/python3 tools/bench_peers.py [--dropout 0]

Debian's PyTorch is the package python3-torch; beside it install
libopenblas0-pthread, without which its products are eight times slower."""
import argparse
import json
import os
import subprocess
import time

import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VOCAB, SLOTS, TARGETS = 2030, 32, 4


class Layer(torch.nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ln1, self.ln2 = torch.nn.LayerNorm(d), torch.nn.LayerNorm(d)
        self.qkv, self.out = torch.nn.Linear(d, 3 * d), torch.nn.Linear(d, d)
        self.wide, self.back = torch.nn.Linear(d, 4 * d), torch.nn.Linear(4 * d, d)


class Model(torch.nn.Module):
    def __init__(self, o):
        super().__init__()
        self.o, self.front = o, SLOTS + o.prefix
        self.slots = torch.nn.Parameter(torch.randn(SLOTS, o.d) * 0.02)
        self.token = torch.nn.Embedding(VOCAB, o.d)
        self.position = torch.nn.Embedding(o.prefix + o.block, o.d)
        torch.nn.init.normal_(self.token.weight, std=0.02)
        torch.nn.init.normal_(self.position.weight, std=0.02)
        self.layers = torch.nn.ModuleList(Layer(o.d) for _ in range(o.layers))
        self.norm = torch.nn.LayerNorm(o.d)
        # Slots see slots and prefix; the prefix sees slots and its own past.
        hidden = torch.triu(torch.ones(self.front, self.front, dtype=torch.bool), 1)
        hidden[:SLOTS] = False
        self.register_buffer("front_mask", torch.zeros(hidden.shape).masked_fill(hidden, float("-inf")))
        past = torch.triu(torch.ones(o.block, o.block, dtype=torch.bool), 1)
        self.register_buffer("block_mask", torch.zeros(past.shape).masked_fill(past, float("-inf")))
        at = torch.arange(o.blocks * o.block)
        self.register_buffer("places", torch.cat([torch.arange(o.prefix), o.prefix + at % o.block]))
        self.register_buffer("supervised", self.front + at[at % o.block >= o.block - TARGETS])

    def drop(self, x):  # four times as fast as F.dropout here
        p = self.o.dropout
        return x * (torch.rand_like(x) >= p).float().mul_(1 / (1 - p)) if p and self.training else x

    def packed(self, q, k, v):
        """Attention of one head, [rows][d/heads]; q is scaled. The blocks' rows
        are one matrix against the prefix's keys."""
        o, front = self.o, self.front
        first = self.drop(torch.softmax(q[:front] @ k[:front].t() + self.front_mask, 1)) @ v[:front]
        own = torch.cat([a @ b.t() + self.block_mask for a, b in zip(q[front:].split(o.block), k[front:].split(o.block))])
        p = self.drop(torch.softmax(torch.cat([q[front:] @ k[:front].t(), own], 1), 1))
        inside = torch.cat([a @ b for a, b in zip(p[:, front:].split(o.block), v[front:].split(o.block))])
        return torch.cat([first, p[:, :front] @ v[:front] + inside])

    def dense(self, q, k, v):
        """The same with a mask of all pairs, to check `packed`."""
        o, front, rows = self.o, self.front, q.shape[0]
        mask = torch.full((rows, rows), float("-inf"))
        mask[:front, :front] = self.front_mask
        mask[front:, :front] = 0
        for b in range(front, rows, o.block):
            mask[b:b + o.block, b:b + o.block] = self.block_mask
        return torch.softmax(q @ k.t() + mask, 1) @ v

    def attention(self, x, layer, how):
        q, k, v = layer.qkv(x).split(self.o.d, 1)
        size = self.o.d // self.o.heads
        q = q * size ** -0.5
        return torch.cat([how(q[:, i:i + size], k[:, i:i + size], v[:, i:i + size])
                          for i in range(0, self.o.d, size)], 1)

    def forward(self, tokens, how=None):
        c = len(self.layers) ** -0.5
        x = torch.cat([self.slots, self.drop(self.token(tokens) + self.position(self.places))])
        for i, layer in enumerate(self.layers):
            mixed = self.attention(layer.ln1(x), layer, how or self.packed)
            if i + 1 == len(self.layers):  # only rows that feed the loss
                x, mixed = x[self.supervised - 1], mixed[self.supervised - 1]
            x = x + c * self.drop(layer.out(mixed))
            x = x + c * self.drop(layer.back(self.drop(F.gelu(layer.wide(layer.ln2(x))))))
        return self.norm(x) @ self.token.weight.t()


def check(o):
    """The packed attention is the masked one."""
    small = argparse.Namespace(**{**vars(o), "prefix": 23, "blocks": 3, "block": 9, "dropout": 0})
    model, tokens = Model(small), torch.randint(1, VOCAB, (23 + 27,))
    with torch.no_grad():
        off = (model(tokens) - model(tokens, model.dense)).abs().max()
    if not off < 1e-4:
        raise SystemExit("the packed step is not the masked one: %g" % off)


def stepper(o):
    model = Model(o)
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.01, foreach=True)
    tokens = torch.randint(1, VOCAB, (o.prefix + o.blocks * o.block,))
    want = tokens[model.supervised - SLOTS]

    def step():
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(tokens), want).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return time.perf_counter() - start
    return step


def ours(o):
    sizes = ("d", "layers", "heads", "prefix", "blocks", "block", "dropout", "threads", "kernels")
    done = subprocess.run([os.environ.get("STATEWISE", os.path.join(ROOT, "statewise")), "bench", "train", "--json", "--reps", "3",
                           *("--%s=%s" % (name, getattr(o, name)) for name in sizes)],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    for name, value in (("d", 256), ("layers", 6), ("heads", 8), ("prefix", 1203), ("blocks", 30), ("block", 80), ("threads", 2), ("rounds", 3)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--kernels", default="avx2")
    o = parser.parse_args()
    torch.set_num_threads(o.threads)
    torch.set_flush_denormal(True)
    check(o)
    step = stepper(o)
    step()  # warms caches
    best = {"ours": 1e30, "torch": 1e30}
    for _ in range(o.rounds):
        mine = ours(o)
        best["ours"] = min(best["ours"], mine["seconds_per_step"])
        best["torch"] = min(best["torch"], step())
    tokens = o.prefix + o.blocks * o.block
    print("d %d, %d layers, %d tokens, dropout %g, %d threads; best of %d turns" % (o.d, o.layers, tokens, o.dropout, o.threads, o.rounds))
    print("  statewise, %-10s %8.0f ms a step %8.0f tokens/s" % (mine["kernels"], 1e3 * best["ours"], tokens / best["ours"]))
    print("  PyTorch %-13s %8.0f ms a step %8.0f tokens/s" % (torch.__version__, 1e3 * best["torch"], tokens / best["torch"]))
    print("  ratio %.1f" % (best["torch"] / best["ours"]))


if __name__ == "__main__":
    main()
