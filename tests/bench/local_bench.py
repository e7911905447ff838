"""Measures the CPU time of the whole of `kubectl-prune check --local` over Lists of 1 KB objects.

local_bench.py BINARY [--against OTHER] [--objects N] [--runs N]

With --against both binaries take turns, and the ratio is the median over pairs of runs. It is CPU time, user and
system, of the whole process; the files are made anew in a temporary folder, the same in each run.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

GOAL_MIB = 64
GROUP = "bench.example.com"

ENDPOINT = {"type": "object", "required": ["port"], "properties": {
    "name": {"type": "string"}, "port": {"type": "integer", "minimum": 1},
    "target": {"x-kubernetes-int-or-string": True}, "ready": {"type": "boolean"}}}
CONDITION = {"type": "object", "required": ["type", "status"], "properties": {
    "type": {"type": "string"}, "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
    "lastTransitionTime": {"type": "string", "format": "date-time"}, "message": {"type": "string"}}}
SCHEMA = {"type": "object", "properties": {
    "spec": {"type": "object", "required": ["image"], "properties": {
        "replicas": {"type": "integer"}, "weight": {"type": "number"}, "paused": {"type": "boolean"},
        "image": {"type": "string", "pattern": "^[a-z./:0-9-]+$"},
        "selector": {"type": "object", "additionalProperties": {"type": "string"}},
        "endpoints": {"type": "array", "items": ENDPOINT}}},
    "status": {"type": "object", "properties": {
        "phase": {"type": "string"}, "conditions": {"type": "array", "items": CONDITION}}}}}
MANAGED = {"f:spec": {".": {}, "f:image": {}, "f:replicas": {}, "f:legacyMode": {}, "f:endpoints": {}}}


def crd(versions):
    """Returns a CRD with so many versions of one schema; the first is stored."""
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"widgets.{GROUP}"},
            "spec": {"group": GROUP, "scope": "Namespaced", "preserveUnknownFields": True,
                     "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
                     "versions": [{"name": f"v{i + 1}", "served": True, "storage": i == 0,
                                   "schema": {"openAPIV3Schema": SCHEMA}} for i in range(versions)]}}


def widget(number, loses, is_managed):
    """Returns an object of about 1 KB, as an API server shows it."""
    name = f"widget-{number:09}"
    metadata = {"name": name, "namespace": "default", "uid": f"7f0b6a1e-4f4c-4a59-9f0e-{number:012}",
                "resourceVersion": str(1000 + number), "generation": 3,
                "creationTimestamp": "2024-05-06T07:08:09Z", "labels": {"app": "bench", "tier": "backend"}}
    if is_managed:
        metadata["managedFields"] = [{"manager": "some-tool", "operation": "Update", "apiVersion": f"{GROUP}/v1",
                                      "time": "2024-05-06T07:08:09Z", "fieldsType": "FieldsV1", "fieldsV1": MANAGED}]
    spec = {"replicas": 3, "weight": 0.25, "paused": False, "image": "registry.example.com/team/widget:1.2.3",
            "selector": {"app": "bench", "name": name},
            "endpoints": [{"name": f"port-{i}", "port": 1024 + i, "target": 8000 + i if i % 2 else f"http-{i}",
                           "ready": True} for i in range(2 if is_managed else 5)]}
    if loses:
        spec["legacyMode"] = True
        spec["endpoints"][0]["proto"] = "TCP"
    status = {"phase": "Running", "conditions": [{
        "type": "Ready", "status": "True", "lastTransitionTime": "2024-05-06T07:09:00Z",
        "message": "all endpoints answer"}]}
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": metadata, "spec": spec, "status": status}


class Case:
    """A CRD and a List, and what reading them cost each binary."""

    def __init__(self, name, versions=1, every=8, is_managed=False, indent=None, is_sorted=True):
        self.name, self.versions = name, versions
        self._every, self._is_managed, self._indent, self._is_sorted = every, is_managed, indent, is_sorted
        self.costs = {}

    def write(self, folder, objects):
        self._crd, self._list = folder / "crd.json", folder / "list.json"
        self._crd.write_text(json.dumps(crd(self.versions)))
        separators = (",", ":") if self._indent is None else (",", ": ")
        with open(self._list, "w", encoding="utf-8") as file:
            file.write('{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[')
            for number in range(objects):
                item = widget(number, number % self._every == 0, self._is_managed)
                file.write(("" if number == 0 else ",\n") +
                           json.dumps(item, indent=self._indent, separators=separators, sort_keys=self._is_sorted))
            file.write("]}\n")
        self.bytes = self._list.stat().st_size

    def run(self, binary):
        process = subprocess.Popen([binary, "check", "--local", "-f", self._crd, "-f", self._list],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 1:
            raise SystemExit(f"{binary}: exit code {process.returncode}: {output.decode()}")
        self.costs.setdefault(binary, []).append((usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
        return output


CASES = [
    Case("one in eight loses fields"),
    Case("the same, keys in another order than a server's", is_sorted=False),
    Case("the same, indented", indent=4),
    Case("one in eight, managed fields", is_managed=True),
    Case("all lose fields, managed fields", every=1, is_managed=True),
    Case("one in eight, managed, two versions", versions=2, is_managed=True),
]


def report(case, binaries, objects):
    print(f"{case.name}: {objects} objects, {case.bytes / 1e6:.0f} MB")
    most = 0
    for binary in binaries:
        seconds = statistics.median(cost[0] for cost in case.costs[binary])
        mib = max(cost[1] for cost in case.costs[binary])
        most = max(most, mib)
        print(f"  {seconds:7.3f} CPU s {case.bytes / 1e6 / seconds:8.1f} MB/s {objects / seconds:10.0f} objects/s "
              f"{mib:6.1f} MiB  {binary}")
    if len(binaries) == 2:
        ours, other = (case.costs[binary] for binary in binaries)
        ratio = statistics.median(b[0] / a[0] for a, b in zip(ours, other))
        print(f"  {ratio:.2f} times the work a CPU second")
    return most


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("--against", type=os.path.abspath)
    parser.add_argument("--objects", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    binaries = [options.binary] + ([options.against] if options.against else [])
    most = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            case.write(pathlib.Path(folder), options.objects)
            for _ in range(options.runs):
                if len({case.run(binary) for binary in binaries}) != 1:
                    raise SystemExit(f"{case.name}: the reports differ")
            most = max(most, report(case, binaries, options.objects))
    print(f"memory: {most:.1f} MiB (goal: less than {GOAL_MIB})")
    return 0 if most < GOAL_MIB else 1


if __name__ == "__main__":
    sys.exit(main())
