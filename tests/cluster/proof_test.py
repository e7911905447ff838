"""What a migration has proven, and what failed in it, is remembered on a real API server.

proof_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
server.
"""
import json
import os
import re
import sys
import unittest

from cluster import Cluster, wait_for
from loop_closes_test import run_check
from migrations import (Migrator, Stored, accounting_errors, add_widgets, bring_in_widgets, delete_crd,
                        turn_pruning_on, widgets)
from runner import end, run_tests
from subjects import V1_CRDS

BINARY = None
CLUSTER = None
COUNT = 12
HIDDEN = "etcd still holds fields that no read shows"


class ClusterTest(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.migrator, self.elsewhere = Migrator(CLUSTER, BINARY), Migrator(CLUSTER, BINARY)

    def bring_in(self, plural):
        subject = add_widgets(widgets(plural, two_versions=False), COUNT)
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)
        return subject


class Memory(ClusterTest):
    def bring_in_with_hidden_fields(self, plural):
        subject = self.bring_in(plural)
        turn_pruning_on(self.api, subject)
        return subject

    def check(self, subject, migrator, *arguments):
        return run_check(CLUSTER, BINARY, subject.name, f"--state-dir={migrator.folder}/state", *arguments)[subject.name]

    def check_text(self, subject, migrator):
        return CLUSTER.run([BINARY, "check", subject.name,
                            f"--state-dir={migrator.folder}/state"]).stdout

    def assert_done(self, run, listed):
        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, listed), run)

    def assert_doubted(self, subject, migrator, *arguments):
        report = self.check(subject, migrator, *arguments)
        self.assertNotIn("verified", report)
        self.assertIn("spec.legacyMode", {use["path"] for use in report["maybeInEtcd"]})

    def assert_proven(self, subject, migrator, *arguments):
        report = self.check(subject, migrator, *arguments)
        self.assertEqual(COUNT, report["verified"]["objects"])
        self.assertEqual([], report["maybeInEtcd"])

    def test_what_was_verified_is_not_doubted_but_for_what_the_schema_takes_since(self):
        subject = self.bring_in_with_hidden_fields("provens")
        self.assert_doubted(subject, self.migrator)

        run = self.migrator.run(subject.name)

        self.assert_done(run, COUNT)
        self.assertIn(HIDDEN, run.stderr)  # it is told, and nobody asked
        self.assert_proven(subject, self.migrator)
        self.assertRegex(self.check_text(subject, self.migrator),
                         rf"verified \d{{4}}-\d\d-\d\d by a pass over {COUNT} objects")
        self.assert_doubted(subject, self.elsewhere)

        again = self.migrator.run(subject.name, "--enable-pruning")
        self.assert_done(again, COUNT)
        self.assertEqual({"unchanged": COUNT}, again.counts())
        self.assertNotIn(HIDDEN, again.stderr)

        path = f"{subject.collection('v1', 'default')}/w00000"
        self.api.patch(path, {"spec": {"size": 77}})  # behind the proof, by a server that prunes
        self.assert_proven(subject, self.migrator)

        versions = self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["versions"]
        schema = versions[0]["schema"]["openAPIV3Schema"]
        schema["properties"]["spec"]["properties"]["shape"] = {"type": "string"}
        self.api.patch(f"{V1_CRDS}/{subject.name}", {"spec": {"versions": versions}})
        report = self.check(subject, self.migrator)
        self.assertEqual((None, []), (report.get("verified"), report["maybeInEtcd"]))
        # What the schema had by then is in etcd.
        del schema["properties"]["spec"]["properties"]["size"]
        self.api.patch(f"{V1_CRDS}/{subject.name}", {"spec": {"versions": versions}})
        wait_for("the field is still shown", lambda: "size" not in self.api.get(path)["spec"])
        self.assertIn("spec.size", {use["path"] for use in self.check(subject, self.migrator)["maybeInEtcd"]})
        self.assertEqual(2, self.migrator.run(subject.name, "--enable-pruning").code)

    def test_what_was_verified_is_not_doubted_beside_a_proposal_either(self):
        subject = self.bring_in_with_hidden_fields("proposeds")
        live = self.api.get(f"{V1_CRDS}/{subject.name}")
        live["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["shape"] = {
            "type": "string"}
        proposal = self.migrator.folder / "proposal.json"
        proposal.write_text(json.dumps({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                                        "metadata": {"name": subject.name}, "spec": live["spec"]}))
        self.assert_doubted(subject, self.migrator, "-f", proposal)
        self.assert_done(self.migrator.run(subject.name), COUNT)
        self.assert_proven(subject, self.migrator, "-f", proposal)
        self.assert_doubted(subject, self.elsewhere, "-f", proposal)

    def test_a_recorded_proof_is_told_to_others_as_somebodys_word(self):
        subject = self.bring_in_with_hidden_fields("recordeds")

        self.assert_done(self.migrator.run(subject.name, "--record"), COUNT)

        annotations = self.api.get(f"{V1_CRDS}/{subject.name}")["metadata"]["annotations"]
        self.assertIn("kubectl-prune/verified", annotations)
        told = self.check(subject, self.elsewhere)
        self.assertTrue(told["verified"]["byAnnotation"])
        # Whoever may write the CRD can write it: it stops no warning, and no question.
        self.assertTrue(told["maybeInEtcd"])
        self.assertIn(HIDDEN, self.elsewhere.run(subject.name).stderr)

    def test_a_question_that_nobody_answers_leaves_nothing_behind(self):
        hidden = self.bring_in_with_hidden_fields("unasked")
        preserving = self.bring_in("unanswereds")
        for subject in (hidden, preserving):
            before = Stored(CLUSTER, subject)
            run = self.migrator.run(subject.name, "--enable-pruning")
            self.assertEqual(2, run.code, run)
            self.assertEqual(before, Stored(CLUSTER, subject))
        state = self.migrator.folder / "state"
        self.assertEqual([], [path for path in state.rglob("*") if path.is_file()])
        self.assertFalse(self.migrator.backups.exists())

    def test_what_was_invalid_is_rewritten_once_the_schema_is_loosened(self):
        for plural, by_report in (("loosened", True), ("looseners", False)):
            subject = self.bring_in(plural)
            self.tighten(subject, 6)
            first = self.migrator.run(subject.name, "--enable-pruning", "--yes")
            self.assertEqual(1, first.code, first)
            self.assertEqual([], accounting_errors(first, COUNT))
            self.assertEqual(6, first.counts()["invalid"])
            self.assertIn("Warning: once pruned, the API server refuses every write of 6 objects, which count as "
                          "invalid", first.stderr)
            report = self.migrator.folder / "report.json"
            report.write_text(first.stdout)
            self.tighten(subject, 0)

            retry = ["--retry-from", str(report)] if by_report else [subject.name, "--retry-failed"]
            again = self.migrator.run(*retry)

            self.assert_done(again, 6)
            self.assertNotIn("held", again.counts())
            for name, stored in Stored(CLUSTER, subject).objects.items():
                self.assertNotIn("legacyMode", stored["spec"], name)
            self.assertEqual([], self.migrator.run("--retry-failed").report["crds"])

    def tighten(self, subject, minimum):
        """Makes smaller sizes invalid."""
        versions = self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["versions"]
        properties = versions[0]["schema"]["openAPIV3Schema"]["properties"]
        properties["spec"]["properties"]["size"] = {"type": "integer", "minimum": minimum}
        self.api.patch(f"{V1_CRDS}/{subject.name}", {"spec": {"versions": versions}})
        path = f"{subject.collection('v1', 'default')}/w00000?dryRun=All"
        expected = 422 if minimum else 200
        wait_for("the schema", lambda: self.api.request(
            "PATCH", path, {"spec": {"size": 1}}, "application/merge-patch+json")[0] == expected)


class Namespaces(ClusterTest):
    def warnings(self, *arguments):
        run = CLUSTER.run([BINARY, *arguments])
        return re.findall("^Warning: (.*)$", run.stderr, re.MULTILINE)

    def test_a_namespace_that_does_not_exist_is_a_warning(self):
        subject = self.bring_in("placeds")
        missing = ['namespaces "nosuch" not found']
        for command in (["check"], ["diff"], ["migrate", "--dry-run=client"]):
            arguments = [*command, subject.name, "-n"]
            if command[0] == "migrate":
                turn_pruning_on(self.api, subject)
            self.assertEqual(missing, self.warnings(*arguments, "nosuch"))
            self.assertNotIn(missing[0], self.warnings(*arguments, "default"))


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
