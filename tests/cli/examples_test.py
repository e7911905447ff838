#!/usr/bin/env python3
"""Pastes every example of the help into bash, against the fake API server (O8): none is an error.

Usage: examples_test.py KUBECTL_PRUNE FAKE_API_SERVER
"""
import json
import pathlib
import re
import shutil
import sys
from concurrent import futures

import sandbox

# They go on until somebody stops them; tests/cluster/guard_test.py and populate_service_test.py run such.
SERVING = re.compile(r" guard | populate --(resync|webhooks)\b")
LEAST = 42  # so that no command's are passed over; more may come
AT_ONCE = 8  # most of their time they wait, some for seconds

# Beside `kubectl prune`, the examples save objects; the fake server does not serve kubectl itself.
KUBECTL = """#!/bin/sh
case "$1" in
  prune) shift; exec kubectl-prune "$@" ;;
  get) exec cat demo/widgets-objects.json ;;
  apply) exec cat >/dev/null ;;
esac
echo "unexpected: kubectl $*" >&2
exit 99
"""
TEMPLATES = """apiVersion: policy.kubectl-prune.dev/v1alpha1
kind: NamespaceTemplate
metadata: {name: quotas}
spec:
  namespaces: {labelSelector: {}}
  templates:
  - {apiVersion: v1, kind: ResourceQuota, metadata: {name: pods}, spec: {hard: {pods: "10"}}}
"""
# Of the CRD in established.yaml: the cluster's own engine has rewritten its objects by the time it is asked to.
ENGINE = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: storageversionmigrations.storagemigration.k8s.io}
spec:
  group: storagemigration.k8s.io
  scope: Cluster
  names: {plural: storageversionmigrations, kind: StorageVersionMigration}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: storagemigration.k8s.io/v1
kind: StorageVersionMigration
metadata:
  name: widgets.demo.example.com-5d0c
  labels: {app.kubernetes.io/managed-by: kubectl-prune}
  annotations: {kubectl-prune/crd-generation: "1"}
spec: {resource: {group: demo.example.com, resource: widgets}}
status: {conditions: [{type: Succeeded, status: "True"}]}
"""
# Of the spec of widgets: --explain needs a rule, and a server that evaluates it.
RULE = """            x-kubernetes-validations:
            - {rule: "!has(self.size) || self.size > 0"}
"""
RELEASE_WITH_RULES = "1.36.4"
TEMPLATES_CRD = pathlib.Path(__file__).resolve().parents[2] / "krew/manifests/populate/crd.yaml"
# fpath is zsh's; bash counts from 0.
BEFORE = 'fpath=(none "$PWD")\n'


def examples(usage):
    """The commands below "Examples:", those that a comment stands above together."""
    inside = usage.partition("\nExamples:\n")[2].partition("\n\nOptions:")[0]
    inside = inside.partition("\n\nExit codes:")[0]
    for block in inside.split("\n\n"):
        yield "\n".join(line[2:] for line in block.split("\n"))


def set_up(box):
    for name, body in (("kubectl", KUBECTL), ("sudo", "#!/bin/sh\nexit 0\n")):
        (box.bin / name).write_text(body)
        (box.bin / name).chmod(0o755)


def files(box, is_pruning, has_rule):
    """The files that examples name, and established.yaml for the server."""
    shutil.rmtree(box.work / "manifests", ignore_errors=True)
    (box.work / "manifests/below").mkdir(parents=True)
    for name, source in (("crds.yaml", "widgets.yaml"), ("widgets.json", "widgets-objects.json"),
                         ("manifests/crds.yaml", "widgets.yaml"),
                         ("manifests/below/objects.json", "widgets-objects.json")):
        shutil.copy(box.work / "demo" / source, box.work / name)
    crd = (box.work / "crds.yaml").read_text(encoding="utf-8")
    crd = crd.replace("conditions: []", 'conditions: [{type: Established, status: "True"}]')
    if is_pruning:
        crd = crd.replace("preserveUnknownFields: true", "preserveUnknownFields: false")
    if has_rule:
        crd = re.sub(r"(          spec:\n            type: object\n)", r"\1" + RULE, crd)
    (box.work / "engine.yaml").write_text(ENGINE)
    (box.work / "established.yaml").write_text(
        crd.replace("metadata:\n", "metadata:\n  uid: 5d0c\n  generation: 1\n", 1), encoding="utf-8")
    (box.work / "new-crd.yaml").write_text(crd.replace("preserveUnknownFields: true", "preserveUnknownFields: false"))
    (box.work / "clusters.txt").write_text("# all of them\nprod-*\nstaging\n")
    (box.work / "templates.yaml").write_text(TEMPLATES)
    (box.work / "namespaces.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")
    (box.work / "move-mode.yaml").write_text("spec:\n  mode: (spec.legacyMode)\n  legacyMode: null\n")
    frontend = json.loads((box.work / "widgets.json").read_text(encoding="utf-8"))["items"][0]
    frontend["metadata"] |= {"name": "frontend", "namespace": "shop", "uid": "frontend"}
    (box.work / "frontend.json").write_text(json.dumps(frontend), encoding="utf-8")
    (box.work / "kubectl-prune-backup").mkdir(exist_ok=True)
    (box.work / "kubectl-prune-backup/widgets.ndjson").write_text(json.dumps(frontend) + "\n", encoding="utf-8")
    (box.work / "kubectl-prune-backup/widgets.crd.json").write_text(crd, encoding="utf-8")
    (box.work / "report.json").write_text(
        '{"apiVersion": "kubectl-prune/v1alpha1", "kind": "MigrationReport", "crds": []}')


def paste(box, example):
    # Only where pruning is on, or is turned on, there is something to migrate.
    files(box, " migrate " in example and "--enable-pruning" not in example, "--explain" in example)
    manifests = ["established.yaml", "demo/widgets-objects.json", "frontend.json"]
    # diff has nothing to show of what is not structural, and ends with an error.
    if " diff" not in example:
        manifests.append("demo/gizmos.yaml")
    if re.search(" populate --(once|diff)", example):
        shutil.copy(TEMPLATES_CRD, box.work / "templates-crd.yaml")
        manifests.append("templates-crd.yaml")
    if "--engine=in-cluster" in example:
        manifests.append("engine.yaml")
    if "--explain" in example:
        manifests += ["--release", RELEASE_WITH_RULES]
    with box.server(*manifests):
        config = box.environment["KUBECONFIG"]
        with open(config, encoding="utf-8") as file:
            text = file.read()
        with open(config, "w", encoding="utf-8") as file:
            others = "".join(f"- name: {name}\n  context: {{cluster: fake, user: fake}}\n"
                             for name in ("staging", "prod-a", "prod-b"))
            file.write(text.replace("contexts:\n", "contexts:\n" + others))
        # "| source" is fish's.
        return box.run("bash", "-c", BEFORE + example.replace("| source", ""))


def outcome(example):
    """In a sandbox of its own, as they run beside each other."""
    with sandbox.sandbox(*sys.argv[1:3]) as box:
        set_up(box)
        return paste(box, example)


def problem(done):
    """What is wrong; findings, and the question that nobody answers, are not."""
    if done.returncode in (0, 1) and "error:" not in done.stderr:
        return ""
    if "--yes" in done.stderr:
        return ""
    return f"exit code {done.returncode}: {done.stderr.strip()}"


def all_examples():
    with sandbox.sandbox(*sys.argv[1:3]) as box:
        program = box.run("kubectl-prune", "--help").stdout
        yield from examples(program)
        commands = program.partition("Available Commands:\n")[2].partition("\n\n")[0]
        for command in re.findall(r"^  (\w+) {2,}", commands, re.MULTILINE):
            usage = box.run("kubectl-prune", command, "--help").stdout
            # What has no examples of its own, and "help", whose help is the program's.
            if "\nExamples:\n" in usage and usage != program:
                yield from examples(usage)


def main():
    pasted, failed = [example for example in all_examples() if not SERVING.search(example)], 0
    with futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for example, done in zip(pasted, pool.map(outcome, pasted)):
            wrong = problem(done)
            if wrong:
                failed += 1
                print(f"{example}\n  {wrong}")
    print(f"{len(pasted)} examples, {failed} failed")
    return 1 if failed or len(pasted) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
