"""Damaged files before every reader of them, imports and cases of chance, and
experiments: a reason or a result, never anything else."""
import json
import os
import random
import shutil

from attack import ROOT, mangle

QUIET = ["--progress", "none", "--threads", 1]
SMALL = ["--mask", "ssa", "--d", 16, "--layers", 1, "--heads", 2, "--slots", 2, "--batch", 2, "--valid-limit", 2]


def search(rng):
    """A line of a search of the user's own."""
    words = ["a=1", "a=2", "b=1", "b=?", "c", "é", "x" * rng.choice((1, 60))]
    steps = [{"state": " ".join(rng.choices(words, k=rng.randint(1, 4))), "action": rng.choice(("go", "a=1", "BACK", ["b", "c"]))}
             for _ in range(rng.randint(1, 5))]
    for s in steps:
        if rng.random() < .3:
            s["viable"] = rng.random() < .5
    line = {"problem": rng.choice(("P one", "P two", ["P", "three"])), "steps": steps, "solved": rng.random() < .7}
    if rng.random() < .3:
        line[rng.choice(("group", "x-mine"))] = "g" + str(rng.randrange(3))
    return line


def imports(r, rng):
    """What is imported comes back the same; what is broken is refused by line."""
    while r.left() > 0:
        text = "".join(json.dumps(search(rng)) + "\n" for _ in range(rng.randint(1, 8)))
        file = r.write("own.jsonl", text)
        code, _, _ = r.run("import", file, "-o", "own.st", "--progress", "none", files=[file])
        if code == 0:
            r.must("export", "own.st", "-o", "out.jsonl", "--progress", "none", files=[file])
            r.must("import", "out.jsonl", "-o", "again.st", "--progress", "none", files=[file])
            r.must("export", "again.st", "-o", "again.jsonl", "--progress", "none", files=[file])
            with open(r.path("out.jsonl"), "rb") as a, open(r.path("again.jsonl"), "rb") as b:
                if a.read() != b.read():
                    r.fail("export, import and export again differ", [file])
        bad = r.write("bad.jsonl", mangle(rng, text.encode()))
        r.run("import", bad, "-o", "bad.st", "--progress", "none", files=[bad])


def prepare(r):
    """One good file of each kind, made once."""
    if os.path.exists(r.path("good")):
        return
    os.mkdir(r.path("good"))
    r.must("gen", "sat", "--n", 6, "--count", 20, "--viability", "-o", "good/d.st", "--progress", "none")
    r.must("train", "--data", "good/d.st", *SMALL, "--steps", 4, "-o", "good/run", *QUIET)
    r.must("probe", "bank", "build", "--n", 6, "--viable", 8, "--conflicts", 2, "-o", "good/bank.st")
    r.must("eval", "--model", "good/run", "--n", 6, "--instances", 3, "--db", "good/results.db", *QUIET)
    r.must("probe", "padding", "--model", "good/run", "--trials", 2, "--instances", 2, "--resamples", 0, "--into", "good", "--progress", "none")
    with open(r.path("good/own.jsonl"), "w") as f:
        f.writelines(json.dumps(search(random.Random(i))) + "\n" for i in range(4))
    with open(r.path("good/g.grammar"), "w") as f:
        f.write('rule s : a "x" # first\nrule a : "y" | "y" "x"\n')
    with open(r.path("good/x.sentence"), "w") as f:
        f.write("y x x\n")


def readers(rng, bad):
    """File -> commands that read its damaged copy."""
    resume = ["train", "--data", "good/d.st", *SMALL, "--steps", 8, "-o", bad, *QUIET]
    return {
        "d.st": [["show", "trace", bad], ["train", "--data", bad, *SMALL, "--steps", 1, "-o", "t", *QUIET], ["export", bad, "-o", "x"]],
        "run/model.safetensors": [["show", "model", bad], ["eval", "--model", bad, "--n", 6, "--instances", 1, "--db", "none", *QUIET],
                                  ["solve", os.path.join(ROOT, "examples/graph.col"), "--model", bad]],
        "run": [["report", os.path.dirname(bad), "--viable", 0, "--states", 0, "--progress", "none"], resume],
        "bank.st": [["probe", "bank", "eval", "--bank", bad, "--model", "good/run", "--progress", "none"]],
        "results.db": [["eval", "--model", "good/run", "--n", 6, "--instances", 4, "--db", bad, *QUIET]],
        "own.jsonl": [["import", bad, "-o", "y.st", "--progress", "none"]],
        "padding.json": [["report", os.path.dirname(bad), "--progress", "none"]],
        "g.grammar": [["solve", "good/x.sentence", "--grammar", bad, "--no-model"]],
    }


def damaged(r, rng):
    prepare(r)
    while r.left() > 0:
        shutil.rmtree(r.path("bad"), ignore_errors=True)
        shutil.rmtree(r.path("t"), ignore_errors=True)
        os.mkdir(r.path("bad"))
        name = rng.choice(list(readers(rng, "")))
        bad = os.path.join("bad", os.path.basename(name))
        if name == "run":  # one of its files
            shutil.copytree(r.path("good/run"), r.path(bad))
            inside = rng.choice(sorted(os.listdir(r.path(bad))))
            target = r.path(os.path.join(bad, inside))
        else:
            shutil.copy(r.path(os.path.join("good", name)), r.path(bad))
            target = r.path(bad)
        if not os.path.isfile(target):
            continue
        with open(target, "rb") as f:
            data = f.read()
        head = min(len(data), 2000)  # where the structure is
        data = mangle(rng, data[:head]) + data[head:] if rng.random() < .6 else mangle(rng, data)
        with open(target, "wb") as f:
            f.write(data)
        for words in readers(rng, bad)[name]:
            r.run(*words, files=[r.path(bad)])


def cases(r, rng):
    """Audit's files: nothing is asked in a dry run without an endpoint."""
    message = {"role": "user", "content": "now?"}
    good = {"id": "1", "situation": [message], "choices": ["a", "b"], "right": "a", "group": "g",
            "histories": [{"name": "own", "messages": [message, {"role": "assistant", "content": "1"}], "count": 1}]}
    log = {"messages": [message, {"role": "assistant", "content": "one"}, message, {"role": "assistant", "content": "two"}]}
    while r.left() > 0:
        kind = rng.choice(("--cases", "--logs"))
        text = "".join(json.dumps(good if kind == "--cases" else log) + "\n" for _ in range(3)).encode()
        file = r.write("given.jsonl", mangle(rng, text) if rng.random() < .9 else text)
        r.run("audit", "http://127.0.0.1:1/v1", kind, file, "--state", rng.choice(("last-user", "last-tool", "/content")), "--guide-retries", 0,
              "--guide-pause", 0, "--guide-timeout", 1, "--guide-model", "m", "-o", "audit", "--progress", "none", files=[file])


def experiments(r, rng):
    folder = os.path.join(ROOT, "experiments")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    if not names:
        r.skipped[r.part] = "there are no files of experiments"
        return
    while r.left() > 0:
        with open(os.path.join(folder, rng.choice(names)), "rb") as f:
            file = r.write("mine.yaml", mangle(rng, f.read()))
        r.run("repro", file, "--list", files=[file])


PARTS = {"import": imports, "damaged": damaged, "cases": cases, "experiments": experiments}
