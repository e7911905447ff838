"""Completion and version against a real API server, through kubectl itself where it is there.

completion_test.py BINARY. Exit code 77 (skipped) without a server.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from cluster import Cluster, wait_for
import kubectl
from runner import end, run_tests
from subjects import V1_CRDS

COMPLETE = pathlib.Path(__file__).resolve().parents[2] / "plugin/kubectl_complete-prune"
CRDS = ["pumps.demo.example.com", "valves.demo.example.com"]
CLUSTER = None
API = None
ENVIRONMENT = None


def crd(name):
    plural, _, group = name.partition(".")
    kind = plural[:-1].capitalize()
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": plural, "kind": kind},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": schema}]}}


def run(*command):
    return subprocess.run(command, env=ENVIRONMENT, text=True, capture_output=True, timeout=240,
                          stdin=subprocess.DEVNULL, check=False)


def candidates(*words):
    return run("kubectl_complete-prune", *words).stdout.splitlines()


class Completion(unittest.TestCase):
    def test_C1_crds_and_namespaces_come_from_the_cluster(self):
        self.assertEqual(candidates("check", ""), CRDS + [":4"])
        self.assertEqual(candidates("migrate", CRDS[0], "v"), CRDS[1:] + [":4"])
        self.assertEqual(candidates("check", "-n", "sho"), ["shop", ":4"])
        self.assertIn("kube-system", candidates("check", "--namespace="))

    def test_C1_without_the_right_to_list_nothing_is_offered(self):
        done = run("kubectl_complete-prune", "--kubeconfig", CLUSTER.kubeconfig_file("nobody"),
                   "check", "")
        self.assertEqual((done.stdout, done.stderr), (":4\n", ""))

    @unittest.skipIf(kubectl.lacks(26), kubectl.lacks(26))  # the first that completes plugins
    def test_C1_kubectl_completes_the_plugin(self):
        lines = run(kubectl.program(26), "__complete", "prune", "check", "val").stdout.splitlines()
        self.assertEqual(lines, [CRDS[1], ":4"])


class Version(unittest.TestCase):
    def test_server_version_is_that_of_kubectl(self):
        done = run("kubectl-prune", "version", "-o", "json")
        shown = json.loads(done.stdout)["serverVersion"]
        self.assertEqual(shown, API.get("/version"))
        self.assertEqual(done.returncode, 0)

    def test_G1_match_server_version_refuses_another_server(self):
        version = API.get("/version")
        done = run("kubectl-prune", "check", "--match-server-version")
        if (version["major"], version["minor"]) == ("1", "36"):
            self.assertEqual(done.returncode, 0)
        else:
            self.assertIn(f'server version ("{version["gitVersion"]}") differs', done.stderr)
            self.assertEqual(done.returncode, 2)


def main():
    global CLUSTER, API, ENVIRONMENT
    with Cluster(users=["nobody"]) as CLUSTER:
        folder = pathlib.Path(CLUSTER.folder, "bin")
        folder.mkdir()
        (folder / "kubectl-prune").symlink_to(os.path.abspath(sys.argv[1]))
        (folder / COMPLETE.name).symlink_to(COMPLETE)
        ENVIRONMENT = CLUSTER.environment(CLUSTER.kubeconfig_file())
        ENVIRONMENT["PATH"] = f"{folder}:{os.environ['PATH']}"
        API = CLUSTER.api()
        API.post("/api/v1/namespaces", {"metadata": {"name": "shop"}})
        for name in CRDS:
            API.post(V1_CRDS, crd(name))
        wait_for("no namespaces", lambda: len(API.get("/api/v1/namespaces")["items"]) > 3)
        return run_tests(sys.modules[__name__])


if __name__ == "__main__":
    end(main)
