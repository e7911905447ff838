"""CRDs and custom resources from a seeded random generator, for loop_closes_test.py.

Every schema is structural, and every object is valid once it is pruned, so that the API server
accepts all of it and can rewrite each object.
"""
import copy
import random

from subjects import Subject

P = "x-kubernetes-preserve-unknown-fields"
E = "x-kubernetes-embedded-resource"
I = "x-kubernetes-int-or-string"

SPECIFIED = ["name", "size", "template", "list", "a.b", "c[0]", "ключ", "with space", "properties",
             "metadata", "kind", "$ref", "0"]
UNSPECIFIED = ["unknown", "legacyMode", "x.y", "deep[1]", "неизвестно", "items", "-", "1", "a/b",
               "quote\"d", "back\\slash", "emoji😀"]
# Not "": 1.20 built with Go 1.19 takes it for a null here and there, and refuses it.
STRINGS = ["text", "<&>", "\u2028", "line\nbreak", "ünï", "1", "null"]
INTEGERS = [0, 1, -1, 9007199254740993, -9223372036854775808, 9223372036854775807]
NUMBERS = [*INTEGERS, 0.5, -2.25, 1e21, 1.5e300, 1e-7]


class Generator:
    """Makes the CRDs and objects of one seed. With `nulls`, also nulls where validation forbids
    them; such objects can be created only while the CRD has no schema."""

    def __init__(self, seed, nulls, defaults):
        self._random = random.Random(seed)
        self._nulls = nulls
        self._defaults = defaults

    def _chance(self, probability):
        return self._random.random() < probability

    # Schemas.

    def root_schema(self):
        properties = {"spec": self._object(3)}
        if self._chance(0.5):
            properties["status"] = self._object(2)
        if self._chance(0.3):
            properties["data"] = self._schema(2)
        return {"type": "object", "properties": properties}

    def _schema(self, depth):
        if depth == 0 or self._chance(0.3):
            schema = self._scalar()
        else:
            schema = self._random.choice([self._object, self._array, self._map, self._free,
                                          self._embedded])(depth - 1)
        if self._chance(0.15) and E not in schema:
            schema["nullable"] = True
            schema.pop("anyOf", None)  # its parts do not allow null
        return schema

    def _scalar(self):
        if self._chance(0.2):
            return {I: True, "anyOf": [{"type": "integer"}, {"type": "string"}]}
        return {"type": self._random.choice(["string", "integer", "number", "boolean"])}

    def _properties(self, depth, count):
        names = self._random.sample(SPECIFIED, self._random.randint(1, count))
        properties = {name: self._schema(depth) for name in names}
        for schema in properties.values():
            if self._defaults and E not in str(schema) and self._chance(0.4):
                schema["default"] = self._plain(schema)
        return properties

    def _object(self, depth):
        schema = {"type": "object", "properties": self._properties(depth, 5)}
        if self._chance(0.15):
            schema[P] = True
        return schema

    def _array(self, depth):
        items = self._schema(depth)
        if self._defaults and not items.get("nullable") and E not in str(items) and self._chance(0.3):
            items["default"] = self._plain(items)
        schema = {"type": "array", "items": items}
        if self._chance(0.15):
            schema[P] = True
        return schema

    def _map(self, depth):
        values = True if self._chance(0.2) else {} if self._chance(0.1) else self._schema(depth)
        if values == {}:
            values = {"type": "object"}  # {} alone is not structural
        schema = {"type": "object", "additionalProperties": values}
        if self._chance(0.2):
            schema[P] = True
        return schema

    def _free(self, depth):
        schema = {P: True}
        if self._chance(0.7):
            schema["type"] = "object"
            if self._chance(0.5):
                schema["properties"] = self._properties(depth, 2)
        return schema

    def _embedded(self, depth):
        schema = {"type": "object", E: True}
        names = [n for n in SPECIFIED if n not in ("metadata", "kind")]
        schema["properties"] = {name: self._schema(depth) for name in self._random.sample(names, 2)}
        if self._chance(0.5):
            schema[P] = True
            if self._chance(0.5):
                del schema["properties"]
        return schema

    def older_schema(self, schema):
        """Returns another version's schema: some fields unknown, some others known. Types of what
        both know are the same, so that an object is valid in either."""
        older = copy.deepcopy(schema)
        for child in older["properties"].values():  # the root keeps pruning: see the sentinel
            self._age(child)
        older["properties"]["onlyInOlder"] = {"type": "object", P: True}
        return older

    def _age(self, schema):
        if not isinstance(schema, dict):
            return
        # What an embedded resource needs (apiVersion, kind) both must know.
        properties = schema.get("properties", {})
        for name in list(properties):
            if len(properties) > 1 and self._chance(0.25):
                del properties[name]
        if properties and E not in schema and self._chance(0.1):
            schema[P] = True
        for child in [*properties.values(), schema.get("items"), schema.get("additionalProperties")]:
            self._age(child)

    # Values.

    def _plain(self, schema):
        """Returns a value without anything that pruning would change, for use as a default."""
        if schema.get(I):
            return self._random.choice([7, "7"])
        kind = schema.get("type")
        if kind == "array":
            return [self._plain(schema["items"])]
        if kind == "object":
            names = schema.get("properties", {})
            return {name: self._plain(child) for name, child in names.items() if self._chance(0.5)}
        return self._scalar_value(kind) if kind else "free"

    def _scalar_value(self, kind):
        return self._random.choice({"string": STRINGS, "integer": INTEGERS, "number": NUMBERS,
                                    "boolean": [True, False]}[kind])

    def value(self, schema):
        if schema is True:
            return self._free_value(2)
        if schema.get("nullable") and self._chance(0.3):
            return None
        if schema.get(I):
            return self._random.choice([*INTEGERS[:3], *STRINGS])
        kind = schema.get("type")
        if kind is None:
            return self._free_value(3)
        if kind == "array":
            return [self._element(schema["items"]) for _ in range(self._random.randint(0, 3))]
        if kind != "object":
            return self._scalar_value(kind)
        return self._object_value(schema)

    def _element(self, items):
        if self._nulls and "default" in items and self._chance(0.3):
            return None
        return self.value(items)

    def _object_value(self, schema):
        made = {}
        for name, child in schema.get("properties", {}).items():
            if self._chance(0.75):
                made[name] = None if self._nulls and self._chance(0.15) else self.value(child)
        values = schema.get("additionalProperties")
        if values is not None:
            for key in self._random.sample(UNSPECIFIED, self._random.randint(0, 3)):
                null = self._nulls and values is not True and self._chance(0.15)
                made[key] = None if null else self.value(values)
        elif self._chance(0.4):
            for key in self._random.sample(UNSPECIFIED, self._random.randint(1, 2)):
                made[key] = self._free_value(3)
        if schema.get(E):
            made.update(apiVersion="v1", kind="Thing", metadata={"name": "inner", "labels": {"a": "b"}})
        return made

    def _free_value(self, depth):
        kinds = ["scalar", "null"] if depth == 0 else ["scalar", "scalar", "null", "list", "object"]
        kind = self._random.choice(kinds)
        if kind == "null":
            return None
        if kind == "scalar":
            return self._random.choice(["", *STRINGS, *NUMBERS, True, False])
        if kind == "list":
            return [self._free_value(depth - 1) for _ in range(self._random.randint(0, 3))]
        keys = self._random.sample(SPECIFIED + UNSPECIFIED, self._random.randint(0, 3))
        return {key: self._free_value(depth - 1) for key in keys}

    def object_value(self, schemas):
        """Returns the fields of an object beside apiVersion, kind and metadata, valid in `schemas[0]`
        and with some of what only the others specify."""
        made = {}
        for schema in reversed(schemas):
            made.update(self.value(schema))
        for name in self._random.sample(UNSPECIFIED, self._random.randint(0, 2)):
            made[name] = self._free_value(2)
        # The server takes an object with a field of this name for a list, and answers 500.
        made.pop("items", None)
        return made


def generated_subjects(seed, count):
    """Returns `count` Subjects. In turn: a schema from the start; a schema that comes after the
    objects; a proposed CRD with defaults; a proposed one without; each with one or two versions."""
    return [_subject(seed * 1000 + index, index) for index in range(count)]


def _subject(seed, index):
    manner = index % 4
    proposed = manner in (2, 3)
    generator = Generator(seed, nulls=manner != 0, defaults=manner == 2)
    newest = generator.root_schema()
    schemas = {"v1": newest}
    # Defaults of two versions mix when an object stored in one is rewritten in the other; check
    # foretells them by one version's schema. So CRDs with defaults are stored in one version.
    two_stored = index % 8 >= 4 and manner != 2
    if index % 3 != 0 or two_stored:
        schemas["v1beta1"] = generator.older_schema(newest)
    names = list(schemas)
    first_storage = "v1beta1" if two_stored or (len(names) == 2 and index % 5 == 0) else "v1"
    last_storage = "v1" if two_stored else first_storage
    subject = Subject(f"g{index}.generated.example.com", f"thing{index}s", f"Thing{index}",
                      namespaced=index % 5 != 0, schemas=schemas, proposed=proposed,
                      schema_first=manner == 0, first_storage=first_storage,
                      storage=last_storage, status_subresource=index % 3 == 1)
    by_storage = [schemas[last_storage], *(s for v, s in schemas.items() if v != last_storage)]
    for number in range(9):
        body = generator.object_value(by_storage[:1] if manner == 0 else by_storage)
        if number == 0:
            body["sentinel"] = True
        subject.add_object(f"o{number}", body, old=two_stored and number % 2 == 0,
                           namespace=("default", "shop")[number % 2])
    return subject
