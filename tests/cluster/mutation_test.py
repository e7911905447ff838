"""`kubectl-prune migrate --mutation` on a real API server: etcd ends as the tree says, object by object,
nothing else of any object changes, and what was there before is kept.

mutation_test.py BINARY [OBJECTS [TEST...]]: OBJECTS (400) is the size of the large migration. Exit
code 77 (skipped) without a server.
"""
import copy
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import unittest

from cluster import Cluster
from migrations import (GROUP, LABELS, PORTS, STATUS, Migrator, Stored, accounting_errors, as_backed_up,
                        bring_in_widgets, delete_crd, foretell, turn_pruning_on)
from rights import MIGRATION, WITHOUT_PATCH, Rights
from runner import end, run_tests
from stored_diff import parse
from subjects import Subject

BINARY = None
CLUSTER = None
OBJECTS = 400

# legacyMode, which no schema knows, moves to mode; a limit is newly needed; old labels go as a whole.
TREE = """
spec:
  mode: (spec.legacyMode)
  legacyMode: null
---
apiVersion: kubectl-prune/v1alpha1
kind: Mutation
spec:
  match: {spec: {limit: null}}
  tree: {spec: {limit: {cpu: 1, memory: [a, b]}}}
---
apiVersion: kubectl-prune/v1alpha1
kind: Mutation
spec:
  match: {spec: {labels: {tier: old}}}
  tree: {spec: {"[labels]": {tier: new}}}
"""


def mutated(stored):
    """Returns what TREE makes of an object: a second reading of it, by hand."""
    result = copy.deepcopy(stored)
    spec = result["spec"]
    if "legacyMode" in spec:
        spec["mode"] = spec.pop("legacyMode")
    if spec.get("limit") is None:
        spec["limit"] = {"cpu": ("number", "1"), "memory": ["a", "b"]}
    if spec["labels"].get("tier") == "old":
        spec["labels"] = {"tier": "new"}
    return result


def pruned(stored):
    """Returns what the schema leaves of it."""
    result = copy.deepcopy(stored)
    for known, fields in ((KNOWN_ROOT, result), (KNOWN_SPEC, result["spec"])):
        for key in set(fields) - known:
            del fields[key]
    for port in result["spec"].get("ports", []):
        port.pop("proto", None)
    return result


LIMIT = {"type": "object", "properties": {
    "cpu": {"type": "integer"}, "memory": {"type": "array", "items": {"type": "string"}}}}
SCHEMA = {"type": "object", "properties": {
    "spec": {"type": "object", "properties": {
        "size": {"type": "integer"}, "ports": PORTS, "labels": LABELS, "limit": LIMIT,
        "mode": {"x-kubernetes-preserve-unknown-fields": True}}},
    "status": STATUS}}
KNOWN_SPEC = set(SCHEMA["properties"]["spec"]["properties"])
KNOWN_ROOT = {"apiVersion", "kind", "metadata", *SCHEMA["properties"]}


def fields_of(number):
    """Three in four are changed by TREE, each in its way; some have more that pruning takes."""
    spec = {"size": number, "labels": {"tier": "old" if number % 8 == 0 else "own", "n": str(number)},
            "ports": [{"port": 80, "name": "web"}, {"port": 8443}]}
    if number % 2 == 0:
        spec["legacyMode"] = ["slow", {"deep": [1, {"x": True}]}, 7, [1, 2]][number // 2 % 4]
    if number % 4 != 3:
        spec["limit"] = {"cpu": number}
    if number % 5 == 0:
        spec["ports"][1]["proto"] = "TCP"
    if number % 7 == 0:
        spec["forgotten"] = {"a": number}
    return {"spec": spec, "status": {"phase": "Ready"}}


def is_changed(number):
    return number % 2 == 0 or number % 4 == 3


def without_version(stored):
    """Returns an object as etcd holds it without what every write moves."""
    metadata = {key: value for key, value in stored["metadata"].items()
                if key not in ("resourceVersion", "generation", "managedFields")}
    return {**stored, "metadata": metadata}


class MutationTest(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.migrator = Migrator(CLUSTER, BINARY)
        self.tree = self.write("tree.yaml", TREE)

    def write(self, name, text):
        path = self.migrator.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def widgets(self, plural, count, schema=SCHEMA, fields=fields_of, **options):
        subject = Subject(GROUP, plural, plural.title(), namespaced=True, schemas={"v1": schema},
                          storage="v1", schema_first=True, **options)
        for number in range(count):
            subject.add_object(f"w{number:05}", fields(number), namespace=("default", "shop")[number % 2])
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)
        return subject

    def run_mutation(self, subject, *arguments, **options):
        return self.migrator.run(subject.name, f"--mutation={self.tree}", *arguments, **options)

    def kept(self, run):
        """Returns the objects of the backup from before the mutation, the last line of each."""
        path = pathlib.Path(run.crd()["mutation"]["backup"])
        self.assertEqual(0o600, path.stat().st_mode & 0o777)
        objects = [parse(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return {(one["metadata"].get("namespace", ""), one["metadata"]["name"]): one for one in objects}

    def assert_kept(self, run, before, changed):
        kept = self.kept(run)
        self.assertEqual(changed, set(kept))
        for name, one in kept.items():
            self.assertEqual(as_backed_up(before.objects[name]), as_backed_up(one), name)

    def assert_model(self, model, after):
        self.assertEqual(set(model), set(after.objects))
        for name, wanted in model.items():
            self.assertEqual(without_version(wanted), without_version(after.objects[name]), name)


def changed_of(before):
    return {name for name, one in before.objects.items() if mutated(one) != one}


class EndToEnd(MutationTest):
    def test_what_is_moved_survives_the_switch(self):
        subject = self.widgets("movers", OBJECTS)
        before = Stored(CLUSTER, subject)
        changed = changed_of(before)
        self.assertEqual({("default", "shop")[n % 2] + f"/w{n:05}" for n in range(OBJECTS) if is_changed(n)},
                         {"/".join(name) for name in changed})
        told = self.run_mutation(subject, "--enable-pruning", "--dry-run=client").crd()
        self.assertEqual(len(changed), told["mutation"]["objectsChanging"])
        self.assertEqual({"spec.forgotten", "spec.ports[*].proto"},
                         {field["path"] for field in told["foretoldLoss"]["prunedFields"]})
        self.assertEqual(before, Stored(CLUSTER, subject))

        run = self.run_mutation(subject, "--enable-pruning", "--yes")

        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, OBJECTS))
        crd = run.crd()
        self.assertEqual({"sources": self.tree, "objects": OBJECTS, "objectsChanging": len(changed),
                          "backup": crd["mutation"]["backup"]}, crd["mutation"])
        self.assertEqual(len(changed), crd["beforeFlip"]["mutated"])
        self.assertEqual(OBJECTS - len(changed), crd["beforeFlip"]["unchanged"])
        self.assertTrue(crd["verified"])
        after = Stored(CLUSTER, subject)
        self.assert_model({name: pruned(mutated(one)) for name, one in before.objects.items()}, after)
        self.assert_kept(run, before, changed)
        # The other backup has what pruning took, as the mutation left it.
        for name, one in self.migrator.backup_objects(crd["backup"]).items():
            self.assertEqual(mutated(before.objects[name])["spec"], one["spec"], name)
        self.assertEqual(told["foretoldLoss"]["objectsLosingFields"],
                         len(self.migrator.backup_objects(crd["backup"])))

        again = self.run_mutation(subject, "--enable-pruning", "--yes")
        self.assertEqual({"unchanged": OBJECTS}, again.counts())
        self.assertEqual(after.raw, Stored(CLUSTER, subject).raw)

    def test_files_foretell_what_the_server_stores(self):
        subject = self.widgets("papers", 40)
        before = Stored(CLUSTER, subject)
        crd = json.dumps(self.api.get(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{subject.name}"))
        items = self.api.get(subject.collection("v1"))
        files = ["-f", self.write("crd.json", crd), "-f", self.write("objects.json", json.dumps(items))]
        foretold = subprocess.run(
            [BINARY, "migrate", "--local", "--enable-pruning", *files, f"--mutation={self.tree}",
             "-o", "json"], capture_output=True, text=True, check=True)
        shown = self.diff(subject)

        run = self.run_mutation(subject, "--enable-pruning", "--yes")

        self.assertEqual(0, run.code, run)
        after = Stored(CLUSTER, subject)
        local = {(one["metadata"]["namespace"], one["metadata"]["name"]): one
                 for one in parse(foretold.stdout)["items"]}
        self.assert_model(local, after)
        for name, one in shown.items():
            self.assertEqual(json.dumps(after.objects[name]["spec"], sort_keys=True),
                             json.dumps(parse(json.dumps(one["spec"])), sort_keys=True), name)
        # The others differ in nothing that anybody sees.
        self.assertEqual({name for name, one in after.objects.items() if one["spec"] != before.objects[name]["spec"]},
                         set(shown))

    def diff(self, subject):
        """Returns the objects as `diff --mutation` shows them on its right side."""
        copied = self.migrator.folder / "merged"
        script = self.write("copy.sh", f'#!/bin/sh\ncp -r "$2" "{copied}"\n')
        os.chmod(script, 0o700)
        environment = {**CLUSTER.environment(CLUSTER.kubeconfig_file()), "KUBECTL_EXTERNAL_DIFF": script}
        run = subprocess.run([BINARY, "diff", subject.name, f"--mutation={self.tree}"], env=environment,
                             capture_output=True, text=True, check=False)
        self.assertEqual(0, run.returncode, run.stderr)
        import yaml  # pylint: disable=import-outside-toplevel  (Debian's python3-yaml, as the build has it)
        objects = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in copied.rglob("*") if path.is_file()]
        return {(one["metadata"]["namespace"], one["metadata"]["name"]): one for one in objects}

    def test_a_crd_that_prunes_already(self):
        subject = self.widgets("cutters", 40)
        turn_pruning_on(self.api, subject)
        first = self.migrator.run(subject.name)
        self.assertEqual(0, first.code, first)
        before = Stored(CLUSTER, subject)
        changed = changed_of(before)

        run = self.run_mutation(subject)

        self.assertEqual(0, run.code, run)
        self.assertEqual({"mutated": len(changed), "unchanged": 40 - len(changed)}, run.counts())
        self.assertTrue(run.crd()["verified"])
        self.assert_model({name: mutated(one) for name, one in before.objects.items()},
                          Stored(CLUSTER, subject))
        self.assert_kept(run, before, changed)

    def test_some_objects_of_a_crd_that_preserves(self):
        subject = self.widgets("parts", 40)
        before = Stored(CLUSTER, subject)

        run = self.run_mutation(subject, "-n", "shop")

        self.assertEqual(0, run.code, run)
        model = {name: mutated(one) if name[0] == "shop" else one for name, one in before.objects.items()}
        self.assert_model(model, Stored(CLUSTER, subject))
        self.assert_kept(run, before, {name for name in changed_of(before) if name[0] == "shop"})


class Ways(MutationTest):
    def test_by_update_where_there_is_no_right_to_patch(self):
        subject = self.widgets("updaters", 40)
        before = Stored(CLUSTER, subject)

        with Rights(CLUSTER, "migrator", WITHOUT_PATCH):
            run = self.run_mutation(subject, user="migrator")

        self.assertEqual(0, run.code, run)
        self.assert_model({name: mutated(one) for name, one in before.objects.items()},
                          Stored(CLUSTER, subject))

    def test_nulls_come_whole(self):
        subject = self.widgets("nulls", 4)
        self.tree = self.write("nulls.yaml", "spec: {extra: [1, null, {a: [null]}]}\n")
        before = Stored(CLUSTER, subject)

        run = self.run_mutation(subject)

        self.assertEqual({"mutated": 4}, run.counts())
        model = copy.deepcopy(before.objects)
        for one in model.values():
            one["spec"]["extra"] = [("number", "1"), None, {"a": [None]}]
        self.assert_model(model, Stored(CLUSTER, subject))

    def test_dry_runs_write_nothing(self):
        subject = self.widgets("drills", 40)
        before = Stored(CLUSTER, subject)
        changed = len(changed_of(before))

        server = self.run_mutation(subject, "--dry-run=server")
        client = self.run_mutation(subject, "--dry-run=client")
        with_pruning = self.run_mutation(subject, "--dry-run=server", "--enable-pruning")

        self.assertEqual(before, Stored(CLUSTER, subject))
        self.assertFalse(self.migrator.backups.exists())
        for run, counts in ((server, {"accepted": 40}), (client, {"notTried": 40}),
                            (with_pruning, {"accepted": 40})):
            self.assertEqual(0, run.code, run)
            self.assertEqual(counts, run.counts())
            self.assertEqual(changed, run.crd()["mutation"]["objectsChanging"])
            self.assertNotIn("backup", run.crd()["mutation"])

    def test_what_others_write_meanwhile_stays(self):
        subject = self.widgets("busies", 120)
        before = Stored(CLUSTER, subject)
        sizes, stop = {}, threading.Event()

        def write():
            api, draw = CLUSTER.api(), random.Random(3)
            while not stop.is_set():
                namespace, name = draw.choice(sorted(before.objects))
                size = draw.randrange(10**6)
                code, _ = api.request("PATCH", f"{subject.collection('v1', namespace)}/{name}",
                                      {"spec": {"size": size}}, "application/merge-patch+json")
                if code == 200:
                    sizes[namespace, name] = size
            api.close()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            run = self.run_mutation(subject, "--verify=false", "--max-rate=60")
        finally:
            stop.set()
            writer.join()

        self.assertEqual(0, run.code, run)
        self.assertGreater(len(sizes), 20)
        model = {name: mutated(one) for name, one in before.objects.items()}
        for name, size in sizes.items():
            model[name]["spec"]["size"] = ("number", str(size))
        self.assert_model(model, Stored(CLUSTER, subject))
        for name, one in self.kept(run).items():
            own = {**one["spec"], "size": before.objects[name]["spec"]["size"]}
            self.assertEqual(before.objects[name]["spec"], own, name)

    def test_killed_again_and_again(self):
        subject = self.widgets("mortals", 200)
        before = Stored(CLUSTER, subject)
        draw, kills = random.Random(5), 0
        arguments = (f"--mutation={self.tree}", "--enable-pruning", "--yes", "--max-rate=60")
        while kills < 12:
            process = self.migrator.start(subject.name, *arguments)
            try:
                process.communicate(timeout=draw.uniform(0.3, 1.5))
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills += 1
        self.assertGreater(kills, 2)

        run = self.migrator.run(subject.name, *arguments)

        self.assertEqual(0, run.code, run)
        self.assert_model({name: pruned(mutated(one)) for name, one in before.objects.items()},
                          Stored(CLUSTER, subject))
        kept = {}
        for path in sorted(self.migrator.backups.glob("*-before-mutation-*.ndjson")):
            for line in path.read_text(encoding="utf-8").splitlines():
                one = parse(line)
                kept.setdefault((one["metadata"]["namespace"], one["metadata"]["name"]), one)
        self.assertEqual(changed_of(before), set(kept))
        for name, one in kept.items():
            self.assertEqual(as_backed_up(before.objects[name]), as_backed_up(one), name)


class Refusals(MutationTest):
    def test_what_would_change_twice_is_left_and_keeps_pruning_off(self):
        subject = self.widgets("twisters", 8)
        self.tree = self.write("swap.yaml", "spec: {size: (spec.count), count: (spec.size)}\n")
        path = f"{subject.collection('v1', 'shop')}/w00001"
        self.api.patch(path, {"spec": {"count": 7}})
        before = Stored(CLUSTER, subject)

        run = self.run_mutation(subject, "--enable-pruning", "--yes")

        self.assertEqual(1, run.code, run)
        self.assertEqual(("shop", "w00001", "failed"), tuple(
            run.crd()["failures"][0][key] for key in ("namespace", "name", "class")))
        self.assertIn("would change it again", run.crd()["failures"][0]["message"])
        self.assertFalse(run.crd()["pruningEnabled"])
        after = Stored(CLUSTER, subject)
        self.assertEqual(before.objects["shop", "w00001"], after.objects["shop", "w00001"])

    def test_an_object_that_the_server_refuses_is_invalid(self):
        subject = self.widgets("wrongs", 8)
        turn_pruning_on(self.api, subject)
        self.tree = self.write("wrong.yaml", "apiVersion: kubectl-prune/v1alpha1\nkind: Mutation\nspec:\n"
                               "  match: {spec: {size: 3}}\n  tree: {spec: {size: big}}\n")

        run = self.run_mutation(subject)

        self.assertEqual(1, run.code, run)
        self.assertEqual(1, run.counts()["invalid"])
        self.assertEqual("w00003", run.crd()["failures"][0]["name"])

    def test_a_status_with_a_subresource_is_refused_before_anything_is_written(self):
        subject = self.widgets("states", 4, status_subresource=True)
        self.tree = self.write("status.yaml", "status: {phase: Done}\n")
        before = Stored(CLUSTER, subject)

        run = self.run_mutation(subject)

        self.assertEqual(2, run.code, run)
        self.assertIn("its subresource", run.crd()["error"])
        self.assertEqual(before, Stored(CLUSTER, subject))

    def test_what_a_crd_that_prunes_would_take_again_is_refused(self):
        subject = self.widgets("takers", 6)
        turn_pruning_on(self.api, subject)
        self.assertEqual(0, self.migrator.run(subject.name).code)
        self.tree = self.write("fresh.yaml", "spec: {fresh: (spec.size), size: null}\n")
        before = Stored(CLUSTER, subject)

        for arguments in ((), ("-n", "shop"), ("--dry-run=server",)):
            run = self.run_mutation(subject, *arguments)

            self.assertEqual(2, run.code, run)
            self.assertIn("sets spec.fresh, which the schema of v1 does not specify", run.crd()["error"])
        retried = self.migrator.run(f"--mutation={self.tree}", f"--retry-from={self.failed_report(subject)}")
        self.assertEqual(2, retried.code, retried)
        self.assertIn("sets spec.fresh", retried.crd()["error"])
        self.assertEqual(before, Stored(CLUSTER, subject))
        self.assertEqual([], list(self.migrator.backups.glob("*")))

    def failed_report(self, subject):
        """Writes a report by which all objects failed, and returns its path."""
        names = [{"namespace": item.namespace, "name": item.body["metadata"]["name"], "class": "failed",
                  "message": ""} for item in subject.objects]
        return self.write("failed.json", json.dumps({
            "apiVersion": "kubectl-prune/v1alpha1", "kind": "MigrationReport",
            "crds": [{"name": subject.name, "failures": names}]}))

    def test_a_file_does_not_come_with_a_crd_that_prunes_already(self):
        subject = self.widgets("stayers", 4)
        turn_pruning_on(self.api, subject)
        crd = self.api.get(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{subject.name}")
        del crd["status"]
        before = Stored(CLUSTER, subject)

        run = self.run_mutation(subject, "--enable-pruning", "--yes", "-f", self.write("crd.json", json.dumps(crd)))

        self.assertEqual(2, run.code, run)
        self.assertIn("kubectl apply the file first", run.crd()["error"])
        self.assertEqual(before, Stored(CLUSTER, subject))

    def test_failures_are_foretold_and_are_tried_again_with_the_mutation(self):
        subject = self.widgets("triers", 8)
        turn_pruning_on(self.api, subject)
        self.assertEqual(0, self.migrator.run(subject.name).code)
        self.tree = self.write("swap.yaml", "spec: {size: (spec.limit.cpu), limit: {cpu: (spec.size)}}\n")
        self.api.patch(f"{subject.collection('v1', 'shop')}/w00001", {"spec": {"limit": {"cpu": 9}}})

        told = self.run_mutation(subject, "--dry-run=client")
        run = CLUSTER.run([BINARY, "migrate", subject.name, f"--mutation={self.tree}", "--no-backup",
                           f"--state-dir={self.migrator.folder}/state"])

        self.assertEqual((1, 1), (told.code, run.returncode), run.stderr)
        self.assertIn(f"{subject.name} --retry-failed --mutation={self.tree}", run.stderr)

    def test_a_run_behind_the_switch_mutates_what_no_earlier_one_has(self):
        subject = self.widgets("laters", 40)
        before = Stored(CLUSTER, subject)
        process = self.migrator.start(subject.name, "--enable-pruning", "--yes", "--max-rate=5")
        path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{subject.name}"
        while self.api.get(path)["spec"].get("preserveUnknownFields"):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGKILL)
        process.communicate()

        run = self.run_mutation(subject, "--enable-pruning", "--yes")

        self.assertEqual(0, run.code, run)
        # What pruning took cannot be moved any more.
        model = {name: mutated(pruned(one)) for name, one in before.objects.items()}
        self.assert_model(model, Stored(CLUSTER, subject))
        self.assertIn("mutation", run.crd())

    def test_the_right_to_read_single_objects_is_asked_for(self):
        subject = self.widgets("secrets", 4)
        rules = [{**rule, "verbs": [verb for verb in rule["verbs"] if verb != "get"]}
                 if rule["apiGroups"] == [GROUP] else rule for rule in MIGRATION]

        with Rights(CLUSTER, "migrator", rules):
            run = self.run_mutation(subject, user="migrator")

        self.assertEqual(2, run.code, run)
        self.assertIn(f"get {subject.name}", run.crd()["error"])

    def test_a_status_without_one_is_mutated(self):
        subject = self.widgets("plains", 4)
        self.tree = self.write("status.yaml", "status: {phase: Done}\n")

        run = self.run_mutation(subject)

        self.assertEqual({"mutated": 4}, run.counts())
        for one in Stored(CLUSTER, subject).objects.values():
            self.assertEqual({"phase": "Done"}, one["status"])


def main():
    global BINARY, CLUSTER, OBJECTS
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    words = sys.argv[2:]
    if words and words[0].isdigit():
        OBJECTS = int(words.pop(0))
    with Cluster(users=("migrator",)) as CLUSTER:
        return run_tests(sys.modules[__name__], words)


if __name__ == "__main__":
    end(main)
