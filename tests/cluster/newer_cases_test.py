"""The situations of cases_test.py on the CRD server of a new Kubernetes, whose rules differ.

newer_cases_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
crd_server (crd_server/build.sh).
"""
import os
import sys

import cases_test
from newer_cluster import NewerCluster
from runner import end, run_tests
import upgrades


def main():
    cases_test.BINARY = os.path.abspath(sys.argv[1])
    with NewerCluster(users=["reader"]) as cases_test.CLUSTER:
        upgrades.use(cases_test.CLUSTER, cases_test.BINARY)
        return run_tests(cases_test, sys.argv[2:])


if __name__ == "__main__":
    end(main)
