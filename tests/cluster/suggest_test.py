"""What `kubectl-prune suggest` prints is taken by a real API server, which then prunes nothing by it.

suggest_test.py BINARY [N]. For generated CRDs, and for every N-th of those of $KUBECTL_PRUNE_CORPUS: asks for a
suggestion, applies it with pruning on, rewrites every object that was valid before, and holds what etcd has then against
what it had. Exit code 77 (skipped) without a server.
"""
import collections
import json
import os
import re
import sys

import corpus
from cluster import Cluster, ClusterError, wait_for
from generated import generated_subjects
from loop_closes_test import Marker, Outcome, bring_in, create_namespaces, read_etcd, remove_crds, rounds, texts_of
from runner import end
from stored_diff import Diff, without_own_fields
from subjects import V1_CRDS
from validity import holds_empty_text

SEED = 7
GENERATED = 40
FEWEST_OBJECTS = 150
PATCH = "application/merge-patch+json"
# Of CRDs whose objects hold another type than they say; that is in the corpus, where objects of many releases are.
MOST_LEFT = 0.1


class Suggestions:
    """What suggest said: `crds` by name, and `verdicts`, the word for each."""

    def __init__(self, cluster, binary, names, *arguments):
        run = cluster.run([binary, "suggest", "-o", "json", *names, *arguments])
        if run.returncode not in (0, 1):
            raise SystemExit(f"suggest: exit code {run.returncode}\n{run.stderr}")
        self.crds = {crd["metadata"]["name"]: crd for crd in json.loads(run.stdout)["items"]}
        self.verdicts = dict(re.findall(r"^(\S+): verdict with this schema: (\S+)$", run.stderr, re.MULTILINE))
        self.left = set(re.findall(r"^  \S+ left to you: ", run.stderr, re.MULTILINE))


def rewritable(api, subject, names):
    """Returns those that the server takes back as they are."""
    taken = set()
    for namespace, name in names:
        path = f"{subject.collection(subject.storage, namespace)}/{name}?dryRun=All"
        if api.request("PATCH", path, {}, PATCH)[0] == 200:
            taken.add((namespace, name))
    return taken


def apply(api, subject, suggestion, verdict, outcome):
    """Returns whether the server took it, which has to agree with the verdict."""
    live = api.get(f"{V1_CRDS}/{subject.name}")
    live["spec"] = {**suggestion["spec"], "preserveUnknownFields": False}
    live["metadata"].setdefault("annotations", {}).update(suggestion["metadata"].get("annotations", {}))
    status, answer = api.request("PUT", f"{V1_CRDS}/{subject.name}", live)
    if (status == 200) == (verdict == "blocked"):
        outcome.differ(subject, "CRD", f"verdict {verdict}, and the server says {status} {answer.get('message')}")
    return status == 200


def require_structural(api, subject, outcome):
    """The condition is set by a controller of its own, which on a busy machine comes after the server prunes."""
    messages = []

    def is_structural():
        conditions = api.get(f"{V1_CRDS}/{subject.name}")["status"]["conditions"]
        messages[:] = [condition["message"] for condition in conditions
                       if condition["type"] == "NonStructuralSchema" and condition["status"] == "True"]
        return not messages

    try:
        wait_for(f"{subject.name} is not structural", is_structural, seconds=120)
    except ClusterError:
        outcome.differ(subject, "CRD", messages[0])


def compare(api, subject, before, after, valid, outcome):
    for namespace, name in sorted(valid):
        if holds_empty_text(before[namespace, name]):
            continue
        where = f"{namespace}/{name}"
        path = f"{subject.collection(subject.storage, namespace)}/{name}?dryRun=All"
        status, answer = api.request("PATCH", path, {}, PATCH)
        if status != 200:
            outcome.differ(subject, where, f"was valid, and is not: {answer.get('message')}")
        diff = Diff(without_own_fields(before[namespace, name]), without_own_fields(after[namespace, name]))
        # A null at a field that is specified, and not nullable, goes with any write: check tells of those.
        gone = texts_of({*diff.lost, *diff.changed})
        if gone:
            outcome.differ(subject, where, f"lost or changed: {gone}")
        outcome.counts["objects"] += 1


def try_suggestions(cluster, binary, subjects, outcome):
    api = cluster.api()
    bring_in(cluster, api, subjects, outcome)
    marker = Marker(api)
    before = {subject.name: read_etcd(cluster, subject) for subject in subjects}
    valid = {subject.name: rewritable(api, subject, before[subject.name]) for subject in subjects}
    said = Suggestions(cluster, binary, [subject.name for subject in subjects])
    outcome.counts["left"] += len(said.left)
    taken = [subject for subject in subjects
             if apply(api, subject, said.crds[subject.name], said.verdicts[subject.name], outcome)]
    marker.wait()
    for subject in taken:
        outcome.counts["crds"] += 1
        require_structural(api, subject, outcome)
        if said.verdicts[subject.name] == "loses-fields":
            outcome.counts["losing"] += 1
            continue
        for namespace, name in valid[subject.name]:
            api.request("PATCH", f"{subject.collection(subject.storage, namespace)}/{name}", {}, PATCH)
        compare(api, subject, before[subject.name], read_etcd(cluster, subject), valid[subject.name], outcome)
    api.close()


def main():
    binary = os.path.abspath(sys.argv[1])
    outcome = Outcome()
    subjects = generated_subjects(SEED, GENERATED)
    nth = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with Cluster() as cluster:
        if corpus.FOLDER.is_dir():
            subjects += [one for one in corpus.corpus_subjects(cluster.api()) if not one.proposed][::nth]
        else:
            print(f"no corpus at {corpus.FOLDER}: generated CRDs alone")
        create_namespaces(cluster.api(), subjects)
        for some in rounds(subjects):
            remove_crds(cluster)
            try_suggestions(cluster, binary, some, outcome)
    for difference in outcome.differences:
        print(difference[:2000])
    counts = collections.Counter(outcome.counts)
    print(f"compared {counts['objects']} objects of {counts['crds']} CRDs; {counts['losing']} CRDs were left to a person")
    too_many = counts["losing"] > MOST_LEFT * counts["crds"]
    return 1 if outcome.differences or too_many or counts["objects"] < FEWEST_OBJECTS else 0


if __name__ == "__main__":
    end(main)
