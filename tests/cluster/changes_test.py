"""What `check -f` counts of the changes of a proposal is what a real API server holds, and then does.

changes_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a server.
"""
import json
import os
import sys
import unittest

from cluster import Cluster, wait_for
from loop_closes_test import run_check
from runner import end, run_tests
from subjects import V1_CRDS
from validity import said_to_a_write

BINARY = None
CLUSTER = None
GROUP = "changes.example.com"
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
TEXTS = {"type": "array", "items": TEXT}
INNER = {"type": "object", "properties": {"a": TEXT}}

# A property of spec each: what it is, what is proposed, the path below it and the kind of the change; values of objects
# that it touches, and of others. What is refused is those touched, unless the server only takes something away.
ROWS = {
    "enum": ({**TEXT, "enum": ["Legacy", "New"]}, {**TEXT, "enum": ["New"]}, "", "enum", ["Legacy", "Legacy"], ["New"]),
    "maximum": (WHOLE, {**WHOLE, "maximum": 3}, "", "maximum", [4, 5], [3]),
    "minimum": (WHOLE, {**WHOLE, "minimum": 3, "exclusiveMinimum": True}, "", "minimum", [3], [4]),
    "multiple": (WHOLE, {**WHOLE, "multipleOf": 3}, "", "multipleOf", [4], [6]),
    "pattern": (TEXT, {**TEXT, "pattern": "^a"}, "", "pattern", ["ba"], ["ab"]),
    "length": (TEXT, {**TEXT, "minLength": 2}, "", "minLength", ["\u00e9"], ["ab"]),
    "format": (TEXT, {**TEXT, "format": "date"}, "", "format", ["today"], ["2026-11-24"]),
    "type": (WHOLE, TEXT, "", "type", [1], []),
    "fraction": ({"type": "number"}, WHOLE, "", "type", [1.5], [2]),
    "required": (INNER, {**INNER, "required": ["a"]}, ".a", "required", [{}], [{"a": "x"}]),
    "items": (TEXTS, {**TEXTS, "maxItems": 1}, "", "maxItems", [["a", "b"]], [["a"]]),
    "element": (TEXTS, {**TEXTS, "items": {**TEXT, "maxLength": 1}}, "[*]", "maxLength", [["a", "bc"]], [["a"]]),
    "either": (INNER, {**INNER, "anyOf": [{"required": ["a"]}]}, "", "anyOf", [{}], [{"a": "x"}]),
}
LENIENT_ROWS = {
    "null": ({**TEXT, "nullable": True}, TEXT, "", "nullable", [None], ["x"]),
    "set": (TEXTS, {**TEXTS, "x-kubernetes-list-type": "set"}, "", "listType", [["a", "a"]], [["a"]]),
    "map": ({"type": "object", "additionalProperties": TEXT}, {"type": "object"}, ".*", "additionalProperties",
            [{"k": "x"}], [{}]),
    "removed": (TEXT, None, "", "fieldRemoved", ["x", "y"], []),
    "default": (INNER, {"type": "object", "properties": {"a": {**TEXT, "default": "b"}}}, ".a", "default", [{}],
                [{"a": "x"}]),
}
ALL_ROWS = {**ROWS, **LENIENT_ROWS}


class Subject:
    name = f"things.{GROUP}"
    path = f"/apis/{GROUP}/v1/namespaces/default/things"

    def __init__(self):
        self.objects = {f"{row}-{side}{i}": {row: value} for row, (*_, touched, others) in ALL_ROWS.items()
                        for side, values in (("touched", touched), ("other", others))
                        for i, value in enumerate(values)}

    def crd(self, is_proposal):
        properties = {row: change[1 if is_proposal else 0] for row, change in ALL_ROWS.items()}
        spec = {"type": "object", "properties": {k: v for k, v in properties.items() if v is not None}}
        if is_proposal:
            spec["properties"]["probe"] = WHOLE
        schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
        names = ["v1"] if is_proposal else ["v1", "v1beta1"]
        return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": self.name},
                "spec": {"group": GROUP, "scope": "Namespaced",
                         "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
                         "versions": [{"name": name, "served": True, "storage": name == "v1", "schema": schema}
                                      for name in names]}}

    @staticmethod
    def object(name, spec):
        return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}, "spec": spec}

    def create(self, api):
        api.post(V1_CRDS, self.crd(False))
        wait_for("the CRD is not served", lambda: api.request(
            "POST", f"{self.path}?dryRun=All", self.object("probe", {}))[0] == 201)
        for name, spec in self.objects.items():
            api.post(self.path, self.object(name, spec))

    def propose(self, api):
        live = api.get(f"{V1_CRDS}/{self.name}")
        live["spec"] = self.crd(True)["spec"]
        api.put(f"{V1_CRDS}/{self.name}", live)
        wait_for("the schema is not noticed", lambda: api.request(
            "POST", f"{self.path}?dryRun=All", self.object("probe", {"probe": "x"}))[0] == 422)


class Changes(unittest.TestCase):
    maxDiff = None
    refused_rows = set(ROWS)
    said = staticmethod(said_to_a_write)

    def test_each_change_is_counted_and_those_that_are_touched_are_refused(self):
        subject = Subject()
        api = CLUSTER.api()
        self.addCleanup(api.close)
        subject.create(api)
        self.addCleanup(api.request, "DELETE", f"{V1_CRDS}/{subject.name}")
        path = CLUSTER.folder / "proposal.json"
        path.write_text(json.dumps(subject.crd(True)))

        report = run_check(CLUSTER, BINARY, "-f", str(path))[subject.name]

        expected = {("v1", f"spec.{row}{below}", kind): len(touched)
                    for row, (_, _, below, kind, touched, _) in ALL_ROWS.items()}
        expected["v1beta1", "", "versionRemoved"] = len(subject.objects)
        found = {(one["version"], one["path"], one["kind"]): one.get("objects") for one in report["changes"]}
        self.assertEqual(expected, found)
        self.assertTrue(all(one["breaking"] for one in report["changes"]), report["changes"])

        subject.propose(api)
        refused = {name for name, spec in subject.objects.items()
                   if self.said(api, subject, subject.object(name, spec))}
        self.assertEqual({name for name in subject.objects
                          if name.split("-")[0] in self.refused_rows and "-touched" in name}, refused)


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
