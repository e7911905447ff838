"""The roles of krew/manifests suffice and hold nothing that is not needed, and the command of the Job runs
as its pod would run it.

manifests_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped)
without a server.
"""
import contextlib
import copy
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from cluster import Cluster, free_ports, wait_for
from guards import CONFIGURATIONS, HERE, KINDS, Guard, delete_configurations
import kubectl
from kubeconfig_test import can_make_pod_folder, pod_folder
from migrations import (GROUP, Migrator, Stored, accounting_errors, add_widgets, bring_in_widgets,
                        delete_crd, stored_versions, turn_pruning_on, widgets)
from populating import CONFIGURATION_CRD_NAME, CRD_NAME, CREATOR, TEMPLATES, bring_in_the_crd
from rights import RBAC
from runner import end, run_tests
from services import EndedAtOnce, container_arguments
from subjects import V1_CRDS

MANIFESTS = pathlib.Path(__file__).resolve().parents[2] / "krew/manifests"
FAIRNESS = MANIFESTS / "fairness.yaml"
FLOW_CONTROL = "/apis/flowcontrol.apiserver.k8s.io/v1beta1"
GROUP_OF_USER = "demo.example.com"  # what the manifests tell the user to replace
COLLECTIONS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/kubectl-prune/serviceaccounts",
    "PersistentVolumeClaim": "/api/v1/namespaces/kubectl-prune/persistentvolumeclaims",
    "ClusterRole": f"{RBAC}/clusterroles",
    "ClusterRoleBinding": f"{RBAC}/clusterrolebindings",
    "Role": f"{RBAC}/namespaces/kube-system/roles",
    "RoleBinding": f"{RBAC}/namespaces/kube-system/rolebindings",
    "Job": "/apis/batch/v1/namespaces/kubectl-prune/jobs",
    "Pod": "/api/v1/namespaces/kubectl-prune/pods",
}
MADE_AT_THE_START = re.compile("^kind: (Namespace|ServiceAccount|ClusterRoleBinding|Role|RoleBinding)$", re.MULTILINE)
ROBOT = "robot"  # the service account, to Cluster
KEEPER = "keeper"  # that of populate/controller.yaml
OBJECTS = 8
BINARY = None
CLUSTER = None


def documents(name, group=GROUP):
    """Returns the YAML documents of a manifest, as a user of `group` would have changed them."""
    text = (MANIFESTS / name).read_text(encoding="utf-8").replace(GROUP_OF_USER, group)
    return text.split("\n---\n")


def post(api, document, query=""):
    kind = re.search(r"^kind: (\w+)$", document, re.MULTILINE)[1]
    collection = COLLECTIONS[kind]
    if re.search(r"^  namespace: default$", document, re.MULTILINE):
        collection = collection.replace("/kube-system/", "/default/")
    return api.post(collection + query, document.encode(), "application/yaml")


def decoded(api, name, group=GROUP):
    """Returns the objects of a manifest as the server understands them, which stores nothing."""
    return [post(api, document, "?dryRun=All") for document in documents(name, group)]


def as_service_account(cluster, api):
    """Makes the service account of the Job with the rights to Leases, and lets Cluster know it as ROBOT."""
    for document in (*documents("leases.yaml"), *documents("job.yaml")):
        if MADE_AT_THE_START.search(document):
            post(api, document)
    cluster.tokens[ROBOT] = cluster.service_account_token("kubectl-prune", "kubectl-prune")


class Role:
    """A role that the service account is bound to, with changing rules: the ClusterRole of migrator.yaml,
    or that of a namespace."""

    def __init__(self, cluster, name="kubectl-prune-migrator", namespace=None):
        self._cluster, self._number = cluster, 0
        self._name, self._namespace = name, namespace
        self._kind = "Role" if namespace else "ClusterRole"
        self._collection = f"{RBAC}/namespaces/{namespace}/roles" if namespace else f"{RBAC}/clusterroles"
        self._api = cluster.api()

    def remove(self):
        self._api.request("DELETE", f"{self._collection}/{self._name}")
        self._api.close()

    def set(self, rules):
        """Returns once the authorizer knows of the rules."""
        self._number += 1
        mark = {"apiGroups": ["marker.example.com"], "resources": [f"marks{self._number}"],
                "verbs": ["get"]}
        role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": self._kind,
                "metadata": {"name": self._name}, "rules": [*rules, mark]}
        path = f"{self._collection}/{self._name}"
        if self._api.request("GET", path)[0] == 404:
            self._api.post(self._collection, role)
        else:
            self._api.put(path, role)
        wait_for("rights", lambda: self._is_known(mark["resources"][0]))

    def _is_known(self, resource):
        own = self._cluster.api(ROBOT)
        review = own.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
            "spec": {"resourceAttributes": {"group": "marker.example.com", "resource": resource,
                                            "verb": "get", "namespace": self._namespace or ""}}})
        own.close()
        return review["status"]["allowed"]


class Cut:
    """Rules without one thing of them; `told` is what the run has to say of that."""

    def __init__(self, rules, number, key, value, plural):
        self.rules = copy.deepcopy(rules)
        rule = self.rules[number]
        self.gone = gone = {**rule, **({key: [value]} if key else {})}
        if key:
            rule[key].remove(value)
        else:
            self.rules.remove(rule)
        resources = "|".join(plural if one == "*" else re.escape(one) for one in gone["resources"])
        verbs = "|".join(gone["verbs"])
        # By the server: cannot list resource "widgets" in API group "demo.example.com"; by us: the
        # right to list widgets.demo.example.com is missing.
        self.told = re.compile(
            f'cannot (?:{verbs}) resource \\\\?"(?:{resources})\\\\?" in API group '
            f'\\\\?"(?:{"|".join(gone["apiGroups"])})\\\\?"'
            f"|the right to (?:{verbs}) (?:{resources})(?:\\.[a-z0-9.-]+)?(?:/\\S+)? is missing")
        self.name = f"rule {number + 1} without {value or 'all of it'}"


def cuts(rules, plural):
    """Every rule left out, and every verb, resource and group of those with more than one."""
    for number, rule in enumerate(rules):
        yield Cut(rules, number, None, None, plural)
        for key in ("verbs", "resources", "apiGroups"):
            for value in rule[key] if len(rule[key]) > 1 else ():
                yield Cut(rules, number, key, value, plural)


def serve_storage_migrations(api):
    """Both kinds of StorageVersionMigration, as CRDs: 1.20 has none."""
    for group in ("storagemigration.k8s.io", "migration.k8s.io"):
        names = {"plural": "storageversionmigrations", "singular": "storageversionmigration",
                 "kind": "StorageVersionMigration", "listKind": "StorageVersionMigrationList"}
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        api.post(V1_CRDS, {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{names['plural']}.{group}",
                         "annotations": {"api-approved.kubernetes.io": "unapproved, a test"}},
            "spec": {"group": group, "names": names, "scope": "Cluster", "versions": [
                {"name": "v1alpha1", "served": True, "storage": True,
                 "schema": {"openAPIV3Schema": schema}}]}})
        path = f"/apis/{group}/v1alpha1/{names['plural']}"
        wait_for(path, lambda p=path: api.request("GET", p)[0] == 200)


class ManifestsTest(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.migrator = Migrator(CLUSTER, BINARY)

    def bring_in(self, plural, count=OBJECTS, group=GROUP, kind=None):
        subject = widgets(plural)
        subject.group = group
        if kind:
            subject.kind = kind
            subject.names |= {"kind": kind, "singular": kind.lower(), "listKind": f"{kind}List"}
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, add_widgets(subject, count))
        return subject

    def rules(self, manifest):
        return decoded(self.api, manifest)[0]["rules"]

    def role(self):
        role = Role(CLUSTER)
        self.addCleanup(role.remove)
        return role


class Reader(ManifestsTest):
    def outputs(self, subject, user):
        """Returns what check and diff say: [(exit code, stdout, stderr)]."""
        plural, found = subject.plural, []
        for command in ("check -o json", f"check {subject.name} -o json", f"check {plural} -o json",
                        f"diff {plural}", f"diff {plural}/w00001 -n shop"):
            run = CLUSTER.run([BINARY, *command.split()], user)
            # The headings of a diff have the names of temporary files.
            out = re.sub(r"^(diff|---|\+\+\+) .*$", "", run.stdout, flags=re.MULTILINE)
            # Of whom and when a report is, says it too.
            out = re.sub(r'^    "(time|context)": .*$', "", out, flags=re.MULTILINE)
            found.append((run.returncode, out, run.stderr))
        return found

    def test_the_rules_suffice_and_none_of_them_is_unneeded(self):
        subject = self.bring_in("readers")
        rules, role = self.rules("reader.yaml"), self.role()
        role.set(rules)
        whole = self.outputs(subject, ROBOT)

        self.assertEqual(self.outputs(subject, None), whole)
        self.assertEqual([1] * len(whole), [code for code, _, _ in whole])
        self.assertTrue(all("legacyMode" in out for _, out, _ in whole))
        for cut in cuts(rules, subject.plural):
            with self.subTest(cut.name):
                role.set(cut.rules)
                said = self.outputs(subject, ROBOT)
                self.assertNotEqual(whole, said)
                self.assertRegex(str(said), cut.told)


class MigratorRole(ManifestsTest):
    def migrate(self, subject):
        """By its short name, which is not that of any object of RBAC."""
        return self.migrator.run(subject.plural, "--enable-pruning", "--yes", user=ROBOT)

    def test_the_rules_suffice_for_check_diff_and_migrate(self):
        subject = self.bring_in("migrators")
        self.role().set(self.rules("migrator.yaml"))
        for command in ("check", "diff"):
            run = CLUSTER.run([BINARY, command, subject.plural], ROBOT)
            self.assertEqual((1, ""), (run.returncode, run.stderr))

        run = self.migrate(subject)

        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, OBJECTS))
        self.assertTrue(run.crd()["verified"])
        self.assertEqual(["v1"], stored_versions(self.api, subject))
        for word in ("arning", "unknown", "missing", "forbidden"):
            self.assertNotIn(word, run.stderr)
        again = self.migrator.run("--all", user=ROBOT)
        self.assertEqual(0, again.code, again)

    def test_none_of_the_rules_is_unneeded(self):
        rules, role = self.rules("migrator.yaml"), self.role()
        for number in range(len(list(cuts(rules, "")))):
            subject = self.bring_in(f"cuts{number}")
            cut = list(cuts(rules, subject.plural))[number]
            with self.subTest(cut.name):
                role.set(cut.rules)
                before = Stored(CLUSTER, subject)
                run = self.migrate(subject)
                self.assertRegex(run.stdout + run.stderr, cut.told, run)
                if run.code == 2:
                    self.assertEqual(before, Stored(CLUSTER, subject), run)
            delete_crd(self.api, subject.name)

    def test_all_groups_take_the_place_of_one(self):
        subject = self.bring_in("alls")
        reader, migrator = (role["rules"] for role in decoded(self.api, "all-groups.yaml"))
        without = [rule for rule in self.rules("migrator.yaml") if rule["apiGroups"] != [GROUP]]
        role = self.role()
        role.set(without + reader)
        self.assertEqual(1, CLUSTER.run([BINARY, "check", subject.name], ROBOT).returncode)
        self.assertEqual(2, self.migrate(subject).code)
        role.set(without + migrator)
        run = self.migrate(subject)
        self.assertEqual(0, run.code, run)


class EngineRole(ManifestsTest):
    def bring_in_pruned(self, plural):
        subject = self.bring_in(plural)
        turn_pruning_on(self.api, subject)
        return subject

    def migrate(self, subject):
        """Nobody takes up what it makes here."""
        return self.migrator.run(subject.plural, "--engine=in-cluster", "--engine-timeout=1s", user=ROBOT)

    def test_the_rules_suffice_and_none_of_them_is_unneeded(self):
        subject, role = self.bring_in_pruned("engines"), self.role()
        migrator, engine = self.rules("migrator.yaml"), self.rules("engine.yaml")
        for cut in cuts(engine, subject.plural):
            with self.subTest(cut.name):
                role.set(migrator + cut.rules)
                run = self.migrate(subject)
                self.assertEqual(2, run.code, run)
                self.assertRegex(run.crd()["error"], cut.told)
        role.set(migrator + engine)
        run = self.migrate(subject)
        self.assertEqual(0, run.code, run)
        self.assertEqual("ignored", run.crd()["engine"]["end"], run)
        self.assertNotRegex(run.stderr, "orbidden|cannot be deleted")


class LeasesRole(ManifestsTest):
    def leases_role(self):
        """As it is again at the end."""
        name = "kubectl-prune-leases"
        document, = documents("leases.yaml")
        rules = post(self.api, document.replace(name, "another"), "?dryRun=All")["rules"]
        role = Role(CLUSTER, name, "default")
        self.addCleanup(role.set, rules)
        return role, rules

    def test_others_go_on_without_them_and_say_so(self):
        self.role().set(self.rules("migrator.yaml"))
        role, rules = self.leases_role()
        subject = self.bring_in("warned")
        turn_pruning_on(self.api, subject)
        for cut in (cut for cut in cuts(rules, "") if cut.gone["verbs"] != ["update"]):
            with self.subTest(cut.name):
                role.set(cut.rules)
                run = self.migrator.run(subject.plural, user=ROBOT)
                self.assertEqual(0, run.code, run)
                self.assertRegex(run.stderr, cut.told)
        role.set(rules)
        run = self.migrator.run(subject.plural, user=ROBOT)
        self.assertEqual((0, ""), (run.code, "".join(re.findall("Warning.*", run.stderr))))


def preserve_everywhere(schema):
    """Has every object of a schema keep what it does not specify."""
    for below in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(below, dict):
            preserve_everywhere(below)
    if schema.get("type") == "object":
        schema["x-kubernetes-preserve-unknown-fields"] = True


class RestorerRole(ManifestsTest):
    def backup_of(self, subject):
        """Migrates, then fixes the schemas."""
        run = self.migrator.run(subject.name, "--enable-pruning", "--yes")
        self.assertEqual(0, run.code, run)
        path = f"{V1_CRDS}/{subject.name}"
        versions = self.api.get(path)["spec"]["versions"]
        for version in versions:
            preserve_everywhere(version["schema"]["openAPIV3Schema"])
        self.api.patch(path, {"spec": {"versions": versions}})
        place = f"{subject.collection('v1', 'shop')}/w00001?dryRun=All"
        wait_for("the fixed schema", lambda: "news" in self.api.patch(place, {"spec": {"news": 1}})["spec"])
        return next(self.migrator.backups.glob(f"{subject.name}-*.ndjson"))

    def restore(self, backup):
        return CLUSTER.run([BINARY, "restore", str(backup), "--recreate", "-l", "made=yes"], ROBOT)

    def test_the_rules_suffice_and_none_is_unneeded(self):
        # A kind by which the CRD cannot be read, but has to be found.
        subject, role = self.bring_in("restorers", kind="Restorer"), self.role()
        backup = self.backup_of(subject)
        rules = self.rules("restorer.yaml")
        for cut in cuts(rules, subject.plural):
            with self.subTest(cut.name):
                role.set(cut.rules)
                before = Stored(CLUSTER, subject)
                run = self.restore(backup)
                self.assertEqual(2, run.returncode, run.stderr)
                self.assertRegex(run.stdout + run.stderr, cut.told)
                self.assertEqual(before, Stored(CLUSTER, subject))
        role.set(rules)
        run = self.restore(backup)
        self.assertEqual((0, ""), (run.returncode, run.stderr))
        self.assertIn("and found as restored", run.stdout)


class GuardRole(ManifestsTest):
    """As the pod of guard.yaml runs it, and with a mutation, which needs the other configuration."""

    def setUp(self):
        super().setUp()
        rules = [document for document in documents("guard.yaml") if "\nkind: ClusterRole\n" in document]
        self.rules = post(self.api, rules[0], "?dryRun=All")["rules"]
        self.subject = self.bring_in("guards")
        self.tree = pathlib.Path(CLUSTER.folder) / "guard-tree.yaml"
        self.tree.write_text("spec: {mode: (spec.legacyMode), legacyMode: null}\n")
        deployment = next(d for d in documents("guard.yaml") if "\nkind: Deployment\n" in d)
        self.arguments = container_arguments(deployment)
        self.assertEqual("guard", self.arguments[0])

    def guard(self):
        return Guard(CLUSTER, [BINARY, *self.arguments, *HERE, f"--mutation={self.tree}"], ROBOT)

    def test_the_rules_suffice_and_none_of_them_is_unneeded(self):
        role = self.role()
        role.set(self.rules)
        with self.guard() as guard:
            self.assertEqual((200, "ok"), guard.get("/readyz"))
            names = [self.api.get(f"{CONFIGURATIONS}/{kind}/guard.kubectl-prune.dev")["webhooks"] for kind in KINDS]
            self.assertEqual([1, 1], [len(one) for one in names])
            self.assertEqual(0, guard.stop())
            self.assertEqual([], [line for line in guard.lines if re.search("forbidden|cannot|not seen", line)])
        for cut in cuts(self.rules, self.subject.plural):
            with self.subTest(cut.name):
                role.set(cut.rules)
                guard = self.guard()
                try:
                    with guard:
                        for kind in KINDS:  # which it has to set right
                            self.api.request("PATCH", f"{CONFIGURATIONS}/{kind}/guard.kubectl-prune.dev",
                                             {"webhooks": []}, "application/merge-patch+json")
                        wait_for("nothing is said", lambda: cut.told.search("\n".join(guard.lines)))
                except EndedAtOnce as ended:
                    self.assertEqual(2, ended.args[0])
                    delete_configurations(CLUSTER)
                self.assertRegex("\n".join(guard.lines), cut.told)


class BoundRoles:
    """The roles of populate/controller.yaml as they are bound there, with changing rules."""

    def __init__(self, cluster, api):
        self._cluster, self._api, self._number = cluster, api, 0
        self._made = []
        for document in documents("populate/controller.yaml"):
            kind = re.search(r"^kind: (\w+)$", document, re.MULTILINE)[1]
            if kind in COLLECTIONS:
                self._made.append((kind, post(api, document)))
        cluster.tokens[KEEPER] = cluster.service_account_token("kubectl-prune", "populate")
        self.roles = [(kind, made) for kind, made in self._made if "rules" in made]

    def remove(self):
        for kind, made in self._made:
            self._api.request("DELETE", f"{COLLECTIONS[kind]}/{made['metadata']['name']}")

    def set(self, kind, role, rules):
        """Returns once the authorizer knows of the rules."""
        self._number += 1
        mark = {"group": "marker.example.com", "resource": f"marks{self._number}", "verb": "get",
                "namespace": role["metadata"].get("namespace", "")}
        marked = [*rules, {"apiGroups": [mark["group"]], "resources": [mark["resource"]], "verbs": [mark["verb"]]}]
        metadata = {key: role["metadata"][key] for key in ("name", "namespace") if key in role["metadata"]}
        self._api.put(f"{COLLECTIONS[kind]}/{metadata['name']}", {
            "apiVersion": role["apiVersion"], "kind": kind, "metadata": metadata, "rules": marked})
        own = self._cluster.api(KEEPER)
        wait_for("rights", lambda: own.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
            "spec": {"resourceAttributes": mark}})["status"]["allowed"])
        own.close()

    def smallest_cuts(self):
        """Yields (kind, role, cut): each role without one verb or resource of a rule, or a rule of one of both."""
        for kind, role in self.roles:
            for cut in cuts(role["rules"], ""):
                is_whole = len(cut.rules) < len(role["rules"])
                if not is_whole or len(cut.gone["verbs"]) * len(cut.gone["resources"]) == 1:
                    yield kind, role, cut


def populated_objects(name):
    """One object of each kind that the role is for."""
    group = "rbac.authorization.k8s.io"
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}},
        {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": name},
         "spec": {"limits": [{"type": "Pod", "max": {"cpu": "1"}}]}},
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": {"pods": "1"}}},
        {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": name},
         "spec": {"podSelector": {}}},
        {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": {"name": name}, "rules": []},
        {"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": {"name": name},
         "roleRef": {"apiGroup": group, "kind": "Role", "name": name},
         "subjects": [{"apiGroup": group, "kind": "User", "name": "$(CREATOR)"}]}]


class PopulateControllerRole(ManifestsTest):
    """As a pod of populate/controller.yaml runs it, with all webhooks."""

    NAME = "populate.kubectl-prune.dev"
    LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kubectl-prune-populate"
    POPULATED = (("/api/v1", "configmaps"), ("/api/v1", "limitranges"), ("/api/v1", "resourcequotas"),
                 ("/apis/networking.k8s.io/v1", "networkpolicies"), (RBAC, "roles"), (RBAC, "rolebindings"))
    # What is asked for at the start alone, or is for minutes: without these it has to be started.
    AT_THE_START = {"watch", "leases", *KINDS}
    NUMBERS = itertools.count()

    def setUp(self):
        super().setUp()
        self.addCleanup(delete_crd, CLUSTER.api(), CRD_NAME)
        self.addCleanup(delete_crd, CLUSTER.api(), CONFIGURATION_CRD_NAME)
        bring_in_the_crd(CLUSTER)
        self.api.request("DELETE", self.LEASE)  # whoever may not give it back keeps others waiting
        self.bound = BoundRoles(CLUSTER, self.api)
        self.addCleanup(self.bound.remove)
        deployment = next(d for d in documents("populate/controller.yaml") if "\nkind: Deployment\n" in d)
        self.arguments = container_arguments(deployment, "metrics-port", "resync")
        self.assertEqual("populate", self.arguments[0])
        self.namespaces, self.exchanges = [], 0
        self.label = {"populate": str(next(self.NUMBERS))}
        self.template = f"{TEMPLATES}/every"
        self.api.post(TEMPLATES, {
            "apiVersion": "policy.kubectl-prune.dev/v1alpha1", "kind": "NamespaceTemplate", "metadata": {"name": "every"},
            "spec": {"namespaces": {"labelSelector": {"matchLabels": self.label}}, "templates": self.objects()}})

    def controller(self, *more):
        return Guard(CLUSTER, [BINARY, *self.arguments, *HERE, *more], KEEPER)

    def namespace(self):
        """Makes one that the template selects, and returns its path. The webhook puts in who has made it, where it is."""
        name = f"populated-{next(self.NUMBERS)}"
        self.api.post("/api/v1/namespaces", {"metadata": {
            "name": name, "labels": self.label, "annotations": {CREATOR: "jo"}}})
        self.namespaces.append(f"/api/v1/namespaces/{name}")
        return self.namespaces[-1]

    def objects(self):
        """Of every second exchange one kind less, so that the template has to say which it has."""
        found = populated_objects(f"o{self.exchanges % 2}")
        return found[self.exchanges % 2:]

    def exchange(self):
        """Has all objects go, and others come; those that go have been changed by somebody."""
        name = f"o{self.exchanges % 2}"
        for namespace in self.namespaces[:1]:
            for base, plural in self.POPULATED:
                path = f"{base}/{namespace.removeprefix('/api/v1/')}/{plural}/{name}"
                self.api.request("PATCH", path, {"metadata": {"labels": {"touched": str(self.exchanges)}}},
                                 "application/merge-patch+json")
        self.exchanges += 1
        self.api.patch(self.template, {"spec": {"templates": self.objects()}})

    def names(self, namespace):
        """The names of all that there is of the kinds."""
        return {item["metadata"]["name"] for base, plural in self.POPULATED
                for item in self.api.get(f"{base}/{namespace.removeprefix('/api/v1/')}/{plural}")["items"]
                if "policy/namespace-template-name" in item["metadata"].get("labels", {})}

    def events(self):
        """Returns {uid: message} of all namespaces."""
        return {event["metadata"]["uid"]: event["message"] for namespace in self.namespaces
                for event in self.api.get(f"{namespace}/events")["items"]}

    def test_the_rules_suffice(self):
        port, = free_ports(1)
        with self.controller(f"--metrics-port={port}") as controller:
            self.assertEqual((200, "ok"), controller.get("/readyz"))
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=120) as answer:
                self.assertEqual(b"ok", answer.read())
            namespace = self.namespace()
            for name in ("o0", "o1", "o0"):
                wait_for(f"{name} is not all that is there", lambda n=name: self.names(namespace) == {n})
                self.exchange()
            wait_for("it is not called populated", lambda: self.api.get(namespace)["metadata"]["labels"].get(
                "policy/namespace-template-populated") == "true")
            wait_for("nothing is told", lambda: "NetworkPolicy" in str(self.events()))
            wait_for("the template does not tell",
                     lambda: self.api.get(self.template).get("status", {}).get("namespaces") == 1)
            self.assertEqual([2, 5], sorted(len(self.api.get(f"{CONFIGURATIONS}/{kind}/{self.NAME}")["webhooks"])
                                            for kind in KINDS))
            self.assertEqual(0, controller.stop())
            said = "\n".join([*controller.lines, *self.events().values()])
            self.assertEqual([], re.findall("(?i)forbidden|cannot|not seen|fail", said), said)

    def test_none_of_the_rules_is_unneeded(self):
        all_cuts = list(self.bound.smallest_cuts())
        self.namespace()
        for flag, is_for_it in (("--resync=1s", self.is_list), ("--initialization-timeout=1s", self.is_asked_later)):
            with self.controller(flag) as controller:
                for kind, role, cut in all_cuts:
                    if is_for_it(cut.gone):
                        # The controller may miss it before anything is asked of it here.
                        lines = len(controller.lines)
                        with self.without(kind, role, cut):
                            self.wait_until_missed(cut, controller, lines)
                        self.wait_until_well()
        for kind, role, cut in all_cuts:
            if self.is_asked_at_the_start(cut.gone):
                with self.without(kind, role, cut):
                    self.prepare_start(cut.gone)
                    self.assertRegex(self.started(cut.told), cut.told)

    @contextlib.contextmanager
    def without(self, kind, role, cut):
        with self.subTest(f"{role['metadata']['name']}: {cut.name}"):
            self.bound.set(kind, role, cut.rules)
            yield
        self.bound.set(kind, role, role["rules"])

    def is_asked_at_the_start(self, gone):
        return bool(self.AT_THE_START & {*gone["resources"], *gone["verbs"]}) and len(gone["verbs"]) < 5 or (
            gone["verbs"] == ["list"] and gone["resources"][0] in (
                "namespacetemplates", "namespaces", "namespaceinitializationconfigurations"))

    def is_list(self, gone):
        """Of what was made of templates: with each resync."""
        return gone["verbs"] == ["list"] and not self.is_asked_at_the_start(gone)

    def is_asked_later(self, gone):
        return gone["verbs"] != ["list"] and not self.is_asked_at_the_start(gone)

    def told_without(self, cut):
        resource = "|".join(cut.gone["resources"])
        if cut.gone["verbs"] == ["get"] and resource == "namespacetemplates":
            return re.compile("the server does not say whether the template is as it was")
        if cut.gone["verbs"] == ["create"] and {*cut.gone["resources"]} <= {plural for _, plural in self.POPULATED}:
            return re.compile(rf'(?:{resource})(\.\S+)? "o[01]" is forbidden: (?!User)')
        return cut.told

    def wait_until_missed(self, cut, controller, lines):
        """`lines`: how many of its lines are older than the cut."""
        told, events = self.told_without(cut), self.events()
        begun = self.ask_for_all(cut)

        def is_missed():
            nonlocal begun
            # Not before the last exchange is done, and noted in the template.
            took = time.monotonic() - begun
            if took > 1.5 and self.names(self.namespaces[0]) == {f"o{self.exchanges % 2}"} or took > 4:
                begun = self.ask_for_all(cut)
            said = [message for uid, message in self.events().items() if uid not in events]
            return told.search("\n".join(controller.lines[lines:] + said))
        wait_for(f"{told.pattern} is not said", is_missed, 120, 0.1)

    def wait_until_well(self):
        """What cannot be done is told anew once it could be done in between."""
        label = "policy/namespace-template-populated"
        begun = 0.0

        def is_well():
            nonlocal begun
            if time.monotonic() - begun > 2.5:  # a right that is missing is remembered for two seconds
                self.exchange()
                begun = time.monotonic()
            return self.names(self.namespaces[0]) == {f"o{self.exchanges % 2}"} and all(
                label in self.api.get(namespace)["metadata"]["labels"] for namespace in self.namespaces)
        wait_for("not all is well again", is_well)

    def ask_for_all(self, cut):
        """Has the controller ask for whatever it has rights to; returns when."""
        self.exchange()
        if {"initialize", "subjectaccessreviews", "namespaces"} & {*cut.gone["verbs"], *cut.gone["resources"]}:
            self.namespace()
        return time.monotonic()

    def prepare_start(self, gone):
        """What there is decides what is asked for: no Lease, or configurations that have to be set right."""
        if gone["verbs"] == ["create"]:
            self.api.request("DELETE", self.LEASE)
        elif set(KINDS) & set(gone["resources"]):
            for kind, plural in zip(("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"), KINDS):
                self.api.post(f"{CONFIGURATIONS}/{plural}", {
                    "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": self.NAME}})

    def started(self, told):
        """Returns what it says when it is started, by the time that `told` is in it."""
        controller = self.controller()
        try:
            with controller:
                wait_for("nothing is said", lambda: told.search("\n".join(controller.lines)), 80)
        except EndedAtOnce as ended:
            self.assertEqual(2, ended.args[0])
            delete_configurations(CLUSTER)
        return "\n".join(controller.lines)


class Fairness(ManifestsTest):
    def as_before_1_26(self):
        """Returns the documents as the manifest says that older servers have them."""
        text = FAIRNESS.read_text(encoding="utf-8")
        text = text.replace(".k8s.io/v1\n", ".k8s.io/v1beta1\n").replace("nominalConc", "assuredConc")
        return re.sub("^ *(lendablePercent|borrowingLimitPercent):.*\n", "", text, flags=re.MULTILINE).split("\n---\n")

    def test_what_the_job_asks_has_a_priority_level_of_its_own_and_nobody_else_has_it(self):
        level, schema = self.as_before_1_26()
        made = []
        for plural, document in (("prioritylevelconfigurations", level), ("flowschemas", schema)):
            path = f"{FLOW_CONTROL}/{plural}"
            self.addCleanup(self.api.request, "DELETE", f"{path}/kubectl-prune")
            made.append(self.api.post(path, document.encode(), "application/yaml")["metadata"]["uid"])
        turn_pruning_on(self.api, self.bring_in("widgets", 20))
        self.role().set(decoded(self.api, "migrator.yaml")[0]["rules"])

        def levels(user):
            run = CLUSTER.run([BINARY, "migrate", f"widgets.{GROUP}", "--dry-run=server", "-v=8"], user)
            self.assertEqual(0, run.returncode, run.stdout + run.stderr)
            found = re.findall("X-Kubernetes-Pf-Prioritylevel-Uid: (.*)", run.stderr, re.IGNORECASE)
            self.assertTrue(found)
            return found

        wait_for("the server knows the flow schema", lambda: set(levels(ROBOT)) == {made[0]})
        self.assertGreater(len(levels(ROBOT)), 20)
        self.assertNotIn(made[0], levels("admin"))


class Job(ManifestsTest):
    def test_the_server_and_kubectl_take_every_manifest(self):
        for name in ("reader.yaml", "migrator.yaml", "engine.yaml", "restorer.yaml", "all-groups.yaml", "backup-reader.yaml"):
            self.assertTrue(decoded(self.api, name, GROUP_OF_USER))
        for document in documents("job.yaml"):
            if not MADE_AT_THE_START.search(document):
                post(self.api, document, "?dryRun=All")
        if not kubectl.lacks():
            for name in {*MANIFESTS.glob("*.yaml"), *MANIFESTS.glob("populate/*.yaml")} - {FAIRNESS}:
                run = CLUSTER.kubectl("apply", "--dry-run=server", "-f", str(name))
                self.assertEqual(0, run.returncode, run.stderr)

    def pod(self):
        job = next(d for d in documents("job.yaml", GROUP_OF_USER) if "\nkind: Job\n" in d)
        return post(self.api, job, "?dryRun=All")["spec"]["template"]["spec"]

    def test_the_image_runs_as_the_user_of_the_job(self):
        user = self.pod()["securityContext"]["runAsUser"]
        image = (MANIFESTS / "Dockerfile").read_text(encoding="utf-8")
        self.assertIn(f"USER {user}:", image)
        self.assertIn('COPY kubectl-prune /kubectl-prune\n', image)
        self.assertIn('ENTRYPOINT ["/kubectl-prune"]', image)

    def test_the_backup_can_be_read_as_the_job_leaves_it(self):
        job = self.pod()
        reader = decoded(self.api, "backup-reader.yaml")[0]["spec"]
        for key in ("runAsUser", "runAsGroup", "fsGroup"):
            self.assertEqual(job["securityContext"][key], reader["securityContext"][key])
        data, mount = job["volumes"][0], job["containers"][0]["volumeMounts"][0]
        self.assertIn("persistentVolumeClaim", data)
        self.assertEqual(data["persistentVolumeClaim"]["claimName"],
                         reader["volumes"][0]["persistentVolumeClaim"]["claimName"])
        self.assertEqual(mount | {"readOnly": True}, reader["containers"][0]["volumeMounts"][0])
        folder = next(one for one in job["containers"][0]["args"] if "--backup-dir=" in one)
        self.assertIn(f"kubectl-prune-backup-reader:{folder.removeprefix('--backup-dir=')} ",
                      (MANIFESTS / "backup-reader.yaml").read_text(encoding="utf-8"))

    def start(self, arguments, user):
        """As a pod runs it: in a root file system that it cannot write, and without a home."""
        environment = {"KUBERNETES_SERVICE_HOST": "127.0.0.1",
                       "KUBERNETES_SERVICE_PORT": str(CLUSTER.port)}
        environment |= {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        return subprocess.Popen([self.entry, *arguments], cwd="/", env=environment, user=user,
                                group=user, extra_groups=[], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_its_command_migrates_from_within_and_goes_on_after_a_pod_was_killed(self):
        if not can_make_pod_folder():
            self.skipTest("no service account folder can be made here")
        subject = self.bring_in("widgets", 300, GROUP_OF_USER)
        self.role().set(decoded(self.api, "migrator.yaml", GROUP_OF_USER)[0]["rules"])
        pod = self.pod()
        user = pod["securityContext"]["runAsUser"]
        data = pathlib.Path(tempfile.mkdtemp(prefix="volume."))
        self.addCleanup(shutil.rmtree, data)
        os.chown(data, user, user)
        self.entry = data / "kubectl-prune"  # where that user can read it
        shutil.copy(BINARY, self.entry)
        arguments = [one.replace("/data/", f"{data}/") for one in pod["containers"][0]["args"]]
        account = {"token": CLUSTER.tokens[ROBOT], "namespace": "kubectl-prune",
                   "ca.crt": CLUSTER.certificates.ca.read_text()}

        with pod_folder(account):
            first = self.start(arguments, user)
            wait_for("the first pod rewrites", lambda: first.poll() is not None or
                     list(data.glob("state/*/*/sweeps/*")))
            first.send_signal(signal.SIGKILL)
            first.communicate()
            self.assertEqual(-signal.SIGKILL, first.returncode)
            second = self.start(arguments, user)
            out, err = second.communicate(timeout=480)

        self.assertEqual(0, second.returncode, out + err)
        self.assertIn("going on where an earlier run has ended", err)
        self.assertIn(f"{subject.name} migrated (300 objects: ", out)
        self.assertEqual(["v1"], stored_versions(self.api, subject))
        self.assertEqual(1, len(list(data.glob("backup/*.ndjson"))))


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(serves_too=("apps/v1", "networking.k8s.io/v1")) as CLUSTER:
        api = CLUSTER.api()
        as_service_account(CLUSTER, api)
        serve_storage_migrations(api)
        api.close()
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
