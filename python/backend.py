"""The build backend of this package (PEP 517, standard library only). A wheel is
a zip file with the modules, the library, the program and the shipped models, so
installing it needs no compiler. What is not built yet is built with make; the
sdist brings the C sources for that.

The version is that of src/base/version.h and stands nowhere else."""
import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
# The C sources: beside the package in the repository, below it in an sdist.
ROOT = next((p for p in (os.path.join(HERE, "engine"), os.path.dirname(HERE))
             if os.path.exists(os.path.join(p, "src", "base", "version.h"))), None)
EPOCH = (2020, 1, 1, 0, 0, 0)  # the same wheel from the same files
# Weights hardly compress: all five make a wheel of 14 MB. The others come from a
# source tree, or from the presets that statewise.models() names.
WHEEL_MODELS = "sat sat-full"  # $STATEWISE_WHEEL_MODELS: others, or all
SUMMARY = "Learned backtracking search: train, run and audit models of search traces"


def read(path):
    with open(path, "rb") as f:
        return f.read()


def version():
    if ROOT is None:
        sys.exit("statewise: the C sources are not there; build from the repository or an sdist")
    header = read(os.path.join(ROOT, "src", "base", "version.h")).decode()
    return re.search(r'SW_VERSION "(.+)"', header).group(1)


def built(variable, name, target):
    """A file of the engine: the one the variable names, or what make builds."""
    given = os.environ.get(variable)
    if given:
        return given
    path = os.path.join(ROOT, "build", name)
    if not os.path.exists(path):
        subprocess.run(["make", f"-j{os.cpu_count() or 1}", "-C", ROOT, target], check=True, stdout=sys.stderr)
    return path


def stripped(path):
    """Its bytes without debug information, where strip is installed."""
    if not shutil.which("strip"):
        return read(path)
    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, "file")
        subprocess.run(["strip", "--strip-unneeded", "-o", small, path], check=True)
        return read(small)


def stubs(library):
    """The types of the command functions, from the library's tables."""
    environment = {**os.environ, "STATEWISE_LIBRARY": os.path.abspath(library), "STATEWISE_PYTHON": HERE}
    script = os.path.join(ROOT, "tools", "python_docs.py")
    return subprocess.run([sys.executable, script, "--stubs"], check=True, stdout=subprocess.PIPE,
                          env=environment).stdout


def metadata():
    return (f"Metadata-Version: 2.1\nName: statewise\nVersion: {version()}\nSummary: {SUMMARY}\n"
            "License: MIT\nRequires-Python: >=3.8\nProvides-Extra: arrays\n"
            'Requires-Dist: numpy ; extra == "arrays"\n')


def tag():
    return f"py3-none-linux_{os.uname().machine}"


def python_files(folder):
    for name in sorted(os.listdir(folder)):
        if name.endswith((".py", ".pyi")) or name == "py.typed":
            yield name, os.path.join(folder, name)


def files():
    """(name in the wheel, contents, is it a program)"""
    for name, path in python_files(os.path.join(HERE, "statewise")):
        yield f"statewise/{name}", read(path), False
    library = built("STATEWISE_LIBRARY", "libstatewise.so", "build/libstatewise.so")
    yield "statewise/libstatewise.so", stripped(library), False
    yield "statewise/_commands.pyi", stubs(library), False
    yield "statewise/bin/statewise", stripped(built("STATEWISE", "statewise", "statewise")), True
    models = os.path.join(ROOT, "models")
    wanted = os.environ.get("STATEWISE_WHEEL_MODELS", WHEEL_MODELS).split()
    for name in sorted(os.listdir(models)) if wanted == ["all"] else [f"{w}.safetensors" for w in wanted]:
        yield f"statewise/models/{name}", read(os.path.join(models, name)), False


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"statewise-{version()}.dist-info"
    name = f"statewise-{version()}-{tag()}.whl"
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
        def put(path, data, program=False):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
        for path, data, program in files():
            put(path, data, program)
        put(f"{info}/METADATA", metadata().encode())
        put(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: statewise\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode())
        put(f"{info}/entry_points.txt", b"[console_scripts]\nstatewise = statewise.__main__:main\n")
        put(f"{info}/LICENSE", read(os.path.join(ROOT, "LICENSE")))
        record.append(f"{info}/RECORD,,")
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD", EPOCH), "\n".join(record) + "\n")
    return name


def source_files():
    """(name in the sdist, path) of the package and of the engine it is built from."""
    for name in ("pyproject.toml", "backend.py"):
        yield name, os.path.join(HERE, name)
    for name, path in python_files(os.path.join(HERE, "statewise")):
        yield f"statewise/{name}", path
    for name in ("Makefile", "LICENSE", "README.md", "statewise.pc.in"):
        yield f"engine/{name}", os.path.join(ROOT, name)
    for part in ("src", "include", "models", "examples", "experiments", "tools"):
        for folder, _, names in sorted(os.walk(os.path.join(ROOT, part))):
            for name in sorted(names):
                if "__pycache__" not in folder:
                    path = os.path.join(folder, name)
                    yield f"engine/{os.path.relpath(path, ROOT)}", path


def build_sdist(sdist_directory, config_settings=None):
    base = f"statewise-{version()}"
    name = base + ".tar.gz"
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as out:
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        data = metadata().encode()
        info.size = len(data)
        out.addfile(info, io.BytesIO(data))
        for inside, path in source_files():
            out.add(path, f"{base}/{inside}", recursive=False)
    return name
