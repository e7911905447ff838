"""`kubectl-prune check` in bad weather, on a real API server.

check_faults_test.py BINARY: missing rights, a conversion webhook that is down, history compacted
and a CRD deleted in the middle of a list; that it is a plugin; that it writes nothing. Exit code
77 (skipped) without a server.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import unittest
import urllib.parse

from cluster import Cluster, wait_for
import kubectl
from proxy import Proxy
from runner import end, run_tests
from subjects import V1_CRDS, V1BETA1_CRDS

BINARY = None
CLUSTER = None

GROUP = "faults.example.com"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "size": {"type": "integer"}}}}}


def crd(plural, preserves=True, group=GROUP):
    """Returns a v1beta1 CRD of one version."""
    return {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced", "preserveUnknownFields": preserves,
                     "names": {"plural": plural, "singular": plural[:-1], "kind": plural.title(),
                               "listKind": f"{plural.title()}List"},
                     "versions": [{"name": "v1", "served": True, "storage": True}],
                     "validation": {"openAPIV3Schema": SCHEMA}}}


def collection(plural, group=GROUP, version="v1"):
    return f"/apis/{group}/{version}/namespaces/default/{plural}"


def create_crd(api, plural, **options):
    body = crd(plural, **options)
    api.post(V1BETA1_CRDS, body)
    path = collection(plural, body["spec"]["group"])
    wait_for(f"{plural} are not served", lambda: api.request("GET", path)[0] == 200)


def delete_crd(api, name):
    path = f"{V1BETA1_CRDS}/{name}"
    if api.request("DELETE", path)[0] < 400:
        wait_for(f"{name} is not deleted", lambda: api.request("GET", path)[0] == 404)


def custom_resource(plural, name, group=GROUP):
    """Returns an object that would lose spec.legacyMode."""
    return {"apiVersion": f"{group}/v1", "kind": plural.title(),
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"size": 1, "legacyMode": "on"}}


def create_object(api, plural, name, group=GROUP):
    api.post(collection(plural, group), custom_resource(plural, name, group))


def check(*arguments, user="admin", port=None):
    """Runs check; returns its exit code, {CRD name: report} and stderr."""
    run = CLUSTER.run([BINARY, "check", "-o", "json", *arguments], user, port)
    try:
        report = json.loads(run.stdout)
    except ValueError:
        raise AssertionError(f"exit code {run.returncode}, no report: {run.stdout}{run.stderr}")
    return run.returncode, {one["name"]: one for one in report["crds"]}, run.stderr


def continue_token(path):
    """Returns the continue token in a request's path, None where it has none."""
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)
    return query.get("continue", [None])[0]


class Faults(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)

    def create(self, plural, objects=1, **options):
        """Creates a CRD, deleted after the test, with objects named o0000, o0001 and so on."""
        create_crd(self.api, plural, **options)
        group = options.get("group", GROUP)
        self.addCleanup(delete_crd, CLUSTER.api(), f"{plural}.{group}")
        for number in range(objects):
            create_object(self.api, plural, f"o{number:04}", group)

    def grant(self, user, rules):
        """Gives a user these rights in the whole cluster, until the test ends."""
        name = f"{user}-reads"
        self.api.post(f"{RBAC}/clusterroles", {"metadata": {"name": name}, "rules": rules})
        self.addCleanup(self.api.delete, f"{RBAC}/clusterroles/{name}")
        self.api.post(f"{RBAC}/clusterrolebindings", {
            "metadata": {"name": name}, "subjects": [{"kind": "User", "name": user}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}})
        self.addCleanup(self.api.delete, f"{RBAC}/clusterrolebindings/{name}")

    def assert_loses_legacy_mode(self, report, objects):
        self.assertEqual("loses-fields", report["verdict"], report)
        fields = {f["path"]: f["objects"] for f in report["versions"][0]["prunedFields"]}
        self.assertEqual({"spec.legacyMode": objects}, fields)

    def test_a_crd_whose_objects_may_not_be_listed_is_unknown_and_the_others_are_reported(self):
        plurals = [f"things{letter}s" for letter in "abcdefghij"]
        for plural in plurals:
            self.create(plural)
        readable = plurals[:-1]
        self.grant("limited", [
            {"apiGroups": ["apiextensions.k8s.io"], "resources": ["*"], "verbs": ["get", "list"]},
            {"apiGroups": [GROUP], "resources": readable, "verbs": ["list"]}])
        limited = CLUSTER.api("limited")
        # The authorizer learns of the role a moment later.
        wait_for("rights", lambda: limited.request("GET", collection(readable[-1]))[0] == 200)

        code, reports, _ = check(user="limited")

        self.assertEqual(2, code)
        self.assertEqual({f"{p}.{GROUP}" for p in plurals}, set(reports))
        forbidden = reports[f"{plurals[-1]}.{GROUP}"]
        self.assertEqual("unknown", forbidden["verdict"])
        self.assertIn(f'{plurals[-1]}.{GROUP} is forbidden: User "limited" cannot list resource',
                      forbidden["error"])
        for plural in readable:
            self.assert_loses_legacy_mode(reports[f"{plural}.{GROUP}"], 1)

    def test_a_crd_whose_conversion_webhook_is_down_is_unknown_and_the_others_are_reported(self):
        self.create("fines")
        self.create_with_dead_webhook("convertibles")

        code, reports, _ = check("--all-objects")

        self.assertEqual(2, code)
        broken = reports[f"convertibles.{GROUP}"]
        self.assertEqual("unknown", broken["verdict"])
        self.assertIn("conversion webhook for", broken["error"])
        self.assertIn("connection refused", broken["error"])
        self.assert_loses_legacy_mode(reports[f"fines.{GROUP}"], 1)

    def create_with_dead_webhook(self, plural):
        """A CRD that prunes, with one object stored as v1, of which v2 is now the storage version."""
        self.create(plural, preserves=False)
        # The API server must read the objects to delete a CRD.
        self.addCleanup(self.api.patch, f"{V1_CRDS}/{plural}.{GROUP}",
                        {"spec": {"conversion": {"strategy": "None", "webhook": None}}})
        versions = [{"name": name, "served": True, "storage": name == "v2",
                     "schema": {"openAPIV3Schema": SCHEMA}} for name in ("v1", "v2")]
        webhook = {"clientConfig": {"url": "https://127.0.0.1:1/convert",
                                    "caBundle": ca_bundle()}, "conversionReviewVersions": ["v1"]}
        self.api.patch(f"{V1_CRDS}/{plural}.{GROUP}", {"spec": {
            "versions": versions, "conversion": {"strategy": "Webhook", "webhook": webhook}}})
        path = collection(plural, version="v2")
        wait_for("the webhook is not asked", lambda: self.api.request("GET", path)[0] == 500)

    def test_every_object_is_counted_once_though_history_is_compacted_in_the_middle(self):
        total, chunk = 2000, 100
        self.create("pages", total)
        churn = Churn("pages", total)
        tokens = []

        def compact(_, path):
            token = continue_token(path)
            if f"/{GROUP}/" not in path or token is None or token in tokens:
                return
            tokens.append(token)
            if len(tokens) in (3, 9):  # what was listed so far is history now
                churn.write_some()
                CLUSTER.etcd_compact()

        with Proxy(CLUSTER, compact) as proxy, churn:
            _, reports, _ = check(f"pages.{GROUP}", "--show-objects", f"--chunk-size={chunk}",
                                  user="reader", port=proxy.port)

        answers = collections.Counter(code for _, path, code in proxy.seen if f"/{GROUP}/" in path)
        self.assertEqual(2, answers[410], answers)
        self.assertEqual(2, [code for _, path, code in CLUSTER.audit_events("reader")
                             if "/pages?" in path].count(410))
        report = reports[f"pages.{GROUP}"]
        self.assertEqual("loses-fields", report["verdict"], report.get("error"))
        names = collections.Counter(item["name"] for item in report["objects"])
        steady = {f"o{number:04}" for number in range(total)}
        self.assertEqual({}, {name: names[name] for name in steady if names[name] != 1})
        self.assertEqual([], [name for name, times in names.items() if times > 1])
        self.assertEqual(len(names), report["versions"][0]["objects"])

    def test_a_crd_that_is_deleted_while_it_is_listed_is_named_and_the_others_are_reported(self):
        self.create("leaves", 60)
        self.create("stays", 60)
        name, pages = f"leaves.{GROUP}", []

        def delete(_, path):
            if "/leaves?" in path:
                pages.append(path)
                if len(pages) == 3:
                    delete_crd(CLUSTER.api(), name)

        with Proxy(CLUSTER, delete) as proxy:
            code, reports, _ = check("--chunk-size=20", user="reader", port=proxy.port)

        self.assertGreaterEqual(len(pages), 3)
        self.assertEqual(2, code)
        self.assertEqual("unknown", reports[name]["verdict"], reports[name])
        self.assertTrue(reports[name]["error"])
        self.assert_loses_legacy_mode(reports[f"stays.{GROUP}"], 60)

    def test_crds_made_as_v1_and_as_v1beta1_are_both_read(self):
        self.create("olds")
        body = crd("news", preserves=False)
        version = body["spec"]["versions"][0]
        version["schema"] = body["spec"].pop("validation")
        body["apiVersion"] = "apiextensions.k8s.io/v1"
        self.api.post(V1_CRDS, body)
        self.addCleanup(delete_crd, CLUSTER.api(), f"news.{GROUP}")

        code, reports, _ = check()

        self.assertEqual(1, code)
        self.assertEqual("loses-fields", reports[f"olds.{GROUP}"]["verdict"])
        self.assertTrue(reports[f"olds.{GROUP}"]["preserveUnknownFields"])
        self.assertEqual("pruning", reports[f"news.{GROUP}"]["verdict"])
        self.assertFalse(reports[f"news.{GROUP}"]["preserveUnknownFields"])

    def test_nothing_is_written(self):
        self.create("reads", 30)
        before = CLUSTER.etcd_range(f"/registry/{GROUP}/")
        seen = len(CLUSTER.audit_events("reader"))

        code, reports, _ = check("--all-objects", "--chunk-size=10", user="reader")

        self.assertEqual(1, code)
        self.assert_loses_legacy_mode(reports[f"reads.{GROUP}"], 30)
        events = CLUSTER.audit_events("reader")[seen:]
        self.assertGreaterEqual(len([e for e in events if "/reads?" in e[1]]), 3)
        writes = [event for event in events if event[0] not in ("get", "list") and
                  not re.search(r"/selfsubject(access|rules)reviews", event[1])]
        self.assertEqual([], writes)
        self.assertEqual(before, CLUSTER.etcd_range(f"/registry/{GROUP}/"))

    def test_kubectl_runs_it_as_a_plugin(self):
        if kubectl.lacks():
            self.skipTest(kubectl.lacks())
        self.create("plugs")
        environment = CLUSTER.environment(CLUSTER.kubeconfig_file(context="shown"))
        environment["PATH"] = f"{pathlib.Path(BINARY).parent}:{environment['PATH']}"
        broken = json.loads(pathlib.Path(environment["KUBECONFIG"]).read_text())
        broken["current-context"] = "elsewhere"
        pathlib.Path(environment["KUBECONFIG"]).write_text(json.dumps(broken))

        listed = run_with(environment, "kubectl", "plugin", "list")
        checked = run_with(environment, "kubectl", "prune", "check", "--context", "shown")

        self.assertIn("kubectl-prune", listed.stdout + listed.stderr)
        self.assertEqual(1, checked.returncode, checked.stderr)
        self.assertIn(f"plugs.{GROUP}", checked.stdout)


class Churn:
    """Creates, changes and deletes objects from another thread while its `with` block lasts."""

    def __init__(self, plural, steady):
        self._path = collection(plural)
        self._plural, self._steady = plural, steady
        self._stop = threading.Event()
        self._made = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._api = CLUSTER.api()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        self._api.close()

    def _run(self):
        while not self._stop.is_set():
            self.write_some()

    def write_some(self):
        """A new object, an old one gone, and one of those that stay changed."""
        with self._lock:
            self._made += 1
            # Names all over the alphabet, so that some fall before and some after the page at hand.
            name = f"{'amz'[self._made % 3]}{self._made:06}"
            create_object(self._api, self._plural, name)
            steady = f"o{self._made * 37 % self._steady:04}"
            self._api.patch(f"{self._path}/{steady}", {"spec": {"size": self._made}})
            if self._made > 10:
                gone = self._made - 10
                self._api.delete(f"{self._path}/{'amz'[gone % 3]}{gone:06}")


def ca_bundle():
    return json.loads(CLUSTER.kubeconfig())["clusters"][0]["cluster"]["certificate-authority-data"]


def run_with(environment, *command):
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(users=("limited", "reader"), audit=True) as CLUSTER:
        api = CLUSTER.api()
        api.post(f"{RBAC}/clusterrolebindings", {
            "metadata": {"name": "readers"}, "subjects": [{"kind": "User", "name": "reader"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "readers"}})
        api.post(f"{RBAC}/clusterroles", {"metadata": {"name": "readers"}, "rules": [
            {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]}]})
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
