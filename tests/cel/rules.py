"""Makes up CRDs with rules, and objects of them before and after a change, for differential.py. The same for the same
seed."""
import copy
import json
import random

from expressions import Expressions
from subjects import crd_of  # beside the cluster tests; differential.py knows where

GROUP = "cel.example.com"
RULES = "x-kubernetes-validations"
# What a field holds, by what its values are to CEL.
VALUES = {
    "int": [0, 1, -1, 2, 7, 100, 9223372036854775807, -9223372036854775808],
    "double": [0, 1, 0.5, -2.25, 1e21, 100],
    "string": ["", "a", "abc", "foo-bar", "a,b,,c", "Ünï", "10", "1.5", "true", "5m", "1.2.3", "10.0.0.1",
               "10.0.0.0/8", "https://a.example.com/p?q=1", "100Mi", "\U0001F600é", "line\nbreak"],
    "bool": [True, False],
    "google.protobuf.Duration": ["1h", "90s", "1.5ms", "0s"],
    "google.protobuf.Timestamp": ["2026-11-21T00:00:00Z", "2024-02-29T12:30:00+05:30", "1969-12-31T23:59:59.5Z"],
    "bytes": ["", "YWJj", "/wA="],
}
SCHEMAS = {
    "int": {"type": "integer"}, "double": {"type": "number"}, "string": {"type": "string"},
    "bool": {"type": "boolean"}, "google.protobuf.Duration": {"type": "string", "format": "duration"},
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "bytes": {"type": "string", "format": "byte"},
}
NAMES = {"size": "size", "x-y": "x__dash__y", "a.b": "a__dot__b", "in": "__in__", "namespace": "__namespace__",
         "kind": "kind", "list": "list", "b__c": "b__underscores__c", "name": "name", "labels": "labels",
         "nodes": "nodes", "port": "port"}


class Crds:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.expressions = Expressions(seed)

    def crd(self, number, objects):
        """(CRD, [(object, object before the change)]): rules are on the objects, on their spec and on its fields."""
        fields = self._fields()
        spec = {"type": "object", "properties": {name: schema for name, (schema, _, _) in fields.items()}}
        selves = self._variables("self", fields)
        for schema, of, _ in fields.values():
            if self._chance(0.35):
                self._add_rules(schema, self._around("self", of), 1)
        self._add_rules(spec, selves, self.random.choice([2, 4, 6]))
        root = {"type": "object", "properties": {"spec": spec}}
        if self._chance(0.4):
            self._add_rules(root, {"self.metadata.name": "string", **self._variables("self.spec", fields)}, 2)
        crd = crd_of(GROUP, f"rules{number}", root)
        return crd, [self._pair(crd, fields, i) for i in range(objects)]

    def _chance(self, probability):
        return self.random.random() < probability

    # Schemas. A field is (schema, type, function that makes a value).

    def _fields(self):
        names = self.random.sample(sorted(NAMES), 7)
        return {name: self._field(2) for name in names}

    def _field(self, depth):
        choice = self.random.random() if depth else 0
        if choice < 0.5:
            return self._scalar()
        if choice < 0.55:
            return self.random.choice([self._int_or_string, self._free, self._list_map])()
        if choice < 0.75:
            return self._list(depth)
        if choice < 0.9:
            return self._map(depth)
        return self._nested(depth)

    def _scalar(self):
        of = self.random.choice([*SCHEMAS, "string", "int", "string", "int"])
        schema = dict(SCHEMAS[of])
        if of == "string" and self._chance(0.6):
            schema["maxLength"] = self.random.choice([5, 30, 64])
        if of == "int" and self._chance(0.3):
            schema["minimum"] = self.random.choice([0, 1])
        if of == "string" and self._chance(0.1):
            schema["enum"] = self.random.sample(VALUES["string"], 4)
        if self._chance(0.1):
            schema["nullable"] = True
        return schema, of, lambda: None if "nullable" in schema and self._chance(0.3) else self.random.choice(VALUES[of])

    def _int_or_string(self):
        return {"x-kubernetes-int-or-string": True}, "dyn", lambda: self.random.choice([1, 0, "10%", "x", 80])

    def _free(self):
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        if self._chance(0.6):
            schema.update(properties={"b": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                          maxProperties=10)
        return schema, "open", lambda: self.random.choice([{}, {"a": 1}, {"b": {}}, {"a": ["x"], "b": {"c": None}}])

    def _list_map(self):
        """A list of objects that are known by their keys, few or many."""
        keys = self.random.choice([["a"], ["a", "b"], ["a", "b", "c", "d"]])
        port = {"x-kubernetes-int-or-string": True}
        schema = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "maxItems": 10,
                  "items": {"type": "object", "required": keys,
                            "properties": {"v": {"type": "integer"}, **{key: port for key in keys}}}}

        def make():
            items = [{**{key: self.random.choice([1, "1", "x"]) for key in keys}, "v": self.random.choice([1, 2])}
                     for _ in range(self.random.choice([0, 1, 2, 3]))]
            return list({json.dumps([item[key] for key in keys]): item for item in items}.values())
        return schema, "objects", make

    def _list(self, depth):
        items, of, make = self._field(depth - 1)
        schema = {"type": "array", "items": items}
        if of in ("object", "objects", "open"):
            return schema, "object", lambda: [make() for _ in range(self.random.choice([0, 1, 2]))]
        if self._chance(0.75):
            schema["maxItems"] = self.random.choice([3, 10, 100])
        if of in SCHEMAS and "nullable" not in items and self._chance(0.3):
            schema["x-kubernetes-list-type"] = "set"
        return schema, f"list({of})", lambda: [make() for _ in range(self.random.choice([0, 1, 1, 2, 3]))]

    def _map(self, depth):
        values, of, make = self._field(depth - 1)
        schema = {"type": "object", "additionalProperties": values}
        if of in ("object", "objects", "open"):
            return schema, "object", lambda: {key: make() for key in self.random.sample(["a", "b"], self.random.choice([0, 1, 2]))}
        if self._chance(0.75):
            schema["maxProperties"] = self.random.choice([2, 10, 50])
        return (schema, f"map(string, {of})",
                lambda: {key: make() for key in self.random.sample(["a", "b", "abc", "10", "é"], self.random.choice([0, 1, 1, 2]))})

    def _nested(self, depth):
        inner = {name: self._field(depth - 1) for name in self.random.sample(["a", "b", "c"], 2)}
        schema = {"type": "object", "properties": {name: schema for name, (schema, _, _) in inner.items()}}
        return schema, "object", lambda: {name: make() for name, (_, _, make) in inner.items() if self._chance(0.8)}

    # Rules.

    def _variables(self, path, fields):
        """{expression: type} of what a rule sees through `path`."""
        found = {}
        for name, (schema, of, _) in fields.items():
            found.update(self._around(f"{path}.{NAMES[name]}", of))
            found[f"has({path}.{NAMES[name]})"] = "bool"
            if "object" not in of and of != "open":
                found[f"{path}.?{NAMES[name]}"] = f"optional({of})"
            for inner in schema.get("properties", {}):
                found[f"has({path}.{NAMES[name]}.{inner})"] = "bool"
        return found

    @staticmethod
    def _around(path, of):
        if of == "objects":
            return {f"{path}.size()": "int", f"{path}.map(i, i.v)": "list(int)", f"({path} + {path}).size()": "int",
                    f"{path} == {path}": "bool", f"'%s'.format([{path}])": "string", f"dyn({path})": "dyn",
                    f"{path}.exists(i, i.a == {path}[0].a)": "bool"}
        if of == "open":
            # Of fields that the schema does not name it sees that they are there.
            one = f"dyn({path})"
            return {f"{one}.map(k, k).size()": "int", f"{one}.exists(k, k == null)": "bool", f"{one}.size()": "int",
                    f"{one}.all(k, v, k != '')": "bool", f"'%s'.format([{one}.transformList(k, v, k)])": "string",
                    f"{one}.transformMap(k, v, 1).size()": "int", f"{path} == {path}": "bool", one: "dyn",
                    f"{one}.filter(k, k != 'b').size()": "int", f"'%s'.format([{path}])": "string"}
        if of == "object":
            return {f"{path} == {path}": "bool", f"dyn({path})": "dyn", f"'%s'.format([{path}])": "string"}
        return {path: of}

    def _add_rules(self, schema, variables, most):
        schema[RULES] = [self._rule(variables) for _ in range(self.random.randint(1, most))]

    def _rule(self, variables):
        rule = {}
        if self._chance(0.25):
            olds = {name.replace("self", "oldSelf"): of for name, of in variables.items()}
            if self._chance(0.3):
                rule["optionalOldSelf"] = True
                olds = {"oldSelf.hasValue()": "bool"}
            variables = {**variables, **olds}
        self.expressions.variables = variables
        value = self._expression(self.expressions.any_type(1))
        form = self.random.random()
        if form < 0.4:
            rule["rule"] = self._expression("bool")
        elif form < 0.7:
            # Its value, or the error, is in what the server says.
            rule["rule"] = f"'%s'.format([{value}]) == '!'"
            rule["messageExpression"] = f"'%s'.format([{value}])"
        else:
            rule["rule"] = "self == self && false"
            rule["messageExpression"] = self._expression("string")
        if self._chance(0.3):
            rule["message"] = self.random.choice(["has to be so", "no", "é"])
        if self._chance(0.2):
            rule["reason"] = self.random.choice(["FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate",
                                                 "FieldValueInvalid"])
        if self._chance(0.15):
            rule["fieldPath"] = self.random.choice([".size", ".list", ".port", ".a", "['x-y']", ".labels"])
        return rule

    def _expression(self, of):
        self.expressions.mistakes = 0.05 if self._chance(0.1) else 0
        return self.expressions.of(of, self.random.choice([1, 2, 2, 3]))

    # Objects.

    def _pair(self, crd, fields, number):
        before = {name: make() for name, (_, _, make) in fields.items() if self._chance(0.85)}
        after = copy.deepcopy(before)
        for name, (_, _, make) in fields.items():
            if self._chance(0.3):
                after[name] = make()
            elif self._chance(0.1):
                after.pop(name, None)
        return tuple({"apiVersion": f"{GROUP}/v1", "kind": crd["spec"]["names"]["kind"],
                      "metadata": {"name": f"o{number}", "namespace": "default"}, "spec": spec}
                     for spec in (after, before))
