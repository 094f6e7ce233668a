"""Wrong and strange things a Python user does: each is an Error or works."""
import copy
import json
import os
import pickle
import shutil
import struct
import sys

import statewise

work = sys.argv[1]
weights, data, store = (os.path.join(work, n) for n in ("model.safetensors", "data.safetensors", "store.db"))


def error_of(call, *arguments, kind=statewise.Error):
    try:
        call(*arguments)
    except kind as error:
        return str(error)
    raise AssertionError(f"{call} accepts {arguments}")


# Copies would free the same handle twice.
with statewise.Model(weights, threads=1) as model:
    search = model.search("examples/planted-20.cnf")
    for thing in (model, search):
        for how in (copy.copy, copy.deepcopy, pickle.dumps, lambda x: copy.copy({"a": x}) and copy.deepcopy({"a": x})):
            assert type(thing).__name__ in error_of(how, thing, kind=TypeError)
    assert search.run() == "solved"

# Paths that are no UTF-8 are paths; those with a zero byte would name another file.
odd = os.fsdecode(b"\xff\xfe model")
for source in (weights, data, store):
    shutil.copy(source, os.path.join(work, odd + os.path.basename(source)))
with statewise.Model(os.path.join(work, odd + "model.safetensors"), threads=1) as model:
    shutil.copy("examples/planted-20.cnf", os.path.join(work, odd + ".cnf"))
    with model.search(os.path.join(work, odd + ".cnf")) as search:
        assert search.next() is not None
    with model.search(os.fsencode(os.path.join(work, odd + ".cnf"))) as search:
        assert search.next() is not None
    assert "\\0" in error_of(model.search, "examples/planted-20.cnf\0.cnf")
assert len(statewise.read_dataset(os.path.join(work, odd + "data.safetensors"))) == 5
rows = statewise.read_results(store)["solved"]
assert len(rows) >= 2 and list(statewise.read_results(os.path.join(work, odd + "store.db"))["solved"]) == list(rows)
folder = os.path.join(work, "folder")
os.mkdir(folder)
for opener in (statewise.Model, statewise.read_dataset, statewise.read_results, statewise.read_tensors):
    assert "zero byte" in error_of(opener, weights + "\0")
    assert "int" in error_of(opener, 3)
    for missing in (os.path.join(work, odd + "nowhere"), "", folder):
        text = error_of(opener, missing)
        text.encode()  # it can be printed
assert "no file" in error_of(statewise.read_results, folder)

# A shape with negative lengths is damage, though its product may fit.
for shape in ([-4, -4], [-1], [-1, 16], [16, -1]):
    head = json.dumps({"a": {"dtype": "F32", "shape": shape, "data_offsets": [0, 64]}}).encode()
    path = os.path.join(work, "negative.safetensors")
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head + bytes(64))
    assert "shape" in error_of(statewise.read_tensors, path), shape

# Traces from the end, slices, and numbers that are none.
traces = statewise.read_dataset(data)
assert list(traces[-1].tokens) == list(traces[4].tokens) != list(traces[0].tokens)
assert [list(t.tokens) for t in traces[1:-1]] == [list(traces[i].tokens) for i in (1, 2, 3)]
for outside in (5, -6):
    assert str(outside) in error_of(traces.__getitem__, outside, kind=IndexError)
error_of(traces.__getitem__, "1", kind=TypeError)

# An error survives the way from a worker process to its parent.
sent = statewise.Error(2, "text", "hint")
got = pickle.loads(pickle.dumps(sent))
assert (got.code, got.text, got.hint, str(got)) == (2, "text", "hint", str(sent))
