"""The way that `check -f` tells is gone, command by command, and leads where it says.

way_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a server.
newer_way_test.py goes it with a newer one.
"""
import copy
import os
import sys

from cluster import Cluster, wait_for
from runner import end, run_tests
from subjects import V1_CRDS
import upgrades
from upgrades import NUMBER, OBJECTS, TEXT, Upgrade, UpgradeTest, schema, version
from webhook import ConversionWebhook

CLUSTER = None


class Way(UpgradeTest):
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
        # Nothing is left but to wait, to look at what stays, and to see that a webhook answers.
        looks = ("storedVersions", "prune check", "> /dev/null")
        self.assertEqual([], [step["command"] for step in report.get("steps", [])
                              if not any(word in step["command"] for word in looks)])

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

    def test_a_conversion_webhook_is_seen_to_answer(self):
        content = schema(size=NUMBER, colour=TEXT)
        with ConversionWebhook(CLUSTER, lambda one, _: one) as webhook:
            upgrade = Upgrade("hooked", [version("v1", content, storage=True)],
                              [version("v1", content, storage=True), version("v2", content)],
                              conversion=webhook.conversion())
            upgrade.create(self.api)
            file = self.write("new.json", upgrade.file)
            _, report = self.check(file)
            apply, look = report["steps"]
            self.go_steps([apply])
            wait_for("v2 is not served", lambda: self.run_step(look["command"]).returncode == 0)
            self.assertGreater(webhook.asked, 0)
            self.ends(upgrade, file)

    def test_a_conversion_webhook_comes_behind_pruning(self):
        """The cluster's schema cannot prune; what it lacks, and the file has, is not lost on the way."""
        untyped = {"properties": {"spec": {"properties": {"size": NUMBER}}}}
        content = schema(size=NUMBER, colour=TEXT)
        with ConversionWebhook(CLUSTER, lambda one, _: one) as webhook:
            upgrade = Upgrade("behind", [version("v1", untyped, storage=True)],
                              [version("v1", content), version("v2", content, storage=True)], preserves=True,
                              preserveUnknownFields=False, conversion=webhook.conversion())
            upgrade.create(self.api)
            file = self.write("new.json", upgrade.file)
            self.go_asking_again(file)
            self.assertEqual(self.commands(), [
                f"kubectl prune check {upgrade.name} -f new.json --print-transitional | kubectl apply -f -",
                f"kubectl prune migrate {upgrade.name} --enable-pruning", "kubectl apply -f new.json",
                f"kubectl prune migrate {upgrade.name}"])
            self.assertGreater(webhook.asked, 0)
            self.ends(upgrade, file)

    def test_a_conversion_webhook_that_goes_too_early_takes_no_fields_with_it(self):
        webhook = {"strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://127.0.0.1:1/convert"}}}
        upgrade = Upgrade("convert", [version("v1", schema(size=NUMBER), storage=True), version("v2", schema(width=NUMBER))],
                          [version("v1", schema(size=NUMBER)), version("v2", schema(width=NUMBER), storage=True)],
                          conversion={"strategy": "None", "webhook": None})
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
        self.assertIn("fix bads.bad.example.com", self.ran[0][0]["title"])
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
    global CLUSTER
    with Cluster(users=["reader"]) as CLUSTER:
        upgrades.use(CLUSTER, os.path.abspath(sys.argv[1]))
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
