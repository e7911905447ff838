"""What a rewrite did to an object, by comparing the JSON before and after; knows no pruning rule.

A path is a tuple of keys (str) and array indices (int).
"""
import json


def parse(text):
    """Reads JSON, numbers as ("number", text), so that 1 and 1.0 differ and no digit is lost."""
    return json.loads(text, parse_int=_number, parse_float=_number)


def _number(text):
    return "number", text


def path_text(path):
    """Prints a path as the API server records it: ("spec", "list", 0, "x") -> "spec.list[0].x"."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


class Diff:
    """`lost` and `nulls` are the tops of what is gone: values, and nulls. `added` the tops of what
    has come, also where a null was. `changed` is everything else that differs."""

    def __init__(self, before, after):
        self.lost, self.nulls, self.added, self.changed = [], [], [], []
        self._compare(before, after, ())

    def _compare(self, before, after, path):
        if before is None and after is not None:
            self.added.append(path)
        elif isinstance(before, dict) and isinstance(after, dict):
            self._compare_objects(before, after, path)
        elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
            for index, pair in enumerate(zip(before, after)):
                self._compare(*pair, (*path, index))
        elif before != after:
            self.changed.append(path)

    def _compare_objects(self, before, after, path):
        for key in before.keys() - after.keys():
            (self.nulls if before[key] is None else self.lost).append((*path, key))
        for key in after.keys() - before.keys():
            self.added.append((*path, key))
        for key in before.keys() & after.keys():
            self._compare(before[key], after[key], (*path, key))


def without_own_fields(stored):
    """Returns a copy of an object without what the server itself keeps in it on every write.

    metadata.managedFields and metadata.generation move with a write, metadata.resourceVersion is
    shown by reads and not stored. apiVersion is the version it is stored or shown in.
    """
    metadata = {key: value for key, value in stored["metadata"].items()
                if key not in ("managedFields", "generation", "resourceVersion")}
    rest = {key: value for key, value in stored.items() if key != "apiVersion"}
    return {**rest, "metadata": metadata}


def paths_by_text(value, path=()):
    """Returns {path_text: [paths]} of everything in `value`: two paths may print alike."""
    found = {}
    pending = [(path, value)]
    while pending:
        path, value = pending.pop()
        found.setdefault(path_text(path), []).append(path)
        if isinstance(value, dict):
            pending += [((*path, key), child) for key, child in value.items()]
        elif isinstance(value, list):
            pending += [((*path, index), child) for index, child in enumerate(value)]
    return found


def tops(paths):
    """Returns the paths that lie below no other of them."""
    paths = set(paths)
    return {path for path in paths if not any(path[:end] in paths for end in range(len(path)))}


def fold(path, schema):
    """Prints a path as tables do: array indices as [*], keys of maps (by the schema) as .*."""
    text = ""
    for step in path:
        schema = schema if isinstance(schema, dict) else {}
        if isinstance(step, int):
            text += "[*]"
            schema = schema.get("items")
        elif step in schema.get("properties", {}):
            text += name_step(step)
            schema = schema["properties"][step]
        elif schema.get("additionalProperties") is not None:
            text += ".*"
            schema = schema["additionalProperties"]
        else:
            text += name_step(step)
            schema = None
    return text.removeprefix(".")


def name_step(name):
    """Returns the step to a field, quoted as in a JSONPath where its name would read as others."""
    if name and name != "*" and not any(c <= " " or c in ".,[]()'\"\\" for c in name):
        return f".{name}"
    return "['" + name.replace("\\", "\\\\").replace("'", "\\'") + "']"
