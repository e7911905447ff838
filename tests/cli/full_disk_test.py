#!/usr/bin/env python3
"""What happens where files cannot grow: a full disk, a quota.

Usage: full_disk_test.py KUBECTL_PRUNE FAKE_API_SERVER
"""
import json
import resource
import sys
import unittest

import sandbox

WIDGETS = "widgets.demo.example.com"
CRD = {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
       "metadata": {"name": WIDGETS}, "spec": {
           "group": "demo.example.com", "scope": "Namespaced", "preserveUnknownFields": True,
           "names": {"plural": "widgets", "singular": "widget", "kind": "Widget",
                     "listKind": "WidgetList"},
           "validation": {"openAPIV3Schema": {"type": "object", "properties": {
               "spec": {"type": "object"}}}},
           "versions": [{"name": "v1", "served": True, "storage": True}]}}
OBJECTS = [{"apiVersion": "demo.example.com/v1", "kind": "Widget",
            "metadata": {"name": f"w{i}", "namespace": "shop"},
            "spec": {"unknown": "x" * 1000}} for i in range(300)]
BOX = None


def limit_files(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class FullDisk(unittest.TestCase):
    def setUp(self):
        (BOX.work / "crd.json").write_text(json.dumps(CRD))
        (BOX.work / "objects.json").write_text("\n".join(json.dumps(o) for o in OBJECTS))

    def migrate(self, size, *flags):
        return BOX.run("kubectl-prune", "migrate", WIDGETS, "--enable-pruning", "--yes", "--state-dir",
                       "state", *flags, preexec_fn=limit_files(size))

    def is_pruning(self):
        said = BOX.run("kubectl-prune", "check", WIDGETS, "-o", "json")
        return json.loads(said.stdout)["crds"][0]["verdict"] == "pruning"

    def test_a_backup_that_cannot_be_written_stops_the_run_before_the_flip(self):
        with BOX.server("crd.json", "objects.json"):
            done = self.migrate(100_000)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr,
                             r'pruning was not turned on: cannot write ".*kubectl-prune-backup/.*": File too large')
            self.assertFalse(self.is_pruning())
            self.assertEqual(list((BOX.work / "kubectl-prune-backup").iterdir()), [])

    def test_state_that_cannot_be_written_is_named_and_the_next_run_goes_on(self):
        with BOX.server("crd.json", "objects.json"):
            done = self.migrate(2_000, "--no-backup")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r"cannot write .*state/.*: File too large")
            done = self.migrate(1 << 30, "--no-backup")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("300 objects", done.stdout)

    def test_a_report_that_cannot_be_written_is_an_error(self):
        for output in ("wide", "json"):
            command = 'exec kubectl-prune check --local -f demo -o "$0" > out'
            done = BOX.run("sh", "-c", command, output, preexec_fn=limit_files(100))
            self.assertEqual(done.returncode, 2)
            self.assertIn("cannot write to stdout: File too large", done.stderr)

    def test_objects_that_wait_for_their_crd_are_named_where_there_is_no_room(self):
        command = "cat objects.json crd.json | kubectl-prune check --local -f -"
        done = BOX.run("sh", "-c", command, preexec_fn=limit_files(2_000))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("cannot keep objects that come before their CRD in a temporary file: File too "
                      "large", done.stderr)

    def test_a_diff_that_cannot_be_written_is_an_error(self):
        done = BOX.run("kubectl-prune", "diff", "--local", "-f", "crd.json", "-f",
                       "objects.json", preexec_fn=limit_files(500))
        self.assertGreater(done.returncode, 1)
        self.assertRegex(done.stderr, r'cannot write ".*": File too large')


if __name__ == "__main__":
    sys.exit(sandbox.run_tests())
