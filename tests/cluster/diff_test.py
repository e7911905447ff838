"""`kubectl-prune diff` foretells, byte for byte, what a real API server shows after the flip.

diff_test.py BINARY. For generated CRDs: what diff compares are the objects as kubectl prints them
before, and as it prints them after pruning was turned on and they were rewritten; its output is
that of diff(1) over the two. `kubectl diff` is the judge of the form: the names of the files, what
KUBECTL_EXTERNAL_DIFF is given, exit codes. Exit code 77 (skipped) without a server.
"""
import json
import os
import re
import subprocess
import sys

from cluster import Cluster
import kubectl
from generated import generated_subjects
from loop_closes_test import (Marker, Outcome, bring_in, create_namespaces, foretell, read_etcd, rewrite,
                              turn_pruning_on)
from runner import end

SEED = 33
GENERATED = 12
FEWEST_CHANGED = 15
# Keeps what it is given: the arguments, and the files of both folders.
KEEPER = """#!/bin/sh
printf '%s\\n' "$@" >"$KEPT/arguments"
readlink /proc/self/fd/0 >"$KEPT/stdin"
cp -r "$1" "$KEPT/live"; cp -r "$2" "$KEPT/merged"
exit ${CODE:-1}
"""
RANDOM_PART = re.compile(r"/(LIVE|MERGED)-\w+")
SMALL_EXPONENT = re.compile(r"(\de[-+])(\d)$", re.MULTILINE)
TIME = re.compile(r"\t\d{4}-\d\d-\d\d \S+ \S+$", re.MULTILINE)


class Runs:
    """Runs kubectl and our binary with a diff program of ours."""

    def __init__(self, cluster, binary):
        self.cluster, self.binary = cluster, binary
        self.environment = cluster.environment(cluster.kubeconfig_file())
        self.keeper = cluster.folder / "keeper"
        self.keeper.write_text(KEEPER)
        self.keeper.chmod(0o755)
        self.folders = 0

    def run(self, command, **environment):
        return subprocess.run(command, env=self.environment | environment, capture_output=True,
                              check=False)

    def diff(self, *arguments, **environment):
        return self.run([self.binary, "diff", *arguments], **environment)

    def kept(self, command, more="", code=1):
        """Returns (run, folder) of a diff whose program keeps what it is given."""
        self.folders += 1
        folder = self.cluster.folder / f"kept{self.folders}"
        folder.mkdir()
        run = self.run(command, KEPT=str(folder), CODE=str(code),
                       KUBECTL_EXTERNAL_DIFF=f"{self.keeper}{more}")
        return run, folder

    def get(self, subject, namespace, name):
        """Returns the object as kubectl prints it in the storage version."""
        resource = f"{subject.plural}.{subject.storage}.{subject.group}"
        where = ["-n", namespace] if namespace else []
        run = self.run(["kubectl", "get", resource, name, "-o", "yaml", *where])
        assert run.returncode == 0, run.stderr
        return kubectl.without_managed_fields(run.stdout.decode())


def file_name(subject, namespace, name):
    return f"{subject.group}.{subject.storage}.{subject.kind}.{namespace}.{name}"


def with_version_of(after, before):
    """A write changes metadata.resourceVersion too, and pruning has no part in that."""
    pattern = re.compile(r'^  resourceVersion: "\d+"$', re.MULTILINE)
    return pattern.sub(pattern.search(before)[0], after, count=1)


def without_accidents(output):
    """The output of diff(1) without names of folders and times."""
    return TIME.sub("", RANDOM_PART.sub(r"/\1", output.decode()))


def read_folder(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def as_kubectl_prints(text):
    """Our YAML with what kubectl writes in another way, to the same value: a small exponent has two
    digits, and U+2028 stands as it is, which we keep away from terminals."""
    return SMALL_EXPONENT.sub(r"\g<1>0\2", text).replace('"\\L"', "'\u2028'")


def require(holds, what, outcome):
    outcome.counts["checks"] += 1
    if not holds:
        outcome.differences.append(what)


def compare_files(runs, subject, kept, before, names, outcome):
    """The files against what kubectl shows before and after."""
    live, merged = ({name: as_kubectl_prints(text) for name, text in read_folder(folder).items()}
                    for folder in (kept / "live", kept / "merged"))
    require(live.keys() == merged.keys(), f"{subject.name}: files {live.keys() ^ merged.keys()}",
            outcome)
    for namespace, name in names:
        file, now = file_name(subject, namespace, name), before[namespace, name]
        after = with_version_of(runs.get(subject, namespace, name), now)
        if now == after:
            require(file not in live, f"{file}: shown, but nothing changed", outcome)
            continue
        outcome.counts["changed"] += 1
        require(live.get(file) == now, f"{file}: not what kubectl showed before:\n"
                f"{live.get(file)}\nbut\n{now}", outcome)
        require(merged.get(file) == after, f"{file}: not what kubectl shows after:\n"
                f"{merged.get(file)}\nbut\n{after}", outcome)


def compare_output(runs, subject, shown, kept, outcome):
    """What diff printed by itself is diff(1)'s output, in the form of kubectl's folders."""
    folder = kept / "again"
    (folder / "x").mkdir(parents=True)
    live, merged = folder / "x/LIVE-1", folder / "x/MERGED-2"
    (kept / "live").rename(live)
    (kept / "merged").rename(merged)
    again = runs.run(["diff", "-u", "-N", str(live), str(merged)])
    want = without_accidents(again.stdout).replace(f"{folder}/x/", "/tmp/")
    require(without_accidents(shown.stdout) == want, f"{subject.name}: not what diff(1) prints",
            outcome)
    require(shown.returncode == again.returncode, f"{subject.name}: exit code {shown.returncode}",
            outcome)


def arguments_of(runs, subject, folder):
    if not subject.proposed:
        return [subject.name]
    path = folder / f"{subject.plural}.json"
    path.write_text(json.dumps(subject.proposal()))
    return [subject.name, "-f", str(path)]


def close_the_loop(cluster, runs, subjects, outcome):
    api = cluster.api()
    bring_in(cluster, api, subjects, outcome)
    marker = Marker(api)
    reports = foretell(cluster, runs.binary, subjects)
    stored = {subject.name: read_etcd(cluster, subject) for subject in subjects}
    before, kept, shown = {}, {}, {}
    for subject in subjects:
        before[subject.name] = {name: runs.get(subject, *name) for name in stored[subject.name]}
        arguments = arguments_of(runs, subject, cluster.folder)
        run, kept[subject.name] = runs.kept([runs.binary, "diff", *arguments])
        require(run.returncode == 1, f"{subject.name}: exit code {run.returncode} {run.stderr}",
                outcome)
        shown[subject.name] = runs.diff(*arguments, TMPDIR="/tmp")
    pruning = [s for s in subjects if turn_pruning_on(api, s, reports[s.name], outcome)]
    marker.wait()
    for subject in pruning:
        rewritten = rewrite(api, subject, stored[subject.name], outcome)
        compare_files(runs, subject, kept[subject.name], before[subject.name], rewritten, outcome)
        compare_output(runs, subject, shown[subject.name], kept[subject.name], outcome)


def compare_form(runs, outcome):
    """The same change, of one object, shown by kubectl and by us."""
    folder = runs.cluster.folder
    crd = {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
           "metadata": {"name": "forms.form.example.com"},
           "spec": {"group": "form.example.com", "scope": "Namespaced",
                    "names": {"plural": "forms", "kind": "Form"}, "preserveUnknownFields": True,
                    "versions": [{"name": "v1", "served": True, "storage": True}],
                    "validation": {"openAPIV3Schema": {"type": "object", "properties": {
                        "spec": {"type": "object", "properties": {"a": {"type": "string"}}}}}}}}
    api = runs.cluster.api()
    api.post("/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions", crd)
    one = ('{"apiVersion":"form.example.com/v1","kind":"Form","metadata":{"name":"one",'
           '"namespace":"default"},"spec":{"a":"1","b":"2"}}')
    (folder / "one.json").write_text(one)
    runs.run(["kubectl", "wait", "--for=condition=Established", "crd/forms.form.example.com"])
    made = runs.run(["kubectl", "create", "-f", str(folder / "one.json")])
    require(made.returncode == 0, f"kubectl create: {made.stderr}", outcome)
    # Server-side apply of less than kubectl-create owns would leave b: it is set to another value.
    (folder / "two.json").write_text(one.replace('"b":"2"', '"b":"3"'))
    theirs = [kubectl.program(), "diff", "-f", str(folder / "two.json")]
    ours = [runs.binary, "diff", "forms/one", "-n", "default"]
    compare_programs(runs, theirs, ours, outcome)
    head = [without_accidents(runs.run(command, TMPDIR="/tmp").stdout).splitlines()[:3]
            for command in (theirs, ours)]
    require(head[0] == head[1], f"head: {head}", outcome)


def with_kubectl(words, newer, theirs):
    """Yields each with `theirs`: one word by the kubectl of today, as that of Debian 12 does otherwise."""
    for word in words:
        minor = 32 if word == newer else 1
        if kubectl.lacks(minor):
            print(f"skipped: KUBECTL_EXTERNAL_DIFF={word}: {kubectl.lacks(minor)}")
        else:
            yield word, [kubectl.program(minor), *theirs[1:]]


def compare_programs(runs, theirs, ours, outcome):
    for more, compared in with_kubectl(("", " -N", "  -w --x=1", " a_b", " a/b -c"), "  -w --x=1", theirs):
        seen = []
        for command in (compared, ours):
            run, kept = runs.kept(command, more)
            arguments = RANDOM_PART.sub(r"/\1", (kept / "arguments").read_text())
            seen.append((run.returncode, arguments, (kept / "stdin").read_text(),
                         sorted(read_folder(kept / "live")), sorted(read_folder(kept / "merged"))))
        require(seen[0] == seen[1], f"KUBECTL_EXTERNAL_DIFF=...{more}: {seen}", outcome)
    for code in (0, 1, 2, 3, 127):
        ends = [runs.kept(command, code=code)[0] for command in (theirs, ours)]
        require(ends[0].returncode == ends[1].returncode and ends[0].stderr == ends[1].stderr,
                f"the program's exit code {code}: {ends}", outcome)
    for program, compared in with_kubectl(("nosuchprogram -u", " diff", "/nosuch/program"), "/nosuch/program", theirs):
        ends = [runs.run(command, KUBECTL_EXTERNAL_DIFF=program) for command in (compared, ours)]
        require(ends[0].returncode == ends[1].returncode and ends[0].stderr == ends[1].stderr,
                f"KUBECTL_EXTERNAL_DIFF={program}: {ends}", outcome)


def main():
    outcome = Outcome()
    # Those that are stored in two versions would have to be rewritten before pruning is turned on.
    subjects = [s for s in generated_subjects(SEED, GENERATED) if not s.changes_storage]
    with Cluster() as cluster:
        runs = Runs(cluster, os.path.abspath(sys.argv[1]))
        temporary = cluster.folder / "tmp"
        temporary.mkdir()
        runs.environment["TMPDIR"] = str(temporary)
        create_namespaces(cluster.api(), subjects)
        compare_form(runs, outcome)
        close_the_loop(cluster, runs, subjects, outcome)
        require(not list(temporary.iterdir()), f"left behind: {list(temporary.iterdir())}", outcome)
    for difference in outcome.differences:
        print(difference[:4000])
    print(f"{outcome.counts['changed']} changed objects, {outcome.counts['checks']} comparisons, "
          f"{len(outcome.differences)} differences (seed {SEED})")
    return 1 if outcome.differences or outcome.counts["changed"] < FEWEST_CHANGED else 0


if __name__ == "__main__":
    end(main)
