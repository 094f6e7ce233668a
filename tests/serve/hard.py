"""A problem that no solver settles soon: the server answers all the same, and
ends when told to while such requests are under way.

    hard.py URL PID

The server at URL (process PID) offers `sat`. It is ended here."""
import http.client
import json
import os
import random
import signal
import sys
import threading
from urllib.parse import urlparse

url, pid = urlparse(sys.argv[1]), int(sys.argv[2])
WAIT = 120  # seconds, against hangs


def formula(nodes=132):
    """Parities along the edges of a random cubic graph, one of them odd
    (Tseitin): there is no solution, and finding that out takes for ever."""
    order = list(range(nodes))
    random.Random(7).shuffle(order)
    edges = [[1 + v, 1 + (v + 1) % nodes, 0] for v in range(nodes)]
    for i, v in enumerate(order):
        edges[v][2] = 1 + nodes + i // 2
    lines = [f"p cnf {3 * nodes // 2} {4 * nodes}"]
    for v in range(nodes):
        for signs in range(8):
            if bin(signs).count("1") % 2 != (v == 0):
                lines.append(" ".join(str(-e if signs >> k & 1 else e) for k, e in enumerate(edges[v])) + " 0")
    return "\n".join(lines) + "\n"


BODY = json.dumps({"models": ["sat"], "problem": {"name": "hard.cnf", "text": formula()}, "path": []}).encode()


def view(answers):
    c = http.client.HTTPConnection(url.hostname, url.port, timeout=WAIT)
    try:
        c.request("POST", "/api/view", BODY, {"Content-Type": "application/json"})
        r = c.getresponse()
        answers.append((r.status, json.loads(r.read())))
    except (OSError, http.client.HTTPException) as error:
        answers.append((0, str(error)))


def views(count):
    answers = []
    threads = [threading.Thread(target=view, args=(answers,)) for _ in range(count)]
    for t in threads:
        t.start()
    return threads, answers


threads, answers = views(6)  # more than the server has threads
for t in threads:
    t.join()
for status, answer in answers:
    if status != 200 or answer["state"]["doomed"] is not None:
        raise SystemExit(f"FAIL: a hard problem: {status} {str(answer)[:300]}")
threads, answers = views(6)
os.kill(pid, signal.SIGINT)
for t in threads:
    t.join()
print("ok")
