"""Chromium over its debugging pipe, with the standard library only.

    with Chromium(width=1280, dark=False) as page:
        page.open(url)
        page.click('#step')
        page.wait('view && view.steps.length > 1')

Everything the page asks for (page.requests), every console message of level
error or warning and every uncaught exception (page.problems) is kept."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    return next((p for p in map(shutil.which, ("chromium", "chromium-browser")) if p), None)


class Chromium:
    FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"]

    def __init__(self, width=1280, height=900, dark=False, patience=60):
        self.patience = patience
        self.requests, self.problems = [], []
        self.serial, self.replies, self.buffer = 0, {}, b""
        self.folder = tempfile.mkdtemp(prefix="statewise-browser-")
        to_read, self.out = os.pipe()
        self.back, to_write = os.pipe()

        def child():  # the browser reads commands from 3 and writes to 4
            low, high = os.dup(to_read), os.dup(to_write)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self.process = subprocess.Popen(
            [find(), *self.FLAGS, "--user-data-dir=" + self.folder, "about:blank"],
            preexec_fn=child, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.send(domain + ".enable")
        self.size(width, height)
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        try:
            self.call("Browser.close")
        except Exception:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- the wire: NUL-terminated JSON both ways ----

    def call(self, method, **params):
        return self._call(method, params, None)

    def send(self, method, **params):
        return self._call(method, params, self.session)

    def _call(self, method, params, session):
        self.serial += 1
        number = self.serial
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + self.patience
        while number not in self.replies:
            self._read(end, method)
        reply = self.replies.pop(number)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return reply.get("result", {})

    def _read(self, end, what):
        ready, _, _ = select.select([self.back], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise TimeoutError(f"the browser did not answer {what}")
        data = os.read(self.back, 1 << 20)
        if not data:
            raise RuntimeError("the browser has gone")
        self.buffer += data
        *whole, self.buffer = self.buffer.split(b"\0")
        for text in whole:
            message = json.loads(text)
            if "id" in message:
                self.replies[message["id"]] = message
            else:
                self._event(message["method"], message.get("params", {}))

    def _event(self, method, p):
        if method == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = p["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.problems.append("console: " + " ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"log: {p['entry']['text']} {p['entry'].get('url', '')}")

    # ---- doing and looking ----

    def size(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def open(self, url):
        self.send("Page.navigate", url=url)

    def run(self, code):
        r = self.send("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(f"{code}: {r['exceptionDetails']}")
        return r["result"].get("value")

    def wait(self, condition):
        end = time.monotonic() + self.patience
        while True:
            try:
                if self.run(f"!!({condition})"):
                    return
            except RuntimeError:
                pass  # the page is still being loaded
            if time.monotonic() > end:
                raise TimeoutError(f"never came true: {condition}")
            time.sleep(0.05)

    def click(self, selector):
        place = self.run(
            "(()=>{const e=document.querySelector(%s);if(!e)return null;e.scrollIntoView({block:'center'});"
            "const r=e.getBoundingClientRect();return[r.x+r.width/2,r.y+r.height/2]})()" % json.dumps(selector))
        if not place:
            raise RuntimeError(f"nothing to click: {selector}")
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def key(self, key):
        codes = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "Tab": 9}
        text = key if len(key) == 1 else ""
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, text=text if kind == "keyDown" else "",
                      windowsVirtualKeyCode=codes.get(key, ord(key[0])))

    def choose(self, selector, value):
        self.run("(()=>{const e=document.querySelector(%s);e.value=%s;e.dispatchEvent(new Event('change',{bubbles:true}))})()"
                 % (json.dumps(selector), json.dumps(value)))

    def files(self, selector, *paths):
        root = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", nodeId=node, files=list(paths))

    def picture(self, path, whole=True):
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))
