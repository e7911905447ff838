"""CRDs with rules (x-kubernetes-validations) and objects that were there before them: what check foretells of their
next write beside what a real API server says to it. For rules_check_test.py."""
import copy
import json
import re

from cluster import wait_for
from corpus import FOLDER, ROOT
from loop_closes_test import run_check
from newer_cluster import RELEASE
from subjects import V1_CRDS, crd_of, errors_of
from validity import PATCH, Comparison

GROUP = "rules.example.com"
RULES = "x-kubernetes-validations"
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
MODERN = FOLDER / "modern"
VECTORS = ROOT / "tests/vectors"
VECTOR_STEP = 60

WHOLE, TEXT, EITHER = {"type": "integer"}, {"type": "string"}, {"x-kubernetes-int-or-string": True}


def ruled(schema, *rules, **more):
    """A schema with rules: expressions with the same keys, or maps of their own."""
    return {**schema, RULES: [{**(rule if isinstance(rule, dict) else {"rule": rule}), **more} for rule in rules]}


def object_of(**properties):
    return {"type": "object", "properties": properties}


def list_of(items, most, **more):
    return {"type": "array", "maxItems": most, "items": items, **more}


AB = object_of(a=TEXT, b=TEXT)
ABOVE_5 = ruled(WHOLE, "self > 5")
BY_KEY = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
KEYED = {**object_of(k={**TEXT, "maxLength": 10}, v=WHOLE), "required": ["k"]}
EACH_WITH_EACH = "self.all(x, self.all(y, x + y >= 0))"

# Properties of spec: the schema that is proposed, and values.
ROWS = {
    "holds": (ruled(WHOLE, "self > 0"), [1, 2]),
    "fails": (ABOVE_5, [1, 2, 7]),
    "two": (ruled(WHOLE, "self > 5", "self % 2 == 0"), [1, 2, 7, 8]),
    "items": (list_of(ruled({**TEXT, "maxLength": 20}, {"rule": "self.startsWith('a')", "message": 'no "a"'}), 10),
              [["a", "b", "c"], ["a"]]),
    "values": ({"type": "object", "maxProperties": 10, "additionalProperties": ABOVE_5},
               [{"x": 1, "a.b": 2}, {"x": 6}]),
    "grows": (ruled(WHOLE, "self > oldSelf"), [1, 2]),
    "stays": (ruled(WHOLE, "self == oldSelf"), [1]),
    "once": (ruled(WHOLE, "oldSelf.hasValue() ? self == oldSelf.value() : self > 5", optionalOldSelf=True), [1, 6]),
    "again": (ruled(WHOLE, "!oldSelf.hasValue() || self > oldSelf.value()", optionalOldSelf=True), [1]),
    "told": (ruled({**TEXT, "maxLength": 30}, "self.size() > 5", messageExpression="'%s is short'.format([self])"),
             ["ab", "\u00fc\"\\", "abcdef"]),
    "untold": (ruled({**TEXT, "maxLength": 30}, "self.size() > 5", message="too short",
                     messageExpression="self == 'ab' ? '' : string(int(self))"), ["ab", "x", "1"]),
    "reasons": (ruled(AB, *({"rule": "self.a != self.b", "reason": f"FieldValue{reason}", "fieldPath": path}
                            for reason, path in (("Invalid", ".a"), ("Required", ".b"), ("Duplicate", ".b"),
                                                 ("Forbidden", "['a']")))),
                [{"a": "x", "b": "x"}, {"a": "x", "b": "y"}, {"a": "x"}]),
    "breaks": (ruled(object_of(a={**TEXT, "default": "legacy"}), "self.a != 'legacy'"), [{}, {"a": "new"}]),
    "fixes": (ruled(object_of(a={**TEXT, "default": "new"}), "has(self.a)"), [{}, {"a": "old"}]),
    "beside": (ruled({**object_of(mode={**TEXT, "enum": ["New"]}), "required": ["size"]}, "self.mode == 'New'"),
               [{"mode": "Legacy"}, {"mode": "New"}, {"mode": "Legacy", "size": 1}]),
    "either": (ruled(EITHER, "type(self) == int ? self < 100 : self.endsWith('%')"), [80, 800, "80%", "80"]),
    "absent": (ruled(AB, "self.a == 'x'"), [{}, {"a": "x"}, {"b": "x"}]),
    "unlike": (ruled(OPEN, "dyn(self) == 1"), [{"a": 1}]),
    "keyed": (list_of(ruled(KEYED, "self.v > oldSelf.v"), 10, **BY_KEY), [[{"k": "a", "v": 1}, {"k": "b", "v": 2}]]),
    "same": (list_of(ruled(KEYED, "self.v > 1"), 10, **BY_KEY), [[{"k": "a", "v": 1}, {"k": "b", "v": 2}]]),
    "set": (ruled(list_of({**TEXT, "maxLength": 5}, 5, **{"x-kubernetes-list-type": "set"}), "self == ['b', 'a']"),
            [["a", "b"], ["a"]]),
    "inside": (ruled({**OPEN, "x-kubernetes-embedded-resource": True}, "self.metadata.name == 'x' && self.kind == 'A'"),
               [{"apiVersion": "v1", "kind": "A", "metadata": {"name": "x"}},
                {"apiVersion": "v1", "kind": "B", "metadata": {"name": "x"}, "more": 1}]),
    "a-b": (ruled(object_of(**{"c.d": WHOLE}), "self.c__dot__d > 1"), [{"c.d": 1}, {"c.d": 2}]),
    "null": (ruled({**WHOLE, "nullable": True}, "self > 1"), [None, 1]),
    "time": (ruled({**TEXT, "format": "duration"}, "self > duration('1h')"), ["30m", "90m", "soon"]),
    "nested": (ruled(AB, "self.?a.orValue('') != 'x'"), [{"a": "x"}, {"unknown": "x", "a": "x"}]),
    "costly": (ruled(list_of(WHOLE, 1000), EACH_WITH_EACH), [[0] * 20, [0] * 800]),
    "budget": (list_of(ruled(list_of(WHOLE, 300), EACH_WITH_EACH, EACH_WITH_EACH), 15), [[[0] * 300] * 15, [[0]]]),
}
ROOTED = ruled({**object_of(data=WHOLE, spec=ruled(AB, "self.a == 'x'")), "required": ["data"]},
               {"rule": "!self.metadata.name.startsWith('bad')", "messageExpression": "self.metadata.name + ' is bad'"},
               "self.data > oldSelf.data || self.data > 5")
ROOTED_FIELDS = {"good": {"data": 7, "spec": {"a": "x"}}, "bad": {"data": 7}, "small": {"data": 1},
                 "bad-spec": {"data": 7, "spec": {"a": "y"}}, "spec": {"data": 7, "spec": {"a": "y"}},
                 "lacks": {"spec": {"a": "y"}},
                 "other": {"data": "seven", "spec": {"a": "y"}}}
# Rules that are there, and those that are proposed.
CHANGES = {
    "comes": (WHOLE, ABOVE_5, [1, 7]),
    "goes": (ABOVE_5, WHOLE, [1, 7]),
    "moves": (ABOVE_5, ruled(WHOLE, "self > 2"), [1, 3, 7]),
    "turns": (ABOVE_5, ruled(WHOLE, "self < 5"), [1, 5, 7]),
    "reworded": (ABOVE_5, ruled(WHOLE, "self > 5", message="too small"), [1, 7]),
    "later": (WHOLE, ruled(WHOLE, "self >= oldSelf"), [1, 7]),
}
# Schemas of spec with rules that no server takes.
BROKEN = [
    ruled(AB, "self.c == 'x'", "self.a.b == 'x'"), ruled(WHOLE, "self >"), ruled(WHOLE, "self + 1"),
    ruled(WHOLE, "self == 'x'"), ruled(TEXT, "self.shout() == 'X'"), ruled(TEXT, "self.matches('(')"), ruled(TEXT, " "),
    ruled({"type": "array", "items": TEXT}, "self.all(x, self.all(y, x.contains(y)))"),
    {"type": "array", "items": {"type": "array", "items": ruled(AB, "self.a.contains('b')")}},
    {"type": "array", "maxItems": 15, "items": ruled(list_of(WHOLE, 300), *[EACH_WITH_EACH] * 12)},
    ruled(WHOLE, "self > 5", message="a\nb"), ruled(WHOLE, "self > 5", message=" "),
    ruled(WHOLE, "self > 5", messageExpression="self + 1"), ruled(WHOLE, "self > 5", messageExpression="'a'.b"),
    ruled({"type": "array", "items": TEXT}, "self.size() > 5", messageExpression="self.join(self.join(''))"),
    ruled(WHOLE, "self > 5", reason="Bad"), ruled(AB, "self.a == 'x'", fieldPath=".c"),
    ruled(AB, "self.a == 'x'", fieldPath="a["), ruled(WHOLE, "self > 5", optionalOldSelf=True),
    ruled(WHOLE, "self > oldSelf", optionalOldSelf=True), list_of(ruled(WHOLE, "self == oldSelf"), 10),
    ruled({**WHOLE, "default": 1}, "self > 5"), {**WHOLE, "allOf": [ABOVE_5]},
    ruled({"type": "object", "additionalProperties": {**WHOLE, "maximum": 1}}, "self.all(k, self[k] > 'x')"),
]


class Subject:
    """A CRD, its objects, made while it takes anything, what it is then, and what is proposed.

    `live` is the schema that it has when it is checked; None: it still takes anything.
    """

    def __init__(self, proposal, objects, live=None):
        self.proposal = copy.deepcopy(proposal)
        spec = self.proposal["spec"]
        self.name = self.proposal["metadata"]["name"]
        self.version = next(one["name"] for one in spec["versions"] if one["storage"])
        self.is_namespaced = spec["scope"] == "Namespaced"
        middle = "namespaces/default/" if self.is_namespaced else ""
        self.path = f"/apis/{spec['group']}/{self.version}/{middle}{spec['names']['plural']}"
        self.objects = [{**copy.deepcopy(body), "apiVersion": f"{spec['group']}/{self.version}",
                         "kind": spec["names"]["kind"], "metadata": {"name": name}} for name, body in objects.items()]
        self.open = self._with_schema(OPEN)
        self.live = self._with_schema(_noticed(live, "integer")) if live else None
        for version in spec["versions"]:
            version["schema"]["openAPIV3Schema"] = _noticed(version["schema"]["openAPIV3Schema"], "boolean")

    def _with_schema(self, schema):
        crd = copy.deepcopy(self.proposal)
        for version in crd["spec"]["versions"]:
            version["schema"]["openAPIV3Schema"] = copy.deepcopy(schema)
            version.pop("subresources", None)  # status is written with the rest
        return crd

    def create(self, api):
        api.post(V1_CRDS, self.open)
        wait_for(f"{self.name} is not served", lambda: self._probe(api, True)[0] == 201)
        for one in self.objects:
            api.post(self.path, one)
        if self.live:
            self._replace(api, self.live, "x")

    def propose(self, api):
        self._replace(api, self.proposal, 1)

    def change(self, api, schema, **version):
        """Another schema than the proposed one, and what else the versions get."""
        crd = copy.deepcopy(self.proposal)
        for one in crd["spec"]["versions"]:
            one |= {"schema": {"openAPIV3Schema": _noticed(schema, "string")}, **version}
        self._replace(api, crd, True)

    def _replace(self, api, manifest, value):
        live = api.get(f"{V1_CRDS}/{self.name}")
        api.put(f"{V1_CRDS}/{self.name}", {**live, "spec": manifest["spec"]})
        wait_for(f"{self.name}: the schema is not noticed", lambda: self._refuses(api, value))

    def _refuses(self, api, value):
        status, answer = self._probe(api, value)
        return status == 422 and any(error.startswith("noticed") for error in errors_of(status, answer, self.name))

    def _probe(self, api, value):
        spec = self.proposal["spec"]
        probe = {"apiVersion": f"{spec['group']}/{self.version}", "kind": spec["names"]["kind"],
                 "metadata": {"name": "probe"}, "noticed": value}
        return api.request("POST", f"{self.path}?dryRun=All", probe)


def _noticed(schema, of):
    """By a property of another type the server tells that it has noticed a schema."""
    return {**copy.deepcopy(schema), "properties": {**schema.get("properties", {}), "noticed": {"type": of}}}


def _by_rows(rows):
    return {f"{row.lower()}-{i}": {"spec": {row: value}} for row, values in rows.items()
            for i, value in enumerate(values)}


def made_up():
    spec = object_of(**{row: schema for row, (schema, _) in ROWS.items()})
    return [Subject(crd_of(GROUP, "rows", object_of(spec=spec)), _by_rows({row: one[1] for row, one in ROWS.items()})),
            Subject(crd_of(GROUP, "roots", ROOTED), ROOTED_FIELDS)]


def changes():
    live, proposed = ({row: one[i] for row, one in CHANGES.items()} for i in (0, 1))
    return Subject(crd_of(GROUP, "changes", object_of(spec=object_of(**proposed))),
                   _by_rows({row: one[2] for row, one in CHANGES.items()}), object_of(spec=object_of(**live)))


def broken():
    """CRDs that no server takes: those above, and some that vectors have."""
    crds = [crd_of(GROUP, f"brokens{i}", object_of(spec=schema)) for i, schema in enumerate(BROKEN)]
    lines = [json.loads(line) for line in (VECTORS / "cel_rules.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in [line for line in lines if line["expected"]["errors"]][::VECTOR_STEP]:
        crd, number = copy.deepcopy(line["input"]["crd"]), len(crds)
        crd["spec"]["names"] = {key: name + (f"{number}" if key != "kind" else f"K{number}")
                                for key, name in crd["spec"]["names"].items() if isinstance(name, str)}
        crd["metadata"] = {"name": f"{crd['spec']['names']['plural']}.{crd['spec']['group']}"}
        crds.append(crd)
    return crds


# Pruned by the first, to be put back by the second.
CLOSED = object_of(spec=object_of(a=WHOLE), status=object_of(x=WHOLE))
MENDED = object_of(
    spec=ruled(object_of(a=WHOLE, old=ruled(WHOLE, "self < 5"), texts=list_of(TEXT, 1)),
               "!has(self.old) || self.old != self.a"),
    status=object_of(x=WHOLE, y=ruled(WHOLE, "self < 5")))
TO_BE_PUT_BACK = {
    "fine": {"spec": {"a": 1, "old": 2, "texts": ["a"]}, "status": {"x": 1, "y": 1}},
    "high": {"spec": {"a": 1, "old": 9}},
    "both": {"spec": {"a": 9, "old": 9}},
    "same": {"spec": {"a": 2, "old": 2}, "status": {"y": 1}},
    "behind": {"spec": {"a": 1, "old": 2}, "status": {"y": 9}},
    "alone": {"spec": {"a": 1}, "status": {"y": 9}},
    "long": {"spec": {"a": 1, "texts": ["a", "b", "c"]}},
    "nothing": {"spec": {"a": 1}},
    "new": {"spec": {"a": 1, "old": 2}, "status": {"y": 1}},
    "refused": {"spec": {"a": 1, "old": 9}},
    "half": {"spec": {"a": 1, "old": 2}, "status": {"y": 9}},
}
# These are deleted meanwhile.
GONE = ("new", "refused", "half")

LIMITS = ("maxItems", "maxLength", "maxProperties")


def costly():
    """CRDs with rules that cost too much."""
    names = {"type": "array", "items": {"type": "string"}}
    labels = {"type": "object", "additionalProperties": {**TEXT, RULES: [{"rule": "self.matches('^[a-z]+$')"}]}}
    specs = {"pairs": ruled(object_of(names=names), "self.names.all(x, self.names.all(y, x == y))"),
             "deep": object_of(ports={"type": "array", "items": object_of(labels=labels)}),
             "wide": ruled(object_of(names={**names, "maxItems": 100000}), "self.names.exists_one(x, x == 'a')"),
             "many": ruled(object_of(names=names), *(f"self.names.all(x, x != '{i}')" for i in range(120)))}
    return [crd_of(GROUP, f"costs{name}", object_of(spec=spec)) for name, spec in specs.items()]


def of_corpus_without_limits(api, every):
    """Yields every so many-th CRD of the corpus with rules, as if nothing were limited."""
    def drop(schema):
        if isinstance(schema, dict):
            for name in LIMITS:
                if isinstance(schema.get(name), int):
                    del schema[name]
        for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
            drop(part)

    for subject in of_corpus(api, every, 0):
        crd = copy.deepcopy(subject.proposal)
        for version in crd["spec"]["versions"]:
            drop(version["schema"])
        yield crd


def with_limits(crd, limits, more=0):
    """With costLimits of a report, each larger by `more`."""
    crd = copy.deepcopy(crd)
    for limit in limits:
        schema = next(one for one in crd["spec"]["versions"] if one["name"] == limit["version"])["schema"]["openAPIV3Schema"]
        for step in re.findall(r"\[\*\]|\*|[^.\[\]*]+", limit["path"]):
            schema = {"[*]": lambda at: at["items"], "*": lambda at: at["additionalProperties"]}.get(
                step, lambda at, name=step: at["properties"][name])(schema)
        schema[limit["keyword"]] = limit["most"] + more
    return crd


def of_corpus(api, every, most):
    """Yields every so many-th CRD of the corpus with rules, with so many of the objects that vectors have for it."""
    objects = {}
    for line in (VECTORS / "cel_objects.jsonl").read_text(encoding="utf-8").splitlines():
        given = json.loads(line)["input"]
        of_version = objects.setdefault(given["crd"], {}).setdefault(given["version"], [])
        of_version += [one for one in (given["object"], given.get("old")) if one and one not in of_version]
    for file in sorted(objects)[::every]:
        status, crd = api.request("POST", f"{V1_CRDS}?dryRun=All", (MODERN / file).read_bytes(), "application/yaml")
        if status != 201:
            raise AssertionError(f"{file}: {status} {crd}")
        crd["spec"].pop("conversion", None)  # no webhook of theirs runs here
        annotations = crd["metadata"].get("annotations", {})
        proposal = {"apiVersion": crd["apiVersion"], "kind": crd["kind"], "spec": crd["spec"],
                    "metadata": {"name": crd["metadata"]["name"], "annotations": annotations}}
        storage = next(one["name"] for one in crd["spec"]["versions"] if one["storage"])
        bodies = objects[file].get(storage, [])[:most]
        yield Subject(proposal, {f"o{i}": body for i, body in enumerate(bodies)})


class RuleComparison(Comparison):
    """All are {(CRD, object): [text]}. `said` and `foretold` are of writes that change nothing, `foretold_of_files` of the
    same objects in files. `labelled` is what the server says to writes that bring a label, and `warned` of what it warns
    then. `said_before` and `said_anew` are of new objects with the same content, by the CRDs as they were and as
    proposed; of these the reports' fileObjects tell.
    """

    def _beside(self):
        return ["-f", self._write_list("beside.json", [one for subject in self.subjects for one in subject.objects])]

    def _look_before(self):
        self._exported = [one for subject in self.subjects for one in self._api.get(subject.path)["items"]]
        self.said_before = self._ask(said_to_a_create)

    def _look_behind(self):
        self.said = self._ask(said_to_no_change)
        objects = self._write_list("objects.json", self._exported)
        reports = run_check(self._cluster, self._binary, "--local", f"--server-version={RELEASE}",
                            "-f", self._proposals(), "-f", objects)
        self.foretold_of_files = {(name, one["name"]): one["invalid"] for name, report in reports.items()
                                  for one in report["objects"]}
        self.labelled, self.warned, self.said_anew = {}, {}, {}
        for subject in self.subjects:
            for one in subject.objects:
                name = subject.name, one["metadata"]["name"]
                self.labelled[name] = said_to_a_label(self._api, subject, one)
                self.warned[name] = sorted(set(self._api.warnings))
                self._api.delete(f"{subject.path}/{one['metadata']['name']}")
                self.said_anew[name] = said_to_a_create(self._api, subject, one)

    def warned_at(self, crd):
        """{folded path: {object}} of what the server warns of."""
        found = {}
        for (name, one), texts in self.warned.items():
            for text in texts if name == crd else []:
                found.setdefault(folded(text.split(": ")[0]), set()).add(one)
        return found


def folded(path):
    """The same of the paths of reports and of the server's."""
    return re.sub(r"\[[^\]]*\]|\.\*", "[]", "" if path == "<nil>" else path)


def without_values(text):
    """What the warnings of a rule have in common: `spec.a[]: failed rule: self > 5`."""
    path, _, rest = text.partition(": Invalid value: ")
    return f"{folded(path)}: {rest.partition(': ')[2]}" if rest else text


def said_to_no_change(api, subject, one):
    path = f"{subject.path}/{one['metadata']['name']}"
    return sorted(errors_of(*api.request_until_answered("PATCH", f"{path}?dryRun=All", {}, PATCH), path))


def said_to_a_label(api, subject, one):
    """Of a write that is no dry run."""
    path = f"{subject.path}/{one['metadata']['name']}"
    found = api.get(path)
    found["metadata"]["labels"] = {"labelled": "yes"}
    return sorted(errors_of(*api.request_until_answered("PUT", path, found), path))


def said_to_a_create(api, subject, one):
    """Under another name where the object is there."""
    for name in (one["metadata"]["name"], "anew"):
        status, answer = api.request_until_answered("POST", f"{subject.path}?dryRun=All",
                                                    {**one, "metadata": {"name": name}})
        if status != 409:
            break
    return sorted(errors_of(status, answer, f"{subject.name} {one['metadata']['name']}"))
