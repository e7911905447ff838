"""Credential plugins of our own making, with kubectl as the judge, on a real API server.

exec_plugins_test.py BINARY: on the same kubeconfig kubectl and `kubectl-prune check` tell a plugin
the same bytes, come to the server as the same user (as its audit log has it), or say the same
error; and what we do beyond kubectl. Exit code 77 (skipped) without a server.
"""
import json
import os
import re
import stat
import subprocess
import sys
import unittest

from cluster import Cluster, wait_for
import kubectl
from runner import end, run_tests
from subjects import V1_CRDS

BINARY = None
CLUSTER = None

V1 = "client.authentication.k8s.io/v1"
BETA = "client.authentication.k8s.io/v1beta1"
PAST = "2020-01-01T00:00:00Z"
# kubectl names the place in its source, and a Go type without a name.
OWN_WORDS = re.compile(r' in scheme "[^"]*"|of type (struct \{.*\}|ExecCredential)$')


def answer(status, version=V1, kind="ExecCredential"):
    return json.dumps({"kind": kind, "apiVersion": version, "status": status})


def pair(name):
    """A status with a client certificate of this user."""
    certificate, key = CLUSTER.certificates.sign_client(name)
    return {"clientCertificateData": certificate.read_text(), "clientKeyData": key.read_text()}


class Plugin:
    """A plugin that keeps what it is told and gives one answer a run, the last for ever."""

    def __init__(self, *answers, script=""):
        self.folder = CLUSTER.folder / "plugin"
        self.folder.mkdir(exist_ok=True)
        for old in self.folder.iterdir():
            old.unlink()
        self.path = self.folder / "plugin"
        for number, text in enumerate(answers, 1):
            (self.folder / f"answer{number}").write_text(text)
        self.path.write_text(
            f"#!/bin/sh\ncd {self.folder}\nprintf %s \"$KUBERNETES_EXEC_INFO\" > info\n"
            f"echo x >> runs\n{script}\nrun=$(wc -l < runs)\n"
            f"[ $run -le {len(answers)} ] || run={len(answers)}\ncat answer$run\n")
        self.path.chmod(stat.S_IRWXU)

    def reset(self):
        for name in ("info", "runs"):
            (self.folder / name).unlink(missing_ok=True)

    def info(self):
        return (self.folder / "info").read_bytes()

    def runs(self):
        runs = self.folder / "runs"
        return len(runs.read_text().splitlines()) if runs.exists() else 0


def kubeconfig(plugin, cluster=None, **execution):
    """Writes a kubeconfig whose user is `plugin`; returns an environment that names it."""
    config = json.loads(CLUSTER.kubeconfig())
    config["clusters"][0]["cluster"].update(cluster or {})
    config["users"][0]["user"] = {"exec": {"apiVersion": V1, "command": str(plugin.path),
                                           "interactiveMode": "Never", **execution}}
    path = CLUSTER.folder / "kubeconfig-plugin"
    path.write_text(json.dumps(config))
    return CLUSTER.environment(str(path))


def audit_users():
    """Who has come so far, request by request; "" where the server did not find out."""
    with open(CLUSTER.folder / "audit.log", encoding="utf-8") as lines:
        return [json.loads(line)["user"].get("username", "") for line in lines]


def run(environment, command):
    """Returns the users that came to the server, in order, each once in a row, and stderr."""
    before = len(audit_users())
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    users = [name for name in audit_users()[before:] if name and not name.startswith("system:")]
    return [u for i, u in enumerate(users) if i == 0 or users[i - 1] != u], done.stderr


def with_kubectl(environment):
    """Skips the test where kubectl does not know plugins of v1."""
    if kubectl.lacks(22):
        raise unittest.SkipTest(kubectl.lacks(22))
    # One request: without a group and version kubectl would ask for those first.
    return run(environment, [kubectl.program(22), "get", "--raw", "/api"])


def with_ours(environment, *arguments):
    return run(environment, [BINARY, "check", *arguments])


class ExecPlugins(unittest.TestCase):
    def test_x2_a_plugin_is_told_the_same_bytes(self):
        extension = [{"name": "client.authentication.k8s.io/exec",
                      "extension": {"b": [1, "<x>", 1.0, 1e3, 12345678901234567890], "a": None}}]
        url = json.loads(CLUSTER.kubeconfig())["clusters"][0]["cluster"]["server"]
        rows = [
            ({}, {}), ({}, {"provideClusterInfo": True}),
            ({"extensions": extension, "server": url + "/", "tls-server-name": "localhost",
              "disable-compression": True}, {"provideClusterInfo": True}),
            ({"certificate-authority-data": None, "insecure-skip-tls-verify": True},
             {"provideClusterInfo": True, "apiVersion": BETA, "interactiveMode": None}),
            ({"proxy-url": "http://user:word@127.0.0.1:1"}, {"provideClusterInfo": True}),
            ({"server": url + "/a b?q=1#f"}, {"provideClusterInfo": True})]
        for cluster, execution in rows:
            with self.subTest(cluster=cluster, execution=execution):
                plugin = Plugin(answer({"token": CLUSTER.tokens["one"]},
                                       execution.get("apiVersion", V1)))
                environment = kubeconfig(plugin, cluster, **execution)
                with_kubectl(environment)
                told = plugin.info()
                plugin.reset()
                with_ours(environment)
                self.assertEqual(told, plugin.info())

    def test_x3_who_we_are(self):
        token = {"token": CLUSTER.tokens["one"]}
        rows = {"one": answer(token), "cert-user": answer(pair("cert-user")),
                "both-user": answer({**token, **pair("both-user")})}
        for user, text in rows.items():
            with self.subTest(user=user):
                environment = kubeconfig(Plugin(text))
                self.assertEqual([user], with_kubectl(environment)[0])
                self.assertEqual([user], with_ours(environment)[0])
        yaml = f"kind: ExecCredential\napiVersion: {V1}\nstatus: {json.dumps(token)}\n"
        self.assertEqual(["one"], with_ours(kubeconfig(Plugin(yaml)))[0])

    def test_x3_what_is_wrong(self):
        secret = {"token": "SECRET"}
        rows = [
            (answer(secret, BETA), {}), (answer(secret, "foo/v1"), {}),
            (answer(secret, kind="Foo"), {}), ("SECRET", {}), ("", {}), ("[]", {}),
            (answer(None), {}), (answer({}), {}), (answer("SECRET"), {}), (answer({"token": 5}), {}),
            (answer({"clientCertificateData": "x"}), {}),
            (answer({**secret, "clientKeyData": "SECRET"}), {}),
            (answer({"clientCertificateData": "x", "clientKeyData": "SECRET"}), {}),
            (answer({**secret, "expirationTimestamp": "soon"}), {}),
            (answer({**secret, "expirationTimestamp": 5}), {}),
            (answer(secret), {"apiVersion": "foo/v1"}),
            (answer(secret), {"interactiveMode": None}),
            (answer(secret), {"interactiveMode": "Always"}),
            (answer(secret), {"command": "no-such-plugin"}),
            (answer(secret), {"command": "no-such-plugin", "installHint": "a\x1b[1m\u009b\nb"}),
            (answer(secret), {"command": "./no-such-plugin"}),
            (answer(secret), {"command": "/etc/passwd"}), (answer(secret), {"command": "/etc"}),
            (answer(secret), {"args": ["a\0b"]}),
            (answer(secret), {"env": [{"name": "A", "value": "a\0b"}]})]
        for text, execution in rows:
            with self.subTest(text=text, execution=execution):
                environment = kubeconfig(Plugin(text), **execution)
                want, got = with_kubectl(environment)[1], with_ours(environment)[1]
                self.assertEqual(OWN_WORDS.sub("", want.strip()), OWN_WORDS.sub("", got.strip()))
                self.assertNotIn("SECRET", got)

    def test_x3_a_plugin_that_fails(self):
        environment = kubeconfig(Plugin(answer({}), script="echo why >&2; exit 3"))
        last = with_kubectl(environment)[1].splitlines()[-1]
        self.assertEqual(["why", last], with_ours(environment)[1].splitlines())

    def test_x4_a_token_is_kept_until_it_expires(self):
        plugin = Plugin(answer({"token": CLUSTER.tokens["one"]}))
        self.assertEqual(["one"], with_ours(kubeconfig(plugin))[0])
        self.assertEqual(1, plugin.runs())
        plugin = Plugin(answer({"token": CLUSTER.tokens["one"], "expirationTimestamp": PAST}),
                        answer({"token": CLUSTER.tokens["admin"]}))
        self.assertEqual(["one", "admin"], with_ours(kubeconfig(plugin))[0])
        self.assertEqual(2, plugin.runs())

    def test_x4_a_token_that_expires_during_a_migration_is_renewed(self):
        self.create_tokens(2000)
        text = answer({"token": CLUSTER.tokens["admin"], "expirationTimestamp": "%s"})
        script = f"printf '{text}' $(date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%SZ) > answer1"
        plugin = Plugin(answer({}), script=script)
        done = subprocess.run(
            [BINARY, "migrate", "tokens.demo.example.com", "-o", "json",
             "--max-rate=400", "--state-dir", str(CLUSTER.folder / "state")], env=kubeconfig(plugin),
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(0, done.returncode, done.stderr)
        crd = json.loads(done.stdout)["crds"][0]
        self.assertEqual((2000, [], True), (crd["counts"]["listed"], crd["failures"],
                                            crd["verified"]))
        self.assertGreaterEqual(plugin.runs(), 3)

    def test_x4_a_migration_and_its_lease_ask_once(self):
        self.create_tokens(3, "single")
        plugin = Plugin(answer({"token": CLUSTER.tokens["admin"]}))
        done = subprocess.run(
            [BINARY, "migrate", "singles.demo.example.com", "--state-dir", str(CLUSTER.folder / "state")],
            env=kubeconfig(plugin), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertNotIn("Warning", done.stderr)
        self.assertEqual(1, plugin.runs())

    @staticmethod
    def create_tokens(count, singular="token"):
        api = CLUSTER.api()
        kind = singular.title()
        names = {"plural": f"{singular}s", "singular": singular, "kind": kind, "listKind": f"{kind}List"}
        api.post(V1_CRDS, {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{singular}s.demo.example.com"},
            "spec": {"group": "demo.example.com", "scope": "Cluster", "names": names, "versions": [
                {"name": "v1", "served": True, "storage": True,
                 "schema": {"openAPIV3Schema": {"type": "object"}}}]}})
        path = f"/apis/demo.example.com/v1/{singular}s"
        wait_for("tokens are not served", lambda: api.request("GET", path)[0] == 200)
        for number in range(count):
            api.post(path, {"apiVersion": "demo.example.com/v1", "kind": kind,
                            "metadata": {"name": f"t{number:04}"}})

    def test_x5_a_certificate_is_renewed(self):
        plugin = Plugin(answer({**pair("early"), "expirationTimestamp": PAST}),
                        answer(pair("late")))
        self.assertEqual(["early", "late"], with_ours(kubeconfig(plugin))[0])
        plugin = Plugin(answer({**pair("early"), "expirationTimestamp": PAST}),
                        answer({"token": CLUSTER.tokens["one"]}))
        self.assertEqual(["early", "one"], with_ours(kubeconfig(plugin))[0])

    def test_x5_after_401_the_request_is_sent_again(self):
        plugin = Plugin(answer({"token": "wrong"}), answer({"token": CLUSTER.tokens["admin"]}))
        users, errors = with_ours(kubeconfig(plugin), "-v=9")
        self.assertEqual(["admin"], users)
        self.assertIn(" 401 in ", errors)
        self.assertEqual(2, plugin.runs())
        self.assertNotIn(CLUSTER.tokens["admin"], errors)

    def test_x5_a_second_401_is_the_answer(self):
        plugin = Plugin(answer({"token": "wrong"}))
        environment = kubeconfig(plugin)
        self.assertEqual(with_kubectl(environment)[1], with_ours(environment)[1])


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(users=("one",), audit=True) as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
