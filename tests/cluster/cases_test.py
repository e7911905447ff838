"""Situations of people who upgrade a CRD: what `check` and the plan answer is what a real API server then does.

cases_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a server.
"""
import base64
import copy
import json
import os
import subprocess
import sys

from cluster import Cluster, wait_for
from runner import end, run_tests
from subjects import V1_CRDS, V1BETA1_CRDS
import upgrades
from upgrades import NUMBER, TEXT, Upgrade, UpgradeTest, schema, version

BINARY = None
CLUSTER = None
NO_WEBHOOK = {"strategy": "Webhook", "webhook": {
    "conversionReviewVersions": ["v1"], "clientConfig": {"service": {"name": "gone", "namespace": "default"}}}}
LONG = 270_000


def required(content, *names):
    content = copy.deepcopy(content)
    content["properties"]["spec"]["required"] = list(names)
    return content


class Cases(UpgradeTest):
    def kubectl(self, *arguments, **options):
        return subprocess.run(["kubectl", *arguments], env=self.environment, cwd=self.folder, capture_output=True,
                              text=True, check=False, **options)

    def apply(self, file):
        run = self.kubectl("apply", "-f", file)
        self.assertEqual(0, run.returncode, run.stderr)

    def path(self, upgrade, name, served):
        return f"/apis/{upgrade.group}/{served}/namespaces/default/{upgrade.plural}/{name}"

    def wait_for_version(self, upgrade, served):
        wait_for(f"{served} is not served",
                 lambda: self.api.request("GET", self.path(upgrade, "o0", served))[0] == 200)

    def plan(self, file):
        _, report = self.check(file)
        return report["crds"][0], report["steps"]

    def local(self, *arguments):
        run = subprocess.run([BINARY, "check", "--local", "-o", "json", *arguments], cwd=self.folder,
                             capture_output=True, text=True, check=False)
        return run.returncode, json.loads(run.stdout)["crds"][0]

    def made_before(self, name, file, spec=None, **options):
        """Of a CRD with one version that prunes already, and an object."""
        live = [version("v1", schema(a=TEXT, b=TEXT), storage=True)]
        upgrade = Upgrade(name, live, file, **options)
        upgrade.create(self.api, [spec or {"a": "x", "b": "z"}])
        return upgrade

    def test_a_new_served_version_takes_and_refuses_what_was_foretold(self):
        upgrade = self.made_before("meter", [version("v1", schema(a=TEXT, b=TEXT), storage=True),
                                             version("v2", required(schema(a=TEXT, c=TEXT), "c"))])
        file = self.write("new.json", upgrade.file)
        code, report = self.check(file)
        crd = report["crds"][0]
        self.assertEqual((1, "loses-fields"), (code, crd["verdict"]))
        told = crd["versions"][1]
        self.assertEqual(["spec.b"], [field["path"] for field in told["prunedFields"]])
        self.assertEqual(["spec.c: Required value"], [one["message"] for one in told["invalidFields"]])
        self.assertEqual([], crd["versions"][0]["prunedFields"])
        # What comes, comes so.
        self.apply(file)
        self.wait_for_version(upgrade, "v2")
        self.assertEqual({"a": "x"}, self.api.get(self.path(upgrade, "o0", "v2"))["spec"])
        code, status = self.api.request("PATCH", self.path(upgrade, "o0", "v2"), {"metadata": {"labels": {"l": "1"}}},
                                        "application/merge-patch+json")
        self.assertEqual(200 if CLUSTER.ratchets else 422, code, status)
        if not CLUSTER.ratchets:
            self.assertIn("spec.c: Required value", status["message"])
        self.api.patch(self.path(upgrade, "o0", "v2"), {"spec": {"c": "y"}})
        # As v1 stores it: what v1 lacks is dropped, and what v2 lacks is gone for good.
        self.assertEqual({"a": "x"}, upgrade.in_etcd()["o0"]["spec"])

    def test_a_version_that_changes_is_looked_at_and_what_it_lost_before_is_not_told(self):
        live = [version("v1", schema(a=TEXT, b=TEXT, c=TEXT), storage=True), version("v2", schema(a=TEXT, b=TEXT))]
        upgrade = Upgrade("gauge", live, [live[0], version("v2", schema(a=TEXT))])
        upgrade.create(self.api, [{"a": "x", "b": "y", "c": "z"}])
        crd, _ = self.plan(self.write("new.json", upgrade.file))
        self.assertEqual(["spec.b"], [field["path"] for field in crd["versions"][1]["prunedFields"]])
        crd, _ = self.plan(self.write("same.json", upgrade.manifest(live)))
        self.assertEqual("pruning", crd["verdict"])

    def inject(self, upgrade, conversion):
        """As an operator does at run time."""
        self.api.patch(f"{V1_CRDS}/{upgrade.name}", {"spec": {"conversion": conversion}})

    def test_a_webhook_that_is_dropped_leaves_other_versions_empty(self):
        live = [version("v1", schema(owner=TEXT), storage=True), version("v2", required(schema(owners=TEXT), "owners"))]
        upgrade = Upgrade("tenant", live, live, conversion={"strategy": "None", "webhook": None})
        upgrade.create(self.api, [{"owner": "alice"}])
        self.inject(upgrade, NO_WEBHOOK)
        file = self.write("drop.json", upgrade.file)
        code, report = self.check(file)
        told = report["crds"][0]["versions"][1]
        self.assertEqual((1, ["spec.owner"], ["spec.owners: Required value"]),
                         (code, [one["path"] for one in told["prunedFields"]],
                          [one["message"] for one in told["invalidFields"]]))
        self.apply(file)
        wait_for("v2 cannot be read", lambda: self.api.request("GET", self.path(upgrade, "o0", "v2"))[0] == 200)
        self.assertEqual({}, self.api.get(self.path(upgrade, "o0", "v2"))["spec"])

    def test_a_webhook_that_no_manifest_names_stays(self):
        live = [version("v1", schema(a=TEXT), storage=True)]
        upgrade = Upgrade("seal", live, live)
        self.apply(self.write("first.json", upgrade.file))
        self.addCleanup(self.api.request, "DELETE", f"{V1_CRDS}/{upgrade.name}")
        self.inject(upgrade, NO_WEBHOOK)
        file = self.write("new.json", upgrade.file)
        code, report = self.check(file)
        self.assertEqual((0, []), (code, report["crds"][0]["changes"]))
        self.assertIn("unchanged", self.kubectl("apply", "-f", file).stdout)
        self.assertEqual("Webhook", self.api.get(f"{V1_CRDS}/{upgrade.name}")["spec"]["conversion"]["strategy"])

    def test_what_is_left_of_a_webhook_can_be_taken_away_as_the_plan_says(self):
        live = [version("v1", schema(a=TEXT), storage=True)]
        upgrade = Upgrade("remnant", live, live, conversion={"strategy": "None"})
        upgrade.create(self.api, [{"a": "x"}])
        self.inject(upgrade, NO_WEBHOOK)
        file = self.write("none.json", upgrade.file)
        crd, steps = self.plan(file)
        self.assertEqual("blocked", crd["verdict"])
        self.assertIn("webhookClientConfig: Forbidden", crd["apply"]["message"])
        self.assertIn("say webhook: null beside strategy: None in the file", steps[0]["reason"])
        self.assertNotEqual(0, self.kubectl("apply", "-f", file).returncode)
        run = subprocess.run(["sh", "-c", steps[0]["reason"].partition("take it away by: ")[2]], env=self.environment,
                             capture_output=True, text=True, check=False)
        self.assertEqual(0, run.returncode, run.stderr)
        self.apply(file)
        self.inject(upgrade, NO_WEBHOOK)
        upgrade.file["spec"]["conversion"]["webhook"] = None
        self.apply(self.write("null.json", upgrade.file))

    def test_a_webhook_comes_once_pruning_is_on(self):
        if not CLUSTER.has_v1beta1:
            self.skipTest("needs a server with apiextensions.k8s.io/v1beta1")
        live = [version("v1", schema(a=TEXT), storage=True)]
        upgrade = Upgrade("cert", live, [version("v1", schema(a=TEXT), storage=True)], preserves=True,
                          conversion=NO_WEBHOOK)
        upgrade.create(self.api, [{"a": "x"}])
        file = self.write("new.json", upgrade.file)
        crd, steps = self.plan(file)
        self.assertIn("must be None if spec.preserveUnknownFields is true", crd["apply"]["message"])
        self.assertEqual([f"kubectl prune migrate {upgrade.name} --enable-pruning", "kubectl apply -f new.json"],
                         [step["command"] for step in steps[:2]])
        self.go_steps(steps[:2])
        self.assertEqual("Webhook", self.api.get(f"{V1_CRDS}/{upgrade.name}")["spec"]["conversion"]["strategy"])

    def test_a_webhook_that_comes_has_to_answer_before_objects_are_migrated(self):
        live = [version("v1", schema(a=TEXT), storage=True)]
        upgrade = Upgrade("pipe", live, [version("v1", schema(a=TEXT)), version("v2", schema(a=TEXT), storage=True)],
                          conversion=NO_WEBHOOK)
        upgrade.create(self.api, [{"a": "x"}])
        _, steps = self.plan(self.write("both.json", upgrade.file))
        self.assertEqual("kubectl apply -f both.json", steps[0]["command"])
        self.assertIn(f"the conversion webhook of {upgrade.name} is up", steps[0]["needs"])
        self.assertIn("it has to convert v1 to v1, v2 and back", steps[1]["reason"])
        self.assertEqual(f"kubectl prune migrate {upgrade.name}", steps[2]["command"])
        # One that lacks the stored version: until the objects are migrated nothing converts.
        del upgrade.file["spec"]["versions"][0]
        file = self.write("alone.json", upgrade.file)
        _, steps = self.plan(file)
        self.go_steps(steps[:2])
        self.assertEqual("None", self.api.get(f"{V1_CRDS}/{upgrade.name}")["spec"]["conversion"]["strategy"])
        self.assertEqual(f"{upgrade.group}/v2", upgrade.in_etcd()["o0"]["apiVersion"])
        self.go_steps(steps[2:3])
        self.assertEqual("Webhook", self.api.get(f"{V1_CRDS}/{upgrade.name}")["spec"]["conversion"]["strategy"])

    def test_a_backup_that_preserves_unknown_fields_is_refused_where_it_is_new(self):
        upgrade = Upgrade("job", [], [{"name": "v1", "served": True, "storage": True}], preserveUnknownFields=True)
        file = self.write("crd.json", upgrade.file)
        code, report = self.check(file)
        crd, steps = report["crds"][0], report["steps"]
        self.assertEqual((1, "blocked"), (code, crd["verdict"]))
        refused = self.kubectl("apply", "-f", file)
        self.assertNotEqual(0, refused.returncode)
        for words in ("spec.preserveUnknownFields: Invalid value: true", "openAPIV3Schema: Required value"):
            self.assertIn(words, refused.stderr)
            self.assertIn(words, steps[0]["reason"])
        self.assertEqual(1, len(steps), steps)

    def test_a_field_that_comes_back_is_taken_out_of_etcd_before(self):
        live = [version("v1", schema(cpu=NUMBER, boost=TEXT), storage=True)]
        upgrade = Upgrade("ghost", live, [version("v1", schema(cpu=NUMBER, boost={
            "type": "object", "properties": {"level": NUMBER}}), storage=True)])
        upgrade.create(self.api, [{"cpu": 2, "boost": "turbo"}])
        crd = self.api.get(f"{V1_CRDS}/{upgrade.name}")
        crd["spec"]["versions"] = [version("v1", schema(cpu=NUMBER), storage=True)]
        self.api.put(f"{V1_CRDS}/{upgrade.name}", crd)
        wait_for("the field is still shown",
                 lambda: "boost" not in self.api.get(self.path(upgrade, "o0", "v1"))["spec"])
        _, steps = self.plan(self.write("again.json", upgrade.file))
        self.assertEqual([f"kubectl prune migrate {upgrade.name}", "kubectl apply -f again.json"],
                         [step["command"] for step in steps])
        self.go_steps(steps)
        self.assertEqual({"cpu": 2}, upgrade.in_etcd()["o0"]["spec"])
        wait_for("the file does not come", lambda: self.api.request(
            "PATCH", f"{self.path(upgrade, 'o0', 'v1')}?dryRun=All", {"spec": {"boost": {"level": 1}}},
            "application/merge-patch+json")[1].get("spec", {}).get("boost"))
        self.api.patch(self.path(upgrade, "o0", "v1"), {"metadata": {"labels": {"l": "1"}}})

    def test_formats_of_numbers_count_where_the_server_knows_them(self):
        formatted = schema(asn={**NUMBER, "format": "int32"}, ratio={"type": "number", "format": "float"}, probe=NUMBER)
        upgrade = Upgrade("line", [version("v1", schema(asn=NUMBER, ratio={"type": "number"}), storage=True)],
                          [version("v1", formatted, storage=True)])
        upgrade.create(self.api, [{"asn": 4200000000, "ratio": 1e300}])
        file = self.write("new.json", upgrade.file)
        code, report = self.check(file)
        told = report["crds"][0]["versions"][0]
        is_new = self.api.get("/version")["minor"].rstrip("+") >= "36"
        self.assertEqual([None if is_new else "1.36"] * 2, [one.get("fromRelease") for one in told["invalidFields"]])
        # Such a server ratchets, too.
        self.assertEqual((0, 0), (code, told["objectsInvalid"]))
        self.apply(file)
        wait_for("the schema does not come", lambda: "probe" in self.api.request(
            "PATCH", f"{self.path(upgrade, 'o0', 'v1')}?dryRun=All", {"spec": {"probe": 1}},
            "application/merge-patch+json")[1].get("spec", {}))
        self.api.patch(self.path(upgrade, "o0", "v1"), {"metadata": {"labels": {"l": "1"}}})

    def test_authorities_without_a_certificate_count_where_the_server_looks_at_them(self):
        live = [version("v1", schema(a=TEXT), storage=True)]
        conversion = copy.deepcopy(NO_WEBHOOK)
        conversion["webhook"]["clientConfig"]["caBundle"] = base64.b64encode(b"\n").decode()
        upgrade = Upgrade("wax", live, [*live, version("v2", schema(a=TEXT))], conversion=conversion)
        upgrade.create(self.api, [{"a": "x"}])
        file = self.write("two.json", upgrade.file)
        code, report = self.check(file)
        refused = self.kubectl("apply", "--dry-run=server", "-f", file)
        crd = report["crds"][0]
        self.assertEqual((refused.returncode, "blocked" if code else "pruning"), (code, crd["verdict"]), crd)
        if code == 0:
            self.assertIn("from Kubernetes 1.31 on: spec.conversion.webhookClientConfig.caBundle", crd["note"])
        self.assertEqual("blocked", self.local("-f", file)[1]["verdict"])
        code, crd = self.local("-f", file, "--server-version=1.30")
        self.assertEqual(0, code)
        self.assertIn("from Kubernetes 1.31 on: ", crd["note"])

    def test_an_old_crd_of_a_protected_group_is_not_asked_for_approval(self):
        old = {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
               "metadata": {"name": "tides.sea.k8s.io"},
               "spec": {"group": "sea.k8s.io", "scope": "Namespaced",
                        "names": {"plural": "tides", "singular": "tide", "kind": "Tide", "listKind": "TideList"},
                        "versions": [{"name": "v1", "served": True, "storage": True}],
                        "validation": {"openAPIV3Schema": schema(m=NUMBER)}}}
        self.write("old.json", old)
        code, crd = self.local("-f", "old.json")
        self.assertEqual((0, "ready"), (code, crd["verdict"]))
        if not CLUSTER.has_v1beta1:
            return
        self.api.post(V1BETA1_CRDS, old)
        self.addCleanup(self.api.request, "DELETE", f"{V1_CRDS}/tides.sea.k8s.io")
        wait_for("tides are not served",
                 lambda: self.api.request("GET", "/apis/sea.k8s.io/v1/tides")[0] == 200)
        self.go_steps([{"command": "kubectl prune migrate tides.sea.k8s.io --enable-pruning --yes"}])

    def test_unknown_keys_are_told_as_kubectl_tells_them(self):
        content = schema(values={"type": "object", "x-kubernetes-preserve-unkown-fields": True},
                         mode={**TEXT, "enums": ["a"]}, other={"type": "object", "propertes": {"x": TEXT}})
        upgrade = Upgrade("shop", [], [{**version("v1", content, storage=True), "additionalPrinterColumns": [
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp", "JSONPath": "x"}]}], version="v1")
        file = self.write("typos.json", upgrade.file)
        keys = ["version", "JSONPath", "x-kubernetes-preserve-unkown-fields", "enums", "propertes"]
        refused = self.kubectl("apply", "-f", file)
        self.assertNotEqual(0, refused.returncode)
        code, report = self.check(file)
        live = report["crds"][0]
        offline_code, offline = self.local("-f", file)
        self.assertEqual((1, 1, "blocked", "blocked"), (code, offline_code, live["verdict"], offline["verdict"]))
        for crd in (live, offline):
            told = [one["field"].rpartition(".")[2] for one in crd["admissionProblems"]]
            self.assertEqual(sorted(keys), sorted(told))
        for key in keys:
            self.assertIn('unknown field "', refused.stderr)
            self.assertIn(key, refused.stderr)
            self.assertIn(key, live["apply"]["message"])

    def test_a_version_that_is_neither_served_nor_stored_takes_nothing(self):
        if not CLUSTER.has_v1beta1:
            self.skipTest("needs a server with apiextensions.k8s.io/v1beta1")
        name = "cars.unused.example.com"
        self.api.post(V1BETA1_CRDS, {
            "apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition", "metadata": {"name": name},
            "spec": {"group": "unused.example.com", "scope": "Namespaced", "preserveUnknownFields": True,
                     "names": {"plural": "cars", "singular": "car", "kind": "Car", "listKind": "CarList"},
                     "versions": [version("v1", schema(a=TEXT), storage=True),
                                  version("v1alpha1", {"type": "object"}, served=False)]}})
        self.addCleanup(self.api.request, "DELETE", f"{V1_CRDS}/{name}")
        path = "/apis/unused.example.com/v1/namespaces/default/cars"
        wait_for("cars are not served", lambda: self.api.request("GET", path)[0] == 200)
        self.api.post(path, {"apiVersion": "unused.example.com/v1", "kind": "Car", "metadata": {"name": "c"},
                             "spec": {"a": "x"}})
        run = CLUSTER.run([BINARY, "check", name, "-o", "json"])
        self.assertEqual((0, "ready"), (run.returncode, json.loads(run.stdout)["crds"][0]["verdict"]), run.stdout)

    def test_a_long_crd_with_defaults_comes_with_pruning(self):
        if not CLUSTER.has_v1beta1:
            self.skipTest("needs a server with apiextensions.k8s.io/v1beta1")
        content = schema(a={**TEXT, "default": "q"})
        content["description"] = "l" * LONG
        live = [version("v1", schema(a=TEXT), storage=True)]
        upgrade = Upgrade("big", live, [version("v1", content, storage=True)], preserves=True)
        old = upgrade.manifest(live)
        old["apiVersion"] = "apiextensions.k8s.io/v1beta1"
        old["spec"]["validation"] = old["spec"]["versions"][0].pop("schema")
        self.apply(self.write("old.json", old))  # client-side, which leaves its annotation
        path = f"/apis/{upgrade.group}/v1/namespaces/default/{upgrade.plural}"
        wait_for("it is not served", lambda: self.api.request("GET", path)[0] == 200)
        self.api.post(path, {"apiVersion": f"{upgrade.group}/v1", "kind": "Big", "metadata": {"name": "o0"},
                             "spec": {"b": 1}})
        _, steps = self.plan(self.write("new.json", upgrade.file))
        commands = [step["command"] for step in steps]
        self.assertIn(f"kubectl prune migrate {upgrade.name} --enable-pruning -f new.json", commands)
        self.assertEqual("kubectl apply --server-side --force-conflicts -f new.json", commands[-1])
        self.go_steps(step for step in steps if not step["command"].startswith(("kubectl prune check",
                                                                                "kubectl prune suggest")))
        self.assertEqual({"a": "q"}, upgrade.in_etcd()["o0"]["spec"])

    def test_a_new_crd_of_v1beta1_may_preserve(self):
        if not CLUSTER.has_v1beta1:
            self.skipTest("needs a server with apiextensions.k8s.io/v1beta1")
        upgrade = Upgrade("agent", [], [version("v1", schema(a=TEXT), storage=True)])
        new = upgrade.manifest(upgrade.file["spec"]["versions"])
        new["apiVersion"] = "apiextensions.k8s.io/v1beta1"
        new["spec"]["preserveUnknownFields"] = True
        new["spec"]["validation"] = new["spec"]["versions"][0].pop("schema")
        crd, steps = self.plan(self.write("new.json", new))
        self.assertEqual(("ready", []), (crd["verdict"], crd["admissionProblems"]))
        self.assertEqual(["kubectl apply -f new.json", f"kubectl prune migrate {upgrade.name} --enable-pruning"],
                         [step["command"] for step in steps])
        self.go_steps(steps)
        self.assertFalse(self.api.get(f"{V1_CRDS}/{upgrade.name}")["spec"].get("preserveUnknownFields"))

    def test_a_file_without_schemas_is_applied_where_the_server_takes_it(self):
        if not CLUSTER.has_v1beta1:
            self.skipTest("needs a server with apiextensions.k8s.io/v1beta1")
        name = "loose.loose.example.com"
        old = {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
               "metadata": {"name": name},
               "spec": {"group": "loose.example.com", "scope": "Namespaced", "names": {"plural": "loose", "kind": "Loose"},
                        "versions": [{"name": "v1", "served": True, "storage": True}]}}
        self.apply(self.write("old.json", old))
        wait_for("it is not served", lambda: self.api.request("GET", "/apis/loose.example.com/v1/loose")[0] == 200)
        new = copy.deepcopy(old)
        new["spec"]["versions"].append({"name": "v2", "served": True, "storage": False})
        file = self.write("new.json", new)
        crd, steps = self.plan(file)
        self.assertEqual("blocked", crd["verdict"])  # pruning is
        self.assertEqual([f"kubectl prune suggest {name} -f new.json", "kubectl apply -f new.json"],
                         [step["command"] for step in steps])
        self.go_steps(steps[1:])
        _, steps = self.plan(file)
        self.assertEqual([f"kubectl prune suggest {name} -f new.json"], [step["command"] for step in steps])

    def test_a_file_of_v1beta1_brings_its_schema_with_pruning(self):
        if not CLUSTER.has_v1beta1:
            self.skipTest("needs a server with apiextensions.k8s.io/v1beta1")
        upgrade = Upgrade("task", [version("v1", schema(a=TEXT), storage=True)],
                          [version("v1", schema(a=TEXT), storage=True)])
        new = upgrade.manifest(upgrade.live)
        new["apiVersion"] = "apiextensions.k8s.io/v1beta1"
        new["spec"]["validation"] = new["spec"]["versions"][0].pop("schema")
        old = copy.deepcopy(new)
        del old["spec"]["validation"]  # nothing could be pruned by it
        new["spec"]["preserveUnknownFields"] = False
        self.apply(self.write("old.json", old))
        path = f"/apis/{upgrade.group}/v1/namespaces/default/{upgrade.plural}"
        wait_for("it is not served", lambda: self.api.request("GET", path)[0] == 200)
        self.api.post(path, {"apiVersion": f"{upgrade.group}/v1", "kind": "Task", "metadata": {"name": "o0"},
                             "spec": {"a": "x", "b": "y"}})
        file = self.write("new.json", new)
        _, steps = self.plan(file)
        commands = [step["command"] for step in steps]
        self.assertEqual([f"kubectl prune migrate {upgrade.name} --enable-pruning -f new.json",
                          "kubectl apply -f new.json"], commands[1:], commands)
        self.go_steps(steps[1:])
        self.assertEqual({"a": "x"}, upgrade.in_etcd()["o0"]["spec"])
        backup, = self.folder.glob(f"kubectl-prune-backup/{upgrade.name}-*.ndjson")
        self.assertIn('"b":"y"', backup.read_text().replace('": "', '":"'))
        _, report = self.check(file)
        self.assertNotIn("steps", report)

    def test_what_a_release_has_dropped_is_named(self):
        upgrade = Upgrade("kept", [version("v1", schema(a=TEXT), storage=True)],
                          [version("v1", schema(a=TEXT), storage=True)])
        upgrade.create(self.api, [{"a": "x"}])
        other = upgrade.manifest(upgrade.live)
        other["metadata"]["name"] = f"droppeds.{upgrade.group}"
        other["spec"]["names"] = {"plural": "droppeds", "kind": "Dropped"}
        self.api.post(V1_CRDS, other)
        path = f"/apis/{upgrade.group}/v1/namespaces/default/droppeds"
        wait_for("the other is not served", lambda: self.api.request("GET", path)[0] == 200)
        file = self.write("new.json", upgrade.file)
        wait_for("discovery lacks it", lambda: self.check(file)[1].get("crdsNotInFiles"))
        self.assertEqual([f"droppeds.{upgrade.group}"], self.check(file)[1]["crdsNotInFiles"])
        self.assertNotIn("crdsNotInFiles", self.check(file, self.write("other.json", other))[1])

    def test_what_another_version_shows_is_kept_before_a_rewrite_removes_it(self):
        live = [version("v1", schema(a=TEXT, b=TEXT), storage=True), version("v2", schema(a=TEXT))]
        upgrade = Upgrade("shown", live, [version("v1", schema(a=TEXT, b=TEXT)),
                                          version("v2", schema(a=TEXT), storage=True)])
        upgrade.create(self.api, [{"a": "x", "b": "z"}])
        file = self.write("new.json", upgrade.file)
        self.apply(file)
        command = f"kubectl get {upgrade.plural}.v1.{upgrade.group} -A -o json"

        def told():
            _, report = self.check(file)
            return report["crds"][0]["maybeInEtcd"], [step["command"] for step in report.get("steps", [])]

        wait_for("reads show spec.b", lambda: told()[0])
        fields, commands = told()
        self.assertEqual([("spec.b", ["v1"])], [(field["path"], field["shownIn"]) for field in fields])
        self.assertIn(f"{command} > {upgrade.plural}.v1.{upgrade.group}-before.json", commands)
        _, steps = self.plan(file)
        self.assertIn("until they are rewritten as v2", steps[-2]["reason"])
        self.assertIn("may stop to serve v1", steps[-1]["title"])
        # As it says: v2 does not show it, v1 does, and the migration takes it.
        self.assertEqual({"a": "x"}, self.api.get(self.path(upgrade, "o0", "v2"))["spec"])
        kept = json.loads(self.kubectl(*command.split()[1:]).stdout)["items"]
        self.assertEqual([{"a": "x", "b": "z"}], [item["spec"] for item in kept])
        run = CLUSTER.run([BINARY, "migrate", upgrade.name])
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertIn(f"keep the output of {command} first, which may show .spec.b", run.stderr)
        self.assertEqual({"a": "x"}, upgrade.in_etcd()["o0"]["spec"])
        self.assertEqual(([], []), told())

    def test_without_patience_a_webhook_that_is_gone_is_told_at_once(self):
        live = [version("v1", schema(a=TEXT), storage=True), version("v2", schema(a=TEXT))]
        upgrade = Upgrade("mesh", live, live)
        upgrade.create(self.api, [{"a": "x"}])
        crd = self.api.get(f"{V1_CRDS}/{upgrade.name}")
        crd["spec"]["conversion"] = NO_WEBHOOK
        for one in crd["spec"]["versions"]:
            one["storage"] = one["name"] == "v2"
        self.api.put(f"{V1_CRDS}/{upgrade.name}", crd)
        wait_for("the webhook is not asked",
                 lambda: self.api.request("GET", self.path(upgrade, "o0", "v2"))[0] == 500)
        run = CLUSTER.run([BINARY, "migrate", upgrade.name, "--patience=0"])
        self.assertNotEqual(0, run.returncode)
        self.assertIn("conversion webhook", run.stderr)
        self.assertNotIn("trying again", run.stderr)  # which is said after ten seconds


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster() as CLUSTER:
        upgrades.use(CLUSTER, BINARY)
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
