"""`kubectl-prune migrate` has the cluster's own engine rewrite the objects, and believes nothing of it.

engine_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
server. The server is of 1.20, which has no such engine: storage_migrator.py stands in for it. What etcd holds is
read back.
"""
import collections
import os
import signal
import sys
import time
import unittest

from cluster import Cluster, wait_for
from migrations import (GROUP, Migrator, Run, Stored, accounting_errors, add_widgets, bring_in_widgets, delete_crd,
                        stored_versions, turn_pruning_on, widgets)
from rights import LEASING, MIGRATION, Rights
from runner import end, run_tests
from storage_migrator import GROUP as ENGINE_GROUP
from storage_migrator import NAME, PLURAL, StorageMigrator, serve
from subjects import V1_CRDS

BINARY = None
CLUSTER = None
COUNT = 40
ENGINE, AUTO = "--engine=in-cluster", "--engine=auto"
ALICE = "alice"
VIEW = [{"apiGroups": [ENGINE_GROUP], "resources": [PLURAL], "verbs": ["list"]}]
USE = [{"apiGroups": [ENGINE_GROUP], "resources": [PLURAL], "verbs": ["list", "create", "get", "delete"]}]


class EngineTest(unittest.TestCase):
    API_VERSION = "v1beta1"

    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.migrator = Migrator(CLUSTER, BINARY)
        self.path = serve(self.api, self.API_VERSION)
        self.addCleanup(delete_crd, CLUSTER.api(), NAME)

    def bring_in(self, plural, count=COUNT):
        """Objects in two versions, half of them with fields that are pruned only when they are written."""
        subject = add_widgets(widgets(plural), count)
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)
        turn_pruning_on(self.api, subject)
        return subject

    def left(self):
        """Names of the StorageVersionMigrations that are there."""
        return [one["metadata"]["name"] for one in self.api.get(self.path)["items"]]

    def assert_clean(self, subject, count=COUNT):
        stored = Stored(CLUSTER, subject)
        self.assertEqual(collections.Counter({"v1": count}), stored.versions())
        self.assertEqual([], [name for name, one in stored.objects.items() if "legacyMode" in one["spec"]])
        self.assertEqual(["v1"], stored_versions(self.api, subject))
        self.assertEqual([], self.left())

    def assert_done(self, run, subject, count=COUNT):
        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, count), run)
        self.assertTrue(run.crd()["verified"], run)
        self.assert_clean(subject, count)

    def assert_fell_back(self, run, subject, ended, reason):
        self.assert_done(run, subject)
        engine = run.crd()["engine"]
        self.assertEqual(ended, engine["end"], run)
        self.assertIn(reason, engine["reason"])
        self.assertIn(f"the cluster's own engine has not rewritten the objects: {engine['reason']}", run.stderr)

    def finish(self, process):
        out, err = process.communicate(timeout=240)
        return Run(process.returncode, out, err)


class Success(EngineTest):
    def test_the_engine_rewrites_and_one_pass_verifies(self):
        subject = self.bring_in("successes")
        before = Stored(CLUSTER, subject)
        with StorageMigrator(CLUSTER, self.path) as migrator:
            run = self.migrator.run(subject.name, AUTO)

        self.assert_done(run, subject)
        self.assertEqual({"unchanged": COUNT}, run.counts(), run)
        engine = run.crd()["engine"]
        self.assertEqual(("succeeded", 0), (engine["end"], engine["notRewritten"]))
        self.assertEqual(COUNT, migrator.patched)
        self.assertEqual([engine["migration"]], [f"{NAME}/{name}" for name in migrator.seen])
        self.assertTrue(Stored(CLUSTER, subject).rewritten_since(before))

    def test_by_itself_it_is_left_alone_where_only_pruning_is_to_be_proven(self):
        subject = add_widgets(widgets("singles", two_versions=False), COUNT)
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)
        turn_pruning_on(self.api, subject)
        with StorageMigrator(CLUSTER, self.path) as migrator:
            run = self.migrator.run(subject.name, AUTO)
            self.assert_done(run, subject)
            self.assertEqual([], migrator.seen)
            self.assertIn("only pruning is to be proven", run.crd()["engine"]["reason"])

            run = self.migrator.run(subject.name, ENGINE)
        self.assert_done(run, subject)
        self.assertEqual({"unchanged": COUNT}, run.counts(), run)
        self.assertEqual(1, len(migrator.seen))

    def test_turning_pruning_on_is_never_left_to_it(self):
        subject = add_widgets(widgets("flips"), COUNT)
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)
        with StorageMigrator(CLUSTER, self.path) as migrator:
            run = self.migrator.run(subject.name, AUTO, "--enable-pruning", "--yes")
        self.assert_done(run, subject)
        self.assertEqual([], migrator.seen)

    def test_what_others_write_meanwhile_is_no_lie(self):
        subject = self.bring_in("busies")
        place = f"{subject.collection('v1', 'shop')}/w00001"
        own = CLUSTER.api()

        def write(number):
            own.patch(place, {"spec": {"size": 1000 + number}})

        with StorageMigrator(CLUSTER, self.path, before_object=write):
            run = self.migrator.run(subject.name, ENGINE)
        own.close()
        self.assert_done(run, subject)
        self.assertEqual(0, run.crd()["engine"]["notRewritten"], run)

    def test_1_36_marks_the_crd_and_trims_by_itself(self):
        subject = self.bring_in("marks")
        with StorageMigrator(CLUSTER, self.path, marks=True):
            run = self.migrator.run(subject.name, AUTO)
            self.assert_done(run, subject)
            again = self.migrator.run(subject.name, AUTO)
        self.assertEqual(0, again.code, again)
        for word in ("StorageMigrating", "cannot be deleted", "were not; they are now"):
            self.assertNotIn(word, run.stderr + again.stderr)
        conditions = self.api.get(f"{V1_CRDS}/{subject.name}")["status"]["conditions"]
        self.assertEqual(["False"], [c["status"] for c in conditions if c["type"] == "StorageMigrating"])

    def test_a_dry_run_makes_none(self):
        subject = self.bring_in("dries")
        before = Stored(CLUSTER, subject)
        for strategy, ended in (("client", "foreseen"), ("server", "not-used")):
            run = self.migrator.run(subject.name, AUTO, f"--dry-run={strategy}")
            self.assertEqual(0, run.code, run)
            self.assertEqual(ended, run.crd()["engine"]["end"], run)
        self.assertEqual(before, Stored(CLUSTER, subject))
        self.assertEqual([], self.left())


class OlderApi(EngineTest):
    API_VERSION = "v1alpha1"

    def test_v1alpha1_is_spoken_where_nothing_newer_is(self):
        subject = self.bring_in("olds")
        with StorageMigrator(CLUSTER, self.path):
            run = self.migrator.run(subject.name, ENGINE)
        self.assert_done(run, subject)
        self.assertEqual("succeeded", run.crd()["engine"]["end"])


class Lie(EngineTest):
    def test_a_success_without_a_write_is_caught_and_fixed(self):
        subject = self.bring_in("lies")
        before = Stored(CLUSTER, subject)
        with StorageMigrator(CLUSTER, self.path, lies=True):
            run = self.migrator.run(subject.name, ENGINE)

        self.assert_done(run, subject)
        engine = run.crd()["engine"]
        self.assertEqual("succeeded", engine["end"])
        rewritten = len(Stored(CLUSTER, subject).rewritten_since(before))
        self.assertGreater(rewritten, COUNT // 2)
        self.assertEqual(rewritten, engine["notRewritten"], run)
        self.assertEqual(rewritten, run.counts()["rewritten"])
        self.assertIn(f"says that it has rewritten all objects, but {rewritten} of {COUNT} objects were not",
                      run.stderr)

    def test_a_lie_that_has_trimmed_already_is_caught_too(self):
        subject = self.bring_in("trimmed")
        with StorageMigrator(CLUSTER, self.path, lies=True, marks=True):
            run = self.migrator.run(subject.name, ENGINE)
        self.assert_done(run, subject)
        self.assertGreater(run.crd()["engine"]["notRewritten"], 0)


class Fallback(EngineTest):
    def test_an_object_that_cannot_be_written_fails_all_of_it_and_alone_with_us(self):
        subject = self.bring_in("failures")
        crd = f"{V1_CRDS}/{subject.name}"
        versions = self.api.get(crd)["spec"]["versions"]
        for version in versions:
            version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]["minimum"] = 1
        self.api.patch(crd, {"spec": {"versions": versions}})  # the first one has the size 0
        zero = f"{subject.collection('v1', 'default')}/w00000?dryRun=All"
        wait_for("the schema", lambda: self.api.request(
            "PATCH", zero, {}, "application/merge-patch+json")[0] == 422)
        trims = StorageMigrator(CLUSTER, self.path, marks=True)
        with trims:
            run = self.migrator.run(subject.name, ENGINE)

        # As it trims whatever became of the objects, what it took away is put back.
        self.assertEqual([["v1"]], trims.trimmed)
        self.assertEqual(1, run.code, run)
        self.assertEqual([], accounting_errors(run, COUNT), run)
        engine = run.crd()["engine"]
        self.assertEqual("failed", engine["end"])
        self.assertIn("migration encountered unhandled error", engine["reason"])
        self.assertIn("spec.size", engine["reason"])
        self.assertEqual(1, run.counts()["invalid"], run)
        stored = Stored(CLUSTER, subject)
        self.assertEqual({"v1": COUNT - 1, "v1beta1": 1}, dict(stored.versions()))
        self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject))
        self.assertEqual([], self.left())

    def test_nobody_takes_it_up(self):
        subject = self.bring_in("orphans")
        run = self.migrator.run(subject.name, AUTO, "--engine-timeout=2s")
        self.assert_fell_back(run, subject, "ignored", "nobody has taken it up for 2 s")

    def test_it_is_stuck(self):
        subject = self.bring_in("stucks")
        with StorageMigrator(CLUSTER, self.path, stops_at="running"):
            run = self.migrator.run(subject.name, AUTO, "--engine-timeout=3s")
            self.assert_fell_back(run, subject, "stuck", "nothing of it has changed for 3 s")

    def test_it_is_stuck_in_the_middle_and_wakes_up_behind_us(self):
        subject = self.bring_in("sleepers")
        with StorageMigrator(CLUSTER, self.path, stops_at=COUNT // 2) as migrator:
            run = self.migrator.run(subject.name, ENGINE, "--engine-timeout=3s")
            self.assert_fell_back(run, subject, "stuck", "nothing of it has changed for 3 s")
            after = Stored(CLUSTER, subject)
            migrator.go.set()
            wait_for("the rest", lambda: migrator.patched == COUNT)
        self.assertEqual(after.versions(), Stored(CLUSTER, subject).versions())
        self.assertEqual([], self.left())

    def test_somebody_deletes_it_midway(self):
        subject = self.bring_in("deleted")

        def delete(number):
            if number == COUNT // 2:
                self.api.delete(f"{self.path}/{self.left()[0]}")

        with StorageMigrator(CLUSTER, self.path, before_object=lambda number: (delete(number), time.sleep(0.05))):
            run = self.migrator.run(subject.name, ENGINE)
        self.assert_fell_back(run, subject, "deleted", "somebody has deleted it")

    def test_a_mark_that_a_deleted_one_left_does_not_keep_the_next_run(self):
        subject = self.bring_in("left")
        with StorageMigrator(CLUSTER, self.path, marks=True, stops_at="running"):
            run = self.migrator.run(subject.name, AUTO, "--engine-timeout=2s")
            self.assert_fell_back(run, subject, "stuck", "nothing of it has changed")
        again = self.migrator.run(subject.name, AUTO)
        self.assertEqual(0, again.code, again)
        self.assertIn("StorageMigrating is true, but no StorageVersionMigration of it is under way", again.stderr)


class Gone(EngineTest):
    def test_the_crd_is_deleted_while_the_cluster_works(self):
        subject = self.bring_in("gone")
        with StorageMigrator(CLUSTER, self.path, stops_at="running") as migrator:
            process = self.migrator.start(subject.name, ENGINE)
            self.addCleanup(process.kill)
            self.assertTrue(migrator.stopped_there.wait(240))
            delete_crd(self.api, subject.name)
            run = self.finish(process)
        self.assertEqual(2, run.code, run)
        self.assertEqual("crd-changed", run.crd()["engine"]["end"], run)
        self.assertIn("deleted", run.crd()["error"])
        self.assertEqual([], self.left())

    def test_a_resource_that_discovery_does_not_have_is_failed(self):
        path = f"{self.path}/nothing"
        self.api.post(self.path, {
            "apiVersion": f"{ENGINE_GROUP}/{self.API_VERSION}", "kind": "StorageVersionMigration",
            "metadata": {"name": "nothing"}, "spec": {"resource": {"group": GROUP, "resource": "nothing"}}})
        with StorageMigrator(CLUSTER, self.path):
            wait_for("an end", lambda: self.api.get(path).get("status", {}).get("conditions"))
        condition, = self.api.get(path)["status"]["conditions"]
        self.assertEqual(("Failed", "resource does not exist in discovery"),
                         (condition["type"], condition["message"]))


class Resumed(EngineTest):
    def start(self, subject, migrator):
        process = self.migrator.start(subject.name, ENGINE)
        self.addCleanup(process.kill)
        self.assertTrue(migrator.stopped_there.wait(240))
        return process

    def test_a_killed_run_is_gone_on_with(self):
        subject = self.bring_in("kills")
        with StorageMigrator(CLUSTER, self.path, stops_at=5) as migrator:
            process = self.start(subject, migrator)
            process.kill()
            process.communicate()
            self.assertEqual(1, len(self.left()))
            migrator.go.set()
            run = self.migrator.run(subject.name, AUTO)
        self.assert_done(run, subject)
        self.assertIn("which an earlier run has made", run.stderr)
        self.assertEqual(0, run.crd()["engine"]["notRewritten"])
        self.assertEqual(1, len(migrator.seen))

    def test_a_signal_leaves_it_to_the_cluster_and_says_so(self):
        subject = self.bring_in("signals")
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for name in self.left():
                self.api.delete(f"{self.path}/{name}")
            with StorageMigrator(CLUSTER, self.path, stops_at=5) as migrator:
                process = self.start(subject, migrator)
                process.send_signal(number)
                run = self.finish(process)
            self.assertEqual(code, run.code, run)
            name, = self.left()
            self.assertIn(f"the cluster goes on with {NAME}/{name} by itself", run.stderr)
            self.assertEqual("interrupted", run.crd()["engine"]["end"])
        with StorageMigrator(CLUSTER, self.path):
            run = self.migrator.run("--all", AUTO)
        self.assert_done(run, subject)
        self.assertIn("which an earlier run has made", run.stderr)

    def test_a_run_by_ourselves_ends_what_the_cluster_has_begun(self):
        subject = self.bring_in("takers")
        with StorageMigrator(CLUSTER, self.path, stops_at=5) as migrator:
            process = self.start(subject, migrator)
            process.kill()
            process.communicate()
            run = self.migrator.run(subject.name, "--engine=own")
            self.assert_done(run, subject)
        self.assertEqual("not-used", run.crd()["engine"]["end"])

    def test_another_migration_of_the_resource_is_noticed(self):
        subject = self.bring_in("others")
        self.api.post(self.path, {
            "apiVersion": f"{ENGINE_GROUP}/{self.API_VERSION}", "kind": "StorageVersionMigration",
            "metadata": {"name": "theirs"}, "spec": {"resource": {"group": GROUP, "resource": "others"}}})
        for arguments in ((), (AUTO,), (ENGINE,), ("--engine=own",)):
            run = self.migrator.run(subject.name, *arguments)
            self.assertEqual(2, run.code, run)
            self.assertIn(f"another storage migration is under way: {NAME}/theirs", run.crd()["error"])


class RightsToIt(EngineTest):
    def test_without_the_rights_it_is_ours_or_an_error(self):
        subject = self.bring_in("rights")
        with StorageMigrator(CLUSTER, self.path) as migrator, Rights(CLUSTER, ALICE, [*MIGRATION, *VIEW]):
            run = self.migrator.run(subject.name, ENGINE, user=ALICE)
            self.assertEqual(2, run.code, run)
            self.assertIn(f"the right to create {NAME} is missing", run.crd()["error"])
            run = self.migrator.run(subject.name, AUTO, user=ALICE)
            self.assert_done(run, subject)
            self.assertEqual(f"the right to create {NAME} is missing", run.crd()["engine"]["reason"])
            self.assertNotIn("engine", run.stderr)
        self.assertEqual([], migrator.seen)

    def test_with_them_it_needs_no_other(self):
        subject = self.bring_in("enough")
        with StorageMigrator(CLUSTER, self.path), Rights(CLUSTER, ALICE, [*MIGRATION, *USE, LEASING]):
            run = self.migrator.run(subject.name, ENGINE, user=ALICE)
        self.assert_done(run, subject)
        self.assertNotIn("orbidden", run.stderr)


class NoEngine(unittest.TestCase):
    def test_a_server_without_one_refuses_nothing_but_to_be_asked_for_it(self):
        api = CLUSTER.api()
        self.addCleanup(api.close)
        subject = add_widgets(widgets("nones"), COUNT)
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)
        turn_pruning_on(api, subject)
        migrator = Migrator(CLUSTER, BINARY)
        run = migrator.run(subject.name, ENGINE)
        self.assertEqual(2, run.code, run)
        self.assertIn("the server has no engine of its own", run.crd()["error"])
        run = migrator.run(subject.name, AUTO)
        self.assertEqual(0, run.code, run)
        self.assertNotIn("engine", run.crd())


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(users=[ALICE]) as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
