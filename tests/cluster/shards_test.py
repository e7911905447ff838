"""Shards of `kubectl-prune migrate` as processes that share a state folder, as pods share a volume, on a
real API server: they are killed, doubled, missing and disowned, and end as one run would have.

shards_test.py BINARY [SEED [KILLS [OBJECTS [TEST...]]]]: at least KILLS (10) times one of them is killed
over one migration with --enable-pruning. Exit code 77 (skipped) without a server.
"""
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from cluster import ApiError, Cluster, wait_for
from migrations import (Migrator, Run, Stored, accounting_errors, add_widgets, as_backed_up,
                        bring_in_widgets, delete_crd, foretell, migration_differences,
                        stored_versions, turn_pruning_on, widgets)
from proxy import Proxy, Reset, Slow
from rights import LEASING, MIGRATION, RBAC, Rights
from runner import end, run_tests
from subjects import V1_CRDS

BINARY = None
CLUSTER = None
SEED, KILLS, OBJECTS = 1, 10, 300
MOST_RUNS = 200
MAPS = "/api/v1/namespaces/default/configmaps"
MAP_RIGHTS = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create", "update"]}


class CrdWatch:
    """All states of a CRD since it was made: `states` are (generation, preserves, storedVersions)."""

    def __init__(self, subject):
        self._api = CLUSTER.api()
        crd = self._api.get(f"{V1_CRDS}/{subject.name}")
        self.states = [self._state(crd)]
        self._path = (f"{V1_CRDS}?watch=1&timeoutSeconds=900&fieldSelector=metadata.name%3D{subject.name}"
                      f"&resourceVersion={crd['metadata']['resourceVersion']}")
        threading.Thread(target=self._read, daemon=True).start()

    @staticmethod
    def _state(crd):
        return (crd["metadata"]["generation"], crd["spec"].get("preserveUnknownFields", False),
                tuple(crd["status"]["storedVersions"]))

    def _read(self):
        connection = self._api._connection  # pylint: disable=protected-access
        connection.sock.settimeout(None)
        connection.request("GET", self._path)
        for line in connection.getresponse():
            event = json.loads(line)
            if event["type"] == "MODIFIED":
                self.states.append(self._state(event["object"]))

    def changes(self):
        """Returns the states that differ from the one before."""
        return [state for state, before in zip(self.states, [None, *self.states]) if state != before]


class Killer:
    """Kills the shard whose request is at one of `points`, each once and in their order, or that has come
    to a number of requests that is drawn by lot.

    A point is the flip or the trim and what becomes of that request: "lost" before the server sees it,
    "late", as the server sees it when the shard is dead, or "unread", as its answer is.
    """

    def __init__(self, subject, seed, points):
        self._crd = f"customresourcedefinitions/{subject.name}"
        self._random, self._lock = random.Random(seed), threading.Lock()
        self.points = list(points)
        self.killed = collections.Counter()
        self.processes, self._left = {}, {}

    def aim(self, shard, process):
        with self._lock:
            self.processes[shard] = process
            self._left[shard] = self._random.randint(1, 150)

    def before(self, shard, method, path):
        return self._see(shard, self._phase(method, path), ("lost", "late"))

    def after(self, shard, method, path):
        self._see(shard, self._phase(method, path), ("unread",))

    def _see(self, shard, phase, fates):
        with self._lock:
            process = self.processes.get(shard)
            if process is None or process.poll() is not None:
                return None
            self._left[shard] -= 1
            point = self.points[0] if self.points and self.points[0] in {(phase, fate) for fate in fates} else None
            if not point and (self._left[shard] > 0 or sum(self.killed.values()) >= KILLS):
                return None
            if point:
                self.points.pop(0)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.killed[" ".join(point) if point else "between"] += 1
            return Reset() if point and point[1] == "lost" else None

    def _phase(self, method, path):
        if method != "PATCH" or self._crd not in path or "dryRun" in path:
            return None
        return "trim" if "/status" in path else "flip"


class ShardRole:
    """The rights of a shard in the namespace `default`, until take() is called."""

    def __init__(self, user):
        self._user, self._api = user, CLUSTER.api()
        self._paths = [f"{RBAC}/namespaces/default/{kind}" for kind in ("rolebindings", "roles")]
        self._api.post(self._paths[1], {"metadata": {"name": user}, "rules": [LEASING, MAP_RIGHTS]})
        self._api.post(self._paths[0], {
            "metadata": {"name": user}, "subjects": [{"kind": "User", "name": user}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": user}})
        wait_for("rights", lambda: self._code() == 404)

    def _code(self):
        own = CLUSTER.api(self._user)
        code = own.request("GET", f"{MAPS}/none")[0]
        own.close()
        return code

    def take(self):
        for path in self._paths:
            self._api.request("DELETE", f"{path}/{self._user}")
        wait_for("rights to be gone", lambda: self._code() == 403)
        self._api.close()


class Shards:
    """So many shards, each behind a proxy of its own, all with one state folder."""

    def __init__(self, subject, count, *arguments, before=lambda shard, method, path: None,
                 after=lambda shard, method, path: None, user="admin"):
        self.subject, self.count, self.arguments, self.user = subject, count, arguments, user
        self.migrator = Migrator(CLUSTER, BINARY)
        self.processes = {}
        self.proxies = [Proxy(CLUSTER, lambda method, path, shard=shard: before(shard, method, path),
                              lambda method, path, shard=shard: after(shard, method, path))
                        for shard in range(count)]

    def __enter__(self):
        for proxy in self.proxies:
            proxy.__enter__()
        return self

    def __exit__(self, *_):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()
        for proxy in self.proxies:
            proxy.__exit__()

    def start(self, shard, *more, migrator=None, keep=True):
        """Returns its process, whose output goes to files: nobody reads it as it comes."""
        out, err = (tempfile.TemporaryFile("w+", encoding="utf-8") for _ in range(2))
        environment = CLUSTER.environment(CLUSTER.kubeconfig_file(self.user, self.proxies[shard].port))
        process = subprocess.Popen(
            (migrator or self.migrator).command(self.subject.name, f"--shard={shard}/{self.count}",
                                                *self.arguments, *more),
            env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err, text=True)
        process.files = out, err
        if keep:
            self.processes[shard] = process
        return process

    def start_all(self):
        for shard in range(self.count):
            self.start(shard)

    @staticmethod
    def run_of(process, seconds=180):
        code = process.wait(seconds)
        texts = []
        for file in process.files:
            file.seek(0)
            texts.append(file.read())
            file.close()
        return Run(code, *texts)

    def end(self, shard):
        return self.run_of(self.processes[shard])

    def end_all(self):
        return [self.end(shard) for shard in range(self.count)]

    def written(self, shard):
        """Returns the paths of the objects that it has written."""
        return {path.split("?")[0] for method, path, _ in self.proxies[shard].seen
                if method == "PATCH" and f"/{self.subject.plural}/" in path and "dryRun" not in path}


class ShardsTest(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)

    def bring_in(self, plural, count=None):
        subject = add_widgets(widgets(plural), count or OBJECTS)
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)
        return subject

    def record(self, subject):
        uid = self.api.get(f"{V1_CRDS}/{subject.name}")["metadata"]["uid"]
        return json.loads(self.api.get(f"{MAPS}/kubectl-prune-{subject.name}-{uid}")["data"]["record"])

    def step_of(self, subject, shard):
        """None as long as no shard has come."""
        try:
            return self.record(subject)["shards"][shard]["step"]
        except ApiError as error:
            if error.status != 404:
                raise
            return None

    def assert_each_object_once(self, shards, runs):
        """Over all shards: in one class, and written by one of them alone."""
        total = len(shards.subject.objects)
        self.assertEqual([], [wrong for run in runs for wrong in accounting_errors(run)])
        self.assertEqual(total, sum(run.crd()["counts"]["listed"] for run in runs), [str(run) for run in runs])
        written = collections.Counter(path for shard in range(shards.count) for path in shards.written(shard))
        self.assertEqual(total, len(written))
        self.assertEqual([], [path for path, times in written.items() if times > 1])

    def assert_migrated(self, subject, report, before, watch):
        """etcd is as was foretold, and pruning was turned on once, and storedVersions trimmed once, in
        this order."""
        after = Stored(CLUSTER, subject)
        self.assertEqual([], migration_differences(subject, report, before.objects, after.objects)[:5])
        wait_for("the watch to show the trim", lambda: watch.states[-1][2] == ("v1",))
        generation = watch.states[0][0]
        self.assertEqual([(generation, True, ("v1beta1", "v1")), (generation + 1, False, ("v1beta1", "v1")),
                          (generation + 1, False, ("v1",))], watch.changes())
        return after

    def compare_backups(self, migrator, before, after):
        """All that was changed is in a backup of one of the shards, as it was."""
        changed = {name for name, stored in before.objects.items()
                   if as_backed_up(stored).keys() != as_backed_up(after.objects[name]).keys()
                   or stored["spec"] != after.objects[name]["spec"]}
        saved = {}
        for path in migrator.backups.glob("*.ndjson"):
            for name, one in migrator.backup_objects(path).items():
                self.assertEqual(as_backed_up(before.objects[name]), as_backed_up(one), name)
                saved[name] = one
        self.assertEqual(changed, set(saved))


class Together(ShardsTest):
    def test_three_shards_end_as_one_run_would(self):
        subject = self.bring_in("trios")
        report, before, watch = foretell(CLUSTER, BINARY, subject), Stored(CLUSTER, subject), CrdWatch(subject)
        with Shards(subject, 3, "--enable-pruning", "--yes") as shards:
            shards.start_all()
            runs = shards.end_all()
        for run in runs:
            self.assertEqual(0, run.code, run)
        self.assert_each_object_once(shards, runs)
        after = self.assert_migrated(subject, report, before, watch)
        self.compare_backups(shards.migrator, before, after)
        self.assert_reports(runs)
        record = self.record(subject)
        self.assertEqual(("ended", 1, 1), (record["phase"], record["run"], record["round"]))

    def assert_reports(self, runs):
        """Each tells which shard it was; the last one has the account of the whole."""
        whole = []
        for number, run in enumerate(runs):
            shard = run.crd()["shard"]
            self.assertEqual((number, 3), (shard["number"], shard["count"]))
            if "missing" not in shard:
                whole.append(shard)
        self.assertTrue(whole)
        for shard in whole:
            self.assertEqual(OBJECTS, shard["counts"]["listed"])
            self.assertEqual([run.crd()["counts"] for run in runs], [one["counts"] for one in shard["shards"]])

    def test_a_crd_that_prunes_already_is_trimmed_by_the_last_one(self):
        subject = self.bring_in("already", 100)
        turn_pruning_on(self.api, subject)
        with Shards(subject, 2) as shards:
            shards.start(0)
            first = shards.end(0)
            self.assertEqual(0, first.code, first)
            self.assertIn("shard 1 has not come", first.crd()["shard"]["missing"])
            self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject))
            shards.start(1)
            second = shards.end(1)
            self.assertEqual(0, second.code, second)
        self.assert_each_object_once(shards, [first, second])
        self.assertEqual(["v1"], stored_versions(self.api, subject), second)
        self.assertEqual({"v1": 100}, Stored(CLUSTER, subject).versions())

    def test_a_run_without_shards_does_not_come_between(self):
        subject = self.bring_in("between", 100)
        turn_pruning_on(self.api, subject)
        hurry = threading.Event()

        def slow(_, method, path):
            return Slow(1) if method == "PATCH" and "/between/" in path and not hurry.is_set() else None

        with Shards(subject, 2, "--concurrency=1", before=slow) as shards:
            shards.start_all()
            wait_for("writes", lambda: shards.written(0) and shards.written(1))
            run = Migrator(CLUSTER, BINARY).run(subject.name)
            hurry.set()
            runs = shards.end_all()
        self.assertEqual(2, run.code, run)
        self.assertIn("is at work on it since", run.stderr)
        for run in runs:
            self.assertEqual(0, run.code, run)
        self.assertEqual(["v1"], stored_versions(self.api, subject))


class Killed(ShardsTest):
    def test_killed_at_random_and_where_it_counts_they_flip_and_trim_once(self):
        self.kill("killed", [("flip", "lost"), ("flip", "unread"), ("trim", "lost"), ("trim", "unread")])

    def test_what_comes_late_from_the_dead_counts_once(self):
        self.kill("dead", [("flip", "late"), ("trim", "late")])

    def kill(self, plural, points):
        subject = self.bring_in(plural)
        report, before, watch = foretell(CLUSTER, BINARY, subject), Stored(CLUSTER, subject), CrdWatch(subject)
        killer = Killer(subject, SEED, points)
        with Shards(subject, 3, "--enable-pruning", "--yes", "--chunk-size=50",
                    before=killer.before, after=killer.after) as shards:
            runs = self.run_until_done(shards, killer)
        print(f"killed {sum(killer.killed.values())} times: {dict(killer.killed)}", flush=True)
        self.assertEqual([], killer.points)
        self.assert_each_object_once(shards, runs)
        after = self.assert_migrated(subject, report, before, watch)
        self.compare_backups(shards.migrator, before, after)
        self.assertEqual("ended", self.record(subject)["phase"])

    def run_until_done(self, shards, killer):
        """Returns the last run of each. One that is killed is begun again, as a Job does; so is one that
        ends with an error, which is told."""
        started = 0
        waiting, done = set(range(shards.count)), {}
        while waiting:
            for shard in sorted(waiting):
                process = shards.processes.get(shard)
                if process is not None and process.poll() is None:
                    continue
                if process is not None:
                    run = shards.end(shard)
                    if run.code == 0:
                        waiting.discard(shard)
                        done[shard] = run
                        continue
                    if run.code != -signal.SIGKILL:
                        print(f"shard {shard} ended by itself: {run.code} {run.crd().get('error')}", flush=True)
                started += 1
                self.assertLess(started, MOST_RUNS)
                killer.aim(shard, shards.start(shard))
            time.sleep(0.05)
        return [done[shard] for shard in range(shards.count)]

    def test_a_lost_machine_is_followed_from_another_state_folder_before_the_flip(self):
        subject = self.bring_in("machines", 60)
        watch = CrdWatch(subject)
        with Shards(subject, 2, "--enable-pruning", "--yes") as shards:
            shards.start(0)
            wait_for("shard 0 waits for shard 1", lambda: self.step_of(subject, 0) == "backed-up")
            shards.processes[0].kill()
            shards.end(0)
            shards.start(0, migrator=Migrator(CLUSTER, BINARY))
            shards.start(1)
            for run in shards.end_all():
                self.assertEqual(0, run.code, run)
        self.assertEqual(["v1"], stored_versions(self.api, subject))
        self.assertEqual(3, len(watch.changes()))


class Troubled(ShardsTest):
    def test_one_that_never_comes_keeps_the_crd_as_it_is(self):
        subject = self.bring_in("lonely", 40)
        watch = CrdWatch(subject)
        with Shards(subject, 2, "--enable-pruning", "--yes") as shards:
            shards.start(0, "--shard-timeout=5s")
            run = shards.end(0)
            self.assertEqual(2, run.code, run)
            self.assertIn("the other shards were waited for in vain: shard 1 has not come", run.crd()["error"])
            self.assertEqual(1, len(watch.changes()))
            shards.start_all()
            for run in shards.end_all():
                self.assertEqual(0, run.code, run)
        self.assertEqual(["v1"], stored_versions(self.api, subject))

    def test_started_twice_one_of_both_does_it(self):
        subject = self.bring_in("twins", 60)
        report, before, watch = foretell(CLUSTER, BINARY, subject), Stored(CLUSTER, subject), CrdWatch(subject)
        with Shards(subject, 2, "--enable-pruning", "--yes") as shards:
            shards.start(0)
            wait_for("shard 0 has come", lambda: self.step_of(subject, 0))
            twin = shards.start(0, "--lease-timeout=1m", migrator=Migrator(CLUSTER, BINARY), keep=False)
            shards.start(1)
            runs = shards.end_all()
            twin = shards.run_of(twin)
        for run in (*runs, twin):
            self.assertEqual(0, run.code, run)
        self.assertIn("waiting for it to end", twin.stderr)
        self.assertLessEqual(set(twin.counts()), {"rewritten", "unchanged"})
        self.assert_each_object_once(shards, runs)
        self.assert_migrated(subject, report, before, watch)

    def test_other_flags_or_another_count_are_refused(self):
        subject = self.bring_in("others", 20)
        with Shards(subject, 2, "--enable-pruning", "--yes") as shards:
            shards.start(0)
            wait_for("shard 0 has come", lambda: self.step_of(subject, 0))
            for arguments in (["--shard=1/3", "--enable-pruning", "--yes"],
                              ["--shard=1/2", "--enable-pruning", "--yes", "--single-pass"]):
                run = Migrator(CLUSTER, BINARY).run(subject.name, *arguments)
                self.assertEqual(2, run.code, run)
                self.assertIn("shards of another count, or with other flags, are at it", run.crd()["error"])
            shards.start(1)
            for run in shards.end_all():
                self.assertEqual(0, run.code, run)

    def test_who_loses_the_rights_stops_and_goes_on_later(self):
        subject = self.bring_in("disowned")
        turn_pruning_on(self.api, subject)
        hurry = threading.Event()

        def slow(_, method, path):
            return Slow(0.5) if method == "PATCH" and "/disowned/" in path and not hurry.is_set() else None

        with Rights(CLUSTER, "bob", MIGRATION):
            role = ShardRole("bob")
            with Shards(subject, 2, "--concurrency=2", before=slow, user="bob") as shards:
                shards.start_all()
                wait_for("writes", lambda: shards.written(0) and shards.written(1))
                role.take()
                for run in shards.end_all():
                    self.assertEqual(2, run.code, run)
                    self.assertRegex(run.crd()["error"], "was lost: .*forbidden|configmaps")
                self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject))
                role = ShardRole("bob")
                hurry.set()
                shards.start_all()
                runs = shards.end_all()
                role.take()
        for run in runs:
            self.assertEqual(0, run.code, run)
        self.assert_each_object_once(shards, runs)
        self.assertEqual(["v1"], stored_versions(self.api, subject))

    def test_without_rights_no_shard_begins(self):
        subject = self.bring_in("rightless", 10)
        turn_pruning_on(self.api, subject)
        before = Stored(CLUSTER, subject)
        with Rights(CLUSTER, "bob", MIGRATION), Shards(subject, 2, user="bob") as shards:
            shards.start(0)
            run = shards.end(0)
        self.assertEqual(2, run.code, run)
        self.assertIn("shards cannot do without Leases", run.crd()["error"])
        self.assertEqual(before, Stored(CLUSTER, subject))


def main():
    global BINARY, CLUSTER, SEED, KILLS, OBJECTS
    BINARY = os.path.abspath(sys.argv[1])
    SEED, KILLS, OBJECTS = (*map(int, sys.argv[2:5]), *(SEED, KILLS, OBJECTS)[len(sys.argv[2:5]):])
    with Cluster(users=("bob",)) as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[5:])


if __name__ == "__main__":
    end(main)
