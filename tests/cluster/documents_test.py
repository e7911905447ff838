"""Runs the commands of the documents against a real API server, and compares what they print with what is
shown. tests/support/documents.py has those that cannot be run, with the reason.

documents_test.py BINARY [DOCUMENT...]: exit code 77 (skipped) without a server or kubectl. UPDATE=1 writes
what was printed into the documents.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import documents
import kubectl
from cluster import SKIPPED, Cluster, ClusterError, free_ports, wait_for
from demo import DEMO, WIDGETS, Demo
from guards import HERE, Guard
from migrations import add_widgets, bring_in_widgets, delete_crd, turn_pruning_on, widgets
from rights import RBAC
from runner import end, run_tests
from services import container_arguments
from subjects import V1_CRDS
from webhook import CONFIGURATIONS, configuration

BINARY = None
CLUSTER = None
GROUP = "demo.example.com"
LIFE = "The life of a version"
SECONDS = 240
# Differs from run to run, or with the time of day.
UNSTABLE = [(r"\d{8}T\d{6}Z", "TIME"), (r"\b\d+(\.\d+)? s\b", "N s"), (r"\b\d+[smhd](\d+[smhd])?\b", "AGE"),
            (r"\d+\.\d KiB", "N KiB"), (r"-{3,}", "-"), (r" {2,}", " "), (r" +$", ""),
            # What a slow machine is told while it waits.
            (r"^[^\n]*: \d+( of \d+)? objects(, [^:\n]*)?(: [a-z]+ \d+[^\n]*)?\n", "")]
# The exit code where it is not that of may_exit_with, or a text that is to be seen.
EXPECTED = {
    "kubectl prune migrate widgets --enable-pruning$": (2, "use --yes"),
    "kubectl apply -f new.yaml": (0, "widgets.demo.example.com"),  # configured, or unchanged
    "kubectl patch customresourcedefinitions.v1beta1": (0, "patched"),
    "kubectl auth can-i": (0, "yes"),
    "kubectl prune restore kubectl-prune-backup/*": (0, "restored (2 objects: 1 restored"),
    "kubectl prune restore": (0, "restored (3 objects: 3 restored"),
    "kubectl prune check -f new.yaml": (1, "until pruning is on"),
    "kubectl prune migrate widgets.demo.example.com": (0, "storedVersions"),
    "kubectl prune migrate gauges.demo.example.com": (0, "6 objects"),
    "kubectl get gauges -A": (0, "w00005"),
    # What a controller has done is there a moment later.
    "kubectl get networkpolicies,resourcequotas -n shop": (0, "pods"),
    "kubectl get events -n shop --field-selector reason=Populated": (0, "applied"),
    "kubectl get nstpl teams -o jsonpath='{.status}": (0, '"namespaces":1'),
    "kubectl get nstpl teams -o jsonpath='{.status.conditions": (0, "Forbidden: no selector has such a field"),
    "kubectl get events -n default": (0, "Invalid"),
    "kubectl get rolebinding owner -n shop": (0, "jo"),
    "kubectl get namespace mall": (0, "true"),
    "kubectl get resourcequota -n shop": (0, "pods"),
    "kubectl get resourcequotas -n shop": (0, "No resources found"),
    "kubectl get networkpolicy -n shop": (0, "No resources found"),
    "kubectl get networkpolicies,resourcequotas,rolebindings -A": (0, "No resources found"),
    # And what its webhooks refuse.
    "kubectl annotate namespace shop authorization.k8s.io/creator=ann": (1, "field is immutable"),
    "kubectl label namespace bank team=money --as=jo --dry-run=server": (1, "cannot use"),
    "kubectl label namespace shop policy/namespace-template-opt-out=true --as=jo": (1, "cannot optout"),
    "kubectl prune suggest --local -f tests/demo/namespacetemplates.yaml": (1, "x-kubernetes-preserve-unknown-fields"),
}
POPULATE = "docs/POPULATE.md"
POPULATED = ("shop", "bank", "mall")  # namespaces


def gauges(versions):
    """A CRD with these versions, whose schemas are alike but for a field that v2 has beside."""
    for version in versions:
        fields = {"unit": {"type": "string"}, "limit": {"type": "integer"}}
        if version["name"] != "v1":
            fields["alarm"] = {"type": "boolean"}
        version["schema"] = {"openAPIV3Schema": {"type": "object", "properties": {
            "spec": {"type": "object", "properties": fields}}}}
    names = {"plural": "gauges", "singular": "gauge", "kind": "Gauge", "listKind": "GaugeList"}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"gauges.{GROUP}"},
            "spec": {"group": GROUP, "names": names, "scope": "Namespaced", "versions": versions}}


def may_exit_with(command):
    """Returns the exit codes of a command that is not in EXPECTED: 1 says that something is found, if it is ours."""
    return (0, 1) if re.match("kubectl prune (check|diff|populate --diff) ", command + " ") else (0,)


def stable(text):
    for pattern, word in UNSTABLE:
        text = re.sub(pattern, word, text, flags=re.MULTILINE)
    return text.strip("\n")


def runbook(heading):
    """The commands of a section of the runbook, each with what is shown below it."""
    return [command for block in documents.blocks("docs/RUNBOOK.md") if block.heading == heading
            and block.language in ("sh", "console") for command in block.commands()]


class Folder:
    """A folder as the reader of a document has it: a checkout beside the files that the text names."""

    def __init__(self, test):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="documents."))
        test.addCleanup(shutil.rmtree, self.path)
        for name in ("tests", "krew", "build"):
            (self.path / name).symlink_to(documents.ROOT / name)
        for manifest in (documents.ROOT / "krew/manifests").glob("*.yaml"):
            shutil.copy(manifest, self.path)
        self.bin = self.path / ".bin"
        self.bin.mkdir()
        (self.bin / "kubectl-prune").symlink_to(BINARY)
        fixed = (DEMO / "fixed/widgets.yaml").read_text().partition("status:\n  acceptedNames")[0]
        # As a manifest of v1 is: it does not name the field.
        fixed = fixed.replace("  preserveUnknownFields: true\n", "", 1)
        size = "              size:\n                type: integer\n"
        # One field is let go: so that something is seen.
        schemas = re.sub(r"              legacyMode:\n( {16}.*\n)+", "", fixed)
        files = {"schemas.yaml": schemas, "fixed.yaml": fixed, "new-crd.yaml": fixed,
                 "new.yaml": fixed.replace(size, size + "                default: 1\n")}
        tree = next(block for block in documents.blocks("docs/RUNBOOK.md")
                    if block.lines[0].startswith("# move-mode.yaml"))
        files["move-mode.yaml"] = "\n".join(tree.lines) + "\n"
        files["templates.yaml"] = ("apiVersion: policy.kubectl-prune.dev/v1alpha1\nkind: NamespaceTemplate\n"
                                   "metadata: {name: quotas}\nspec:\n  namespaces: {labelSelector: {}}\n  templates:\n"
                                   "  - {apiVersion: v1, kind: ResourceQuota, metadata: {name: pods}}\n")
        for name, text in files.items():
            (self.path / name).write_text(text)
        self.environment = {**CLUSTER.environment(CLUSTER.kubeconfig_file()), "LC_ALL": "C.UTF-8",
                            "TZ": "UTC"}
        (pathlib.Path(self.environment["HOME"]) / ".local").mkdir(exist_ok=True)

    def add_files(self, path):
        """Those that a document shows: its blocks that begin with "# NAME.yaml: "."""
        for block in documents.blocks(path):
            name = re.match(r"# (\S+\.yaml): ", block.lines[0])
            if block.language == "yaml" and name:
                (self.path / name[1]).write_text("\n".join(block.lines) + "\n")

    def run(self, command, minor=1):
        """By a kubectl 1.MINOR or later."""
        path = f"{self.bin}:{kubectl.path_with(kubectl.program(minor))}"
        return subprocess.run(["bash", "-c", command], cwd=self.path, env={**self.environment, "PATH": path}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, timeout=SECONDS)


class DocumentTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.folder = None

    # What each section finds in the cluster.

    def clear(self):
        self.stop_controller()
        self.delete_populated_objects()
        self.delete_rights()
        for crd in self.api.get(V1_CRDS)["items"]:
            delete_crd(self.api, crd["metadata"]["name"])
        for name in ("lab", *POPULATED):
            self.api.request("DELETE", f"/api/v1/namespaces/{name}")
            # Nobody but the namespace controller would remove it.
            self.api.request("PUT", f"/api/v1/namespaces/{name}/finalize",
                             {"metadata": {"name": name}, "spec": {"finalizers": []}})
        shutil.rmtree(CLUSTER.folder / "home", ignore_errors=True)
        (CLUSTER.folder / "home").mkdir()

    def demo(self):
        demo = Demo(CLUSTER, BINARY, self.folder.path)
        demo.create_crd("widgets")
        demo.create_widgets()

    def demo_that_prunes(self):
        self.demo()
        done = self.folder.run("kubectl prune migrate widgets --enable-pruning --yes")
        self.assertEqual(0, done.returncode, done.stdout)

    def a_backup(self):
        """Of the name that the runbook gives it."""
        self.demo_that_prunes()
        backup, = self.folder.path.glob("kubectl-prune-backup/*.ndjson")
        text = "\n".join(command for command, _ in runbook("Bring objects back"))
        named = self.folder.path / re.search(r"kubectl-prune-backup/\S+Z\.ndjson", text)[0]
        backup.with_suffix(".crd.json").rename(named.with_suffix(".crd.json"))
        backup.rename(named)

    def two_stored_versions(self, plural="widgets"):
        subject = widgets(plural)
        subject.group = GROUP
        bring_in_widgets(CLUSTER, add_widgets(subject, 6))
        turn_pruning_on(self.api, subject)
        return subject

    def job(self):
        done = self.folder.run("kubectl apply -f migrator.yaml -f leases.yaml -f job.yaml")
        self.assertEqual(0, done.returncode, done.stdout)

    def one_version(self):
        """v1, that is to be followed by v2: LIFE tells what becomes of it."""
        self.api.post(V1_CRDS, gauges([{"name": "v1", "served": True, "storage": True}]))
        self.addCleanup(delete_crd, CLUSTER.api(), f"gauges.{GROUP}")
        path = f"/apis/{GROUP}/v1/namespaces/default/gauges"
        for number in range(6):
            body = {"apiVersion": f"{GROUP}/v1", "kind": "Gauge", "metadata": {"name": f"g{number}"},
                    "spec": {"unit": "bar", "limit": number}}
            wait_for(path, lambda b=body: self.api.request("POST", path, b)[0] in (201, 409))

    def a_release_too_early(self):
        self.one_version()
        (self.folder.path / "early.yaml").write_text(json.dumps(gauges([{"name": "v2", "served": True, "storage": True}])))

    def a_version_that_is_gone(self):
        subject = self.two_stored_versions("gauges")
        path = f"{V1_CRDS}/{subject.name}"
        versions = self.api.get(path)["spec"]["versions"]
        # Without that version its objects cannot be deleted, nor can the CRD.
        self.addCleanup(self.api.request, "PATCH", path, {"spec": {"versions": versions}},
                        "application/merge-patch+json")
        self.api.patch(f"{path}/status", {"status": {"storedVersions": ["v1"]}})
        self.api.patch(path, {"spec": {"versions": [v for v in versions if v["name"] == "v1"]}})
        wait_for("lists fail", lambda: self.api.request("GET", subject.collection("v1"))[0] == 500)

    def no_templates(self):
        """POPULATE says how they come."""

    def controller(self):
        """All that POPULATE has said by then, and a controller as a pod of the manifest runs it."""
        self.does("kubectl apply -f krew/manifests/populate/crd.yaml", "kubectl apply -f teams.yaml",
                  "kubectl create namespace kubectl-prune --dry-run=client -o yaml | kubectl apply -f -",
                  "kubectl apply -f krew/manifests/populate/controller.yaml -f bind-edit.yaml",
                  *(command for command in self.commands(POPULATE) if "kubectl-prune-populate-bind " in command))
        manifest = (documents.ROOT / "krew/manifests/populate/controller.yaml").read_text(encoding="utf-8")
        CLUSTER.tokens["populate"] = CLUSTER.service_account_token("kubectl-prune", "populate")
        DocumentTest.running = Guard(CLUSTER, [BINARY, *container_arguments(manifest, "metrics-port"), *HERE],
                                     "populate").__enter__()
        self.addCleanup(self.stop_controller)

    def controller_and_shop(self):
        self.controller()
        self.does("kubectl create -f shop.yaml", "kubectl get networkpolicy same-namespace -n shop")

    running = None  # the controller

    def stop_controller(self):
        if self.running:
            DocumentTest.running, running = None, self.running
            running.__exit__()

    def delete_populated_objects(self):
        names = {item["metadata"]["name"] for item in self.api.get("/api/v1/namespaces")["items"]} | {*POPULATED}
        for base, plural in (("/api/v1", "events"), ("/api/v1", "configmaps"), ("/api/v1", "resourcequotas"),
                             ("/apis/networking.k8s.io/v1", "networkpolicies"), (RBAC, "rolebindings")):
            for name in names - {"kube-system", "kube-public"}:
                self.api.request("DELETE", f"{base}/namespaces/{name}/{plural}")
            self.api.request("DELETE", f"{base}/namespaces/kube-public/{plural}?labelSelector=policy/namespace-template-name")

    def delete_rights(self):
        for collection in (f"{RBAC}/clusterrolebindings", f"{RBAC}/clusterroles"):
            for item in self.api.get(collection)["items"]:
                if "kubernetes.io/bootstrapping" not in item["metadata"].get("labels", {}):
                    self.api.delete(f"{collection}/{item['metadata']['name']}")

    def does(self, *commands):
        for command in commands:
            wait_for(command, lambda c=command: self.folder.run(c).returncode == 0, 80, 0.5)

    @staticmethod
    def commands(path):
        return [command for block in documents.blocks(path) if block.language in ("sh", "console")
                for command, _ in block.commands()]

    def a_crd_without_a_schema(self):
        """That of tests/demo, and its objects, in a group that servers take."""
        self.does("sed 's/namespacetemplates.policy/&.kubectl-prune.dev/; s/group: policy/&.kubectl-prune.dev/' "
                  "tests/demo/namespacetemplates.yaml | kubectl apply -f -",
                  next(command for command in self.commands(POPULATE) if command.startswith("sed ")),
                  "kubectl apply --validate=false -f moved.yaml")

    SECTIONS = {
        (POPULATE, "From nothing to a populated namespace"): no_templates,
        (POPULATE, "In the cluster"): no_templates,
        (POPULATE, "What it tells"): controller,
        (POPULATE, "The webhooks"): controller,
        (POPULATE, "Leaving out, and removing"): controller,
        (POPULATE, "Taking it out again"): controller,
        (POPULATE, "From a CRD without a schema"): a_crd_without_a_schema,
        ("docs/RUNBOOK.md", "Namespaces are not populated"): controller_and_shop,
        ("docs/RUNBOOK.md", "A webhook of populate refuses"): controller,
        ("docs/RUNBOOK.md", "The controller has to stop now"): controller_and_shop,
        ("docs/RUNBOOK.md", "Two controllers"): controller,
        ("docs/RUNBOOK.md", "Pruning cannot be turned off again"): demo_that_prunes,
        ("docs/RUNBOOK.md", "Bring objects back"): a_backup,
        ("docs/RUNBOOK.md", "Objects that were not migrated"): demo_that_prunes,
        ("docs/RUNBOOK.md", LIFE): one_version,
        ("docs/RUNBOOK.md", "A version was removed too early"): a_version_that_is_gone,
        ("docs/RUNBOOK.md", "A version cannot be removed"): two_stored_versions,
        ("docs/RUNBOOK.md", "A release lacks the storage version"): a_release_too_early,
        ("docs/RUNBOOK.md", "Server-side apply fails"): demo_that_prunes,
        ("docs/REPORTS.md", ""): demo_that_prunes,
        ("docs/REPORTS.md", "Reports for people"): demo_that_prunes,
        ("krew/manifests/backup-reader.yaml", ""): job,
    }

    # What each section leaves, where its output does not tell.

    def pruning_is_off(self):
        crd = self.api.get(f"{V1_CRDS}/widgets.{GROUP}")
        self.assertTrue(crd["spec"]["preserveUnknownFields"])

    def the_object_is_back(self):
        path = f"{WIDGETS}/namespaces/shop/widgets/nested"

        wait_for("the object is back", lambda: "legacyMode" in self.api.get(path)["spec"], 80, 0.5)

    def the_version_is_gone_for_good(self):
        crd = self.api.get(f"{V1_CRDS}/gauges.{GROUP}")
        self.assertEqual(["v1"], [version["name"] for version in crd["spec"]["versions"]])
        self.assertEqual(6, len(self.api.get(f"/apis/{GROUP}/v1/gauges")["items"]))

    def all_is_the_new_version(self):
        self.assertEqual(["v2"], self.api.get(f"{V1_CRDS}/gauges.{GROUP}")["status"]["storedVersions"])
        stored = CLUSTER.etcd_range(f"/registry/{GROUP}/gauges/")
        self.assertEqual([f"{GROUP}/v2"] * 6, [json.loads(text)["apiVersion"] for text in stored.values()])
        self.assertTrue(all("limit" in json.loads(text)["spec"] for text in stored.values()))

    LEAVES = {
        ("docs/RUNBOOK.md", LIFE): all_is_the_new_version,
        ("docs/RUNBOOK.md", "A release lacks the storage version"): all_is_the_new_version,
        ("docs/RUNBOOK.md", "Pruning cannot be turned off again"): pruning_is_off,
        ("docs/RUNBOOK.md", "Bring objects back"): the_object_is_back,
        ("docs/RUNBOOK.md", "A version was removed too early"): the_version_is_gone_for_good,
    }

class Documents(DocumentTest):
    """One test for each document."""

    def begin(self, block):
        self.clear()
        self.folder = Folder(self)
        self.folder.add_files(POPULATE)
        self.SECTIONS.get((block.path, block.heading), DocumentTest.demo)(self)

    def run_command(self, block, command):
        """Runs it until it is as expected: a server takes a moment to learn of a changed CRD."""
        code, text = next((expected for start, expected in EXPECTED.items()
                           if (command + "$").startswith(start)), (None, ""))
        last = []

        def is_right():
            last[:] = [self.folder.run(command, documents.needed_kubectl(command))]
            done = last[0]
            right = done.returncode in (may_exit_with(command) if code is None else (code,))
            fails = code in (None, 0) and re.search("^(error:|Error from server)", done.stdout, re.MULTILINE)
            return right and text in done.stdout and not fails

        try:
            wait_for(command, is_right, 80, 1)
        except ClusterError:
            self.fail(f"{block.place}: {command}\n[{last[0].returncode}]\n{last[0].stdout}")
        return last[0].stdout

    def lacks_kubectl(self, command):
        """Says so too, and goes on."""
        why = kubectl.lacks(documents.needed_kubectl(command))
        with self.subTest(command):
            if why:
                self.skipTest(why)
        return why

    def run_block(self, block):
        changed = []
        for command, shown in block.commands():
            if documents.why_not_run(command):
                continue
            if self.lacks_kubectl(command):
                self.folder.run(command)  # others follow it
                continue
            printed = self.run_command(block, command)
            if shown is None:
                continue
            changed.append((f"$ {command}", printed.rstrip("\n").split("\n")))
            if os.environ.get("UPDATE") != "1":
                self.assertEqual(stable("\n".join(shown)), stable(printed), f"{block.place}: {command}")
        if os.environ.get("UPDATE") == "1" and changed:
            update(block, changed)

    def run_document(self, path):
        """Blocks of one section follow each other; each section begins anew."""
        # From the end, so that an update leaves the lines of the others where they are.
        sections = {}
        for block in documents.blocks(path):
            sections.setdefault(block.heading, []).append(block)
        for heading, found in reversed(sections.items()):
            if not any(self.is_run(block) for block in found):
                continue
            self.begin(found[0])
            for block in found:
                if block.language == "json":
                    (self.folder.path / "give-back.json").write_text("\n".join(block.lines))
                if heading == LIFE and block.language == "yaml":
                    name = re.match(r"# (\S+): spec.versions$", block.lines[0])[1]
                    versions = yaml.safe_load("\n".join(block.lines))
                    (self.folder.path / name).write_text(json.dumps(gauges(versions)))
            with self.subTest(f"{path}: {heading}"):
                for block in found:
                    if self.is_run(block):
                        self.run_block(block)
                self.LEAVES.get((path, heading), lambda _: None)(self)

    @staticmethod
    def is_run(block):
        return block.language in ("sh", "console") and any(
            not documents.why_not_run(command) for command, _ in block.commands())


class Claims(DocumentTest):
    """What the runbook says of servers and kubectl without a command to show it."""

    def setUp(self):
        super().setUp()
        self.clear()
        self.folder = Folder(self)

    def samples(self, heading):
        """The texts of a section, as servers say them."""
        return [b.lines[0] for b in documents.blocks("docs/RUNBOOK.md")
                if b.heading == heading and b.language == "text"]

    def sample(self, heading):
        return self.samples(heading)[0]

    def says(self, text, command, code=1, minor=1):
        done = self.folder.run(command, minor)
        self.assertEqual(code, done.returncode, done.stdout)
        self.assertIn(text, done.stdout)

    def preserves(self):
        return self.api.get(f"{V1_CRDS}/widgets.{GROUP}")["spec"].get("preserveUnknownFields", False)

    def test_defaults_are_refused_while_the_live_crd_preserves(self):
        self.demo()
        self.says(self.sample("Defaults are refused"), "kubectl apply -f new.yaml")

    def test_an_apply_leaves_the_field_alone_and_a_replace_turns_pruning_on(self):
        self.demo()
        for command in ("kubectl apply -f schemas.yaml",
                        "kubectl apply --server-side --force-conflicts -f schemas.yaml"):
            self.says("", command, 0)
            self.assertTrue(self.preserves(), command)
        self.says("replaced", "kubectl replace -f schemas.yaml", 0)
        self.assertFalse(self.preserves())

    def name_the_field(self, apply):
        self.says("", "sed 's/^spec:$/spec:\\n  preserveUnknownFields: true/' schemas.yaml"
                      f" | {apply} -f -", 0)
        self.assertTrue(self.preserves())

    def says_of_schemas(self, text):
        self.says(text, "kubectl prune check -f schemas.yaml --fail-on=none", 0)

    def test_a_server_side_apply_leaves_what_somebody_else_owns_too(self):
        self.demo()
        apply = "kubectl apply --server-side --force-conflicts"
        self.name_the_field(apply)
        self.says_of_schemas("kubectl apply of this file leaves it so")
        self.says("", f"{apply} -f schemas.yaml", 0)
        self.assertTrue(self.preserves())

    def test_an_apply_removes_the_field_that_the_manifest_before_has_named(self):
        self.demo()
        self.name_the_field("kubectl apply")
        self.says_of_schemas("kubectl apply of this file turns pruning on, without a backup")
        self.says("", "kubectl apply -f schemas.yaml", 0)
        self.assertFalse(self.preserves())
        self.says("pruning is on already, so no backup can be made",
                  "kubectl prune migrate widgets --enable-pruning --yes", 0)

    def test_the_plan_warns_of_what_is_invalid_once_it_is_pruned_and_the_server_does_not(self):
        self.demo()
        path = f"{V1_CRDS}/widgets.{GROUP}"
        versions = self.api.get(path)["spec"]["versions"]
        for version in versions:
            version["schema"]["openAPIV3Schema"]["properties"]["spec"]["minProperties"] = 1
        self.api.patch(path, {"spec": {"versions": versions}})
        self.api.post(f"{WIDGETS}/namespaces/shop/widgets", {
            "apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": "emptied"},
            "spec": {"legacyMode": True}})
        command = "kubectl prune migrate widgets --enable-pruning"
        self.says("5 accepted", f"{command} --dry-run=server", 0)
        self.says("shop/emptied: spec: Invalid value: 0: spec in body should have at least 1 properties",
                  f"{command} --dry-run=client", 0)
        self.says("1 invalid", f"{command} --yes", 1)

    @unittest.skipIf(kubectl.lacks(32), kubectl.lacks(32))
    def test_v1_knows_no_way_back_nor_does_the_short_name_of_v1beta1(self):
        self.demo_that_prunes()
        patch = """--type=merge -p '{"spec":{"preserveUnknownFields":true}}'"""
        text = self.sample("Pruning cannot be turned off again").partition(", set ")[0]
        for resource in ("crd", "crd.v1beta1.apiextensions.k8s.io"):
            self.says(text, f"kubectl patch {resource} widgets.{GROUP} {patch}", minor=32)
        self.says("Invalid value: true: must be false in order to use defaults",
                  "kubectl apply -f new.yaml && kubectl patch customresourcedefinitions.v1beta1."
                  f"apiextensions.k8s.io widgets.{GROUP} {patch}", minor=32)

    def test_a_deleted_object_is_not_replaced_but_created(self):
        self.demo_that_prunes()
        self.folder.run("grep '\"name\":\"nested\"' kubectl-prune-backup/*.ndjson > one.json")
        self.says("deleted", "kubectl delete widget nested -n shop", 0)
        self.says("Precondition failed: UID in precondition",
                  "kubectl replace --validate=false -f one.json")
        self.says("created", "kubectl create --validate=false -f one.json", 0)

    def test_a_version_that_is_missing_breaks_every_list_and_is_told_with_the_way_out(self):
        self.a_version_that_is_gone()
        text = self.sample("A version was removed too early")
        self.says(text, "kubectl get gauges -A")
        self.says(text, "kubectl delete gauges w00000")
        for command in ("check", "migrate"):
            self.says("served: false", f"kubectl prune {command} gauges.{GROUP}", 2)

    def test_a_version_in_the_place_of_the_one_that_is_to_go_is_not_removed(self):
        self.a_version_that_is_gone()
        path = f"{V1_CRDS}/gauges.{GROUP}"
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        self.api.patch(path, {"spec": {"versions": self.api.get(path)["spec"]["versions"] + [
            {"name": name, "served": False, "storage": False, "schema": schema}
            for name in ("v1alpha1", "v1beta1")]}})
        command = next(command for command, _ in runbook("A version was removed too early")
                       if '"op": "remove"' in command)
        self.says("", command)
        self.assertEqual(["v1", "v1alpha1", "v1beta1"],
                         [version["name"] for version in self.api.get(path)["spec"]["versions"]])
        # It is the test that keeps it: without, the same patch takes what is not meant.
        self.says("patched", re.sub(r'\{"op": "test".*?\}, ', "", command), 0)
        self.assertEqual(["v1", "v1beta1"],
                         [version["name"] for version in self.api.get(path)["spec"]["versions"]])

    def test_a_webhook_that_is_down_keeps_pruning_from_being_turned_on(self):
        self.demo()
        subject = widgets()
        subject.group = GROUP
        down = f"https://127.0.0.1:{free_ports(1)[0]}/"
        self.api.post(CONFIGURATIONS, configuration(CLUSTER, "policy", subject, down))
        self.addCleanup(self.api.delete, f"{CONFIGURATIONS}/policy")
        probe = f"{WIDGETS}/namespaces/shop/widgets/nested?dryRun=All"
        wait_for("the webhook is asked", lambda: self.api.request(
            "PATCH", probe, {}, "application/merge-patch+json")[0] == 500)

        self.says("pruning was not turned on, as no object could be rewritten now: Error from server "
                  '(InternalError): Internal error occurred: failed calling webhook "policy.example.com": '
                  "Post ", "kubectl prune migrate widgets --enable-pruning --yes", 2)
        self.assertTrue(self.preserves())
        self.assertFalse((self.folder.path / "kubectl-prune-backup").exists())

    def test_a_version_that_may_be_stored_cannot_be_removed(self):
        subject = self.two_stored_versions()
        versions = self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["versions"]
        number = [version["name"] for version in versions].index("v1beta1")
        patch = json.dumps([{"op": "remove", "path": f"/spec/versions/{number}"}])
        self.says(self.sample("A version cannot be removed"),
                  f"kubectl patch crd {subject.name} --type=json -p '{patch}'")
        # Before that a check says it, in the words of today's servers.
        crd = self.api.get(f"{V1_CRDS}/{subject.name}")
        crd = {"apiVersion": crd["apiVersion"], "kind": crd["kind"], "metadata": {"name": subject.name},
               "spec": {**crd["spec"], "versions": [version for version in versions if version["name"] == "v1"]}}
        (self.folder.path / "dropped.json").write_text(json.dumps(crd))
        self.says(self.samples("A version cannot be removed")[1], "kubectl prune check -f dropped.json")


def update(block, changed):
    """Writes what was printed in the place of what is shown; the ages stay if nothing else changed."""
    path = documents.ROOT / block.path
    text = path.read_text(encoding="utf-8")
    shown = dict(block.commands())
    new = []
    for command, printed in changed:
        old = shown[command.removeprefix("$ ")]
        same = stable("\n".join(old)) == stable("\n".join(printed))
        new += [command, *(old if same else printed)]
    indent = "    " if "    " + block.lines[0] in text.split("\n") else ""

    def joined(lines):
        return "\n".join((indent + line).rstrip() if not line.strip() else indent + line for line in lines)

    path.write_text(text.replace(joined(block.lines), joined(new), 1), encoding="utf-8")


def add_tests(chosen):
    for path in chosen or documents.DOCUMENTS:
        name = "test_" + re.sub(r"\W", "_", path)
        setattr(Documents, name, lambda self, path=path: self.run_document(path))


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    if kubectl.lacks():
        print(f"skipped: {kubectl.lacks()}")
        return SKIPPED
    add_tests(sys.argv[2:])
    with Cluster(serves_too=("apps/v1", "networking.k8s.io/v1")) as CLUSTER:
        return run_tests(sys.modules[__name__])


if __name__ == "__main__":
    end(main)
