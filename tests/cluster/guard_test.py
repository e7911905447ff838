"""`kubectl-prune guard` called by a real API server: writers of fields that pruning would take are warned or
refused and counted, nobody else is, and a guard that is gone stands in nobody's way.

guard_test.py BINARY [TEST...]. Exit code 77 (skipped) without a server.
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from cluster import Cluster, wait_for
from guards import CONFIGURATIONS, CRD, HERE, KINDS, WIDGETS, Guard, crd, delete_configurations, widget
import kubectl as kubectl_program
from migrations import delete_crd
from runner import end, run_tests
from subjects import V1_CRDS, V1BETA1_CRDS

BINARY = None
CLUSTER = None
NAME = "guard.example.com"
LOSS = "spec.legacyMode of widgets.demo.example.com will be removed when pruning is turned on: not in the schema of v1"
WARNING = f"Warning: {LOSS}\n"
REFUSAL = f'admission webhook "guard.{NAME}" denied the request: {LOSS}'
TREE = "spec: {mode: (spec.legacyMode), legacyMode: null}\n"
TIME_LIMIT = 480


def kubectl(*arguments, **options):
    return CLUSTER.run(["kubectl", *arguments], **options)


def create(name, metadata=None, **spec):
    """Without kubectl's own validation, which may still be by the schema of the test before."""
    return kubectl("create", "--validate=false", "-f", "-", input=widget(name, metadata, **spec))


def refusal(name, query="", **spec):
    """What the server says against creating it; "" if it is created. kubectl of Debian 12 keeps that to itself."""
    api = CLUSTER.api()
    status, answer = api.request("POST", WIDGETS + query, json.loads(widget(name, **spec)))
    api.close()
    return answer["message"] if status == 422 else ""


def start(*arguments):
    return Guard(CLUSTER, [BINARY, "guard", *HERE, f"--managed={NAME}", *arguments])


class GuardedWidgets(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.api.post(V1BETA1_CRDS, crd())
        self.addCleanup(delete_crd, CLUSTER.api(), CRD)
        wait_for("widgets are not served", lambda: self.api.request("GET", WIDGETS)[0] == 200)

    def guard(self, *arguments):
        """Starts a guard, and waits until the API server asks it."""
        guard = self.enterContext(start(*arguments))
        self.wait_until_asked()
        return guard

    @staticmethod
    def wait_until_asked():
        def is_asked():
            run = kubectl("create", "--validate=false", "--dry-run=server", "-f", "-", input=widget("probe", probe=True))
            return "will be removed when" in run.stderr + refusal("probe", "?dryRun=All", probe=True)
        wait_for("the guard is not asked", is_asked, interval=0.3)

    def webhooks(self, kind=KINDS[0]):
        return [one["name"] for one in self.api.get(f"{CONFIGURATIONS}/{kind}/{NAME}").get("webhooks") or []]

    def stored(self, name):
        return self.api.get(f"{WIDGETS}/{name}")["spec"]

    def test_a_writer_is_warned_and_counted(self):
        guard = self.guard("widgets")

        run = create("one", legacyMode="slow")
        self.assertEqual((WARNING, 0), (run.stderr, run.returncode))
        self.assertEqual({"legacyMode": "slow"}, self.stored("one"))
        self.assertEqual("", create("two", mode="slow").stderr)
        # What names no manager is known by managedFields.
        self.api.patch(f"{WIDGETS}/two", {"spec": {"other": 1}})
        managers = guard.writers()
        self.assertEqual((1, 1, 0, 0), managers["test-admin", "kubectl-create", "spec.legacyMode"])
        self.assertEqual(["spec.other"], [path for _, manager, path in managers if manager != "kubectl-create"])
        report = guard.report()
        self.assertEqual(("GuardReport", "warn", 3, 2), (report["kind"], report["action"], *(
            report["summary"][key] for key in ("requests", "requestsLosingFields"))))
        wait_for("it does not say that it is asked", lambda: "the API server asks" in guard.lines)
        self.assertIn("test-admin (kubectl-create) writes spec.legacyMode of widgets.demo.example.com, which is not in "
                      "the schema of v1", guard.lines)
        self.assertRegex(guard.get("/metrics")[1], r'guard_lost_fields_total\{.*path="spec.legacyMode".*\} 1\n')
        self.assertEqual((200, "ok"), guard.get("/readyz"))

    def test_what_a_request_brings_is_denied_and_nothing_else(self):
        run = create("old", {"finalizers": ["demo.example.com/x"]}, legacyMode="slow")
        self.assertEqual("", run.stderr)
        guard = self.guard("widgets", "--action=deny")

        self.assertNotEqual(0, create("new", legacyMode="slow").returncode)
        code, status = self.api.request("POST", WIDGETS, json.loads(widget("new", legacyMode="slow")))
        self.assertEqual((422, "Invalid", REFUSAL), (code, status["reason"], status["message"]))
        for patch in ('{"spec": {"mode": "x"}}', '{"spec": {"legacyMode": "slower"}}',
                      '{"metadata": {"labels": {"a": "b"}}}'):
            run = kubectl("patch", "widget", "old", "--type=merge", "-p", patch)
            self.assertEqual((WARNING, 0), (run.stderr, run.returncode), patch)
        self.api.patch(f"{WIDGETS}/old/status", {"status": {"phase": "Ready", "unknown": 1}})
        kubectl("delete", "widget", "old", "--wait=false")
        run = kubectl("patch", "widget", "old", "--type=merge", "-p", '{"metadata": {"finalizers": null}}')
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertEqual(404, self.api.request("GET", f"{WIDGETS}/old")[0])
        self.assertEqual(2, guard.report()["summary"]["requestsDenied"])

    @unittest.skipIf(kubectl_program.lacks(32), kubectl_program.lacks(32))
    def test_kubectl_of_today_says_why_a_request_is_denied(self):
        self.guard("widgets", "--action=deny")
        run = CLUSTER.run([kubectl_program.program(32), "create", "--validate=false", "-f", "-"],
                          input=widget("new", legacyMode="slow"))
        self.assertIn(REFUSAL, run.stderr)

    def test_a_killed_guard_is_in_nobody_s_way(self):
        guard = self.guard("widgets", "--action=deny")
        guard.stop(signal.SIGKILL)

        self.assertEqual([f"guard.{NAME}"], self.webhooks())
        run = create("after", legacyMode="slow")
        self.assertEqual(0, run.returncode, run.stderr)
        # The next one takes its place.
        self.guard("widgets", "--action=deny")
        self.assertEqual(REFUSAL, refusal("again", legacyMode="slow"))

    def test_a_guard_whose_certificate_has_expired_says_so_and_is_in_nobody_s_way(self):
        CLUSTER.certificates.sign("expired", "/CN=guard", "subjectAltName=IP:127.0.0.1\n", days=-1)
        files = CLUSTER.certificates.folder
        guard = self.enterContext(start("widgets", "--action=deny", f"--cert-file={files}/expired.crt",
                                        f"--key-file={files}/expired.key", f"--ca-file={files}/ca.crt"))

        self.assertIn("Warning: nobody takes the certificate that is served: it expired at ", "\n".join(guard.lines))
        # It takes a moment until the API server knows of the webhook. Probes, which verify nothing, go on.
        wait_for("nobody says that handshakes fail", lambda: (
            create(f"w{time.monotonic_ns()}", legacyMode="x").returncode, guard.get("/healthz")[0],
            any("as who asked did not take the certificate" in line for line in guard.lines)) == (0, 200, True))
        self.assertNotIn("the API server asks", guard.lines)
        self.assertEqual(503, guard.get("/readyz")[0])
        _, metrics = guard.get("/metrics")
        self.assertRegex(metrics, r"\nadmission_certificate_expiry_seconds -\d+\n")
        self.assertRegex(metrics, r'\nadmission_tls_handshake_failures_total{reason="certificate_refused"} [1-9]')

    def test_a_guard_that_hangs_holds_a_write_up_for_its_timeout(self):
        guard = self.guard("widgets", "--action=deny")
        guard.process.send_signal(signal.SIGSTOP)
        self.addCleanup(guard.process.send_signal, signal.SIGCONT)
        began = time.monotonic()
        run = create("one", legacyMode="slow")
        took = time.monotonic() - began
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertLess(2.5, took)
        guard.process.send_signal(signal.SIGCONT)
        self.assertEqual(REFUSAL, refusal("two", legacyMode="slow"))

    def test_a_signal_ends_it_in_order(self):
        report = pathlib.Path(CLUSTER.folder) / "guard-report.json"
        guard = self.guard("widgets", f"--report-file={report}")
        create("one", legacyMode="slow")

        self.assertEqual(0, guard.stop())
        self.assertEqual([], self.webhooks())
        self.assertEqual(["spec.legacyMode"], [one["path"] for one in json.loads(report.read_text())["writers"]])
        self.assertEqual("", create("two", legacyMode="slow").stderr)

    def test_of_two_guards_one_goes_on(self):
        first = self.guard("widgets")
        second = self.enterContext(start("widgets"))
        self.assertEqual(0, first.stop())
        # They are the second one's by now.
        self.assertEqual([f"guard.{NAME}"], self.webhooks())
        self.assertEqual([], [line for line in first.lines if "taken away" in line])
        self.wait_until_asked()
        create("one", legacyMode="slow")
        self.assertEqual(1, second.report()["summary"]["requestsLosingFields"])

    def test_of_two_replicas_behind_one_address_each_tells_what_ends_and_what_goes_on(self):
        command = [BINARY, "guard", "widgets", "--addr=127.0.0.1", "--port=0", "--url=https://127.0.0.1:1",
                   f"--managed={NAME}"]
        first, second = (self.enterContext(Guard(CLUSTER, command)) for _ in range(2))
        self.assertEqual(0, first.stop())
        self.assertEqual(f"the webhooks of {NAME} are taken away; a replica that goes on puts its own there within "
                         "five seconds", first.lines[-1])
        wait_for("the webhooks are not put back", lambda: self.webhooks() == [f"guard.{NAME}"])
        wait_for("nothing is said of it", lambda: f"the webhooks of {NAME} were taken away, as by a replica that "
                 "ended, and are there again" in second.lines)

    def test_webhooks_that_somebody_takes_away_are_put_back(self):
        guard = self.guard("widgets")
        self.api.patch(f"{CONFIGURATIONS}/{KINDS[0]}/{NAME}", {"webhooks": []})
        self.assertEqual([], self.webhooks())
        wait_for("the webhooks are not put back", lambda: self.webhooks() == [f"guard.{NAME}"])
        wait_for("nothing is said of it", lambda: any("were taken away" in line for line in guard.lines))
        self.wait_until_asked()

    def test_what_others_have_put_there_stays(self):
        path = f"{CONFIGURATIONS}/{KINDS[0]}"
        self.api.post(path, {
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": NAME, "labels": {"team": "water"}}, "webhooks": [{
                "name": "other.example.org", "clientConfig": {"url": "https://127.0.0.1:1/"}, "sideEffects": "None",
                "admissionReviewVersions": ["v1"], "failurePolicy": "Ignore", "timeoutSeconds": 1,
                "rules": [{"apiGroups": ["example.org"], "apiVersions": ["*"], "resources": ["*"],
                           "operations": ["CREATE"]}]}]})
        before = self.api.get(f"{path}/{NAME}")
        guard = self.guard("widgets")

        self.assertEqual(["other.example.org", f"guard.{NAME}"], self.webhooks())
        self.assertEqual(0, guard.stop())
        after = self.api.get(f"{path}/{NAME}")
        self.assertEqual((before["webhooks"], before["metadata"]["labels"]),
                         (after["webhooks"], after["metadata"]["labels"]))

    def test_a_crd_is_followed(self):
        self.guard("--all")

        self.api.patch(f"{V1BETA1_CRDS}/{CRD}", {"spec": crd(legacyMode={"type": "string"})["spec"]})
        wait_for("the new schema does not count", lambda: kubectl(
            "create", "--validate=false", "--dry-run=server", "-f", "-", input=widget("a", legacyMode="x")).stderr == "", interval=0.3)
        self.api.patch(f"{V1BETA1_CRDS}/{CRD}", {"spec": {"preserveUnknownFields": False}})
        wait_for("a CRD that prunes is still guarded", lambda: self.webhooks() == [])
        self.api.patch(f"{V1BETA1_CRDS}/{CRD}", {"spec": {"preserveUnknownFields": True}})
        wait_for("a CRD that preserves is not guarded", lambda: self.webhooks() != [])

    def test_a_proposal_is_held_against_requests(self):
        proposal = pathlib.Path(CLUSTER.folder) / "proposal.json"
        spec = {"mode": {"type": "integer"}}
        body = crd()
        body["spec"]["preserveUnknownFields"] = False
        body["spec"]["validation"]["openAPIV3Schema"]["properties"]["spec"]["properties"] = {"size": spec["mode"]}
        proposal.write_text(json.dumps(body))
        self.guard("-f", str(proposal))

        self.assertEqual(WARNING.replace("legacyMode", "mode"), create("one", mode="slow", size=5).stderr)

    def test_a_mutation_that_would_do_harm_is_left_out(self):
        tree = pathlib.Path(CLUSTER.folder) / "harm.yaml"
        tree.write_text("spec: {doomed: 1, mode: (spec.number)}\n")
        guard = self.guard("widgets", "--action=deny", f"--mutation={tree}")
        wait_for("the mutation is not asked", lambda: "stays as it is" in create("probe", mode="x").stderr)

        self.assertEqual("Warning: the object stays as it is: the mutation would write spec.doomed, which will be "
                         "pruned\n", create("one", mode="x").stderr)
        self.assertEqual({"mode": "x"}, self.stored("one"))
        self.assertEqual({}, guard.writers())

    def test_without_a_structural_schema_nothing_is_denied(self):
        spec = crd()["spec"]
        del spec["validation"]
        self.api.request("DELETE", f"{V1BETA1_CRDS}/{CRD}")
        wait_for("the CRD is not deleted", lambda: self.api.request("GET", f"{V1BETA1_CRDS}/{CRD}")[0] == 404)
        self.api.post(V1BETA1_CRDS, {**crd(), "spec": spec})
        wait_for("widgets are not served", lambda: self.api.request("GET", WIDGETS)[0] == 200)
        guard = self.enterContext(start("widgets", "--action=deny"))

        self.assertIn("note: nothing can be pruned by the schema of v1 of widgets.demo.example.com, so its requests "
                      'are let pass; "kubectl prune check widgets.demo.example.com" tells why', guard.lines)
        wait_for("the guard is not asked", lambda: (create(f"w{time.monotonic_ns()}", legacyMode="x").returncode,
                                                     guard.report()["summary"]["requests"] > 0) == (0, True))
        self.assertEqual({}, guard.writers())

    def test_what_is_printed_can_be_applied(self):
        environment = CLUSTER.environment(CLUSTER.kubeconfig_file())
        with subprocess.Popen([BINARY, "guard", "widgets", *HERE], env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as guard:
            printed = guard.stdout.read()  # to its end, though the guard goes on
            self.assertIsNone(guard.poll())
            run = kubectl("apply", "-f", "-", input=printed)
            self.assertEqual(0, run.returncode, run.stderr)
            self.wait_until_asked()
            guard.terminate()
            self.assertEqual(0, guard.wait(240))
        delete_configurations(CLUSTER)

    def test_the_examples_of_the_help(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "crds.yaml").write_text(json.dumps(crd()))
        (folder / "move.yaml").write_text(TREE)
        usage = CLUSTER.run([BINARY, "guard", "--help"]).stdout
        examples = re.findall(r"^  kubectl prune (guard .*)$", usage.partition("Options:")[0], re.MULTILINE)
        self.assertLess(3, len(examples))
        for example in examples:
            with self.subTest(example):
                with Guard(CLUSTER, [BINARY, *example.split(), "--port=0"], cwd=folder) as guard:
                    self.assertIn(f"guarding {CRD}", "\n".join(guard.lines))
                    self.assertEqual((200, "ok"), guard.get("/readyz"))
                    self.assertEqual(0, guard.stop())
                self.assertEqual([], [line for line in guard.lines if "error" in line])

    def test_whom_to_ask_is_told(self):
        contact = "ask the widget team, #widgets"
        self.guard("widgets", f"--contact={contact}")
        self.assertEqual(f"{WARNING}Warning: {contact}\n", create("asked", legacyMode="slow").stderr)

    def test_a_migration_passes_untouched(self):
        for number in range(5):
            create(f"w{number}", legacyMode="slow")
        guard = self.guard("widgets", "--action=deny")

        run = CLUSTER.run([BINARY, "migrate", "widgets", "--enable-pruning", "--yes"], cwd=CLUSTER.folder, timeout=TIME_LIMIT)
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertEqual({}, guard.writers())
        self.assertNotIn("will be removed when", run.stderr)

    def test_the_way_from_the_writer_to_a_clean_etcd(self):
        tree = pathlib.Path(CLUSTER.folder) / "move.yaml"
        tree.write_text(TREE)
        create("before", legacyMode="slow")
        with start("widgets") as guard:
            self.wait_until_asked()
            create("named", legacyMode="slow")
            self.assertIn(("test-admin", "kubectl-create", "spec.legacyMode"), guard.writers())

        guard = self.guard("widgets", f"--mutation={tree}")
        wait_for("the mutation is not asked", lambda: "mode: moved" in kubectl(
            "create", "--validate=false", "--dry-run=server", "-o", "yaml", "-f", "-", input=widget("a", legacyMode="moved")).stdout
            .replace("legacyMode", ""), interval=0.3)
        run = create("moved", legacyMode="slow")
        self.assertEqual(("", {"mode": "slow"}), (run.stderr, self.stored("moved")))
        self.assertEqual((1, 1, 0, 1), guard.writers()["test-admin", "kubectl-create", "spec.legacyMode"])

        run = CLUSTER.run([BINARY, "migrate", "widgets", "--enable-pruning", "--yes", f"--mutation={tree}"],
                          cwd=CLUSTER.folder, timeout=TIME_LIMIT)
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertIs(False, self.api.get(f"{V1_CRDS}/{CRD}")["spec"].get("preserveUnknownFields", False))
        stored = {key.rsplit("/", 1)[-1]: json.loads(text)["spec"]
                  for key, text in CLUSTER.etcd_range("/registry/demo.example.com/widgets/").items()}
        self.assertEqual({"mode": "slow"}, stored["before"])
        self.assertEqual({"mode": "slow"}, stored["named"])
        self.assertEqual([], [key for key, spec in stored.items() if set(spec) - {"mode"}])


def main():
    global BINARY, CLUSTER
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
