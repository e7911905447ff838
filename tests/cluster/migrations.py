"""What the tests of `kubectl-prune migrate` share: a CRD with objects in two stored versions, a run and
its report, and what etcd holds before and after.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import report_schema
from cluster import wait_for
from loop_closes_test import (Comparison, Outcome, both_versions, create_crds, foretold_paths, name_of,
                              run_check, version_of, wait_for_storage_version)
from stored_diff import parse
from subjects import V1_CRDS, V1BETA1_CRDS, Subject

GROUP = "migrations.example.com"
WRITERS = 4
# Far more than any run of these tests needs: whoever is not done by then retries for ever.
TIME_LIMIT = 480

PORTS = {"type": "array", "items": {"type": "object", "properties": {
    "port": {"type": "integer"}, "name": {"type": "string"}}}}
LABELS = {"type": "object", "additionalProperties": {"type": "string"}}
STATUS = {"type": "object", "properties": {"phase": {"type": "string"}}}


def schema_of(**spec):
    return {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"size": {"type": "integer"}, "ports": PORTS,
                                                  "labels": LABELS, **spec}},
        "status": STATUS}}


# `color` is what only the storage version's schema knows, `oldOnly` what only the older one's does.
NEW_SCHEMA = schema_of(color={"type": "string"})
OLD_SCHEMA = schema_of(oldOnly={"type": "string"})


def widgets(plural="widgets", *, namespaced=True, status_subresource=False, two_versions=True):
    """Returns a Subject that preserves unknown fields, without objects: v1 is its storage version;
    with `two_versions` v1beta1 was before."""
    schemas = {"v1": NEW_SCHEMA, **({"v1beta1": OLD_SCHEMA} if two_versions else {})}
    return Subject(GROUP, plural, plural.title(), namespaced=namespaced, schemas=schemas, storage="v1",
                   first_storage="v1beta1" if two_versions else "v1", schema_first=True,
                   status_subresource=status_subresource)


def widget_fields(number):
    """Returns the fields of an object: one in five loses nothing, the others lose this and that."""
    spec = {"size": number, "color": f"color-{number}", "labels": {"a": "b", "c": str(number)},
            "ports": [{"port": 80, "name": "web"}, {"port": 8443}]}
    fields = {"spec": spec, "status": {"phase": "Ready"}}
    if number % 5 == 0:
        return fields
    spec["legacyMode"] = [True, "on", None, 12345678901234567, 0.25][number % 5]
    if number % 3 == 0:
        spec["ports"][1]["proto"] = "TCP"
    if number % 4 == 0:
        spec["oldOnly"] = "known to v1beta1"
    if number % 7 == 0:
        fields["extra"] = {"deep": [{"a": 1.5}, None, "\u00e4\u2028</b>"]}
        fields["status"]["since"] = "yesterday"
    return fields


def add_widgets(subject, count, fields=widget_fields):
    """Every other object is made while the older version is the storage version."""
    for number in range(count):
        subject.add_object(f"w{number:05}", fields(number), namespace=("default", "shop")[number % 2],
                           old=subject.changes_storage and number % 2 == 0)
    return subject


def bring_in_widgets(cluster, subject):
    """Creates the CRD and its objects; brings the older version's to etcd in that version."""
    api = cluster.api()
    for namespace in {item.namespace for item in subject.objects} - {"", "default"}:
        api.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    create_crds(api, [subject])
    if subject.changes_storage:
        create_in_parallel(cluster, subject, [item for item in subject.objects if item.old])
        api.patch(f"{V1BETA1_CRDS}/{subject.name}", subject.storage_patch())
        wait_for_storage_version(cluster, api, subject)
    create_in_parallel(cluster, subject, [item for item in subject.objects if not item.old])
    api.close()


def in_parallel(tasks, run, count=WRITERS):
    """Calls run(task) for every task from `count` threads; raises what one of them raised."""
    errors = []

    def run_some(first):
        try:
            for task in tasks[first::count]:
                run(task)
        except Exception as error:  # pylint: disable=broad-except  (it is raised again below)
            errors.append(error)

    threads = [threading.Thread(target=run_some, args=(first,)) for first in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def ask_in_parallel(cluster, tasks, run):
    """Calls run(api, task) for every task as in_parallel(), each thread with a connection that it keeps."""
    local = threading.local()

    def run_with_own(task):
        if not hasattr(local, "api"):
            local.api = cluster.api()
        run(local.api, task)

    in_parallel(tasks, run_with_own)


def create_in_parallel(cluster, subject, items):
    def create(api, item):
        path = subject.collection(item.version, item.namespace)
        made = api.post(path, item.body)
        if subject.status_subresource and "status" in item.body:
            api.put(f"{path}/{made['metadata']['name']}/status", {**made, "status": item.body["status"]})

    ask_in_parallel(cluster, items, create)


def delete_crd(api, name):
    path = f"{V1BETA1_CRDS}/{name}"
    if api.request("DELETE", path)[0] < 400:
        wait_for(f"{name} is not deleted", lambda: api.request("GET", path)[0] == 404)


LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"


def forget_leases(api, subject):
    """As a person may who knows that a run was killed: it is not waited for."""
    for lease in api.get(LEASES)["items"]:
        if subject.name in lease["metadata"]["name"]:
            api.request("DELETE", f"{LEASES}/{lease['metadata']['name']}")


def stored_versions(api, subject):
    return api.get(f"{V1_CRDS}/{subject.name}")["status"]["storedVersions"]


def turn_pruning_on(api, subject):
    """As `migrate --enable-pruning` does it, for tests of what comes behind."""
    api.patch(f"{V1BETA1_CRDS}/{subject.name}", {"spec": {"preserveUnknownFields": False}})

    def pruned():
        items = api.get(f"{subject.collection(subject.storage)}?limit=50")["items"]
        return not any("legacyMode" in item["spec"] for item in items)

    wait_for(f"{subject.name} does not prune", pruned)


class Stored:
    """What etcd holds of a subject: `objects` parsed, and `raw` for comparing byte for byte."""

    def __init__(self, cluster, subject):
        self.raw = cluster.etcd_revisions(subject.etcd_prefix())
        self.crd = cluster.etcd_revisions(
            f"/registry/apiextensions.k8s.io/customresourcedefinitions/{subject.name}")
        self.objects = {name_of(one): one for one in (parse(text) for _, text in self.raw.values())}

    def __eq__(self, other):
        return (self.raw, self.crd) == (other.raw, other.crd)

    def rewritten_since(self, before):
        """Returns (namespace, name) of the objects that etcd was given anew since `before`."""
        return {name_of(parse(text)) for key, (revision, text) in self.raw.items()
                if before.raw.get(key, (None,))[0] != revision}

    def versions(self):
        return collections.Counter(version_of(one) for one in self.objects.values())


class Run:
    """A run that has ended: exit code, MigrationReport (None where it printed none), stderr. A report
    that is not as docs/schema says raises AssertionError."""

    def __init__(self, code, stdout, stderr):
        self.code, self.stdout, self.stderr = code, stdout, stderr
        try:
            self.report = json.loads(stdout)
        except ValueError:
            self.report = None
        if self.report is not None:
            report_schema.require_valid(self.report)

    def __str__(self):
        told = self.stdout[-3000:]
        if self.report:
            told = "\n".join(
                f"{crd['name']}: {json.dumps({k: v for k, v in crd['counts'].items() if v})}, "
                f"{json.dumps({k: v for k, v in crd.items() if k not in ('counts', 'name')})[:1500]}"
                for crd in self.report["crds"])
        return f"exit code {self.code}\n{told}\nstderr: {self.stderr[-3000:]}"

    def crd(self, name=None):
        """Returns the report of the only CRD, or of that name."""
        if self.report is None:
            raise AssertionError(f"no report: {self}")
        crds = self.report["crds"]
        found = [crd for crd in crds if name in (None, crd["name"])]
        if len(found) != 1:
            raise AssertionError(f"{len(found)} CRDs in the report: {self}")
        return found[0]

    def counts(self, name=None):
        """Returns the classes with objects in them."""
        counts = {key: count for key, count in self.crd(name)["counts"].items() if count}
        counts.pop("listed", None)
        return counts


FAILURES = ("invalid", "denied", "webhookUnavailable", "forbidden", "tooLarge", "conflict", "failed",
            "held")
CLASSES = ("rewritten", "mutated", "unchanged", "accepted", "gone", "notTried", *FAILURES)


def accounting_errors(run, listed=None):
    """Returns what is wrong with the account of a run: each object is to be in one class."""
    wrong = []
    for crd in run.report["crds"]:
        counts = dict(crd["counts"])
        total = counts.pop("listed", None)
        unknown = set(counts) - set(CLASSES)
        if unknown:
            wrong.append(f"{crd['name']}: unknown classes {unknown}")
        if total is not None and sum(counts.values()) != total:
            wrong.append(f"{crd['name']}: classes add up to {sum(counts.values())}, listed {total}")
        if listed is not None and sum(counts.values()) != listed:
            wrong.append(f"{crd['name']}: {sum(counts.values())} objects, not {listed}")
        names = collections.Counter((f.get("namespace", ""), f["name"]) for f in crd["failures"])
        failed = sum(counts.get(c, 0) for c in FAILURES)
        # What could not be verified, and what failed before the flip, is named too.
        if len(names) < failed or (crd["verified"] and len(names) != failed):
            wrong.append(f"{crd['name']}: {sum(names.values())} failures, counts {counts}")
        twice = [name for name, times in names.items() if times > 1]
        if twice:
            wrong.append(f"{crd['name']}: counted twice: {twice[:3]}")
    return wrong


class Migrator:
    """Runs migrate with a state and a backup folder of its own, that last as long as the cluster."""

    def __init__(self, cluster, binary):
        self.cluster, self.binary = cluster, binary
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="migration.", dir=cluster.folder))
        self.backups = self.folder / "backups"
        self._ports = set()

    def command(self, *arguments):
        return [self.binary, "migrate", *arguments, "-o", "json", f"--state-dir={self.folder}/state",
                *([] if "--no-backup" in arguments else [f"--backup-dir={self.backups}"])]

    def _by_port(self, arguments, port):
        """With a word that a server which is had at another address is the same cluster still."""
        self._ports.add(port)
        return arguments if len(self._ports) == 1 or "--yes" in arguments else (*arguments, "--yes")

    def run(self, *arguments, user=None, port=None, seconds=TIME_LIMIT):
        """Raises subprocess.TimeoutExpired for a run that does not end."""
        environment = self.cluster.environment(self.cluster.kubeconfig_file(user, port))
        run = subprocess.run(self.command(*self._by_port(arguments, port)), env=environment, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False, timeout=seconds)
        return Run(run.returncode, run.stdout, run.stderr)

    def start(self, *arguments, user=None, port=None):
        """Returns a Popen with its output as text in pipes."""
        environment = self.cluster.environment(self.cluster.kubeconfig_file(user, port))
        return subprocess.Popen(self.command(*self._by_port(arguments, port)), env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def backup_objects(self, path):
        """Returns {(namespace, name): object} of one backup; a torn line raises ValueError."""
        lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        objects = [parse(line) for line in lines]
        found = {name_of(one): one for one in objects}
        if len(found) != len(objects):
            raise ValueError(f"{path}: objects are in it twice")
        return found


def foretell(cluster, binary, subject):
    """Returns check's report of the subject, asked before anything is changed."""
    return run_check(cluster, binary, subject.name)[subject.name]


def migration_differences(subject, report, before, after, *, single_pass=False):
    """Returns how what etcd holds now differs from what `report` foretold of `before`: nothing but
    the foretold fields is gone, and all of them are; the order of objects does not matter.

    In a single pass an object is pruned by the schema of the version it was stored in too.
    """
    outcome = Outcome()
    foretold = foretold_paths(report)
    if before.keys() != after.keys():
        outcome.differ(subject, "objects", f"appeared or gone: {before.keys() ^ after.keys()}")
    for name in before.keys() & after.keys():
        where = "/".join(name)
        if version_of(after[name]) != subject.storage:
            outcome.differ(subject, where, f"still stored as {version_of(after[name])}")
        paths = foretold[name][subject.storage]
        if single_pass:
            paths = both_versions(subject, where, foretold[name], before[name], outcome)
        Comparison(subject, where, before[name], after[name], paths, outcome)
        if before[name]["metadata"].get("generation") != after[name]["metadata"].get("generation"):
            outcome.differ(subject, where, "metadata.generation has moved")
    return outcome.differences


def as_backed_up(stored):
    """Returns an object as etcd holds it or as a backup has it, without what tells them apart."""
    metadata = {k: v for k, v in stored["metadata"].items() if k != "resourceVersion"}
    return {**stored, "metadata": metadata, "apiVersion": None}


