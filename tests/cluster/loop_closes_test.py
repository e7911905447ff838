"""The loop closes: what `kubectl-prune check` foretells is what a real API server does.

loop_closes_test.py BINARY [N]. For generated CRDs, and for every N-th of those of $KUBECTL_PRUNE_CORPUS: asks check
first, turns pruning on, rewrites every object by an empty merge patch, and compares what etcd held before and after,
path for path, with what check said. Exit code 77 (skipped) without a server.
"""
import collections
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import corpus
import report_schema
from cluster import ApiError, Cluster, wait_for
from generated import generated_subjects
from runner import end
from stored_diff import (Diff, fold, parse, path_text, paths_by_text, tops, without_own_fields)
from subjects import V1_CRDS, V1BETA1_CRDS, Subject

SEED = 20
GENERATED = 48
ROUND = 12  # CRDs that are in the server at once: with each change it builds the OpenAPI document of all again
FEWEST_OBJECTS = 200
CRD_KEYS = "/registry/apiextensions.k8s.io/customresourcedefinitions/"


class Outcome:
    """What was compared, and what did not agree."""

    def __init__(self):
        self.counts = collections.Counter()
        self.differences = []

    def differ(self, subject, where, text):
        self.differences.append(f"{subject.name} {where}: {text}")


def name_of(stored):
    """Returns (namespace, name) of an object."""
    return stored["metadata"].get("namespace", ""), stored["metadata"]["name"]


def version_of(stored):
    return stored["apiVersion"].split("/")[1]


# Bringing CRDs and objects into the server.


def create_crds(api, subjects):
    for subject in subjects:
        api.post(V1BETA1_CRDS, subject.live_body())
    for subject in subjects:
        wait_for(f"{subject.name} is not served", lambda s=subject: is_served(api, s))


def is_served(api, subject):
    status, answer = api.request("GET", subject.collection(subject.served[0]))
    return status == 200 and "items" in answer


def create_objects(api, subject, old, outcome):
    for item in subject.objects:
        if item.old != old:
            continue
        path = subject.collection(item.version, item.namespace)
        status, made = api.request("POST", path, item.body, item.content_type)
        if status == 201:
            if subject.status_subresource and not subject.own_live_body:
                create_status(api, path, made, item.body)
        elif subject.own_live_body:  # examples need not fit their CRD
            outcome.counts["refused"] += 1
        else:
            outcome.differ(subject, item.body["metadata"]["name"], f"not created: {made}")


def create_status(api, collection, made, body):
    """A create drops the status of a CRD with the status subresource; it is written by itself."""
    if "status" in body:
        path = f"{collection}/{made['metadata']['name']}/status"
        api.put(path, {**made, "status": body["status"]})


def wait_for_storage_version(cluster, api, subject):
    """Until new objects are stored in the subject's storage version."""
    namespace = "default" if subject.namespaced else ""
    path = subject.collection(subject.storage, namespace)
    key = subject.etcd_prefix() + (f"{namespace}/" if namespace else "") + "probe"

    def stored_so():
        api.post(path, {"apiVersion": f"{subject.group}/{subject.storage}", "kind": subject.kind,
                        "metadata": {"name": "probe"}})
        stored = json.loads(cluster.etcd_get(key))
        api.delete(f"{path}/probe")
        return version_of(stored) == subject.storage

    wait_for(f"{subject.name} is not stored as {subject.storage}", stored_so)


def bring_in(cluster, api, subjects, outcome):
    """Schemas that come late come last: until then objects may hold what validation would refuse."""
    create_crds(api, subjects)
    changing = [subject for subject in subjects if subject.changes_storage]
    for subject in changing:
        create_objects(api, subject, True, outcome)
        api.patch(f"{V1BETA1_CRDS}/{subject.name}", subject.storage_patch())
    for subject in changing:
        wait_for_storage_version(cluster, api, subject)
    for subject in subjects:
        create_objects(api, subject, False, outcome)
        patch = subject.schema_patch()
        if patch:
            api.patch(f"{V1BETA1_CRDS}/{subject.name}", patch)


# What check foretells.


def run_check(cluster, binary, *arguments):
    """Returns {CRD name: its report}."""
    run = cluster.run([binary, "check", "--show-objects", "-o", "json", *arguments])
    try:
        report = json.loads(run.stdout)
        report_schema.require_valid(report)
        return {crd["name"]: crd for crd in report["crds"]}
    except (ValueError, KeyError):
        raise SystemExit(f"check {arguments}: exit code {run.returncode}\n{run.stdout}{run.stderr}")


def foretell(cluster, binary, subjects):
    reports = {}
    plain = [subject.name for subject in subjects if not subject.proposed]
    if plain:
        reports.update(run_check(cluster, binary, *plain))
    proposals = [subject.proposal() for subject in subjects if subject.proposed]
    if proposals:
        path = cluster.folder / "proposals.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": proposals}))
        reports.update(run_check(cluster, binary, "-f", str(path)))
    return reports


# Turning pruning on, and rewriting.


def turn_pruning_on(api, subject, report, outcome):
    """Returns whether the server did; it must agree with the verdict."""
    blocked = report["verdict"] == "blocked"
    try:
        if subject.proposed:
            api.patch(f"{V1_CRDS}/{subject.name}", {"spec": subject.proposal()["spec"]})
        else:
            api.patch(f"{V1BETA1_CRDS}/{subject.name}", {"spec": {"preserveUnknownFields": False}})
    except ApiError as error:
        if not blocked:
            outcome.differ(subject, "CRD", f"verdict {report['verdict']}, but {error}")
        outcome.counts["blocked"] += 1
        return False
    if blocked:
        problems = report["problems"] + report["admissionProblems"]
        outcome.differ(subject, "CRD", f"verdict blocked, but the server agreed: {problems}")
        return False
    return True


class Marker:
    """A CRD that is changed after all others: once the server prunes by it, it prunes by them."""

    def __init__(self, api):
        self._api = api
        self._subject = Subject("marker.example.com", "markers", "Marker", namespaced=True,
                                schemas={"v1": {"type": "object"}}, storage="v1", schema_first=True)
        api.post(V1BETA1_CRDS, self._subject.live_body())
        wait_for("markers are not served", lambda: api.request(
            "GET", self._subject.collection("v1"))[0] == 200)
        api.post(self._subject.collection("v1", "default"),
                 {"apiVersion": "marker.example.com/v1", "kind": "Marker", "metadata": {"name": "m"}, "unknown": 1})

    def wait(self):
        self._api.patch(f"{V1_CRDS}/{self._subject.name}", {"spec": {"preserveUnknownFields": False}})
        path = f"{self._subject.collection('v1', 'default')}/m"
        wait_for("the server does not prune", lambda: "unknown" not in self._api.get(path))


def read_etcd(cluster, subject):
    """Returns {(namespace, name): the object as etcd holds it}."""
    values = cluster.etcd_range(subject.etcd_prefix()).values()
    return {name_of(stored): stored for stored in map(parse, values)}


def read_api(api, subject, version):
    """Returns {(namespace, name): the object as a read in that version shows it}."""
    _, text = api.request_text("GET", subject.collection(version))
    return {name_of(item): item for item in parse(text)["items"]}


def rewrite(api, subject, names, outcome):
    """Rewrites every object in the storage version; returns the names of those that were."""
    rewritten = set()
    for namespace, name in names:
        path = f"{subject.collection(subject.storage, namespace)}/{name}"
        try:
            api.patch(path, {})
            rewritten.add((namespace, name))
        except ApiError as error:
            if not subject.own_live_body:
                outcome.differ(subject, f"{namespace}/{name}", f"not rewritten: {error}")
            outcome.counts["invalid"] += 1  # an example that does not fit its own CRD
    return rewritten


# Comparing.


def resolve(subject, where, texts, before, outcome):
    """Returns the paths in `before` that print as `texts`."""
    known = paths_by_text(before)
    paths = set()
    for text in texts:
        candidates = known.get(text, [])
        if len(candidates) == 1:
            paths.add(candidates[0])
        else:
            outcome.differ(subject, where, f"{text}: foretold, but the object has "
                           f"{'no such path' if not candidates else 'two such paths'}")
    return paths


def is_null(value, path):
    for step in path:
        value = value[step]
    return value is None


def texts_of(paths):
    return sorted(path_text(path) for path in paths)


class Comparison:
    """Compares one object before and after with the paths foretold for it.

    A null that is gone was either in an unspecified field (foretold as a pruned path) or one that
    the schema does not allow (foretold as a dropped null, folded, with a count): `nulls` keeps the
    latter, `added` the defaults that came.
    """

    def __init__(self, subject, where, before, after, foretold, outcome):
        paths = resolve(subject, where, foretold, before, outcome)
        diff = Diff(without_own_fields(before), without_own_fields(after))
        nulls_foretold = {path for path in paths if is_null(before, path)}
        expected, lost = paths - nulls_foretold, set(diff.lost)
        if lost != expected:
            outcome.differ(subject, where, f"lost but not foretold: {texts_of(lost - expected)}; "
                           f"foretold but kept: {texts_of(expected - lost)}")
        if nulls_foretold - set(diff.nulls):
            outcome.differ(subject, where, f"nulls foretold as pruned but kept: "
                           f"{texts_of(nulls_foretold - set(diff.nulls))}")
        if diff.changed:
            outcome.differ(subject, where, f"changed: {texts_of(diff.changed)}")
        self.nulls = set(diff.nulls) - nulls_foretold
        self.added = set(diff.added)
        self.lost = lost | nulls_foretold


def folded_counts(per_object, schema):
    """Returns {folded path: in how many objects}, as the report counts."""
    counts = collections.Counter()
    for paths in per_object:
        counts.update({fold(path, schema) for path in paths})
    return dict(counts)


def reported_counts(uses):
    return {use["path"]: use["objects"] for use in uses}


def compare_reads(api, subject, report, before, outcome):
    """A read in version v of an object stored in v is pruned by v's schema, and by no other."""
    foretold = foretold_paths(report)
    for version in subject.served:
        shown = read_api(api, subject, version)
        for name, stored in before.items():
            if version_of(stored) == version:
                Comparison(subject, f"{'/'.join(name)} read as {version}", stored, shown[name],
                           foretold[name][version], outcome)
                outcome.counts["reads"] += 1


def foretold_paths(report):
    """Returns {(namespace, name): {version: [paths]}}; objects that lose nothing are not listed."""
    paths = collections.defaultdict(lambda: collections.defaultdict(list))
    for item in report["objects"]:
        paths[item["namespace"], item["name"]].update(item["prunedPaths"])
    return paths


def both_versions(subject, where, foretold, stored, outcome):
    """An object stored in another version is pruned by that one's schema when it is read and by the
    storage version's when it is written: the tops of both together are lost."""
    texts = {*foretold[version_of(stored)], *foretold[subject.storage]}
    return texts_of(tops(resolve(subject, where, texts, stored, outcome)))


def compare_rewrites(subject, report, before, after, rewritten, outcome):
    for version in report["versions"]:
        if not (version["served"] or version["name"] in report["storedVersions"]):
            continue  # nobody reads it, and nothing is stored so
        if version["objects"] != len(before):
            outcome.differ(subject, version["name"], f"{version['objects']} objects, not {len(before)}")
    foretold = foretold_paths(report)
    comparisons = {}
    for name in sorted(rewritten):
        where = "/".join(name)
        if version_of(after[name]) != subject.storage:
            outcome.differ(subject, where, f"still stored as {version_of(after[name])}")
        paths = both_versions(subject, where, foretold[name], before[name], outcome)
        comparison = Comparison(subject, where, before[name], after[name], paths, outcome)
        comparisons[name] = comparison
        outcome.counts.update(objects=1, paths=len(comparison.lost), defaults=len(comparison.added),
                              nulls=len(comparison.nulls))
    # Counts are of all objects, so those of a CRD with an object that could not be rewritten say nothing.
    if rewritten == set(before):
        compare_folded(subject, report, before, comparisons, outcome)


def compare_folded(subject, report, before, comparisons, outcome):
    storage = next(v for v in report["versions"] if v["name"] == subject.storage)
    schema = subject.schemas[subject.storage]
    nulls = folded_counts((c.nulls for c in comparisons.values()), schema)
    added = folded_counts((c.added for c in comparisons.values()), schema)
    if added != reported_counts(storage["addedDefaults"]):
        outcome.differ(subject, "addedDefaults", f"{added}, foretold {storage['addedDefaults']}")
    old = {name for name, stored in before.items() if version_of(stored) != subject.storage}
    if old:
        compare_storage_migration(subject, report, before, comparisons, outcome)
    elif nulls != reported_counts(storage["droppedNulls"]):
        outcome.differ(subject, "droppedNulls", f"{nulls}, foretold {storage['droppedNulls']}")


def compare_storage_migration(subject, report, before, comparisons, outcome):
    """storageMigration is the worst case over status.storedVersions, as the API does not tell in
    which version an object is stored: it must hold every path that was lost, and count at least
    the objects that lost it. Nulls go by either version's schema, so they must be foretold by one."""
    schemas = [subject.schemas[subject.storage],
               *(s for v, s in subject.schemas.items() if v != subject.storage)]
    migration = report.get("storageMigration")
    if migration is None:
        outcome.differ(subject, "storageMigration", "absent, though objects are stored in two versions")
        return
    foretold = reported_counts(migration["prunedFields"])
    lost = collections.Counter()
    for comparison in comparisons.values():
        # A key is folded by the first schema in which it is the key of a map.
        lost.update({fold_by_any(path, schemas, foretold) for path in comparison.lost})
    for path, objects in lost.items():
        if foretold.get(path, 0) < objects:
            outcome.differ(subject, "storageMigration",
                           f"{path} was lost in {objects} objects, foretold {foretold.get(path, 0)}")
    nulls = {use["path"] for version in report["versions"] for use in version["droppedNulls"]}
    for name, comparison in comparisons.items():
        for path in comparison.nulls:
            if fold_by_any(path, schemas, nulls) not in nulls:
                outcome.differ(subject, "/".join(name), f"null at {path_text(path)} was not foretold")


def fold_by_any(path, schemas, foretold):
    """Returns the folded path by whichever schema makes it a foretold one."""
    folded = [fold(path, schema) for schema in schemas]
    return next((text for text in folded if text in foretold), folded[0])


def close_the_loop(cluster, binary, subjects, outcome):
    api = cluster.api()
    bring_in(cluster, api, subjects, outcome)
    marker = Marker(api)
    reports = foretell(cluster, binary, subjects)
    before = {subject.name: read_etcd(cluster, subject) for subject in subjects}
    pruning = [s for s in subjects if turn_pruning_on(api, s, reports[s.name], outcome)]
    marker.wait()
    for subject in pruning:
        stored, report = before[subject.name], reports[subject.name]
        compare_reads(api, subject, report, stored, outcome)
        rewritten = rewrite(api, subject, stored, outcome)
        after = read_etcd(cluster, subject)
        compare_rewrites(subject, report, stored, after, rewritten, outcome)
        outcome.counts["crds"] += 1
    api.close()


def rounds(subjects):
    """Yields lists of at most ROUND subjects, no two of one name."""
    while subjects:
        taken, left, names = [], [], set()
        for subject in subjects:
            fits = len(taken) < ROUND and subject.name not in names
            (taken if fits else left).append(subject)
            names.add(subject.name)
        yield taken
        subjects = left


def remove_crds(cluster):
    """Takes all CRDs and their objects out of etcd: finalizers of examples would keep them from going."""
    api = cluster.api()
    crds = api.get(V1_CRDS)["items"]
    for crd in crds:
        cluster.etcd_clear(f"/registry/{crd['spec']['group']}/{crd['spec']['names']['plural']}/")
    cluster.etcd_clear(CRD_KEYS)
    groups = {crd["spec"]["group"] for crd in crds}
    wait_for("CRDs that are gone are served", lambda: not groups & {
        group["name"] for group in api.get("/apis")["groups"]})
    api.close()


def create_namespaces(api, subjects):
    names = {item.namespace for subject in subjects for item in subject.objects} - {"", "default"}
    for name in sorted(names):
        api.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})


def main():
    binary = os.path.abspath(sys.argv[1])
    outcome = Outcome()
    subjects = generated_subjects(SEED, GENERATED)
    nth = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with Cluster() as cluster:
        if corpus.FOLDER.is_dir():
            subjects += corpus.corpus_subjects(cluster.api())[::nth]
        else:
            print(f"no corpus at {corpus.FOLDER}: generated CRDs alone")
        create_namespaces(cluster.api(), subjects)
        for some in rounds(subjects):
            remove_crds(cluster)
            close_the_loop(cluster, binary, some, outcome)
    for difference in outcome.differences:
        print(difference[:2000])
    counts = outcome.counts
    print(f"compared {counts['objects']} objects of {counts['crds']} CRDs: {counts['paths']} paths "
          f"lost, {counts['defaults']} defaults, {counts['nulls']} nulls")
    print(f"besides: {counts['reads']} reads; examples that the server refused: {counts['refused']} "
          f"when created, {counts['invalid']} when rewritten; {counts['blocked']} CRDs blocked")
    print(f"{len(outcome.differences)} differences (seed {SEED})")
    return 1 if outcome.differences or counts["objects"] < FEWEST_OBJECTS else 0


if __name__ == "__main__":
    end(main)
