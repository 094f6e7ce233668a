"""Numbers of a model over one's own tokens, masks, and data sets as arrays:
against a forward pass in numpy, and against what the program wrote."""
import os
import subprocess
import sys

import numpy as np

import statewise

work = sys.argv[1]
sys.path.insert(0, "examples")
import forward  # noqa: E402

program = os.environ["STATEWISE"]


def path(name):
    return os.path.join(work, name)


def run(*words):
    subprocess.run([program, *words, "--progress", "none"], check=True, stdout=subprocess.DEVNULL)


def refused(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except statewise.Error as error:
        return str(error)
    raise AssertionError(f"{call} accepts {arguments} {named}")


def block_ids(trace):
    ids = np.zeros(len(trace.tokens), int)
    for start in trace.starts[1:]:
        ids[start:] += 1
    return ids


# The forward pass of examples/forward.py gives the library's logits.
run("gen", "sat", "--n", "6", "--count", "40", "--seed", "3", "-o", path("sat"))
run("gen", "coloring", "--n", "8", "--count", "4", "--seed", "3", "-o", path("coloring"))
run("train", "--data", path("sat"), "--mask", "causal", "--d", "32", "--layers", "2", "--heads", "2", "--slots", "2",
    "--steps", "20", "-o", path("run"))
for weights, data in (("models/sat.safetensors", "sat"), ("models/coloring.safetensors", "coloring"),
                      (path("run/model.safetensors"), "sat")):
    trace = statewise.read_dataset(path(data))[1]
    tokens, blocks = trace.tokens[:220], block_ids(trace)[:220]
    assert blocks[-1] > 2, (len(tokens), blocks[-1])
    with statewise.Model(weights, threads=1) as model:
        theirs = model.logits(tokens, blocks)
        assert theirs.dtype == np.float32 and theirs.shape == (len(tokens), model.vocabulary)
        ours = forward.forward(weights, tokens, list(blocks))
        worst = np.abs(ours - theirs).max() / np.abs(theirs).max()
        assert worst < 2e-5, (weights, worst)
        print(f"{weights}: {worst:.1e} of the largest logit, {np.abs(theirs).max():.1f}")
        assert theirs.std() > 0.01  # they say something

        # Hidden states are what the logits are read from; attention follows the mask.
        table = statewise.read_tensors(weights)[0]["token_embedding.weight"]
        hidden = model.hidden(tokens, blocks)
        assert hidden.shape == (len(tokens), model.shape.width)
        assert np.abs(hidden @ table.T - theirs).max() < 1e-5 * np.abs(theirs).max()
        shape = model.shape
        sees = statewise.mask(model.mask, blocks, slots=shape.slots)
        assert sees.dtype == bool and sees.shape == (shape.slots + len(tokens),) * 2
        for head in range(shape.heads):
            weight = model.attention(tokens, blocks, shape.layers - 1, head)
            assert weight.shape == (len(tokens), shape.slots + len(tokens))
            assert np.abs(weight.sum(1) - 1).max() < 1e-5
            assert not weight[~sees[shape.slots:]].any()
        # Lists, arrays of any whole type: the same numbers. Others are refused.
        short = model.logits(tokens[:9], blocks[:9])
        for kind in (list, lambda x: np.asarray(x, np.int64), lambda x: np.asarray(x, np.uint16)):
            assert np.array_equal(model.logits(kind(tokens[:9]), kind(blocks[:9])), short)
        for wrong in ([2**31], [-2**31 - 1], [1.5], np.array([1.0]), np.array([[1]]), ["1"], []):
            refused(model.logits, wrong, [0] * len(wrong))
        refused(model.attention, tokens, blocks, shape.layers, 0)
        refused(model.attention, tokens, blocks, 0, -1)
        refused(model.hidden, tokens, blocks[:-1])

# Masks by name, against what they promise in docs/masks.md.
ids = np.array([0, 0, 0, 1, 1, 2, 2, 2])
at = np.arange(len(ids))
earlier, problem, own = at[:, None] >= at, ids[None, :] == 0, ids[:, None] == ids
assert np.array_equal(statewise.mask("ssa", ids), earlier & (problem | own))
assert np.array_equal(statewise.mask("causal-noslot", ids), earlier)
assert np.array_equal(statewise.mask("block-only", list(ids)), earlier & own)
assert np.array_equal(statewise.mask("ssa", ids, slots=3)[3:, 3:], statewise.mask("ssa", ids))
narrow = statewise.mask("swa-prefix", ids, window=2)
assert narrow[7].tolist() == [True] * 3 + [False] * 3 + [True] * 2
drawn = [statewise.mask("random-matched", ids, seed=seed) for seed in (1, 1, 2)]
assert np.array_equal(drawn[0], drawn[1]) and not np.array_equal(drawn[0], drawn[2])
assert "ssa" in statewise.mask_names() and "hint" not in refused(statewise.mask, "sssa", ids)
for wrong in ([], [1, 1], [0, -1], [0, 2**31]):
    refused(statewise.mask, "ssa", wrong)
refused(statewise.mask, "ssa", ids, slots=-1)
refused(statewise.mask, "causal-noslot", ids, slots=1)

# A data set read and written again is the same: hash, columns, and what is trained on it.
data = statewise.read_dataset(path("sat"))
assert len(data) == 40 and data.words is None and data.metadata["domain"] == "sat"
assert data[0].n == 6 and data[0].terminal in (1, 2, 3, 4)
copy = statewise.write_dataset(path("copy"), data)
again = statewise.read_dataset(path("copy"))
assert copy == data.content_hash == again.content_hash
assert again.metadata == data.metadata, (again.metadata, data.metadata)
for name, column in data.columns.items():
    assert np.array_equal(column, again.columns[name]), name
run("train", "--data", path("copy"), "--mask", "causal", "--d", "32", "--layers", "2", "--heads", "2", "--slots", "2",
    "--steps", "20", "-o", path("run2"))
one, two = (statewise.read_tensors(path(f"{r}/model.safetensors"))[1]["weights_xxh64"] for r in ("run", "run2"))
assert one == two

# Judged sets keep their verdicts; a part of a set; other metadata.
run("gen", "sat", "--n", "6", "--count", "10", "--seed", "3", "--viability", "-o", path("judged"))
judged = statewise.read_dataset(path("judged"))
assert set(np.concatenate([t.viability for t in judged])) == {0, 1, 2}
some = statewise.write_dataset(path("some"), judged[2:5], domain="sat", metadata={"note": "mine", "vocab": "2030"})
some = statewise.read_dataset(path("some"))
assert [list(t.viability) for t in some] == [list(t.viability) for t in judged[2:5]]
assert [list(t.query) for t in some] == [list(t.query) for t in judged[2:5]]
assert some.metadata["note"] == "mine" and some.metadata["count"] == "3"

# Words of one's own.
words = ["START", "a=1", "a=2", "GO", "BACK"]
own = statewise.Trace([0, 1, 3, 2, 4], [0, 0, 1, 0, 1], [0, 1, 3], n=1, terminal=1, decisions=1)
statewise.write_dataset(path("own"), [own] * 3, words=words, back="BACK")
found = statewise.read_dataset(path("own"))
assert found.words == words and found.metadata["vocab"] == "5" and found.metadata["back"] == "BACK"
assert [words[t] for t in found[2].tokens] == ["START", "a=1", "GO", "a=2", "BACK"]
before = open(path("own"), "rb").read()
for wrong in (own._replace(tokens=[0, 1, 3, 2, 5]), own._replace(starts=[1, 3]), own._replace(supervised=[0, 0, 2, 0, 1]),
              own._replace(supervised=[0, 1]), own._replace(supervised=None), own._replace(tokens=[0, 1, 3, 2, 2**40]),
              own._replace(viability=[0, 1, 1]), own._replace(viability=[0, 1], query=[0, 1]), own._replace(n=2**31)):
    refused(statewise.write_dataset, path("own"), [own, wrong], words=words)
    assert open(path("own"), "rb").read() == before
assert sorted(n for n in os.listdir(work) if "tmp" in n) == []


def breaks_off():
    yield own
    raise KeyError("mine")


try:
    statewise.write_dataset(path("own"), breaks_off(), words=words)
    raise AssertionError("an error of the caller's is lost")
except KeyError:
    pass
assert open(path("own"), "rb").read() == before and not [n for n in os.listdir(work) if "tmp" in n]

# A changed byte is found.
raw = bytearray(before)
raw[-8] ^= 1
with open(path("own"), "wb") as f:
    f.write(raw)
refused(statewise.read_dataset, path("own"))
