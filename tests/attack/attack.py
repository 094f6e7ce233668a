#!/usr/bin/env python3
"""A hostile round: inputs nobody should give, and what must hold all the same.

    attack.py PROGRAM [--seconds N] [--seed N] [--only PART,...] [--keep DIR]

Every part makes inputs from the seed until its share of the time is over, and
counts tries and failures. A failure is a death by a signal, a broken invariant
(exit 70), a sanitizer's message, a hang, or an answer that is not right; it is
printed with the command, and its files stay in DIR. The exit code is 1 if there
was one. The same seed makes the same inputs; how many of them depends on the
time."""
import argparse
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FINE = {0, 1, 10, 20, 64, 65, 66, 69, 74, 75, 78}
HANG = 180  # seconds; a starved machine is no failure


class Failure(Exception):
    pass


class Round:
    """What the parts share: the program, a folder, the counts."""

    def __init__(self, program, seed, keep):
        self.program, self.seed, self.keep = os.path.realpath(program), seed, keep
        self.folder = tempfile.mkdtemp(prefix="attack-")
        self.tries, self.failures, self.part, self.deadline = {}, [], "", 0.0
        self.skipped = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def left(self):
        return self.deadline - time.monotonic()

    def tried(self):
        self.tries[self.part] = self.tries.get(self.part, 0) + 1

    def fail(self, what, files=()):
        number = len(self.failures)
        self.failures.append((self.part, what))
        print(f"FAIL {self.part}: {what}", flush=True)
        for f in files:
            if self.keep and os.path.exists(f):
                os.makedirs(self.keep, exist_ok=True)
                target = os.path.join(self.keep, f"{number}-{os.path.basename(f)}")
                (shutil.copytree if os.path.isdir(f) else shutil.copy)(f, target)

    def run(self, *words, fine=FINE, files=(), limit=None, env=None, cwd=None, seconds=HANG):
        """Runs the program; the exit code and what it printed. Counts as a try."""
        self.tried()
        command = [self.program, *map(str, words)]
        said = "$ " + shlex.join(command)
        try:
            p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, env=env,
                               preexec_fn=limit, cwd=cwd or self.folder)
        except subprocess.TimeoutExpired:
            self.fail(f"no end after {seconds} s\n  {said}", files)
            return None, b"", b""
        trouble = p.stderr.decode(errors="replace")
        if p.returncode not in fine:
            self.fail(f"exit {p.returncode}\n  {said}\n  {trouble[-400:].strip()}", files)
        elif "unknown option" in trouble:
            self.fail(f"the round itself is out of date\n  {said}\n  {trouble[:200]}")
        elif "Sanitizer" in trouble or "runtime error" in trouble:
            self.fail(f"a sanitizer's message\n  {said}\n  {trouble[:600]}", files)
        elif p.returncode >= 64 and not trouble.startswith("error: ") and "\nerror: " not in trouble:
            self.fail(f"exit {p.returncode} without a reason\n  {said}", files)
        return p.returncode, p.stdout, p.stderr

    def start(self, *words, **more):
        return subprocess.Popen([self.program, *map(str, words)], stdin=subprocess.DEVNULL, cwd=self.folder, **more)

    def must(self, *words, **more):
        code, out, err = self.run(*words, **more)
        if code:
            raise Failure(f"{shlex.join(map(str, words))} exits with {code}: {err.decode(errors='replace')[-300:]}")
        return out


def mangle(rng, data, most=4):
    """A few bytes flipped, cut, doubled, swapped or replaced."""
    data = bytearray(data)
    for _ in range(rng.randint(1, most)):
        if not data:
            break
        at, how = rng.randrange(len(data)), rng.randrange(7)
        if how == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            data[at] = rng.choice(b"\0\n\r 09-{}[]\"\\,:\xff")
        elif how == 2:
            del data[at:]
        elif how == 3:
            del data[at:at + rng.randint(1, 40)]
        elif how == 4:
            data[at:at] = data[at:at + rng.randint(1, 40)]
        elif how == 5:
            data[at:at] = rng.choice([b"99999999999999999999", b"-1", b"1e999", b"null", b"NaN", b"\xf0\x9f\x8d\x8e", b"\0" * 9])
        else:
            other = rng.randrange(len(data))
            data[at:at + 8], data[other:other + 8] = data[other:other + 8], data[at:at + 8]
    return bytes(data)


def main():
    import endpoints
    import files
    import processes
    import solving
    parts = {**solving.PARTS, **endpoints.PARTS, **files.PARTS, **processes.PARTS}
    say = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    say.add_argument("program")
    say.add_argument("--seconds", type=float, default=600, help="of all parts together, at most 3600 (default 600)")
    say.add_argument("--seed", type=int, default=1)
    say.add_argument("--only", default="", help="parts, joined by commas: " + ", ".join(parts))
    say.add_argument("--keep", default="", help="folder for the files of failures")
    given = say.parse_args()
    chosen = [name for name in given.only.split(",") if name] or list(parts)
    if any(name not in parts for name in chosen):
        say.error("the parts are " + ", ".join(parts))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    r = Round(given.program, given.seed, os.path.realpath(given.keep) if given.keep else "")
    seconds, begun = min(given.seconds, 3600), time.monotonic()
    try:
        for name in chosen:  # the last try of a part may take longer than its share
            r.part, r.deadline = name, time.monotonic() + seconds / len(chosen)
            r.tries.setdefault(name, 0)
            try:
                parts[name](r, random.Random(f"{given.seed} {name}"))
            except Failure as why:
                r.fail(str(why))
            print(f"{name:12} {r.tries[name]:6} tries  {sum(p == name for p, _ in r.failures):3} failures"
                  + (f"  left out: {r.skipped[name]}" if name in r.skipped else ""), flush=True)
    finally:
        shutil.rmtree(r.folder, ignore_errors=True)
    print(f"seed {given.seed}, {time.monotonic() - begun:.0f} s: {sum(r.tries.values())} tries, {len(r.failures)} failures")
    return 1 if r.failures else 0


if __name__ == "__main__":
    sys.exit(main())
