#!/bin/sh
# The Python package: pip installs it without a network, its example runs, its
# numbers are the C library's, wrong use raises, and every public call has type
# hints and a docstring.
set -u
sw=$BUILD/statewise
work=$(mktemp -d)
trap 'rm -rf "$work" python/statewise/__pycache__ python/__pycache__' EXIT
bad=0
say() { echo "$*"; bad=1; }
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
library=$PWD/$BUILD/libstatewise.so
[ -f "$library" ] || library=$PWD/build/libstatewise.so
[ -f "$library" ] || { echo "no shared library in this build"; exit 77; }
export STATEWISE_LIBRARY=$library STATEWISE=$PWD/$sw STATEWISE_MODELS=models PYTHONDONTWRITEBYTECODE=1
case $BUILD in *san*) echo "pip builds the library again, without a sanitizer"; exit 77 ;; esac
if python3 -m pip --version >/dev/null 2>&1; then
  python3 -m pip install -q --no-index --no-deps --no-cache-dir --disable-pip-version-check --target "$work/site" ./python 2>"$work/err" ||
    say "pip: $(cat "$work/err")"
  [ -f "$work/site/statewise/libstatewise.so" ] || say "the library is not in the wheel"
  unset STATEWISE_LIBRARY # the installed one is found
else
  echo "no pip: the source is used"; mkdir "$work/site"; cp -r python/statewise "$work/site/"
fi
export PYTHONPATH=$work/site STATEWISE=$PWD/$sw
python3 examples/watch_a_search.py >"$work/out" 2>"$work/err" || say "the example: $(tail -3 "$work/err")"
for word in 'solved {' '^v 1' 'against its advice: solved' '5 traces' 'of 4 solved'; do
  grep -q "$word" "$work/out" || say "the example does not print \"$word\": $(cat "$work/out")"
done
"$sw" solve examples/planted-20.cnf | grep '^v' >"$work/a"; grep '^v' "$work/out" >"$work/b"
[ -s "$work/b" ] || say "no answer"
python3 - "$sw" <<'PY' || bad=1
import inspect, json, math, subprocess, sys, statewise
assert statewise.version() == statewise.__version__, "the versions differ"
for name in statewise.__all__:
    thing = getattr(statewise, name)
    assert thing.__doc__, f"{name} has no docstring"
    members = [m for k, m in vars(thing).items() if not k.startswith("_") and (callable(m) or isinstance(m, property))] if inspect.isclass(thing) else [thing]
    for m in members:
        f = m.fget if isinstance(m, property) else m
        if inspect.isfunction(f) and f.__module__.startswith("statewise"):
            assert f.__doc__, f"{name}.{f.__name__} has no docstring"
            assert "return" in f.__annotations__, f"{name}.{f.__name__} has no type hints"
m = statewise.Model("models/sat.safetensors", threads=1)
s = m.search("examples/planted-20.cnf")
q = s.next()
assert s.next() == q, "asking twice gives another query"
assert abs(sum(q.probabilities) - 1) < 1e-9
# The same numbers by the other way in: logits of the rebuilt context.
prefix = q.tokens[:q.block]
rows = m.logits(q.tokens, [0] * q.block + [1] * (len(q.tokens) - q.block))
last = rows[len(q.tokens) - 1]
assert all(float(last[k.token]) == k.logit for k in q.candidates), "logits and scores differ"
for wrong in (lambda: statewise.Model("nowhere"), lambda: s.choose(999), lambda: m.search_text("p cnf x"),
              lambda: m.logits([1], [1, 2]), lambda: s.choose(2**32), lambda: s.choose(-2**31 - 1), lambda: s.choose(1.0),
              lambda: m.logits([2**32 + 3], [0]), lambda: m.logits([3], [2**32]), lambda: statewise.Model("models/sat.safetensors", 2**32),
              lambda: statewise.read_results("nowhere"),
              lambda: statewise.read_dataset("models/sat.safetensors")):
    try:
        wrong()
    except statewise.Error as error:
        assert error.text and error.code > 0
    else:
        raise AssertionError("wrong use was accepted")
# Damaged files are errors, never other numbers: cut short, offsets outside, another shape, no JSON.
import struct, tempfile
raw = open("models/sat.safetensors", "rb").read()
size, = struct.unpack("<Q", raw[:8])
def header(text):
    return struct.pack("<Q", len(text)) + text + bytes(64)
one = '{"a": {"dtype": "%s", "shape": %s, "data_offsets": %s}}'
for damaged in (raw[:-4], raw[:size], raw[:5], header(b"[" * 100000), header(b"[]"), header(b"{}x"),
                *(header((one % case).encode()) for case in (
                    ("F32", "[16]", "[0, 60]"), ("F32", "[16]", "[-64, 0]"), ("F32", "[32]", "[0, 128]"),
                    ("F99", "[16]", "[0, 64]"), ("F32", "[1.5]", "[0, 64]"), ("F32", "16", "[0, 64]"),
                    ("F32", "[-4, -4]", "[64, 0]"), ("F32", "[16]", "[0]")))):
    with tempfile.NamedTemporaryFile() as f:
        f.write(damaged); f.flush()
        try:
            statewise.data.read_tensors(f.name)
        except statewise.Error as error:
            assert f.name in error.text
        else:
            raise AssertionError(f"a damaged file reads: {damaged[:90]!r}")
s.close(); s.close(); m.close(); m.close()
def refused(f):
    try:
        f()
    except statewise.Error:
        return True
assert refused(s.next), "a closed search answers"
# The module's own example, as it stands there; what is raised inside comes out.
import re, textwrap
example = next(e for e in re.findall(r"\n( +import statewise\n.*?)\n\n", statewise.__doc__, re.S) if "statewise.Model(" in e)
exec(textwrap.dedent(example))
try:
    with statewise.Model("models/sat.safetensors", threads=1) as m:
        s = m.search("examples/planted-20.cnf")
        raise KeyError("mine")
except KeyError:
    pass
assert refused(s.next), "a search outlives its model"
s.close()
# Model and search thrown away together, in whatever order: nothing is freed twice.
import gc
for _ in range(20):
    ring = {"model": statewise.Model("models/sat.safetensors", threads=1)}
    ring["search"] = ring["model"].search("examples/planted-20.cnf")
    ring["ring"] = ring
    del ring
    gc.collect()
# Threads that share a model get the numbers that one alone gets.
import threading
def game(model, seen, wrong):
    try:
        s = model.search("examples/planted-20.cnf")
        for _ in range(12):
            q = s.next()
            if q is None:
                break
            rows = model.logits(q.tokens[:40], [0] * 40)
            seen.append(([k.logit for k in q.candidates], [float(x) for x in rows[39]], q.tokens))
            s.choose(q.best)
    except BaseException as error:
        wrong.append(error)
with statewise.Model("models/sat.safetensors", threads=1) as m:
    alone, wrong = [], []
    game(m, alone, wrong)
    together = [[] for _ in range(4)]
    threads = [threading.Thread(target=game, args=(m, seen, wrong)) for seen in together]
    for t in threads: t.start()
    for t in threads: t.join()
    assert not wrong, wrong
    assert len(alone) > 5 and all(seen == alone for seen in together), "threads that share a model get other numbers"
PY
exit $bad
