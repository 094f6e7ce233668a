"""What tools/same_bits.sh needs besides the program: documents without times,
rows of a result store, tensors, a session with the server, kept numbers, and
the comparison of two directories.

    same_bits.py json <document      rows DB      tensors WEIGHTS...
    same_bits.py losses METRICS      serve URL    kept PROGRAM RESULTS    tree DIR
    same_bits.py compare A B         exit 1 and a list where they differ
"""
import csv
import difflib
import hashlib
import http.client
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
from urllib.parse import urlparse

# What changes from run to run, or with the place of the files.
CHANGES = re.compile(r"second|per_s$|^(path|peak_rss_kb|machine|created|date|id|version|program|file|files)$")


def clean(x):
    if isinstance(x, dict):
        return {k: clean(v) for k, v in x.items() if not CHANGES.search(k)}
    if isinstance(x, list):
        return [clean(v) for v in x]
    return os.path.basename(x) if isinstance(x, str) and x.startswith("/") else x


def show(x):
    print(json.dumps(clean(x), indent=1, sort_keys=True))


def flat(x, name=""):
    """Every value of a document, a line each, under its path."""
    if isinstance(x, (dict, list)):
        for k, v in sorted(x.items()) if isinstance(x, dict) else enumerate(x):
            yield from flat(v, f"{name}/{k}")
    else:
        yield name, x


def rows(path):
    """The outcomes of a result store with the columns that say what happened."""
    db = sqlite3.connect(path)
    columns = [r[1] for r in db.execute("PRAGMA table_info(outcomes)") if "second" not in r[1] and r[1] != "condition"]
    query = ("SELECT c.policy, c.verifier, c.protocol, c.mask, " + ", ".join("o." + c for c in columns) +
             " FROM outcomes o JOIN conditions c ON c.id = o.condition ORDER BY 1, 2, 3, 4, 5")
    for row in db.execute(query):
        print(*row[:4], *(f"{k}={v}" for k, v in zip(columns, row[4:])))


def tensors(path):
    raw = open(path, "rb").read()
    size, = struct.unpack("<Q", raw[:8])
    head, data = json.loads(raw[8:8 + size]), raw[8 + size:]
    head.pop("__metadata__", None)
    for name in sorted(head):
        print(name, head[name]["shape"], hashlib.sha256(data[slice(*head[name]["data_offsets"])]).hexdigest())


def losses(path):
    for line in open(path):
        show(json.loads(line))


class Server:
    def __init__(self, url):
        u = urlparse(url)
        self.connection = http.client.HTTPConnection(u.hostname, u.port, timeout=120)

    def ask(self, path, body=None):
        head = {"Content-Type": "application/json"}
        self.connection.request("POST" if body else "GET", path, json.dumps(body) if body else None, head if body else {})
        r = self.connection.getresponse()
        text = r.read()
        print(path, json.dumps(body)[:300], r.status)
        answer = json.loads(text)
        show(answer)
        return answer


QUESTION = [{"role": "user", "content":
             "Problem\nFormula, clause after clause: C0: +v0 +v1 -v2.\n C1: -v0 +v2 +v3.\nThis is all of it.\n\n"
             "Situation\nState: v0 open v1 open v2 open v3 open.\n Look at clause C0: +v0 open +v1 open -v2 open ;\n"
             "\n\nChoices\n1. go back\n2. v0\n3. v1\n4. v2\n5. v3\nAnswer with one number."}]


def serve(url, examples):
    """A fixed session: each model's search, its histories, the endpoint."""
    files = {"blocks": "sussman.pddl", "coloring": "petersen.col", "parsing": "nested.sentence"}
    s = Server(url)
    models = [m["id"] for m in s.ask("/v1/models")["data"]]
    s.ask("/api/start")
    for model in models:
        name = files.get(model.split("-")[0])
        problem = {"name": name, "text": open(os.path.join(examples, name)).read()} if name else {"draw": {"seed": 3, "n": 6}}
        for body in ({}, {"advance": 2, "by": 0}, {"advance": 12, "by": 0, "attention": 0}, {"advance": 100, "by": 0}):
            s.ask("/api/view", {"models": [model], "problem": problem, "path": [], **body})
    for pair in ([m for m in models if m in ("ssa", "causal")], [m for m in models if m in ("ssa", "lstm")]):
        view = s.ask("/api/view", {"models": pair, "problem": {"draw": {"seed": 5, "n": 6}}, "path": [], "advance": 6, "by": 1, "attention": 1})
        s.ask("/api/view", {"models": pair, "problem": {"draw": {"seed": 5, "n": 6}}, "path": view.get("path", []), "history": ""})
    two = QUESTION + [{"role": "assistant", "content": "2"},
                      {"role": "user", "content": "Choices\n1. true\n2. false\nAnswer with one number."}]
    for model in models:
        for turns in (QUESTION, two, QUESTION):
            s.ask("/v1/chat/completions", {"model": model, "messages": turns, "logprobs": True, "top_logprobs": 20})


def kept(program, folder):
    """Every number that is kept, by table, row, column and seed."""
    environment = dict(os.environ, STATEWISE_RESULTS=folder)

    def run(*arguments):
        command = [program, "repro", *arguments, "--json"]
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    for name in sorted(e["id"] for e in json.loads(run("--list"))["experiments"]):
        document = json.loads(run(name, "--kept") or "{}")
        for cell in document.get("cells", []):
            cell["values"] = {str(v.pop("seed")): v for v in cell["values"]}
        document["cells"] = {f"{c['row']}/{c['column']}": c for c in document.get("cells", [])}
        for path, value in flat(document):
            if not re.search(r"\.by$|^\.(made_by|command|seconds|date)", path):
                print(name + path, json.dumps(value))


def without_times(name, text):
    if name.endswith(".csv"):
        rows = list(csv.reader(text.decode().splitlines()))
        keep = [i for i, title in enumerate(rows[0])] if rows else []
        keep = [i for i in keep if not CHANGES.search(rows[0][i])]
        return "".join(",".join(row[i] for i in keep if i < len(row)) + "\n" for row in rows).encode()
    text = re.sub(rb"\d+(\.\d+)?( |&nbsp;)?(seconds|s|ms)\b|\d{4}-\d\d-\d\d[T ]?[\d:]*Z?", b"TIME", text)
    return re.sub(rb"/[\w./-]*/(?=\w)", b"", text)


def tree(folder):
    """Every file of a report, without times; tables in full."""
    for base, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            text = without_times(name, open(os.path.join(base, name), "rb").read())
            print(os.path.relpath(os.path.join(base, name), folder), hashlib.sha256(text).hexdigest())
            if name.endswith((".csv", ".md")):
                sys.stdout.write(text.decode())


def same(a, b):
    return a == b or (a != a and b != b)


def differing(a, b):
    """The first places where two texts differ: paths of a document, else lines."""
    try:
        one, two = (dict(flat(json.loads(t))) for t in (a, b))
        return [f"{k}: {one.get(k, 'absent')} -> {two.get(k, 'absent')}" for k in sorted({*one, *two})
                if k not in one or k not in two or not same(one[k], two[k])]
    except ValueError:
        pass
    lines = difflib.unified_diff(a.splitlines(), b.splitlines(), lineterm="", n=0)
    out = [line[:200] for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return out


def compare(a, b):
    names = sorted({*os.listdir(a), *os.listdir(b)})
    bad = 0
    for name in names:
        one, two = os.path.join(a, name), os.path.join(b, name)
        if not os.path.exists(one) or not os.path.exists(two):
            print(f"{name}: only in {b if os.path.exists(two) else a}")
            bad += 1
            continue
        x, y = open(one, errors="replace").read(), open(two, errors="replace").read()
        if x == y:
            continue
        places = differing(x, y)
        bad += bool(places)
        if places:
            print(f"{name}: {len(places)} differ")
            print(*(f"    {p}" for p in places[:5]), sep="\n")
    print(f"{len(names)} files, {bad} differ")
    return 1 if bad or not names else 0


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "json":
        text = sys.stdin.read()
        try:
            show(json.loads(text))
        except ValueError:
            sys.stdout.write(text)
        return 0
    return {"rows": rows, "tensors": tensors, "losses": losses, "serve": serve, "kept": kept, "tree": tree,
            "compare": compare}[what](*arguments) or 0


sys.exit(main())
