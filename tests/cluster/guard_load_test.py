"""Nobody is kept from writing while a guard is killed, restarted, given other certificates, flooded, or loses its
API server, and what it should refuse it refuses once it is there again.

guard_load_test.py BINARY [TEST...]. SECONDS=3600 in the environment: for an hour. Exit code 77 (skipped) without a
server.
"""
import http.client
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import unittest

from cluster import Cluster, ClusterError, wait_for
from guards import CONFIGURATIONS, CRD, HERE, KINDS, MOST_MIB, WIDGETS, Guard, crd, flood, peak_mib, widget
from runner import end, run_tests
from subjects import V1BETA1_CRDS

BINARY = None
CLUSTER = None
SECONDS = int(os.environ.get("SECONDS") or 10)
SEED = 23
NAME = "guard.example.com"
WRITERS = 4
# A webhook may take 3 s, and a machine with other work beside much more; what hangs takes for ever.
LONGEST_SECONDS, PATIENCE_SECONDS = 60, 180
TOLD = "spec.legacyMode of widgets.demo.example.com will be removed when pruning is turned on: not in the schema of v1"


class Certificates:
    """Files of a certificate that a guard serves with, made anew with another authority each time."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder, "guard-certificates")
        self.folder.mkdir(exist_ok=True)
        self.make()

    def make(self):
        new = self.folder / "new"
        new.mkdir(exist_ok=True)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-keyout", new / "key", "-out", new / "cert", "-subj", f"/CN=guard {time.monotonic()}", "-addext",
             "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        for name in ("cert", "key"):  # one after the other, as kubelet does not
            os.replace(new / name, self.folder / name)

    def flags(self):
        return [f"--cert-file={self.folder}/cert", f"--key-file={self.folder}/key", f"--ca-file={self.folder}/cert"]


class Writer(threading.Thread):
    """Writes until it is told to stop. Notes what nobody should see."""

    def __init__(self, number, stop, is_server_away):
        super().__init__()
        self._number, self._stop_event, self._is_server_away = number, stop, is_server_away
        self._random = random.Random(SEED + number)
        self.wrong, self.counts, self.longest = [], {}, 0

    def run(self):
        self._api = CLUSTER.api()
        self._turn = 0
        while not self._stop_event.is_set():
            self._turn += 1
            what = self._random.choice((self.good, self.good, self.bad, self.old, self.big))
            began = time.monotonic()
            was_away = self._is_server_away.is_set()
            try:
                wrong = what()
            except (OSError, http.client.HTTPException) as error:
                self._api.close()
                self._api = CLUSTER.api()
                wrong = "" if was_away or self._is_server_away.is_set() else f"{what.__name__}: {error!r}"
            took = time.monotonic() - began
            if was_away or self._is_server_away.is_set():
                continue
            self.longest = max(self.longest, took)
            if took > LONGEST_SECONDS:
                wrong = f"{what.__name__} took {took:.1f} s"
            if wrong:
                self.wrong.append(wrong)
        self._api.close()

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def create(self, **spec):
        name = f"w{self._number}-{self._turn}"
        status, answer = self._api.request("POST", WIDGETS, json.loads(widget(name, **spec)))
        if status == 201:
            self._api.request("DELETE", f"{WIDGETS}/{name}")
        return status, answer

    def good(self):
        status, answer = self.create(mode="x" * 8000)
        self.count("good")
        return "" if status == 201 else f"good: {status} {answer}"

    def bad(self):
        """Is refused by the guard or, where it is away, by nobody."""
        status, answer = self.create(mode="x" * 8000, legacyMode="slow")
        self.count(f"bad {status}")
        return "" if status == 201 or (status == 422 and TOLD in answer["message"]) else f"bad: {status} {answer}"

    def old(self):
        """What an object has already passes."""
        status, answer = self._api.request(
            "PATCH", f"{WIDGETS}/old-{self._number}", {"metadata": {"labels": {"turn": str(self._turn)}}},
            "application/merge-patch+json")
        self.count("old")
        return "" if status == 200 else f"old: {status} {answer}"

    def big(self):
        """A review of almost 3 MiB: both objects."""
        status, answer = self._api.request(
            "PATCH", f"{WIDGETS}/big-{self._number}",
            {"spec": {"mode": str(self._turn) + "x" * (1_400_000 if self._turn % 10 == 0 else 100_000)}},
            "application/merge-patch+json")
        self.count("big")
        return "" if status == 200 else f"big: {status} {answer}"


class Load(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.api.post(V1BETA1_CRDS, crd())
        wait_for("widgets are not served", lambda: self.api.request("GET", WIDGETS)[0] == 200)
        for number in range(WRITERS):
            self.api.post(WIDGETS, json.loads(widget(f"old-{number}", legacyMode="slow")))
            self.api.post(WIDGETS, json.loads(widget(f"big-{number}", mode="x")))
        self.certificates = Certificates(CLUSTER.folder)
        self.is_server_away = threading.Event()
        self.guard = None
        self.start_guard()
        self.addCleanup(lambda: self.guard.__exit__())

    def start_guard(self):
        self.guard = Guard(CLUSTER, [BINARY, "guard", CRD, *HERE, *self.certificates.flags(), f"--managed={NAME}",
                                     "--action=deny"])
        self.guard.__enter__()

    def is_denied(self):
        try:
            status, answer = self.api.request("POST", f"{WIDGETS}?dryRun=All",
                                              json.loads(widget("probe", legacyMode="x")))
        except (OSError, http.client.HTTPException):
            self.api.close()
            self.api = CLUSTER.api()
            return False
        return status == 422 and TOLD in answer["message"]

    def wait_until_denied(self, what):
        try:
            wait_for(f"{what} nothing is denied", self.is_denied, PATIENCE_SECONDS)
        except ClusterError:
            said = "\n".join(self.guard.lines[-20:])
            configuration = self.api.get(f"{CONFIGURATIONS}/{KINDS[0]}/{NAME}")
            self.fail(f"{what} nothing is denied; the guard ({self.guard.process.poll()}) said:\n{said}\n{configuration}")

    # What may happen to a guard.

    def killed(self):
        self.guard.stop(signal.SIGKILL)
        self.start_guard()

    def ended(self):
        self.assertEqual(0, self.guard.stop(), self.guard.lines)
        self.start_guard()

    def another_certificate(self):
        self.certificates.make()

    def flooded(self):
        for connection in flood(self.guard.port()):
            connection.close()

    def without_its_server(self):
        self.is_server_away.set()
        CLUSTER.restart_kube_apiserver()
        CLUSTER.etcd_compact()  # as a server does that lives for minutes: else etcd is full within half an hour
        self.wait_until_denied("with its server back")
        self.is_server_away.clear()

    def test_writes_go_on_whatever_happens_to_the_guard(self):
        self.wait_until_denied("at first")
        stop = threading.Event()
        writers = [Writer(number, stop, self.is_server_away) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        self.addCleanup(lambda: (stop.set(), [writer.join() for writer in writers]))
        chance = random.Random(SEED)
        disasters = (self.killed, self.ended, self.another_certificate, self.flooded, self.without_its_server)
        happened, most_mib = {}, 0
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline or len(happened) < len(disasters):
            left = [one for one in disasters if one.__name__ not in happened]
            disaster = chance.choice(left or disasters)
            disaster()
            happened[disaster.__name__] = happened.get(disaster.__name__, 0) + 1
            self.wait_until_denied(f"after {disaster.__name__}")
            most_mib = max(most_mib, peak_mib(self.guard.process))
        stop.set()
        for writer in writers:
            writer.join()

        counts = {}
        for writer in writers:
            for what, count in writer.counts.items():
                counts[what] = counts.get(what, 0) + count
        print(f"{happened}\n{counts}\nlongest: {max(writer.longest for writer in writers):.1f} s, {most_mib:.0f} MiB")
        self.assertEqual([], [wrong for writer in writers for wrong in writer.wrong][:5])
        self.assertTrue(counts.get("bad 422"), counts)
        if b"__asan_init" not in pathlib.Path(BINARY).read_bytes():
            self.assertLess(most_mib, MOST_MIB)


def main():
    global BINARY, CLUSTER
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
