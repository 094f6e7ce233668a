#!/usr/bin/env python3
"""An environment of the exec: protocol that does one thing wrong: KIND says
which. Its puzzle: go from 0 to N by steps of one or two, never onto a three."""
import json
import os
import signal
import sys
import time

KIND = sys.argv[1] if len(sys.argv) > 1 else "well"
FILE = sys.argv[2] if len(sys.argv) > 2 else ""
WORDS = ["N", "AT", "TRIED", "BACK", "one", "two"] + [str(i) for i in range(40)]
HELLO = {"name": "steps", "words": WORDS, "back": "BACK", "rules": "Go to N.",
         "has": ["expert", "doomed", "check", "seed"],
         "limits": {"decisions": 100, "instances": 20}}
searches = {}


class Search:
    def __init__(self, n):
        self.n, self.path, self.tried = n, [0], [set()]

    def look(self):
        at = self.path[-1]
        if at == self.n:
            return {"over": "solved"}
        step = {"one": 1, "two": 2}
        open_ = [w for w in step if w not in self.tried[-1] and at + step[w] <= self.n]
        stuck = at % 3 == 0 and at > 0 or not open_
        if stuck and len(self.path) == 1:
            return {"over": "exhausted"}
        words = ["AT", str(at)] + (["TRIED", *sorted(self.tried[-1])] if self.tried[-1] else [])
        return {"state": " ".join(words), "conflict": stuck,
                "choices": [w for w in step if w not in self.tried[-1]],
                "tried": sorted(self.tried[-1])}

    def take(self, word):
        self.path.append(self.path[-1] + {"one": 1, "two": 2}[word])
        self.tried[-1].add(word)
        self.tried.append(set())
        return {}

    def back(self):
        self.path.pop()
        self.tried.pop()
        return {}

    def expert(self):
        return {"choice": next(w for w in ("one", "two") if w not in self.tried[-1])}


def answer(q):
    if "hello" in q:
        return dict(HELLO)
    if "new" in q:
        if "problem" in q:
            n = int(q["problem"].split()[1])
        else:
            n = 4 + (q["seed"] * 7 + q["index"] + (17 if q["split"] == "test" else 0)) % 30
        searches[q["new"]] = Search(n)
        return {"problem": f"N {n}", "id": f"n{n}"}
    for name in ("look", "take", "back", "expert", "doomed", "check", "end"):
        if name in q:
            s = searches[q[name]]
            if name == "take":
                return s.take(q["choice"])
            if name == "end":
                del searches[q[name]]
                return {}
            if name == "doomed":
                return {"doomed": False}
            if name == "check":
                return {"right": s.path[-1] == s.n, "answer": " ".join(map(str, s.path))}
            return getattr(s, name)()
    return {"error": "unknown request"}


def raw(data):
    os.write(1, data)


# What each kind does in place of the reply to a take (or hello: h_...).
def wrong(kind, text):
    line = text.encode() + b"\n"
    if kind == "dies":
        sys.exit(3)
    elif kind == "killed":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif kind == "hangs":
        time.sleep(60)
    elif kind == "half a line":
        raw(line[: len(line) // 2])
        sys.exit(0)
    elif kind == "half and hangs":
        raw(line[: len(line) // 2])
        time.sleep(60)
    elif kind == "flood":
        try:
            while True:
                raw(b"x" * 65536)
        except OSError:
            sys.exit(1)
    elif kind == "two replies":
        raw(line + line)
    elif kind == "garbage":
        raw(b"Traceback (most recent call last):\n")
    elif kind == "empty line":
        raw(b"\n")
    elif kind == "invalid UTF-8":
        raw(b'[{"x-a": "\xff\xfe"}, {}]\n')
    elif kind == "NUL":
        raw(line.replace(b"AT", b"A\0"))
    elif kind == "escaped NUL":
        raw(line.replace(b"AT", b"A\\u0000"))
    elif kind == "deep":
        raw(b"[" * 100000 + b"]" * 100000 + b"\n")
    elif kind == "closes output":
        os.close(1)
        time.sleep(60)
    elif kind == "closes input":
        os.close(0)
        raw(line)
        time.sleep(60)
    elif kind == "slow drip":
        for b in line:
            raw(bytes([b]))
            time.sleep(0.5)
    elif kind == "leaves a child":
        pid = os.fork()
        if not pid:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            time.sleep(60)
            os._exit(0)
        with open(FILE, "w") as f:
            f.write(f"{pid}\n")
        sys.exit(5)
    elif kind == "duplicate":
        raw(b'[{}, {"state": "AT 1", "state": "AT 2", "choices": []}]\n')
    elif kind == "nonsense tail":
        raw(line[:-1] + b" and so on\n")
    else:
        return False
    return True


REPLIES = {  # kinds that are well-formed JSON of the wrong content
    "object for a list": {},
    "short list": [{}],
    "long list": [{}, {}, {}],
    "number": 7,
    "null in list": [None, None],
    "error": [{"error": "my search is broken"}, {}],
    "one error": {"error": "all of it is broken"},
    "error of no text": [{"error": 3}, {}],
    "wrong type": [{}, {"state": 5, "choices": []}],
    "choices of numbers": [{}, {"state": "AT 1", "choices": [1, 2]}],
    "no state": [{}, {"choices": []}],
    "no choices": [{}, {"state": "AT 1"}],
    "unknown member": [{}, {"state": "AT 1", "choises": [], "choices": []}],
    "other search": [{}, {"look": 99, "state": "AT 1", "choices": ["one"]}],
    "unknown end": [{}, {"over": "won"}],
    "conflict of text": [{}, {"state": "AT 1", "choices": [], "conflict": "no"}],
    "swapped": [{"state": "AT 1", "choices": []}, {}],
    # what only who knows the words finds wrong
    "unannounced word": [{}, {"state": "AT banana", "choices": ["one"]}],
    "unannounced choice": [{}, {"state": "AT 1", "choices": ["three"]}],
    "unannounced tried": [{}, {"state": "AT 1", "choices": ["one"], "tried": ["three"]}],
    "empty state": [{}, {"state": " ", "choices": ["one"]}],
    "empty choice": [{}, {"state": "AT 1", "choices": ["", "one"]}],
    "prefix choice": [{}, {"state": "AT 1", "choices": ["one", "one two"]}],
    "same choice": [{}, {"state": "AT 1", "choices": ["one", "one"]}],
    "tried and choice": [{}, {"state": "AT 1", "choices": ["one"], "tried": ["one"]}],
    "back as choice": [{}, {"state": "AT 1", "choices": ["BACK"]}],
    "no way on": [{}, {"state": "AT 1", "choices": []}],
}
HELLOS = {
    "h name": {"name": ""}, "h builtin": {"name": "sat"},
    "h name path": {"name": "../x"}, "h no back": {"back": "RETURN"},
    "h words": {"words": ["a", "a", "BACK"]}, "h blank": {"words": ["a b", "BACK"]},
    "h no words": {"words": []}, "h limit": {"limits": {"decisions": -1}},
    "h limit name": {"limits": {"decission": 1}}, "h has": {"has": "seed"},
}


def main():
    if KIND == "silent":
        time.sleep(60)
    if KIND == "chatter":
        raw(b"Welcome to my environment!\n")
    if KIND == "never reads":
        raw(json.dumps(HELLO).encode() + b"\n")
        time.sleep(60)
    if KIND in HELLOS:
        HELLO.update(HELLOS[KIND])
    if KIND == "h other":  # another hello each time
        HELLO["words"] = WORDS + [f"w{os.getpid()}"]
    left = 60  # takes of "dies late"
    for line in sys.stdin:
        q = json.loads(line)
        reply = [answer(x) for x in q] if isinstance(q, list) else answer(q)
        text = json.dumps(reply)
        take = isinstance(q, list) and "take" in q[0]
        left -= take
        if KIND == "dies late" and left < 0:
            sys.exit(3)
        if take and KIND in REPLIES:
            text = json.dumps(REPLIES[KIND])
        elif take and wrong(KIND, text):
            continue
        elif take and KIND == "refuses":
            text = json.dumps([{"refused": "not today"}, answer(q[1])])
        elif isinstance(q, list) and "back" in q[0] and KIND == "back too far":
            text = json.dumps([{"silent": 9}, answer(q[1])])
        elif isinstance(q, dict) and "expert" in q and KIND == "expert":
            text = json.dumps({"choice": "three"})
        raw(text.encode() + b"\n")


main()
