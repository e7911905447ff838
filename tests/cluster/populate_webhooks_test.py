"""What the webhooks of `kubectl-prune populate` allow and refuse, asked by a real API server: who has made a namespace
cannot be forged, templates, opting out and initializing need their rights, and nobody waits for ever.

populate_webhooks_test.py BINARY [TEST...]. Exit code 77 (skipped) without a server.
"""
import base64
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import documents
from cluster import Cluster, wait_for
from guards import CONFIGURATIONS, HERE, KINDS
from populating import (CREATOR, INITIALIZATIONS, NAMESPACES, OPT_OUT, PENDING, POPULATED, REQUIRE_PERMISSION, Controlled,
                        NobodyAdmits, bring_in_the_crd, config_map)
from rights import Rights
from runner import end, run_tests
from webhook import Listener

BINARY = None
CLUSTER = None
NAME = "populate.example.com"
WEBHOOKS = ("--webhooks=all", *HERE, f"--managed={NAME}")
MAKER = "system:serviceaccount:builders:maker"
SLACK_SECONDS = 16  # of a machine with other work
TEMPLATE_GROUP = "policy.kubectl-prune.dev"
NAMESPACE_RIGHTS = [
    {"apiGroups": [""], "resources": ["namespaces", "namespaces/status", "namespaces/finalize"],
     "verbs": ["get", "create", "patch", "update", "delete"]},
    {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create", "patch", "update", "delete"]}]


def template_rights(*verbs, names=()):
    rule = {"apiGroups": [TEMPLATE_GROUP], "resources": ["namespacetemplates"], "verbs": list(verbs)}
    return [*NAMESPACE_RIGHTS, {**rule, "resourceNames": list(names)} if names else rule]


class Labeller(Listener):
    """Sets labels."""

    def __init__(self, cluster, **labels):
        super().__init__(cluster)
        self._labels = labels

    def answer(self, review):
        patch = [{"op": "add", "path": f"/metadata/labels/{key}", "value": value} for key, value in self._labels.items()]
        return {"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": {
            "uid": review["request"]["uid"], "allowed": True, "patchType": "JSONPatch",
            "patch": base64.b64encode(json.dumps(patch).encode()).decode()}}


class Asked(Controlled):
    """What webhooks allow and refuse. jo may make namespaces, and objects in them, and no more."""

    def setUp(self):
        self.begin(CLUSTER, BINARY)
        self.enterContext(Rights(CLUSTER, "jo", NAMESPACE_RIGHTS))
        self.jo = CLUSTER.api("jo")
        self.addCleanup(self.jo.close)

    def served(self, *arguments):
        """Starts a controller, and waits until the API server asks it."""
        controller = self.controller(*WEBHOOKS, *arguments)
        self.wait_until_asked()
        return controller

    def wait_until_asked(self):
        def is_asked():
            path = f"{NAMESPACES}?dryRun=All"
            status, answer = self.api.request("POST", path, {"metadata": {"name": "probe"}})
            refused, _ = self.jo.request("POST", path, {"metadata": {"name": "probe", "labels": {POPULATED: "true"}}})
            return (status, refused) == (201, 403) and CREATOR in answer["metadata"].get("annotations", {})
        wait_for("the webhooks are not asked", is_asked)

    def make(self, api, name, labels=None, annotations=None, **options):
        """Returns (HTTP code, answer)."""
        query = "".join(f"?{key}={value}" for key, value in options.items())
        return api.request("POST", NAMESPACES + query, {"metadata": {
            "name": f"{name}-{self.number}", "labels": {"test": str(self.number), **(labels or {})},
            "annotations": annotations or {}}})

    @staticmethod
    def patch_as(api, namespace, metadata, suffix=""):
        return api.request("PATCH", f"{NAMESPACES}/{namespace}{suffix}", {"metadata": metadata},
                           "application/merge-patch+json")

    def refused(self, code, text, answer):
        """`answer` is (HTTP code, Status)."""
        self.assertEqual(code, answer[0], answer[1])
        self.assertIn(text, answer[1]["message"])

    def allowed(self, answer):
        self.assertIn(answer[0], (200, 201), answer[1])
        return answer[1]

    def user(self, name, rules):
        self.enterContext(Rights(CLUSTER, name, rules))
        api = CLUSTER.api(name)
        self.addCleanup(api.close)
        return api

    def creator(self, namespace):
        return self.api.get(f"{NAMESPACES}/{namespace}")["metadata"].get("annotations", {}).get(CREATOR)

    def test_who_makes_a_namespace_is_its_creator_for_ever(self):
        old = self.namespace("old")
        self.template("every", config_map("note", text="of $(CREATOR)"))
        self.served()
        forged = self.allowed(self.make(self.jo, "shop", annotations={CREATOR: "root"}))
        self.assertEqual("jo", forged["metadata"]["annotations"][CREATOR])
        shop = forged["metadata"]["name"]
        self.assertEqual("jo", self.creator(shop))
        self.wait_until_made({"ConfigMap/note": {"text": "of jo"}}, shop)
        for api in (self.jo, self.api):
            for value in ("root", "", None):
                for suffix in ("", "/status"):
                    self.refused(422, "field is immutable",
                                 self.patch_as(api, shop, {"annotations": {CREATOR: value}}, suffix))
            self.refused(422, "field is immutable", self.patch_as(api, old, {"annotations": {CREATOR: "jo"}}))
        body = self.api.get(f"{NAMESPACES}/{shop}")
        body["metadata"]["annotations"][CREATOR] = "root"
        self.refused(422, "field is immutable", self.jo.request("PUT", f"{NAMESPACES}/{shop}", body))
        self.allowed(self.patch_as(self.jo, shop, {"annotations": {"other": "x"}}))
        self.assertEqual("jo", self.creator(shop))
        self.assertIsNone(self.creator(old))

    def test_the_creator_counts_only_as_long_as_it_is_guarded(self):
        name = self.template("every", config_map("note", text="of $(CREATOR)"))
        with self.populater(*WEBHOOKS, "--ignore-failures=creator") as controller:
            self.wait_until_asked()
            shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
            wait_for("it is not refused", lambda: self.refusal(name))
            wait_for("the reason is not told", lambda: "lets pass while nobody answers" in self.refusal(name)[1])
            self.assertEqual({}, self.made(shop))
            self.assertEqual(1, self.populate_once(shop).returncode)
            self.assertEqual(1, controller.metrics()["populate_templates_refused"])
            self.assertEqual(0, controller.stop())
        self.served()
        self.wait_until_made({"ConfigMap/note": {"text": "of jo"}}, shop)
        wait_for("it is still refused", lambda: self.refusal(name) is None)
        self.assertEqual(0, self.populate_once(shop).returncode)
        # Who may not look for the webhook cannot prove it.
        run = self.populate_once(shop, user="ann")
        self.assertNotEqual(0, run.returncode)
        rules = [{"apiGroups": [TEMPLATE_GROUP], "resources": ["namespacetemplates"], "verbs": ["list", "get"]},
                 {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list"]}]
        with Rights(CLUSTER, "ann", rules):
            run = self.populate_once(shop, "--dry-run=client", user="ann")
        self.assertEqual(1, run.returncode, run.stderr)
        self.assertIn("its webhook could not be looked for: ", run.stderr)
        self.assertEqual({"ConfigMap/note": {"text": "of jo"}}, self.made(shop))

    def test_a_template_that_requires_permission_selects_namespaces_of_those_who_may_use_it(self):
        name = self.template("vip", config_map("vip", a="b"), selector=self.with_test(tier="vip"),
                             annotations=REQUIRE_PERMISSION)
        self.template("every", config_map("every", a="b"))
        ann = self.user("ann", template_rights("use", names=[name]))
        self.served()
        # Whoever watches learns of a template a moment later than it is there; it is older than the controller here.
        self.refused(403, f'"{name}"', self.make(self.jo, "bad", {"tier": "vip"}))
        self.refused(403, 'cannot use resource "namespacetemplates"', self.make(self.jo, "bad", {"tier": "vip"}))
        shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
        self.refused(403, f'"{name}"', self.patch_as(self.jo, shop, {"labels": {"tier": "vip"}}))
        self.allowed(self.patch_as(self.jo, shop, {"labels": {"tier": "web"}}))
        self.wait_until_made({"ConfigMap/every": {"a": "b"}}, shop)

        mall = self.allowed(self.make(ann, "mall", {"tier": "vip"}))["metadata"]["name"]
        self.allowed(self.patch_as(ann, shop, {"labels": {"tier": "vip"}}))
        self.wait_until_made({"ConfigMap/every": {"a": "b"}, "ConfigMap/vip": {"a": "b"}}, shop, mall)
        # What selects it already needs no permission.
        self.allowed(self.patch_as(self.jo, shop, {"labels": {"other": "x"}}))
        self.allowed(self.patch_as(self.jo, shop, {"labels": {"tier": None}}))
        self.refused(403, f'"{name}"', self.patch_as(self.jo, shop, {"labels": {"tier": "vip"}}))

    def test_a_new_template_requires_permission_at_once_whatever_else_is_being_done(self):
        self.template("every", config_map("note", a="b"))
        self.served()
        with NobodyAdmits(CLUSTER, hangs=True) as nobody:
            self.namespace("stuck", {"stuck": "yes"})
            wait_for("nothing is tried in the namespace that is stuck", nobody.is_asked)
            name = self.template("vip", config_map("vip", a="b"), selector=self.with_test(tier="vip"),
                                 annotations=REQUIRE_PERMISSION)
            wait_for("it may be used", lambda: self.make(self.jo, "bad", {"tier": "vip"}, dryRun="All")[0] == 403, 20)
            self.refused(403, f'"{name}"', self.make(self.jo, "bad", {"tier": "vip"}))

    def test_to_opt_out_is_a_right(self):
        self.template("every", config_map("note", a="b"))
        ann = self.user("ann", template_rights("optout"))
        self.served()
        self.refused(403, "cannot optout", self.make(self.jo, "bad", OPT_OUT))
        shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, shop)
        self.refused(403, "cannot optout", self.patch_as(self.jo, shop, {"labels": OPT_OUT}))
        mall = self.allowed(self.make(ann, "mall", OPT_OUT))["metadata"]["name"]
        self.refused(403, "cannot optout", self.patch_as(self.jo, mall, {"labels": dict.fromkeys(OPT_OUT)}))
        bank = self.allowed(self.make(self.jo, "bank"))["metadata"]["name"]
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, bank)
        self.assertEqual({}, self.made(mall))
        self.allowed(self.patch_as(ann, mall, {"labels": dict.fromkeys(OPT_OUT)}))
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, mall)

    def test_to_opt_out_by_an_annotation_is_a_right_too(self):
        self.template("every", config_map("note", a="b"))
        ann = self.user("ann", template_rights("optout"))
        self.served()
        self.refused(403, "cannot optout", self.make(self.jo, "bad", annotations=OPT_OUT))
        shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
        for suffix in ("", "/status"):
            self.refused(403, "cannot optout", self.patch_as(self.jo, shop, {"annotations": OPT_OUT}, suffix))

        def finalized():
            body = self.api.get(f"{NAMESPACES}/{shop}")
            body["metadata"]["annotations"].update(OPT_OUT)
            answer = self.jo.request("PUT", f"{NAMESPACES}/{shop}/finalize", body)
            return answer if answer[0] != 409 else None  # it was populated meanwhile
        self.refused(403, "cannot optout", wait_for("finalize", finalized))
        mall = self.allowed(self.make(ann, "mall", annotations=OPT_OUT))["metadata"]["name"]
        # No selector sees that it opts out, so that the label has to keep requests away.
        self.wait_until_told(mall)
        self.allowed(self.put_in(self.jo, mall))
        self.assertEqual({}, self.made(mall))
        self.refused(403, "cannot optout", self.patch_as(self.jo, mall, {"annotations": dict.fromkeys(OPT_OUT)}))
        self.allowed(self.patch_as(ann, mall, {"annotations": dict.fromkeys(OPT_OUT)}))
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, mall)

    def test_namespaces_of_some_service_accounts_opt_out(self):
        self.template("every", config_map("note", a="b"))
        maker = self.user(MAKER, NAMESPACE_RIGHTS)
        self.served("--opt-out-service-account=builders:maker")
        shop = self.allowed(self.make(maker, "shop"))["metadata"]
        for where in ("labels", "annotations"):
            self.assertEqual("true", shop[where].get(next(iter(OPT_OUT))))
        bank = self.allowed(self.make(self.jo, "bank"))["metadata"]
        self.assertNotIn(next(iter(OPT_OUT)), bank["labels"])
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, bank["name"])
        self.assertEqual({}, self.made(shop["name"]))
        # It is theirs: it takes objects at once.
        self.allowed(maker.request("POST", f"{NAMESPACES}/{shop['name']}/configmaps", config_map("own")))

    def put_in(self, api, namespace):
        return api.request("POST", f"{NAMESPACES}/{namespace}/configmaps?dryRun=All", config_map("theirs"))

    def populated_label(self, namespace):
        return self.api.get(f"{NAMESPACES}/{namespace}")["metadata"].get("labels", {}).get(POPULATED)

    def wait_until_told(self, namespace):
        wait_for(f"{namespace} is not said to be populated", lambda: self.populated_label(namespace) == "true")

    def test_a_namespace_takes_nothing_before_it_has_its_own(self):
        """It waits for a kind that is missing."""
        missing = {"apiVersion": "example.org/v1", "kind": "Missing", "metadata": {"name": "one"}}
        name = self.template("every", config_map("note", a="b"), missing)
        ann = self.user("ann", template_rights("initialize"))
        self.served("--initialization-timeout=10m")
        shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
        # At once, though no watch may have shown it yet.
        self.refused(429, "is being populated", self.put_in(self.jo, shop))
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, shop)  # by the controller itself
        self.event(shop, "Warning", "Missing")
        status, answer = self.put_in(self.jo, shop)
        self.assertEqual((429, "TooManyRequests", 1),
                         (status, answer["reason"], answer["details"]["retryAfterSeconds"]), answer)
        self.allowed(self.put_in(ann, shop))
        self.refused(403, "cannot initialize", self.patch_as(self.jo, shop, {"labels": {POPULATED: "true"}}))
        self.refused(403, "cannot initialize", self.patch_as(self.jo, shop, {"labels": {POPULATED: "true"}}, "/status"))
        self.refused(403, "cannot initialize", self.make(self.jo, "bad", {POPULATED: "true"}))
        self.assertIsNone(self.populated_label(shop))
        # Who has what it needs is in nobody's way.
        free = self.allowed(self.make(self.jo, "free", {"test": "other"}))["metadata"]["name"]
        wait_for("a namespace that no template selects takes nothing", lambda: self.put_in(self.jo, free)[0] == 201)

        self.change(name, config_map("note", a="b"))
        self.wait_until_told(shop)
        wait_for("it takes nothing", lambda: self.put_in(self.jo, shop)[0] == 201, 40)
        self.wait_until_told(free)

    def test_a_namespace_waits_no_longer_than_its_time(self):
        missing = {"apiVersion": "example.org/v1", "kind": "Missing", "metadata": {"name": "one"}}
        self.template("every", missing)
        self.served("--initialization-timeout=5s")
        began = time.monotonic()
        shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
        self.refused(429, "is being populated", self.put_in(self.jo, shop))
        wait_for("it takes nothing", lambda: self.put_in(self.jo, shop)[0] == 201, 5 + SLACK_SECONDS)
        # Its age is in whole seconds.
        self.assertLess(5 - 1.1, time.monotonic() - began)
        self.assertIsNone(self.populated_label(shop))

    def initialization(self, name, *initializers, selector=None):
        """Makes a NamespaceInitializationConfiguration, and waits until handlers go by it."""
        full = f"{name}-{self.number}"
        self.api.post(INITIALIZATIONS, {
            "apiVersion": f"{TEMPLATE_GROUP}/v1alpha1", "kind": "NamespaceInitializationConfiguration",
            "metadata": {"name": full}, "spec": {
                "namespaces": {"labelSelector": selector or self.with_test()},
                "initializers": [{"name": initializer} for initializer in initializers]}})
        self.addCleanup(self.api.request, "DELETE", f"{INITIALIZATIONS}/{full}")
        labels = (selector or {}).get("matchLabels", {})
        wait_for(f"{full} is not gone by", lambda: set(initializers) <= set(
            (self.make(self.api, "probe", labels, dryRun="All")[1]["metadata"].get("annotations", {}).get(PENDING) or "")
            .split(",")))

    def pending(self, namespace):
        return self.api.get(f"{NAMESPACES}/{namespace}")["metadata"].get("annotations", {}).get(PENDING)

    @staticmethod
    def initializer_rights(*names):
        return [*NAMESPACE_RIGHTS, {"apiGroups": [TEMPLATE_GROUP], "resources": ["namespaceinitializers"],
                                    "resourceNames": list(names), "verbs": ["initialize"]}]

    def test_a_namespace_waits_for_the_initializers_of_others(self):
        self.template("every", config_map("note", a="b"))
        ann = self.user("ann", self.initializer_rights("dns.example.com"))
        bob = self.user("bob", self.initializer_rights("mesh.example.com"))
        self.served("--initialization-timeout=10m")
        self.initialization("mesh", "mesh.example.com", "dns.example.com")
        self.initialization("dns", "dns.example.com")
        self.initialization("vip", "vip.example.com", selector=self.with_test(tier="vip"))
        shop = self.allowed(self.make(self.jo, "shop", annotations={PENDING: "mine.example.com"}))["metadata"]
        self.assertEqual("dns.example.com,mesh.example.com", shop["annotations"][PENDING])
        vip = self.allowed(self.make(self.jo, "vip", {"tier": "vip"}))["metadata"]
        self.assertEqual("dns.example.com,mesh.example.com,vip.example.com", vip["annotations"][PENDING])
        shop = shop["name"]
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, shop)
        self.event(shop, "Normal", 'ConfigMap "note"')
        # It is populated, and not open yet; its initializers may write.
        self.refused(429, "waits for its initializers dns.example.com, mesh.example.com", self.put_in(self.jo, shop))
        self.allowed(self.put_in(ann, shop))
        self.allowed(self.put_in(bob, shop))
        # Each takes out its own name alone, and nobody adds one.
        for api, value in ((self.jo, "mesh.example.com"), (ann, "dns.example.com"), (ann, ""), (ann, None), (self.jo, None)):
            for suffix in ("", "/status"):
                self.refused(403, 'cannot initialize resource "namespaceinitializers"',
                             self.patch_as(api, shop, {"annotations": {PENDING: value}}, suffix))
        for api in (ann, self.api):
            self.refused(422, "gets no names later: more", self.patch_as(
                api, shop, {"annotations": {PENDING: "dns.example.com,mesh.example.com,more"}}))
        self.allowed(self.patch_as(self.jo, shop, {"annotations": {"other": "x"}}))
        self.allowed(self.patch_as(ann, shop, {"annotations": {PENDING: "mesh.example.com"}}))
        self.refused(422, "gets no names later", self.patch_as(ann, shop, {"annotations": {PENDING: "dns.example.com"}}))
        wait_for("it does not know that one is left", lambda: "its initializers mesh.example.com;" in self.put_in(
            self.jo, shop)[1]["message"])
        self.assertIsNone(self.populated_label(shop))
        self.allowed(self.patch_as(bob, shop, {"annotations": {PENDING: None}}))
        self.wait_until_told(shop)
        wait_for("it takes nothing", lambda: self.put_in(self.jo, shop)[0] == 201, 40)
        self.assertEqual([], [reason for reason, _ in self.events(shop, "Warning")])

    def test_what_no_initializer_finishes_opens_at_its_time_and_says_so(self):
        self.template("every", config_map("note", a="b"))
        controller = self.served("--initialization-timeout=5s")
        self.initialization("dns", "dns.example.com")
        shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
        self.refused(429, "", self.put_in(self.jo, shop))
        wait_for("it takes nothing", lambda: self.put_in(self.jo, shop)[0] == 201, 5 + SLACK_SECONDS)
        self.assertEqual({"OpenedLate": 1}, self.event(
            shop, "Warning", "after 5 seconds: its initializers dns.example.com have not finished"))
        self.wait_until_told(shop)
        # What is pending stays, for people and for whoever comes late.
        self.assertEqual("dns.example.com", self.pending(shop))
        self.assertEqual([], [line for line in controller.lines if "cannot" in line])

    def test_the_initializer_of_the_document_finishes(self):
        self.template("every", config_map("note", a="b"))
        rights = [*self.initializer_rights("dns.example.com"),
                  {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list", "watch"]}]
        self.user("ann", rights)
        self.served("--initialization-timeout=10m")
        self.initialization("dns", "dns.example.com")
        shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
        shown = CLUSTER.run(["kubectl", "get", "namespace", shop, "-o", f"custom-columns=P:.metadata.annotations.{PENDING}"])
        self.assertEqual(["P", "dns.example.com"], shown.stdout.split(), shown.stderr)
        script, = [block for block in documents.blocks("docs/POPULATE.md") if block.lines[0] == "# dns.sh"]
        environment = CLUSTER.environment(CLUSTER.kubeconfig_file("ann"))
        runner = subprocess.Popen(["sh", "-c", "\n".join(script.lines)], env=environment, start_new_session=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(runner.wait)
        self.addCleanup(os.killpg, runner.pid, signal.SIGKILL)
        self.wait_until_told(shop)
        self.assertEqual("", self.pending(shop))
        zone = self.api.get(f"{NAMESPACES}/{shop}/configmaps/zone")
        self.assertEqual({"name": f"{shop}.example.com"}, zone["data"])

    def test_labels_that_another_webhook_sets_later_select_too(self):
        self.served("--initialization-timeout=10m")
        self.initialization("vip", "vip.example.com", selector=self.with_test(tier="vip"))
        with Labeller(CLUSTER, tier="vip") as labeller:
            # Configurations are asked in the order of their names.
            path = f"{CONFIGURATIONS}/{KINDS[1]}"
            self.api.post(path, {
                "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
                "metadata": {"name": "zz"}, "webhooks": [{
                    "name": "zz.example.com", "failurePolicy": "Fail", "sideEffects": "None",
                    "admissionReviewVersions": ["v1"],
                    "clientConfig": {"url": labeller.url, "caBundle": labeller.authority()},
                    "objectSelector": self.with_test(late="yes"), "rules": [{
                        "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["namespaces"]}]}]})
            self.addCleanup(self.api.request, "DELETE", f"{path}/zz")
            labels = {"late": "yes"}
            wait_for("the other webhook is not asked", lambda: "tier" in self.make(
                self.api, "probe", labels, dryRun="All")[1]["metadata"].get("labels", {}))
            shop = self.allowed(self.make(self.jo, "shop", labels))["metadata"]
            self.assertEqual("vip.example.com", shop["annotations"][PENDING])
            self.api.delete(f"{path}/zz")

    def test_a_configuration_that_is_misspelt_waits_for_nobody(self):
        controller = self.served()
        self.api.post(INITIALIZATIONS, {
            "apiVersion": f"{TEMPLATE_GROUP}/v1alpha1", "kind": "NamespaceInitializationConfiguration",
            "metadata": {"name": "bad"}, "spec": {"namespaces": {"labelSelector": {"matchLabel": {"a": "b"}}},
                                                  "initializers": [{"name": "dns.example.com"}]}})
        self.addCleanup(self.api.request, "DELETE", f"{INITIALIZATIONS}/bad")
        wait_for("it is not told", lambda: any("bad is left alone: spec.namespaces.labelSelector.matchLabel" in line
                                               for line in controller.lines))
        self.assertNotIn(PENDING, self.allowed(self.make(self.jo, "shop"))["metadata"]["annotations"])
        for spec in ({"initializers": [{"name": "a"}]}, {"namespaces": {"labelSelector": {}}},
                     {"namespaces": {"labelSelector": {}}, "initializers": [{"name": "a,b"}]},
                     {"namespaces": {"labelSelector": {}}, "initializers": []}):
            status, answer = self.api.request("POST", INITIALIZATIONS, {
                "apiVersion": f"{TEMPLATE_GROUP}/v1alpha1", "kind": "NamespaceInitializationConfiguration",
                "metadata": {"name": "worse"}, "spec": spec})
            self.assertEqual(422, status, answer)

    def test_kubectl_waits_for_it_by_itself(self):
        self.template("every", config_map("note", a="b"))
        self.served()
        namespaces = [f"{name}-{self.number}" for name in ("shop", "bank", "mall")]
        for name in namespaces:
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {
                "name": name, "labels": {"test": str(self.number)}}}
            script = f"kubectl create --validate=false -f - && kubectl create configmap own --validate=false -n {name}"
            run = CLUSTER.run(["sh", "-c", script], "jo", input=json.dumps(body))
            self.assertEqual((0, ""), (run.returncode, run.stderr))
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, *namespaces)

    def test_the_controller_needs_no_more_than_these_rights(self):
        templates = [TEMPLATE_GROUP]
        keeper = [{"apiGroups": templates, "resources": ["namespacetemplates"],
                   "verbs": ["get", "list", "watch", "patch", "initialize"]},
                  {"apiGroups": templates, "resources": ["namespacetemplates/status"], "verbs": ["patch"]},
                  {"apiGroups": templates, "resources": ["namespaceinitializationconfigurations"],
                   "verbs": ["list", "watch"]},
                  {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list", "watch", "patch"]},
                  {"apiGroups": [""], "resources": ["events"], "verbs": ["create"]},
                  {"apiGroups": ["admissionregistration.k8s.io"], "resources": KINDS[:1], "verbs": ["list"]},
                  {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]},
                  {"apiGroups": ["authorization.k8s.io"], "resources": ["subjectaccessreviews"], "verbs": ["create"]},
                  {"apiGroups": ["admissionregistration.k8s.io"], "resources": list(KINDS),
                   "verbs": ["get", "create", "patch"]},
                  {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "create", "patch", "delete"]}]
        name = self.template("every", config_map("note", a="b"), config_map("old", a="b"))
        self.enterContext(Rights(CLUSTER, "keeper", keeper))
        controller = self.controller(*WEBHOOKS, user="keeper")
        self.wait_until_asked()
        shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
        self.wait_until_made({"ConfigMap/note": {"a": "b"}, "ConfigMap/old": {"a": "b"}}, shop)
        self.wait_until_told(shop)
        self.event(shop, "Normal", 'ConfigMap "note"')
        self.change(name, config_map("note", a="b"))
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, shop)
        self.wait_for_status(name, namespaces=1, failures=[])
        self.assertEqual(0, controller.stop())
        self.assertEqual([], [line for line in controller.lines if "cannot" in line or "error" in line])

    def test_while_nobody_answers_namespaces_cannot_be_made_and_objects_can(self):
        self.template("every", config_map("note", a="b"))
        with self.populater(*WEBHOOKS, "--leader-elect=false") as controller:
            self.wait_until_asked()
            shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
            self.wait_until_made({"ConfigMap/note": {"a": "b"}}, shop)
            controller.stop(signal.SIGKILL)
            self.refused(500, "failed calling webhook", self.make(self.jo, "bank"))
            self.allowed(self.jo.request("POST", f"{NAMESPACES}/{shop}/configmaps", config_map("own")))
            self.allowed(self.jo.request("POST", f"{NAMESPACES}/default/configmaps?dryRun=All", config_map("own")))
            with self.populater(*WEBHOOKS, "--leader-elect=false") as again:
                self.wait_until_asked()
                bank = self.allowed(self.make(self.jo, "bank"))["metadata"]["name"]
                self.wait_until_made({"ConfigMap/note": {"a": "b"}}, bank)
                # Whoever ends in order takes its webhooks along, before the block ends, which deletes them.
                self.assertEqual(0, again.stop())
                wait_for("namespaces cannot be made", lambda: self.make(self.jo, "mall", dryRun="All")[0] == 201)

    def test_either_of_two_replicas_answers(self):
        self.template("every", config_map("note", a="b"))
        first = self.served()
        wait_for("nobody leads", first.leads)
        second = self.served()
        # The second one is asked from now on, and does not lead.
        shop = self.allowed(self.make(self.jo, "shop"))["metadata"]["name"]
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, shop)
        self.wait_until_told(shop)
        self.assertEqual((True, False, "jo"), (first.leads(), second.leads(), self.creator(shop)))
        for replica, leads in ((first, 1), (second, 0)):  # at the port of the webhooks too
            self.assertIn(f"populate_leader {leads}", replica.get("/metrics")[1].splitlines())
        self.assertEqual(0, first.stop())
        self.wait_until_asked()  # on a busy machine the first one may have led the webhooks back, and taken them along
        bank = self.allowed(self.make(self.jo, "bank"))["metadata"]["name"]
        self.assertEqual("jo", self.creator(bank))
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, bank)
        self.wait_until_told(bank)

    def test_failures_may_be_ignored(self):
        with self.populater(*WEBHOOKS, "--ignore-failures=all", "--leader-elect=false") as controller:
            self.wait_until_asked()
            controller.stop(signal.SIGKILL)
            shop = self.allowed(self.make(self.jo, "shop", annotations={CREATOR: "root"}))["metadata"]
            self.assertEqual("root", shop["annotations"][CREATOR])

    def test_only_the_webhooks_that_are_wanted(self):
        self.controller("--webhooks=opt-out,use", *WEBHOOKS[1:])
        names = {kind: [one["name"] for one in (self.api.request("GET", f"{CONFIGURATIONS}/{kind}/{NAME}")[1].get(
            "webhooks") or [])] for kind in KINDS}
        self.assertEqual([], names["mutatingwebhookconfigurations"])
        self.assertEqual(2, len(names["validatingwebhookconfigurations"]), names)
        wait_for("the opt-out webhook is not asked", lambda: self.make(self.jo, "bad", OPT_OUT, dryRun="All")[0] == 403)
        shop = self.allowed(self.make(self.jo, "shop", annotations={CREATOR: "root"}))["metadata"]
        self.assertEqual("root", shop["annotations"][CREATOR])


def main():
    global BINARY, CLUSTER
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    with Cluster(users=("keeper", "jo", "ann", "bob", MAKER)) as CLUSTER:
        bring_in_the_crd(CLUSTER)
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
