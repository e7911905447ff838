#!/usr/bin/env python3
"""How fast objects are written: how long the plan says that takes, and what a server that refuses some costs.

Usage: pace_test.py KUBECTL_PRUNE FAKE_API_SERVER
"""
import contextlib
import http.client
import http.server
import json
import threading
import unittest

import sandbox
from full_disk_test import CRD, WIDGETS

OBJECTS = 600
EACH = 7  # of the writes is refused, which is 14 %
BOX = None


def write_manifests(count, crd):
    objects = [{"apiVersion": "demo.example.com/v1", "kind": "Widget", "spec": {"unknown": True},
                "metadata": {"name": f"w{number:03}", "namespace": "shop"}} for number in range(count)]
    (BOX.work / "all.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [crd, *objects]}))


def plan(count, *flags):
    """The time that the plan foretells for so many objects."""
    write_manifests(count, CRD)
    with BOX.server("all.json"):
        done = BOX.run("kubectl-prune", "migrate", WIDGETS, "--enable-pruning", "--dry-run=client", *flags)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    [line] = [line for line in done.stderr.splitlines() if line.startswith(f"plan: {count} writes, ")]
    return line.split("writes, ")[1].split(";")[0]


class Busy(http.server.BaseHTTPRequestHandler):
    """Passes requests on, but for each EACH-th write: that is asked to come again in a second."""
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer in one piece
    lock, writes, refused = threading.Lock(), 0, 0

    def do_GET(self):
        self._pass_on()

    def do_POST(self):
        self._pass_on()

    def do_PUT(self):  # of the Lease, where the run takes long
        self._pass_on()

    def do_DELETE(self):
        self._pass_on()

    def do_PATCH(self):
        with Busy.lock:
            Busy.writes += 1
            is_refused = Busy.writes % EACH == 0
            Busy.refused += is_refused
        if not is_refused:
            return self._pass_on()
        self.rfile.read(int(self.headers["Content-Length"]))
        return self._answer(429, {"Retry-After": "1"}, b"too many requests")

    def _pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        server = http.client.HTTPConnection("127.0.0.1", self.server.behind)
        server.request(self.command, self.path, body, headers)
        answer = server.getresponse()
        self._answer(answer.status, {"Content-Type": answer.headers["Content-Type"]}, answer.read())
        server.close()

    def _answer(self, status, headers, body):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def busy_server(port):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
        server.daemon_threads = True
        server.behind = int(port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class Pace(unittest.TestCase):
    def test_the_plan_tells_the_time_of_all_passes(self):
        self.assertEqual("about 6 s", plan(4))
        self.assertEqual("about 11 s", plan(1000))
        self.assertEqual("about 3 min", plan(1000, "--max-rate=15"))

    def test_there_is_one_pace(self):
        done = BOX.run("kubectl-prune", "migrate", WIDGETS, "--pace=full")
        self.assertEqual(2, done.returncode)
        self.assertIn("unknown flag: --pace", done.stderr)

    def test_what_the_server_asks_to_wait_holds_up_no_others(self):
        write_manifests(OBJECTS, {**CRD, "spec": {**CRD["spec"], "preserveUnknownFields": False}})
        with BOX.server("all.json") as port, busy_server(port) as busy:
            done = BOX.run("kubectl-prune", "migrate", WIDGETS, "--verify=false", "-o", "json", f"--server={busy}")
        self.assertEqual(0, done.returncode, done.stderr)
        counts = json.loads(done.stdout)["crds"][0]["counts"]
        self.assertEqual(OBJECTS, counts["rewritten"] + counts["unchanged"], counts)
        self.assertGreater(Busy.refused, OBJECTS // EACH)
        # Nobody else waited.
        self.assertNotIn("as the server asks for it", done.stderr)


if __name__ == "__main__":
    raise SystemExit(sandbox.run_tests())
