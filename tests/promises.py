"""Prints the names that Statewise promises to keep, one a line, sorted: commands,
options and their values, exit codes, the public header, and what files and
--json answers are made of (seen in a small quickstart and a few answers). tests/promises.txt is the list of the last release; docs/promises.md
says what it means.
    python3 tests/promises.py PROGRAM FOLDER     FOLDER: empty, for what is made
"""
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys

PROGRAM, FOLDER = sys.argv[1:]
names = set()


def run(*words):
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=FOLDER)
    if done.returncode not in (0, 10, 20):
        sys.exit(f"statewise {' '.join(words)}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def commands():
    """From the completion, which is made from the tables of options."""
    parts, before = None, ""
    for line in run("help", "--completion").splitlines():
        if start := re.match(r'    "(.+)"\)$', line):
            parts = start[1]
            names.add(f"command {parts}")
        elif parts and (words := re.match(r'      words="(.*)"', line)):
            names.update(f"option {parts} {word}" for word in words[1].split() if word.startswith("--"))
        elif parts and (words := re.match(r'      \[ "\$before" = (\S+) \] && words="(.*)"', line)):
            names.update(f"value {parts} {words[1]} {word}" for word in words[2].split())


def exit_codes():
    manual = run("help", "--man")
    part = manual[manual.index(".SH EXIT STATUS"):].split("\n.SH ")[0]
    names.update(f"exit {code} {text}" for code, text in re.findall(r"\.B (\d+)\n(.+)", part))


def header():
    """Declarations, and the members of structures one by one: members may come on top."""
    text = open("include/statewise.h").read()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    text = re.sub(r"\s+", " ", text.replace('extern "C" {', "").replace("STATEWISE_API ", ""))
    text = text.replace("( ", "(")
    for body, name in re.findall(r"typedef (?:struct|enum)[^{;]*\{(.*?)\} (\w+);", text):
        names.update(f"header {name}: {part.strip()}" for part in re.split(r"[;]" if ";" in body else ",", body) if part.strip())
    for body in re.findall(r"enum \{(.*?)\};", text):
        names.update(f"header {part.strip()}" for part in body.split(",") if part.strip())
    rest = re.sub(r"(typedef )?(struct|enum)[^{;]*\{.*?\} ?\w*;", "", text)
    names.update(f"header {part.strip()}" for part in rest.split(";") if part.strip(" }"))


def members(what, value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            names.add(f"json {what} {path}{key}")
            members(what, inner, f"{path}{key}.")
    elif isinstance(value, list):
        for inner in value:
            members(what, inner, f"{path}[].")


def tensors(what, path):
    with open(path, "rb") as f:
        head = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
    names.update(f"metadata {what} {key}" for key in head.pop("__metadata__"))
    names.update(f"tensor {what} {name} {tensor['dtype']}" for name, tensor in head.items())


def answers(out):
    model = os.path.join(out, "ssa")
    small = ["--progress", "none", "--json"]
    sat = ["--instances", "4", *small]
    for words in (["gen", "sat", "--n", "6", "--count", "4", "-o", "set", *small],
                  ["show", "model", model, "--json"],
                  ["eval", "--domain", "sat", *sat], ["probe", "transplant", "--domain", "sat", "--states", "20", *small],
                  ["probe", "bank", "eval", "--domain", "sat", "--viable", "20", "--conflicts", "10", *small],
                  ["probe", "padding", "--domain", "sat", "--trials", "4", *small]):
        what = " ".join(word for word in words[:3] if not word.startswith("-") and "/" not in word)
        for line in run(*words).splitlines():
            members(what, json.loads(line))
    tensors("data set", os.path.join(FOLDER, "set"))


def files(out):
    run("quickstart", "--out", out, "--steps", "4", "--instances", "6", "--states", "20", "--progress", "none")
    for folder, _, inside in os.walk(out):
        for name in sorted(inside):
            path = os.path.join(folder, name)
            if name == "experiment.json":  # between our own programs
                continue
            if name.endswith(".json"):
                members(name, json.load(open(path)))
            elif name.endswith(".jsonl"):
                for line in open(path):
                    members(name, json.loads(line))
            elif name.endswith(".db"):
                base = sqlite3.connect(path)
                for table, in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                    names.update(f"column {name} {table}.{row[1]}" for row in base.execute(f"PRAGMA table_info({table})"))
    tensors("model.safetensors", os.path.join(out, "ssa", "model.safetensors"))


PROGRAM = os.path.abspath(PROGRAM)
commands()
exit_codes()
header()
made = os.path.join(FOLDER, "quickstart")
files(made)
answers(made)
print("\n".join(sorted(names)))
