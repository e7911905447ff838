"""The admission framework, called by a real API server: the handlers of docs/ADMISSION.md say to kubectl what they mean.

admission_test.py BINARY ADMISSION_SERVER [TEST...]: only ADMISSION_SERVER is looked at. Exit code 77 (skipped)
without a server.
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

from cluster import Cluster, wait_for
import kubectl as kubectl_program
from migrations import delete_crd
from runner import end, run_tests
from subjects import V1_CRDS

SERVER = None
CLUSTER = None
NAME = "test.admission.example.com"
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.demo.example.com"},
    "spec": {"group": "demo.example.com", "scope": "Namespaced",
             "names": {"plural": "widgets", "kind": "Widget"},
             "versions": [{"name": "v1", "served": True, "storage": True,
                           "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                                                                    "statusReplicasPath": ".status.replicas"}},
                           "schema": {"openAPIV3Schema": {
                               "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}
REFUSAL = f'admission webhook "check-number.{NAME}" denied the request: spec.number must be a number'
WIDGETS = "/apis/demo.example.com/v1/namespaces/default/widgets"
KINDS = ("validatingwebhookconfigurations", "mutatingwebhookconfigurations")
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"


class CertifiedCluster(Cluster):
    """Its API server shows a certificate to whoever answers reviews."""

    def _more_arguments(self):
        self.certificates.sign("caller", "/O=shop/CN=test-caller", "extendedKeyUsage=clientAuth\n")
        user = {"client-certificate": f"{self.folder}/caller.crt", "client-key": f"{self.folder}/caller.key"}
        login = self.folder / "caller.json"
        login.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "users": [{"name": "*", "user": user}]}))
        kind = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "WebhookAdmissionConfiguration"}
        configuration = self.folder / "admission.json"
        configuration.write_text(json.dumps({
            "apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration",
            "plugins": [{"name": name, "configuration": {**kind, "kubeConfigFile": str(login)}}
                        for name in ("ValidatingAdmissionWebhook", "MutatingAdmissionWebhook")]}))
        return [f"--admission-control-config-file={configuration}"]

    def certificate_of_caller(self):
        """Returns (subject, serial number), as openssl tells them."""
        run = subprocess.run(["openssl", "x509", "-noout", "-subject", "-serial", "-nameopt", "RFC2253", "-in",
                              f"{self.folder}/caller.crt"], capture_output=True, text=True, check=True)
        return tuple(line.partition("=")[2] for line in run.stdout.splitlines())


class Handlers:
    """The program with its handlers, and their configurations in the cluster, while its `with` block lasts."""

    def __enter__(self):
        self._process = subprocess.Popen([SERVER, "serve", "0", *map(str, CLUSTER.certificates.serving),
                                          str(CLUSTER.certificates.ca)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self._process.stdout.readline())
        printed = subprocess.run([SERVER, "configuration", NAME, f"https://127.0.0.1:{self.port}",
                                  str(CLUSTER.certificates.ca)], capture_output=True, text=True, check=True)
        self.yaml = printed.stdout
        run = kubectl("apply", "-f", "-", input=self.yaml)
        if run.returncode:
            raise AssertionError(run.stderr)
        return self

    def stop(self):
        self._process.stdin.close()
        self._process.wait(timeout=120)

    def __exit__(self, *_):
        self.stop()
        self._process.stdout.close()
        api = CLUSTER.api()
        for kind in KINDS:
            api.request("DELETE", f"{CONFIGURATIONS}/{kind}/{NAME}")
        api.close()


def kubectl(*arguments, **options):
    environment = CLUSTER.environment(CLUSTER.kubeconfig_file())
    return subprocess.run(["kubectl", *arguments], env=environment, capture_output=True, text=True, check=False,
                          **options)


def widget(name, labels=None, **spec):
    return json.dumps({"apiVersion": "demo.example.com/v1", "kind": "Widget",
                       "metadata": {"name": name, "namespace": "default", "labels": labels or {}}, "spec": spec})


class Admission(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.api.post(V1_CRDS, CRD)
        self.addCleanup(delete_crd, CLUSTER.api(), CRD["metadata"]["name"])
        wait_for("widgets are not served", lambda: self.api.request("GET", WIDGETS)[0] == 200)
        self.handlers = self.enterContext(Handlers())
        # The API server learns of a configuration a moment later.
        wait_for("the handlers are not asked", self.are_asked)

    def are_asked(self):
        code, made = self.api.request("POST", f"{WIDGETS}?dryRun=All", json.loads(widget("probe")))
        return code == 201 and made["spec"].get("number") == 1

    def stored(self, name):
        return self.api.get(f"{WIDGETS}/{name}")["spec"]

    def test_a_default_is_set(self):
        run = kubectl("create", "-f", "-", input=widget("plain"))

        self.assertEqual(("", 0), (run.stderr, run.returncode))
        self.assertEqual({"number": 1}, self.stored("plain"))

    def test_a_text_becomes_a_number_and_a_warning(self):
        run = kubectl("create", "-f", "-", input=widget("text", number="5", other={"a": [1, None]}))

        self.assertEqual('Warning: spec.number is the text "5": write it without quotes\n', run.stderr)
        self.assertEqual({"number": 5, "other": {"a": [1, None]}}, self.stored("text"))

    def test_a_refusal_has_our_text_and_code(self):
        run = kubectl("create", "-f", "-", input=widget("wrong", number="five"))

        self.assertNotEqual(0, run.returncode)
        code, status = self.api.request("POST", WIDGETS, json.loads(widget("wrong", number=[])))
        self.assertEqual((422, "Invalid", REFUSAL), (code, status["reason"], status["message"]))
        self.assertEqual(404, self.api.request("GET", f"{WIDGETS}/wrong")[0])

    @unittest.skipIf(kubectl_program.lacks(32), kubectl_program.lacks(32))
    def test_kubectl_of_today_tells_the_text_of_a_refusal(self):
        run = CLUSTER.run([kubectl_program.program(32), "create", "-f", "-"], input=widget("wrong", number="five"))

        self.assertIn(REFUSAL, run.stderr)

    def test_a_handler_for_labelled_objects_sees_who_asks(self):
        run = kubectl("create", "-f", "-", input=widget("seen", {"watched": "yes"}))

        self.assertIn("Warning: user: test-admin\n", run.stderr)
        self.assertRegex(run.stderr, r"Warning: server: kube-apiserver\S*\n")
        subject, serial = CLUSTER.certificate_of_caller()
        self.assertIn(f"Warning: certificate: {subject}, serial number {serial}\n", run.stderr)

    def test_what_runs_is_kept_from_whom_the_filters_of_the_handler_say(self):
        for name in ("runs", "idle", "abandoned"):
            kubectl("create", "-f", "-", input=widget(name, state="idle" if name == "idle" else "running"))
        kubectl("annotate", "widget", "abandoned", "demo.example.com/abandoned=")

        kept = kubectl("delete", "widget", "runs")
        self.assertIn("the widget is in use: stop it first", kept.stderr)
        for arguments in (("idle",), ("abandoned",), ("runs", "--as=janitor", "--as-group=system:masters")):
            gone = kubectl("delete", "widget", *arguments)
            self.assertEqual(("", 0), (gone.stderr, gone.returncode), arguments)

    def test_updates_are_asked_about_and_other_ways_are_not(self):
        kubectl("create", "-f", "-", input=widget("ways", replicas=1))

        code, status = self.api.request("PATCH", f"{WIDGETS}/ways", {"spec": {"number": "x"}},
                                        "application/merge-patch+json")
        self.assertEqual((422, REFUSAL), (code, status["message"]))
        dry = kubectl("apply", "--dry-run=server", "-o", "json", "-f", "-", input=widget("dry", number="7"))
        self.assertEqual(7, json.loads(dry.stdout)["spec"]["number"])
        self.assertEqual(404, self.api.request("GET", f"{WIDGETS}/dry")[0])
        self.api.patch(f"{WIDGETS}/ways/status", {"status": {"number": "x"}})
        scaled = kubectl("scale", "widget", "ways", "--replicas=4")
        self.assertEqual(0, scaled.returncode, scaled.stderr)
        gone = kubectl("delete", "widget", "ways")
        self.assertEqual(("", 0), (gone.stderr, gone.returncode))

    def test_without_the_program_writes_end_as_their_handler_says(self):
        self.handlers.stop()

        # Of the handlers that all objects are for, requests fail.
        run = kubectl("create", "-f", "-", input=widget("down"))
        self.assertIn("failed calling webhook", run.stderr)
        for kind in KINDS:
            path = f"{CONFIGURATIONS}/{kind}/{NAME}"
            webhooks = [one for one in self.api.get(path)["webhooks"] if one["failurePolicy"] == "Ignore"]
            self.api.patch(path, {"webhooks": webhooks})
        # The one that is left lets them pass.
        self.assertEqual(["show-caller." + NAME], [one["name"] for one in self.api.get(
            f"{CONFIGURATIONS}/{KINDS[0]}/{NAME}")["webhooks"]])
        wait_for("widgets cannot be made", lambda: self.api.request(
            "POST", f"{WIDGETS}?dryRun=All", json.loads(widget("passes", {"watched": "yes"})))[0] == 201)

    def test_the_configurations_are_as_the_server_keeps_them(self):
        # What the server adds by itself is there already: an apply of the same has nothing to change.
        again = kubectl("diff", "-f", "-", input=self.handlers.yaml)
        self.assertEqual((0, ""), (again.returncode, again.stdout))
        names = [one["name"] for kind in KINDS
                 for one in self.api.get(f"{CONFIGURATIONS}/{kind}/{NAME}")["webhooks"]]
        self.assertEqual(["check-number", "show-caller", "keep-widget", "set-number", "convert-number"],
                         [re.sub(rf"\.{re.escape(NAME)}$", "", name) for name in names])


def main():
    global SERVER, CLUSTER
    SERVER = str(pathlib.Path(sys.argv[2]).resolve())
    with CertifiedCluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[3:])


if __name__ == "__main__":
    end(main)
