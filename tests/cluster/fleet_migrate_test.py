"""`migrate --contexts` over two real API servers: one goes away in the middle, or the process is killed; the
other one is done or goes on, the same command ends it, and etcd has lost nothing but what was foretold. And over
several that say that they are one cluster, of which some are.

fleet_migrate_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
server.
"""
import contextlib
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
                        migration_differences, stored_versions, turn_pruning_on, widgets)
import report_schema
from proxy import Proxy
from rights import LEASING, MIGRATION, Rights
from runner import end, run_tests
from subjects import V1_CRDS

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


class WhoIsWho(unittest.TestCase):
    """A cluster with two API servers, and one that was made of a snapshot of it."""

    @classmethod
    def setUpClass(cls):
        cls.subject = add_widgets(widgets("doubles"), 20)
        bring_in_widgets(STEADY, cls.subject)
        cls.addClassCleanup(delete_crd, STEADY.api(), cls.subject.name)
        with contextlib.closing(STEADY.api()) as api:
            turn_pruning_on(api, cls.subject)
        for name, options in {"second": {"etcd_of": STEADY}, "clone": {"snapshot_of": STEADY}}.items():
            cluster = Cluster(users=("limited",), **options)
            cluster.__enter__()
            cls.addClassCleanup(cluster.__exit__)
            setattr(cls, name, cluster)

    def setUp(self):
        """Whatever other tests have done, the CRD has to be migrated."""
        with contextlib.closing(STEADY.api()) as api:
            api.patch(f"{V1_CRDS}/{self.subject.name}/status", {"status": {"storedVersions": ["v1beta1", "v1"]}})
            self.assertEqual(["v1beta1", "v1"], stored_versions(api, self.subject))

    def is_migrated(self, cluster):
        with contextlib.closing(cluster.api()) as api:
            return stored_versions(api, self.subject) == ["v1"]

    def migrate(self, clusters, *arguments):
        """Returns the exit code, what the report says of each of {context: (cluster, user)}, and stderr."""
        config = {"apiVersion": "v1", "kind": "Config", "clusters": [], "users": [], "contexts": []}
        for name, (cluster, user) in clusters.items():
            one = json.loads(cluster.kubeconfig(user))
            for key in ("clusters", "users"):
                config[key].append({**one[key][0], "name": name})
            config["contexts"].append({"name": name, "context": {"cluster": name, "user": name}})
        path = STEADY.folder / "who-kubeconfig"
        path.touch(0o600)
        path.write_text(json.dumps(config))
        folder = tempfile.mkdtemp(prefix="who.", dir=STEADY.folder)
        run = subprocess.run([BINARY, "migrate", self.subject.name, "--contexts=*", "-o", "json",
                              f"--state-dir={folder}", *arguments], env=STEADY.environment(str(path)),
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        report = json.loads(run.stdout)
        report_schema.require_valid(report)
        return run.returncode, {cluster["name"]: cluster for cluster in report["clusters"]}, run.stderr

    @staticmethod
    def uid(cluster):
        with contextlib.closing(cluster.api()) as api:
            return api.get("/api/v1/namespaces/kube-system")["metadata"]["uid"]

    def test_two_servers_of_one_cluster_are_migrated_once_and_a_clone_is_not_taken_for_it(self):
        self.assertEqual({self.uid(STEADY)}, {self.uid(cluster) for cluster in (self.second, self.clone)})
        clusters = {"a": (STEADY, "admin"), "b": (self.second, "admin"), "c": (self.clone, "admin")}
        # What was written before the snapshot, and a second time, proves nothing.
        for _ in range(2):
            code, found, err = self.migrate(clusters)
            self.assertEqual(2, code, err)
            self.assertEqual({"a": 0, "b": 0, "c": 2}, {name: one["exitCode"] for name, one in found.items()}, err)
            self.assertEqual("a", found["b"]["sameAs"])
            self.assertIn("by its uid it is the same cluster as a, but what was just written to the one",
                          found["c"]["error"])
        self.assertTrue(self.is_migrated(STEADY))
        self.assertFalse(self.is_migrated(self.clone))

        code, found, err = self.migrate({"c": (self.clone, "admin")})

        self.assertEqual(0, code, err)
        self.assertTrue(self.is_migrated(self.clone))

    def test_without_the_right_to_leases_it_is_said_that_nothing_is_proven(self):
        with Rights(STEADY, "limited", MIGRATION):  # the same etcd, so of the second server, too
            code, found, err = self.migrate({"a": (STEADY, "limited"), "b": (self.second, "limited")})
        self.assertEqual(2, code, err)
        self.assertEqual(0, found["a"]["exitCode"], err)
        self.assertIn("it may be the same cluster as a, which the Lease", found["b"]["error"])
        self.assertIn("is forbidden", found["b"]["error"])
        self.assertTrue(self.is_migrated(STEADY))

    def test_the_rights_of_the_manifests_prove_it(self):
        with Rights(STEADY, "limited", [*MIGRATION, LEASING]):
            code, found, err = self.migrate({"a": (STEADY, "limited"), "b": (self.second, "limited")})
        self.assertEqual(0, code, err)
        self.assertEqual("a", found["b"]["sameAs"])
        self.assertTrue(self.is_migrated(STEADY))

    def test_a_dry_run_writes_nothing_and_shows_both(self):
        before = STEADY.etcd_revisions("/registry/leases/")
        code, found, err = self.migrate({"a": (STEADY, "admin"), "b": (self.second, "admin")}, "--dry-run=server")
        self.assertEqual(0, code, err)
        self.assertEqual(["done", "done"], [one["report"]["crds"][0]["outcome"] for one in found.values()])
        self.assertIn("b: note: it may be the same cluster as a; only a write could tell", err)
        self.assertEqual(before, STEADY.etcd_revisions("/registry/leases/"))
        self.assertFalse(self.is_migrated(STEADY))


def main():
    global BINARY, STEADY, SHAKY
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(users=("limited",)) as STEADY, Cluster() as SHAKY:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
