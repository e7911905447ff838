"""What `check -f` foretells of the next write of objects, beside what a real API server says to it.

The schemas and values are those of tests/vectors/validity.jsonl, a property each of a few CRDs.
"""
import json
import pathlib
import subprocess
import tempfile

from cluster import wait_for
from loop_closes_test import run_check
from subjects import V1_CRDS

VECTORS = pathlib.Path(__file__).resolve().parents[1] / "vectors/validity.jsonl"
GROUP = "validity.example.com"
NAMESPACE = "default"
PROPERTIES = 40  # of a CRD
PATCH = "application/merge-patch+json"


def crd(number, schema):
    plural = f"values{number}"
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{GROUP}"},
            "spec": {"group": GROUP, "scope": "Namespaced",
                     "names": {"plural": plural, "singular": plural, "kind": plural.title(),
                               "listKind": f"{plural.title()}List"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


def taken_schemas(binary):
    """Yields (schema, values) of the lines whose schema of spec an API server takes, by what check says of it."""
    lines = [json.loads(line)["input"] for line in VECTORS.read_text().splitlines()]
    lines = [line for line in lines if "spec" in line["schema"].get("properties", {})]
    with tempfile.TemporaryDirectory() as folder:
        for i, line in enumerate(lines):
            schema = {"type": "object", "properties": {"spec": line["schema"]["properties"]["spec"]}}
            pathlib.Path(folder, f"{i:04}.json").write_text(json.dumps(crd(i, schema)))
        run = subprocess.run([binary, "check", "--local", "--skip-objects", "-o", "json", "-f", folder],
                             capture_output=True, check=False)
    blocked = {one["name"] for one in json.loads(run.stdout)["crds"] if one["verdict"] == "blocked"}
    for i, line in enumerate(lines):
        if f"values{i}.{GROUP}" in blocked:
            continue
        yield (line["schema"]["properties"]["spec"],
               [line[key]["spec"] for key in ("object", "old") if "spec" in line[key]])


class Values:
    """One CRD: what it is at first, what is proposed, and its objects."""

    def __init__(self, number, lines):
        def spec(properties):
            return {"type": "object", "properties": {"spec": properties}}
        self.live = crd(number, spec({"type": "object", "x-kubernetes-preserve-unknown-fields": True}))
        properties = {f"p{i}": schema for i, (schema, _) in enumerate(lines)}
        self.proposal = crd(number, spec({"type": "object", "properties": {
            **properties, "probe": {"type": "integer"}}}))
        self.name, self.kind = self.live["metadata"]["name"], self.live["spec"]["names"]["kind"]
        self.path = f"/apis/{GROUP}/v1/namespaces/{NAMESPACE}/{self.live['spec']['names']['plural']}"
        self.objects = [self.object(f"o{i}-{j}", {f"p{i}": value})
                        for i, (_, values) in enumerate(lines) for j, value in enumerate(values)]

    def object(self, name, spec):
        return {"apiVersion": f"{GROUP}/v1", "kind": self.kind, "metadata": {"name": name}, "spec": spec}

    def create(self, api):
        api.post(V1_CRDS, self.live)
        wait_for(f"{self.name} is not served", lambda: api.request(
            "POST", f"{self.path}?dryRun=All", self.object("probe", {}))[0] == 201)

    def propose(self, api):
        live = api.get(f"{V1_CRDS}/{self.name}")
        live["spec"] = self.proposal["spec"]
        api.put(f"{V1_CRDS}/{self.name}", live)
        wait_for(f"{self.name}: the schema is not noticed", lambda: api.request(
            "POST", f"{self.path}?dryRun=All", self.object("probe", {"probe": "x"}))[0] == 422)


def said_to_a_write(api, subject, name):
    """Returns what the server says to a write that changes nothing: its errors, sorted."""
    status, answer = api.request("PATCH", f"{subject.path}/{name}?dryRun=All", {}, PATCH)
    if status == 200:
        return []
    if status != 422:
        raise AssertionError(f"{subject.name} {name}: {status} {answer}")
    causes = answer["details"]["causes"]
    return sorted({f"{cause.get('field') or '<nil>'}: {cause['message']}" for cause in causes})


class Comparison:
    """`foretold` and `said` are both {(CRD, object): [error]}, `crds` are check's reports by CRD."""

    def __init__(self, cluster, binary, lines):
        schemas = list(taken_schemas(binary))[:lines]
        self.subjects = [Values(i, schemas[i:i + PROPERTIES]) for i in range(0, len(schemas), PROPERTIES)]
        api = cluster.api()
        try:
            for subject in self.subjects:
                subject.create(api)
                for one in subject.objects:
                    api.post(subject.path, one)
            self.crds = self._check(cluster, binary)
            for subject in self.subjects:
                subject.propose(api)
            self.foretold = {(name, one["name"]): one["invalid"]
                             for name, report in self.crds.items() for one in report["objects"]}
            self.said = {(subject.name, one["metadata"]["name"]):
                         said_to_a_write(api, subject, one["metadata"]["name"])
                         for subject in self.subjects for one in subject.objects}
        finally:
            for subject in self.subjects:
                api.request("DELETE", f"{V1_CRDS}/{subject.name}")
            api.close()

    def _check(self, cluster, binary):
        path = cluster.folder / "validity.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List",
                                    "items": [subject.proposal for subject in self.subjects]}))
        return run_check(cluster, binary, "-f", str(path))
