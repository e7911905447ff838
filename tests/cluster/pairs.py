"""Schemas as they are and as they are proposed, with values, from a seeded random generator: subjects of validity.py.

The server takes all of them. A value need fit neither schema, and names no field that the first does not specify:
what of such a field etcd holds no read would show.
"""
import copy
import random

LIST_TYPE = "x-kubernetes-list-type"
KEEPS = "x-kubernetes-preserve-unknown-fields"
EITHER = "x-kubernetes-int-or-string"
NAMES = ["a", "b", "c"]
TYPES = ["string", "string", "integer", "number", "boolean", EITHER, "object", "object", "object", "array", "map"]
TEXTS = ["x", "xy", "abc", "ünï", "2026-11-24", "10.0.0.1", "1h", "a@b.example", "Legacy"]
FORMATS = ["date", "date-time", "ipv4", "ipv6", "duration", "email", "uuid", "cidr", "byte", "unknown-to-all"]
COMBINED = [{"required": ["a"]}, {"required": ["b"]}]
KEYWORDS = {
    "string": lambda r: r.choice([("enum", r.sample(TEXTS, 2)), ("minLength", r.randint(0, 3)),
                                  ("maxLength", r.randint(0, 3)), ("pattern", r.choice(["^x", "c$", "^[a-z]+$"])),
                                  ("format", r.choice(FORMATS))]),
    "number": lambda r: r.choice([("minimum", r.randint(0, 3)), ("maximum", r.randint(0, 3)),
                                  ("multipleOf", r.randint(1, 3)), ("enum", r.sample(range(5), 2)),
                                  ("exclusiveMinimum", True), ("exclusiveMaximum", True)]),
    "array": lambda r: r.choice([("minItems", r.randint(0, 2)), ("maxItems", r.randint(0, 2))]),
    "map": lambda r: r.choice([("minProperties", r.randint(0, 2)), ("maxProperties", r.randint(0, 2))]),
    "object": lambda r: r.choice([("minProperties", r.randint(0, 2)), ("maxProperties", r.randint(0, 2)),
                                  ("anyOf", COMBINED), ("oneOf", COMBINED), ("not", {"required": ["a", "b"]})]),
}
KEYWORDS["integer"] = KEYWORDS["number"]


class Pairs:
    """Makes those of one seed."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def pair(self):
        """Returns (schema, proposed schema, [value])."""
        live = self._schema(2)
        proposed = copy.deepcopy(live)
        while proposed == live:
            proposed = self._changed(proposed, 2)
        return live, proposed, [self._value(live) for _ in range(3)]

    def _one_in(self, count):
        return self._random.randrange(count) == 0

    def _schema(self, depth):
        kind = self._random.choice(TYPES if depth else TYPES[:6])
        if kind == EITHER:
            return {EITHER: True}
        if kind == "array":
            schema = {"type": "array", "items": self._schema(depth - 1)}
            if schema["items"].get("type") in ("string", "integer") and self._one_in(3):
                schema[LIST_TYPE] = "set"
                schema["items"].pop("nullable", None)
        elif kind == "map":
            schema = {"type": "object", "additionalProperties": self._schema(depth - 1)}
        elif kind == "object":
            schema = {"type": "object", "properties": {name: self._schema(depth - 1) for name in NAMES}}
            if self._one_in(3):
                schema["required"] = self._random.sample(NAMES, 1)
        else:
            schema = {"type": kind}
        if self._one_in(2):
            self._constrain(schema)
        return schema

    def _constrain(self, schema):
        kind = "map" if "additionalProperties" in schema else schema.get("type")
        if kind not in KEYWORDS:
            schema["nullable"] = True
            return
        keyword, value = KEYWORDS[kind](self._random)
        if keyword.startswith("exclusive"):
            bound = keyword.removeprefix("exclusive").lower()
            schema.setdefault(bound, self._random.randint(0, 3))
        schema[keyword] = value

    def _changed(self, schema, depth):
        if self._one_in(12):
            return self._schema(depth)
        if self._one_in(3):
            self._constrain(schema)
        if self._one_in(5):
            loose = [key for key in schema if key in ("enum", "pattern", "format", "nullable", "required", LIST_TYPE,
                                                      "minLength", "maxLength", "minItems", "maxItems")]
            if loose:
                del schema[self._random.choice(loose)]
        if "properties" in schema:
            if self._one_in(4) and len(schema["properties"]) > 1:
                gone = self._random.choice(sorted(schema["properties"]))
                del schema["properties"][gone]
                schema["required"] = [name for name in schema.get("required", []) if name != gone]
            if self._one_in(4):
                schema["required"] = sorted({*schema.get("required", []), self._random.choice(
                    sorted(schema["properties"]))})
            if self._one_in(8):
                schema[KEEPS] = True
            if not schema.get("required"):
                schema.pop("required", None)
        below = schema.get("properties", {})
        for name in below:
            below[name] = self._changed(below[name], max(depth - 1, 0))
            if self._one_in(10) and below[name].get("type") == "boolean":
                below[name]["default"] = True
        for key in ("items", "additionalProperties"):
            if key in schema and LIST_TYPE not in schema:
                schema[key] = self._changed(schema[key], max(depth - 1, 0))
        return schema

    def _value(self, schema):
        if self._one_in(15):
            return self._random.choice([None, 1, "x", {}, [], True])
        if EITHER in schema:
            return self._random.choice([*range(5), *TEXTS])
        kind = schema["type"]
        if kind == "array":
            return [self._value(schema["items"]) for _ in range(self._random.randint(0, 3))]
        if kind == "object":
            below = schema.get("properties") or {name: schema["additionalProperties"] for name in ("k", "l.m")}
            return {name: self._value(child) for name, child in below.items() if not self._one_in(3)}
        return self._random.choice({"integer": range(6), "number": [0.5, 1, 2, 3.5, 1e21],
                                    "boolean": [True, False], "string": TEXTS}[kind])
