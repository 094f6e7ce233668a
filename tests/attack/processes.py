"""Kills and what goes on after them, limits of the system, and environments in
another process that misbehave."""
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from attack import FINE, ROOT
from files import QUIET, SMALL, prepare, search

SAME = os.path.join(ROOT, "tests/same_tree.py")
MISBEHAVE = os.path.join(ROOT, "tests/domains/misbehave.py")


def jobs(r):
    """Name -> the command that fills a folder."""
    with open(r.path("long.jsonl"), "w") as f:
        import json
        import random
        f.writelines(json.dumps(search(random.Random(i))) + "\n" for i in range(2000))
    return {
        "gen": lambda d: ["gen", "sat", "--n", 10, "--count", 400, "--seed", 7, "-o", f"{d}/d.st", *QUIET],
        "train": lambda d: ["train", "--data", "good/d.st", *SMALL, "--steps", 40, "--dropout", .1, "--valid-every", 10,
                            "--checkpoint-seconds", 0, "-o", f"{d}/run", *QUIET],
        "eval": lambda d: ["eval", "--model", "good/run", "--instances", 80, "--n", 10, "--db", f"{d}/results.db",
                           "--on-error", "rescue", "--width", 4, *QUIET],
        "import": lambda d: ["import", "long.jsonl", "-o", f"{d}/own.st", "--progress", "none"],
    }


def kills(r, rng):
    """kill -9 at any moment, and again; what ends must be as if nothing was."""
    prepare(r)
    command, took = jobs(r), {}
    while r.left() > 0:
        name = rng.choice(list(command))
        if name not in took:
            os.mkdir(r.path(f"whole-{name}"))
            begin = time.monotonic()
            r.must(*command[name](r.path(f"whole-{name}")))
            took[name] = time.monotonic() - begin
        shutil.rmtree(r.path("killed"), ignore_errors=True)
        os.mkdir(r.path("killed"))
        for _ in range(rng.randint(1, 3)):
            r.tried()
            p = r.start(*command[name](r.path("killed")), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                p.wait(rng.random() * took[name])
            except subprocess.TimeoutExpired:
                p.send_signal(signal.SIGKILL)
                p.wait()
        r.must(*command[name](r.path("killed")), files=[r.path("killed")])
        same = subprocess.run([sys.executable, SAME, r.path(f"whole-{name}"), r.path("killed")], capture_output=True, text=True)
        if same.returncode:
            r.fail(f"{name}, killed and run again, is another: {same.stdout[-400:]}{same.stderr[-400:]}", [r.path("killed")])


def limits(r, rng):
    """Too little memory, files, room: a reason, and then the same as ever."""
    prepare(r)
    command = jobs(r)
    whole = r.path("limits-whole")
    tight = tempfile.mkdtemp(prefix="attack-small-")
    mounted = os.geteuid() == 0 and not subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", tight],
                                                       capture_output=True, check=False).returncode
    if not mounted:
        r.skipped[r.part] = "full disk (no mount allowed)"
    try:
        while r.left() > 0:
            name = rng.choice(list(command))
            kind, value = rng.choice((
                (resource.RLIMIT_AS, rng.randrange(50, 600) << 20), (resource.RLIMIT_FSIZE, rng.randrange(0, 200000)),
                (resource.RLIMIT_NOFILE, rng.randrange(3, 12)), ("disk", 0)))
            if kind == "disk":
                if mounted:
                    r.run(*command[name](tight), fine=FINE | {71})
                    for left in os.listdir(tight):
                        subprocess.run(["rm", "-rf", os.path.join(tight, left)], check=False)
                continue
            shutil.rmtree(r.path("limited"), ignore_errors=True)
            os.mkdir(r.path("limited"))
            # 127: not even the loader has enough
            r.run(*command[name](r.path("limited")), fine=FINE | {71, 127}, limit=lambda: resource.setrlimit(kind, (value, value)))
            r.must(*command[name](r.path("limited")), files=[r.path("limited")])
            shutil.rmtree(whole, ignore_errors=True)
            os.mkdir(whole)
            r.must(*command[name](whole))
            same = subprocess.run([sys.executable, SAME, whole, r.path("limited")], capture_output=True, text=True)
            if same.returncode:
                r.fail(f"{name} after a limit is another: {same.stdout[-400:]}{same.stderr[-400:]}", [r.path("limited")])
    finally:
        if mounted:
            subprocess.run(["umount", tight], check=False)
        os.rmdir(tight)


def kinds():
    """What misbehave.py can do, read from it."""
    with open(MISBEHAVE) as f:
        text = f.read()
    return sorted(set(re.findall(r'KIND == "([^"]+)"|kind == "([^"]+)"|^    "([^"]+)":|"(h [a-z ]+)":', text, re.M)))


def environments(r, rng):
    names = [next(filter(None, k)) for k in kinds()]
    code, _, err = r.run("gen", f"exec:{sys.executable} {MISBEHAVE} well", "--count", 2, "-o", "e.st", "--progress", "none")
    if code:
        r.skipped[r.part] = f"exec: is not there ({err.decode(errors='replace')[:60]})"
        return
    rng.shuffle(names)
    for name in names:
        if r.left() < 0:
            return
        domain = f"exec:{sys.executable} {MISBEHAVE} {shlex.quote(name)} {r.path('child')}"
        r.run("gen", domain, "--count", 4, "--domain-timeout", 2, "-o", "e.st", "--progress", "none")
        r.run("eval", "--domain", domain, "--no-model", "--policies", "expert", "--instances", 3, "--domain-timeout", 2,
              "--db", "none", "--progress", "none")
        if os.path.exists(r.path("child")):
            with open(r.path("child")) as f:
                pids = [int(w) for w in f.read().split()]
            time.sleep(.5)
            for pid in pids:
                try:
                    os.kill(pid, 0)
                except ProcessLookupError:
                    continue
                with open(f"/proc/{pid}/stat") as f:
                    if f.read().split(")")[-1].split()[0] != "Z":
                        r.fail(f"a child of the environment {name} is left behind")
                        os.kill(pid, signal.SIGKILL)
            os.remove(r.path("child"))


PARTS = {"kills": kills, "limits": limits, "exec": environments}
