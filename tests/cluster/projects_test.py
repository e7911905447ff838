"""Upgrades of real projects ($KUBECTL_PRUNE_CORPUS): the way that `check -f` tells is gone to its end, and asked for again
behind each step.

projects_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a server or
the corpus.
"""
import os
import re
import sys

import corpus
from cluster import Cluster, MissingBinaries, wait_for
from loop_closes_test import remove_crds
from runner import end, run_tests
from subjects import V1_CRDS, V1BETA1_CRDS
import upgrades
from upgrades import UpgradeTest

CLUSTER = None


class Projects(UpgradeTest):
    def setUp(self):
        super().setUp()
        remove_crds(CLUSTER)

    def crds_of(self, release):
        """As the server reads the manifests of a release; no webhook of theirs runs here."""
        found = {}
        for path in sorted((corpus.FOLDER / release).iterdir()):
            text = path.read_bytes()
            target = V1_CRDS if re.search(rb'apiextensions\.k8s\.io/v1"?,?\s*$', text, re.MULTILINE) else V1BETA1_CRDS
            status, crd = self.api.request("POST", f"{target}?dryRun=All", text, "application/yaml")
            if status >= 400:
                continue
            del crd["status"]
            crd["metadata"] = {"name": crd["metadata"]["name"]}
            crd["spec"]["conversion"] = {"strategy": "None"}
            # A default of v1beta1 that no manifest says.
            if crd["spec"].get("preserveUnknownFields") and b"preserveUnknownFields" not in text:
                del crd["spec"]["preserveUnknownFields"]
            found[crd["metadata"]["name"]] = crd
        self.assertTrue(found, release)
        return found

    def install(self, release):
        crds = self.crds_of(release)
        kinds = {}
        for crd in crds.values():
            spec = crd["spec"]
            target = f"/apis/{crd['apiVersion']}/customresourcedefinitions"
            self.api.post(target, crd)
            kinds[spec["group"], spec["names"]["kind"]] = spec
        for spec in kinds.values():
            version = next(one["name"] for one in spec["versions"] if one["served"])
            path = f"/apis/{spec['group']}/{version}/{spec['names']['plural']}"
            wait_for(f"{path} is not served", lambda p=path: self.api.request("GET", p)[0] == 200)
        objects = corpus.FOLDER / "objects" / release.partition("/")[2]
        paths = sorted(objects.iterdir()) if objects.is_dir() else []
        return sum(self.create(kinds, path.read_bytes()) for path in paths)

    def create(self, kinds, text):
        """Whether the server takes it: examples need not fit their CRD."""
        group, version, kind = corpus.type_of(text)
        if (group, kind) not in kinds:
            return False
        spec = kinds[group, kind]
        path = f"/apis/{spec['group']}/{version}/"
        if spec["scope"] == "Namespaced":
            namespace = corpus.namespace_of(text)
            self.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
            path += f"namespaces/{namespace}/"
        return self.api.request("POST", path + spec["names"]["plural"], text, "application/yaml")[0] == 201

    def upgrade(self, old, new, least=1):
        """Goes all the way with `least` objects or more. Returns the commands and the last report."""
        self.files = [self.write(f"{name}.json", crd) for name, crd in self.crds_of(new).items()]  # while there is none
        self.assertGreaterEqual(self.install(old), least)
        report = self.go_asking_again(*self.files)
        return self.commands(), report

    def leads_to_pruning(self, old, new, least=1):
        commands, report = self.upgrade(old, new, least)
        self.assertNotIn("steps", report)
        self.ends_with_nothing_left(*self.files)
        self.assertEqual({"pruning"}, {crd["verdict"] for crd in report["crds"]})
        self.assertTrue(all(crd["apply"]["unchanged"] for crd in report["crds"]))
        return commands

    def test_strimzi(self):
        commands = self.leads_to_pruning("legacy/strimzi@0.21.0", "modern/strimzi")
        self.assertIn("kubectl prune migrate kafkatopics.kafka.strimzi.io --enable-pruning", commands)

    def test_eck(self):
        self.leads_to_pruning("legacy/eck@1.5.0", "modern/eck")

    def test_flagger(self):
        self.leads_to_pruning("legacy/flagger@v1.0.0", "modern/flagger")

    def test_kong(self):
        self.leads_to_pruning("legacy/kong@1.1.0", "modern/kong")

    def test_argo_cd_whose_crd_is_too_long_for_client_side_apply(self):
        commands = self.leads_to_pruning("legacy/argo-cd@v1.8.5", "modern/argo-cd")
        self.assertTrue(any("--server-side" in command for command in commands), commands)

    def test_what_prunes_already_needs_few_steps(self):
        for old, new in (("legacy/zalando-postgres@v1.5.0", "modern/zalando-postgres"),
                         ("legacy/seldon-core@v1.0.2", "legacy/seldon-core@v1.6.0"),
                         ("legacy/tidb-operator@v1.1.8", "modern/tidb-operator"),
                         ("legacy/grafana-operator@v3.10.0", "modern/grafana-operator"),
                         ("legacy/prometheus-operator@v0.33.0", "modern/prometheus-operator")):
            with self.subTest(old):
                remove_crds(CLUSTER)
                self.ran.clear()
                self.leads_to_pruning(old, new)

    def test_tekton_of_v1beta1_without_schemas_before(self):
        commands, report = self.upgrade("legacy/tekton-pipeline@v0.4.0", "legacy/tekton-pipeline@v0.12.0", least=0)
        self.assertIn("kubectl prune migrate tasks.tekton.dev --enable-pruning -f tasks.tekton.dev.json", commands)
        self.assertEqual(5, [crd["verdict"] for crd in report["crds"]].count("pruning"))

    def test_kubeflow_whose_storage_version_moves_from_schemas_that_cannot_prune(self):
        commands, report = self.upgrade("legacy/kubeflow-manifests@v0.6.2", "legacy/kubeflow-manifests@v1.0.2")
        self.assertIn("kubectl prune migrate profiles.kubeflow.org --enable-pruning", commands)
        profiles, = (crd for crd in report["crds"] if crd["name"] == "profiles.kubeflow.org")
        self.assertEqual(("pruning", True), (profiles["verdict"], profiles["apply"]["unchanged"]))

    def test_what_cannot_prune_yet_is_applied_all_the_same(self):
        commands, report = self.upgrade("legacy/rook@v1.3.8", "legacy/rook@v1.5.3")
        self.assertTrue(commands[0].startswith("kubectl apply"))
        verdicts = {crd["name"]: crd["verdict"] for crd in report["crds"]}
        self.assertIn("blocked", verdicts.values())
        for command in commands[1:]:
            self.assertNotEqual("blocked", verdicts[command.split()[3]], command)
        self.assertTrue(all("prune suggest" in step["command"] for step in report["steps"]))


def main():
    global CLUSTER
    if not corpus.FOLDER.is_dir():
        raise MissingBinaries(f"no corpus at {corpus.FOLDER}")
    with Cluster() as CLUSTER:
        upgrades.use(CLUSTER, os.path.abspath(sys.argv[1]))
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
