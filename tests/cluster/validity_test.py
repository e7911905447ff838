"""What `check -f` says of the next write of objects is what a real API server says to it.

validity_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
server. newer_test.py has the same for a server that ratchets.
"""
import collections
import os
import re
import sys
import unittest

from cluster import Cluster
from runner import end, run_tests
from validity import Comparison, PairComparison, holds_empty_text, of_pairs, of_vectors

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
        self.compare_counts(found)
        for name, report in found.crds.items():
            self.assertTrue(all(one["sinceProposal"] for one in report["versions"][0]["invalidFields"]), name)

    def test_what_was_refused_before_is_told_from_what_the_proposal_refuses(self):
        found = PairComparison(CLUSTER, BINARY, of_pairs(SEED, PAIRED_CRDS))

        self.compare(found, found.said, found.foretold)
        self.compare(found, found.said_before, found.foretold_before)
        self.compare(found, found.said_anew, found.foretold_anew)
        self.assertTrue(found.refused_for_duplicates)
        self.assertEqual(found.refused_anew, found.foretold_refused)
        self.compare_counts(found)
        since = collections.Counter()
        for subject in found.subjects:
            report = found.crds[subject.name]
            for i, names in enumerate(names_by_property(subject)):
                of_property = re.compile(rf"spec\.p{i}(\W|$)")
                newly = sum(bool(found.said[name]) and not found.said_before[name] for name in names)
                touched = sum(one["objects"] for one in report["changes"]
                              if one["breaking"] and of_property.match(one["path"]))
                # Were one missed that makes objects invalid, fewer would be touched.
                self.assertGreaterEqual(touched, newly, (subject.name, i))
                for one in report["versions"][0]["invalidFields"]:
                    if of_property.match(one["path"]):
                        since[one["sinceProposal"]] += 1
                        if not one["sinceProposal"]:
                            self.assertTrue(any(found.said_before[name] for name in names), (subject.name, one))
        self.assertEqual({True, False}, set(since))

    def compare(self, found, said, foretold):
        names = {(subject.name, one["metadata"]["name"]) for subject in found.subjects
                 for one in subject.objects if not holds_empty_text(one)}
        self.assertGreaterEqual(len(names), FEWEST_OBJECTS)
        refused = {name for name in names if said[name]}
        self.assertGreater(len(refused), FEWEST_OBJECTS // 10)
        # It words errors otherwise than servers of today, and names no elements of lists: newer_test.py compares words.
        self.assertEqual(refused, {name for name in names if foretold[name]})

    def compare_counts(self, found):
        for name, report in found.crds.items():
            self.assertEqual(report["versions"][0]["objectsInvalid"],
                             sum(crd == name for (crd, _), errors in found.foretold.items() if errors), name)


def names_by_property(subject):
    """Returns [[(CRD, object)]], in the order of the properties of spec that the objects hold."""
    names = collections.defaultdict(list)
    for one in subject.objects:
        only, = one["spec"]
        names[only].append((subject.name, one["metadata"]["name"]))
    return list(names.values())


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
