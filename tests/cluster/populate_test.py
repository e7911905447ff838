"""`kubectl-prune populate --once` on a real API server: namespaces get what templates have, what was made of templates
and nothing else is deleted, and kubectl's ApplySets are understood on both sides.

populate_test.py BINARY [TEST...]. Exit code 77 (skipped) without a server.
"""
import itertools
import json
import pathlib
import re
import sys

from cluster import Cluster, wait_for
import kubectl as kubectl_program
from populating import (CRD_NAME, CREATOR, DISABLE, KINDS_OF, NAMESPACES, NAMESPACES_OF, OPT_OUT, TEMPLATE, TEMPLATES,
                        TIME_LIMIT, TOOLING, Templates, bring_in_the_crd, config_map, quota, refused_binding, role, role_binding,
                        role_without_rights)
from rights import Rights
from runner import end, run_tests
from subjects import V1_CRDS

BINARY = None
CLUSTER = None
ROLE = pathlib.Path(__file__).resolve().parents[2] / "krew/manifests/populate/populater.yaml"
PART_OF = "applyset.kubernetes.io/part-of"
RBAC = "rbac.authorization.k8s.io.v1"
NUMBERS = itertools.count()


def kubectl(*arguments, **options):
    return CLUSTER.run(["kubectl", *arguments], **options)


def apply_set(namespace, parent, *objects):
    """`kubectl apply --prune --applyset` of exactly these objects."""
    command = ["env", "KUBECTL_APPLYSET=true", kubectl_program.program(27), "apply", "--validate=false",
               f"--namespace={namespace}", "--prune", f"--applyset={parent}", "-f", "-"]
    return CLUSTER.run(command, input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


class Populated(Templates):
    def setUp(self):
        self.begin(CLUSTER, BINARY)

    def lines(self, run, *namespaces):
        """What was done in these namespaces, without their names' ends."""
        lines = []
        for line in run.stdout.splitlines():
            match = re.fullmatch(r"(\S+ \S+) in namespace (\S+)(.*)", line)
            self.assertTrue(match, line)
            if match[2] in namespaces:
                lines.append(match[1] + match[3])
        return lines

    def populated(self, *arguments, code=0):
        run = self.populate_once(*arguments)
        self.assertEqual(code, run.returncode, run.stdout + run.stderr)
        return run


class Applied(Populated):
    def test_namespaces_get_what_templates_have(self):
        shop = self.namespace("shop", annotations={"authorization.k8s.io/creator": "jo@example.com"})
        bank = self.namespace("bank")
        name = self.template("every", role("edit", "get"), role_binding("edit", "edit", "$(NAMESPACE)-admin"),
                             quota("pods", "10"), config_map("note", text="for $(NAMESPACE), not $$(NAMESPACE)"))
        run = self.populated()
        self.assertEqual("", run.stderr)
        for namespace in (shop, bank):
            self.assertEqual(["role.rbac.authorization.k8s.io/edit serverside-applied",
                              "rolebinding.rbac.authorization.k8s.io/edit serverside-applied",
                              "resourcequota/pods serverside-applied", "configmap/note serverside-applied"],
                             self.lines(run, namespace))
            self.assertEqual(f"{namespace}-admin", self.stored(namespace, "RoleBinding", "edit")["subjects"][0]["name"])
            self.assertEqual({"text": f"for {namespace}, not $(NAMESPACE)"},
                             self.stored(namespace, "ConfigMap", "note")["data"])
            self.assertEqual(name, self.stored(namespace, "ConfigMap", "note")["metadata"]["labels"][TEMPLATE])

        template = self.api.get(f"{TEMPLATES}/{name}")
        self.assertEqual({"observedGeneration": 1, "namespaces": 2, "failures": []}, template["status"])
        annotations = template["metadata"]["annotations"]
        self.assertEqual("ConfigMap,ResourceQuota,Role.rbac.authorization.k8s.io,RoleBinding.rbac.authorization.k8s.io",
                         annotations[KINDS_OF])
        self.assertEqual(f"{bank},{shop}", annotations[NAMESPACES_OF])
        self.assertEqual(template["metadata"]["labels"]["applyset.kubernetes.io/id"],
                         self.stored(shop, "Role", "edit")["metadata"]["labels"][PART_OF])

    def test_a_second_run_writes_nothing(self):
        shop = self.namespace("shop")
        name = self.template("every", role("edit", "get"), quota("pods", "10"), config_map("note", a="b"))
        self.populated()
        before = CLUSTER.etcd_revisions("/registry/")
        run = self.populated()
        self.assertEqual({"unchanged"}, {line.split()[-1] for line in self.lines(run, shop)})
        after = CLUSTER.etcd_revisions("/registry/")
        written = [key for key in after if before.get(key) != after[key] and (shop in key or name in key)]
        self.assertEqual([], written)

    def test_one_wrong_object_keeps_nothing_else_from_being_applied(self):
        shop = self.namespace("shop")
        name = self.template("every", refused_binding("wrong"), config_map("note", a="b"),
                             {**config_map("typo"), "dataa": {"a": "b"}},
                             {"apiVersion": "example.org/v1", "kind": "Nothing", "metadata": {"name": "n"}},
                             {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "more"}})
        run = self.populated(code=1)
        self.assertEqual(["configmap/note serverside-applied"], self.lines(run, shop))
        self.assertIn('no matches for kind "Nothing" in version "example.org/v1"', run.stderr)
        self.assertIn("objects of its kind are in no namespace", run.stderr)
        self.assertIn(f"{shop}: rolebinding.rbac.authorization.k8s.io/wrong of the template {name}: ", run.stderr)
        self.assertIn("dataa: field not declared in schema", run.stderr)
        failures = self.api.get(f"{TEMPLATES}/{name}")["status"]["failures"]
        self.assertEqual(['ConfigMap "typo"', 'Namespace "more"', 'Nothing.example.org "n"',
                          'RoleBinding.rbac.authorization.k8s.io "wrong"'],
                         [failure["object"] for failure in failures])

    def test_a_template_without_rights_is_told(self):
        shop = self.namespace("shop")
        self.template("every", config_map("note", a="b"), quota("pods", "10"))
        rules = [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list"]},
                 {"apiGroups": ["policy.kubectl-prune.dev"], "resources": ["*"], "verbs": ["get", "list", "patch"]},
                 {"apiGroups": [""], "resources": ["configmaps", "resourcequotas"], "verbs": ["list"]},
                 {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "patch"]}]
        with Rights(CLUSTER, "limited", rules):
            run = self.populate_once(shop, user="limited")
        self.assertEqual(1, run.returncode, run.stderr)
        self.assertEqual(["configmap/note serverside-applied"], self.lines(run, shop))
        self.assertIn('User "limited" cannot patch resource "resourcequotas"', run.stderr)

    def test_what_a_person_applies_is_set_back(self):
        shop = self.namespace("shop")
        self.template("every", config_map("note", a="ours", c="d"))
        self.populated()
        status, answer = self.apply_as("jo", shop, "ConfigMap", config_map("note", a="theirs", e="f"), force=False)
        self.assertEqual(409, status, answer)
        self.apply_as("jo", shop, "ConfigMap", config_map("note", a="theirs", e="f"))
        run = self.populated()
        self.assertEqual(["configmap/note serverside-applied"], self.lines(run, shop))
        self.assertIn('set back what others had changed: .data.a: conflict with "jo"', run.stderr)
        # What is theirs alone stays.
        self.assertEqual({"a": "ours", "c": "d", "e": "f"}, self.stored(shop, "ConfigMap", "note")["data"])
        self.assertEqual(["configmap/note unchanged"], self.lines(self.populated(), shop))

    def test_a_dry_run_writes_nothing(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("old", a="b"))
        self.populated()
        self.change(name, config_map("new", a="b"))
        before = CLUSTER.etcd_revisions("/registry/configmaps/" + shop)
        for strategy, suffix in (("client", " (dry run)"), ("server", " (server dry run)")):
            run = self.populated(f"--dry-run={strategy}")
            self.assertEqual([f"configmap/new serverside-applied{suffix}", f"configmap/old pruned{suffix}"],
                             self.lines(run, shop))
        self.assertEqual(before, CLUSTER.etcd_revisions("/registry/configmaps/" + shop))

    def test_only_the_namespaces_that_are_named(self):
        shop, bank = self.namespace("shop"), self.namespace("bank")
        self.template("every", config_map("note", a="b"))
        self.populated(shop)
        self.assertIsNone(self.stored(bank, "ConfigMap", "note"))
        run = self.populated(shop, "no-such-namespace", code=1)
        self.assertIn('error: namespaces "no-such-namespace" not found', run.stderr)


class Allowed(Populated):
    """The role of krew/manifests/populate suffices, and holds nothing that is not needed."""

    # What needs a right that a run as below does not always need, or does not fail without.
    RARE = {("configmaps", "get"), ("networkpolicies", "get"), ("roles", "get"), ("events", "create"),
            ("validatingwebhookconfigurations", "list")}

    @staticmethod
    def rules():
        run = kubectl("create", "--dry-run=client", "--validate=false", "-o", "json", "-f", ROLE)
        return json.loads(run.stdout)["rules"]

    def cuts(self, rules):
        """The rules without one verb of one of them, with what was left out; of what this server has."""
        for number, rule in enumerate(rules):
            if rule["apiGroups"] != ["networking.k8s.io"]:
                for verb in rule["verbs"]:
                    if (rule["resources"][0], verb) not in self.RARE:
                        verbs = [one for one in rule["verbs"] if one != verb]
                        rest = [{**rule, "verbs": verbs}] if verbs else []
                        yield (rule["resources"][0], verb), [*rules[:number], *rest, *rules[number + 1:]]

    def test_each_right_of_the_role_is_needed(self):
        shop = self.namespace("shop")
        objects = [(config_map("a", a="b"), role_without_rights("a")),
                   (config_map("b", a="b"), role_without_rights("b"), quota("b", "1"))]
        name = self.template("every", *objects[0])
        with Rights(CLUSTER, "limited", self.rules()):
            run = self.populate_once(user="limited")
            self.assertEqual(0, run.returncode, run.stderr)
            self.change(name, *objects[1])
            run = self.populate_once(user="limited")
            self.assertEqual((0, ["configmap/a pruned", "role.rbac.authorization.k8s.io/a pruned"]),
                             (run.returncode, [line for line in self.lines(run, shop) if "pruned" in line]), run.stderr)
        turns = itertools.cycle(objects)
        for (resource, verb), rest in self.cuts(self.rules()):
            with self.subTest(resource=resource, verb=verb):
                self.change(name, *next(turns))
                named = [shop] if (resource, verb) == ("namespaces", "get") else []
                with Rights(CLUSTER, "limited", rest):
                    run = self.populate_once(*named, user="limited")
                self.assertNotEqual(0, run.returncode, run.stdout)
                self.populated()

    def test_without_the_right_to_events_that_is_a_warning(self):
        shop = self.namespace("shop")
        self.template("every", config_map("note", a="b"))
        with Rights(CLUSTER, "limited", [rule for rule in self.rules() if rule["resources"] != ["events"]]):
            run = self.populate_once(user="limited")
        self.assertEqual((0, ["configmap/note serverside-applied"]), (run.returncode, self.lines(run, shop)), run.stderr)
        self.assertIn("Warning: cannot create Events: ", run.stderr)


class Refused(Populated):
    """What a template that is refused has made stays, and nothing new comes."""

    def assert_is_refused(self, name, reason, text, namespace, has_condition=True):
        run = self.populated(code=1)
        self.assertIn(f"error: the template {name} is left alone, and what was made of it: ", run.stderr)
        self.assertIn(text, run.stderr)
        self.assertEqual({"a": "old"}, self.stored(namespace, "ConfigMap", "note")["data"])
        self.assertIsNone(self.stored(namespace, "ConfigMap", "more"))
        told = [message for why, message in self.template_events(name) if why == reason]
        self.assertTrue(any(text in message for message in told), told)
        refusal = self.refusal(name)
        self.assertEqual(reason if has_condition else None, refusal and refusal[0])

    def test_a_misspelt_selector_touches_nothing_at_whatever_depth(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("note", a="old"))
        self.populated()
        for text, selector in (
                ("labelSelector.matchLabel: Forbidden", {"matchLabel": {"test": "none"}}),
                ("matchExpressions[0].value: Forbidden",
                 {"matchExpressions": [{"key": "test", "operator": "Exists", "value": ["none"]}]}),
                ("matchLabels[test]: Required", {"matchLabels": {"test": None}}),
                ("labelSelector.matchLabels: Required", {"matchLabels": None}),
                ("labelSelector.matchExpressions: Required", {"matchExpressions": None})):
            with self.subTest(text):
                self.replace_spec(name, {"namespaces": {"labelSelector": selector},
                                         "templates": [config_map("note", a="new"), config_map("more", a="b")]})
                self.assertEqual(selector, self.api.get(f"{TEMPLATES}/{name}")["spec"]["namespaces"]["labelSelector"])
                self.assert_is_refused(name, "Invalid", text, shop)
        self.replace_spec(name, {"namespaces": {"labelSelector": {"matchLabels": {"test": str(self.number)}}},
                                 "templates": []})
        self.populated()
        self.assertIsNone(self.stored(shop, "ConfigMap", "note"))
        self.assertIsNone(self.refusal(name))

    def test_a_server_takes_no_template_without_a_selector(self):
        for spec in ({}, {"namespaces": {}}, {"namespaces": {"labelselector": {}}}, {"namespace": {"labelSelector": {}}},
                     {"namespaces": {"labelSelector": None}}):
            status, answer = self.api.request("POST", TEMPLATES, {
                "apiVersion": "policy.kubectl-prune.dev/v1alpha1", "kind": "NamespaceTemplate",
                "metadata": {"name": "none"}, "spec": {**spec, "templates": []}})
            self.assertEqual((422, True), (status, "Required value" in answer["message"]), answer)

    def test_a_template_that_was_stored_without_a_selector_stays_as_it_is(self):
        """By the CRD as it was before."""
        shop = self.namespace("shop")
        name = self.template("every", config_map("note", a="old"))
        self.populated()
        path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/required"
        body = {"spec": {"namespaces": None, "templates": [config_map("note", a="new"), config_map("more", a="b")]}}

        def can_be_stored():
            return self.api.request("PATCH", f"{TEMPLATES}/{name}?dryRun=All", body, "application/merge-patch+json")[0] == 200

        def require(*fields):
            self.api.patch(f"{V1_CRDS}/{CRD_NAME}", [{"op": "replace", "path": path, "value": list(fields)}],
                           "application/json-patch+json")
        require("templates")
        try:
            wait_for("the CRD is not as before", can_be_stored)
            self.api.patch(f"{TEMPLATES}/{name}", body)
        finally:
            require("namespaces", "templates")
        # A server may take no status for what its schema forbids.
        wait_for("the CRD is not as it is", lambda: self.api.request(
            "POST", f"{TEMPLATES}?dryRun=All", {**self.api.get(f"{TEMPLATES}/{name}"), "metadata": {"name": "b"}})[0] == 422)
        status, _ = self.api.request("PATCH", f"{TEMPLATES}/{name}/status?dryRun=All", {"status": {"failures": []}},
                                     "application/merge-patch+json")
        self.assert_is_refused(name, "NoSelector", "spec.namespaces: Required value; for every namespace", shop, status == 200)
        self.select(name, {"matchLabels": {"test": str(self.number)}})
        self.populated()
        self.assertEqual({"a": "new"}, self.stored(shop, "ConfigMap", "note")["data"])

    def test_nobody_is_made_creator_where_nobody_guards_it(self):
        shop = self.namespace("shop", annotations={CREATOR: "root"})
        name = self.template("every", config_map("note", a="old"))
        self.populated()
        self.change(name, config_map("note", a="$(CREATOR)"), config_map("more", a="b"))
        self.assert_is_refused(name, "CreatorNotGuarded", "the cluster does not have the webhook creator", shop)
        for arguments in (["--dry-run=client"], ["--dry-run=server"]):
            self.assertEqual([], self.lines(self.populated(*arguments, code=1), shop))
        self.populated("--trust-creator-annotation")
        self.assertEqual({"a": "root"}, self.stored(shop, "ConfigMap", "note")["data"])
        self.change(name, config_map("note", a="old"))
        self.populated()

    def test_annotations_switch_off_as_labels_do(self):
        for where in ("labels", "annotations"):
            with self.subTest(where):
                shop = self.namespace(f"shop-{where}")
                name = self.template(f"every-{where}", config_map("note", a="old"), selector={
                    "matchLabels": {"kubernetes.io/metadata.name": shop}})
                self.populated()
                self.change(name, config_map("more", a="b"))
                self.api.patch(f"{NAMESPACES}/{shop}", {"metadata": {where: OPT_OUT}})
                self.assertEqual([], self.lines(self.populated(), shop))
                self.api.patch(f"{NAMESPACES}/{shop}", {"metadata": {where: dict.fromkeys(OPT_OUT)}})
                self.api.patch(f"{TEMPLATES}/{name}", {"metadata": {where: DISABLE}})
                self.assertEqual([], self.lines(self.populated(), shop))
                self.api.patch(f"{TEMPLATES}/{name}", {"metadata": {where: dict.fromkeys(DISABLE)}})
                self.assertEqual(["configmap/more serverside-applied", "configmap/note pruned"],
                                 self.lines(self.populated(), shop))

    def test_once_makes_the_events_of_a_controller(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("note", a="b"), refused_binding("wrong"))
        self.populated(code=1)
        events = {(event["type"], event["reason"]): event["message"]
                  for event in self.api.get(f"{NAMESPACES}/{shop}/events")["items"]}
        self.assertEqual({("Normal", "Populated"), ("Warning", "Failed")}, {*events})
        self.assertEqual(f'applied ConfigMap "note" of the template {name}', events["Normal", "Populated"])


class Pruned(Populated):
    def test_what_a_template_no_longer_has_is_deleted_everywhere(self):
        shop, bank = self.namespace("shop"), self.namespace("bank")
        name = self.template("every", config_map("note", a="b"), role("edit", "get"))
        self.populated()
        self.change(name, config_map("note", a="b"))
        run = self.populated()
        for namespace in (shop, bank):
            self.assertEqual(["configmap/note unchanged", "role.rbac.authorization.k8s.io/edit pruned"],
                             self.lines(run, namespace))
            self.assertIsNone(self.stored(namespace, "Role", "edit"))
        self.assertEqual("ConfigMap", self.api.get(f"{TEMPLATES}/{name}")["metadata"]["annotations"][KINDS_OF])

    def test_what_is_not_ours_is_never_deleted(self):
        shop = self.namespace("shop")
        name = self.template("every", config_map("one", a="b"), config_map("two", a="b"))
        # Their object has the name of one that the template will have had elsewhere only.
        bank = self.namespace("bank", labels=OPT_OUT)
        self.api.post(f"/api/v1/namespaces/{bank}/configmaps", config_map("one", theirs="x"))
        self.populated()
        copy = self.stored(shop, "ConfigMap", "one")
        self.api.post(f"/api/v1/namespaces/{shop}/configmaps",
                      config_map("copy", {"labels": copy["metadata"]["labels"]}, a="b"))
        self.api.patch(self.path(shop, "ConfigMap", "two"), {"metadata": {"labels": {TEMPLATE: None, PART_OF: None}}})
        self.change(name)
        run = self.populated()
        self.assertEqual(["configmap/one pruned"], self.lines(run, shop, bank))
        self.assertIn(f"note: {shop}: configmap/copy of the template {name} is not wanted any more, and stays: it has "
                      "the label of the template, and was not made of it", run.stderr)
        for namespace, stays in ((shop, "copy"), (shop, "two"), (bank, "one")):
            self.assertIsNotNone(self.stored(namespace, "ConfigMap", stays), stays)
        self.api.delete(self.path(shop, "ConfigMap", "copy"))

    def test_nothing_goes_where_what_is_to_come_in_its_place_fails(self):
        shop = self.namespace("shop")
        name = self.template("every", quota("old", "10"))
        self.populated()
        self.change(name, refused_binding("new"))
        run = self.populated(code=1)
        self.assertIn("resourcequota/old", run.stderr)
        self.assertIsNotNone(self.stored(shop, "ResourceQuota", "old"))

    def test_opting_out_and_disabling_leave_all_as_it_is(self):
        shop, bank = self.namespace("shop"), self.namespace("bank")
        name, resting = self.template("every", config_map("a", a="b")), self.template("rest", config_map("r", a="b"))
        self.populated()
        self.api.patch(f"/api/v1/namespaces/{bank}", {"metadata": {"labels": OPT_OUT}})
        self.api.patch(f"{TEMPLATES}/{resting}", {"metadata": {"labels": DISABLE}})
        self.change(name)
        self.change(resting)
        run = self.populated()
        self.assertEqual(["configmap/a pruned"], self.lines(run, shop, bank))
        self.assertIsNotNone(self.stored(bank, "ConfigMap", "a"))
        self.assertIsNotNone(self.stored(shop, "ConfigMap", "r"))
        self.api.patch(f"/api/v1/namespaces/{bank}", {"metadata": {"labels": dict.fromkeys(OPT_OUT)}})

    def test_what_was_made_of_a_template_that_is_gone_goes(self):
        shop = self.namespace("shop")
        self.template("stays", config_map("one", a="b"))
        gone = self.template("gone", config_map("two", a="b"))
        self.populated()
        self.api.delete(f"{TEMPLATES}/{gone}")
        run = self.populated()
        self.assertEqual(["configmap/one unchanged", "configmap/two pruned"], self.lines(run, shop))


class Members(Populated):
    """kubectl's ApplySets and ours."""

    def setUp(self):
        lacks = kubectl_program.lacks(27)
        if lacks:
            self.skipTest(lacks)
        super().setUp()

    def test_kubectl_finds_the_members_by_what_the_template_says(self):
        shop, bank = self.namespace("shop"), self.namespace("bank")
        name = self.template("every", config_map("note", a="b"), role("edit", "get"))
        self.populated()
        parent = f"namespacetemplates.policy.kubectl-prune.dev/{name}"
        kept = config_map("kept", a="b")
        run = apply_set(shop, parent, kept)
        self.assertNotEqual(0, run.returncode, run.stdout)
        self.assertIn('managed by tooling "kubectl-prune" instead of "kubectl"', run.stderr)
        self.assertIsNotNone(self.stored(bank, "Role", "edit"))

        # With id, kinds and namespaces as we have written them.
        self.api.patch(f"{TEMPLATES}/{name}", {"metadata": {"annotations": {TOOLING: "kubectl/v1.36.0"}}})
        run = apply_set(shop, parent, kept)
        self.assertEqual(0, run.returncode, run.stderr)
        for namespace in (shop, bank):
            for kind, object_name in (("ConfigMap", "note"), ("Role", "edit")):
                self.assertIsNone(self.stored(namespace, kind, object_name), run.stdout)

        # Now it is kubectl's.
        run = self.populated(code=1)
        self.assertIn('managed by tooling "kubectl" instead of "kubectl-prune"', run.stderr)
        self.assertEqual([], self.lines(run, shop, bank))
        self.assertIsNotNone(self.stored(shop, "ConfigMap", "kept"))
        self.api.delete(self.path(shop, "ConfigMap", "kept"))

    def test_a_member_of_kubectl_s_applyset_stays_one(self):
        shop = self.namespace("shop")
        self.assertEqual(0, apply_set(shop, "secrets/set", config_map("note", theirs="x")).returncode)
        before = self.stored(shop, "ConfigMap", "note")
        name = self.template("every", config_map("note", a="b"), config_map("own", a="b"))
        run = self.populated(code=1)
        self.assertEqual(["configmap/own serverside-applied"], self.lines(run, shop))
        self.assertIn("it belongs to another ApplySet, which would lose it", run.stderr)
        self.assertEqual(before["metadata"]["resourceVersion"],
                         self.stored(shop, "ConfigMap", "note")["metadata"]["resourceVersion"])

        # And kubectl prunes its own alone.
        run = apply_set(shop, "secrets/set", config_map("other", theirs="x"))
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertIsNone(self.stored(shop, "ConfigMap", "note"))
        self.assertIsNotNone(self.stored(shop, "ConfigMap", "own"))
        self.assertEqual(["configmap/note serverside-applied", "configmap/own unchanged"],
                         self.lines(self.populated(), shop))
        self.assertEqual(name, self.stored(shop, "ConfigMap", "note")["metadata"]["labels"][TEMPLATE])


def secret(name, **data):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data}


class Shown(Populated):
    """populate --diff: what it shows is what --once then does, and what kubectl diff shows."""

    # Keeps both folders, and compares them as it would be done without it.
    KEEPER = '#!/bin/sh\ncp -r "$1" "$KEPT/live"; cp -r "$2" "$KEPT/merged"; exec diff -u -N "$1" "$2"\n'
    # What a write changes, and a dry run does not know.
    OF_A_WRITE = re.compile(r"^  (creationTimestamp|generation|resourceVersion|uid): .*\n", re.MULTILINE)
    ACCIDENTS = re.compile(r"/\S*/(?=(LIVE|MERGED)-)|(?<=LIVE)-\w+|(?<=MERGED)-\w+|\t\d{4}-\d\d-\d\d .*"
                           r"|(?<=  uid: ).*|(?<=  creationTimestamp: ).*")

    def setUp(self):
        super().setUp()
        self.keeper = CLUSTER.folder / "keeper"
        self.keeper.write_text(self.KEEPER, encoding="utf-8")
        self.keeper.chmod(0o755)

    def shown(self, *arguments, code, user=None):
        """Returns the run, and the files of both folders by their names."""
        kept = CLUSTER.folder / f"kept{self.number}-{next(NUMBERS)}"
        kept.mkdir()
        run = CLUSTER.run(["env", f"KUBECTL_EXTERNAL_DIFF={self.keeper}", f"KEPT={kept}", BINARY, "populate", "--diff",
                           *arguments], user, cwd=CLUSTER.folder, timeout=TIME_LIMIT)
        self.assertEqual(code, run.returncode, run.stdout + run.stderr)
        return run, *({path.name: path.read_text(encoding="utf-8") for path in (kept / side).iterdir()}
                      for side in ("live", "merged"))

    def printed(self, namespace, kind, name):
        """The object as kubectl prints it; empty: there is none."""
        run = kubectl("get", kind, name, "-n", namespace, "-o", "yaml", "--ignore-not-found")
        self.assertEqual(0, run.returncode, run.stderr)
        return kubectl_program.without_managed_fields(run.stdout)

    def test_what_is_shown_is_what_is_done(self):
        namespaces = self.namespace("shop"), self.namespace("bank")
        stays = [config_map("stays", a="b"), role("stays", "get")]
        name = self.template("every", *stays, config_map("changed", a="b"), config_map("theirs", a="b"),
                             role("old", "get"))
        self.populated()
        self.shown(*namespaces, code=0)
        self.change(name, *stays, config_map("changed", c="d"), config_map("theirs", a="b"), quota("new", "10"))
        for namespace in namespaces:
            self.apply_as("jo", namespace, "ConfigMap", config_map("theirs", a="theirs", e="f"))

        def everything():
            """Texts of all that is looked at, by the name of its file."""
            return {f"{version}.{kind}.{namespace}.{object_name}": self.printed(namespace, kind, object_name)
                    for namespace in namespaces for version, kind, object_name in (
                        ("v1", "ConfigMap", "stays"), (RBAC, "Role", "stays"), ("v1", "ConfigMap", "changed"),
                        ("v1", "ConfigMap", "theirs"), ("v1", "ResourceQuota", "new"), (RBAC, "Role", "old"))}

        before, template = everything(), self.api.get(f"{TEMPLATES}/{name}")
        run, live, merged = self.shown(*namespaces, "-v=6", code=1)
        self.assertIn('set back what others had changed: .data.a: conflict with "jo"', run.stderr)
        # The server has compared with what was read.
        reads = re.findall(rf"GET .*/namespaces/({'|'.join(namespaces)})/\w+/\w+ ", run.stderr)
        self.assertEqual(len(before), len(reads), run.stderr)
        self.assertEqual((before, template), (everything(), self.api.get(f"{TEMPLATES}/{name}")))

        self.populated(*namespaces)
        after = everything()
        changed = {file for file in before if not file.endswith("stays")}
        self.assertEqual(changed, {file for file in before if before[file] != after[file]})
        self.assertEqual({file: before[file] for file in changed}, live)
        self.assertEqual({file: self.without_accidents(after[file]) for file in changed if after[file]},
                         {file: self.without_accidents(text) for file, text in merged.items()})
        self.shown(*namespaces, code=0)

    def without_accidents(self, text):
        """A quota gets its status later."""
        return self.OF_A_WRITE.sub("", text).partition("\nstatus:")[0].rstrip()

    def test_it_is_what_kubectl_diff_shows(self):
        if kubectl_program.lacks(27):
            self.skipTest(kubectl_program.lacks(27))
        shop = self.namespace("shop")
        name = self.template("every", secret("key", changed="YQ==", gone="Yg==", same="Yw=="),
                             config_map("note", a="b"))
        self.populated()
        # The values of a Secret are texts that nothing else has.
        values = {"changed": "dGhlIG5ldyBvbmU=", "come": "b25lIG1vcmU=", "same": "Yw=="}
        self.change(name, secret("key", **values), secret("new", **values), config_map("note", c="d"))
        self.apply_as("jo", shop, "ConfigMap", config_map("note", e="f"))
        for file, path in (("template", f"{TEMPLATES}/{name}"), ("namespace", f"/api/v1/namespaces/{shop}")):
            (CLUSTER.folder / f"{file}.json").write_text(json.dumps(self.api.get(path)), encoding="utf-8")
        local = CLUSTER.run([BINARY, "populate", "--local", "-f", CLUSTER.folder / "template.json",
                             "-f", CLUSTER.folder / "namespace.json", "-o", "json"])
        self.assertEqual(0, local.returncode, local.stderr)
        want = CLUSTER.run([kubectl_program.program(27), "diff", "--server-side", "--force-conflicts",
                            "--field-manager=kubectl-prune-populate", "-f", "-"], input=local.stdout)
        self.assertEqual(1, want.returncode, want.stderr)
        run = CLUSTER.run([BINARY, "populate", "--diff", shop], cwd=CLUSTER.folder)
        self.assertEqual(1, run.returncode, run.stderr)
        # Of a Secret that would be made kubectl calls the live one null.
        kubectl_shows = re.sub(r"@@ -1 (.* @@)\n-null\n", r"@@ -0,0 \1\n", want.stdout)
        self.assertEqual(self.ACCIDENTS.sub("", kubectl_shows), self.ACCIDENTS.sub("", run.stdout))
        for mask in ("-  changed: '*** (before)'\n", "+  changed: '*** (after)'\n", "-  gone: '***'\n",
                     "+  come: '***'\n"):
            self.assertIn(mask, run.stdout)
        self.change(name)
        gone = CLUSTER.run([BINARY, "populate", "--diff", shop], cwd=CLUSTER.folder)
        self.assertIn("-  changed: '***'\n", gone.stdout)
        for value in (*values.values(), "YQ==", "Yg=="):
            self.assertNotIn(value, run.stdout + run.stderr + gone.stdout + gone.stderr)

    def test_what_cannot_be_compared_is_an_error(self):
        shop = self.namespace("shop")
        self.template("every", config_map("good", a="b"), refused_binding("bad"))
        run, live, _ = self.shown(shop, code=2)
        self.assertIn("rolebinding.rbac.authorization.k8s.io/bad", run.stderr)
        self.assertEqual({f"v1.ConfigMap.{shop}.good": ""}, live)
        self.assertIn('namespaces "nosuch" not found', self.shown(shop, "nosuch", code=2)[0].stderr)

    def test_a_member_of_another_applyset_is_an_error(self):
        shop = self.namespace("shop")
        self.template("every", config_map("note", a="b"))
        self.apply_as("kubectl-applyset", shop, "ConfigMap", config_map("note", {"labels": {PART_OF: "theirs"}}, a="x"))
        run, live, merged = self.shown(shop, code=2)
        self.assertIn("it belongs to another ApplySet", run.stderr)
        self.assertEqual(({}, {}), (live, merged))


def main():
    global BINARY, CLUSTER
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    with Cluster(users=["limited"]) as CLUSTER:
        bring_in_the_crd(CLUSTER)
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
