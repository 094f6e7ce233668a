"""A server that misbehaves in front of one that does not.

    trouble.py URL MODE [SEED]

Passes POST requests on to URL and spoils some of the replies, by a fixed plan:
every request is spoilt a few times (as often as the mode says) before it gets
through, so a client that repeats and never loses or miscounts an answer ends
with the same results. Prints its own address, and at the end of standard input
the number of requests it got and of those it passed on.

Modes: trouble (slow, 429, 500, cut, truncated and non-JSON replies in turn),
prose (answers in sentences, without log-probabilities), logprobs (wrong ones),
mute (answers that name no choice)."""
import hashlib
import json
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

url, mode = sys.argv[1].rstrip("/"), sys.argv[2]
lock, seen, counts = threading.Lock(), {}, {"requests": 0, "passed": 0}
KINDS = ["slow", "429", "500", "cut", "truncated", "prose-body", "empty", "502"]


def spoil_text(reply, body):
    """The same answer, said or scored differently."""
    choice = reply["choices"][0]
    number = choice["message"]["content"]
    if mode == "mute":
        choice["message"]["content"] = "Perhaps it is best to think again."
        choice.pop("logprobs", None)
    elif mode == "prose":
        said = [f"I would take choice {number}, because it fits best.", f"**{number}**", f"{number}.",
                f"Let me see: the state is clear. My answer is {number}"]
        choice["message"]["content"] = said[int(hashlib.sha1(body).hexdigest(), 16) % len(said)]
        choice.pop("logprobs", None)
    elif mode == "logprobs":
        content = choice["logprobs"]["content"][0]
        kind = int(hashlib.sha1(body).hexdigest(), 16) % 5
        if kind == 0:  # no logarithms of probabilities
            for t in content["top_logprobs"]:
                t["logprob"] = 3.5
        elif kind == 1:  # prefer another choice than the one that was said
            for t in content["top_logprobs"]:
                t["logprob"] = -9.0 if t["token"] == number else -0.1
        elif kind == 2:
            for t in content["top_logprobs"]:
                t["logprob"] = "nan"
        elif kind == 3:
            choice["logprobs"] = {"content": []}
        else:
            choice["logprobs"] = "none"
    return reply


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *unused):
        pass

    def reply(self, status, body, headers=()):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def pass_on(self, body=None):
        request = urllib.request.Request(url + self.path.removeprefix("/v1"), body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def do_GET(self):
        self.reply(*self.pass_on())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        key = hashlib.sha256(body).hexdigest()
        with lock:
            counts["requests"] += 1
            turn = seen[key] = seen.get(key, -1) + 1
        if mode == "trouble" and self.trouble(int(key[:8], 16), turn, body):
            return
        with lock:
            counts["passed"] += 1
        status, text = self.pass_on(body)
        if mode == "mute" and status == 400:  # a reminder, which our endpoint does not read
            status, text = 200, b'{"choices": [{"message": {"content": "2"}}]}'
        if status == 200 and mode != "trouble":
            text = json.dumps(spoil_text(json.loads(text), body)).encode()
        self.reply(status, text)

    def trouble(self, number, turn, body):
        """Spoils the first few tries of a request; 0: let it through."""
        if turn >= number % 3:
            return False
        kind = KINDS[(number // 3 + turn) % len(KINDS)]
        if kind == "slow":
            time.sleep(1.3)
        elif kind in ("429", "500", "502"):
            headers = [("Retry-After", "0")] if kind == "429" else []
            self.reply(int(kind), b'{"error": {"message": "not now"}}', headers)
            return True
        elif kind == "truncated":
            _, text = self.pass_on(body)
            self.reply(200, text[:len(text) // 2])
            return True
        elif kind == "prose-body":
            self.reply(200, b"<html>Welcome to our service!</html>")
            return True
        elif kind == "empty":
            self.reply(200, b"{}")
            return True
        self.close_connection = True  # cut
        self.connection.close()
        return True


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *unused):
        pass


def main():
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    sys.stdin.read()
    print(json.dumps(counts), flush=True)


main()
