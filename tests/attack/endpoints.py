"""The server under hostile requests, and the client (audit, eval --guide) before
servers that misbehave."""
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from attack import ROOT, mangle

MODELS = [os.path.join(ROOT, "tests/data/serve", f"{name}.safetensors") for name in ("ssa", "causal")]
KEY = "sesame-open-4711"


class Served:
    """A server of the program on a free port."""

    def __init__(self, r):
        self.p = r.start("serve", "--port", 0, "--threads", 1, "--dir", r.folder,
                         *[w for m in MODELS for w in ("--model", m)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.p.stdout.readline().decode()
        self.port = int(line.rsplit(":", 1)[1].strip(" /\n"))

    def ask(self, method, path, body=None, headers=(), wait=60):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=wait)
        try:
            c.request(method, path, body, {"Content-Type": "application/json", **dict(headers)})
            answer = c.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as why:
            return 0, str(why).encode()
        finally:
            c.close()

    def raw(self, data):
        try:
            with socket.create_connection(("127.0.0.1", self.port), 10) as s:
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
                s.settimeout(10)
                return s.recv(4096)
        except OSError:
            return b""


def requests(rng):
    drawn = {"draw": {"seed": rng.randrange(9), "n": rng.choice((1, 4, 6, 12, 200, -1))}}
    view = {"models": rng.choice((["ssa"], ["ssa", "causal"], ["x"], [])), "problem": drawn,
            "path": [rng.choice((0, 5, 17, 2**32, -1, 2**63)) for _ in range(rng.randrange(3))],
            "history": rng.choice((None, "", "STATE SEP", "x" * 2000)), "attention": rng.choice((None, 0, 1, 9)),
            "advance": rng.choice((0, 1, 5, 10**9)), "by": rng.choice((0, 1, -1, 2**31))}
    chat = {"model": rng.choice(("ssa", None, "x")), "temperature": rng.choice((0, 1)), "logprobs": True,
            "top_logprobs": rng.choice((0, 5, 21)), "messages": [{"role": rng.choice(("user", "cat")), "content": rng.choice(
                ("Problem\nFormula", "", "1" * 3000))} for _ in range(rng.randrange(4))]}
    return rng.choice((("/api/view", view), ("/v1/chat/completions", chat), ("/v1/completions", {"model": "ssa", "prompt": "x"})))


def serve(r, rng):
    s = Served(r)
    try:
        while r.left() > 5:
            kind = rng.randrange(6)
            path, body = requests(rng)
            text = json.dumps(body).encode()
            r.tried()
            if kind == 0:
                status, said = s.ask("POST", path, text)
            elif kind == 1:
                status, said = s.ask("POST", path, mangle(rng, text))
            elif kind == 2:
                status, said = s.ask(rng.choice(("GET", "PUT", "HEAD", "OPTIONS")), rng.choice(
                    ("/", "/files/../x", "/files/%00", "/" + "a" * 9000, "/api/results", "/v1/models/x")), b"")
            elif kind == 3:
                status, said = s.ask("GET", "/v1/models", headers=[rng.choice((
                    ("Host", "evil.example"), ("Origin", "https://localhost"), ("X", "y" * 70000), ("Content-Length", "9" * 30)))])
            else:
                head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
                s.raw(mangle(rng, head.encode() + text, 8))
                status, said = 400, b""
            if status == 500 or status == 0 and kind < 2:
                r.fail(f"{path}: {status} {said[:200]!r}\n  {text[:300]!r}")
            if s.p.poll() is not None:
                r.fail(f"the server ended with {s.p.returncode}: {s.p.stderr.read()[-600:]!r}")
                return
        hard = json.dumps({"models": ["ssa"], "problem": {"draw": {"seed": 1, "n": 12}}, "path": [], "advance": 200, "by": 0}).encode()
        crowd = [threading.Thread(target=s.ask, args=("POST", "/api/view", hard)) for _ in range(12)]
        slow = []
        for _ in range(40):
            slow.append(socket.create_connection(("127.0.0.1", s.port), 10))
            slow[-1].send(b"GET / HT")
        for t in crowd:
            t.start()
        r.tried()
        status, _ = s.ask("GET", "/v1/models")
        if status != 200:
            r.fail(f"beside hard requests /v1/models is answered with {status}")
        s.p.send_signal(signal.SIGTERM)
        try:
            if s.p.wait(120):
                r.fail(f"told to end it exits with {s.p.returncode}")
        except subprocess.TimeoutExpired:
            r.fail("told to end it goes on")
        for t in crowd:
            t.join()
        for c in slow:
            c.close()
    finally:
        s.p.kill()
        s.p.wait()


# ---- servers that misbehave ----

class Bad(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    rng = random.Random(0)

    def log_message(self, *unused):
        pass

    def send(self, status, body, headers=()):
        self.send_response(status)
        for name, value in [("Content-Length", str(len(body))), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.misbehave(json.dumps({"data": [{"id": "m-" + KEY}]}).encode())

    def do_POST(self):
        length = self.headers.get("Content-Length", "0")
        self.rfile.read(int(length) if length.isdigit() else 0)
        said = {"role": "assistant", "content": self.rng.choice(("1", "2", "I would take 2.", "", None, "go back " + KEY, "7" * 50))}
        top = [{"token": str(i), "logprob": self.rng.choice((-.1, -3, 0, 5, None, "x"))} for i in range(1, 4)]
        self.misbehave(json.dumps({"choices": [{"message": said, "logprobs": {"content": [
            {"token": "1", "logprob": -.2, "top_logprobs": top}]}}], "usage": {"prompt_tokens": self.rng.choice((5, -1, 2**40))}}).encode())

    def misbehave(self, good):
        rng = self.rng
        kind = rng.randrange(14)
        try:
            if kind < 5:
                self.send(200, good)
            elif kind == 5:
                self.send(200, mangle(rng, good))
            elif kind == 6:
                self.send(rng.choice((400, 401, 404, 413, 422)), b'{"error": {"message": "no ' + KEY.encode() + b'", "code": "context_length_exceeded"}}')
            elif kind == 7:
                self.send(rng.choice((429, 500, 503)), b"later", [("Retry-After", rng.choice(("0", "-1", "x", "86400")))])
            elif kind == 8:
                self.send(200, good[:len(good) // 2], [("X", "y" * rng.choice((10, 300000)))])
            elif kind == 9:
                self.send(302, b"", [("Location", "http://127.0.0.1:1/")])
            elif kind == 10:
                self.wfile.write(rng.choice((b"", b"\0\1\2", b"HTTP/9 x\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")))
                self.close_connection = True
            elif kind == 11:
                self.send(200, b"[" * rng.choice((10, 200000)))
            elif kind == 12:
                self.send(200, b'{"choices": [' + b"{}," * rng.choice((10, 400000)) + b"{}]}")
            else:
                time.sleep(rng.choice((0, 1.2)))
                self.close_connection = True
        except OSError:
            pass


def holds_key(folder):
    for where, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(where, name), "rb") as f:
                if KEY.encode() in f.read():
                    return os.path.join(where, name)
    return None


CASE = {"id": "1", "situation": [{"role": "user", "content": "now?"}], "choices": ["go on", "back"], "right": "back",
        "histories": [{"name": name, "count": i, "messages": [{"role": "user", "content": name}, {"role": "assistant", "content": "1"}]}
                      for i, name in enumerate(("own", "own2", "other"))]}


def bad_servers(r, rng):
    Bad.rng = random.Random(rng.random())
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bad)
    server.daemon_threads = True
    server.handle_error = lambda *unused: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    env = {**os.environ, "STATEWISE_API_KEY": KEY}
    small = ["--guide-timeout", 1, "--guide-retries", 2, "--guide-pause", 0, "--progress", "none", "--guide-cache", "cache"]
    cases = r.write("cases.jsonl", "".join(json.dumps({**CASE, "id": str(i)}) + "\n" for i in range(6)))
    while r.left() > 0:
        for name in ("cache", "audit"):
            subprocess.run(["rm", "-rf", r.path(name)], check=False)
        kind = rng.randrange(4)
        if kind == 0:
            words = ["audit", url, "--n", 5, "--situations", 4, "-o", "audit", *small]
        elif kind == 1:
            words = ["audit", url, "--cases", cases, "-o", "audit", *small]
        elif kind == 2:
            words = ["eval", "--domain", "sat", "--guide", url, "--n", 5, "--instances", 2, "--decisions", 6, "--db", "none", *small]
        else:
            words = ["audit", url, "--dose", "--situations", 2, "-o", "audit", *small]
        _, out, err = r.run(*words, env=env)
        if KEY.encode() in out + err:
            r.fail("the key is printed: " + " ".join(map(str, words)))
        kept = [f for f in map(holds_key, (r.path("cache"), r.path("audit"))) if f]
        if kept:
            r.fail(f"the key is in {kept[0]}", kept)
        r.run("audit", rng.choice(("http://", "https://", "http://///", "http://[", "ftp://x", "http://127.0.0.1:1", "x:y@z")),
              "-o", "audit", *small)
    server.shutdown()


PARTS = {"serve": serve, "bad-servers": bad_servers}
