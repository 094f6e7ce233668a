"""The build backend of this package: a wheel is a zip file with the modules and
three lists, so nothing has to be fetched to make one (PEP 517, standard library
only). The version is the library's; where libstatewise.so has been built it goes
into the wheel."""
import base64
import hashlib
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def version():
    with open(os.path.join(HERE, "statewise", "__init__.py"), encoding="utf-8") as f:
        return re.search(r'^__version__ = "(.+)"', f.read(), re.M).group(1)


def library():
    """The built library, if there is one."""
    for path in (os.environ.get("STATEWISE_LIBRARY"), os.path.join(ROOT, "build", "libstatewise.so")):
        if path and os.path.exists(path):
            return path
    return None


def metadata():
    return (f"Metadata-Version: 2.1\nName: statewise\nVersion: {version()}\n"
            "Summary: Learned backtracking search: open a model, step a search, read data sets and results\n"
            "License: MIT\nRequires-Python: >=3.8\n")


def tag():
    if not library():
        return "py3-none-any"
    machine = os.uname().machine
    return f"py3-none-linux_{machine}"


def wheel_text():
    return f"Wheel-Version: 1.0\nGenerator: statewise\nRoot-Is-Purelib: {'false' if library() else 'true'}\nTag: {tag()}\n"


def files():
    """(name in the wheel, contents)"""
    folder = os.path.join(HERE, "statewise")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py") or name == "py.typed":
            with open(os.path.join(folder, name), "rb") as f:
                yield f"statewise/{name}", f.read()
    if library():
        with open(library(), "rb") as f:
            yield "statewise/libstatewise.so", f.read()


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"statewise-{version()}.dist-info"
    name = f"statewise-{version()}-{tag()}.whl"
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        def put(path, data):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
            wheel.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), data)
        for path, data in files():
            put(path, data)
        put(f"{info}/METADATA", metadata().encode())
        put(f"{info}/WHEEL", wheel_text().encode())
        record.append(f"{info}/RECORD,,")
        wheel.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    base = f"statewise-{version()}"
    name = base + ".tar.gz"
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as out:
        for part in ("pyproject.toml", "backend.py", "statewise"):
            out.add(os.path.join(HERE, part), f"{base}/{part}", filter=lambda t: None if "__pycache__" in t.name else t)
    return name
