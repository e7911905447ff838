"""What `check -f` foretells of the next write of objects, beside what a real API server says to it.

The schemas and values are those of tests/vectors/validity.jsonl, or of pairs.py, a property each of a few CRDs.
"""
import json
import pathlib
import subprocess
import tempfile

from cluster import wait_for
from loop_closes_test import run_check
from pairs import Pairs
from subjects import V1_CRDS, crd_of, errors_of

VECTORS = pathlib.Path(__file__).resolve().parents[1] / "vectors/validity.jsonl"
GROUP = "validity.example.com"
NAMESPACE = "default"
PROPERTIES = 40  # of a CRD
PATCH = "application/merge-patch+json"


def crd(number, schema):
    return crd_of(GROUP, f"values{number}", schema)


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
    """One CRD, a property a schema: its objects, made while it takes anything, what it is then, and what is proposed.

    `lives` are the schemas that it has when it is checked, or none for one that still takes anything.
    """

    def __init__(self, number, proposals, values, lives=()):
        def spec(schema):
            return {"type": "object", "properties": {"spec": schema}}

        def properties(schemas, probe):  # which tells that the server has noticed them
            return spec({"type": "object", "properties": {
                **{f"p{i}": schema for i, schema in enumerate(schemas)}, probe: {"type": "integer"}}})
        self.open = crd(number, spec({"type": "object", "x-kubernetes-preserve-unknown-fields": True}))
        self.live = crd(number, properties(lives, "live")) if lives else None
        self.proposal = crd(number, properties(proposals, "proposed"))
        self.name, self.kind = self.open["metadata"]["name"], self.open["spec"]["names"]["kind"]
        self.path = f"/apis/{GROUP}/v1/namespaces/{NAMESPACE}/{self.open['spec']['names']['plural']}"
        self.objects = [self.object(f"o{i}-{j}", {f"p{i}": value})
                        for i, all_of_one in enumerate(values) for j, value in enumerate(all_of_one)]

    def object(self, name, spec):
        return {"apiVersion": f"{GROUP}/v1", "kind": self.kind, "metadata": {"name": name}, "spec": spec}

    def create(self, api):
        api.post(V1_CRDS, self.open)
        wait_for(f"{self.name} is not served", lambda: api.request(
            "POST", f"{self.path}?dryRun=All", self.object("probe", {}))[0] == 201)
        for one in self.objects:
            api.post(self.path, one)
        if self.live:
            self._replace(api, self.live, "live")

    def propose(self, api):
        self._replace(api, self.proposal, "proposed")

    def _replace(self, api, manifest, probe):
        live = api.get(f"{V1_CRDS}/{self.name}")
        live["spec"] = manifest["spec"]
        api.put(f"{V1_CRDS}/{self.name}", live)
        wait_for(f"{self.name}: the schema is not noticed", lambda: api.request(
            "POST", f"{self.path}?dryRun=All", self.object("probe", {probe: "x"}))[0] == 422)


def of_vectors(binary, lines):
    schemas = list(taken_schemas(binary))[:lines]
    return [Values(i, *zip(*schemas[i:i + PROPERTIES])) for i in range(0, len(schemas), PROPERTIES)]


def of_pairs(seed, count):
    """As many CRDs, with a schema before the proposal, too."""
    pairs = Pairs(seed)
    made = []
    for number in range(count):
        lives, proposals, values = zip(*[pairs.pair() for _ in range(PROPERTIES)])
        made.append(Values(number, proposals, values, lives))
    return made


def said_to_a_write(api, subject, one):
    """Returns what the server says to a write of an object that changes nothing: its errors, sorted."""
    path = f"{subject.path}/{one['metadata']['name']}"
    return _errors_said(subject, one, *api.request_until_answered("PATCH", f"{path}?dryRun=All", {}, PATCH))


def said_to_the_same_anew(api, subject, one):
    """Returns what the server says to another object with the same content, of which nothing is ratcheted."""
    body = {**one, "metadata": {"name": "anew"}}
    return _errors_said(subject, one, *api.request_until_answered("POST", f"{subject.path}?dryRun=All", body))


def _errors_said(subject, one, status, answer):
    return sorted(set(errors_of(status, answer, f"{subject.name} {one['metadata']['name']}")))


class Comparison:
    """`foretold` and `said` are both {(CRD, object): [error]}, `crds` are check's reports by CRD."""

    def __init__(self, cluster, binary, subjects):
        self.subjects = subjects
        self._cluster, self._binary = cluster, binary
        self._api = cluster.api()
        try:
            for subject in subjects:
                subject.create(self._api)
            self._look_before()
            self.crds = run_check(cluster, binary, "-f", self._proposals(), *self._beside())
            self.foretold = _errors(self.crds)
            for subject in subjects:
                subject.propose(self._api)
            self.said = self._ask(said_to_a_write)
            self._look_behind()
        finally:
            self._clean_up()

    def _beside(self):
        """Arguments for what a kind of comparison proposes beside the CRDs."""
        return []

    def _look_before(self):
        """What a kind of comparison looks at while the CRDs are as they were."""

    def _look_behind(self):
        """And once they are as proposed."""

    def _ask(self, said):
        return {(subject.name, one["metadata"]["name"]): said(self._api, subject, one)
                for subject in self.subjects for one in subject.objects}

    def _proposals(self):
        return self._write_list("proposals.json", [subject.proposal for subject in self.subjects])

    def _write_list(self, name, items):
        path = self._cluster.folder / name
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        return str(path)

    def _clean_up(self):
        for subject in self.subjects:
            self._api.request("DELETE", f"{V1_CRDS}/{subject.name}")
        for subject in self.subjects:  # whose names the next comparison has, too
            wait_for(f"{subject.name} does not go", lambda one=subject: self._api.request(
                "GET", f"{V1_CRDS}/{one.name}")[0] == 404)
        self._api.close()


class PairComparison(Comparison):
    """Of CRDs that have a schema before, too: `foretold_before` and `said_before` are of them as they are, `foretold_anew`
    and `said_anew` of other objects with the same content, by the proposal.

    What a list has twice is in neither: a write of an object that has it already may keep it, and check tells of such.
    `refused_anew` has it, too: of how many new objects of a CRD the server says so, those with empty texts aside, and
    `foretold_refused` is what check says of the same in files beside their CRD. `refused_for_duplicates` are the objects
    of which it says nothing else.
    """

    def _beside(self):
        return ["-f", self._write_list("beside.json", [one for _, one in self._without_empty_texts()])]

    def _without_empty_texts(self):
        return [(subject.name, one) for subject in self.subjects for one in subject.objects if not holds_empty_text(one)]

    def _look_before(self):
        names = [one.name for one in self.subjects]
        self.foretold_before = _errors(run_check(self._cluster, self._binary, *names))
        self.said_before = self._ask(said_to_a_write)

    def _look_behind(self):
        objects = self._write_list("objects.json", [one for subject in self.subjects for one in subject.objects])
        self.foretold_anew = _errors(run_check(self._cluster, self._binary, "--local", "-f", self._proposals(),
                                               "-f", objects))
        said = self._ask(said_to_the_same_anew)
        self.said_anew = {name: [error for error in errors if ": Duplicate value: " not in error]
                          for name, errors in said.items()}
        self.refused_for_duplicates = [name for name, errors in said.items() if errors and not self.said_anew[name]]
        self.foretold_refused = {name: report["fileObjects"]["objectsInvalid"] for name, report in self.crds.items()}
        self.refused_anew = dict.fromkeys(self.foretold_refused, 0)
        for name, one in self._without_empty_texts():
            self.refused_anew[name] += bool(said[name, one["metadata"]["name"]])


def holds_empty_text(value):
    """Built with Go from 1.18 on, kube-apiserver 1.20 takes an empty string for null."""
    if isinstance(value, dict):
        return any(map(holds_empty_text, value.values()))
    return any(map(holds_empty_text, value)) if isinstance(value, list) else value == ""


def _errors(reports):
    return {(name, one["name"]): one["invalid"] for name, report in reports.items() for one in report["objects"]}
