#!/usr/bin/env python3
"""Makes seeds for fuzz targets of the inputs of tests/vectors: vector_seeds.py NAME FOLDER

The folder then holds one file an input, in the form that the target NAME reads. No folder is made
for a target that the vectors have nothing for.
"""

import hashlib
import json
import pathlib
import shutil
import sys

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors"


def crd_of(schema):
    """The CRD that a bare schema stands for."""
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "foos", "kind": "Foo"},
            "versions": [version],
        },
    }


def crds(given):
    found = [given[key] for key in ("crd", "old") if given.get(key)]
    return found + [crd_of(given["schema"])] if given.get("schema") else found


def text(*values):
    """One value a line. Strings that no UTF-8 can hold, which some vectors are about, stay escaped."""
    return "\n".join(json.dumps(value, ensure_ascii=True) for value in values).encode()


def crd(given):
    return [text(one) for one in crds(given)]


def schema_and_object(given):
    return [text(given["schema"], given["object"])] if given.get("schema") and "object" in given else []


def dry_run(given):
    """Objects are of the CRD's kind where they do not say another."""
    if not isinstance(given.get("object"), dict):
        return []
    kind = {"apiVersion": "example.com/v1", "kind": "Foo"}
    return [text(one, kind | given["object"]) for one in crds(given)]


def json_text(given):
    if "text" in given:
        return [given["text"].encode(errors="surrogatepass")]
    return [text(given["object"])] if "object" in given else []


def expression(given):
    return [given["expr"].replace("\n", " ").encode(errors="surrogatepass")] if "expr" in given else []


FORMS = {
    "cel": expression,
    "crd": crd,
    "defaulting": schema_and_object,
    "dry_run": dry_run,
    "json": json_text,
    "pruning": schema_and_object,
    "suggest": schema_and_object,
}


def main():
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if name not in FORMS:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in sorted(VECTORS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            for seed in FORMS[name](json.loads(line)["input"]):
                (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


main()
