"""A headless Chromium for tests of pages, spoken to by the DevTools protocol over two pipes.

It has no network: no name is found, and every request that a page makes is noted. Where chromium is
not installed, find() is None.
"""
import base64
import contextlib
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

# A first start reads a cold disk.
PATIENCE = 240
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-extensions", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-default-apps", "--hide-scrollbars",
         "--host-resolver-rules=MAP * ~NOTFOUND"]


def find():
    """Returns the path of a Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """Commands and events of one tab. What the page logs or asks for is in `said` and `requests`."""

    def __init__(self, send, receive):
        self._send, self._receive = send, receive
        self._buffer, self._number, self._session = b"", 0, None
        self.said, self.requests, self._events = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _read(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._receive], [], [], max(0, deadline - time.monotonic()))
            part = os.read(self._receive, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("the browser does not answer")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, message):
        method, what = message.get("method"), message.get("params", {})
        self._events.append(method)
        if method == "Runtime.consoleAPICalled":
            self.said.append(f"{what['type']}: " + " ".join(str(a.get("value")) for a in what["args"]))
        elif method == "Runtime.exceptionThrown":
            self.said.append("exception: " + json.dumps(what["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.said.append(f"{what['entry']['level']}: {what['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])

    def call(self, method, **parameters):
        """Does what the protocol calls `method`; returns its result."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._send, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self._read(deadline)
            if message.get("id") != self._number:
                self._note(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            else:
                return message["result"]

    def open(self, url):
        """Loads the page; returns when it has loaded."""
        self._events.clear()
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + PATIENCE
        while "Page.loadEventFired" not in self._events:
            message = self._read(deadline)
            if "method" in message:
                self._note(message)

    def run(self, script):
        """The value of the expression in the page, as JSON can say it; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def emulate(self, scheme="light", media="", width=1200, height=900):
        """How the page is looked at: prefers-color-scheme, screen or print, and the window."""
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def screenshot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


@contextlib.contextmanager
def browser():
    """A Browser of its own, with a folder of its own, gone at the end."""
    to_read, send = os.pipe()
    receive, to_write = os.pipe()

    # The protocol has fixed numbers: it reads 3 and writes 4.
    def place_pipes():
        high = [os.dup(to_read), os.dup(to_write)]
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [find(), *FLAGS, f"--user-data-dir={folder}/profile", "--remote-debugging-pipe"]
        environment = os.environ | {"HOME": folder, "XDG_RUNTIME_DIR": folder}
        log = pathlib.Path(folder, "log")
        with open(log, "wb") as errors, subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                preexec_fn=place_pipes, pass_fds=(3, 4)) as process:
            os.close(to_read)
            os.close(to_write)
            try:
                yield Browser(send, receive)
            finally:
                os.close(send)
                os.close(receive)
                process.kill()
