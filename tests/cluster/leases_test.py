"""Runs of `kubectl-prune migrate` over one CRD know of each other by its Lease, on a real API server.

leases_test.py BINARY [TEST...]: every run has a --state-dir of its own, as on machines of their own.
Exit code 77 (skipped) without a server.
"""
import os
import re
import signal
import sys
import threading
import time
import unittest

from cluster import Cluster, wait_for
from migrations import (LEASES, Migrator, Run, Stored, accounting_errors, add_widgets, bring_in_widgets,
                        delete_crd, stored_versions, turn_pruning_on, widgets)
from proxy import Proxy, Slow
from rights import LEASING, MIGRATION, RBAC, Rights
from runner import end, run_tests
from subjects import V1_CRDS

BINARY = None
CLUSTER = None
COUNT = 200


def lease_path(api, subject):
    uid = api.get(f"{V1_CRDS}/{subject.name}")["metadata"]["uid"]
    return f"{LEASES}/kubectl-prune-{subject.name}-{uid}"


def named_leases(api, subject):
    """Returns the names of the Leases of a CRD."""
    names = [one["metadata"]["name"] for one in api.get(LEASES)["items"]]
    return [name for name in names if subject.name in name]


class LeaseRole:
    """The right to the Leases of the namespace `default` and no other, until take() is called."""

    def __init__(self, user):
        self._api = CLUSTER.api()
        self._paths = [f"{RBAC}/namespaces/default/{kind}" for kind in ("rolebindings", "roles")]
        self._name = f"{user}-leases"
        self._api.post(self._paths[1], {"metadata": {"name": self._name}, "rules": [LEASING]})
        self._api.post(self._paths[0], {
            "metadata": {"name": self._name}, "subjects": [{"kind": "User", "name": user}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": self._name}})
        own = CLUSTER.api(user)
        wait_for("rights", lambda: own.request("GET", f"{LEASES}/none")[0] == 404)
        own.close()

    def take(self):
        for path in self._paths:
            self._api.delete(f"{path}/{self._name}")
        self._api.close()


class SlowRun:
    """A run that is in the middle of its writes: each takes some time until go_on() is called."""

    def __init__(self, subject, *arguments, user="admin", migrator=None):
        self._subject, self._arguments, self._user = subject, arguments, user
        self.migrator = migrator or Migrator(CLUSTER, BINARY)
        self.writing, self._hurry = threading.Event(), threading.Event()
        self._proxy = Proxy(CLUSTER, self._slow_down)

    def _slow_down(self, method, path):
        if method != "PATCH" or f"/{self._subject.plural}/" not in path:
            return None
        self.writing.set()
        return None if self._hurry.is_set() else Slow(0.5)

    def go_on(self):
        self._hurry.set()

    def writes(self):
        return [path for method, path, _ in self._proxy.seen
                if method == "PATCH" and f"/{self._subject.plural}/" in path]

    def __enter__(self):
        self._proxy.__enter__()
        self.process = self.migrator.start(self._subject.name, *self._arguments, user=self._user,
                                           port=self._proxy.port)
        if not self.writing.wait(240):
            self.process.kill()
            raise AssertionError(f"no write: {self.process.communicate()}")
        return self

    def end(self):
        out, err = self.process.communicate(timeout=240)
        return Run(self.process.returncode, out, err)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        self._proxy.__exit__()


class LeasesTest(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)

    def pruning_widgets(self, plural, count=COUNT):
        """Brings in widgets that prune already and are stored in two versions."""
        subject = add_widgets(widgets(plural), count)
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)
        turn_pruning_on(self.api, subject)
        return subject

    def run_beside(self, subject, *arguments, user=None):
        """A run with a state folder of its own."""
        return Migrator(CLUSTER, BINARY).run(subject.name, *arguments, user=user)

    def lease(self, subject):
        return self.api.get(lease_path(self.api, subject))

    def assert_done(self, run, count=COUNT):
        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, count), run)

    def assert_migrated(self, subject):
        self.assertEqual({"v1": len(subject.objects)}, Stored(CLUSTER, subject).versions())
        self.assertEqual(["v1"], stored_versions(self.api, subject))


class Times(LeasesTest):
    def test_the_server_takes_no_time_but_of_microseconds(self):
        codes = {}
        for number, fraction in enumerate(("", ".12345", ".1234567", ".123456", ",123456")):
            name = f"kubectl-prune-times-{number}"
            self.addCleanup(CLUSTER.api().request, "DELETE", f"{LEASES}/{name}")
            codes[fraction], _ = self.api.request("POST", LEASES, {
                "metadata": {"name": name},
                "spec": {"holderIdentity": "a", "renewTime": f"2026-01-01T00:00:00{fraction}Z"}})
        self.assertEqual({"": 400, ".12345": 400, ".1234567": 400, ".123456": 201, ",123456": 201}, codes)


class TwoRuns(LeasesTest):
    def test_the_second_one_says_who_is_at_it_and_writes_nothing(self):
        subject = self.pruning_widgets("seconds")
        with SlowRun(subject) as first:
            held = self.lease(subject)
            holder = held["spec"]["holderIdentity"]
            self.assertIn(f"/{first.process.pid}/", holder)
            self.assertEqual([subject.name], [one["name"] for one in held["metadata"]["ownerReferences"]])
            begun = time.monotonic()
            second = self.run_beside(subject)
            took = time.monotonic() - begun
            first.go_on()
            self.assert_done(first.end())
        self.assertEqual(2, second.code, second)
        who = holder.split("/")[0]
        for told in (f"{who} (process {first.process.pid}) is at work on it since 20",
                     "as the Lease \"default/kubectl-prune-", "--lease-timeout"):
            self.assertIn(told, second.stderr, second)
        self.assertEqual({}, second.counts())
        self.assertLess(took, 80, second)
        self.assertEqual("", self.lease(subject)["spec"].get("holderIdentity", ""))
        self.assert_migrated(subject)

    def test_the_second_one_waits_where_it_is_told_to_and_finds_all_done(self):
        subject = self.pruning_widgets("waiters")
        with SlowRun(subject) as first:
            migrator = Migrator(CLUSTER, BINARY)
            second = migrator.start(subject.name, "--lease-timeout=2m")
            self.addCleanup(second.kill)
            told = second.stderr.readline()
            self.assertIn("waiting for it to end", told)
            first.go_on()
            self.assert_done(first.end())
            out, err = second.communicate(timeout=240)
        run = Run(second.returncode, out, told + err)
        self.assert_done(run)
        self.assertEqual({"unchanged": COUNT}, run.counts(), run)
        self.assertEqual({"before": ["v1"], "after": ["v1"]},
                         {key: run.crd()["storedVersions"][key] for key in ("before", "after")})

    def test_who_was_killed_is_followed_once_its_lease_expires(self):
        subject = self.pruning_widgets("followed")
        with SlowRun(subject) as first:
            first.kill()
        begun = time.monotonic()
        second = self.run_beside(subject)
        took = time.monotonic() - begun
        self.assert_done(second)
        self.assertIn("waiting to see whether it is alive", second.stderr)
        self.assertGreater(took, 15, "it has not waited for the Lease to expire")
        self.assertLess(took, 240)
        self.assert_migrated(subject)

    def test_who_was_killed_is_followed_at_once_from_its_own_state_folder(self):
        subject = self.pruning_widgets("successors")
        with SlowRun(subject) as first:
            first.kill()
        # It knew the server at another address: without a word nothing is done, or forgotten.
        unasked = CLUSTER.run(first.migrator.command(subject.name))
        self.assertEqual(2, unasked.returncode, unasked.stderr)
        self.assertIn("an earlier run has left its state, which knew the cluster as https://", unasked.stderr)
        begun = time.monotonic()
        second = first.migrator.run(subject.name)
        took = time.monotonic() - begun
        self.assert_done(second)
        self.assertNotIn("waiting", second.stderr)
        self.assertLess(took, 60)
        self.assert_migrated(subject)

    def test_other_crds_are_nobodys_business(self):
        subject, other = self.pruning_widgets("mines"), self.pruning_widgets("yours", 20)
        with SlowRun(subject) as first:
            run = self.run_beside(other)
            self.assert_done(run, 20)
            first.go_on()
            self.assert_done(first.end())

    def test_an_interrupted_run_leaves_nobody_waiting(self):
        subject = self.pruning_widgets("givenback")
        with SlowRun(subject) as first:
            first.process.send_signal(signal.SIGINT)
            first.go_on()
            self.assertEqual(130, first.end().code)
        self.assertEqual("", self.lease(subject)["spec"].get("holderIdentity", ""))
        run = self.run_beside(subject)
        self.assert_done(run)
        self.assertNotIn("waiting", run.stderr)


class Loss(LeasesTest):
    def take_lease(self, subject):
        """Another program writes itself into the Lease, as one does that finds it expired."""
        path = lease_path(self.api, subject)
        for _ in range(20):
            lease = self.api.get(path)
            lease["spec"]["holderIdentity"] = "alice@bastion/4711/00000000000000aa"
            lease["spec"]["leaseTransitions"] = lease["spec"].get("leaseTransitions", 0) + 1
            if self.api.request("PUT", path, lease)[0] == 200:
                return
        self.fail("the Lease cannot be written")

    def assert_stopped(self, subject, run):
        self.assertEqual(2, run.code, run)
        error = run.crd()["error"]
        self.assertRegex(error, r'the Lease "default/kubectl-prune-[^"]*", by which runs know of each other, was lost: ')
        self.assertIn("run the same command again", error)
        self.assertEqual([], accounting_errors(run), run)
        self.assertLess(sum(run.counts().get(key, 0) for key in ("rewritten", "unchanged")), COUNT)
        self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject))
        return error

    def test_who_loses_it_to_another_one_stops_writing_and_says_so(self):
        subject = self.pruning_widgets("losers")
        with SlowRun(subject, "--concurrency=2") as first:
            self.take_lease(subject)
            run = first.end()
            writes = first.writes()
        error = self.assert_stopped(subject, run)
        self.assertIn("it is held by alice@bastion (process 4711)", error)
        # What was not answered as rewritten has not been asked for.
        self.assertEqual(len(writes), sum(run.counts().get(key, 0) for key in ("rewritten", "unchanged")))
        self.assertEqual("alice@bastion/4711/00000000000000aa", self.lease(subject)["spec"]["holderIdentity"])

    def test_who_may_not_renew_it_any_more_stops_writing_and_goes_on_later(self):
        subject = self.pruning_widgets("disowned")
        with Rights(CLUSTER, "carol", MIGRATION):
            role = LeaseRole("carol")
            with SlowRun(subject, "--concurrency=2", user="carol") as first:
                role.take()
                run = first.end()
        error = self.assert_stopped(subject, run)
        self.assertIn("it could not be renewed: ", error)
        # Its Lease expires by itself; whoever has the state folder need not wait for that.
        self.assert_done(first.migrator.run(subject.name))
        self.assert_migrated(subject)


class WithoutLeases(LeasesTest):
    def assert_warned(self, run, count):
        self.assert_done(run, count)
        warnings = re.findall("^Warning: .*another run over the same objects would not be noticed.*$",
                              run.stderr, re.MULTILINE)
        self.assertEqual(1, len(warnings), run)
        return warnings[0]

    def test_without_rights_a_warning_says_so_and_the_run_goes_on(self):
        subject = self.pruning_widgets("rightless", 20)
        with Rights(CLUSTER, "bob", MIGRATION):
            run = self.run_beside(subject, user="bob")
        self.assertIn("leases", self.assert_warned(run, 20))
        self.assert_migrated(subject)
        self.assertEqual([], named_leases(self.api, subject))

    def test_who_may_read_leases_alone_is_warned_and_waits_for_nobody(self):
        subject = self.pruning_widgets("readers", 20)
        reading = {**LEASING, "verbs": ["get"]}
        with Rights(CLUSTER, "bob", [*MIGRATION, reading]):
            begun = time.monotonic()
            run = self.run_beside(subject, user="bob")
            self.assertLess(time.monotonic() - begun, 80)
        self.assert_warned(run, 20)

    def test_a_namespace_that_is_missing_is_warned_of(self):
        subject = self.pruning_widgets("homeless", 20)
        warning = self.assert_warned(self.run_beside(subject, "--lease-namespace=nowhere"), 20)
        self.assertIn("nowhere", warning)

    def test_nothing_but_a_true_run_takes_it(self):
        subject = self.pruning_widgets("untouched", 20)
        for arguments in (["migrate", subject.name, "--dry-run=client"],
                          ["migrate", subject.name, "--dry-run=server"], ["check", subject.name],
                          ["diff", subject.name]):
            run = CLUSTER.run([BINARY, *arguments])
            self.assertIn(run.returncode, (0, 1), run.stderr)
            self.assertEqual([], named_leases(self.api, subject), arguments)
        self.assert_done(self.run_beside(subject), 20)
        self.assertEqual(1, len(named_leases(self.api, subject)))

    def test_it_costs_a_crd_few_requests(self):
        subject = self.pruning_widgets("costs", 20)
        with Proxy(CLUSTER) as proxy:
            run = Migrator(CLUSTER, BINARY).run(subject.name, user="admin", port=proxy.port)
            self.assert_done(run, 20)
            asked = [(method, code) for method, path, code in proxy.seen if "/leases" in path]
        # Found missing and made; renewed every five seconds; looked at and given back.
        self.assertEqual([("GET", 404), ("POST", 201)], asked[:2])
        self.assertEqual([("GET", 200), ("PUT", 200)], asked[-2:])
        self.assertEqual({("PUT", 200)}, {*asked[2:-2], ("PUT", 200)})


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(users=("bob", "carol")) as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
