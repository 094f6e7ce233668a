"""same_tree.py A B: do two directories hold the same files and the same
results? Compared is everything but what tells when, where and how fast it was
made: times (cells in seconds too), memory and directory names in JSON, the
columns of seconds in a store, and the progress log. Says what differs and exits with 1. Used by the
tests that interrupt a command and run it again."""
import json
import os
import sqlite3
import sys

CIRCUMSTANCES = ("seconds", "_per_s", "date", "host", "machine", "peak_rss_kb")


def lasting(value, directory):
    if isinstance(value, dict):
        if value.get("unit") == "s":  # a cell of an experiment that is a time
            return {k: v for k, v in value.items() if isinstance(v, str)}
        return {k: lasting(v, directory) for k, v in value.items() if not k.endswith(CIRCUMSTANCES)}
    if isinstance(value, list):
        return [lasting(v, directory) for v in value]
    return value.replace(directory, "DIR") if isinstance(value, str) else value


def safetensors(data, directory):
    length = 8 + int.from_bytes(data[:8], "little")
    return lasting(json.loads(data[8:length]), directory), data[length:]


def store(path):
    db = sqlite3.connect(path)
    tables = {}
    for table in ("conditions", "outcomes"):
        names = [c[1] for c in db.execute(f"PRAGMA table_info({table})")]
        kept = ", ".join(n for n in names if not n.endswith(CIRCUMSTANCES))
        tables[kept] = sorted(db.execute(f"SELECT {kept} FROM {table}"), key=repr)
    db.close()
    return tables


def content(directory, name):
    path = os.path.join(directory, name)
    if name.endswith(".db"):
        return store(path)
    with open(path, "rb") as file:
        data = file.read()
    if name.endswith(".safetensors"):
        return safetensors(data, directory)
    if name.endswith(".json"):
        return lasting(json.loads(data), directory)
    if name.endswith(".jsonl"):
        return [lasting(json.loads(line), directory) for line in data.splitlines()]
    if name.endswith("train.log"):
        return None
    if name.endswith(("table.md", "table.tex")):  # a line for each cell
        times = (b"seconds", b"training time")
        data = b"\n".join(l for l in data.splitlines() if not any(t in l for t in times))
    return data.replace(directory.encode(), b"DIR")


def difference(a, b):
    """Where two contents begin to differ, for the message."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if a.get(key) != b.get(key):
                return f"{key}: {difference(a.get(key), b.get(key))}"
    return f"{str(a)[:80]} | {str(b)[:80]}"


def files(directory):
    found = []
    for place, _, names in os.walk(directory):
        found += [os.path.relpath(os.path.join(place, n), directory) for n in names]
    return sorted(found)


def main():
    a, b = sys.argv[1:]
    names = files(a)
    if names != files(b):
        print("other files:", *sorted(set(names) ^ set(files(b))))
        return 1
    different = [n for n in names if content(a, n) != content(b, n)]
    for name in different:
        print("differs:", name, difference(content(a, name), content(b, name)))
    return 1 if different else 0


sys.exit(main())
