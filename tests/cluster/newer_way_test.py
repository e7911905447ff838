"""The way that `check -f` tells leads where it says on the CRD server of a new Kubernetes, too: the tests of way_test.py.

newer_way_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
crd_server (crd_server/build.sh).
"""
import os
import sys

from newer_cluster import NewerCluster
from runner import end, run_tests
import upgrades
import way_test


def main():
    with NewerCluster(users=["reader"]) as way_test.CLUSTER:
        upgrades.use(way_test.CLUSTER, os.path.abspath(sys.argv[1]))
        return run_tests(way_test, sys.argv[2:])


if __name__ == "__main__":
    end(main)
