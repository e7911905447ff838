"""A guard of the self-contained binary takes no more memory than it may, in a flood and under large reviews.

guard_memory_test.py [ARCHITECTURE]. Exit code 77 (skipped) without the binary, qemu or a server.
"""
import json
import sys
import unittest

from static_binary import Missing, StaticBinary, end  # and from where to import what follows

from cluster import Cluster, wait_for
from guards import CRD, HERE, MOST_MIB, WIDGETS, Guard, crd, flood, peak_mib, widget
from migrations import in_parallel
from subjects import V1BETA1_CRDS

BINARY = None
CLUSTER = None
WRITERS, TURNS = 4, 60


def write(number):
    """A review of almost 3 MiB: both objects."""
    api = CLUSTER.api()
    api.patch(f"{WIDGETS}/big-{number % WRITERS}", {"spec": {"mode": str(number) + "x" * 1_400_000}})
    api.close()


class GuardMemory(unittest.TestCase):
    def test_a_flood_and_large_reviews_take_no_more_than_a_guard_may(self):
        api = CLUSTER.api()
        self.addCleanup(api.close)
        api.post(V1BETA1_CRDS, crd())
        wait_for("widgets are not served", lambda: api.request("GET", WIDGETS)[0] == 200)
        for number in range(WRITERS):
            api.post(WIDGETS, json.loads(widget(f"big-{number}", mode="x")))
        with Guard(CLUSTER, [*BINARY.command, "guard", CRD, *HERE, "--managed=guard.example.com"]) as guard:
            connections = flood(guard.port())
            in_parallel(range(TURNS), write)
            for connection in connections:
                connection.close()
            wait_for("no review came", lambda: guard.report()["summary"]["requests"] > TURNS / 2)
            most = peak_mib(guard.process)
        print(f"{most:.0f} MiB")
        self.assertLess(most, MOST_MIB)


def main():
    global BINARY, CLUSTER
    BINARY = StaticBinary(sys.argv[1] if len(sys.argv) > 1 else "amd64")
    if BINARY.emulated:
        raise Missing("qemu has memory of its own")
    with Cluster() as CLUSTER:
        return not unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    end(main)
