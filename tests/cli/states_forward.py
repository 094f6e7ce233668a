"""Scores of a model on features or on a graph at the start of a search, computed
from its weights with numpy and the definitions in docs/model.md, against those
of the library. usage: states_forward.py RUN LIBRARY-FOLDER FORMULA"""
import json
import struct
import sys

import numpy as np

sys.path.insert(0, sys.argv[2])
import statewise  # noqa: E402


def load(path):
    raw = open(path, "rb").read()
    size, = struct.unpack("<Q", raw[:8])
    head, data = json.loads(raw[8:8 + size]), raw[8 + size:]
    meta = head.pop("__metadata__")
    return meta, {name: np.frombuffer(data[slice(*t["data_offsets"])], "<f4").reshape(t["shape"]).astype(float)
                  for name, t in head.items()}


def formula(path):
    words = open(path).read().split("\n")
    n = int(words[0].split()[2])
    return n, [[int(x) for x in line.split()[:-1]] for line in words[1:] if line]


def features(n, clauses, size, parts):
    """features=state: nothing is assigned yet, the shortest clause is shown."""
    x = np.zeros((size, 8))
    x[:n, 0] = 1
    shown = min(range(len(clauses)), key=lambda c: len(clauses[c]))
    for place, literal in enumerate(clauses[shown]):
        x[abs(literal) - 1, 5 + (literal < 0)] = 1
        x[abs(literal) - 1, 7] = (place + 1) / len(clauses[shown])
    states = np.zeros((parts, 3))
    states[:len(clauses), 2] = 1
    return np.concatenate([x.ravel(), [1 - n / size, n / size, len(clauses) / parts, 0, 0, 1], states.ravel()])


def linear(w, name, x):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def norm(w, name, x):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5) * w[name + ".weight"] + w[name + ".bias"]


def relu(x):
    return np.maximum(x, 0)


def by_features(meta, w, n, clauses):
    h = (features(n, clauses, int(meta["size"]), int(meta["parts"])) - w["input.mean"]) * w["input.scale"]
    for i in range(int(meta.get("depth", 0))):
        h = relu(linear(w, "layers.%d" % i, h))
    verdict, item = linear(w, "heads.verdict", h), linear(w, "heads.item", h)
    return verdict[1], verdict[0] + item[:n] - item[:n].max()


def gru(w, name, x, h):
    a, b = linear(w, name + ".input", x), linear(w, name + ".state", h)
    d = h.shape[-1]
    r, z = (1 / (1 + np.exp(-a[:, k * d:(k + 1) * d] - b[:, k * d:(k + 1) * d])) for k in range(2))
    return (1 - z) * np.tanh(a[:, 2 * d:] + r * b[:, 2 * d:]) + z * h


def by_graph(meta, w, n, clauses):
    m = len(clauses)
    edges = [(abs(x) - 1, c, 1 if x > 0 else -1, place) for c, clause in enumerate(clauses)
             for place, x in enumerate(clause)]
    node = np.zeros((n, 9))
    node[:, 3:5] = 1
    for v, _, sign, _ in edges:
        node[v, 1 if sign > 0 else 2] += 1 / m
    factor = np.array([[len(c) / 3, 0, 1, 0, 0] for c in clauses])
    e = linear(w, "edge", np.array([[sign, place / 2] for _, _, sign, place in edges], float))
    at = {"node": [x[0] for x in edges], "factor": [x[1] for x in edges]}
    h = {k: linear(w, k + ".1", relu(norm(w, k + ".norm", linear(w, k + ".0", x))))
         for k, x in (("node", node), ("factor", factor))}
    for r in range(int(meta["rounds"])):
        for source, target in (("node", "factor"), ("factor", "node")):
            name = "to_%s.%d" % (target, r)
            sent = h[source][at[source]]
            message = linear(w, name + ".1", relu(linear(w, name + ".0", np.hstack([sent, e]))))
            heard = np.zeros_like(h[target])
            np.add.at(heard, at[target], norm(w, name + ".norm", message + sent))
            h[target] = gru(w, "gru_" + target, heard, h[target])
    pairs = np.concatenate([np.repeat(h["node"], 2, 0), np.tile(w["value.weight"], (n, 1))], 1)
    assign = linear(w, "assign.1", relu(linear(w, "assign.0", pairs))).reshape(n, 2)
    pooled = h["node"].mean(0) + linear(w, "global.0", np.array([0, 0, 0, 1.0]))
    g = relu(linear(w, "global.1", pooled))
    return linear(w, "back", g)[0], assign.max(1)


meta, weights = load(sys.argv[1] + "/model.safetensors")
n, clauses = formula(sys.argv[3])
back, items = (by_graph if meta["architecture"] == "factor-gnn" else by_features)(meta, weights, n, clauses)
want = np.concatenate([[back], items])
want = np.exp(want - want.max()) / np.exp(want - want.max()).sum()
search = statewise.Model(sys.argv[1]).search(sys.argv[3])
query = next(iter(search))
got = np.array(query.probabilities)
assert len(got) == n + 1, (len(got), n)
error = np.abs(got - want).max()
print("%s: largest difference of a probability %.1e" % (meta["architecture"], error))
assert error < 2e-6, (got, want)
