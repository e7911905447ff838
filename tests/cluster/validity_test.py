"""What `check -f` says of the next write of objects is what a real API server says to it.

validity_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
server. newer_test.py has the same for a server that ratchets.
"""
import os
import re
import sys
import unittest

from cluster import Cluster
from runner import end, run_tests
from validity import Comparison, of_pairs, of_vectors

BINARY = None
CLUSTER = None
LINES = 240
SEED, PAIRED_CRDS = 21, 3
FEWEST_OBJECTS = 300


class Validity(unittest.TestCase):
    maxDiff = None

    def test_objects_that_are_foretold_as_invalid_are_refused_and_no_others(self):
        found = Comparison(CLUSTER, BINARY, of_vectors(BINARY, LINES))

        self.compare(found, found.said, found.foretold)
        for name, report in found.crds.items():
            self.assertTrue(all(one["sinceProposal"] for one in report["versions"][0]["invalidFields"]), name)

    def test_what_was_refused_before_is_told_from_what_the_proposal_refuses(self):
        found = Comparison(CLUSTER, BINARY, of_pairs(SEED, PAIRED_CRDS))

        self.compare(found, found.said, found.foretold)
        self.compare(found, found.said_before, found.foretold_before)
        self.compare(found, found.said_anew, found.foretold_locally)
        for subject in found.subjects:
            for i in range(len(subject.objects) // 3):
                names = [(subject.name, f"o{i}-{j}") for j in range(3)]
                newly = sum(bool(found.said[name]) and not found.said_before[name] for name in names)
                weighed = [one["objects"] for one in found.crds[subject.name]["changes"]
                           if one["breaking"] and re.match(rf"spec\.p{i}(\W|$)", one["path"])]
                # Nothing that breaks an object is missed: some change touches each.
                self.assertGreaterEqual(sum(weighed), newly, (subject.name, i))

    def compare(self, found, said, foretold):
        # Built with Go from 1.18 on, kube-apiserver 1.20 takes an empty string for null.
        names = {(subject.name, one["metadata"]["name"]) for subject in found.subjects
                 for one in subject.objects if not holds_empty_text(one)}
        self.assertGreaterEqual(len(names), FEWEST_OBJECTS)
        refused = {name for name in names if said[name]}
        self.assertGreater(len(refused), FEWEST_OBJECTS // 10)
        # It words errors otherwise than servers of today, and names no elements of lists: newer_test.py compares words.
        self.assertEqual(refused, {name for name in names if foretold[name]})
        if foretold is found.foretold:
            for name, report in found.crds.items():
                self.assertEqual(report["versions"][0]["objectsInvalid"],
                                 sum(crd == name for (crd, _), errors in foretold.items() if errors), name)


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
