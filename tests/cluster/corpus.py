"""Real CRDs and their objects ($KUBECTL_PRUNE_CORPUS) as Subjects for loop_closes_test.py.

The API server itself reads the YAML (dryRun=All), so nothing here depends on a YAML reader.
"""
import json
import os
import pathlib
import re

from subjects import V1_CRDS, V1BETA1_CRDS, StoredObject, Subject

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = pathlib.Path(os.environ.get("KUBECTL_PRUNE_CORPUS", ROOT / "../shared/corpus"))


def _rows(name):
    with open(FOLDER / name, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def corpus_subjects(api):
    """Returns the Subjects of all CRDs that have objects and that this server takes."""
    objects = {}
    for row in _rows("expected-objects.jsonl"):
        objects.setdefault(row["crd"], []).append(FOLDER / row["object"])
    subjects = []
    for crd, paths in sorted(objects.items()):
        subject = _read_crd(api, FOLDER / crd)
        if subject:
            subject.objects = [_read_object(subject, path, first=path is paths[0]) for path in paths]
            subjects.append(subject)
    return subjects


def _read_crd(api, path):
    """Returns a Subject without objects; None where the server refuses the CRD."""
    text = path.read_bytes()
    is_v1 = re.search(rb'apiextensions\.k8s\.io/v1"?\s*$', text, re.MULTILINE) is not None
    is_v1 = is_v1 or b'"apiextensions.k8s.io/v1",' in text
    status, crd = api.request("POST", (V1_CRDS if is_v1 else V1BETA1_CRDS) + "?dryRun=All", text,
                              "application/yaml")
    if status >= 400:
        return None
    crd = {key: value for key, value in crd.items() if key != "status"}
    crd["metadata"] = {"name": crd["metadata"]["name"],
                       "annotations": crd["metadata"].get("annotations", {})}
    crd["spec"]["conversion"] = {"strategy": "None"}  # no webhook of theirs runs here
    return _from_v1(crd) if is_v1 else _from_v1beta1(crd)


def _subject(spec, schemas, proposed):
    storage = next(v["name"] for v in spec["versions"] if v["storage"])
    subject = Subject(spec["group"], spec["names"]["plural"], spec["names"]["kind"],
                      namespaced=spec["scope"] == "Namespaced", schemas=schemas, storage=storage,
                      proposed=proposed)
    subject.names = spec["names"]
    subject.served = [v["name"] for v in spec["versions"] if v["served"]]
    return subject


def _from_v1beta1(crd):
    spec = crd["spec"]
    top = spec.get("validation", {}).get("openAPIV3Schema")
    schemas = {v["name"]: v.get("schema", {}).get("openAPIV3Schema", top) for v in spec["versions"]}
    if not all(schemas.values()):
        return None  # pruning cannot be turned on
    subject = _subject(spec, schemas, proposed=False)
    spec["preserveUnknownFields"] = True
    subject.own_live_body = crd
    return subject


def _from_v1(crd):
    spec = crd["spec"]
    schemas = {v["name"]: v["schema"]["openAPIV3Schema"] for v in spec["versions"]}
    subject = _subject(spec, schemas, proposed=True)
    spec["preserveUnknownFields"] = False
    subject.own_proposal = crd
    versions = [{key: v[key] for key in ("name", "served", "storage")} for v in spec["versions"]]
    subject.own_live_body = {
        "apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
        "metadata": crd["metadata"],
        "spec": {"group": spec["group"], "names": spec["names"], "scope": spec["scope"],
                 "versions": versions, "preserveUnknownFields": True}}
    return subject


def _read_object(subject, path, first):
    """Of each CRD the first object gets a field that no schema specifies: the sentinel."""
    text = path.read_bytes()
    if first:
        text = text.rstrip() + b"\nsentinel: true\n"
    _, version, _ = type_of(text)
    return StoredObject(version or subject.storage, namespace_of(text) if subject.namespaced else "", text,
                        "application/yaml")


def namespace_of(text):
    """Returns that of an object's YAML, as bytes; else "default"."""
    metadata = re.search(rb"(?m)^metadata:[^\n]*\n((?:[ #][^\n]*\n|\s*\n)*)", text)
    namespace = metadata and re.search(rb"""(?m)^\s+namespace:\s*["']?([-\w.]+)""", metadata[1])
    return namespace[1].decode() if namespace else "default"


def type_of(text):
    """Returns (group, version, kind) of an object's YAML, as bytes; "" for what it does not say."""
    version = re.search(rb"""(?m)^apiVersion:\s*["']?([^/\s]+)/([\w.]+)""", text)
    kind = re.search(rb"""(?m)^kind:\s*["']?(\w+)""", text)
    group_version = (version[1].decode(), version[2].decode()) if version else ("", "")
    return (*group_version, kind[1].decode() if kind else "")
