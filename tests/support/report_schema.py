"""Holds reports to docs/schema: report_schema.errors(report) says what is not as described there.

Knows the keywords of JSON Schema (draft 2020-12) that these files use, and refuses a file that uses
another one: nothing is to be taken for checked that is not. It is stricter than they are: a reader has to
bear a new key, so the files allow any, but to us a key that is not described is an error.
"""
import json
import pathlib
import re

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs/schema"
ANNOTATIONS = {"$schema", "$defs", "title", "description"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
         "number": (int, float)}


def is_type(value, name):
    if isinstance(value, bool):  # which is an int to Python
        return name == "boolean"
    return isinstance(value, TYPES[name])


class Schema:
    def __init__(self, root):
        self._root = root

    def errors(self, value, schema=None, path="$"):
        """Yields what is wrong with the value, each with its path."""
        schema = self._root if schema is None else schema
        for keyword, wanted in schema.items():
            if keyword in ANNOTATIONS:
                continue
            yield from getattr(self, "_" + keyword.removeprefix("$"))(value, wanted, schema, path)

    def _ref(self, value, reference, _, path):
        definition = self._root["$defs"][reference.removeprefix("#/$defs/")]
        yield from self.errors(value, definition, path)

    @staticmethod
    def _type(value, name, _, path):
        if not is_type(value, name):
            yield f"{path}: {value!r} is no {name}"

    @staticmethod
    def _const(value, wanted, _, path):
        if value != wanted or isinstance(value, bool) != isinstance(wanted, bool):
            yield f"{path}: {value!r} is not {wanted!r}"

    @staticmethod
    def _enum(value, wanted, _, path):
        if value not in wanted:
            yield f"{path}: {value!r} is none of {wanted}"

    @staticmethod
    def _minimum(value, least, _, path):
        if type(value) in (int, float) and value < least:
            yield f"{path}: {value} is below {least}"

    @staticmethod
    def _maximum(value, most, _, path):
        if type(value) in (int, float) and value > most:
            yield f"{path}: {value} is above {most}"

    @staticmethod
    def _pattern(value, pattern, _, path):
        if isinstance(value, str) and not re.search(pattern, value):
            yield f"{path}: {value!r} does not match {pattern}"

    @staticmethod
    def _minLength(value, least, _, path):
        if isinstance(value, str) and len(value) < least:
            yield f"{path}: {value!r} is too short"

    @staticmethod
    def _minItems(value, least, _, path):
        if isinstance(value, list) and len(value) < least:
            yield f"{path}: less than {least} items"

    @staticmethod
    def _required(value, names, _, path):
        for name in names if isinstance(value, dict) else ():
            if name not in value:
                yield f"{path}: no {name}"

    @staticmethod
    def _dependentRequired(value, dependents, _, path):
        for name, names in dependents.items() if isinstance(value, dict) else ():
            for other in names if name in value else ():
                if other not in value:
                    yield f"{path}: {name} without {other}"

    def _properties(self, value, properties, schema, path):
        for name in value if isinstance(value, dict) else ():
            if name in properties:
                yield from self.errors(value[name], properties[name], f"{path}.{name}")
            elif "additionalProperties" not in schema:
                yield f"{path}: {name} is not described in docs/schema"

    def _additionalProperties(self, value, wanted, schema, path):
        for name in value if isinstance(value, dict) else ():
            if name not in schema.get("properties", {}):
                yield from self.errors(value[name], wanted, f"{path}.{name}")

    def _items(self, value, wanted, _, path):
        for number, item in enumerate(value if isinstance(value, list) else ()):
            yield from self.errors(item, wanted, f"{path}[{number}]")


def load(kind):
    """Returns the schema of a report of this kind, as json reads it."""
    return json.loads((SCHEMAS / f"{kind.lower()}.schema.json").read_text(encoding="utf-8"))


KINDS = {kind: Schema(load(kind)) for kind in ("CheckReport", "FleetCheckReport", "MigrationReport", "FleetMigrationReport",
                                             "RestoreReport", "GuardReport", "RuleExplanation")}


def errors(report):
    """Returns what is not as the schema of its kind says, the first few of it."""
    kind = report.get("kind") if isinstance(report, dict) else None
    if kind not in KINDS:
        return [f"a report of kind {kind!r}"]
    found = list(KINDS[kind].errors(report))
    # Those of single clusters are reports of their own.
    if kind in ("FleetCheckReport", "FleetMigrationReport") and not found:
        found = [f"{cluster['name']}: {error}" for cluster in report["clusters"] if "report" in cluster
                 for error in errors(cluster["report"])]
    return found[:10]


def require_valid(report):
    """Raises AssertionError for a report that is not as described."""
    wrong = errors(report)
    if wrong:
        raise AssertionError("the report is not as docs/schema says: " + "; ".join(wrong))
