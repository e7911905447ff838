"""`kubectl-prune populate` beside a real API server for as long as it is told to: namespaces are as templates say
whatever changes, is refused, is killed, restarts or stands in its way.

populate_service_test.py BINARY [TEST...]. SEED=5 in the environment: other random moments and changes. Exit code 77
(skipped) without a server.
"""
import http.client
import itertools
import os
import pathlib
import random
import re
import signal
import sys
import threading
import time

from cluster import Cluster, ClusterError, wait_for
from guards import CONFIGURATIONS, HERE, KINDS
from populating import (DISABLE, KINDS_OF, NAMESPACES, NAMESPACES_OF, OPT_OUT, TEMPLATE, TEMPLATES, Controlled,
                        NobodyAdmits, bring_in_the_crd, config_map, refused_binding, role_without_rights)
from rights import Rights
from runner import end, run_tests
from subjects import V1_CRDS

BINARY = None
CLUSTER = None
SEED = int(os.environ.get("SEED") or 1)
ALL_RIGHTS = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
# client-go's times, by which whoever waits for a Lease looks at it every 2 to 4.4 s.
LEASE_SECONDS, LONGEST_RETRY_SECONDS = 15, 4.4
SLACK_SECONDS = 16  # of a machine with other work


class Served(Controlled):
    def setUp(self):
        self.begin(CLUSTER, BINARY)


class Followed(Served):
    """What somebody changes is followed."""

    def test_a_new_namespace_gets_all_that_is_for_it(self):
        self.template("every", config_map("note", text="for $(NAMESPACE)"), role_without_rights("edit"))
        self.template("more", config_map("more", a="b"))
        self.template("others", config_map("others", a="b"), selector=self.with_test(tier="web"))
        self.controller()
        shop = self.namespace("shop")

        self.wait_until_made({"ConfigMap/note": {"text": f"for {shop}"}, "Role/edit": None,
                              "ConfigMap/more": {"a": "b"}}, shop)
        reasons = self.event(shop, "Normal", 'ConfigMap "note"')
        self.assertEqual({"Populated": 1}, reasons)
        self.assertEqual({}, self.events(shop, "Warning"))

    def test_a_new_template_is_in_all_its_namespaces_and_a_changed_one_too(self):
        shop, bank = self.namespace("shop"), self.namespace("bank")
        other = self.namespace("other", labels={"test": "other"})
        self.controller()
        name = self.template("every", config_map("note", a="1"), role_without_rights("edit"))
        self.wait_until_made({"ConfigMap/note": {"a": "1"}, "Role/edit": None}, shop, bank)
        self.wait_for_status(name, namespaces=2, failures=[])

        self.change(name, config_map("note", a="2"), config_map("new", c="d"))
        self.wait_until_made({"ConfigMap/note": {"a": "2"}, "ConfigMap/new": {"c": "d"}}, shop, bank)
        self.wait_for_status(name, namespaces=2, failures=[])
        self.assertEqual({"Populated": 1}, self.event(bank, "Normal", 'deleted Role.rbac.authorization.k8s.io "edit"'))
        self.assertEqual({}, self.made(other))

    def test_what_was_made_of_a_template_that_is_removed_goes(self):
        shop, bank = self.namespace("shop"), self.namespace("bank")
        stays, goes = self.template("a", config_map("a", a="b")), self.template("b", config_map("b", a="b"),
                                                                               role_without_rights("b"))
        self.controller()
        self.wait_until_made({"ConfigMap/a": {"a": "b"}, "ConfigMap/b": {"a": "b"}, "Role/b": None}, shop, bank)
        self.remove(goes)
        self.wait_until_made({"ConfigMap/a": {"a": "b"}}, shop, bank)
        self.remove(stays)
        self.wait_until_made({}, shop, bank)

    def test_a_template_goes_with_its_selector(self):
        shop, bank = self.namespace("shop", {"tier": "web"}), self.namespace("bank", {"tier": "data"})
        name = self.template("every", config_map("note", a="b"), selector=self.with_test(tier="web"))
        self.controller()
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, shop)
        self.assertEqual({}, self.made(bank))
        self.select(name, {"matchExpressions": [{"key": "test", "operator": "In", "values": [str(self.number)]},
                                                {"key": "tier", "operator": "NotIn", "values": ["web"]}]})
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, bank)
        self.wait_until_made({}, shop)
        self.wait_for_status(name, namespaces=1)

    def test_a_namespace_goes_with_its_labels(self):
        shop, bank = self.namespace("shop", {"tier": "web"}), self.namespace("bank")
        web = self.template("web", config_map("web", a="b"), selector=self.with_test(tier="web"))
        self.template("data", config_map("data", a="b"), selector=self.with_test(tier="data"))
        self.controller()
        self.wait_until_made({"ConfigMap/web": {"a": "b"}}, shop)
        self.label(shop, tier="data")
        self.label(bank, tier="web")
        self.wait_until_made({"ConfigMap/data": {"a": "b"}}, shop)
        self.wait_until_made({"ConfigMap/web": {"a": "b"}}, bank)
        self.label(shop, tier=None)
        self.wait_until_made({}, shop)
        self.wait_for_status(web, namespaces=1)

    def test_of_two_templates_the_later_one_counts_with_a_warning(self):
        self.template("a", config_map("note", of="a"))
        later = self.template("b", config_map("note", of="b"))
        self.controller()
        shop = self.namespace("shop")
        self.wait_until_made({"ConfigMap/note": {"of": "b"}}, shop)
        self.assertEqual([1], list(self.event(shop, "Warning", 'ConfigMap "note"').values()))
        self.remove(later)
        self.wait_until_made({"ConfigMap/note": {"of": "a"}}, shop)

    def test_a_namespace_that_is_deleted_and_made_again_gets_all_again(self):
        name = self.template("every", config_map("note", a="b"))
        controller = self.controller()
        shop, bank = self.namespace("shop"), self.namespace("bank")
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, shop, bank)
        path = f"{NAMESPACES}/{shop}"
        self.api.delete(path)
        # It takes nothing any more.
        self.change(name, config_map("note", a="b"), config_map("new", a="b"))
        self.wait_until_made({"ConfigMap/note": {"a": "b"}, "ConfigMap/new": {"a": "b"}}, bank)
        self.assertEqual({"ConfigMap/note": {"a": "b"}}, self.made(shop))
        # As kube-controller-manager does, which this cluster does not have.
        self.api.delete(self.path(shop, "ConfigMap", "note"))
        self.api.put(f"{path}/finalize", {**self.api.get(path), "spec": {"finalizers": []}})
        self.assertEqual(404, self.api.request("GET", path)[0])
        self.assertEqual(shop, self.namespace("shop"))
        self.wait_until_made({"ConfigMap/note": {"a": "b"}, "ConfigMap/new": {"a": "b"}}, shop)
        self.assertEqual([], [line for line in controller.lines if shop in line])


class LeftAlone(Served):
    """What is to stay as it is does; each time something else is done after it."""

    def test_a_namespace_that_opts_out_stays_as_it_is(self):
        bank = self.namespace("bank", OPT_OUT)
        shop, mall = self.namespace("shop"), self.namespace("mall")
        name = self.template("every", config_map("note", a="1"))
        self.controller()
        self.wait_until_made({"ConfigMap/note": {"a": "1"}}, shop, mall)
        self.label(shop, **OPT_OUT)
        self.change(name, config_map("other", a="2"))
        self.wait_until_made({"ConfigMap/other": {"a": "2"}}, mall)
        self.wait_for_status(name, namespaces=1)
        self.assertEqual(({}, {"ConfigMap/note": {"a": "1"}}), (self.made(bank), self.made(shop)))
        self.label(shop, **dict.fromkeys(OPT_OUT))
        self.wait_until_made({"ConfigMap/other": {"a": "2"}}, shop)

    def test_kube_system_is_left_out(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("everywhere", a="b"))
        self.select(name, {})
        self.controller()
        self.wait_until_made({"ConfigMap/everywhere": {"a": "b"}}, shop, "default")
        self.label("kube-system", touched="yes")
        self.addCleanup(self.label, "kube-system", touched=None)
        self.change(name, config_map("everywhere", a="c"))
        self.wait_until_made({"ConfigMap/everywhere": {"a": "c"}}, shop, "default")
        count = len(self.api.get(NAMESPACES)["items"])
        self.wait_for_status(name, failures=[])
        self.assertEqual({}, self.made("kube-system"))
        self.assertEqual({}, self.events("kube-system", "Normal"))
        self.assertLess(self.status(name)["namespaces"], count)

    def test_a_disabled_template_stays_as_it_is(self):
        shop = self.namespace("shop")
        name = self.template("rest", config_map("rest", a="1"))
        every = self.template("every", config_map("every", a="1"))
        self.controller()
        self.wait_until_made({"ConfigMap/rest": {"a": "1"}, "ConfigMap/every": {"a": "1"}}, shop)
        self.label_template(name, DISABLE)
        self.change(name, config_map("changed", a="2"))
        self.change(every, config_map("every", a="2"))
        bank = self.namespace("bank")
        self.wait_until_made({"ConfigMap/every": {"a": "2"}}, bank)
        self.wait_until_made({"ConfigMap/rest": {"a": "1"}, "ConfigMap/every": {"a": "2"}}, shop)
        self.label_template(name, dict.fromkeys(DISABLE))
        self.wait_until_made({"ConfigMap/changed": {"a": "2"}, "ConfigMap/every": {"a": "2"}}, shop, bank)

    def test_of_an_invalid_template_nothing_is_deleted(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("note", a="1"))
        other = self.template("other", config_map("other", a="1"))
        controller = self.controller()
        self.wait_until_made({"ConfigMap/note": {"a": "1"}, "ConfigMap/other": {"a": "1"}}, shop)
        # The CRD does not know that In needs values.
        self.select(name, {"matchExpressions": [{"key": "test", "operator": "In", "values": []}]})
        wait_for("nothing is said of it", lambda: any(name in line for line in controller.lines))
        wait_for("it does not say so itself", lambda: self.refusal(name))
        reason, message = self.refusal(name)
        self.assertEqual("Invalid", reason)
        self.assertIn("matchExpressions[0].values", message)
        self.assertEqual([("Invalid", f"it is left alone, and what was made of it: {message}")], self.template_events(name))
        self.assertEqual(1, controller.metrics()["populate_templates_refused"])
        self.change(name)
        self.change(other, config_map("other", a="2"))
        self.wait_until_made({"ConfigMap/note": {"a": "1"}, "ConfigMap/other": {"a": "2"}}, shop)
        self.select(name, self.with_test())
        self.wait_until_made({"ConfigMap/other": {"a": "2"}}, shop)
        self.wait_for_status(name, namespaces=1, failures=[])
        self.assertIsNone(self.refusal(name))
        self.assertEqual(0, controller.metrics()["populate_templates_refused"])

    def test_annotations_switch_off_and_on_again(self):
        shop, bank = self.namespace("shop"), self.namespace("bank", annotations=OPT_OUT)
        name = self.template("every", config_map("note", a="1"))
        self.controller()
        self.wait_until_made({"ConfigMap/note": {"a": "1"}}, shop)
        self.api.patch(f"{TEMPLATES}/{name}", {"metadata": {"annotations": DISABLE}})
        self.change(name, config_map("note", a="2"))
        other = self.template("other", config_map("other", a="1"))
        self.wait_until_made({"ConfigMap/note": {"a": "1"}, "ConfigMap/other": {"a": "1"}}, shop)
        self.assertEqual({}, self.made(bank))
        self.api.patch(f"{TEMPLATES}/{name}", {"metadata": {"annotations": dict.fromkeys(DISABLE)}})
        self.wait_until_made({"ConfigMap/note": {"a": "2"}, "ConfigMap/other": {"a": "1"}}, shop)
        self.api.patch(f"{NAMESPACES}/{shop}", {"metadata": {"annotations": OPT_OUT}})
        self.api.patch(f"{NAMESPACES}/{bank}", {"metadata": {"annotations": dict.fromkeys(OPT_OUT)}})
        self.wait_until_made({"ConfigMap/note": {"a": "2"}, "ConfigMap/other": {"a": "1"}}, bank)
        self.change(other)
        self.wait_until_made({"ConfigMap/note": {"a": "2"}}, bank)
        self.assertEqual({"ConfigMap/note": {"a": "2"}, "ConfigMap/other": {"a": "1"}}, self.made(shop))

    def test_what_others_have_made_stays(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("note", a="b"), config_map("mine", a="b"))
        self.controller()
        self.wait_until_made({"ConfigMap/note": {"a": "b"}, "ConfigMap/mine": {"a": "b"}}, shop)
        labels = self.stored(shop, "ConfigMap", "note")["metadata"]["labels"]
        self.api.post(f"{NAMESPACES}/{shop}/configmaps", config_map("copy", {"labels": labels}, theirs="x"))
        self.api.post(f"{NAMESPACES}/{shop}/configmaps", config_map("plain", theirs="x"))
        # Theirs in the place of ours.
        self.api.delete(self.path(shop, "ConfigMap", "mine"))
        self.api.post(f"{NAMESPACES}/{shop}/configmaps", config_map("mine", theirs="x"))
        self.change(name, config_map("note", a="c"))
        self.wait_until_made({"ConfigMap/note": {"a": "c"}, "ConfigMap/copy": {"theirs": "x"}}, shop)
        self.remove(name)
        self.wait_until_made({"ConfigMap/copy": {"theirs": "x"}}, shop)
        for stays in ("copy", "plain", "mine"):
            self.assertEqual({"theirs": "x"}, self.stored(shop, "ConfigMap", stays)["data"])

    def test_what_is_there_already_becomes_the_template_s_and_that_is_told(self):
        shop = self.namespace("shop")
        self.api.post(f"{NAMESPACES}/{shop}/configmaps", config_map("note", theirs="x"))
        self.controller()
        self.template("every", config_map("note", a="b"))
        self.wait_until_made({"ConfigMap/note": {"a": "b", "theirs": "x"}}, shop)
        self.assertEqual({"Populated": 1}, self.event(shop, "Normal", "was there already"))


class SetBack(Served):
    """What a person applies is set back."""

    def apply_theirs(self, namespace):
        status, answer = self.apply_as("jo", namespace, "ConfigMap", config_map("note", a="theirs", e="f"), force=False)
        self.assertEqual((409, "Conflict"), (status, answer["reason"]))
        status, answer = self.apply_as("jo", namespace, "ConfigMap", config_map("note", a="theirs", e="f"))
        self.assertEqual(200, status, answer)

    def test_when_the_namespace_is_looked_at_next(self):
        shop = self.namespace("shop")
        self.template("every", config_map("note", a="ours"))
        self.controller()
        self.wait_until_made({"ConfigMap/note": {"a": "ours"}}, shop)
        self.apply_theirs(shop)
        self.label(shop, touched="yes")
        # What is theirs alone stays.
        self.wait_until_made({"ConfigMap/note": {"a": "ours", "e": "f"}}, shop)
        self.assertEqual({"Populated": 1}, self.event(shop, "Normal", 'conflict with "jo"'))

    def test_with_resync_by_itself(self):
        shop = self.namespace("shop")
        self.template("every", config_map("note", a="ours"), role_without_rights("edit"))
        self.controller("--resync=2s")
        self.wait_until_made({"ConfigMap/note": {"a": "ours"}, "Role/edit": None}, shop)
        self.apply_theirs(shop)
        self.api.delete(self.path(shop, "Role", "edit"))
        self.wait_until_made({"ConfigMap/note": {"a": "ours", "e": "f"}, "Role/edit": None}, shop)


class Failing(Served):
    """What cannot be applied is told, and keeps nothing else from it."""

    def test_a_kind_that_is_missing_is_applied_when_it_comes(self):
        kind = f"Thing{self.number}"
        plural = kind.lower() + "s"
        shop = self.namespace("shop")
        thing = {"apiVersion": "example.org/v1", "kind": kind, "metadata": {"name": "one"}, "spec": {"a": "b"}}
        controller = self.controller()
        name = self.template("every", thing, config_map("note", a="b"))
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, shop)
        text = f'{kind}.example.org "one" of the template {name}'
        self.event(shop, "Warning", text)
        wait_for("the status tells no failure", lambda: self.status(name).get("failures"))
        self.assertEqual([(shop, f'{kind}.example.org "one"')],
                         [(failure["namespace"], failure["object"]) for failure in self.status(name)["failures"]])
        rounds = controller.metrics()["populate_rounds_total"]
        wait_for("it is not tried again", lambda: controller.metrics()["populate_rounds_total"] >= rounds + 2)
        self.assertEqual([1], list(self.event(shop, "Warning", text).values()))
        self.assertEqual(1, controller.metrics()["populate_namespaces_unfinished"])

        self.api.post(V1_CRDS, {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.example.org"},
            "spec": {"group": "example.org", "scope": "Namespaced", "names": {"plural": plural, "kind": kind},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                         "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}})
        self.addCleanup(self.api.request, "DELETE", f"{V1_CRDS}/{plural}.example.org")
        path = f"/apis/example.org/v1/namespaces/{shop}/{plural}/one"
        wait_for("it is not applied", lambda: self.api.request("GET", path)[0] == 200)
        self.wait_for_status(name, namespaces=1, failures=[])
        self.assertEqual(0, controller.metrics()["populate_namespaces_unfinished"])
        self.event(shop, "Normal", text)

    def test_a_template_that_is_changed_at_once_again_is_no_failure(self):
        namespaces = [self.namespace(f"n{number}") for number in range(5)]
        name = self.template("every", config_map("note", a="0"))
        controller = self.controller()
        self.wait_until_made({"ConfigMap/note": {"a": "0"}}, *namespaces)
        for number in range(60):
            more = [role_without_rights("more")] if number % 3 else []
            self.change(name, config_map("note", a=str(number)), *more)
        self.wait_until_made({"ConfigMap/note": {"a": "59"}, "Role/more": None}, *namespaces)
        self.wait_for_status(name, failures=[])
        for namespace in namespaces:
            self.assertEqual({}, self.events(namespace, "Warning"))
        self.assertEqual([], [line for line in controller.lines if name in line])

    def test_what_the_server_refuses_is_told_and_nothing_goes_for_it(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("old", a="b"))
        self.controller()
        self.wait_until_made({"ConfigMap/old": {"a": "b"}}, shop)
        self.change(name, refused_binding("wrong"), config_map("note", a="b"),
                    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "more"}})
        self.wait_until_made({"ConfigMap/old": {"a": "b"}, "ConfigMap/note": {"a": "b"}}, shop)
        wrong, more = 'RoleBinding.rbac.authorization.k8s.io "wrong"', 'Namespace "more"'
        self.assertEqual([1], list(self.event(shop, "Warning", wrong).values()))
        self.assertEqual([1], list(self.event(shop, "Warning", more).values()))
        self.event(shop, "Warning", 'ConfigMap "old"')  # why it stays
        wait_for("the status tells no failures", lambda: {wrong, more} <= {
            failure["object"] for failure in self.status(name).get("failures", [])})
        self.change(name, config_map("note", a="b"))
        self.wait_until_made({"ConfigMap/note": {"a": "b"}}, shop)
        self.wait_for_status(name, namespaces=1, failures=[])

    def set_quota(self, namespace, **status):
        """As kube-controller-manager does, which this cluster does not have."""
        path = self.path(namespace, "ResourceQuota", "few")
        self.api.patch(f"{path}/status", {"status": status})

    def test_a_quota_that_is_used_up_holds_no_other_object_up(self):
        shop = self.namespace("shop")
        self.api.post(f"{NAMESPACES}/{shop}/resourcequotas", {"metadata": {"name": "few"}, "spec": {
            "hard": {"count/configmaps": "0"}}})
        self.set_quota(shop, hard={"count/configmaps": "0"}, used={"count/configmaps": "0"})

        def is_refused():
            status, answer = self.api.request("POST", f"{NAMESPACES}/{shop}/configmaps?dryRun=All", config_map("probe"))
            return status == 403 and "exceeded quota" in answer["message"]
        wait_for("the quota does not count", is_refused)
        self.controller()
        name = self.template("every", config_map("note", a="b"), role_without_rights("edit"))
        self.wait_until_made({"Role/edit": None}, shop)
        self.event(shop, "Warning", "exceeded quota: few")
        wait_for("the status tells no failure", lambda: [
            failure for failure in self.status(name).get("failures", []) if "exceeded quota" in failure["message"]])

        self.set_quota(shop, hard={"count/configmaps": "10"}, used={"count/configmaps": "0"})
        self.wait_until_made({"Role/edit": None, "ConfigMap/note": {"a": "b"}}, shop)
        self.wait_for_status(name, namespaces=1, failures=[])

    def assert_others_get_theirs(self, hangs):
        name = self.template("every", config_map("note", a="1"))
        first = self.namespace("first")
        self.controller()
        self.wait_until_made({"ConfigMap/note": {"a": "1"}}, first)
        with NobodyAdmits(CLUSTER, hangs) as nobody:
            stuck = self.namespace("stuck", {"stuck": "yes"})
            wait_for("nothing is tried in the namespace that is stuck", nobody.is_asked)
            new = self.namespace("new")
            self.change(name, config_map("note", a="2"))
            self.wait_until_made({"ConfigMap/note": {"a": "2"}}, first, new, seconds=nobody.SECONDS + SLACK_SECONDS)
            self.event(stuck, "Warning", "no answer within" if hangs else "failed calling webhook")
        self.wait_until_made({"ConfigMap/note": {"a": "2"}}, stuck)

    def test_a_namespace_where_a_webhook_is_dead_holds_no_other_up(self):
        self.assert_others_get_theirs(hangs=False)

    def test_a_namespace_where_a_webhook_hangs_holds_no_other_up(self):
        self.assert_others_get_theirs(hangs=True)


class Model:
    """What namespaces are to have, told from templates and labels by the rules alone."""

    TIERS = ("web", "data", "batch")
    KINDS = ("ConfigMap", "Role")
    # The first one is always there, and has objects of both kinds: by the kinds of those that are left populate finds
    # what a template had that went while nobody watched.
    NAMES = ("a", "b", "c", "d", "e")

    def __init__(self, seed, number):
        self._random = random.Random(seed)
        self._number = str(number)
        self.labels = {}  # by namespace
        self.templates = {}  # by name: which tiers it selects, and {object: value}
        for name in self.NAMES[:3]:
            self.change_template(name)

    def selector(self, name):
        return {"matchLabels": {"test": self._number}, "matchExpressions": [
            {"key": "tier", "operator": "In", "values": sorted(self.templates[name][0])}]}

    def objects(self, name):
        """In some order, as the server is to have them."""
        return [config_map(object_name, value=value, place="$(NAMESPACE)") if kind == "ConfigMap"
                else {**role_without_rights(object_name), "metadata": {
                    "name": object_name, "annotations": {"value": value}}}
                for (kind, object_name), value in self.templates[name][1].items()]

    def change_template(self, name):
        tiers = set(self._random.sample(self.TIERS, self._random.choice((1, 2, 3))))
        # Several templates have the same names.
        names = [(kind, f"o{number}") for kind in self.KINDS for number in range(4)]
        keys = self._random.sample(names, 3)
        if name == self.NAMES[0]:
            keys = [self._random.choice([key for key in names if key[0] == kind]) for kind in self.KINDS]
        self.templates[name] = (tiers, {key: str(self._random.randrange(1000)) for key in keys})

    def come_or_go(self):
        """Adds a template, or removes one. Returns its name."""
        name = self._random.choice(self.NAMES[1:])
        if self.templates.pop(name, None) is None:
            self.change_template(name)
        return name

    def change_label(self, namespace):
        self.labels[namespace] = self._random.choice(self.TIERS)
        return self.labels[namespace]

    def some_namespaces(self, count):
        return self._random.sample(sorted(self.labels), count)

    def expected(self):
        """Returns {(namespace, kind, name): (template, value)}: of several templates the last one by name counts."""
        return {(namespace, kind, object_name): (name, value)
                for namespace, tier in self.labels.items()
                for name in sorted(self.templates) if tier in self.templates[name][0]
                for (kind, object_name), value in self.templates[name][1].items()}

    def selected(self, name):
        return [namespace for namespace, tier in self.labels.items() if tier in self.templates[name][0]]

    def extent(self, name):
        """Returns the kinds and namespaces of the ApplySet of a template, as KEP-3659 writes them."""
        keys = [key for key, (template, _) in self.expected().items() if template == name]
        kinds = {"ConfigMap": "ConfigMap", "Role": "Role.rbac.authorization.k8s.io"}
        return ",".join(sorted({kinds[kind] for _, kind, _ in keys})), ",".join(sorted({key[0] for key in keys}))


class Killed(Served):
    KILLS, NAMESPACES = 20, 60

    def test_at_random_moments_of_bulk_changes_it_brings_all_to_an_end(self):
        """Without a Lease, which whoever is killed leaves behind for a while: see Replicas."""
        print(f"SEED={SEED}", flush=True)
        model, chance = Model(SEED, self.number), random.Random(SEED)
        self.make_namespaces(model, self.NAMESPACES)
        for name in model.templates:
            self.add(model, name)
        arguments = ("--leader-elect=false", f"--concurrency={chance.choice((2, 16))}")
        undone = [self.is_undone_after_a_kill(model, chance, arguments) for _ in range(self.KILLS)]
        self.assertIn(True, undone)

        with self.populater(*arguments) as controller:
            try:
                wait_for("", lambda: self.found(model) == model.expected(), 360, 0.5)
            except ClusterError:
                found, expected = self.found(model), model.expected()
                self.fail("\n".join(f"{key}: {found.get(key)} and not {expected.get(key)}" for key in sorted(
                    {*found, *expected}) if found.get(key) != expected.get(key)) + "\n" + "\n".join(controller.lines))
            for name in model.templates:
                self.wait_for_status(f"{name}-{self.number}", namespaces=len(model.selected(name)), failures=[])
                self.assertEqual(model.extent(name), self.extent(name))
            self.assertEqual(0, controller.stop())
        self.assertEqual(model.expected(), self.found(model))
        for name in model.labels:
            theirs = self.stored(name, "ConfigMap", "theirs")
            self.assertEqual({"theirs": "x"} if re.match(r"many\d*0-", name) else None, theirs and theirs["data"])

    def is_undone_after_a_kill(self, model, chance, arguments):
        with self.populater(*arguments) as controller:
            killer = threading.Timer(chance.uniform(0, 1.5), controller.process.kill)
            killer.start()
            self.change_all(model, chance)
            killer.join()
            self.assertEqual(-signal.SIGKILL, controller.stop())
        return self.found(model) != model.expected()

    def change_all(self, model, chance):
        for name in chance.sample(sorted(model.templates), min(2, len(model.templates))):
            model.change_template(name)
            self.api.patch(f"{TEMPLATES}/{name}-{self.number}", {"spec": {
                "namespaces": {"labelSelector": model.selector(name)}, "templates": model.objects(name)}})
        name = model.come_or_go()
        if name in model.templates:
            self.add(model, name)
        else:
            self.remove(f"{name}-{self.number}")
        for name in model.some_namespaces(5):
            self.label(name, tier=model.change_label(name))
        self.make_namespaces(model, 2)

    def add(self, model, name):
        self.template(name, *model.objects(name), selector=model.selector(name))

    def make_namespaces(self, model, count):
        for number in range(len(model.labels), len(model.labels) + count):
            name = f"many{number}-{self.number}"
            self.assertEqual(name, self.namespace(f"many{number}", {"tier": model.change_label(name)}))
            if number % 10 == 0:
                self.api.post(f"{NAMESPACES}/{name}/configmaps", config_map("theirs", theirs="x"))

    def extent(self, name):
        """As Model.extent, as the template says it."""
        annotations = self.api.get(f"{TEMPLATES}/{name}-{self.number}")["metadata"]["annotations"]
        return tuple(annotations.get(key) or "" for key in (KINDS_OF, NAMESPACES_OF))

    def found(self, model):
        """As Model.expected, of all ConfigMaps and Roles of these namespaces that are not the test's own."""
        found = {}
        for kind, path in (("ConfigMap", "/api/v1/configmaps"), ("Role", "/apis/rbac.authorization.k8s.io/v1/roles")):
            for item in self.api.get(path)["items"]:
                metadata = item["metadata"]
                namespace = metadata["namespace"]
                if namespace not in model.labels or metadata["name"] == "theirs":
                    continue
                data = item.get("data") or {}
                value = data.get("value") or metadata.get("annotations", {}).get("value")
                if data.get("place", namespace) != namespace:
                    value = f"{value} of {data['place']}"
                template = metadata.get("labels", {}).get(TEMPLATE, "").removesuffix(f"-{self.number}")
                found[namespace, kind, metadata["name"]] = (template, value)
        return found


class Replicas(Served):
    def setUp(self):
        super().setUp()
        for user in ("first", "second"):
            self.enterContext(Rights(CLUSTER, user, ALL_RIGHTS))
        self.seen = {user: len(CLUSTER.audit_events(user)) for user in ("first", "second")}

    def written(self, user):
        """Returns what this user has written in this test but for the Lease."""
        return [(verb, path) for verb, path, code in CLUSTER.audit_events(user)[self.seen[user]:]
                if verb in ("create", "update", "patch", "delete") and code < 300 and "/leases" not in path
                and "/selfsubject" not in path]

    def two(self):
        """Returns the one that leads, and the one that waits."""
        first = self.controller(user="first")
        wait_for("nobody leads", first.leads)
        return first, self.controller(user="second")

    def test_one_populates_and_another_one_takes_its_place(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("note", a="1"))
        first, second = self.two()
        self.wait_until_made({"ConfigMap/note": {"a": "1"}}, shop)
        self.change(name, config_map("note", a="2"))
        self.wait_until_made({"ConfigMap/note": {"a": "2"}}, shop)
        self.wait_for_status(name, namespaces=1)
        self.assertEqual((True, False), (first.leads(), second.leads()))
        self.assertIn("/configmaps/note", str(self.written("first")))
        self.assertEqual([], self.written("second"))

        # Whoever ends gives the Lease back.
        self.change(name, config_map("note", a="3"))
        before = self.lease_holders()
        self.assertEqual(0, first.stop())
        self.assertNotEqual(before, self.lease_holders())
        self.assertRegex(first.lines[-1], r"^no longer leading: the Lease \S+ is given back$")
        wait_for("nobody leads", second.leads)
        self.assertRegex("\n".join(second.lines), r"(?m)^leading now: ")
        self.wait_until_made({"ConfigMap/note": {"a": "3"}}, shop)

    def test_who_is_killed_is_waited_for_and_no_longer(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("note", a="1"))
        first, second = self.two()
        self.wait_until_made({"ConfigMap/note": {"a": "1"}}, shop)
        self.assertEqual([], self.written("second"))
        first.kill()
        killed = time.monotonic()
        self.change(name, config_map("note", a="2"))
        self.assert_lease_was_waited_for(self.time_until(second.leads, killed))
        self.wait_until_made({"ConfigMap/note": {"a": "2"}}, shop)

    def test_who_hangs_knows_afterwards_that_another_one_leads(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("note", a="1"))
        first, second = self.two()
        self.wait_until_made({"ConfigMap/note": {"a": "1"}}, shop)
        self.wait_for_status(name, namespaces=1)
        first.process.send_signal(signal.SIGSTOP)
        try:
            self.change(name, config_map("note", a="2"))
            self.assert_lease_was_waited_for(self.time_until(second.leads))
            self.wait_until_made({"ConfigMap/note": {"a": "2"}}, shop)
            before = self.written("first")
        finally:
            first.process.send_signal(signal.SIGCONT)
        wait_for("two lead", lambda: not first.leads())
        self.change(name, config_map("note", a="3"))
        self.wait_until_made({"ConfigMap/note": {"a": "3"}}, shop)
        self.wait_for_status(name, namespaces=1)
        self.assertEqual((False, True), (first.leads(), second.leads()))
        self.assertEqual(before, self.written("first"))

    def lease_holders(self):
        return {lease["metadata"]["name"]: lease["spec"].get("holderIdentity")
                for lease in self.api.get("/apis/coordination.k8s.io/v1/leases")["items"]}

    def assert_lease_was_waited_for(self, took):
        """It was renewed within 2 s before, or some more on a slow machine, and that was seen at the next look."""
        self.assertLess(LEASE_SECONDS - 2 - 4, took)
        self.assertLess(took, LEASE_SECONDS + 2 * LONGEST_RETRY_SECONDS + SLACK_SECONDS)

    @staticmethod
    def time_until(condition, began=None):
        began = began or time.monotonic()
        wait_for("nobody leads", condition)
        return time.monotonic() - began


class Weather(Served):
    def test_an_api_server_that_restarts_while_templates_change(self):
        shop, bank = self.namespace("shop"), self.namespace("bank")
        name = self.template("every", config_map("note", a="0"))
        controller = self.controller()
        self.wait_until_made({"ConfigMap/note": {"a": "0"}}, shop, bank)
        stop = threading.Event()
        changer = threading.Thread(target=self.change_on, args=(name, stop))
        changer.start()
        try:
            CLUSTER.restart_kube_apiserver()
        finally:
            stop.set()
            changer.join()
        self.api.close()
        self.change(name, config_map("note", a="last"), config_map("new", a="b"))
        self.wait_until_made({"ConfigMap/note": {"a": "last"}, "ConfigMap/new": {"a": "b"}}, shop, bank)
        self.wait_for_status(name, namespaces=2, failures=[])
        wait_for("it does not see again", lambda: controller.metrics()["populate_blind"] == 0)
        wait_for("it does not lead again", controller.leads)

    def change_on(self, name, stop):
        api = CLUSTER.api()
        for number in itertools.count():
            if stop.is_set():
                break
            body = {"spec": {"templates": [config_map("note", a=str(number))]}}
            try:
                api.request("PATCH", f"{TEMPLATES}/{name}", body, "application/merge-patch+json")
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)  # it is away
        api.close()

    def test_changes_that_no_watch_shows_any_more_are_read(self):
        """A server that begins anew knows no changes before its beginning: watches that go on from there get a 410."""
        shop, bank = self.namespace("shop"), self.namespace("bank", {"tier": "web"})
        name = self.template("every", config_map("note", a="1"))
        gone = self.template("gone", config_map("gone", a="1"))
        self.enterContext(Rights(CLUSTER, "first", ALL_RIGHTS))
        controller = self.controller("--leader-elect=false", user="first")
        self.wait_until_made({"ConfigMap/note": {"a": "1"}, "ConfigMap/gone": {"a": "1"}}, shop, bank)
        self.wait_for_status(name, namespaces=2)
        controller.process.send_signal(signal.SIGSTOP)
        try:
            # Whatever it is, the new server begins after it.
            self.api.post(f"{NAMESPACES}/{shop}/configmaps", config_map("theirs"))
            CLUSTER.restart_kube_apiserver()
            self.api.close()
            self.change(name, config_map("note", a="2"))
            self.remove(gone)
            self.label(bank, test="other")
            mall = self.namespace("mall")
            lists = self.lists()
        finally:
            controller.process.send_signal(signal.SIGCONT)
        self.wait_until_made({"ConfigMap/note": {"a": "2"}}, shop, mall)
        self.wait_until_made({}, bank)
        self.assertEqual([True, True], [now > before for now, before in zip(self.lists(), lists)])

    @staticmethod
    def lists():
        """Returns how often it has read all templates, and all namespaces."""
        listed = [path.split("?")[0] for verb, path, _ in CLUSTER.audit_events("first") if verb == "list"]
        return listed.count(TEMPLATES), listed.count(NAMESPACES)


class Watched(Served):
    def test_how_it_fares_can_be_asked(self):
        shop = self.namespace("shop")
        self.template("every", config_map("a", a="b"), config_map("b", a="b"))
        controller = self.controller()
        self.wait_until_made({"ConfigMap/a": {"a": "b"}, "ConfigMap/b": {"a": "b"}}, shop)
        wait_for("it is not done", lambda: controller.metrics()["populate_namespaces_due"] == 0)
        metrics = controller.metrics()
        self.assertEqual((1, 0, 1, 0), tuple(metrics[f"populate_{name}"] for name in (
            "leader", "blind", "templates", "namespaces_unfinished")))
        self.assertEqual(len(self.api.get(NAMESPACES)["items"]), metrics["populate_namespaces"])
        self.assertEqual(2, metrics['populate_objects_total{result="applied"}'])
        self.assertEqual(0, metrics['populate_objects_total{result="failed"}'])
        self.assertEqual((200, "ok"), controller.ask("/healthz"))
        self.assertEqual((200, "ok"), controller.ask("/readyz"))
        self.assertEqual(404, controller.ask("/nothing")[0])
        rounds = metrics["populate_rounds_total"]
        # Nothing is done where nothing changes.
        before = CLUSTER.etcd_revisions(f"/registry/configmaps/{shop}")
        self.label("default", touched=None)
        bank = self.namespace("bank")
        self.wait_until_made({"ConfigMap/a": {"a": "b"}, "ConfigMap/b": {"a": "b"}}, bank)
        self.assertLess(rounds, controller.metrics()["populate_rounds_total"])
        self.assertEqual(before, CLUSTER.etcd_revisions(f"/registry/configmaps/{shop}"))

    def test_it_ends_in_order_by_a_signal(self):
        self.template("every", config_map("a", a="b"))
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.populater("--webhooks=all", *HERE, "--managed=populate.example.com") as controller:
                self.assertEqual(0, controller.stop(number))
                for kind in KINDS:  # before the block ends, which deletes them
                    status, answer = self.api.request("GET", f"{CONFIGURATIONS}/{kind}/populate.example.com")
                    self.assertFalse(status == 200 and answer.get("webhooks"), answer)

    def test_persistent_webhooks_outlive_it(self):
        with self.populater("--webhooks=all", "--persistent", *HERE, "--managed=populate.example.com") as controller:
            names = self.webhook_names("populate.example.com")
            self.assertEqual([], [kind for kind in KINDS if not names[kind]])
            self.assertEqual(0, controller.stop())
            self.assertEqual(names, self.webhook_names("populate.example.com"))

    def webhook_names(self, managed):
        """Returns {kind: [name]} of the webhooks in both configurations."""
        return {kind: [one["name"] for one in self.api.get(f"{CONFIGURATIONS}/{kind}/{managed}").get("webhooks", [])]
                for kind in KINDS}


def main():
    global BINARY, CLUSTER
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    with Cluster(users=("first", "second"), audit=True) as CLUSTER:
        bring_in_the_crd(CLUSTER)
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
