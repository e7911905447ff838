"""The way that `check -f` tells is gone, command by command, and leads where it says.

way_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a server.
newer_way_test.py goes it with a newer one.
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from cluster import Cluster, wait_for
from runner import end, run_tests
from subjects import V1_CRDS, V1BETA1_CRDS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import terminals

BINARY = None
CLUSTER = None
OBJECTS = 12
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def schema(**properties):
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def version(name, content, served=True, storage=False):
    return {"name": name, "served": served, "storage": storage, "schema": {"openAPIV3Schema": content}}


class Upgrade:
    """A CRD as it is, its objects, and the file that is to replace it."""

    def __init__(self, name, live, file, preserves=False, **file_spec):
        self.plural = f"{name}s"
        self.group = f"{name}.example.com"
        self.name = f"{self.plural}.{self.group}"
        self.live, self.preserves = live, preserves
        self.file = self.manifest(file, **file_spec)

    def manifest(self, versions, **spec):
        kind = self.plural[:-1].title()
        return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": self.name},
                "spec": {"group": self.group, "scope": "Namespaced",
                         "names": {"plural": self.plural, "singular": self.plural[:-1], "kind": kind,
                                   "listKind": f"{kind}List"},
                         "versions": versions, **spec}}

    def storage(self):
        return next(one["name"] for one in self.file["spec"]["versions"] if one["storage"])

    def create(self, api, specs=None):
        manifest = self.manifest(self.live)
        if self.preserves and CLUSTER.has_v1beta1:  # v1 does not take it of a new CRD
            manifest["apiVersion"] = "apiextensions.k8s.io/v1beta1"
            manifest["spec"]["preserveUnknownFields"] = True
            only, = copy.deepcopy(self.live)
            manifest["spec"]["validation"] = only.pop("schema")
            manifest["spec"]["versions"] = [only]
            api.post(V1BETA1_CRDS, manifest)
        else:
            api.post(V1_CRDS, manifest)
        self.stored = next(one["name"] for one in self.live if one["storage"])
        path = f"/apis/{self.group}/{self.stored}/namespaces/default/{self.plural}"
        wait_for(f"{self.name} is not served", lambda: api.request("GET", path)[0] == 200)
        of_kind = {"apiVersion": f"{self.group}/{self.stored}", "kind": self.plural[:-1].title()}
        if self.preserves and not CLUSTER.has_v1beta1:
            CLUSTER.preserve_unknown_fields(self.name, of_kind, path)
        self.specs = specs or [{"size": i, "colour": "red"} for i in range(OBJECTS)]
        for i, spec in enumerate(self.specs):
            api.post(path, {**of_kind, "metadata": {"name": f"o{i}"}, "spec": spec})

    def in_etcd(self):
        objects = CLUSTER.etcd_range(f"/registry/{self.group}/{self.plural}/")
        return {key.rpartition("/")[2]: json.loads(value) for key, value in objects.items()}


class Way(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=CLUSTER.folder))
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "kubectl-prune").symlink_to(BINARY)
        self.environment = {**CLUSTER.environment(CLUSTER.kubeconfig_file()),
                            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
        self.ran = []

    def write(self, name, *manifests):
        path = self.folder / name
        path.write_text("---\n".join(json.dumps(one) + "\n" for one in manifests))
        return name

    def check(self, *files):
        flags = [flag for name in files for flag in ("-f", name)]
        run = subprocess.run([BINARY, "check", *flags, "-o", "json"], env=self.environment, cwd=self.folder,
                             capture_output=True, text=True, check=False)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        return run.returncode, json.loads(run.stdout)

    def go(self, *files):
        """Does every step of the way; a person at a terminal says yes to what is asked. Returns the steps."""
        _, report = self.check(*files)
        for step in report["steps"]:
            leader, follower = terminals.open_terminal()
            os.write(leader, b"y\n")
            run = subprocess.run(["sh", "-c", step["command"]], env=self.environment, cwd=self.folder, stdin=follower,
                                 capture_output=True, text=True, check=False)
            os.close(leader), os.close(follower)
            self.ran.append((step, run))
            is_check = step["command"].startswith("kubectl prune check") and "|" not in step["command"]
            if not is_check:  # which only looks, and says that there are findings
                self.assertEqual(run.returncode, 0, f"{step}\n{run.stdout}{run.stderr}")
        return report

    def commands(self):
        return [step["command"] for step, _ in self.ran]

    def ends(self, upgrade, file, loses=()):
        """The CRD is that of the file, and etcd has each object in its storage version, whole."""
        live = self.api.get(f"{V1_CRDS}/{upgrade.name}")
        self.assertEqual([one["name"] for one in live["spec"]["versions"]],
                         [one["name"] for one in upgrade.file["spec"]["versions"]])
        self.assertEqual([one["schema"] for one in live["spec"]["versions"]],
                         [one["schema"] for one in upgrade.file["spec"]["versions"]])
        self.assertFalse(live["spec"].get("preserveUnknownFields", False))
        self.assertEqual(live["status"]["storedVersions"], [upgrade.storage()])
        stored = upgrade.in_etcd()
        self.assertEqual(set(stored), {f"o{i}" for i in range(len(upgrade.specs))})
        for i, spec in enumerate(upgrade.specs):
            one = stored[f"o{i}"]
            self.assertEqual(one["apiVersion"], f"{upgrade.group}/{upgrade.storage()}")
            kept = {key: value for key, value in spec.items() if key not in loses}
            self.assertEqual({key: one["spec"].get(key) for key in kept}, kept)
        _, report = self.check(file)
        commands = [step["command"] for step in report["steps"]
                    if "storedVersions" not in step["command"] and "prune check" not in step["command"]]
        self.assertEqual(commands, [f"kubectl apply -f {file}"])

    def test_a_new_version_is_applied_at_once(self):
        live = [version("v1", schema(size=NUMBER, colour=TEXT), storage=True)]
        upgrade = Upgrade("added", live, [*live, version("v2", schema(size=NUMBER, colour=TEXT))])
        upgrade.create(self.api)
        file = self.write("new.json", upgrade.file)
        self.go(file)
        self.assertEqual(self.commands(), ["kubectl apply -f new.json"])
        self.ends(upgrade, file)

    def test_behind_a_storage_version_that_moves_objects_are_migrated(self):
        both = schema(size=NUMBER, colour=TEXT)
        upgrade = Upgrade("moved", [version("v1", both, storage=True), version("v2", both)],
                          [version("v1", both), version("v2", both, storage=True)])
        upgrade.create(self.api)
        file = self.write("new.json", upgrade.file)
        self.go(file)
        self.assertEqual(self.commands()[:2],
                         ["kubectl apply -f new.json", f"kubectl prune migrate {upgrade.name}"])
        self.assertEqual(self.ran[2][1].stdout, '["v2"]')  # which the last step looks at
        self.ends(upgrade, file)

    def test_a_storage_version_that_goes_too_early_is_kept_for_a_while(self):
        both = schema(size=NUMBER, colour=TEXT)
        upgrade = Upgrade("early", [version("v1", both, storage=True)], [version("v2", both, storage=True)])
        upgrade.create(self.api)
        file = self.write("new.json", upgrade.file)
        report = self.go(file)
        self.assertFalse(report["crds"][0]["apply"]["accepted"])
        self.assertIn("status.storedVersions", report["crds"][0]["apply"]["message"])
        self.assertEqual(self.commands(), [
            f"kubectl prune check {upgrade.name} -f new.json --print-transitional | kubectl apply -f -",
            f"kubectl prune migrate {upgrade.name}", "kubectl apply -f new.json",
            f"kubectl prune migrate {upgrade.name}"])
        self.ends(upgrade, file)

    def test_a_version_that_objects_may_be_stored_in_is_migrated_before_it_goes(self):
        both = schema(size=NUMBER, colour=TEXT)
        upgrade = Upgrade("stale", [version("v1", both, storage=True)], [version("v2", both, storage=True)])
        upgrade.create(self.api)
        between = copy.deepcopy(upgrade.file)
        between["spec"]["versions"].append(version("v1", both))
        live = self.api.get(f"{V1_CRDS}/{upgrade.name}")
        live["spec"] = between["spec"]
        self.api.put(f"{V1_CRDS}/{upgrade.name}", live)
        file = self.write("new.json", upgrade.file)
        self.go(file)
        self.assertEqual(self.commands(), [f"kubectl prune migrate {upgrade.name}", "kubectl apply -f new.json",
                                           f"kubectl prune migrate {upgrade.name}"])
        self.ends(upgrade, file)

    def test_what_an_enum_no_longer_has_is_told_before(self):
        upgrade = Upgrade("enum", [version("v1", schema(size=NUMBER, colour=TEXT), storage=True)],
                          [version("v1", schema(size=NUMBER, colour={"type": "string", "enum": ["blue"]}),
                                   storage=True)])
        upgrade.create(self.api, [{"colour": "blue"}, {"colour": "red"}, {"size": 1}])
        file = self.write("new.json", upgrade.file)
        code, report = self.check(file)
        invalid, = report["crds"][0]["versions"][0]["invalidFields"]
        self.assertTrue(invalid["tolerated"])  # by a server that ratchets: a write does not change the value
        self.assertEqual(code, 0 if CLUSTER.ratchets else 1)
        self.go(file)
        if not CLUSTER.ratchets:
            step, _ = self.ran.pop(0)
            self.assertIn("refuse the next write", step["reason"])
        self.assertEqual(self.commands(), ["kubectl apply -f new.json"])
        self.ends(upgrade, file)

    def test_a_scope_cannot_be_changed(self):
        content = schema(size=NUMBER, colour=TEXT)
        upgrade = Upgrade("scope", [version("v1", content, storage=True)], [version("v1", content, storage=True)],
                          scope="Cluster")
        upgrade.create(self.api)
        report = self.go(self.write("new.json", upgrade.file))
        self.assertIn("field is immutable", report["crds"][0]["apply"]["message"])
        self.assertEqual(len(report["steps"]), 1)
        self.assertIn("field is immutable", report["steps"][0]["reason"])
        self.assertEqual(self.api.get(f"{V1_CRDS}/{upgrade.name}")["spec"]["scope"], "Namespaced")

    def test_a_group_that_is_renamed_is_another_crd(self):
        live = [version("v1", schema(size=NUMBER, colour=TEXT), storage=True)]
        old, new = Upgrade("oldgroup", live, live), Upgrade("newgroup", live, live)
        old.create(self.api)
        self.go(self.write("new.json", new.file))
        self.assertEqual(self.commands(), ["kubectl apply -f new.json"])
        self.assertEqual(len(old.in_etcd()), OBJECTS)
        self.assertEqual(self.api.request("GET", f"{V1_CRDS}/{new.name}")[0], 200)

    def test_a_conversion_webhook_is_no_hindrance_where_nothing_is_stored_anew(self):
        content = schema(size=NUMBER, colour=TEXT)
        webhook = {"strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://127.0.0.1:1/convert"}}}
        upgrade = Upgrade("hooked", [version("v1", content, storage=True)],
                          [version("v1", content, storage=True), version("v2", content)], conversion=webhook)
        upgrade.create(self.api)
        file = self.write("new.json", upgrade.file)
        self.go(file)
        self.assertEqual(self.commands(), ["kubectl apply -f new.json"])
        self.ends(upgrade, file)

    def test_a_conversion_webhook_that_goes_too_early_takes_no_fields_with_it(self):
        webhook = {"strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://127.0.0.1:1/convert"}}}
        upgrade = Upgrade("convert", [version("v1", schema(size=NUMBER), storage=True), version("v2", schema(width=NUMBER))],
                          [version("v1", schema(size=NUMBER)), version("v2", schema(width=NUMBER), storage=True)])
        upgrade.create(self.api, [{"size": 1}])
        live = self.api.get(f"{V1_CRDS}/{upgrade.name}")
        live["spec"]["conversion"] = webhook
        self.api.put(f"{V1_CRDS}/{upgrade.name}", live)
        code, report = self.check(self.write("new.json", upgrade.file))
        self.assertEqual((code, report["crds"][0]["verdict"]), (1, "loses-fields"))
        self.assertEqual(len(report["steps"]), 1)
        self.assertIn("keep spec.conversion in this release", report["steps"][0]["reason"])
        # As it would be:
        live = self.api.get(f"{V1_CRDS}/{upgrade.name}")
        live["spec"]["versions"], live["spec"]["conversion"] = upgrade.file["spec"]["versions"], {"strategy": "None"}
        self.api.put(f"{V1_CRDS}/{upgrade.name}", live)
        path = f"/apis/{upgrade.group}/v2/namespaces/default/{upgrade.plural}/o0"
        wait_for("the webhook is still asked", lambda: self.api.request("GET", path)[0] == 200)
        self.assertEqual(self.api.get(path)["spec"], {})

    def test_what_is_too_long_for_an_annotation_is_applied_by_the_server(self):
        many = {f"p{i}": {"type": "string", "description": "d" * 200} for i in range(1200)}
        upgrade = Upgrade("long", [version("v1", schema(size=NUMBER, colour=TEXT), storage=True)],
                          [version("v1", schema(size=NUMBER, colour=TEXT, **many), storage=True)])
        upgrade.create(self.api)
        file = self.write("new.json", upgrade.file)
        report = self.go(file)
        self.assertIn("Too long", report["crds"][0]["apply"]["message"])
        self.assertEqual(self.commands(), ["kubectl apply --server-side --force-conflicts -f new.json"])
        live = self.api.get(f"{V1_CRDS}/{upgrade.name}")
        self.assertEqual(len(live["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
                             ["properties"]), 1202)

    def test_a_file_that_is_held_up_holds_up_no_other(self):
        content = schema(size=NUMBER, colour=TEXT)
        good = Upgrade("good", [version("v1", content, storage=True)],
                       [version("v1", content, storage=True), version("v2", content)])
        bad = Upgrade("bad", [version("v1", content, storage=True)],
                      [version("v1", {"type": "object", "properties": {"spec": {}}}, storage=True)])
        good.create(self.api), bad.create(self.api)
        self.write("good.json", good.file), self.write("bad.json", bad.file)
        self.go("good.json", "bad.json")
        self.assertEqual(self.commands()[1:], ["kubectl apply -f good.json"])
        self.assertIn("mend bads.bad.example.com", self.ran[0][0]["title"])
        self.ends(good, "good.json")

    def test_pruning_is_turned_on_behind_a_file_that_leaves_it_off(self):
        content = schema(size=NUMBER, colour=TEXT)
        upgrade = Upgrade("leaves", [version("v1", content, storage=True)],
                          [version("v1", content, storage=True), version("v2", content)], preserves=True)
        upgrade.create(self.api)
        file = self.write("new.json", upgrade.file)
        self.go(file)
        self.assertEqual(self.commands(),
                         ["kubectl apply -f new.json", f"kubectl prune migrate {upgrade.name} --enable-pruning"])
        self.ends(upgrade, file)

    def test_a_version_that_goes_while_unknown_fields_are_preserved(self):
        both = schema(size=NUMBER, colour=TEXT)
        upgrade = Upgrade("both", [version("v1", both, storage=True)], [version("v2", both, storage=True)],
                          preserves=True)
        upgrade.create(self.api)
        file = self.write("new.json", upgrade.file)
        self.go(file)
        self.assertEqual(self.commands(), [
            f"kubectl prune check {upgrade.name} -f new.json --print-transitional | kubectl apply -f -",
            f"kubectl prune migrate {upgrade.name} --enable-pruning", "kubectl apply -f new.json",
            f"kubectl prune migrate {upgrade.name}"])
        self.ends(upgrade, file)

    def test_a_storage_version_that_moves_with_pruning_and_defaults(self):
        older, newer = schema(size=NUMBER), schema(size=NUMBER, colour=TEXT, shape={"type": "string", "default": "round"})
        newer["properties"]["spec"]["required"] = ["shape"]
        upgrade = Upgrade("all", [version("v1", older, storage=True)],
                          [version("v1", older), version("v2", newer, storage=True)], preserves=True)
        upgrade.create(self.api)  # with colours, which only the newer version knows
        file = self.write("new.json", upgrade.file)
        self.go(file)
        self.assertEqual([command.rpartition(" | ")[2] for command in self.commands()[1:4]], [
            "kubectl apply -f -", f"kubectl prune migrate {upgrade.name} --enable-pruning",
            "kubectl apply -f new.json"])
        self.ends(upgrade, file)
        # The entries of v1, whose schema has no colour, would have cost the objects all of them.
        for one in upgrade.in_etcd().values():
            self.assertEqual({entry["apiVersion"] for entry in one["metadata"]["managedFields"]}, {f"{upgrade.group}/v2"})

    def test_defaults_come_with_pruning(self):
        upgrade = Upgrade("defaults", [version("v1", schema(size=NUMBER, colour=TEXT), storage=True)],
                          [version("v1", schema(size=NUMBER, colour=TEXT, shape={"type": "string", "default": "round"}),
                                   storage=True)], preserves=True)
        upgrade.create(self.api, [{"size": 1, "colour": "red", "old": "x"}, {"size": 2, "colour": "blue"}])
        file = self.write("new.json", upgrade.file)
        code, report = self.check(file)
        self.assertEqual(code, 1)
        self.assertFalse(report["crds"][0]["apply"]["accepted"])
        self.assertIn("must be false in order to use defaults in the schema", report["crds"][0]["apply"]["message"])
        self.go(file)
        self.assertEqual(self.commands()[-2:], [f"kubectl prune migrate {upgrade.name} --enable-pruning -f new.json",
                                                "kubectl apply -f new.json"])
        self.ends(upgrade, file, loses=("old",))
        self.assertEqual({one["spec"]["shape"] for one in upgrade.in_etcd().values()}, {"round"})

    def test_a_file_that_turns_pruning_on_comes_with_a_backup(self):
        content = schema(size=NUMBER, colour=TEXT)
        upgrade = Upgrade("false", [version("v1", content, storage=True)], [version("v1", content, storage=True)],
                          preserves=True, preserveUnknownFields=False)
        upgrade.create(self.api)
        file = self.write("new.json", upgrade.file)
        self.go(file)
        self.assertEqual(self.commands(), [f"kubectl prune migrate {upgrade.name} --enable-pruning -f new.json",
                                           "kubectl apply -f new.json"])
        self.ends(upgrade, file)

    def test_objects_in_the_files_are_held_against_the_crds_in_them(self):
        live = [version("v1", schema(size=NUMBER, colour=TEXT), storage=True)]
        upgrade = Upgrade("bundled", live, [version("v1", schema(size={"type": "integer", "maximum": 5}), storage=True)])
        upgrade.create(self.api, [{"size": 1}])

        def bundled(name, **spec):
            return {"apiVersion": f"{upgrade.group}/v1", "kind": "Bundled", "spec": spec,
                    "metadata": {"name": name, "namespace": "default"}}
        objects = [bundled("fine", size=2), bundled("loses", size=2, colour="red"), bundled("large", size=9),
                   bundled("text", size="x")]
        others = [{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}},
                  {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Secret"}]}]
        file = self.write("new.json", *objects, upgrade.file, *others)
        code, report = self.check(file)
        self.assertEqual(code, 1)
        self.assertNotIn("fileObjectsSkipped", report)
        found = report["crds"][0]["fileObjects"]
        self.assertEqual((found["objects"], found["objectsLosingFields"], found["objectsInvalid"]), (4, 1, 2))
        self.assertEqual([one["path"] for one in found["prunedFields"]], ["spec.colour"])
        foretold = {one["examples"][0].rpartition("/")[2]: one["message"] for one in found["invalidFields"]}
        # And so does the server, once it has the CRD.
        crd = self.api.get(f"{V1_CRDS}/{upgrade.name}")
        crd["spec"] = upgrade.file["spec"]
        self.api.put(f"{V1_CRDS}/{upgrade.name}", crd)
        path = f"/apis/{upgrade.group}/v1/namespaces/default/{upgrade.plural}"
        wait_for("the schema is not noticed",
                 lambda: self.api.request("POST", f"{path}?dryRun=All", bundled("probe", size=9))[0] == 422)
        said = {one["metadata"]["name"]: self.api.request("POST", path, one) for one in objects}
        self.assertEqual({name for name, (status, _) in said.items() if status != 201}, set(foretold))
        for name, message in foretold.items():
            self.assertIn(message.partition(":")[0], said[name][1]["message"])
        self.assertNotIn("colour", said["loses"][1]["spec"])

    def test_who_may_not_write_crds_is_told_by_our_own_rules(self):
        content = schema(size=NUMBER, colour=TEXT)
        upgrade = Upgrade("reader", [version("v1", content, storage=True)],
                          [version("v1", schema(size={"type": "integer", "default": 1}), storage=True)], preserves=True)
        upgrade.create(self.api)
        role = "reads-crds"
        self.api.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
            "metadata": {"name": role}, "rules": [
                {"apiGroups": ["apiextensions.k8s.io", upgrade.group], "resources": ["*"], "verbs": ["get", "list"]}]})
        self.api.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
            "metadata": {"name": role}, "subjects": [{"kind": "User", "name": "reader"}],
            "roleRef": {"kind": "ClusterRole", "name": role, "apiGroup": "rbac.authorization.k8s.io"}})
        self.environment["KUBECONFIG"] = CLUSTER.kubeconfig_file("reader")
        wait_for("the role is not noticed", lambda: CLUSTER.api("reader").request("GET", V1_CRDS)[0] == 200)
        code, report = self.check(self.write("new.json", upgrade.file))
        apply = report["crds"][0]["apply"]
        self.assertEqual(code, 1)
        self.assertFalse(apply["accepted"])
        self.assertIn("must be false in order to use defaults in the schema", apply["message"])
        self.assertIn('cannot patch resource "customresourcedefinitions"', apply["notAskedBecause"])


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(users=["reader"]) as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
