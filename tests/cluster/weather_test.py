"""`kubectl-prune migrate` in bad weather, on a real API server behind a proxy.

weather_test.py BINARY [TEST...]: faults of the network and of servers in between, expired tokens and
history, other writers, webhooks, objects that cannot be written, a CRD that changes midway. In each
the classes add up to what was listed, the run ends, and the exit code is as promised. Exit code 77
(skipped) without a server.
"""
import collections
import contextlib
import copy
import os
import random
import sys
import threading
import unittest

from check_faults_test import continue_token
from cluster import Cluster, wait_for
from loop_closes_test import wait_for_storage_version
from migrations import (FAILURES, GROUP, TIME_LIMIT, Migrator, Run, Stored, accounting_errors,
                        add_widgets, bring_in_widgets, in_parallel, stored_versions,
                        turn_pruning_on, widgets)
from proxy import Answer, Cut, Garbled, Proxy, Reset, Slow
from rights import MIGRATION, WITHOUT_PATCH, Rights
from runner import end, run_tests
from subjects import V1_CRDS, V1BETA1_CRDS
from webhook import CONFIGURATIONS, Webhook, configuration

BINARY = None
CLUSTER = None
HTML = b"<html><body><h1>502 Bad Gateway</h1></body></html>"

TRANSIENT = {
    "429 with Retry-After": lambda: Answer.status(429, "TooManyRequests",
                                                  headers=[("Retry-After", "1")]),
    "429": lambda: Answer.status(429, "TooManyRequests"),
    "500": lambda: Answer.status(500, "InternalError"),
    "500 by etcd": lambda: Answer.status(500, "", "etcdserver: request timed out"),
    "503": lambda: Answer.status(503, "ServiceUnavailable", headers=[("Retry-After", "1")]),
    "504": lambda: Answer.status(504, "Timeout", details={"retryAfterSeconds": 1}),
    "HTML from a load balancer": lambda: Answer(502, HTML, "text/html"),
    "reset before the server saw it": Reset,
    "reset when the server had answered": lambda: Reset(after=True),
    "answers cut short": Cut,
    "slow answers": lambda: Slow(2),
}


def unavailable():
    return Answer.status(503, "ServiceUnavailable")


def bad_gateway():
    return Answer(502, HTML, "text/html")


# Mixes of faults: of requests with a method ("" for any), which share, and what they meet.
COUNTED = {
    "503": {"503": ("", 0.1, unavailable)},
    "resets and answers cut short": {"reset": ("", 0.1, lambda: Reset(after=True)),
                                     "cut": ("GET", 0.2, Cut)},
    "HTML": {"502": ("", 0.1, bad_gateway), "slow": ("", 0.02, lambda: Slow(1))},
    "all of it": {"503": ("", 0.03, unavailable), "reset": ("", 0.03, Reset), "cut": ("", 0.05, Cut),
                  "500": ("", 0.03, lambda: Answer.status(500, "InternalError")),
                  "504": ("", 0.03, lambda: Answer.status(504, "Timeout")),
                  "HTML": ("", 0.03, bad_gateway),
                  "a page": ("", 0.02, lambda: Garbled(HTML, "text/html")),
                  "slow": ("", 0.02, lambda: Slow(1))},
}


class WeatherTest(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.migrator = Migrator(CLUSTER, BINARY)

    def bring_in(self, plural, count, prunes=True, **options):
        """Widgets that all need to be rewritten, as every one of them loses a field."""
        def fields(number):
            return {"spec": {"size": number, "color": "red", "legacyMode": "on"}}

        subject = add_widgets(widgets(plural, **options), count, fields)
        # It is left there: nobody else has its name, and to delete it costs more than to keep it.
        bring_in_widgets(CLUSTER, subject)
        if prunes:
            with contextlib.closing(CLUSTER.api()) as api:  # some are brought in at once
                turn_pruning_on(api, subject)
        return subject

    def run_through(self, before, subject, *arguments, user="admin", **options):
        with Proxy(CLUSTER, before) as proxy:
            return self.migrator.run(subject.name, *arguments, user=user, port=proxy.port, **options)

    def start(self, subject, *arguments, before=None, **options):
        """Returns the Popen of a run, with `before` through a proxy."""
        if before:
            proxy = Proxy(CLUSTER, before)
            proxy.__enter__()
            self.addCleanup(proxy.__exit__)
            options = {"user": "admin", "port": proxy.port, **options}
        process = self.migrator.start(subject.name, *arguments, **options)
        self.addCleanup(process.kill)
        return process

    @staticmethod
    def end(process):
        out, err = process.communicate(timeout=TIME_LIMIT)
        return Run(process.returncode, out, err)

    def assert_accounted(self, run, listed=None):
        """The classes add up, and the exit code says whether one of them is a failure."""
        self.assertEqual([], accounting_errors(run, listed), run)
        if run.code in (0, 1):
            failed = sum(run.counts().get(name, 0) for name in (*FAILURES, "notTried"))
            self.assertEqual(1 if failed or not run.crd()["verified"] else 0, run.code, run)

    def assert_clean(self, subject, names=None):
        """etcd holds the objects, or those of them, without what was to be pruned."""
        for name, stored in Stored(CLUSTER, subject).objects.items():
            if names is None or name in names:
                self.assertNotIn("legacyMode", stored["spec"], name)

    def assert_done(self, run, subject, listed):
        self.assertEqual(0, run.code, run)
        self.assert_accounted(run, listed)
        self.assert_clean(subject)
        self.assertEqual(["v1"], stored_versions(self.api, subject))

    def assert_not_trimmed(self, subject):
        self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject))


def is_write(subject, method, path):
    return method in ("PATCH", "PUT") and f"/{subject.plural}/" in path and GROUP in path


class Network(WeatherTest):
    def test_faults_that_pass_are_outlived(self):
        """All at once, as each waits for most of its time."""
        subjects = {}

        def bring_in(numbered):
            number, name = numbered
            subjects[name] = self.bring_in(f"transients{number}s", 60)

        in_parallel(list(enumerate(TRANSIENT)), bring_in)
        met = {name: collections.Counter() for name in TRANSIENT}
        runs = {name: self.start(subject, "--chunk-size=20", before=self.now_and_then(
            subject, TRANSIENT[name], met[name])) for name, subject in subjects.items()}
        for name, process in runs.items():
            with self.subTest(name):
                run = self.end(process)
                self.assert_done(run, subjects[name], 60)
                self.assertEqual({"rewritten": 60}, run.counts())
                self.assertGreater(len(met[name]), 5)

    @staticmethod
    def now_and_then(subject, fault, met):
        """One write in nine fails once, and so does every other request for a page. Counts in `met`."""
        pages, writes = [], []

        def before(method, path):
            if f"/{subject.plural}?" in path:
                pages.append(path)
                return fault() if len(pages) % 2 == 0 else None
            if not is_write(subject, method, path):
                return None
            writes.append(path)
            if len(writes) % 9 == 0 and not met[path]:
                met[path] += 1
                return fault()
            return None

        return before

    def test_an_answer_of_html_with_code_200_is_not_taken_for_success(self):
        subject = self.bring_in("pagers", 120)
        writes = []

        def before(method, path):
            if is_write(subject, method, path):
                writes.append(path)
                return Garbled(HTML, "text/html") if len(writes) % 9 == 0 else None
            return None

        run = self.run_through(before, subject)

        self.assertIn(run.code, (0, 1), run)
        self.assert_accounted(run, 120)

    def test_an_expired_token_ends_the_run_and_the_next_goes_on(self):
        subject = self.bring_in("tokens", 200)
        writes = []

        def before(method, path):
            if is_write(subject, method, path):
                writes.append(path)
            return Answer.status(401, "Unauthorized") if len(writes) > 60 else None

        run = self.run_through(before, subject)

        self.assertIn(run.code, (1, 2), run)
        self.assert_accounted(run)
        self.assertIn("nauthorized", run.stderr + run.stdout)
        self.assert_not_trimmed(subject)
        self.assert_done(self.migrator.run(subject.name), subject, 200)

    def test_every_object_is_counted_once_though_history_is_compacted_in_the_middle(self):
        subject = self.bring_in("histories", 600)
        tokens = []

        def compact(_, path):
            token = continue_token(path)
            if f"/{subject.plural}?" in path and token and token not in tokens:
                tokens.append(token)
                if len(tokens) in (3, 7):
                    self.api.patch(f"{subject.collection('v1', 'shop')}/w00001",
                                   {"metadata": {"labels": {"at": str(len(tokens))}}})
                    CLUSTER.etcd_compact()

        with Proxy(CLUSTER, compact) as proxy:
            run = self.migrator.run(subject.name, "--chunk-size=50", user="admin", port=proxy.port)

        self.assertGreaterEqual([code for _, path, code in proxy.seen
                                 if f"/{subject.plural}?" in path].count(410), 2)
        self.assert_done(run, subject, 600)

    def test_history_compacted_while_pruning_is_turned_on(self):
        subject = self.bring_in("ancients", 300, prunes=False)
        tokens = []

        def compact(_, path):
            token = continue_token(path)
            if f"/{subject.plural}?" in path and token and token not in tokens:
                tokens.append(token)
                if len(tokens) % 4 == 3:
                    self.api.patch(f"{subject.collection('v1', 'shop')}/w00001",
                                   {"metadata": {"labels": {"at": str(len(tokens))}}})
                    CLUSTER.etcd_compact()

        run = self.run_through(compact, subject, "--enable-pruning", "--yes", "--chunk-size=50")

        self.assert_done(run, subject, 300)
        backup = self.migrator.backup_objects(run.crd()["backup"])
        self.assertEqual(300, len(backup))

    def test_faults_while_pruning_is_turned_on(self):
        for number, name in enumerate(("503", "reset when the server had answered",
                                       "answers cut short")):
            with self.subTest(name):
                subject = self.bring_in(f"turnings{number}s", 60, prunes=False)
                met, seen = set(), []

                def before(method, path, fault=TRANSIENT[name], met=met, seen=seen):
                    """Every fourth request fails, if it is the first of its kind and path."""
                    seen.append(path)
                    if len(seen) % 4 == 0 and (method, path) not in met and "watch=" not in path:
                        met.add((method, path))
                        return fault()
                    return None

                for _ in range(6):  # where it gives up instead, the same command goes on
                    run = self.run_through(before, subject, "--enable-pruning", "--yes",
                                           "--chunk-size=20")
                    if run.code == 0:
                        break
                    self.assertIn(run.code, (1, 2), run)
                self.assertEqual(0, run.code, run)
                self.assert_accounted(run, 60)
                self.assert_clean(subject)
                self.assertEqual(["v1"], stored_versions(self.api, subject))


    def test_counted_faults_of_all_requests_are_outlived_before_and_behind_the_flip(self):
        """All at once, as each waits for most of its time. The faults fall as a seed has it."""
        subjects = {}

        def bring_in(numbered):
            number, name = numbered
            subjects[name] = self.bring_in(f"counted{number}s", 200, prunes=False)

        in_parallel(list(enumerate(COUNTED)), bring_in)
        met = {name: collections.Counter() for name in COUNTED}
        runs = {name: self.start(subject, "--enable-pruning", "--yes", "--chunk-size=50",
                                 before=self.counted(COUNTED[name], met[name]))
                for name, subject in subjects.items()}
        for name, process in runs.items():
            with self.subTest(name):
                run = self.end(process)
                self.assert_done(run, subjects[name], 200)
                self.assertGreater(sum(met[name].values()), 40)
                checked = self.check_through(self.counted(COUNTED[name], met[name]), subjects[name])
                self.assertEqual(0, checked.returncode, checked)

    def check_through(self, before, subject):
        with Proxy(CLUSTER, before) as proxy:
            return CLUSTER.run([BINARY, "check", subject.name], user="admin", port=proxy.port)

    @staticmethod
    def counted(shares, met):
        """Faults by their shares of all requests of a method ("" for any). Counts in `met`."""
        random_ = random.Random(20)

        def before(method, path):
            if "watch=" in path:
                return None
            for name, (of, share, fault) in shares.items():
                if of in ("", method) and random_.random() < share:
                    met[name] += 1
                    return fault()
            return None

        return before


class Writers:
    """Eight others, each counting up a field of its own by GET and PUT, in objects by turns."""

    COUNT = 8

    def __init__(self, subject, names):
        self._subject, self._names = subject, names
        self._stop = threading.Event()
        self.conflicts = 0
        self.last = {}  # (name, writer): the value of the last update that was taken

    def __enter__(self):
        self._threads = [threading.Thread(target=self._run, args=(number,), daemon=True)
                         for number in range(self.COUNT)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number):
        api = CLUSTER.api()
        field, turn = f"writer{number}", 0
        while not self._stop.is_set():
            name = self._names[turn % len(self._names)]
            turn += 1
            path = f"{self._subject.collection('v1', 'default')}/{name}"
            self._count_up(api, path, name, field)
        api.close()

    def _count_up(self, api, path, name, field):
        while True:
            one = api.get(path)
            value = str(int(one["spec"].setdefault("labels", {}).get(field, 0)) + 1)
            one["spec"]["labels"][field] = value
            status, answer = api.request("PUT", path, one)
            if status == 200:
                self.last[name, field] = value
                return
            if status != 409:
                raise AssertionError(f"{path}: {status} {answer}")
            self.conflicts += 1


class Others(WeatherTest):
    """Other clients at work on the same objects."""

    def storm(self, plural, rules):
        subject = self.bring_in(plural, 300)
        names = [f"w{number:05}" for number in range(0, 300, 25) if number % 2 == 0]
        with Rights(CLUSTER, "migrator", rules), Writers(subject, names) as writers:
            wait_for("the storm", lambda: len(writers.last) == len(names) * Writers.COUNT)
            run = self.migrator.run(subject.name, "--max-rate=150", user="migrator")
        stored = Stored(CLUSTER, subject).objects
        for (name, field), value in writers.last.items():
            self.assertEqual(value, stored["default", name]["spec"]["labels"][field], (name, field))
        self.assertGreater(writers.conflicts, 5)
        self.assert_accounted(run, 300)
        self.assert_clean(subject)
        return run

    def test_no_update_of_eight_writers_is_lost(self):
        run = self.storm("hots", MIGRATION)
        self.assertEqual(0, sum(run.counts().get(c, 0) for c in FAILURES if c != "conflict"), run)

    def test_no_update_of_eight_writers_is_lost_by_put(self):
        run = self.storm("puts", WITHOUT_PATCH)
        self.assertEqual(0, sum(run.counts().get(c, 0) for c in FAILURES if c != "conflict"), run)

    def test_writers_while_pruning_is_turned_on(self):
        run, subject, names = self.turn_on_in_a_storm("wets", two_versions=False)
        self.assert_accounted(run, 200)
        held = {f["name"] for f in run.crd()["failures"] if f["class"] == "held"}
        self.assertLessEqual(held, set(names))
        backup = self.migrator.backup_objects(run.crd()["backup"])
        for _, name in Stored(CLUSTER, subject).objects.keys() - backup.keys():
            self.assertIn(name, held)
        self.assert_clean(subject, {("default", f"w{number:05}") for number in range(10, 20, 2)})

    def test_writers_while_objects_of_two_stored_versions_are_rewritten_before_the_flip(self):
        """Either it gets by the storm, or it stops before the flip with nothing pruned."""
        run, subject, _ = self.turn_on_in_a_storm("damps")
        self.assertIn(run.code, (0, 1), run)
        if not run.crd()["pruningEnabled"]:
            self.assertEqual(1, run.code, run)
            for name, stored in Stored(CLUSTER, subject).objects.items():
                self.assertIn("legacyMode", stored["spec"], name)

    def turn_on_in_a_storm(self, plural, **options):
        """Returns the Run, the subject and the names of the objects that others write."""
        subject = self.bring_in(plural, 200, prunes=False, **options)
        names = [f"w{number:05}" for number in range(0, 200, 20)]
        with Writers(subject, names) as writers:
            wait_for("the storm", lambda: writers.conflicts > 5)
            run = self.migrator.run(subject.name, "--enable-pruning", "--yes", "--max-rate=200")
        stored = Stored(CLUSTER, subject).objects
        for (name, field), value in writers.last.items():
            self.assertEqual(value, stored["default", name]["spec"]["labels"][field], (name, field))
        return run, subject, names

    def test_objects_that_are_deleted_midway_are_gone(self):
        subject = self.bring_in("leaves", 200)
        deleted = []

        def before(method, path):
            if is_write(subject, method, path) and not deleted:
                deleted.extend(range(150, 190))
                in_parallel(deleted, lambda n: CLUSTER.api().delete(
                    f"{subject.collection('v1', ('default', 'shop')[n % 2])}/w{n:05}"))

        run = self.run_through(before, subject)

        self.assert_done(run, subject, 200)
        self.assertEqual(40, run.counts()["gone"])

    def test_objects_with_finalizers_and_a_deletion_timestamp_are_rewritten(self):
        subject = self.bring_in("ghosts", 40)
        held = [f"{subject.collection('v1', 'shop')}/w{number:05}" for number in (1, 3, 5)]
        for path in held:
            self.api.patch(path, {"metadata": {"finalizers": ["example.com/hold"]}})
            self.api.delete(path)
        versions = self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["versions"]
        self.flip_storage(subject, versions)

        run = self.migrator.run(subject.name)

        self.assertEqual(0, run.code, run)
        self.assert_accounted(run, 40)
        self.assertEqual({"v1beta1": 40}, dict(Stored(CLUSTER, subject).versions()))
        for path in held:
            self.assertIn("deletionTimestamp", self.api.get(path)["metadata"])
            self.api.patch(path, {"metadata": {"finalizers": None}})

    def flip_storage(self, subject, versions):
        """Makes v1beta1 the storage version, so that everything needs to be written anew."""
        for version in versions:
            version["storage"] = version["name"] == "v1beta1"
        self.api.patch(f"{V1_CRDS}/{subject.name}", {"spec": {"versions": versions}})
        flipped = copy.copy(subject)
        flipped.storage = "v1beta1"
        wait_for_storage_version(CLUSTER, self.api, flipped)


class Refused(WeatherTest):
    """Objects that cannot be written."""

    def test_a_webhook_that_rejects_some_objects(self):
        subject = self.bring_in("vetoes", 120)

        def allows(one):
            return not one["metadata"]["name"].endswith("5")

        with Webhook(CLUSTER, "vetoes", subject, allows) as webhook:
            self.until_asked(subject, webhook)
            run = self.migrator.run(subject.name)

        self.assertEqual(1, run.code, run)
        self.assert_accounted(run, 120)
        self.assertEqual(12, run.counts()["denied"])
        failure = run.crd()["failures"][0]
        self.assertEqual("denied", failure["class"])
        self.assertIn("not on a Saturday", failure["message"])
        self.assert_not_trimmed(subject)
        self.assert_done(self.migrator.run(subject.name), subject, 120)

    def until_asked(self, subject, webhook):
        path = f"{subject.collection('v1', 'default')}/w00000?dryRun=All"

        def asked():
            self.api.patch(path, {})
            return webhook.asked

        wait_for("the webhook is not asked", asked)

    def test_objects_that_are_invalid_under_a_schema_tightened_since(self):
        subject = self.bring_in("tights", 120)
        versions = self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["versions"]
        for version in versions:
            spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
            spec["properties"]["size"]["minimum"] = 10
        self.api.patch(f"{V1_CRDS}/{subject.name}", {"spec": {"versions": versions}})
        path = f"{subject.collection('v1', 'default')}/w00000?dryRun=All"
        wait_for("the schema", lambda: self.api.request(
            "PATCH", path, {}, "application/merge-patch+json")[0] == 422)

        run = self.migrator.run(subject.name)

        self.assertEqual(1, run.code, run)
        self.assert_accounted(run, 120)
        self.assertEqual({"rewritten": 110, "invalid": 10}, run.counts())
        self.assertEqual({("invalid", 422)}, {(f["class"], f["code"])
                                              for f in run.crd()["failures"]})
        self.assert_not_trimmed(subject)

    def test_objects_of_nearly_the_size_that_etcd_takes(self):
        subject = self.bring_in("giants", 4)
        path = subject.collection("v1", "default")
        for number in range(6):
            self.api.post(path, {"apiVersion": f"{GROUP}/v1", "kind": subject.kind,
                                 "metadata": {"name": f"giant{number}"},
                                 "spec": {"labels": {"large": "x" * 1_430_000}}})
        versions = self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["versions"]
        Others.flip_storage(self, subject, versions)

        run = self.migrator.run(subject.name)

        self.assertEqual(0, run.code, run)
        self.assert_accounted(run, 10)
        self.assertEqual({"rewritten": 10}, run.counts())
        self.grow(subject)
        run = self.migrator.run(subject.name)
        self.assertEqual(1, run.code, run)
        self.assert_accounted(run, 10)
        self.assertEqual({"rewritten": 4, "tooLarge": 6}, run.counts())

    def grow(self, subject):
        """A default that comes to every object takes the large ones above what etcd takes."""
        versions = self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["versions"]
        for version in versions:
            version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["padding"] = {
                "type": "string", "default": "y" * 200_000}
        self.api.patch(f"{V1_CRDS}/{subject.name}", {"spec": {"versions": versions}})
        path = f"{subject.collection('v1', 'default')}/w00000"
        wait_for("the default", lambda: "padding" in self.api.get(path)["spec"])

    def test_a_right_that_is_taken_midway(self):
        subject = self.bring_in("rights", 300)
        rights, writes = Rights(CLUSTER, "migrator", MIGRATION), []

        def before(method, path):
            if is_write(subject, method, path):
                writes.append(path)
                if len(writes) == 50:
                    rights.take()

        run = self.run_through(before, subject, user="migrator")

        self.assertIn(run.code, (1, 2), run)
        self.assert_accounted(run)
        self.assertGreater(run.counts().get("forbidden", 0), 0, run)
        self.assertGreater(run.counts().get("notTried", 0), 0, run)
        self.assert_not_trimmed(subject)


class Patience(WeatherTest):
    """Faults that do not pass. Each is retried for two minutes, so all are waited for at once."""

    def start_through(self, subject, fault):
        """Starts a run in which every write that `fault` gives something for fails."""
        return self.start(subject, before=lambda method, path: (
            fault(path) if is_write(subject, method, path) else None))

    def end_with(self, process, listed, code=1):
        run = self.end(process)
        self.assertEqual(code, run.code, run)
        self.assert_accounted(run, listed)
        return run

    def webhook_down(self, plural, count, **options):
        """Brings in widgets that no update of gets past a webhook."""
        subject = self.bring_in(plural, count, **options)
        self.api.post(CONFIGURATIONS,
                      configuration(CLUSTER, plural, subject, "https://127.0.0.1:1/"))
        self.addCleanup(self.api.request, "DELETE", f"{CONFIGURATIONS}/{plural}")
        path = f"{subject.collection('v1', 'default')}/w00000?dryRun=All"
        wait_for("the webhook is asked", lambda: self.api.request(
            "PATCH", path, {}, "application/merge-patch+json")[0] == 500)
        return subject

    def test_faults_that_do_not_pass_end_the_run(self):
        single = self.bring_in("singles", 60)
        all_500 = self.bring_in("fivehundreds", 200)
        all_html = self.bring_in("pages", 200)
        down = self.webhook_down("downs", 200)
        off = self.webhook_down("offs", 100, prunes=False)
        off_before = Stored(CLUSTER, off)
        runs = {
            single: self.start_through(single, lambda path: Answer.status(
                500, "InternalError", "broken disk") if "w00007" in path else None),
            all_500: self.start_through(all_500, lambda _: Answer.status(500, "InternalError")),
            all_html: self.start_through(all_html, lambda _: Answer(502, HTML, "text/html")),
            down: self.start(down),
            off: self.start(off, "--enable-pruning", "--yes")}

        with self.subTest("one object"):
            self.check_single(self.end_with(runs[single], 60))
        for subject in (all_500, all_html):
            with self.subTest(subject.plural):
                run = self.end_with(runs[subject], 200)
                self.assertGreater(run.counts().get("notTried", 0), 80, run)
        with self.subTest("webhook"):
            run = self.end_with(runs[down], 200)
            self.assertGreaterEqual(run.counts().get("webhookUnavailable", 0), 40, run)
            self.assertEqual({"webhook-unavailable", "not-tried"},
                             {f["class"] for f in run.crd()["failures"]})
        with self.subTest("webhook before the flip"):
            run = self.end_with(runs[off], 0, code=2)
            self.assertIn("failed calling webhook", run.crd()["error"])
            self.assertEqual(off_before, Stored(CLUSTER, off))
        for subject in runs:
            self.assert_not_trimmed(subject)

    def check_single(self, run):
        self.assertEqual({"rewritten": 59, "failed": 1}, run.counts())
        failure = run.crd()["failures"][0]
        self.assertEqual(("shop", "w00007", "failed", 500),
                         tuple(failure[k] for k in ("namespace", "name", "class", "code")))
        self.assertIn("broken disk", failure["message"])


class CrdChanges(WeatherTest):
    """The CRD is changed by somebody else in the middle: it stops, exit code 2, trims nothing."""

    def change_midway(self, subject, change, *arguments):
        """Calls change() once at the first write of `subject`; returns the Run."""
        writes = []

        def before(method, path):
            if is_write(subject, method, path):
                writes.append(path)
                if len(writes) == 5:
                    change()

        run = self.run_through(before, subject, *arguments)
        self.assertGreaterEqual(len(writes), 5)
        self.assertEqual(2, run.code, run)
        self.assertEqual([], accounting_errors(run), run)
        return run

    def flip_back(self, subject):
        self.api.patch(f"{V1BETA1_CRDS}/{subject.name}", {"spec": {"preserveUnknownFields": True}})

    def change_storage(self, subject):
        versions = self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["versions"]
        for version in versions:
            version["storage"] = version["name"] == "v1beta1"
        self.api.patch(f"{V1_CRDS}/{subject.name}", {"spec": {"versions": versions}})

    def test_flipped_back_just_before_the_end(self):
        subject = self.bring_in("backs", 40)
        run = self.change_midway(subject, lambda: self.flip_back(subject))
        self.assertIn(subject.name, run.stderr)
        self.assert_not_trimmed(subject)

    def test_flipped_back_in_the_middle_of_a_long_run_ends_it(self):
        subject = self.bring_in("longs", 600)
        run = self.change_midway(subject, lambda: self.flip_back(subject), "--max-rate=20")  # 30 s for all
        self.assertGreater(run.counts().get("notTried", 0), 0)
        self.assert_not_trimmed(subject)

    def test_its_storage_version_is_changed(self):
        subject = self.bring_in("moves", 40)
        self.change_midway(subject, lambda: self.change_storage(subject))
        self.assert_not_trimmed(subject)

    def test_it_is_deleted(self):
        subject = self.bring_in("deads", 40)
        self.change_midway(subject, lambda: self.api.delete(f"{V1_CRDS}/{subject.name}"))

    def test_it_is_changed_between_the_backup_and_the_flip(self):
        subject = self.bring_in("betweens", 40, prunes=False)
        flips = []

        def before(method, path):
            if (method in ("PATCH", "PUT") and f"customresourcedefinitions/{subject.name}" in path
                    and "dryRun" not in path and not flips):
                flips.append(path)
                self.change_schema(subject)

        run = self.run_through(before, subject, "--enable-pruning", "--yes")

        self.assertEqual(1, len(flips))
        self.assertEqual(2, run.code, run)
        self.assertTrue(self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["preserveUnknownFields"])
        self.assert_not_trimmed(subject)
        for name, stored in Stored(CLUSTER, subject).objects.items():
            self.assertIn("legacyMode", stored["spec"], name)

    def change_schema(self, subject):
        """Makes more fields unknown than the backup was made for."""
        body = self.api.get(f"{V1BETA1_CRDS}/{subject.name}")
        for version in body["spec"]["versions"]:
            version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"].pop("labels")
        self.api.put(f"{V1BETA1_CRDS}/{subject.name}", body)


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(users=("migrator",)) as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
