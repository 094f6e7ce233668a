"""The server from outside: the endpoint's answers, who is refused, what cannot
be read, bad HTTP and JSON, and a load of many clients.

    endpoint.py URL PID FOLDER [CLIENTS REQUESTS]

The server at URL (process PID) offers `ssa` and `causal` and shows FOLDER, beside
which lies a file `secret.txt` that must never be given out."""
import http.client
import json
import os
import random
import socket
import sys
import threading
import time
from urllib.parse import urlparse

url, pid, folder = urlparse(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
clients, requests = (int(sys.argv[4]), int(sys.argv[5])) if len(sys.argv) > 5 else (32, 1600)
HOST = f"{url.hostname}:{url.port}"
SYSTEM = None


def ask(method, path, body=None, headers=None, connection=None):
    c = connection or http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
    h = {"Content-Type": "application/json"} if data is not None else {}
    h.update(headers or {})
    c.putrequest(method, path, skip_host="Host" in h, skip_accept_encoding=True)
    if data is not None:
        h["Content-Length"] = str(len(data))
    for name, value in h.items():
        c.putheader(name, value)
    c.endheaders(data)
    r = c.getresponse()
    text = r.read()
    if not connection:
        c.close()
    return r.status, text, dict(r.getheaders())


def check(truth, what):
    if not truth:
        raise SystemExit("FAIL: " + what)


def status(want, what, *request, **more):
    got, text, headers = ask(*request, **more)
    check(got == want, f"{what}: {got}, expected {want}: {text[:200]}")
    return text


def question():
    """A conversation as the client writes it, taken from the view of a search."""
    return [{"role": "user", "content":
             "Problem\nFormula, clause after clause: C0: +v0 +v1 -v2.\n C1: -v0 +v2 +v3.\nThis is all of it.\n\n"
             "Situation\nState: v0 open v1 open v2 open v3 open.\n Look at clause C0: +v0 open +v1 open -v2 open ;\n"
             "\n\nChoices\n1. go back\n2. v0\n3. v1\n4. v2\n5. v3\nAnswer with one number."}]


def endpoint():
    models = json.loads(status(200, "models", "GET", "/v1/models"))
    check([m["id"] for m in models["data"]] == ["ssa", "causal"], "models are not listed")
    q = {"model": "ssa", "messages": question(), "temperature": 0, "max_tokens": 4, "logprobs": True, "top_logprobs": 20}
    a = json.loads(status(200, "chat", "POST", "/v1/chat/completions", q))
    choice = a["choices"][0]
    check(choice["message"]["content"] in "12345" and choice["finish_reason"] == "stop", "no number came back")
    first = choice["logprobs"]["content"][0]
    p = {t["token"]: 2.718281828459045 ** t["logprob"] for t in first["top_logprobs"]}
    check(set(p) == set("12345") and abs(sum(p.values()) - 1) < 1e-9, f"log-probabilities: {p}")
    check(max(p, key=p.get) == choice["message"]["content"] == first["token"], "the text is not the likeliest choice")
    check(a["usage"]["prompt_tokens"] > 20 and a["usage"]["total_tokens"] == a["usage"]["prompt_tokens"] + 1, "usage")
    flat = "### User\n" + question()[0]["content"] + "\n### Assistant\n"
    b = json.loads(status(200, "completion", "POST", "/v1/completions", {"model": "ssa", "prompt": flat, "logprobs": 3}))
    check(b["choices"][0]["text"] == choice["message"]["content"], "the two calls answer differently")
    check(len(b["choices"][0]["logprobs"]["top_logprobs"][0]) == 3, "not as many log-probabilities as wanted")
    status(200, "a model", "GET", "/v1/models/ssa")
    status(404, "no such model", "GET", "/v1/models/gpt")
    parts = [{"role": "user", "content": [{"type": "text", "text": t} for t in (question()[0]["content"][:50], question()[0]["content"][50:])]}]
    c = json.loads(status(200, "parts", "POST", "/v1/chat/completions", {**q, "messages": parts, "temperature": 0.7,
                                                                         "response_format": {"type": "text"}}))
    check(c["choices"] == a["choices"] and "taken as 0" in c["note"], "parts, or a temperature that is not noted")
    check("note" not in a, "a note about nothing")
    for wanted in (False, True):
        _, text, headers = ask("POST", "/v1/chat/completions", {**q, "stream": True, "stream_options": {"include_usage": wanted}})
        check(headers["Content-Type"] == "text/event-stream", "a stream of another type")
        events = text.decode().split("\n\n")
        check(events[-2:] == ["data: [DONE]", ""] and all(e.startswith("data: ") for e in events[:-1]), f"events: {events}")
        events = [json.loads(e[6:]) for e in events[:-2]]
        check("".join(e["choices"][0]["delta"].get("content", "") for e in events[:3]) == choice["message"]["content"], "streamed")
        check(events[1]["choices"][0]["logprobs"] == choice["logprobs"] and events[2]["choices"][0]["finish_reason"] == "stop", "end")
        check(len(events) == 3 + wanted and (not wanted or events[3]["usage"] == a["usage"]), "usage of a stream")
    _, text, _ = ask("POST", "/v1/completions", {"model": "ssa", "prompt": flat, "stream": True})
    check("".join(json.loads(e[6:])["choices"][0]["text"] for e in text.decode().split("\n\n")[:-2]) == b["choices"][0]["text"], "flat")
    second = question() + [{"role": "assistant", "content": "2"}, {"role": "user", "content":
                           "Choices\n1. true\n2. false\nAnswer with one number."}]
    for model in ("ssa", "causal"):
        again = [json.loads(status(200, "turns", "POST", "/v1/chat/completions", {"model": model, "messages": m, "logprobs": True}))
                 ["choices"][0] for m in (second, question(), second)]
        check(again[0] == again[2], f"{model} answers the same conversation differently")


def refusals():
    ok = {"model": "ssa", "messages": question()}
    for name, change in (("temperature", {"temperature": 3}), ("n", {"n": 2}), ("stream", {"stream": 1}), ("tools", {"tools": []}),
                         ("schema", {"response_format": {"type": "json_object"}}), ("grammar", {"grammar": "root ::= [1-9]"}),
                         ("image", {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}),
                         ("top_logprobs", {"logprobs": True, "top_logprobs": 21}), ("messages", {"messages": []}),
                         ("max_tokens", {"max_tokens": 0}), ("English", {"messages": [{"role": "user", "content": "Hello!"}]}),
                         ("turns", {"messages": question() * 2}), ("role", {"messages": [{"role": "cat", "content": "x"}]}),
                         ("content", {"messages": [{"role": "user", "content": [1]}]}), ("no model", {"model": None})):
        text = status(400, name, "POST", "/v1/chat/completions", {**ok, **change})
        check(len(json.loads(text)["error"]["message"]) > 10, f"{name}: no reason is given")
    status(404, "unknown model", "POST", "/v1/chat/completions", {**ok, "model": "gpt"})
    status(400, "prompt", "POST", "/v1/completions", {"model": "ssa", "prompt": ["x"]})
    status(400, "not JSON", "POST", "/v1/chat/completions", b"{")
    status(415, "a form", "POST", "/v1/chat/completions", b"{}", headers={"Content-Type": "text/plain"})
    status(405, "method", "GET", "/v1/chat/completions")
    status(405, "method", "DELETE", "/v1/models")
    status(404, "path", "GET", "/v2/models")
    long = question()[0]["content"].replace("C1:", "C1: +v1" * 30000)
    status(400, "too long", "POST", "/v1/chat/completions", {"model": "ssa", "messages": [{"role": "user", "content": long}]})


def foreigners():
    for host in ("evil.example", f"evil.example:{url.port}", "127.0.0.1.evil.example", "", "[::2]", "169.254.169.254"):
        status(403, f"Host {host}", "GET", "/api/start", headers={"Host": host})
    for host in (HOST, "localhost", f"localhost:{url.port}", "LOCALHOST:1", "[::1]:80"):
        status(200, f"Host {host}", "GET", "/api/start", headers={"Host": host})
    for origin in ("http://evil.example", "null", f"http://localhost.evil.example:{url.port}", f"http://127.0.0.1:{url.port + 1}"):
        status(403, f"Origin {origin}", "POST", "/api/view", {}, headers={"Origin": origin})
    status(403, "another site", "GET", "/api/start", headers={"Sec-Fetch-Site": "cross-site"})
    for site in ("cross-site", "same-site"):  # links may be followed from anywhere, and nothing else
        link = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
        for path in ("/", "/files/report/index.html"):
            status(200, f"a link to {path}", "GET", path, headers=link)
            status(403, f"{path} for a script", "GET", path, headers={**link, "Sec-Fetch-Mode": "no-cors"})
            status(403, f"{path} for whom?", "GET", path, headers={"Sec-Fetch-Site": site})
            status(403, f"{path} of another host", "GET", path, headers={**link, "Host": "evil.example"})
            status(403, f"{path} for another origin", "GET", path, headers={**link, "Origin": "http://evil.example"})
            status(403, f"a form to {path}", "POST", path, {}, headers=link)
        for path in ("/api/start", "/api/results", "/v1/models", "/assets/app.js"):
            status(403, f"a link to {path}", "GET", path, headers=link)
        for path in ("/api/view", "/v1/chat/completions"):
            status(403, f"a form to {path}", "POST", path, {}, headers=link)
    _, _, headers = ask("POST", "/api/view", {}, headers={"Origin": f"http://{HOST}", "Host": HOST})
    check(not any(h.lower().startswith("access-control") for h in headers), "another origin is let in")
    check("default-src 'none'" in headers["Content-Security-Policy"], "no content policy")


def files():
    status(200, "a report", "GET", "/files/report/index.html")
    _, _, headers = ask("GET", "/files/report/index.html")
    check(headers["Content-Security-Policy"].startswith("sandbox"), "a report is not sandboxed")
    for path in ("/files/../secret.txt", "/files/%2e%2e/secret.txt", "/files/..%2fsecret.txt", "/files/report/../../secret.txt",
                 "/files//etc/passwd", "/files/%2fetc/passwd", "/files/link.txt", "/files/linked/secret.txt", "/files/results.db",
                 "/files/.hidden.json", "/files/.git/notes.md", "/files/report/../.hidden.json",
                 "/files/", "/files/report", "/assets/../../etc/passwd", "/files/link.txt%00.html", "/files/../secret.txt%00.html",
                 "/files/" + "a/" * 3000 + "x.txt", "/examples/../src/serve/serve.c"):
        got, text, _ = ask("GET", path)
        check(got in (400, 403, 404, 414, 431) and b"secret" not in text and b"root:" not in text, f"{path}: {got} {text[:80]}")


def uploads():
    big = b'{"models": ["ssa"], "problem": {"name": "a.cnf", "text": "' + b" " * (5 << 20)
    try:
        status(413, "a large upload", "POST", "/api/view", big)
    except (BrokenPipeError, ConnectionResetError):
        pass  # refused before all of it was sent
    c = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    c.putrequest("POST", "/api/view")
    c.putheader("Content-Type", "application/json")
    c.putheader("Transfer-Encoding", "chunked")
    c.endheaders()
    try:
        for _ in range(80):
            c.send(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
        c.send(b"0\r\n\r\n")
        got = c.getresponse().status
        check(got == 413, f"a large upload in chunks: {got}")
    except (BrokenPipeError, ConnectionResetError):
        pass
    status(400, "deep JSON", "POST", "/api/view", b"[" * 100000)
    status(400, "a bad problem", "POST", "/api/view", {"models": ["ssa"], "problem": {"name": "a.cnf", "text": "p cnf 2 1\n9 0\n"}, "path": []})
    status(400, "a large formula", "POST", "/api/view",
           {"models": ["ssa"], "problem": {"name": "a.cnf", "text": "p cnf 5000 1\n1 0\n"}, "path": []})
    status(400, "bad steps", "POST", "/api/view", {"models": ["ssa"], "problem": {"draw": {"seed": 1, "n": 5}}, "path": [], "advance": 100000})
    status(400, "a bad choice", "POST", "/api/view", {"models": ["ssa"], "problem": {"draw": {"seed": 1, "n": 5}}, "path": [-7]})
    drawn = {"models": ["ssa"], "problem": {"draw": {"seed": 1, "n": 5}}}
    _, text, _ = ask("POST", "/api/view", {**drawn, "path": []})
    token = json.loads(text)["candidates"][-1]["token"]
    status(200, "a choice", "POST", "/api/view", {**drawn, "path": [token]})
    for wrapped in (token + 2**32, token - 2**32, 2**63 - 1):
        text = status(400, "a choice that wraps", "POST", "/api/view", {**drawn, "path": [wrapped]})
        code = json.loads(text)["error"]["code"]
        check(code.isidentifier() and code == code.lower(), f"the code of an error is `{code}`")
    status(400, "a bad history", "POST", "/api/view",
           {"models": ["ssa"], "problem": {"draw": {"seed": 1, "n": 5}}, "path": [], "history": "STATE nonsense"})


def raw(data):
    with socket.create_connection((url.hostname, url.port), 5) as s:
        try:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            s.settimeout(1)
            return s.recv(4096)
        except OSError:
            return b""


def fuzz(rounds):
    """Broken HTTP and broken JSON, from a fixed seed."""
    rng = random.Random(5)
    seeds = [json.dumps({"model": "ssa", "messages": question(), "logprobs": True, "top_logprobs": 5}),
             json.dumps({"models": ["ssa", "causal"], "problem": {"draw": {"seed": 3, "n": 6}}, "path": [], "history": "STATE SEP\nSTATE SEP",
                         "attention": 0, "advance": 2, "by": 1})]
    head = f"POST /api/view HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n".encode()
    for bad in (b"\0\0\0\0", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"POST /api/view HTTP/1.1\r\nHost: x\r\n\r\n",
                head + b"Content-Length: -1\r\n\r\n", head + b"Content-Length: 99999999999999999999\r\n\r\n",
                head + b"Content-Length: 10\r\n\r\nabc", head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\n\r\n", head + b"X: " + b"y" * 200000 + b"\r\n\r\n", b"\x16\x03\x01\x02\x00"):
        raw(bad)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    for i in range(rounds):
        text = bytearray(rng.choice(seeds).encode())
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(text))
            kind = rng.randrange(4)
            if kind == 0:
                text[at] = rng.randrange(256)
            elif kind == 1:
                del text[at:at + rng.randint(1, 30)]
            elif kind == 2:
                text[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 8)))
            else:
                other = rng.choice(seeds).encode()
                begin = rng.randrange(len(other))
                text[at:at] = other[begin:begin + rng.randint(1, 60)]
            if not text:
                text = bytearray(b"{}")
        path = "/api/view" if i % 2 else "/v1/chat/completions"
        got, reply, _ = ask("POST", path, bytes(text), connection=connection)
        check(got in (200, 400, 404), f"fuzzed body {i}: {got} {reply[:200]}")
        json.loads(reply)
    connection.close()


def memory():
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def load():
    """Many clients, each with a connection of its own."""
    bodies = [json.dumps({"model": m, "messages": question(), "logprobs": True, "top_logprobs": 5}).encode() for m in ("ssa", "causal")]
    want, times, errors, lock = {}, [], [], threading.Lock()
    for b in bodies:
        want[b] = json.loads(status(200, "warm", "POST", "/v1/chat/completions", b))["choices"]

    def client(number, count):
        c = http.client.HTTPConnection(url.hostname, url.port, timeout=120)
        mine, wrong = [], []
        for i in range(count):
            body = bodies[(number + i) % 2]
            begin = time.perf_counter()
            try:
                got, text, _ = ask("POST", "/v1/chat/completions", body, connection=c)
                if got != 200 or json.loads(text)["choices"] != want[body]:
                    wrong.append((got, text[:100]))
            except Exception as error:
                wrong.append(repr(error))
                c = http.client.HTTPConnection(url.hostname, url.port, timeout=120)
            mine.append(time.perf_counter() - begin)
        c.close()
        with lock:
            times.extend(mine)
            errors.extend(wrong)

    def round_of(total):
        threads = [threading.Thread(target=client, args=(i, total // clients)) for i in range(clients)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    round_of(requests // 4)
    before = memory()
    begin = time.perf_counter()
    times.clear()
    round_of(requests - requests // 4)
    seconds, grown = time.perf_counter() - begin, memory() - before
    check(not errors, f"{len(errors)} errors: {errors[:3]}")
    times.sort()
    print(f"{clients} clients, {requests} requests: {len(times) / seconds:.0f} a second, p50 {1000 * times[len(times) // 2]:.1f} ms, "
          f"p99 {1000 * times[int(len(times) * 0.99)]:.1f} ms, memory grew by {grown / 1e6:.2f} MB")
    # A sanitizer keeps what was freed; it tells leaks itself.
    check(grown < 4 << 20 or "san" in os.environ.get("BUILD", ""), f"memory grew by {grown} bytes")


def main():
    for part in (endpoint, refusals, foreigners, files, uploads):
        part()
    fuzz(600 if len(sys.argv) < 6 else 5000)
    load()
    endpoint()  # and it is as it was
    print("ok")


main()
