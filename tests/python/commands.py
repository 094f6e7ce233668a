"""The commands as Python functions: every option is reached, a training gives the
program's weights, stopping and going on, threads, processes, leaks."""
import filecmp
import inspect
import json
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time

import statewise
from statewise import functions as made
from statewise.runs import tables

PROGRAM = os.environ["STATEWISE"]
LONG = bool(os.environ.get("STATEWISE_LONG"))
TINY = dict(data="d.safetensors", mask="ssa", steps=8, d=16, layers=1, heads=2, slots=2, batch=4, threads=1)


def raises(kind, call, *words):
    try:
        call()
    except kind as error:
        for word in words:
            assert word in str(error), f"`{error}` does not say `{word}`"
        return error
    raise AssertionError(f"no {kind.__name__}")


def python_of(command):
    """The function of a command of the program."""
    for name, program in made.NAMES.items():
        if program == command:
            return getattr(statewise, name)
    group, kind = command.split(" ")
    return getattr(getattr(statewise, group), kind)


# ---- every option of every command ----

# Two options of probe bank lead to another command before anything is checked.
WRONG = {"integer": "many", "real": "many", "flag": "perhaps", "choice": "zzz"}


def options_are_reached():
    table = tables()
    count = 0
    for command in table["commands"]:
        function = python_of(command["name"])
        signature = inspect.signature(function)
        assert function.__doc__ and command["summary"] in function.__doc__
        words = [p.name for p in made.words_of(command)]
        values = ["x" if p.default is p.empty else None for p in made.words_of(command) if p.kind is not p.VAR_POSITIONAL]
        options = made.options_of(command, table["domains"])
        expected = {o["name"] for o in command["options"]} - set(made.OURS)
        if command["takes_task"]:
            expected |= {o["name"] for d in table["domains"] for o in d["options"]}
        assert {o["name"] for o in options.values()} == expected, command["name"]
        for name, option in options.items():
            assert name not in words, f"{command['name']}: {name} is hidden by a word"
            assert name in signature.parameters and f"{name}: {option['help']}" in function.__doc__
            assert "of" in option or option["kind"] == "list" or signature.parameters[name].default == option["default"]
            if option["kind"] in WRONG and "of" not in option:  # the library refuses the value by the option's name
                error = raises(statewise.Error, lambda: function(*values, **{name: WRONG[option["kind"]]}))
                assert error.text.startswith(f"--{option['name']}: "), f"{command['name']} {name}: {error}"
            elif name != "guide":  # any text will do; the library goes on to the next
                error = raises(statewise.Error, lambda: function(*values, **{name: "0"}, progress="zzz"), "--progress")
            count += 1
    assert count > 600, count
    print(f"{len(table['commands'])} commands, {count} options")


def wrong_use_is_told():
    raises(TypeError, lambda: statewise.train(stepps=3), "stepps", "did you mean steps?")
    raises(TypeError, lambda: statewise.generate(), "domain")
    raises(ValueError, lambda: statewise.probe("transplnt"), "did you mean transplant?")
    raises(statewise.Error, lambda: statewise.train(steps=2**70), "steps")
    raises(statewise.Error, lambda: statewise.train(steps=object()), "steps", "object")
    raises(statewise.Error, lambda: statewise.train(steps=int), "steps", "int is a class")
    raises(statewise.Error, lambda: statewise.run("evla"), "eval")
    raises(statewise.Error, lambda: statewise.run("serve"), "program")
    raises(AttributeError, lambda: statewise.nothing, "nothing")
    assert "train" in dir(statewise) and "transplant" in dir(statewise.probe)


# ---- results ----

def results():
    made_by = statewise.generate("sat", n=6, count=40, seed=3, viability=True, out="d.safetensors")
    assert made_by.kept == made_by["kept"] == 40 and made_by.options.n == 6 and "hash" in dir(made_by)
    assert made_by.options.max_blocks == made_by.options["max-blocks"] == made_by.to_dict()["options"]["max-blocks"]
    raises(AttributeError, lambda: made_by.nothing, "kept")
    assert pickle.loads(pickle.dumps(made_by)) == made_by == dict(made_by)
    found = statewise.evaluate(domain="sat", n=6, instances=3, no_model=True, policies=["all"][0], db="none")
    rows = found.rows()
    assert len(rows) == len(found.rows()) > 3 and rows[0]["counts.decisions"] == found.rows()[0]["counts.decisions"]
    page = found._repr_html_()
    assert page.count("<tr>") == len(rows) + 1 and "solve_rate" in page
    frame = found.to_pandas()
    assert list(frame["policy"]) == [r["policy"] for r in rows] and frame["solve_rate"].dtype.kind in "fi"
    assert frame["counts.decisions"].sum() == sum(r["counts.decisions"] for r in rows)
    one = made_by.to_pandas()  # a document without rows is one row
    assert len(one) == 1 and one["kept"][0] == made_by.kept
    assert [m.name for m in statewise.show.mask(list=True).masks] == statewise.mask_names()
    printed = subprocess.run([PROGRAM, "show", "trace", "d.safetensors", "--json"], capture_output=True, check=True)
    assert statewise.show.trace("d.safetensors").to_dict() == json.loads(printed.stdout)
    assert statewise.show.trace("d.safetensors", index=2) != json.loads(printed.stdout)


# ---- trainings ----

def same(a, b):
    assert filecmp.cmp(f"{a}/model.safetensors", f"{b}/model.safetensors", shallow=False), f"{a} and {b} differ"


def trainings_are_the_programs():
    options = [f"--{k}={v}" for k, v in TINY.items()]
    subprocess.run([PROGRAM, "train", *options, "--progress=none", "-o", "program"], check=True)
    told = []
    whole = statewise.train(**TINY, out="python", progress=told.append)
    same("program", "python")
    assert whole.steps == 8 and [e.step for e in told if e.event == "step"] == list(range(1, 9))
    again = statewise.train(**TINY, out="python")
    assert again.valid_loss == whole.valid_loss

    # Step by step: it waits for its reader, stops where the loop is left, and goes on.
    training = statewise.train(**TINY, out="steps", iterate=True)
    for step in training:
        assert step.tokens > 0 and step.lr > 0
        if step.step == 3:
            break
    training.close()
    assert training.result is None and list(training.curve("step")) == [1, 2, 3]
    with statewise.train(**TINY, out="steps", iterate=True) as training:
        seen = [step.step for step in training]
    assert seen == [4, 5, 6, 7, 8], seen
    assert training.result.valid_loss == whole.valid_loss and next(training, None) is None
    same("program", "steps")
    raises(statewise.Error, lambda: list(statewise.train(data="absent", mask="ssa", out="x", iterate=True)), "absent")

    # What a callback raises comes out, behind a checkpoint.
    def third(event):
        if event.event == "step" and event.step >= 3:
            raise KeyError("mine")
    raises(KeyError, lambda: statewise.train(**TINY, out="raised", progress=third), "mine")
    statewise.train(**TINY, out="raised")
    same("program", "raised")

    # Two at once are as each alone.
    statewise.train(**{**TINY, "mask": "causal"}, out="alone")
    threads = [threading.Thread(target=statewise.train, kwargs={**TINY, "mask": mask, "out": f"both-{mask}"})
               for mask in ("ssa", "causal")]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same("program", "both-ssa")
    same("alone", "both-causal")


INTERRUPTED = """
import signal
import statewise
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored in what runs behind it
def told(event):
    if event.event == "step":
        print(event.step, flush=True)
try:
    statewise.train(**%r, out="interrupted", progress=told)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def an_interrupt_ends_a_run():
    endless = {**TINY, "steps": 100000}
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED % endless], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "1"
    process.send_signal(signal.SIGINT)
    out = process.stdout.read().split()
    assert process.wait() == 0 and out[-1] == "interrupted", out
    training = statewise.train(**endless, out="interrupted", iterate=True)
    assert next(training).step > 1, "no checkpoint"
    training.close()
    # An interpreter that ends in the middle ends the run with it.
    code = INTERRUPTED % endless + "\n"
    code = code.replace("statewise.train(", "t = statewise.train(iterate=True, ").replace("try:", "if 1:").replace(
        "except KeyboardInterrupt:", "next(t)\nif 0:")
    ended = subprocess.run([sys.executable, "-c", code], timeout=60, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def child_trains(out):
    statewise.train(**TINY, out=out)


def processes():
    training = statewise.train(**TINY, out="parent", iterate=True)
    next(training)
    pid = os.fork()
    if pid == 0:  # the parent's run is not here; another can be
        code = 1
        try:
            raises(statewise.Error, lambda: next(training), "forked")
            child_trains("forked")
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0, "the forked process failed"
    assert len(list(training)) == 7
    child = multiprocessing.get_context("spawn").Process(target=child_trains, args=("spawned",))
    child.start()
    child.join()
    assert child.exitcode == 0, "the spawned process failed"
    for name in ("forked", "spawned", "parent"):
        same("program", name)


# ---- own policies and environments ----

COUNTS = ("decisions", "backs", "tokens", "repeats", "missed_conflicts")


def policies():
    """A policy of ours that asks a model does what the model does in the loop."""
    model = statewise.Model(statewise.shipped("sat"), threads=1)
    widest = []

    def asks_the_model(questions):
        widest.append(len(questions))
        rows = [model.logits(q.tokens, [0] * q.block + [1] * (len(q.tokens) - q.block))[len(q.tokens) - 1]
                for q in questions]
        return [[float(row[int(token)]) for token in q.candidates] for row, q in zip(rows, questions)]

    task = dict(domain="sat", n=8, instances=6, seed=5, decisions=40)
    both = statewise.evaluate(model=statewise.shipped("sat"), policy=asks_the_model, policy_width=3, policies="none", **task)
    theirs, ours = both["rows"]
    assert max(widest) == 3 and ours.n == theirs.n == 6 and ours.policy == "asks_the_model"
    for name in COUNTS:
        assert ours.counts[name] == theirs.counts[name] > -1, name
    assert ours.solve_rate == theirs.solve_rate and ours.counts.decisions > 20
    seen = []

    def first(questions):
        seen.extend(questions)
        return [0] * len(questions)

    beside = statewise.evaluate(policy=first, **task)
    assert [row["policy"] for row in beside.rows()][0] == "first" and len(beside.rows()) > 3
    assert all(len(q.texts) == len(q.candidates) and len(q.tokens) > q.block > 0 for q in seen)
    whole = [q for q in seen if q.instance == 0]
    seen.clear()
    statewise.evaluate(policy=first, protocol="cumulative", **task)
    longest = max(len(q.tokens) for q in seen if q.instance == 0)
    assert longest > max(len(q.tokens) for q in whole) or len(whole) < 3, "cumulative shows no more"
    raises(ZeroDivisionError, lambda: statewise.evaluate(policy=lambda questions: 1 / 0, **task))
    raises(ValueError, lambda: statewise.evaluate(policy=lambda questions: [[1.0]] * len(questions), **task), "scores for")
    raises(ValueError, lambda: statewise.evaluate(policy=lambda questions: [], **task), "0 answers")
    raises(ValueError, lambda: statewise.evaluate(policy=lambda questions: [-1] * len(questions), **task), "-1")
    raises(statewise.Error, lambda: statewise.evaluate(policy=lambda questions: [[float("nan")] * len(q.texts) for q in questions],
                                                       **task), "not a number")
    raises(statewise.Error, lambda: statewise.evaluate(policy=first, protocol="foreign", **task), "foreign")
    # Stored under its version, outcomes are taken again, and not under another.
    for version, asked in (("1", True), ("1", False), ("2", True)):
        seen.clear()
        statewise.evaluate(policy=first, policy_version=version, policies="none", db="p.db", **task)
        assert bool(seen) == asked, version
    model.close()


def environments():
    sys.path.insert(0, os.path.join(sys.argv[1], "examples"))
    from queens import Queens
    made_by = statewise.generate(Queens, count=12, seed=1, threads=2, out="q.safetensors")
    command = f"exec:{sys.executable} {sys.argv[1]}/examples/queens.py"
    subprocess.run([PROGRAM, "gen", command, "--count=12", "--seed=1", "--progress=none", "-o", "exec.safetensors"],
                   check=True, stdout=subprocess.DEVNULL)
    assert made_by.kept == 12 and filecmp.cmp("q.safetensors", "exec.safetensors", shallow=False)
    statewise.train(**{**TINY, "data": "q.safetensors", "steps": 2}, out="queens")
    found = statewise.evaluate(domain=Queens, model="queens", instances=3, db="none")
    assert {row["policy"]: row["solve_rate"] for row in found.rows()}["expert"] == 1

    class Broken(Queens):
        name = "broken"

        def look(self):
            raise KeyError("mine")

    raises(statewise.Error, lambda: statewise.generate(Broken, count=2, out="b.safetensors"), "KeyError", "mine")

    class Broken(Queens):  # defined anew, as in a notebook
        name = "broken"

    assert statewise.generate(Broken, count=2, out="b.safetensors").kept == 2
    raises(statewise.Error, lambda: statewise.generate(type("Sat", (Queens,), {"name": "sat"}), count=2, out="b"), "sat")


def the_first_word_is_learned():
    """Token 0 is a word like any other where the words are the user's."""
    traces = [statewise.Trace([1, 2, 3, 1 + i % 3, 0], [0, 0, 0, 0, 1], [0, 3]) for i in range(40)]
    statewise.write_dataset("zero.safetensors", traces, words=["BACK", "a", "b", "c"], back="BACK")
    for family in ({"d": 16, "layers": 1, "heads": 2, "slots": 2}, {"d": 16, "layers": 1, "architecture": "lstm"}):
        told = []
        statewise.train(data="zero.safetensors", mask="ssa", steps=40, batch=4, lr=0.01, threads=1, progress=told.append,
                        out=f"zero-{len(family)}", **family)
        losses = [e.loss for e in told if e.event == "step"]
        assert losses[0] > 1 and losses[-1] < losses[0] / 2, losses


# ---- leaks ----

def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def interrupted():
    shutil.rmtree("leak", ignore_errors=True)
    for step in statewise.train(**TINY, out="leak", iterate=True):
        if step.step == 2:
            break


def opened():
    with statewise.Model(statewise.shipped("sat"), threads=1) as model:
        model.search("examples.cnf").next()


def grows(what, times):
    """The heap settles at its own pace; what leaks grows in every round."""
    what()
    for _ in range(5):
        before = resident()
        for _ in range(times):
            what()
        after = resident()
        print(f"{what.__name__} {times} times: {before} kB, then {after} kB")
        if after - before < max(300, 2 * times):
            return
    raise AssertionError(f"{what.__name__} leaks")


if __name__ == "__main__" and sys.argv[1] == "leaks":
    grows(opened, 1000 if LONG else 100)
    grows(interrupted, 50 if LONG else 6)
elif __name__ == "__main__":
    shutil.copy(os.path.join(sys.argv[1], "examples", "planted-20.cnf"), "examples.cnf")
    for check in (options_are_reached, wrong_use_is_told, results, trainings_are_the_programs, an_interrupt_ends_a_run,
                  processes, policies, environments, the_first_word_is_learned):
        begin = time.time()
        check()
        print(f"{check.__name__}: {time.time() - begin:.1f} s")
    # In a process of its own: the heap of this one has had its threads.
    subprocess.run([sys.executable, __file__, "leaks"], check=True)
