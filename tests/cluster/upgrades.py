"""Upgrades of CRDs for the tests that go the way which `check -f` tells: the CRD and its objects as they are, the file that
is to come, and the steps."""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from cluster import wait_for
from subjects import V1_CRDS, V1BETA1_CRDS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import terminals

OBJECTS = 12
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
# What a step does to the cluster; others look, or are for a person to decide.
CHANGES = re.compile(r"kubectl (apply|patch|annotate)|kubectl prune migrate")
MOST_STEPS = 30
_cluster, _binary = None, None


def use(cluster, binary):
    """What all of this works with."""
    global _cluster, _binary
    _cluster, _binary = cluster, binary


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
        if self.preserves and _cluster.has_v1beta1:  # v1 does not take it of a new CRD
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
        if self.preserves and not _cluster.has_v1beta1:
            _cluster.preserve_unknown_fields(self.name, of_kind, path)
        self.specs = specs or [{"size": i, "colour": "red"} for i in range(OBJECTS)]
        for i, spec in enumerate(self.specs):
            api.post(path, {**of_kind, "metadata": {"name": f"o{i}"}, "spec": spec})

    def in_etcd(self):
        objects = _cluster.etcd_range(f"/registry/{self.group}/{self.plural}/")
        return {key.rpartition("/")[2]: json.loads(value) for key, value in objects.items()}


class UpgradeTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.api = _cluster.api()
        self.addCleanup(self.api.close)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=_cluster.folder))
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "kubectl-prune").symlink_to(_binary)
        self.environment = {**_cluster.environment(_cluster.kubeconfig_file()),
                            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
        self.ran = []
        self.why = ""

    def write(self, name, *manifests):
        path = self.folder / name
        path.write_text("---\n".join(json.dumps(one) + "\n" for one in manifests))
        return name

    def check(self, *files):
        flags = [flag for name in files for flag in ("-f", name)]
        run = subprocess.run([_binary, "check", *flags, "-o", "json"], env=self.environment, cwd=self.folder,
                             capture_output=True, text=True, check=False)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        return run.returncode, json.loads(run.stdout)

    def run_step(self, command):
        """As a person at a terminal, who says yes to what is asked."""
        leader, follower = terminals.open_terminal()
        os.write(leader, b"y\n")
        run = subprocess.run(["sh", "-c", command], env=self.environment, cwd=self.folder, stdin=follower,
                             capture_output=True, text=True, check=False)
        os.close(leader), os.close(follower)
        return run

    def go(self, *files):
        """Does every step of the way. Returns the report."""
        _, report = self.check(*files)
        self.go_steps(report["steps"])
        return report

    def go_steps(self, steps):
        for step in steps:
            run = self.run_step(step["command"])
            self.ran.append((step, run))
            is_check = step["command"].startswith("kubectl prune check") and "|" not in step["command"]
            if not is_check:  # which only looks, and says that there are findings
                self.assertEqual(run.returncode, 0, f"{step}\n{run.stdout}{run.stderr}")

    def go_asking_again(self, *files):
        """Does the first step that changes something until there is none. Returns the last report."""
        while True:
            _, report = self.check(*files)
            self.marks_hold(report, files)
            steps = [step for step in report.get("steps", []) if CHANGES.search(step["command"])]
            if not steps:
                return report
            self.assertLess(len(self.ran), MOST_STEPS)
            self.assertNotIn(steps[0]["command"], self.commands()[-1:], steps[0])
            self.go_steps(steps[:1])
            self.assertNotIn("etcd still holds", self.ran[-1][1].stderr)  # no run before it has left anything

    def marks_hold(self, report, files):
        """What the report marks as done is so, as kubectl and etcd show it; and what kubectl shows is marked."""
        done = {step["title"]: step["proof"] for step in report.get("stepsDone", [])}
        if not report.get("steps"):
            self.assertEqual({}, done)
            return
        is_stuck = any(step["title"].startswith(("fix ", "find out ")) for step in report["steps"])
        if not is_stuck:
            self.assertEqual("apply the files" in done, self.is_applied(files), f"{done} {self.why}")
        for title, proof in done.items():
            migrated = re.fullmatch(r"migrate (\S+|(\d+) CRDs)", title)
            if not migrated:
                continue
            clean = [crd["name"] for crd in report["crds"] if self.is_clean(crd["name"])]
            if migrated.group(2):
                self.assertLessEqual(int(migrated.group(2)), len(clean), clean)
            else:
                self.assertIn(migrated.group(1), clean, proof)

    def is_applied(self, files):
        """Whether kubectl would make of each CRD in the cluster what it is, by a dry run.

        That it says "configured" means less: so it does, too, where its patch changes nothing but managedFields.
        """
        flags = [flag for name in files for flag in ("-f", name)]
        for how in ([], ["--server-side", "--force-conflicts"]):
            run = subprocess.run(["kubectl", "apply", "--dry-run=server", "-o", "json", *how, *flags], cwd=self.folder,
                                 env=self.environment, capture_output=True, text=True, check=False)
            if "Too long" not in run.stderr:
                break
        self.why = run.stderr
        if run.returncode != 0:
            return False
        answer = json.loads(run.stdout)
        return all(self.is_there(crd) for crd in answer.get("items", [answer]))

    def is_there(self, crd):
        versions = V1BETA1_CRDS if crd["apiVersion"].endswith("/v1beta1") else V1_CRDS
        status, live = self.api.request("GET", f"{versions}/{crd['metadata']['name']}")
        self.why += f"{crd['spec']}\n{live.get('spec')}\n"
        return status == 200 and crd["spec"] == live["spec"]

    def is_clean(self, name):
        """Whether etcd holds the objects of a CRD as the API shows them in the storage version, and in no other one."""
        status, crd = self.api.request("GET", f"{V1_CRDS}/{name}")
        if status == 404:
            return False
        spec = crd["spec"]
        storage = next(one["name"] for one in spec["versions"] if one["storage"])
        stored = _cluster.etcd_range(f"/registry/{spec['group']}/{spec['names']['plural']}/")
        shown = self.api.get(f"/apis/{spec['group']}/{storage}/{spec['names']['plural']}")["items"]

        def in_order(objects):
            return sorted(json.dumps(without_version(one), sort_keys=True) for one in objects)

        def without_version(one):  # etcd's is in its own key
            metadata = {key: value for key, value in one["metadata"].items() if key not in ("resourceVersion", "selfLink")}
            return {**one, "metadata": metadata}
        return (crd["status"]["storedVersions"] == [storage] and
                in_order(json.loads(value) for value in stored.values()) == in_order(shown))

    def ends_with_nothing_left(self, *files):
        """The screen says so, and kubectl and etcd do, too."""
        flags = [flag for name in files for flag in ("-f", name)]
        run = subprocess.run([_binary, "check", *flags], env=self.environment, cwd=self.folder, capture_output=True,
                             text=True, check=False)
        self.assertIn("Nothing is left to do: the cluster has the CRDs as they are in the files.\n", run.stdout)
        self.assertTrue(self.is_applied(files))
        for name in files:
            self.assertTrue(self.is_clean(json.loads((self.folder / name).read_text())["metadata"]["name"]), name)

    def commands(self):
        return [step["command"] for step, _ in self.ran]
