"""The way from a CRD of NamespaceTemplates without a schema to the one that is shipped: what `check`, `suggest` and
`migrate` say and do of it, and that `populate` goes by the same templates afterwards.

populate_upgrade_test.py BINARY [TEST...]. Exit code 77 (skipped) without a server.
"""
import collections
import copy
import json
import pathlib
import re
import sys
import unittest

import yaml

from cluster import Cluster, wait_for
from demo import DEMO
from loop_closes_test import run_check
from migrations import Migrator, as_backed_up, delete_crd
from populating import (CRD, CRD_NAME, NAMESPACES, RESOURCES, TEMPLATES, config_map, limit_range, role, role_binding)
from runner import end, run_tests
from stored_diff import parse, path_text, without_own_fields
from subjects import V1_CRDS, V1BETA1_CRDS
from suggest_test import Suggestions

BINARY = None
CLUSTER = None
GROUP = "policy.kubectl-prune.dev"
SHIPPED = yaml.safe_load(CRD.read_text(encoding="utf-8"))
TEMPLATES_IN_ETCD = f"/registry/{GROUP}/namespacetemplates/"
# A kind that this cluster does not have, with what JSON can hold.
THING = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "one", "annotations": {"a/b": ""}},
         "owner": "not that of the template", "anything": {
             "long": 12345678901234567, "half": 0.5, "none": None, "": [None, [], {}, {"a.b": True}], "ü": "\u2028"}}


def template(name, *objects, selector, **fields):
    return {"apiVersion": f"{GROUP}/v1alpha1", "kind": "NamespaceTemplate", "metadata": {"name": name},
            "spec": {"namespaces": {"labelSelector": selector}, "templates": list(objects)}, **fields}


def shop_template():
    """As people write them by `kubectl create --dry-run -o yaml`: that adds a creationTimestamp of null."""
    settings = config_map("settings", {"creationTimestamp": None, "labels": {"made": "yes"}}, place="$(NAMESPACE)")
    made = template("shops", settings, role("reader", "get", "list"), role_binding("readers", "reader", "jo"),
                    selector={"matchLabels": {"team": "shop"}}, notes=[{"by": "jo"}, None])
    made["spec"]["owner"] = "jo@example.com"
    made["spec"]["namespaces"]["namespaceSelector"] = "all"
    return made


def things_template():
    made = template("things", copy.deepcopy(THING), limit_range("small", "100m"), selector={
        "matchExpressions": [{"key": "team", "operator": "In", "values": ["lab"]}]})
    made["spec"]["owner"] = {"name": "ann", "since": 2019}
    return made


def scoped_template():
    """What is lost of it is in the metadata of embedded resources alone, of which a server keeps what all metadata has."""
    return template("scoped", config_map("one", {"scope": "team", "labels": {"made": "yes"}}, a="b"),
                    config_map("two", {"annotations": {"since": 2019}}), selector={"matchLabels": {"team": "lab"}})


# What no schema specifies, and what is not of the type that all metadata has, by the template.
JUNK = {"shops": [("notes",), ("spec", "namespaces", "namespaceSelector"), ("spec", "owner")],
        "things": [("spec", "owner")], "plain": [],
        "scoped": [("spec", "templates", 0, "metadata", "scope"), ("spec", "templates", 1, "metadata", "annotations")]}
# A null is nothing to the metadata of an embedded resource: it goes with the first write.
NULLS = {"shops": [("spec", "templates", 0, "metadata", "creationTimestamp")], "things": [], "plain": [],
         "scoped": []}


def without(value, paths):
    value = copy.deepcopy(value)
    for path in paths:
        parent = value
        for step in path[:-1]:
            parent = parent[step]
        del parent[path[-1]]
    return value


def lacking(schema, other, path=()):
    """Yields the paths at which a schema says what the other one does not."""
    keywords = ("type", "nullable", "x-kubernetes-embedded-resource", "x-kubernetes-preserve-unknown-fields")
    if any(schema[keyword] != other.get(keyword) for keyword in keywords if keyword in schema):
        yield path
    for name, child in schema.get("properties", {}).items():
        if name in other.get("properties", {}):
            yield from lacking(child, other["properties"][name], (*path, name))
        else:
            yield (*path, name)
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            yield from lacking(schema[keyword], other.get(keyword, {}), (*path, "*"))


def schema_of(crd):
    version, = crd["spec"]["versions"]
    return version["schema"]["openAPIV3Schema"]


class Upgrade(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        """A cluster as it may have been since the time of v1beta1."""
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        original = (DEMO / "namespacetemplates.yaml").read_text(encoding="utf-8")
        original = original.replace("namespacetemplates.policy", CRD_NAME).replace("group: policy", f"group: {GROUP}")
        self.api.post(V1BETA1_CRDS, original.encode(), "application/yaml")
        self.addCleanup(delete_crd, self.api, CRD_NAME)
        wait_for("NamespaceTemplates are not served", lambda: self.api.request("GET", TEMPLATES)[0] == 200)
        plain = template("plain", config_map("plain", a="b"), selector={"matchLabels": {"team": "nobody"}})
        self.bodies = {body["metadata"]["name"]: body for body in (shop_template(), things_template(), plain)}
        for body in self.bodies.values():
            self.api.post(TEMPLATES, body)

    def junk(self):
        """Returns JUNK of the templates that there are."""
        return {name: JUNK[name] for name in self.bodies}

    def live_crd(self):
        return self.api.get(f"{V1_CRDS}/{CRD_NAME}")

    def check(self, *arguments):
        return run_check(CLUSTER, BINARY, *arguments)[CRD_NAME]

    def in_etcd(self):
        stored = map(parse, CLUSTER.etcd_range(TEMPLATES_IN_ETCD).values())
        return {one["metadata"]["name"]: one for one in stored}

    def assert_foretells_the_junk(self, report):
        self.assertEqual({name: sorted(map(path_text, paths)) for name, paths in self.junk().items()},
                         {one["name"]: sorted(one["prunedPaths"]["v1alpha1"]) for one in report["objects"]})
        counts = collections.Counter(re.sub(r"\[\d+\]", "[*]", path_text(path))
                                     for paths in self.junk().values() for path in paths)
        version, = report["versions"]
        self.assertEqual(counts, {use["path"]: use["objects"] for use in version["prunedFields"]})

    def test_check_says_what_the_server_says(self):
        report = self.check("namespacetemplates")
        self.assertEqual("blocked", report["verdict"])
        status, answer = self.api.request("PATCH", f"{V1_CRDS}/{CRD_NAME}?dryRun=All", {
            "spec": {"preserveUnknownFields": False}}, "application/merge-patch+json")
        self.assertEqual(422, status)
        self.assertEqual([f"{cause['field']}: {cause['message']}" for cause in answer["details"]["causes"]],
                         [problem["message"] for problem in report["admissionProblems"]])
        condition, = [one for one in self.live_crd()["status"]["conditions"] if one["type"] == "NonStructuralSchema"]
        self.assertEqual({key: condition[key] for key in ("message", "reason", "status")}, report["condition"])
        version, = report["versions"]
        self.assertEqual({"spec": 3, "notes": 1}, {use["path"]: use["objects"] for use in version["prunedFields"]})

    def test_what_is_suggested_is_the_shipped_schema_but_for_what_nobody_reads(self):
        suggested = Suggestions(CLUSTER, BINARY, ["namespacetemplates"])
        self.assertEqual({CRD_NAME: "ready"}, suggested.verdicts)
        schema = schema_of(suggested.crds[CRD_NAME])
        self.assertEqual({"type": "object", "x-kubernetes-embedded-resource": True,
                          "x-kubernetes-preserve-unknown-fields": True},
                         schema["properties"]["spec"]["properties"]["templates"]["items"])
        self.assertEqual({path for paths in self.junk().values() for path in paths}, {*lacking(schema, schema_of(SHIPPED))})

        # The server takes it, and nothing is lost by it.
        path = CLUSTER.folder / "suggested.json"
        path.write_text(json.dumps(suggested.crds[CRD_NAME]))
        report = self.check("-f", path)
        self.assertEqual(("ready", True), (report["verdict"], report["apply"]["accepted"]))
        self.assertEqual([[]] * len(self.bodies), [one["prunedPaths"]["v1alpha1"] for one in report["objects"]])

    def test_migrate_takes_the_cluster_to_the_shipped_crd(self):
        self.bodies["scoped"] = scoped_template()
        self.api.post(TEMPLATES, self.bodies["scoped"])
        self.assert_foretells_the_junk(self.check("-f", CRD))
        before = self.in_etcd()
        run = self.migrate()
        self.assertEqual(0, run.code, run)
        # That which loses nothing, too: by the new schema managedFields name its selector as a whole.
        self.assertEqual({"rewritten": len(self.bodies)}, run.counts())
        self.assertTrue(run.crd()["verified"] and run.crd()["pruningEnabled"], run)

        self.assert_is_as_shipped()
        after = self.in_etcd()
        self.assertEqual({name: without(without_own_fields(body), JUNK[name] + NULLS[name])
                          for name, body in before.items()},
                         {name: without_own_fields(body) for name, body in after.items()})
        self.assert_is_clean()
        backup = self.migrator.backup_objects(run.crd()["backup"])
        self.assertEqual({("", name): as_backed_up(body) for name, body in before.items() if JUNK[name]},
                         {key: as_backed_up(body) for key, body in backup.items()})
        self.assertEqual("pruning", self.check("namespacetemplates")["verdict"])
        self.assert_populates()

    def migrate(self):
        self.migrator = Migrator(CLUSTER, BINARY)
        return self.migrator.run("namespacetemplates", "--enable-pruning", "-f", CRD, "--yes")

    def assert_is_clean(self):
        """etcd has what was posted, but for what nobody specifies."""
        self.assertEqual({name: parse(json.dumps(without(body, JUNK[name] + NULLS[name])["spec"]))
                          for name, body in self.bodies.items()},
                         {name: body["spec"] for name, body in self.in_etcd().items()})
        self.assertEqual({frozenset(("apiVersion", "kind", "metadata", "spec"))},
                         {frozenset(body) for body in self.in_etcd().values()})

    def test_what_is_no_resource_is_told_before_and_comes_after_once_it_is_fixed(self):
        path = f"{TEMPLATES}/things"
        kindless = without(THING, [("kind",)])
        self.api.patch(path, [{"op": "replace", "path": "/spec/templates/0", "value": kindless}],
                       "application/json-patch+json")
        field = "spec.templates[0].kind"
        self.assertEqual({"plain": [], "shops": [], "things": [field]}, {
            one["name"]: [fault.partition(":")[0] for fault in one["invalid"]]
            for one in self.check("-f", CRD)["objects"]})
        run = self.migrate()
        self.assertEqual((1, {"rewritten": 2, "invalid": 1}), (run.code, run.counts()), run)
        failure, = run.crd()["failures"]
        status, answer = self.api.request("PATCH", f"{path}?dryRun=All", {}, "application/merge-patch+json")
        self.assertEqual((422, [field]), (status, [cause["field"] for cause in answer["details"]["causes"]]))
        self.assertEqual(("things", answer["message"]), (failure["name"], failure["message"]))
        # It is as it was.
        self.assertEqual(parse(json.dumps(kindless)), self.in_etcd()["things"]["spec"]["templates"][0])
        self.assertIn("owner", self.in_etcd()["things"]["spec"])

        self.api.patch(path, [{"op": "add", "path": "/spec/templates/0/kind", "value": "Thing"}],
                       "application/json-patch+json")
        run = self.migrator.run("namespacetemplates", "--retry-failed")
        self.assertEqual((0, {"unchanged": 1}), (run.code, run.counts()), run)
        self.assert_is_as_shipped()
        self.assert_is_clean()
        self.assertEqual("pruning", self.check("namespacetemplates")["verdict"])

    def assert_is_as_shipped(self):
        live = self.live_crd()
        self.assertEqual(SHIPPED["spec"]["versions"], live["spec"]["versions"])
        self.assertFalse(live["spec"].get("preserveUnknownFields"))
        self.assertLessEqual(SHIPPED["metadata"]["labels"].items(), live["metadata"]["labels"].items())
        # A controller of its own takes the condition away, later than the server prunes.
        wait_for("the server calls the schema not structural", lambda: "NonStructuralSchema" not in [
            one["type"] for one in self.live_crd()["status"]["conditions"]])
        # And the server goes by it.
        path = f"{TEMPLATES}?dryRun=All"
        self.assertEqual(without(shop_template(), JUNK["shops"] + NULLS["shops"])["spec"], self.api.post(
            path, {**shop_template(), "metadata": {"name": "more"}})["spec"])
        status, answer = self.api.request("POST", path, template("more", {"kind": "ConfigMap"}, selector={}))
        self.assertEqual((422, ["spec.templates[0].apiVersion"]),
                         (status, [cause["field"] for cause in answer["details"]["causes"]]))

    def assert_populates(self):
        for name in ("shop", "bank"):
            self.api.post(NAMESPACES, {"metadata": {"name": name, "labels": {"team": name}}})
        run = CLUSTER.run([BINARY, "populate", "--once"])
        self.assertEqual((0, ""), (run.returncode, run.stderr))
        made = {}
        for kind, (base, plural) in RESOURCES.items():
            for item in self.api.get(f"{base}/{plural}?labelSelector=policy/namespace-template-name=shops")["items"]:
                content = {key: item[key] for key in ("data", "rules", "roleRef", "subjects") if key in item}
                made[item["metadata"]["namespace"], kind, item["metadata"]["name"]] = content
        self.assertEqual({
            ("shop", "ConfigMap", "settings"): {"data": {"place": "shop"}},
            ("shop", "Role", "reader"): {"rules": role("reader", "get", "list")["rules"]},
            ("shop", "RoleBinding", "readers"): {key: role_binding("readers", "reader", "jo")[key]
                                                 for key in ("roleRef", "subjects")}}, made)


def main():
    global BINARY, CLUSTER
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
