"""A guard and a populate of the self-contained binary stay within the memory that their manifests give them, and answer the
API server, whatever others send to their ports.

review_memory_test.py [ARCHITECTURE]. Exit code 77 (skipped) without the binary, qemu or a server.
"""
import itertools
import json
import sys
import unittest

from static_binary import ROOT, Missing, StaticBinary, end  # and from where to import what follows

from cluster import Cluster, wait_for
from guards import CRD, HERE, MOST_MIB, WIDGETS, Guard, crd, flood, peak_mib, widget
from hostile_reviews import MIB, Meanwhile, Sender, bodies, limit_mib
from migrations import delete_crd, in_parallel
from populating import NAMESPACES, Controlled, bring_in_the_crd
from services import container_arguments
from subjects import V1BETA1_CRDS

BINARY = None
CLUSTER = None
WRITERS, TURNS = 4, 60
NUMBERS = itertools.count()


def write(number):
    """A review of almost 3 MiB: both objects."""
    api = CLUSTER.api()
    api.patch(f"{WIDGETS}/big-{number % WRITERS}", {"spec": {"mode": str(number) + "x" * 1_400_000}})
    api.close()


class Attacked(unittest.TestCase):
    """What is sent to a program while the cluster writes, and what it must not come to."""

    def attack(self, service, manifest, resource, paths, write_one):
        """`write_one` makes a write of the cluster's own, and returns what is wrong with the answer, or ""."""
        limit = limit_mib(manifest)
        sender = Sender(service.port())
        hostile = bodies(resource)

        def hold(what):
            self.assertIsNone(service.process.poll(), f"{what}: {service.lines[-5:]}")
            self.assertLess(peak_mib(service.process), limit, what)

        def probe():
            return "" if [service.get(path)[0] for path in ("/healthz", "/metrics")] == [200, 200] else "no answer"

        # An API server asks once more where it is told to, and may be told so twice in a flood such as this.
        with Meanwhile(lambda: write_one() and write_one()) as writes, Meanwhile(probe) as probes:
            for what, body in hostile.items():
                for path in paths:
                    statuses = sender.send_at_once(8, path, lambda _, body=body: body)
                    print(f"{what} at {path}: {statuses}, {peak_mib(service.process):.0f} MiB", flush=True)
                    hold(what)
            every = list(hostile.values())
            print("64 at once:", sender.send_at_once(64, paths[0], lambda number: every[number % len(every)]))
            hold("64 at once")
            zeros = hostile["zeros of 2.9 MB"]
            print("64 zeros at once:", sender.send_at_once(64, paths[0], lambda _: zeros))
            hold("64 zeros at once")
            print("chunked:", sender.send_at_once(8, paths[0], lambda number: every[number], is_chunked=True))
            hold("chunked")
            for size, sent in ((39 * MIB, 30 * MIB), (39 * MIB, 10), (100_000, 90_000)):
                connections = sender.begin_slowly(64, size, sent, paths[0])
                hold(f"slow senders of {sent} bytes")
                for connection in connections:
                    connection.close()
        print(f"{peak_mib(service.process):.0f} of {limit} MiB; {writes.count} writes, the longest {writes.longest:.1f} s; "
              f"{probes.count} probes, the longest {probes.longest:.1f} s")
        self.assertEqual([], writes.wrong[:5])
        self.assertEqual([], probes.wrong[:5])
        self.assertGreater(writes.count, 20)
        self.assertRegex(service.get("/metrics")[1], r'\nadmission_requests_turned_away_total\{reason="too_large"\} [1-9]')


class GuardMemory(Attacked):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.api.post(V1BETA1_CRDS, crd())
        self.addCleanup(delete_crd, CLUSTER.api(), CRD)
        wait_for("widgets are not served", lambda: self.api.request("GET", WIDGETS)[0] == 200)

    def test_a_flood_and_large_reviews_take_no_more_than_a_guard_may(self):
        for number in range(WRITERS):
            self.api.post(WIDGETS, json.loads(widget(f"big-{number}", mode="x")))
        with Guard(CLUSTER, [*BINARY.command, "guard", CRD, *HERE, "--managed=guard.example.com"]) as guard:
            connections = flood(guard.port())
            in_parallel(range(TURNS), write)
            for connection in connections:
                connection.close()
            wait_for("no review came", lambda: guard.report()["summary"]["requests"] > TURNS / 2)
            most = peak_mib(guard.process)
        print(f"{most:.0f} MiB")
        self.assertLess(most, MOST_MIB)

    def test_the_largest_objects_are_reviewed(self):
        """An API server takes 3 MiB, of which Go's JSON may make 18: "<" is \\u003c. etcd takes half of 3."""
        with_old = {"texts": {"mode": "<" * 250_000}, "numbers": {"mode": "x", "numbers": [0] * 700_000}}
        for name, spec in with_old.items():
            self.api.post(WIDGETS, json.loads(widget(name, **spec)))

        def created(spec):
            return self.api.request("POST", f"{WIDGETS}?dryRun=All", json.loads(widget("large", **spec)))

        def patched(name, spec):
            return self.api.request("PATCH", f"{WIDGETS}/{name}?dryRun=All", {"spec": spec}, "application/merge-patch+json")

        def is_refused(write, *arguments):
            # On a busy machine a review of 18 MiB may take longer than the API server waits; the write passes then.
            status, answer = write(*arguments, {"mode": "<" * 3_140_000, "legacyMode": "slow"})
            return status == 422 and "legacyMode" in answer["message"]

        with Guard(CLUSTER, [*BINARY.command, "guard", CRD, *HERE, "--managed=guard.example.com", "--action=deny"]) as guard:
            wait_for("nothing is denied", self.is_denied)
            wait_for("a new object is not refused", lambda: is_refused(created))
            wait_for("a text is not refused", lambda: is_refused(patched, "texts"))
            wait_for("numbers are not refused", lambda: patched("numbers", {
                "numbers": [0] * 700_000, "legacyMode": "slow"})[0] == 422)
            self.assertNotRegex(guard.get("/metrics")[1], r"requests_turned_away_total\{.*\} [1-9]")

    def is_denied(self):
        return self.refusal() == ""

    def refusal(self):
        api = CLUSTER.api()
        try:
            status, answer = api.request("POST", WIDGETS, json.loads(widget(f"w{next(NUMBERS)}", legacyMode="x")))
        finally:
            api.close()
        return "" if status == 422 else f"{status} {answer}"

    def test_whatever_is_sent_a_guard_stays_within_its_limit_and_denies(self):
        manifest = (ROOT / "krew/manifests/guard.yaml").read_text(encoding="utf-8")
        with Guard(CLUSTER, [*BINARY.command, *container_arguments(manifest), *HERE, "--action=deny"]) as guard:
            wait_for("nothing is denied", self.is_denied)
            self.attack(guard, "guard.yaml", ("demo.example.com", "v1", "widgets", "Widget"), ["/guard"], self.refusal)


class PopulateMemory(Attacked, Controlled):
    def make_namespace(self):
        api = CLUSTER.api()
        try:
            status, answer = api.request("POST", f"{NAMESPACES}?dryRun=All", {"metadata": {"name": f"n{next(NUMBERS)}"}})
        finally:
            api.close()
        return "" if status == 201 else f"{status} {answer}"

    def test_whatever_is_sent_populate_stays_within_its_limit_and_admits_namespaces(self):
        bring_in_the_crd(CLUSTER)
        self.begin(CLUSTER, str(BINARY.path))
        controller = self.controller("--webhooks=all", *HERE, "--managed=populate.example.com")
        wait_for("no namespace can be made", lambda: self.make_namespace() == "")
        self.attack(controller, "populate/controller.yaml", ("", "v1", "namespaces", "Namespace"),
                    ["/creator/check", "/initialization/check", "/use", "/creator"], self.make_namespace)


def main():
    global BINARY, CLUSTER
    BINARY = StaticBinary(sys.argv[1] if len(sys.argv) > 1 else "amd64")
    if BINARY.emulated:
        raise Missing("qemu has memory of its own")
    with Cluster() as CLUSTER:
        return not unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    end(main)
