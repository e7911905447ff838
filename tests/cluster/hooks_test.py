"""The hooks of krew/manifests let a good upgrade of CRDs pass and stop any other: what they render to is applied to
a real API server, and their Jobs are run as pods.

hooks_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a server,
or without kubectl; tests that run a pod say so where none can be run. The kustomize of a newer kubectl builds what
Argo CD and Flux would. Helm is in no package of Debian: the few places of the templates that it would fill are filled
here.
"""
import copy
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import yaml

from cluster import SKIPPED, Cluster, wait_for
import kubectl
from migrations import delete_crd
import pods
from rights import RBAC
from runner import end, run_tests
from subjects import V1_CRDS, V1BETA1_CRDS

HOOKS = pathlib.Path(__file__).resolve().parents[2] / "krew/manifests/hooks"
KUSTOMIZES = 21  # the minor version of the first kubectl whose kustomize reads these folders
GROUP = "demo.example.com"
SHOP = "/api/v1/namespaces/demo"
CONFIG_MAP_BYTES = 2**20
BINARY = None
CLUSTER = None


# What the tools would render.

def filled(template, bundle):
    """A template of the chart, as Helm renders it for the release "demo" with `bundle` in crds/."""
    text = (HOOKS / "helm" / template).read_text(encoding="utf-8")
    config = yaml.safe_dump({"crds.yaml": bundle}, width=10**9)
    for place, value in (('{{ (.Files.Glob "crds/**.yaml").AsConfig | indent 2 }}',
                          "".join(f"  {line}" for line in config.splitlines(True))),
                         ("{{ .Release.Name }}", "demo"), ("{{ .Release.Namespace }}", "demo")):
        text = text.replace(place, value)
    assert "{{" not in text, template
    return [one for one in yaml.safe_load_all(text) if one]


def helm(bundle, template="crd-gate.yaml"):
    return filled(template, bundle)


def kustomized(folder, bundle):
    """What `kubectl kustomize` builds of a folder of hooks, with `bundle` in crds/."""
    copied = pathlib.Path(tempfile.mkdtemp(prefix="hooks."))
    try:
        shutil.copytree(HOOKS, copied / "hooks")
        (copied / "hooks" / folder / "crds").mkdir(exist_ok=True)
        (copied / "hooks" / folder / "crds/crds.yaml").write_text(bundle, encoding="utf-8")
        built = CLUSTER.run([kubectl.program(KUSTOMIZES), "kustomize", f"{copied}/hooks/{folder}"])
        assert built.returncode == 0, built.stderr
        return list(yaml.safe_load_all(built.stdout))
    finally:
        shutil.rmtree(copied)


def of_kind(objects, kind, name=""):
    found, = [one for one in objects if one["kind"] == kind and name in one["metadata"]["name"]]
    return found


def annotation(one, key):
    return one["metadata"].get("annotations", {}).get(key)


# CRDs and objects.

def version(name, served=True, storage=False, **spec):
    """Fields of `spec` are schemas; `required` names some of them."""
    required = {"required": spec.pop("required")} if "required" in spec else {}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": spec, **required}}}
    return {"name": name, "served": served, "storage": storage, "schema": {"openAPIV3Schema": schema}}


def crd(plural, *versions, **spec):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{GROUP}"},
            "spec": {"group": GROUP, "scope": "Namespaced", "versions": list(versions),
                     "names": {"plural": plural, "singular": plural[:-1], "kind": plural[:-1].title(),
                               "listKind": f"{plural[:-1].title()}List"}, **spec}}


TEXT = {"type": "string"}


class HooksTest(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": "demo"}})

    def apply(self, objects):
        """As the tool would, and takes it away at the end."""
        text = yaml.safe_dump_all(objects)
        path = CLUSTER.folder / "applied.yaml"
        path.write_text(text, encoding="utf-8")
        done = CLUSTER.kubectl("apply", "-f", str(path))
        self.assertEqual(0, done.returncode, done.stderr)

        def take_away():
            path.write_text(text, encoding="utf-8")
            CLUSTER.kubectl("delete", "--ignore-not-found", "--wait=false", "-f", str(path))

        self.addCleanup(take_away)

    @staticmethod
    def token(job):
        return CLUSTER.service_account_token("demo", job["spec"]["template"]["spec"]["serviceAccountName"])

    def may(self, token, group, resource, verb):
        CLUSTER.tokens["hook"] = token
        own = CLUSTER.api("hook")
        self.addCleanup(own.close)
        asked = {"group": group, "resource": resource, "verb": verb}
        return own.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                        {"spec": {"resourceAttributes": asked}})["status"]["allowed"]

    def run_job(self, name, bundle_name=""):
        """The Job and the ConfigMap are taken from the server."""
        if pods.lacks():
            self.skipTest(pods.lacks())
        job = self.api.get(f"/apis/batch/v1/namespaces/demo/jobs/{name}")
        maps = {bundle_name: self.api.get(f"{SHOP}/configmaps/{bundle_name}")["data"]} if bundle_name else {}
        token = self.token(job)
        wait_for("rights", lambda: self.may(token, GROUP, "anything", "list"))
        return pods.run(job["spec"]["template"]["spec"], BINARY, CLUSTER, token, maps)

    def gate(self, *bundle):
        """What the gate of the chart says to CRDs, or to a text."""
        text = "".join(one if isinstance(one, str) else f"---\n{yaml.safe_dump(one)}" for one in bundle)
        self.apply(helm(text))
        return self.run_job("demo-crd-gate", "demo-crd-gate-bundle")

    def migrate(self, plural):
        """By the Job of the chart, behind the upgrade."""
        objects = copy.deepcopy(helm("", "crd-migration.yaml"))
        args = of_kind(objects, "Job")["spec"]["template"]["spec"]["containers"][0]["args"]
        args[args.index(f"widgets.{GROUP}")] = f"{plural}.{GROUP}"
        CLUSTER.kubectl("delete", "--ignore-not-found", "-n", "demo", "job", "demo-crd-migration")
        self.apply(objects)
        log = self.run_job("demo-crd-migration")
        self.assertEqual(0, log.code, log)
        for word in ("arning", "unknown", "missing", "forbidden"):
            self.assertNotIn(word, log.text)
        return log

    def upgrade(self, new):
        """As kubectl apply does; returns what the server says against it."""
        path = CLUSTER.folder / "upgrade.yaml"
        path.write_text(yaml.safe_dump(new), encoding="utf-8")
        done = CLUSTER.kubectl("apply", "-f", str(path))
        return done.stderr if done.returncode else ""

    def bring_in(self, old, path=V1_CRDS):
        name = old["metadata"]["name"]
        self.addCleanup(lambda: delete_crd(CLUSTER.api(), name))
        self.api.post(path, old)

    def create(self, plural, in_version, name, **spec):
        path = f"/apis/{GROUP}/{in_version}/namespaces/demo/{plural}"
        wait_for(path, lambda: self.api.request("GET", path)[0] == 200)
        body = {"apiVersion": f"{GROUP}/{in_version}", "kind": plural[:-1].title(), "metadata": {"name": name},
                "spec": spec}
        # A server that was late has not that version yet, or not its schema.
        wait_for(name, lambda: self.api.request("POST", path, body)[0] in (201, 409))

    def store_in(self, plural, name):
        """Makes a version the storage version, and waits until objects are stored in it."""
        path = f"{V1_CRDS}/{plural}.{GROUP}"
        versions = self.api.get(path)["spec"]["versions"]
        self.api.patch(path, {"spec": {"versions": [{**one, "storage": one["name"] == name} for one in versions]}})
        self.wait_until_stored_in(plural, name)

    def wait_until_stored_in(self, plural, name):
        objects = f"/apis/{GROUP}/{name}/namespaces/demo/{plural}"

        def is_stored():
            self.api.request("DELETE", f"{objects}/probe")
            kind = plural[:-1].title()
            made = self.api.request("POST", objects, {"apiVersion": f"{GROUP}/{name}", "kind": kind,
                                                      "metadata": {"name": "probe"}, "spec": {"dnsName": "probe"}})
            key = f"/registry/{GROUP}/{plural}/demo/probe"
            return made[0] == 201 and json.loads(CLUSTER.etcd_get(key))["apiVersion"].endswith(f"/{name}")

        wait_for(f"{plural} stored in {name}", is_stored)
        self.api.request("DELETE", f"{objects}/probe")

    def stored_versions(self, plural):
        return self.api.get(f"{V1_CRDS}/{plural}.{GROUP}")["status"]["storedVersions"]

    def assert_stopped(self, log, code, *texts):
        """With the texts in what is kept of the log without any right."""
        self.assertEqual(code, log.code, log)
        for text in texts:
            self.assertIn(text, log.message(), log)


class Gate(HooksTest):
    """Exit code 0 goes on, 1 and 2 stop."""

    OLD = crd("lamps", version("v1", storage=True, color=TEXT, watts={"type": "integer"}))

    def setUp(self):
        super().setUp()
        self.bring_in(self.OLD)
        self.create("lamps", "v1", "red", color="red", watts=60)
        self.create("lamps", "v1", "plain", color="white")

    def changed(self, **spec):
        return crd("lamps", version("v1", storage=True, **spec))

    def test_an_upgrade_that_keeps_what_objects_hold_goes_on(self):
        log = self.gate(self.changed(color=TEXT, watts={"type": "integer"}, socket=TEXT))
        self.assertEqual(0, log.code, log)

    def test_one_that_loses_a_field_is_stopped(self):
        log = self.gate(self.changed(color=TEXT))
        self.assert_stopped(log, 1, "loses-fields", ".spec.watts", "demo/red")

    def test_one_that_makes_objects_invalid_is_stopped(self):
        log = self.gate(self.changed(color=TEXT, watts={"type": "integer"}, required=["watts"]))
        self.assert_stopped(log, 1, "invalid", "spec.watts", "Required value", "demo/plain")

    def test_a_bundle_that_cannot_be_read_is_stopped(self):
        self.assert_stopped(self.gate("apiVersion: [\n"), 2, "crds.yaml:")

    def test_a_bundle_without_a_crd_is_stopped(self):
        self.assert_stopped(self.gate(""), 2, "no CustomResourceDefinitions found")
        # As Helm renders it where the chart has no crds/.
        objects = helm("")
        of_kind(objects, "ConfigMap")["data"] = {}
        log = pods.run(of_kind(objects, "Job")["spec"]["template"]["spec"], BINARY, CLUSTER, "none",
                       {"demo-crd-gate-bundle": {}})
        self.assertEqual(2, log.code, log)

    def test_none_of_its_rights_is_unneeded(self):
        new = self.changed(color=TEXT, watts={"type": "integer"})
        self.apply(helm(yaml.safe_dump(new)))
        path = f"{RBAC}/clusterroles/demo-demo-crd-gate"
        role = self.api.get(path)
        job = self.api.get("/apis/batch/v1/namespaces/demo/jobs/demo-crd-gate")
        token = self.token(job)
        for number, rule in enumerate(role["rules"]):
            self.assertEqual(1, len(rule["verbs"]), rule)
            rules = role["rules"][:number] + role["rules"][number + 1:]
            self.api.patch(path, {"rules": rules})
            group, verb = rule["apiGroups"][0], rule["verbs"][0]
            resource = rule["resources"][0].replace("*", "lamps")
            wait_for("the right is gone", lambda g=group, r=resource, v=verb: not self.may(token, g, r, v))
            log = pods.run(job["spec"]["template"]["spec"], BINARY, CLUSTER, token,
                           {"demo-crd-gate-bundle": {"crds.yaml": yaml.safe_dump(new)}})
            self.assert_stopped(log, 2, f'cannot {verb} resource "{resource}"')


class KnownUpgrades(HooksTest):
    """Steps that well-known projects asked of their users."""

    def test_old_versions_go_of_which_one_is_still_stored(self):
        # v1alpha2 to v1 were served for years; the release that has v1 alone is refused until all
        # is rewritten.
        names = {"dnsName": TEXT}
        old = ["v1alpha2", "v1alpha3", "v1beta1", "v1"]
        self.bring_in(crd("certs", *(version(one, storage=one == "v1alpha2", **names) for one in old)))
        self.create("certs", "v1alpha2", "first", dnsName="a.example.com")
        self.store_in("certs", "v1")
        self.create("certs", "v1", "second", dnsName="b.example.com")
        new = crd("certs", version("v1", storage=True, **names))

        self.assert_stopped(self.gate(new), 1, "blocked", 'status.storedVersions[0]: Invalid value: "v1alpha2": ')
        self.assertIn('status.storedVersions[0]: Invalid value: "v1alpha2": ', self.upgrade(new))
        self.assertIn("2 objects: ", self.migrate("certs").text)

        self.assertEqual(0, self.gate(new).code)
        self.assertEqual("", self.upgrade(new))
        self.assertEqual(["v1"], self.stored_versions("certs"))

    def test_the_storage_version_moves_twice_and_the_migration_behind_each_release_lets_the_next_pass(self):
        # v1alpha5, v1beta1, v1: whoever leaves a release out is stopped.
        def release(*names):
            return crd("pools", *(version(one, storage=one == names[-1], limit={"type": "integer"}) for one in names))

        first, second, third = (release("v1alpha5", "v1beta1"), release("v1beta1", "v1"), release("v1"))
        self.bring_in(release("v1alpha5"))
        self.create("pools", "v1alpha5", "old", limit=1)
        self.assert_stopped(self.gate(second), 1, '"v1alpha5": ')  # a release left out
        for new, next_one, storage, gone in ((first, second, "v1beta1", "v1alpha5"), (second, third, "v1", "v1beta1")):
            self.assertEqual(0, self.gate(new).code)
            self.assertEqual("", self.upgrade(new))
            self.wait_until_stored_in("pools", storage)
            self.assert_stopped(self.gate(next_one), 1, f'status.storedVersions[0]: Invalid value: "{gone}": ')
            self.migrate("pools")
        self.assertEqual(0, self.gate(third).code)
        self.assertEqual("", self.upgrade(third))

    def test_a_release_that_prunes_and_defaults_is_stopped_while_the_live_crd_keeps_fields_it_would_lose(self):
        # A CRD of v1beta1 that preserves unknown fields; v1 with defaults, which the server takes
        # only behind the switch.
        keeps = crd("routes", version("v1", storage=True, host=TEXT), preserveUnknownFields=True)
        keeps["apiVersion"] = "apiextensions.k8s.io/v1beta1"
        schema = keeps["spec"]["versions"][0].pop("schema")
        self.bring_in({**keeps, "spec": {**keeps["spec"], "validation": schema}}, V1BETA1_CRDS)
        self.create("routes", "v1", "one", host="a", retriesPolicy="legacy")
        prunes = crd("routes", version("v1", storage=True, host=TEXT, weight={"type": "integer", "default": 1}),
                     preserveUnknownFields=False)

        self.assert_stopped(self.gate(prunes), 1, "loses-fields", ".spec.retriesPolicy", "demo/one")
        done = CLUSTER.run([BINARY, "migrate", f"routes.{GROUP}", "--enable-pruning", "--yes",
                            f"--backup-dir={CLUSTER.folder}/backup"])
        self.assertEqual(0, done.returncode, done.stderr)

        self.assertEqual(0, self.gate(prunes).code)
        self.assertEqual("", self.upgrade(prunes))

    def test_a_conversion_webhook_that_is_down_leaves_the_answer_open_and_so_stops(self):
        both = [version("v1beta1", storage=True, host=TEXT), version("v1", host=TEXT)]
        self.bring_in(crd("plans", *both))
        self.create("plans", "v1beta1", "one", host="a")
        authority = json.loads(CLUSTER.kubeconfig())["clusters"][0]["cluster"]["certificate-authority-data"]
        webhook = {"strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://127.0.0.1:1/convert", "caBundle": authority}}}
        both[0]["storage"], both[1]["storage"] = False, True
        self.addCleanup(self.api.patch, f"{V1_CRDS}/plans.{GROUP}",
                        {"spec": {"conversion": {"strategy": "None", "webhook": None}}})
        self.api.patch(f"{V1_CRDS}/plans.{GROUP}", {"spec": {"versions": both, "conversion": webhook}})
        path = f"/apis/{GROUP}/v1/namespaces/demo/plans"
        wait_for("the webhook is asked", lambda: self.api.request("GET", path)[0] == 500)

        log = self.gate(crd("plans", *both, conversion=webhook))
        self.assert_stopped(log, 2, "conversion webhook for", "connection refused")

    def test_a_narrowed_enum_is_stopped_by_the_objects_that_hold_what_goes_and_by_no_others(self):
        # As an ingress class or a provider that a release no longer has.
        self.bring_in(crd("gates", version("v1", storage=True, kind={**TEXT, "enum": ["Legacy", "New"]})))
        new = crd("gates", version("v1", storage=True, kind={**TEXT, "enum": ["New"]}))
        self.create("gates", "v1", "fresh", kind="New")
        self.assertEqual(0, self.gate(new).code)
        self.create("gates", "v1", "stale", kind="Legacy")
        self.assert_stopped(self.gate(new), 1, "invalid", "spec.kind", "demo/stale")


def kustomizes(test):
    return unittest.skipIf(kubectl.lacks(KUSTOMIZES), kubectl.lacks(KUSTOMIZES))(test)


class Tools(HooksTest):
    """Each tool runs the gate before the CRDs, keeps what failed, and runs the same pod."""

    BUNDLE = yaml.safe_dump(crd("lamps", version("v1", storage=True, color=TEXT)))

    def pod(self, objects, name):
        return of_kind(objects, "Job", name)["spec"]["template"]["spec"]

    def without_names(self, spec):
        spec = copy.deepcopy(spec)
        spec.pop("serviceAccountName")
        for volume in spec["volumes"]:
            volume.get("configMap", {}).pop("name", None)
        return spec

    @kustomizes
    def test_all_run_the_same_pods_with_the_same_rights(self):
        argocd, flux = kustomized("argocd", self.BUNDLE), kustomized("flux", self.BUNDLE)
        for name, others in (("crd-gate", (argocd, flux)), ("crd-migration", (argocd, kustomized("migration", "")))):
            chart = helm(self.BUNDLE, f"{name}.yaml")
            for other in others:
                self.assertEqual(self.without_names(self.pod(chart, name)), self.without_names(self.pod(other, name)))
                self.assertEqual(of_kind(chart, "ClusterRole", name)["rules"],
                                 of_kind(other, "ClusterRole", name)["rules"])

    def test_a_job_that_failed_is_not_tried_again_and_stays_to_be_read(self):
        job = of_kind(helm(self.BUNDLE), "Job")["spec"]
        self.assertEqual(0, job["backoffLimit"])
        self.assertNotIn("ttlSecondsAfterFinished", job)  # Flux would make it anew, for ever
        self.assertEqual("Never", job["template"]["spec"]["restartPolicy"])
        container, = job["template"]["spec"]["containers"]
        self.assertEqual("FallbackToLogsOnError", container["terminationMessagePolicy"])

    def test_helm_makes_all_before_the_job_and_deletes_no_job_that_failed(self):
        for template, event in (("crd-gate.yaml", "pre-upgrade"), ("crd-migration.yaml", "post-upgrade")):
            objects = helm(self.BUNDLE, template)
            self.assertEqual({event}, {annotation(one, "helm.sh/hook") for one in objects})
            job = of_kind(objects, "Job")
            weights = [int(annotation(one, "helm.sh/hook-weight")) for one in objects if one != job]
            self.assertLess(max(weights), int(annotation(job, "helm.sh/hook-weight")))
            self.assertEqual("before-hook-creation", annotation(job, "helm.sh/hook-delete-policy"))

    @kustomizes
    def test_argo_cd_runs_the_gate_before_the_crds_and_the_migration_behind(self):
        objects = kustomized("argocd", self.BUNDLE)
        self.assertIsNone(annotation(of_kind(objects, "CustomResourceDefinition"), "argocd.argoproj.io/hook"))
        for name, phase in (("crd-gate", "PreSync"), ("crd-migration", "PostSync")):
            own = [one for one in objects if one["metadata"].get("labels", {}).get("app.kubernetes.io/name") == name]
            self.assertEqual({phase}, {annotation(one, "argocd.argoproj.io/hook") for one in own})
            self.assertEqual({"BeforeHookCreation"},
                             {annotation(one, "argocd.argoproj.io/hook-delete-policy") for one in own})
            waves = {one["kind"]: int(annotation(one, "argocd.argoproj.io/sync-wave")) for one in own}
            self.assertLess(max(wave for kind, wave in waves.items() if kind != "Job"), waves["Job"])
        self.apply(objects)
        self.addCleanup(lambda: delete_crd(CLUSTER.api(), f"lamps.{GROUP}"))
        self.assertEqual(0, self.run_job("crd-gate", "crd-gate-bundle").code)

    @kustomizes
    def test_flux_runs_the_gate_anew_for_each_bundle_and_has_the_crds_wait_for_it(self):
        objects = kustomized("flux", self.BUNDLE)
        other = kustomized("flux", self.BUNDLE.replace("color", "colour"))
        bundles = [of_kind(one, "ConfigMap")["metadata"]["name"] for one in (objects, other)]
        self.assertNotEqual(*bundles)
        for built, name in zip((objects, other), bundles):
            self.assertEqual(name, self.pod(built, "crd-gate")["volumes"][0]["configMap"]["name"])
        self.apply(objects)
        self.assertEqual(0, self.run_job("crd-gate", bundles[0]).code)

        order = {one["metadata"]["name"]: one["spec"]
                 for one in yaml.safe_load_all((HOOKS / "flux/flux.yaml").read_text(encoding="utf-8"))}
        self.assertEqual([{"name": "demo-gate"}], order["demo-crds"]["dependsOn"])
        self.assertEqual([{"name": "demo-crds"}], order["demo-migration"]["dependsOn"])
        self.assertFalse(order["demo-crds"]["prune"])
        self.assertEqual(1, len({json.dumps(spec["sourceRef"]) for spec in order.values()}))
        for name in ("demo-gate", "demo-migration"):
            self.assertTrue(order[name]["wait"] and order[name]["force"])
        for spec in order.values():
            folder = HOOKS.parent / spec["path"].removesuffix("/crds")
            self.assertTrue((folder / "kustomization.yaml").exists(), folder)

    def test_more_than_a_config_map_holds_is_refused_by_the_server(self):
        # So there is another way, by an image.
        large = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large", "namespace": "demo"},
                 "data": {"crds.yaml": "x" * (CONFIG_MAP_BYTES + 1)}}
        self.assertEqual(422, self.api.request("POST", f"{SHOP}/configmaps", large)[0])
        image = (HOOKS / "Dockerfile").read_text(encoding="utf-8")
        self.assertIn("COPY crds /bundle\n", image)
        self.assertIn("/bundle", self.pod(helm(""), "crd-gate")["containers"][0]["args"])


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    if kubectl.lacks():
        print(f"skipped: {kubectl.lacks()}")
        return SKIPPED
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
