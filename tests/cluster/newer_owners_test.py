"""The tests of kept_owners_test.py on the CRD server of a new Kubernetes.

newer_owners_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
crd_server (crd_server/build.sh).
"""
import os
import sys

import kept_owners_test
from newer_cluster import NewerCluster
from runner import end, run_tests


def main():
    kept_owners_test.BINARY = os.path.abspath(sys.argv[1])
    with NewerCluster() as kept_owners_test.CLUSTER:
        return run_tests(kept_owners_test, sys.argv[2:])


if __name__ == "__main__":
    end(main)
