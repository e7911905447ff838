"""What `check -f` says of the next write of objects is what a real API server says to it.

validity_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
server. newer_test.py has the same for a server that ratchets.
"""
import os
import sys
import unittest

from cluster import Cluster
from runner import end, run_tests
from validity import Comparison

BINARY = None
CLUSTER = None
LINES = 240
FEWEST_OBJECTS = 300


class Validity(unittest.TestCase):
    maxDiff = None

    def test_objects_that_are_foretold_as_invalid_are_refused_and_no_others(self):
        found = Comparison(CLUSTER, BINARY, LINES)
        # Built with Go from 1.18 on, kube-apiserver 1.20 takes an empty string for null.
        names = {(subject.name, one["metadata"]["name"]) for subject in found.subjects
                 for one in subject.objects if not holds_empty_text(one)}

        self.assertGreaterEqual(len(names), FEWEST_OBJECTS)
        refused = {name for name in names if found.said[name]}
        self.assertGreater(len(refused), FEWEST_OBJECTS // 10)
        # It words errors otherwise than servers of today, and names no elements of lists: newer_test.py compares words.
        self.assertEqual(refused, {name for name in names if found.foretold[name]})
        for name, report in found.crds.items():
            version, = report["versions"]
            self.assertEqual(version["objectsInvalid"],
                             sum(crd == name for (crd, _), errors in found.foretold.items() if errors), name)
            self.assertTrue(all(one["sinceProposal"] for one in version["invalidFields"]), name)


def holds_empty_text(value):
    if isinstance(value, dict):
        return any(map(holds_empty_text, value.values()))
    return any(map(holds_empty_text, value)) if isinstance(value, list) else value == ""


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
