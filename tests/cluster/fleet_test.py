"""`check --contexts` over several contexts of a real API server: each asks as who it is, over TLS.

fleet_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
server.
"""
import json
import os
import stat
import subprocess
import sys
import unittest

from cluster import Cluster
from migrations import add_widgets, bring_in_widgets, delete_crd, widgets
import report_schema
from runner import end, run_tests

BINARY = None
CLUSTER = None
COUNT = 3


def plugin(token):
    """A credential plugin that gives the token."""
    path = CLUSTER.folder / "token-plugin"
    answer = {"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": {"token": token}}
    path.write_text(f"#!/bin/sh\necho '{json.dumps(answer)}'\n")
    path.chmod(stat.S_IRWXU)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(path),
                     "interactiveMode": "Never"}}


def kubeconfig():
    """Contexts that lead to the same server as several users, and two that lead to nobody."""
    config = json.loads(CLUSTER.kubeconfig(context="test-certificate"))
    [server], [user] = config["clusters"], config["users"]
    users = {"test-plugin": plugin(CLUSTER.tokens["admin"]), "test-nobody": {"token": CLUSTER.tokens["nobody"]},
             "test-stranger": {"token": "of-another-cluster"}, "test-distrust": user["user"]}
    config["users"] += [{"name": name, "user": login} for name, login in users.items()]
    untrusted = {"server": server["cluster"]["server"]}  # the system's authorities do not know it
    config["clusters"].append({"name": "untrusted", "cluster": untrusted})
    config["contexts"] += [{"name": name, "context": {
        "cluster": "untrusted" if name == "test-distrust" else "test", "user": name}} for name in users]
    path = CLUSTER.folder / "fleet-kubeconfig"
    path.touch(0o600)
    path.write_text(json.dumps(config))
    return str(path)


class Contexts(unittest.TestCase):
    def test_each_asks_as_its_own_user(self):
        subject = add_widgets(widgets("fleeting", two_versions=True), COUNT)
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)

        run = subprocess.run([BINARY, "check", "--contexts", "test-*", "--patience=0", "-o", "json"],
                             env=CLUSTER.environment(kubeconfig()), capture_output=True, text=True, check=False)

        self.assertEqual(2, run.returncode, run.stderr)
        report = json.loads(run.stdout)
        report_schema.require_valid(report)
        clusters = {cluster["name"]: cluster for cluster in report["clusters"]}
        self.assertEqual(["test-certificate", "test-distrust", "test-nobody", "test-plugin", "test-stranger"],
                         list(clusters))
        for name in ("test-certificate", "test-plugin"):
            [crd] = clusters[name]["report"]["crds"]
            self.assertEqual(COUNT, crd["versions"][0]["objects"])
            self.assertEqual(1, clusters[name]["exitCode"])
        self.assertEqual([], report["differences"])
        for name, why in {"test-distrust": "certificate", "test-nobody": "is forbidden: User \"nobody\"",
                          "test-stranger": "You must be logged in to the server"}.items():
            self.assertIn(why, clusters[name]["error"])
        for secret in (*CLUSTER.tokens.values(), "of-another-cluster"):
            self.assertNotIn(secret, run.stdout + run.stderr)


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(users=["nobody"]) as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
