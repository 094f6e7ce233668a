#!/bin/sh
# The wheel: one file with library, program and two models, stripped and packed,
# in 8 MB; it installs without compiler and network, runs as script and as module, and its
# types hold. The sdist builds the same wheel.
set -u
case $BUILD in *san*) echo "pip builds the library again, without a sanitizer"; exit 77 ;; esac
. tests/python_env.sh
unset PYTHONPATH
trap 'rm -rf "$work" python/statewise/__pycache__ python/__pycache__' EXIT
bad=0
say() { echo "$*"; bad=1; }
"$python" -m pip --version >/dev/null 2>&1 || { echo "no pip"; exit 77; }
pip="$python -m pip --disable-pip-version-check -q"
version=$(sed -n 's/.*SW_VERSION "\(.*\)"/\1/p' src/base/version.h)
$pip wheel --no-index --no-deps --no-cache-dir ./python -w "$work/wheel" || exit 1
wheel=$(ls "$work"/wheel/*.whl)
case $wheel in */statewise-$version-py3-none-linux_*.whl) ;; *) say "the wheel is called $wheel" ;; esac
git diff --quiet HEAD -- python 2>/dev/null || echo "note: python/ has changes"

# What is in it: everything, once, packed; without debug information.
"$python" - "$wheel" <<'PY' || bad=1
import ast, os, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
ast.parse(wheel.read("statewise/_commands.pyi"))
names = wheel.namelist()
assert len(names) == len(set(names))
size = {n: wheel.getinfo(n).compress_size for n in names}
models = sum(size[n] for n in names if n.startswith("statewise/models/"))
whole = os.path.getsize(sys.argv[1])
print(f"wheel: {whole} bytes, {models} of them models")
assert whole < 8e6, f"the wheel takes {whole} bytes"
for name in ("libstatewise.so", "bin/statewise", "py.typed", "__main__.py", "_commands.pyi"):
    assert f"statewise/{name}" in names, name
for name in names:
    info = wheel.getinfo(name)
    assert info.compress_type == zipfile.ZIP_DEFLATED or name.endswith("RECORD"), name
for name in ("libstatewise.so", "bin/statewise"):
    assert b".debug_info" not in wheel.read(f"statewise/{name}"), f"{name} has debug information"
PY

# A fresh environment, no compiler in the path.
"$python" -m venv "$work/venv" 2>"$work/err" || { cat "$work/err"; exit 1; }
unset STATEWISE STATEWISE_LIBRARY STATEWISE_MODELS
here=$PWD
cd "$work" || exit 1
export PATH="$work/venv/bin:/nowhere" HOME="$work"
CC=false python -m pip -q --disable-pip-version-check install --no-index --no-deps "$wheel" || say "pip install failed"
for way in statewise "python -m statewise"; do
  $way --version >out 2>&1 || say "$way: $(/bin/cat out)"
  case $(/bin/cat out) in *$version*) ;; *) say "$way says $(/bin/cat out)" ;; esac
  $way solve "$here/examples/planted-20.cnf" >out 2>&1
  code=$?
  [ $code -eq 10 ] || say "$way solve: exit $code, $(/bin/cat out)"
  $way nonsense >out 2>&1
  [ $? -eq 64 ] || say "$way takes any command"
done
python - "$here" "$version" <<'PY' || bad=1
import importlib.metadata, os, subprocess, sys
import statewise
here, version = sys.argv[1:]
assert os.path.dirname(statewise.__file__).startswith(os.environ["HOME"])
assert importlib.metadata.version("statewise") == statewise.__version__ == statewise.version() == version
there = statewise.models()
assert [n for n in there if there[n].path] == ["sat", "sat-full"] and len(there) == 5, there
for name in there:
    try:
        with statewise.Model(statewise.shipped(name)) as model:
            assert model.parameters > 1000 and model.domain == there[name].domain and there[name].path
    except statewise.Error as error:
        assert there[name].path is None and f"train(preset='{there[name].preset}'" in str(error), error
with statewise.Model(statewise.shipped("sat")) as model, model.search(f"{here}/examples/planted-20.cnf") as search:
    assert search.run() == "solved"
try:
    statewise.shipped("nope")
    raise AssertionError("a model that is not shipped")
except statewise.Error:
    pass
try:
    import numpy
    raise AssertionError("numpy is there, so this does not try to do without")
except ImportError:
    pass
assert statewise.mask("ssa", [0, 1, 2]) == [[True, False, False], [True, True, False], [True, False, True]]
PY
cd "$here" || exit 1
PATH=/usr/local/bin:/usr/bin:/bin

# The sdist gives the same wheel, and its makefile has every source.
"$python" - "$work" <<'PY' || bad=1
import os, sys, tarfile
sys.path.insert(0, "python")
sys.dont_write_bytecode = True
import backend
os.environ["STATEWISE_WHEEL_MODELS"] = "all"
inside = {path for path, _, _ in backend.files()}
assert inside > {f"statewise/models/{m}" for m in os.listdir("models")}, inside
del os.environ["STATEWISE_WHEEL_MODELS"]
name = backend.build_sdist(sys.argv[1])
with tarfile.open(f"{sys.argv[1]}/{name}") as t:
    t.extractall(sys.argv[1])
PY
export STATEWISE_LIBRARY="$PWD/$BUILD/libstatewise.so" STATEWISE="$PWD/$BUILD/statewise"
$pip wheel --no-index --no-deps --no-cache-dir "$work/statewise-$version.tar.gz" -w "$work/again" || say "the sdist does not build"
cmp "$work"/wheel/*.whl "$work"/again/*.whl || say "the sdist builds another wheel"
make -n -C "$work/statewise-$version/engine" statewise build/libstatewise.so >"$work/out" 2>&1 || say "$(tail -3 "$work/out")"
# What puts other files into the library is compiled, because make -n would not miss them.
for file in $(grep -rl incbin src | sed 's/\.c$/.o/'); do
  env -u MAKEFLAGS -u MAKELEVEL make -C "$work/statewise-$version/engine" "build/$file" >"$work/out" 2>&1 || say "from the sdist: $(tail -3 "$work/out")"
done

# Types: those of the package, and those that its users see.
if "$python" -m mypy --version >/dev/null 2>&1; then
  mkdir "$work/typed" && cp python/pyproject.toml "$work/typed" &&
    cp -r "$work"/venv/lib/python3*/site-packages/statewise "$work/typed"
  (cd "$work/typed" && "$python" -m mypy --config-file pyproject.toml --cache-dir "$work/mypy") || bad=1
  cat >"$work/user.py" <<'PY'
import statewise
with statewise.Model(statewise.shipped("sat")) as model:
    search = model.search("x.cnf")
    for query in search:
        search.choose(query.best)
    answer: str = search.answer  # may be None: an error
    search.choose("first")  # a text: an error
    statewise.nothing  # an error
rate: float = statewise.evaluate(model="out/ssa", instances=20).solve_rate
statewise.evaluate(instances="twenty")  # an error
for step in statewise.train(data="d", mask="ssa", out="o", iterate=True):
    print(step.loss)
statewise.probe.transplant(model=["a", "b"], states=10).to_dict()
statewise.generate("sat", split="other")  # an error
PY
  "$python" -m mypy --strict --python-executable "$work/venv/bin/python" --cache-dir "$work/mypy" "$work/user.py" >"$work/out"
  grep -q '^Found 5 errors' "$work/out" || say "mypy says of a user's file: $(cat "$work/out")"
else
  echo "mypy is not installed: types are not checked"
fi
exit $bad
