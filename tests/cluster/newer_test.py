"""check and migrate on the CRD server of a new Kubernetes: one that knows no v1beta1, and lets invalid values be that
a write does not change.

newer_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
crd_server (crd_server/build.sh).
"""
import json
import os
import sys
import unittest

from cluster import wait_for
from loop_closes_test import is_served
from migrations import (Migrator, Stored, accounting_errors, add_widgets, create_in_parallel, foretell,
                        migration_differences, widgets)
from newer_cluster import NewerCluster
from runner import end, run_tests
from subjects import V1_CRDS
from validity import Comparison

BINARY = None
CLUSTER = None
COUNT = 60
LINES = 240  # of the vectors
CRD_KEYS = "/registry/apiextensions.k8s.io/customresourcedefinitions/"


def preserve(api, subject):
    """Makes an old CRD of one that prunes, as no server would any more: in etcd."""
    key = CRD_KEYS + subject.name
    crd = json.loads(CLUSTER.etcd_get(key))
    crd["spec"]["preserveUnknownFields"] = True
    CLUSTER.etcd_put(key, json.dumps(crd).encode())
    path = subject.collection(subject.storage, "default" if subject.namespaced else "")

    def preserves():
        # 503 while the handlers of the CRD are made anew: "apiserver is shutting down".
        status, made = api.request("POST", f"{path}?dryRun=All", {
            "apiVersion": f"{subject.group}/{subject.storage}", "kind": subject.kind,
            "metadata": {"name": "probe"}, "legacyMode": True})
        return status == 201 and "legacyMode" in made

    wait_for(f"{subject.name} prunes still", preserves)


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
        preserve(self.api, subject)
        create_in_parallel(CLUSTER, subject, subject.objects)
        return subject

    def tighten(self, subject, minimum):
        """Makes smaller sizes invalid, in the CRD as it is in etcd, whose preserveUnknownFields no server takes."""
        key = CRD_KEYS + subject.name
        crd = json.loads(CLUSTER.etcd_get(key))
        schema = crd["spec"]["validation"]["openAPIV3Schema"]  # it is stored as v1beta1, and has one version
        schema["properties"]["spec"]["properties"]["size"] = {"type": "integer", "minimum": minimum}
        CLUSTER.etcd_put(key, json.dumps(crd).encode())
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
        found = Comparison(CLUSTER, BINARY, LINES)

        self.assertGreater(sum(bool(errors) for errors in found.said.values()), 0)
        self.assertEqual(found.said, found.foretold)
        uses = [use for report in found.crds.values() for use in report["versions"][0]["invalidFields"]]
        self.assertGreater(sum(use["tolerated"] for use in uses), 0)

    def test_many_crds_wait_together(self):
        subjects = [self.bring_in(f"manies{number}", 5) for number in range(6)]

        run = self.migrator.run(*[subject.name for subject in subjects], "--enable-pruning", "--yes")

        self.assertEqual(0, run.code, run)
        for subject in subjects:
            self.assertTrue(run.crd(subject.name)["verified"])
            for name, stored in Stored(CLUSTER, subject).objects.items():
                self.assertNotIn("legacyMode", stored["spec"], name)


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with NewerCluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
