"""Whose fields are whose behind `kubectl-prune migrate` on a real API server: managedFields that any other write would
empty are kept, server-side apply works as ever, and nothing else of the objects changes.

owners_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a server.
"""
import copy
import json
import os
import sys
import unittest

from cluster import Cluster, wait_for
from loop_closes_test import run_check
from migrations import GROUP, Migrator, Stored, accounting_errors, delete_crd, stored_versions
from rights import WITHOUT_PATCH, Rights
from runner import end, run_tests
from subjects import V1_CRDS, Subject

BINARY = None
CLUSTER = None
PORTS = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
         "items": {"type": "object", "required": ["port"], "properties": {
             "port": {"type": "integer"}, "name": {"type": "string"}}}}


def schema_of(**more):
    return {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            "size": {"type": "integer"}, "color": {"type": "string"}, "ports": PORTS,
            "args": {"type": "array", "items": {"type": "string"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}}, **more}}}}


def version(name, served=True, storage=False, **more):
    return {"name": name, "served": served, "storage": storage, "schema": {"openAPIV3Schema": schema_of(**more)}}


# What only the version that goes specifies.
OLD = {"oldOnly": {"type": "string"}}


def crd_of(plural, *versions):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{GROUP}"},
            "spec": {"group": GROUP, "scope": "Namespaced", "versions": list(versions),
                     "names": {"plural": plural, "singular": plural[:-1], "kind": plural[:-1].title()}}}


class World:
    """A CRD whose objects were applied as v1alpha1 by `deployer`, and written by others since."""

    def __init__(self, test, plural, names=("a", "b", "c")):
        self.api, self.names = test.api, names
        self.subject = Subject(GROUP, plural, plural[:-1].title(), namespaced=True, schemas={"v1": schema_of()},
                               storage="v1", first_storage="v1", schema_first=True)
        test.addCleanup(delete_crd, CLUSTER.api(), self.subject.name)
        self.api.post(V1_CRDS, crd_of(plural, version("v1alpha1", storage=True, **OLD), version("v1")))
        wait_for(f"{plural} are not served", lambda: all(
            self.api.request("GET", self.subject.collection(name, "default"))[0] == 200
            for name in ("v1", "v1alpha1")))
        for name in names:
            code, answer = self.apply("v1alpha1", name, oldOnly="x", color="red")
            if code >= 400:
                raise AssertionError(answer)
            # Somebody else, in the version that stays.
            self.api.patch(f"{self.path(name)}?fieldManager=operator", {"spec": {"labels": {"team": "one"}}})

    def path(self, name):
        return f"{self.subject.collection('v1', 'default')}/{name}"

    def object_of(self, of_version, name, **spec):
        return {"apiVersion": f"{GROUP}/{of_version}", "kind": self.subject.kind,
                "metadata": {"name": name, "namespace": "default", "labels": {"app": "demo"}},
                "spec": {"size": 1, "ports": [{"port": 80, "name": "web"}], "args": ["-a"], **spec}}

    def apply(self, of_version, name, manager="deployer", force=False, **spec):
        """By server-side apply. Returns (HTTP code, answer)."""
        path = f"{self.subject.collection(of_version, 'default')}/{name}"
        return self.api.request("PATCH", f"{path}?fieldManager={manager}&force={str(force).lower()}",
                                self.object_of(of_version, name, **spec), "application/apply-patch+yaml")

    def read(self, name):
        return self.api.get(self.path(name))

    def replace_versions(self, *versions):
        """Has the CRD these versions from now on, in every answer."""
        crd = self.api.get(f"{V1_CRDS}/{self.subject.name}")
        crd["spec"]["versions"] = list(versions)
        self.api.put(f"{V1_CRDS}/{self.subject.name}", crd)
        storage = next(item["name"] for item in versions if item["storage"])
        gone = {"v1", "v1alpha1"} - {item["name"] for item in versions if item["served"]}

        def is_noticed():
            served = [self.api.request("GET", self.subject.collection(name, "default"))[0] for name in gone]
            return all(code == 404 for code in served) and self.storage_is(storage)
        wait_for("the new versions are not noticed", is_noticed)

    def storage_is(self, storage):
        probe = self.object_of("v1", "probe")
        path = self.subject.collection("v1", "default")
        self.api.request("POST", path, probe)
        stored = json.loads(CLUSTER.etcd_get(f"{self.subject.etcd_prefix()}default/probe"))
        self.api.request("DELETE", f"{path}/probe")
        return stored["apiVersion"] == f"{GROUP}/{storage}"


def without_owners(stored):
    """An object as etcd holds it, without what a cleaned write is to change."""
    rest = copy.deepcopy(stored)
    rest["metadata"].pop("managedFields", None)
    return rest


def entry_of(shown, manager, operation="Apply"):
    entries = [entry for entry in shown["metadata"].get("managedFields", [])
               if entry["manager"] == manager and entry["operation"] == operation]
    return entries[0] if entries else None


class Owners(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.migrator = Migrator(CLUSTER, BINARY)

    def migrated(self, plural, **options):
        """Objects all of which are stored as v1, with managedFields of v1alpha1."""
        world = World(self, plural, **options)
        world.replace_versions(version("v1alpha1", **OLD), version("v1", storage=True))
        run = self.migrator.run(world.subject.name)
        self.assertEqual(0, run.code, run)
        self.assertEqual(["v1"], stored_versions(self.api, world.subject))
        return world

    def without_v1alpha1(self, plural, **options):
        world = self.migrated(plural, **options)
        world.replace_versions(version("v1", storage=True))
        return world

    def test_apply_works_again(self):
        world = self.without_v1alpha1("gadgets")
        name = world.subject.name
        code, failed = world.apply("v1", "a", color="red")
        self.assertEqual(500, code, failed)
        self.assertIn(f"request to convert CR to an invalid group/version: {GROUP}/v1alpha1", failed["message"])
        told = run_check(CLUSTER, BINARY, name)[name]["staleManagedFields"]
        self.assertEqual([{"apiVersion": f"{GROUP}/v1alpha1", "manager": "deployer", "operation": "Apply",
                           "objects": 3, "examples": ["default/a", "default/b", "default/c"]}], told)
        shown = {one: world.read(one) for one in world.names}
        before = Stored(CLUSTER, world.subject)

        for dry_run in ("client", "server"):
            foretold = self.migrator.run(name, f"--dry-run={dry_run}")
            self.assertEqual({"objects": 3, "entries": 3}, foretold.crd()["managedFieldsCleaned"], foretold)
        self.assertEqual(before, Stored(CLUSTER, world.subject))
        run = self.migrator.run(name)

        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, 3))
        self.assertEqual({"objects": 3, "entries": 3}, run.crd()["managedFieldsCleaned"])
        self.assertTrue(run.crd()["verified"])
        after = Stored(CLUSTER, world.subject)
        self.assertEqual({key: without_owners(one) for key, one in before.objects.items()},
                         {key: without_owners(one) for key, one in after.objects.items()})
        self.assertEqual(before.crd, after.crd)
        for one in world.names:
            self.compare_owners(shown[one], world.read(one))
        self.assertNotIn("staleManagedFields", run_check(CLUSTER, BINARY, name)[name])
        self.applies_as_ever(world)
        again = self.migrator.run(name)
        self.assertNotIn("managedFieldsCleaned", again.crd(), again)
        self.assertEqual({"unchanged": 3}, again.counts())

    def compare_owners(self, before, after):
        """Every owner owns what it did, but for what v1 does not have; all is said in v1."""
        self.assertEqual(len(before["metadata"]["managedFields"]), len(after["metadata"]["managedFields"]))
        self.assertEqual(entry_of(before, "operator", "Update"), entry_of(after, "operator", "Update"))
        expected = copy.deepcopy(entry_of(before, "deployer"))
        self.assertEqual({}, expected["fieldsV1"]["f:spec"].pop("f:oldOnly"))
        expected["apiVersion"] = f"{GROUP}/v1"
        self.assertEqual(expected, entry_of(after, "deployer"))

    def applies_as_ever(self, world):
        """What its owner no longer applies is removed, what others own stays."""
        code, applied = world.apply("v1", "a", ports=[{"port": 81}])
        self.assertEqual(200, code, applied)
        spec = world.read("a")["spec"]
        self.assertEqual({"size": 1, "ports": [{"port": 81}], "args": ["-a"], "labels": {"team": "one"}}, spec)
        code, conflict = world.apply("v1", "b", manager="stranger", size=7)
        self.assertEqual(409, code, conflict)
        self.assertIn('conflict with "deployer"', conflict["message"])

    def test_what_is_not_to_be_kept_is_named_and_stops_nothing(self):
        world = self.without_v1alpha1("relics", names=[f"w{number:02}" for number in range(30)])

        run = self.migrator.run(world.subject.name, "--clean-managed-fields=never")

        shown = {name: world.read(name) for name in world.names}
        emptied = [f"default/{name}" for name, one in shown.items() if "managedFields" not in one["metadata"]]
        self.assertEqual(30, len(emptied), run)
        self.assertEqual(1, run.code, run)
        self.assertEqual({"objects": 30, "names": emptied}, run.crd()["managedFieldsEmptied"])
        self.assertEqual({"rewritten": 30}, run.counts())
        self.assertTrue(run.crd()["verified"])

    def test_by_update_where_patch_is_not_allowed(self):
        world = self.without_v1alpha1("puts")
        before = Stored(CLUSTER, world.subject)
        shown = {one: world.read(one) for one in world.names}
        rights = Rights(CLUSTER, "putter", WITHOUT_PATCH)
        self.addCleanup(rights.take)

        run = self.migrator.run(world.subject.name, user="putter")

        self.assertEqual(0, run.code, run)
        self.assertEqual({"objects": 3, "entries": 3}, run.crd()["managedFieldsCleaned"])
        after = Stored(CLUSTER, world.subject)
        self.assertEqual({key: without_owners(one) for key, one in before.objects.items()},
                         {key: without_owners(one) for key, one in after.objects.items()})
        for one in world.names:
            self.compare_owners(shown[one], world.read(one))

    def test_versions_that_are_not_served_do_no_harm(self):
        world = self.migrated("sleepers")
        world.replace_versions(version("v1alpha1", served=False, **OLD), version("v1", storage=True))

        self.assertNotIn("staleManagedFields", run_check(CLUSTER, BINARY, world.subject.name)[world.subject.name])
        run = self.migrator.run(world.subject.name)
        self.assertNotIn("managedFieldsCleaned", run.crd(), run)
        self.assertEqual(200, world.apply("v1", "a", color="blue", force=True)[0])

    def test_check_tells_it_of_a_crd_that_is_to_be(self):
        world = self.migrated("proposals")
        file = self.migrator.folder / "crd.json"
        file.write_text(json.dumps(crd_of("proposals", version("v1", storage=True))))

        told = json.loads(CLUSTER.run([BINARY, "check", "-f", str(file), "-o", "json"]).stdout)["crds"][0]

        self.assertEqual([(f"{GROUP}/v1alpha1", 3)],
                         [(entry["apiVersion"], entry["objects"]) for entry in told["staleManagedFields"]])
        self.assertNotIn("staleManagedFields", run_check(CLUSTER, BINARY, world.subject.name)[world.subject.name])


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(users=["putter"]) as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
