"""`migrate --contexts` over two real API servers: one goes away in the middle, or the process is killed; the
other one is done or goes on, the same command ends it, and etcd has lost nothing but what was foretold.

fleet_migrate_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
server.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

from cluster import Cluster
from migrations import (TIME_LIMIT, Stored, add_widgets, bring_in_widgets, delete_crd, foretell,
                        migration_differences, stored_versions, widgets)
import report_schema
from proxy import Proxy
from runner import end, run_tests

BINARY = None
STEADY = SHAKY = None  # the clusters
OBJECTS = 120
# Before the flip each object is written twice: this is in the sweep behind it.
MIDDLE = 2 * OBJECTS + OBJECTS // 2
CONTEXTS = ["fleet/steady", "fleet-shaky"]
FOLDERS = ["fleet%2Fsteady", "fleet-shaky"]


def kubeconfig(port):
    """A context for each of the clusters; to SHAKY by this port."""
    config = {"apiVersion": "v1", "kind": "Config", "clusters": [], "users": [], "contexts": []}
    for name, cluster, own in zip(CONTEXTS, (STEADY, SHAKY), (None, port)):
        one = json.loads(cluster.kubeconfig("admin", own, name))
        for key in ("clusters", "users"):
            config[key].append({**one[key][0], "name": name})
        config["contexts"].append({"name": name, "context": {"cluster": name, "user": name}})
    path = SHAKY.folder / "fleet-kubeconfig"
    path.touch(0o600)
    path.write_text(json.dumps(config))
    return str(path)


class Writes:
    """Counts the writes of objects; at the one in the middle it sets an event, and calls."""

    def __init__(self, subject, call):
        self._part, self._call = f"/{subject.plural}/", call
        self._count = 0
        self.in_the_middle = threading.Event()

    def before(self, method, path):
        if method != "PATCH" or self._part not in path:
            return
        self._count += 1
        if self._count == MIDDLE:
            self._call()
            self.in_the_middle.set()


class FleetMigration(unittest.TestCase):
    def bring_in(self, plural):
        """Brings the same objects into both; returns the subject, and what is foretold and stored in each."""
        subject = add_widgets(widgets(plural), OBJECTS)
        for cluster in (STEADY, SHAKY):
            self.addCleanup(delete_crd, cluster.api(), subject.name)
            bring_in_widgets(cluster, subject)
        self.foretold = [foretell(cluster, BINARY, subject) for cluster in (STEADY, SHAKY)]
        self.before = [Stored(cluster, subject) for cluster in (STEADY, SHAKY)]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fleet.", dir=SHAKY.folder))
        return subject

    def start(self, subject, port):
        command = [BINARY, "migrate", subject.name, "--enable-pruning", "--yes", "--contexts", ",".join(CONTEXTS),
                   "--patience=1s", "--chunk-size=50", "-o", "json", f"--state-dir={self.folder}/state",
                   f"--backup-dir={self.folder}/backups"]
        return subprocess.Popen(command, env=SHAKY.environment(kubeconfig(port)), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, process, code):
        """Returns what the report says of each cluster."""
        out, err = process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(code, process.returncode, out[-3000:] + err[-3000:])
        report = json.loads(out)
        report_schema.require_valid(report)
        return {cluster["name"]: cluster for cluster in report["clusters"]}

    def is_clean(self, subject):
        """Nothing is lost in either but what was foretold, all of that is, and it is backed up."""
        for number, cluster in enumerate((STEADY, SHAKY)):
            after = Stored(cluster, subject)
            self.assertEqual([], migration_differences(subject, self.foretold[number], self.before[number].objects,
                                                       after.objects)[:5], CONTEXTS[number])
            self.assertEqual(["v1"], stored_versions(cluster.api(), subject))
            self.assertEqual({"v1": OBJECTS}, dict(after.versions()))
            [backup] = (self.folder / "backups" / FOLDERS[number]).glob("*.ndjson")
            # One in five loses nothing.
            self.assertEqual(OBJECTS * 4 // 5, len(backup.read_text(encoding="utf-8").splitlines()))
        self.assertEqual(sorted(FOLDERS), sorted(os.listdir(self.folder / "backups")))

    def test_a_server_that_goes_away_stops_no_other_and_is_gone_on_with(self):
        subject = self.bring_in("vanishings")
        writes = Writes(subject, SHAKY.stop_kube_apiserver)
        with Proxy(SHAKY, writes.before) as proxy:
            found = self.end(self.start(subject, proxy.port), 2)
        self.assertTrue(writes.in_the_middle.is_set())
        self.assertEqual(0, found[CONTEXTS[0]]["exitCode"])
        self.assertEqual("done", found[CONTEXTS[0]]["report"]["crds"][0]["outcome"])
        self.assertEqual(2, found[CONTEXTS[1]]["exitCode"])

        SHAKY.start_kube_apiserver()
        found = self.end(self.start(subject, None), 0)

        for name in CONTEXTS:
            [crd] = found[name]["report"]["crds"]
            self.assertEqual(("done", True, OBJECTS), (crd["outcome"], crd["verified"], crd["counts"]["listed"]))
        self.is_clean(subject)

    def test_a_run_that_is_killed_is_gone_on_with_in_each(self):
        subject = self.bring_in("killings")
        writes = Writes(subject, lambda: process.send_signal(signal.SIGKILL))
        with Proxy(SHAKY, writes.before) as proxy:
            process = self.start(subject, proxy.port)
            process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(-signal.SIGKILL, process.returncode)

        process = self.start(subject, None)
        found = self.end(process, 0)

        for name in CONTEXTS:
            self.assertEqual("done", found[name]["report"]["crds"][0]["outcome"])
        # That a run was killed must not have cost what it had done.
        self.assertFalse(found[CONTEXTS[1]]["report"]["crds"][0]["pruningEnabled"])
        self.is_clean(subject)


def main():
    global BINARY, STEADY, SHAKY
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster() as STEADY, Cluster() as SHAKY:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
