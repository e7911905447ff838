#!/usr/bin/env python3
"""--pace: by default many objects are written so that others hardly notice, and the plan says how long that takes.

Usage: pace_test.py KUBECTL_PRUNE FAKE_API_SERVER
"""
import json
import unittest

import sandbox
from full_disk_test import CRD, WIDGETS

FEW = 500  # that are not paced
BOX = None


def plan(count, *flags):
    """The time that the plan foretells for so many objects."""
    objects = [{"apiVersion": "demo.example.com/v1", "kind": "Widget", "spec": {"unknown": True},
                "metadata": {"name": f"w{number:03}", "namespace": "shop"}} for number in range(count)]
    (BOX.work / "all.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [CRD, *objects]}))
    with BOX.server("all.json"):
        done = BOX.run("kubectl-prune", "migrate", WIDGETS, "--enable-pruning", "--dry-run=client", *flags)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    [line] = [line for line in done.stderr.splitlines() if line.startswith(f"plan: {count} writes, ")]
    return line.split("writes, ")[1].split(";")[0]


class Pace(unittest.TestCase):
    def test_more_than_a_few_objects_take_longer(self):
        told = "up to 3 min, leaving other clients room (--pace=full: about 7 s)"
        self.assertEqual(told, plan(FEW + 1))
        self.assertEqual(told, plan(FEW + 1, "--pace=gentle"))

    def test_as_fast_as_the_server_takes_them(self):
        self.assertEqual("about 7 s", plan(FEW + 1, "--pace=full"))

    def test_a_few_take_no_longer(self):
        self.assertEqual("about 7 s", plan(FEW))


if __name__ == "__main__":
    raise SystemExit(sandbox.run_tests())
