"""`kubectl-prune migrate` is killed again and again, and goes on where it was.

kill_test.py BINARY [SEED [KILLS [OBJECTS]]]: SIGKILL at random moments, at least KILLS (50) of them
over one migration with --enable-pruning, and at least one in each of its phases; then SIGINT and
SIGTERM. Exit code 77 (skipped) without a server.
"""
import collections
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

from cluster import Cluster, wait_for
from migrations import (Migrator, Run, Stored, accounting_errors, add_widgets, as_backed_up,
                        bring_in_widgets, delete_crd, foretell, migration_differences,
                        stored_versions, turn_pruning_on, widgets)
from proxy import Proxy, Slow
from runner import end, run_tests

BINARY = None
CLUSTER = None
SEED, KILLS, OBJECTS = 1, 50, 400
MOST_RUNS = 400
PHASES = ("preflight", "before", "backup", "flip", "wait", "sweep", "verify", "trim")


class Phases:
    """Tells from the requests of a migration in which phase it is; lives through all its runs."""

    def __init__(self, subject):
        self._objects = re.compile(rf"/{re.escape(subject.plural)}(/|\?|$)")
        self._crd = f"customresourcedefinitions/{subject.name}"
        self._names = len(subject.objects)
        self.flipped = False
        self._written_once = set()  # since the flip

    def of(self, method, path):
        """Returns the phase of a request, None where it may belong to any."""
        if self._crd in path and method in ("PATCH", "PUT"):
            if "/status" in path:
                return "trim"
            return "preflight" if "dryRun" in path else "flip"
        if not self._objects.search(path):
            return "preflight" if method == "POST" else None
        if method in ("PATCH", "PUT"):
            if not self.flipped:
                return "before"
            return "sweep" if len(self._written_once) < self._names else "verify"
        if "watch=" in path:
            return "backup"
        return "wait" if self.flipped and "limit=" not in path else None

    def note(self, method, path):
        """The server has answered this request."""
        phase = self.of(method, path)
        self.flipped = self.flipped or phase == "flip"
        if phase in ("sweep", "verify"):
            self._written_once.add(path.split("?")[0])


class Killer:
    """Kills the process of the day at a request that is drawn by lot, ahead of it or behind it.

    A phase in which nobody was killed yet comes first: its first request is where the process dies,
    or the answer to it. Else it dies some requests later; a moment later still, as a request
    is not all that a migration does.
    """

    def __init__(self, phases, seed):
        self._phases, self._random = phases, random.Random(seed)
        self._lock = threading.Lock()
        self.killed = collections.Counter()
        self._process = None

    def aim(self, process):
        with self._lock:
            self._process = process
            self._left = self._random.randint(1, 90)
            self._behind = self._random.random() < 0.5
            self._delay = self._random.choice([0, 0, 0, 0.002, 0.01, 0.05])
            self._missing = set(PHASES) - set(self.killed)

    def before(self, method, path):
        self._see(method, path, False)

    def after(self, method, path):
        self._see(method, path, True)
        with self._lock:
            self._phases.note(method, path)

    def _see(self, method, path, behind):
        with self._lock:
            if self._process is None or behind != self._behind:
                return
            phase = self._phases.of(method, path)
            self._left -= 1
            if self._left > 0 and phase not in self._missing:
                return
            process, self._process = self._process, None
        time.sleep(self._delay)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.killed[phase or "between"] += 1


class KillTest(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.migrator = Migrator(CLUSTER, BINARY)

    def bring_in(self, subject):
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)
        return subject

    def test_sigkill_at_random_moments_loses_and_counts_nothing_twice(self):
        subject = self.bring_in(add_widgets(widgets(), OBJECTS))
        report = foretell(CLUSTER, BINARY, subject)
        before = Stored(CLUSTER, subject)
        killer = Killer(Phases(subject), SEED)

        last = self.kill_until_done(subject, killer)

        print(f"killed {sum(killer.killed.values())} times: {dict(killer.killed)}", flush=True)
        self.assertGreaterEqual(sum(killer.killed.values()), KILLS)
        self.assertEqual(set(), set(PHASES) - set(killer.killed))
        after = Stored(CLUSTER, subject)
        self.assertEqual([], migration_differences(subject, report, before.objects,
                                                   after.objects)[:5])
        self.assertEqual([], accounting_errors(last, OBJECTS))
        self.assertLessEqual(set(last.counts()), {"rewritten", "unchanged"})
        self.assertTrue(last.crd()["verified"])
        self.assertEqual(["v1"], stored_versions(self.api, subject))
        self.compare_backups(before, after)

    def kill_until_done(self, subject, killer):
        """Returns the Run that was not killed after the last of KILLS was, or that had no kill left."""
        with Proxy(CLUSTER, killer.before, killer.after) as proxy:
            for _ in range(MOST_RUNS):
                process = self.migrator.start(subject.name, "--enable-pruning", "--yes",
                                              "--chunk-size=50", user="admin", port=proxy.port)
                if sum(killer.killed.values()) < KILLS or set(PHASES) - set(killer.killed):
                    killer.aim(process)
                out, err = process.communicate(timeout=240)
                if process.returncode != -signal.SIGKILL:
                    run = Run(process.returncode, out, err)
                    self.assertEqual(0, run.code, run)
                    return run
        return self.fail(f"not done after {MOST_RUNS} runs: {killer.killed}")

    def compare_backups(self, before, after):
        """One whole backup has every object that was changed, as it was; none is torn."""
        changed = {name for name, stored in before.objects.items()
                   if as_backed_up(stored).keys() != as_backed_up(after.objects[name]).keys()
                   or stored["spec"] != after.objects[name]["spec"]}
        whole = list(self.migrator.backups.glob("*.ndjson"))
        self.assertTrue(whole)
        for path in whole:
            backup = self.migrator.backup_objects(path)
            self.assertEqual(changed, set(backup), path)
            for name, saved in backup.items():
                self.assertEqual(as_backed_up(before.objects[name]), as_backed_up(saved), name)

    def interrupt(self, subject, number, expected, *arguments):
        """Sends a signal once 60 writes are under way and each takes its time; returns the Run."""
        patches, enough = [], threading.Event()

        def slow(method, path):
            if method == "PATCH" and f"/{subject.plural}/" in path:
                patches.append(path)
                if len(patches) >= 60:
                    enough.set()
                    return Slow(0.3)
            return None

        with Proxy(CLUSTER, slow) as proxy:
            process = self.migrator.start(subject.name, *arguments, user="admin", port=proxy.port)
            self.assertTrue(enough.wait(240), "no 60 writes")
            process.send_signal(number)
            out, err = process.communicate(timeout=120)
            unread = proxy.unread
            answered = [path for method, path, code in proxy.seen
                        if method == "PATCH" and code == 200]
        run = Run(process.returncode, out, err)
        self.assertEqual(expected, run.code, run)
        self.assertEqual(0, unread, "a write in flight was given up")
        self.assertEqual(len(patches), len(answered))
        self.assertEqual([], accounting_errors(run), run)
        self.assertLess(len(patches), len(subject.objects))
        self.assertEqual(len(patches), sum(run.counts().get(c, 0) for c in ("rewritten", "unchanged")))
        return run

    def finish(self, subject, interrupted):
        """Run again, it goes on where it was: what was written is not written again."""
        done = {name for name, stored in Stored(CLUSTER, subject).objects.items()}
        run = self.migrator.run(subject.name)
        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, len(done)))
        self.assertGreaterEqual(run.counts()["rewritten"], interrupted.counts()["rewritten"])
        self.assertEqual(["v1"], stored_versions(self.api, subject))

    def signal_test(self, plural, number, code):
        subject = self.bring_in(add_widgets(widgets(plural), 300))
        turn_pruning_on(self.api, subject)
        before = Stored(CLUSTER, subject)

        run = self.interrupt(subject, number, code)

        self.assertEqual(run.counts()["rewritten"],
                         len(Stored(CLUSTER, subject).rewritten_since(before)))
        self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject))
        self.finish(subject, run)

    def test_sigint_ends_writes_in_flight_and_reports(self):
        self.signal_test("ints", signal.SIGINT, 130)

    def test_sigterm_ends_writes_in_flight_and_reports(self):
        self.signal_test("terms", signal.SIGTERM, 143)

    def test_sigint_before_the_flip_leaves_the_crd_alone(self):
        subject = self.bring_in(add_widgets(widgets("earlies"), 300))
        before = Stored(CLUSTER, subject)
        process = None
        with Proxy(CLUSTER, lambda method, path: Slow(0.05) if method == "PATCH" else None) as proxy:
            process = self.migrator.start(subject.name, "--enable-pruning", "--yes", user="admin",
                                          port=proxy.port)
            wait_for("writes", lambda: Stored(CLUSTER, subject).raw != before.raw)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=120)
        run = Run(process.returncode, out, err)
        self.assertEqual(130, run.code, run)
        self.assertIsNotNone(run.report, run)
        self.assertEqual(before.crd, Stored(CLUSTER, subject).crd)
        run = self.migrator.run(subject.name, "--enable-pruning", "--yes")
        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, 300))

    def test_a_second_signal_ends_it_at_once(self):
        subject = self.bring_in(add_widgets(widgets("twices"), 60))
        turn_pruning_on(self.api, subject)
        writing = threading.Event()

        def slow(method, _):
            if method == "PATCH":
                writing.set()
                return Slow(240)
            return None

        with Proxy(CLUSTER, slow) as proxy:
            process = self.migrator.start(subject.name, user="admin", port=proxy.port)
            self.addCleanup(process.kill)
            self.assertTrue(writing.wait(240))
            process.send_signal(signal.SIGINT)
            with self.assertRaises(subprocess.TimeoutExpired, msg="writes in flight were given up"):
                process.communicate(timeout=2)  # in its first second a signal is the same one
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=120)
        self.assertIn(process.returncode, (130, -signal.SIGINT))


def main():
    global BINARY, CLUSTER, SEED, KILLS, OBJECTS
    BINARY = os.path.abspath(sys.argv[1])
    SEED, KILLS, OBJECTS = (*map(int, sys.argv[2:5]), *(SEED, KILLS, OBJECTS)[len(sys.argv[2:5]):])
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[5:])


if __name__ == "__main__":
    end(main)
