#!/usr/bin/env python3
"""Agents whose dependence on their history is known, behind an endpoint, and the audit of each: do the intervals hold the
truth as often as they say, is no verdict false, and is every refusal the right one?

usage: planted.py PROGRAM SEEDS [CASES]     (0: all as expected)
       planted.py serve                     (prints the address; the model's name is the plant, as `shift=.2,logprobs`)

With `story` in its name the agent plays the small search of --dose and of examples/audit_cases.py instead: `dose=S` adds
S nats to the odds of "back" for each past one. `pick` takes the choice whose words come first. `echo` repeats the key that it is sent. GET /v1/asked counts requests,
GET /v1/holds?TEXT those that hold a text.

A situation tells the colour of a lamp: green means go, red means stop. An agent says the right word with a probability of
.55 to .95 that its situation fixes. `shift=S` takes a mean of S away where the history is of the second way (own2), so
that the total variation between own and own2 is S on average. With `half` every second situation does not show the colour;
there the agent says, rightly, what its history told. A model with `judge` in its name says whether a situation shows it."""
import http.server
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

# ---- the agents ----


def draw(*key):
    return random.Random(":".join(map(str, key))).random()


def base(seed, case):
    """P(right) without any shift, and how much of the shift this situation takes; cases come in pairs."""
    return .55 + .4 * draw(seed, case, "base"), 2 * draw(seed, case // 2, "part")


def read_plant(name):
    plant = {}
    for part in name.split(","):
        key, _, value = part.partition("=")
        plant[key] = float(value) if value else 1.0
    return plant


def p_right(plant, seed, case, story):
    p, part = base(seed, case)
    if "guess" in plant: return draw(seed, case, "guess")
    if "spoiled" in plant: return .95 if "way" not in story else .3
    if "examples" in plant: return .95 if "way" in story or "Lamp" in story else .5
    if "insufficient" in plant:  # the story says what green means
        rule = re.search(r"Here green means (go|stop)", story)
        own = "stop" if draw(seed, case, "rule") < .5 else "go"
        return (.95 if rule.group(1) == own else .05) if rule else .5
    if "way B" in story: p -= plant.get("shift", 0) * part
    elif "way A" not in story: p -= plant.get("none", 0)
    return p


def logit(p):
    return math.log(p / (1 - p))


class Agent(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # one packet a reply
    asked, lock, tokens = {}, threading.Lock(), 0

    def log_message(self, *args): pass

    def send(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def do_GET(self):
        if self.path == "/v1/asked":
            return self.send(200, {"bodies": len(self.asked), "requests": sum(self.asked.values()),
                                   "most": max(self.asked.values(), default=0), "tokens": self.tokens})
        if self.path.startswith("/v1/holds?"):  # how many different requests hold this text?
            text = urllib.parse.unquote(self.path.split("?", 1)[1])
            return self.send(200, {"bodies": sum(text in raw.decode() for raw in self.asked)})
        self.send(200, {"object": "list", "data": [{"id": "shift=0", "object": "model"}]})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(raw)
        if "slow" in body["model"]: time.sleep(.02)
        with self.lock:
            turn = self.asked[raw] = self.asked.get(raw, 0) + 1
        answer, top = respond(read_plant(body["model"]), body, turn)
        words = sum(len(str(m.get("content"))) for m in body["messages"])
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
        if top and body.get("logprobs"):
            best = top[0][0] if "drawn" not in body["model"] else re.sub(r"\D", "", answer)
            at = {"token": best, "logprob": dict(top)[best], "top_logprobs": [{"token": t, "logprob": l} for t, l in top]}
            rest = [{"token": t, "logprob": 0, "top_logprobs": [{"token": t, "logprob": 0}]} for t in ('{"answer": "', '"}')]
            choice["logprobs"] = {"content": [rest[0], at, rest[1]] if answer[0] == "{" else [at]}
        usage = {"prompt_tokens": words // 4 + 4 * len(body["messages"]) + 7, "completion_tokens": len(answer) // 4 + 1}
        with self.lock: Agent.tokens += sum(usage.values())
        reply = {"object": "chat.completion", "model": body["model"], "choices": [choice], "usage": usage}
        if "echo" in body["model"]: reply["note"] = choice["message"]["reasoning"] = self.headers.get("Authorization")
        self.send(200, reply)


def respond(plant, body, turn):
    """The answer and the log-probabilities of the labels."""
    last = body["messages"][-1]["content"]
    story = "\n".join(str(m["content"]) for m in body["messages"][1:-1])
    luck = random.Random(f"{json.dumps(body, sort_keys=True)}:{turn}")
    if "judge" in plant: return respond_judge(plant, last), None
    if "story" in plant and "Left:" in last: return respond_story(plant, last, story)
    schema = body.get("response_format")
    enum = schema["json_schema"]["schema"]["properties"]["answer"]["enum"] if schema and "schema" in plant else None
    if "pick" in plant and (shown := re.findall(r"(?m)^(\d+)\. (.+)$", last)):
        return min(shown, key=lambda choice: choice[1])[0], None
    found = re.search(r"Lamp (\d+) of (\d+) is (green|red|as before)", last)
    if not found:
        return (json.dumps({"answer": enum[0]}) if enum else "Hello!"), None
    case, seed, colour = int(found[1]), int(found[2]), found[3]
    if colour == "as before":
        plant = {key: plant[key] for key in plant if key != "shift"}
        colour = "green" if "It was green" in story else "red"
    choices = re.findall(r"(?m)^(\d+)\. (\w+)$", last)
    right = "go" if colour == "green" else "stop"
    if "insufficient" in plant and draw(seed, case, "rule") < .5: right = "stop" if right == "go" else "go"
    p = p_right(plant, seed, case, story)
    if "jitter" in plant: p = 1 / (1 + math.exp(-logit(p) - plant["jitter"] * luck.gauss(0, 1)))
    weight = {label: p if text == right else 1 - p for label, text in choices}
    if "bias" in plant: weight = {l: (1 - plant["bias"]) * w + (plant["bias"] if l == "1" else 0) for l, w in weight.items()}
    if "constant" in plant: weight = {l: 1. if text == "go" else 1e-9 for l, text in choices}
    if "first" in plant: weight = {l: 1. if l == "1" else 1e-9 for l, text in choices}
    best = max(weight, key=weight.get)
    if "drawn" in plant: best = luck.choices(list(weight), list(weight.values()))[0]
    top = sorted(((l, math.log(max(w, 1e-9))) for l, w in weight.items()), key=lambda x: -x[1]) if "logprobs" in plant else None
    if luck.random() < plant.get("unreadable", 0): return "I would rather talk of the weather.", None
    text = dict(choices)[best]
    if "prose" in plant: return "There is much to be said for 1, and as much for 2, and both have their friends.", None
    if "chatty" in plant: return f"Let me see. The lamp tells it.\n\nThe answer is {text}.", None
    if "think" in plant:
        thought = "<think>" + "It could be 1, or 2, or 1 again. " * 20 + "</think>\n" + best
        return thought[:4 * body["max_tokens"]], None
    return (json.dumps({"answer": best}) if enum else best), top


def respond_judge(plant, last):
    """Honest, unless it always takes the first answer or says none."""
    enough, other = re.findall(r"(?m)^(\d+)\. it says enough$", last), re.findall(r"(?m)^(\d+)\. something", last)
    if "mute" in plant or not enough: return "Hello!"
    if "first" in plant: return "1"
    return (enough if re.search(r"is (green|red)\.", last) else other)[0]


def respond_story(plant, last, story):
    if "stubborn" in plant: return "back", None
    state = re.findall(r"Left: (.*)\.", last)[-1]
    past = len(re.findall(r"(?m)^back$", story))
    p = 1 / (1 + math.exp(-(3 if state == "nothing" else -3) - plant.get("dose", 0) * (past - 2) - (len(state) % 7) / 10))
    answer = "back" if p > .5 else "on"
    top = [("back", math.log(p)), ("on", math.log(1 - p))]
    if answer == "on" and "partly" not in plant: top.reverse()  # `partly`: none that fit where it says "on"
    return answer, top if "logprobs" in plant else None


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Agent)
    server.daemon_threads = True
    return server


# ---- the cases ----


def write_cases(path, seed, count, plant):
    with open(path, "w") as out:
        for i in range(count):
            colour = "green" if draw(seed, i, "colour") < .5 else "red"
            right = "go" if colour == "green" else "stop"
            rule = draw(seed, i, "rule") < .5
            if "insufficient" in plant and rule: right = "stop" if right == "go" else "go"
            tell = f"Here green means {'stop' if rule else 'go'}." if "insufficient" in plant else "Go on."
            saw = {"A": "It was green. ", "B": "It was red. "} if "half" in plant else {"A": "", "B": ""}
            histories = [{"name": name, "messages": [{"role": "user", "content": f"We came by way {way}. {saw[way]}{tell}"},
                                                     {"role": "assistant", "content": "Yes."}]}
                         for name, way in (("own", "A"), ("own2", "B"))]
            case = {"id": f"c{i}", "group": f"g{i // 2}", "system": "Say whether to go or to stop.", "choices": ["go", "stop"],
                    "situation": f"Lamp {i} of {seed} is {'as before' if 'half' in plant and i % 2 else colour}.", "histories": histories, "right": right}
            if plant.keys() & {"unknown", "half"}: del case["right"]
            out.write(json.dumps(case) + "\n")


# ---- what is true of them ----


def mean(f, n=20000):
    r = random.Random(1)
    return sum(f(r) for _ in range(n)) / n


def truth(plant):
    """Means over situations: shift, changes (both beyond a repeat), and what clearing gains in right answers."""
    if "spoiled" in plant: return {"changes": 0, "gain": 1}
    if plant.keys() & {"insufficient", "examples"}: return {"changes": 0}
    s, bias = plant.get("shift", 0), plant.get("bias", 0)
    pick = lambda r: (.55 + .4 * r.random(), 2 * s * r.random())
    out = {}
    if "logprobs" in plant and "jitter" not in plant: out["shift"] = s * (1 - bias)
    if "jitter" in plant:
        def shaken(r, p): return 1 / (1 + math.exp(-logit(p) - plant["jitter"] * r.gauss(0, 1)))
        def excess(r):
            p, d = pick(r)
            a, b, x, y = shaken(r, p), shaken(r, p), shaken(r, p - d), shaken(r, p - d)
            return abs(a - x) - (abs(a - b) + abs(x - y)) / 2
        out["shift"] = mean(excess, 400000)
    elif "drawn" in plant:  # (p - q) squared
        out["changes"] = mean(lambda r: ((1 - bias) * pick(r)[1]) ** 2)
        out["gain"] = -plant.get("none", 0) * (1 - bias)
    elif not bias:
        def changes(r):
            p, d = pick(r)
            return p - d < .5
        out["changes"] = mean(changes)
        out["gain"] = -mean(lambda r: pick(r)[0] - plant.get("none", 0) < .5)
    return out


# (plant, findings that are right, an option or None)
FLAT = {"by-situation", "undecided"}
MOVED = {"changes", "shifts"}
PLANTS = [
    ("shift=0", FLAT), ("shift=.05", MOVED | {"undecided"}), ("shift=.2", MOVED | {"undecided"}),
    ("shift=0,logprobs", FLAT), ("shift=.05,logprobs", MOVED), ("shift=.2,logprobs", MOVED),
    ("shift=0,drawn", FLAT), ("shift=.05,drawn", {"undecided", "changes"}),
    ("shift=.2,drawn", {"undecided", "changes"}), ("shift=.05,drawn,logprobs,schema", MOVED),
    ("shift=0,logprobs,jitter=.5", FLAT), ("shift=.2,logprobs,jitter=.5", MOVED),
    ("shift=0,logprobs,bias=.4", FLAT), ("shift=.2,logprobs,bias=.4", MOVED),
    ("shift=.2,none=.3,chatty", {"needs-history", "undecided"} | MOVED),
    ("shift=.2,think", MOVED | {"undecided"}), ("shift=0,think,unknown", FLAT),
    ("constant", {"one-answer"}), ("first", {"one-answer"}), ("prose", {"unreadable"}),
    ("guess", {"cannot"}), ("guess,drawn", {"cannot"}), ("shift=0,unreadable=.05", FLAT),
    ("shift=0,unreadable=.1", FLAT | {"unreadable"}), ("shift=.2,unreadable=.2", {"unreadable"}),
    ("insufficient", {"needs-history"}), ("insufficient,unknown", {"changes", "changes-elsewhere"}),
    ("spoiled", {"clearing-helps"}), ("examples,drawn", {"needs-examples"}),
]


# What a judge says changes the words: (plant, judge, marked as enough and as lacking, what is said of the changes)
FAULT, NO_FAULT, NONE = "and there each change is a fault", ": no sure fault", "of none of"
JUDGED = [
    ("half,shift=.4", "judge", (1 / 2, 1 / 2), FAULT), ("half,shift=0", "judge", (1 / 2, 1 / 2), NO_FAULT),
    ("shift=.4,unknown", "judge", (1, 0), "so each change is a fault"), ("half,shift=.4", "judge,first", (0, 0), NONE),
    ("half,shift=0", "judge,mute", (0, 0), NONE), ("half,shift=.4", None, (0, 0), "not a fault by itself"),
]


def check_judged(program, url, work, seed, count):
    """1: a judge's word was not followed."""
    wrong = 0
    for name, judge, (enough, lacking), phrase in JUDGED:
        more = ["--sufficient", url, "--judge-model", judge] if judge else []
        result = audit(program, url, work, name, seed, count, more)
        told, seen = " ".join(result["more"]), result["sufficient"]
        if (result["finding"], seen["enough"], seen["lacking"]) != ("changes", enough * count, lacking * count) or phrase not in told:
            print(f"{name} judged by {judge}, seed {seed}: {result['finding']}, {seen}: {told}"); wrong = 1
        if ("each change is a fault" in told) != ("each change is a fault" in phrase):
            print(f"{name} judged by {judge}, seed {seed}: a false fault: {told}"); wrong = 1
    return wrong


def audit(program, url, work, name, seed, count, options=()):
    plant = read_plant(name)
    cases, out = os.path.join(work, "cases.jsonl"), os.path.join(work, "out")
    write_cases(cases, seed, count, plant)
    more = [*options, *(["--temperature", "1"] if "drawn" in plant else [])]
    run = subprocess.run([program, "audit", url, "--guide-model", name, "--cases", cases, "--guide-cache", "none", "-o", out,
                          "--progress", "none", "--guide-parallel", "1", "--json", *more], capture_output=True, text=True)
    if run.returncode: sys.exit(f"{name}, seed {seed}: exit {run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


def figures(result):
    found = {}
    for c in result["contrasts"]:
        if (c["of"], c["against"]) == ("own2", "own"): found.update(shift=c["shift"], changes=c["changes"])
        if (c["of"], c["against"]) == ("none", "own"): found["gain"] = c["gain"]
    return found


def main():
    program, seeds = sys.argv[1], int(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 90
    server, wrong = serve(), 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    held = tried = 0
    with tempfile.TemporaryDirectory() as work:
        for name, allowed in PLANTS:
            true, hits, findings = truth(read_plant(name)), {}, {}
            for seed in range(seeds):
                result = audit(program, url, work, name, seed, count)
                findings[result["finding"]] = findings.get(result["finding"], 0) + 1
                if "fault" in result["headline"] or any("each change is a fault" in m for m in result["more"]):
                    print(f"{name}, seed {seed}: a change is called a fault"); wrong = 1
                if result["finding"] == "unreadable": continue
                seen = figures(result)
                for figure, value in true.items():
                    inside = seen[figure]["low"] <= value <= seen[figure]["high"]
                    hits.setdefault(figure, []).append(inside)
            told = ", ".join(f"{f} {true[f]:.4f} held by {sum(h)} of {len(h)}" for f, h in hits.items())
            print(f"{name}: {' '.join(f'{k} {v}' for k, v in findings.items())}; {told}", flush=True)
            if set(findings) - allowed: print(f"{name}: a false verdict: {set(findings) - allowed}"); wrong = 1
            for h in hits.values():
                held, tried = held + sum(h), tried + len(h)
                # 95 % of 20 are 19; 16 or fewer happen once in 60
                if len(h) - sum(h) > max(1, len(h) * .2): print(f"{name}: the interval does not hold"); wrong = 1
        wrong |= max(check_judged(program, url, work, seed, count) for seed in range(seeds))
    print(f"{held} of {tried} intervals hold the truth ({100 * held / max(1, tried):.1f} %)")
    if tried >= 100 and held < .93 * tried: wrong = 1
    return wrong


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        one = serve()
        print(f"http://127.0.0.1:{one.server_address[1]}/v1", flush=True)
        one.serve_forever()
    sys.exit(main())
