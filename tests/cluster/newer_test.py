"""check and migrate on the CRD server of a new Kubernetes: one that knows no v1beta1, and lets invalid values be that
a write does not change.

newer_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
crd_server (crd_server/build.sh).
"""
import json
import os
import re
import sys
import unittest

import changes_test
from cluster import wait_for
from generated import generated_subjects
from loop_closes_test import create_namespaces, is_served, texts_of
from migrations import (Migrator, Stored, accounting_errors, add_widgets, create_in_parallel, foretell,
                        migration_differences, widgets)
from newer_cluster import NewerCluster
from runner import end, run_tests
from stored_diff import Diff
from subjects import V1_CRDS
from validity import Comparison, PairComparison, of_pairs, of_vectors, said_to_the_same_anew

BINARY = None
CLUSTER = None
COUNT = 60
LINES = 240  # of the vectors
SEED, PAIRED_CRDS, FEWEST_OBJECTS = 38, 3, 300
SUGGESTED_SEED, SUGGESTED_CRDS, FEWEST_SUGGESTED = 11, 16, 20


class Newer(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.migrator = Migrator(CLUSTER, BINARY)

    def bring_in(self, plural, count=COUNT):
        subject = add_widgets(widgets(plural, two_versions=False), count)
        self.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": "shop"}})
        self.api.post(V1_CRDS, subject.proposal())
        self.addCleanup(CLUSTER.api().delete, f"{V1_CRDS}/{subject.name}")
        wait_for(f"{subject.name} is not served", lambda: is_served(self.api, subject))
        CLUSTER.preserve_unknown_fields(
            subject.name, {"apiVersion": f"{subject.group}/{subject.storage}", "kind": subject.kind},
            subject.collection(subject.storage, "default"))
        create_in_parallel(CLUSTER, subject, subject.objects)
        return subject

    def tighten(self, subject, minimum):
        """Makes smaller sizes invalid, in the CRD as it is in etcd, whose preserveUnknownFields no server takes."""
        def at_least(spec):  # of one version, its schema is beside it
            spec["validation"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"] = {
                "type": "integer", "minimum": minimum}
        CLUSTER.change_crd(subject.name, at_least)
        path = f"{subject.collection('v1', 'default')}/w00000?dryRun=All"
        wait_for("the schema is not noticed", lambda: self.api.request(
            "PATCH", path, {"spec": {"size": 1}}, "application/merge-patch+json")[0] == 422)

    def test_what_is_foretold_of_pruning_is_what_the_server_does(self):
        subject = self.bring_in("newers")
        before = Stored(CLUSTER, subject)
        report = foretell(CLUSTER, BINARY, subject)
        self.assertEqual("loses-fields", report["verdict"])

        run = self.migrator.run(subject.name, "--enable-pruning", "--yes")

        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, COUNT), run)
        self.assertTrue(run.crd()["verified"])
        after = Stored(CLUSTER, subject)
        self.assertEqual([], migration_differences(subject, report, before.objects, after.objects))
        again = self.migrator.run(subject.name)
        self.assertEqual({"unchanged": COUNT}, again.counts(), again)

    def test_values_that_became_invalid_do_not_keep_objects_from_being_rewritten(self):
        subject = self.bring_in("ratchets")
        self.tighten(subject, 6)

        run = self.migrator.run(subject.name, "--enable-pruning", "--yes")

        self.assertEqual(0, run.code, run)
        self.assertNotIn("refuses every write", run.stderr)
        self.assertEqual([], accounting_errors(run, COUNT), run)
        for name, stored in Stored(CLUSTER, subject).objects.items():
            self.assertNotIn("legacyMode", stored["spec"], name)

    def test_what_is_foretold_as_invalid_is_what_the_server_refuses_and_lets_be(self):
        found = Comparison(CLUSTER, BINARY, of_vectors(BINARY, LINES))

        self.assertGreater(sum(bool(errors) for errors in found.said.values()), 0)
        self.assertEqual(found.said, found.foretold)
        uses = [use for report in found.crds.values() for use in report["versions"][0]["invalidFields"]]
        self.assertGreater(sum(use["tolerated"] for use in uses), 0)

    def test_what_a_proposal_makes_invalid_is_in_the_words_of_the_server(self):
        found = PairComparison(CLUSTER, BINARY, of_pairs(SEED, PAIRED_CRDS))

        self.assertGreaterEqual(len(found.said), FEWEST_OBJECTS)
        self.assertEqual(found.said_before, found.foretold_before)
        self.assertEqual(found.said, found.foretold)
        # A write that changes nothing of it lets be what is invalid; another object with the same content is refused.
        self.assertGreater(sum(bool(errors) for errors in found.said_anew.values()), FEWEST_OBJECTS // 10)
        self.assertEqual(found.said_anew, found.foretold_anew)
        self.assertTrue(found.refused_for_duplicates)
        self.assertEqual(found.refused_anew, found.foretold_refused)

    def test_what_is_suggested_is_taken_and_prunes_nothing(self):
        subjects = generated_subjects(SUGGESTED_SEED, SUGGESTED_CRDS)
        create_namespaces(self.api, subjects)
        compared = 0
        for subject, suggestion, verdict in self.suggestions(subjects):
            with self.subTest(subject.name):
                status, crd = self.api.request("POST", V1_CRDS, suggestion)
                self.assertEqual(verdict != "blocked", status == 201, crd.get("message"))
                if status != 201 or verdict == "loses-fields":
                    continue
                self.addCleanup(CLUSTER.api().delete, f"{V1_CRDS}/{subject.name}")
                compared += self.compare_as_created(subject)
        self.assertGreater(compared, FEWEST_SUGGESTED)

    def suggestions(self, subjects):
        """Yields each with what is suggested for it, by its objects in files, and the verdict on that."""
        items = [item for subject in subjects for item in (subject.proposal(), *(one.body for one in subject.objects))]
        file = CLUSTER.folder / "suggest.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        run = CLUSTER.run([BINARY, "suggest", "--local", "-f", str(file), "-o", "json",
                           *(subject.name for subject in subjects)])
        self.assertIn(run.returncode, (0, 1), run.stderr)
        crds = {crd["metadata"]["name"]: crd for crd in json.loads(run.stdout)["items"]}
        verdicts = dict(re.findall(r"^(\S+): verdict with this schema: (\S+)$", run.stderr, re.MULTILINE))
        for subject in subjects:
            yield subject, crds[subject.name], verdicts[subject.name]

    def compare_as_created(self, subject):
        """Returns how many objects were created and kept all that they hold."""
        wait_for(f"{subject.name} is not served", lambda: is_served(self.api, subject))
        for condition in self.api.get(f"{V1_CRDS}/{subject.name}")["status"]["conditions"]:
            self.assertFalse(condition["type"] == "NonStructuralSchema" and condition["status"] == "True", condition)
        created = 0
        for one in subject.objects:
            status, kept = self.api.request("POST", subject.collection(one.version, one.namespace), one.body)
            if status != 201:
                self.assertEqual(422, status, kept)
                continue
            created += 1
            diff = Diff(one.body, kept)
            # A null where none may be goes with any write; of metadata the server knows all, and status is not created.
            server_owned = ("metadata.", "status") if subject.status_subresource else ("metadata.",)
            gone = [path for path in texts_of({*diff.lost, *diff.changed}) if not path.startswith(server_owned)]
            self.assertEqual([], gone, one.body["metadata"]["name"])
        return created

    def test_many_crds_wait_together(self):
        subjects = [self.bring_in(f"manies{number}", 5) for number in range(6)]

        run = self.migrator.run(*[subject.name for subject in subjects], "--enable-pruning", "--yes")

        self.assertEqual(0, run.code, run)
        for subject in subjects:
            self.assertTrue(run.crd(subject.name)["verified"])
            for name, stored in Stored(CLUSTER, subject).objects.items():
                self.assertNotIn("legacyMode", stored["spec"], name)


class NewerChanges(changes_test.Changes):
    refused_rows = {*changes_test.ROWS, "set"}  # of a write only where it was none before
    said = staticmethod(said_to_the_same_anew)


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with NewerCluster() as CLUSTER:
        changes_test.CLUSTER, changes_test.BINARY = CLUSTER, BINARY
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
