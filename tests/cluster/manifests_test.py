"""The roles of krew/manifests suffice and hold nothing that is not needed, and the command of the Job runs
as its pod would run it.

manifests_test.py BINARY [TEST...]: only tests whose names hold one of TEST. Exit code 77 (skipped)
without a server.
"""
import copy
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from cluster import Cluster, wait_for
from guards import CONFIGURATIONS, HERE, KINDS, Guard, delete_configurations
import kubectl
from kubeconfig_test import can_make_pod_folder, pod_folder
from migrations import (GROUP, Migrator, Stored, accounting_errors, add_widgets, bring_in_widgets,
                        delete_crd, stored_versions, widgets)
from rights import RBAC
from runner import end, run_tests
from services import EndedAtOnce
from subjects import V1_CRDS

MANIFESTS = pathlib.Path(__file__).resolve().parents[2] / "krew/manifests"
GROUP_OF_USER = "demo.example.com"  # what the manifests tell the user to replace
COLLECTIONS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/kubectl-prune/serviceaccounts",
    "PersistentVolumeClaim": "/api/v1/namespaces/kubectl-prune/persistentvolumeclaims",
    "ClusterRole": f"{RBAC}/clusterroles",
    "ClusterRoleBinding": f"{RBAC}/clusterrolebindings",
    "Job": "/apis/batch/v1/namespaces/kubectl-prune/jobs",
    "Pod": "/api/v1/namespaces/kubectl-prune/pods",
}
ROBOT = "robot"  # the service account, to Cluster
OBJECTS = 8
BINARY = None
CLUSTER = None


def documents(name, group=GROUP):
    """Returns the YAML documents of a manifest, as a user of `group` would have changed them."""
    text = (MANIFESTS / name).read_text(encoding="utf-8").replace(GROUP_OF_USER, group)
    return text.split("\n---\n")


def post(api, document, query=""):
    kind = re.search(r"^kind: (\w+)$", document, re.MULTILINE)[1]
    return api.post(COLLECTIONS[kind] + query, document.encode(), "application/yaml")


def decoded(api, name, group=GROUP):
    """Returns the objects of a manifest as the server understands them, which stores nothing."""
    return [post(api, document, "?dryRun=All") for document in documents(name, group)]


def as_service_account(cluster, api):
    """Makes the service account of the Job, and lets Cluster know it as ROBOT."""
    for document in documents("job.yaml"):
        if re.search("^kind: (Namespace|ServiceAccount|ClusterRoleBinding)$", document, re.MULTILINE):
            post(api, document)
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    path = f"{COLLECTIONS['ServiceAccount']}/kubectl-prune/token"
    cluster.tokens[ROBOT] = api.post(path, asked)["status"]["token"]


class Role:
    """The ClusterRole that the service account is bound to, with changing rules."""

    NAME = "kubectl-prune-migrator"

    def __init__(self, cluster):
        self._cluster, self._number = cluster, 0
        self._api = cluster.api()

    def remove(self):
        self._api.request("DELETE", f"{RBAC}/clusterroles/{self.NAME}")
        self._api.close()

    def set(self, rules):
        """Returns once the authorizer knows of the rules."""
        self._number += 1
        mark = {"apiGroups": ["marker.example.com"], "resources": [f"marks{self._number}"],
                "verbs": ["get"]}
        role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                "metadata": {"name": self.NAME}, "rules": [*rules, mark]}
        path = f"{RBAC}/clusterroles"
        if self._api.request("GET", f"{path}/{self.NAME}")[0] == 404:
            self._api.post(path, role)
        else:
            self._api.put(f"{path}/{self.NAME}", role)
        wait_for("rights", lambda: self._is_known(mark["resources"][0]))

    def _is_known(self, resource):
        own = self._cluster.api(ROBOT)
        review = own.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
            "spec": {"resourceAttributes": {"group": "marker.example.com", "resource": resource,
                                            "verb": "get"}}})
        own.close()
        return review["status"]["allowed"]


class Cut:
    """Rules without one thing of them; `told` is what the run has to say of that."""

    def __init__(self, rules, number, key, value, plural):
        self.rules = copy.deepcopy(rules)
        rule = self.rules[number]
        gone = {**rule, **({key: [value]} if key else {})}
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


def preserve_everywhere(schema):
    """Has every object of a schema keep what it does not specify."""
    for below in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(below, dict):
            preserve_everywhere(below)
    if schema.get("type") == "object":
        schema["x-kubernetes-preserve-unknown-fields"] = True


class RestorerRole(ManifestsTest):
    def backup_of(self, subject):
        """Migrates, then mends the schemas."""
        run = self.migrator.run(subject.name, "--enable-pruning", "--yes")
        self.assertEqual(0, run.code, run)
        path = f"{V1_CRDS}/{subject.name}"
        versions = self.api.get(path)["spec"]["versions"]
        for version in versions:
            preserve_everywhere(version["schema"]["openAPIV3Schema"])
        self.api.patch(path, {"spec": {"versions": versions}})
        place = f"{subject.collection('v1', 'shop')}/w00001?dryRun=All"
        wait_for("the mended schema", lambda: "news" in self.api.patch(place, {"spec": {"news": 1}})["spec"])
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
        self.assertIn("all as restored", run.stdout)


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
        self.arguments = [one for one in re.findall("^            - (guard|--.*)$", deployment, re.MULTILINE)
                          if not re.match("--(reach|host|.*-file)=", one)]
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


class Job(ManifestsTest):
    def test_the_server_and_kubectl_take_every_manifest(self):
        for name in ("reader.yaml", "migrator.yaml", "restorer.yaml", "all-groups.yaml", "backup-reader.yaml"):
            self.assertTrue(decoded(self.api, name, GROUP_OF_USER))
        for document in documents("job.yaml"):
            if not re.search("^kind: (Namespace|ServiceAccount|ClusterRoleBinding)$", document,
                             re.MULTILINE):  # those are there
                post(self.api, document, "?dryRun=All")
        if not kubectl.lacks():
            for name in MANIFESTS.glob("*.yaml"):
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
            out, err = second.communicate(timeout=200)

        self.assertEqual(0, second.returncode, out + err)
        self.assertIn("going on where an earlier run has ended", err)
        self.assertIn(f"{subject.name} migrated (300 objects: ", out)
        self.assertEqual(["v1"], stored_versions(self.api, subject))
        self.assertEqual(1, len(list(data.glob("backup/*.ndjson"))))


def main():
    global BINARY, CLUSTER
    BINARY = os.path.abspath(sys.argv[1])
    with Cluster(serves_too=("apps/v1",)) as CLUSTER:
        api = CLUSTER.api()
        as_service_account(CLUSTER, api)
        serve_storage_migrations(api)
        api.close()
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
