#!/usr/bin/env python3
"""Holds what we read from YAML to what kubectl reads, document by document.

Usage: differential.py READ_MANIFESTS [--count N] [--seed S] [--keep FOLDER] [--record FILE] [FILE...]

Without files it makes N documents up (20,000; generate.py), and takes the same for the same seed. kubectl of
$KUBECTL has to be 1.24 or newer, as older ones read some of it otherwise. Prints each document on which the
two disagree: whether it is taken, or its value. --record writes what kubectl says of some of them, for the unit
tests (sample.jsonl).
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import generate

BATCH = 2000


def same(ours, theirs):
    """Equal but for the forms of a number: kubectl prints what a float64 holds."""
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return ours == theirs or float(ours) == float(theirs)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return type(ours) is type(theirs) and ours == theirs


def values(text):
    """The JSON values of a text, one after the other."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        found.append(value)
    return found


def without_annotation(value):
    annotations = value["metadata"]["annotations"]
    annotations.pop("a", None)
    if not annotations:
        del value["metadata"]["annotations"]
    return value


def run_program(*command):
    """The CompletedProcess, with output as text in which line breaks of all kinds stay."""
    run = subprocess.run(command, capture_output=True, check=False)
    run.stdout, run.stderr = run.stdout.decode(errors="replace"), run.stderr.decode(errors="replace")
    return run


def read_by_kubectl(folder):
    """{name: ([object], error)} of the files NAME.yaml."""
    kubectl = os.environ.get("KUBECTL", "kubectl")
    run = run_program(kubectl, "annotate", "--local", "-f", folder, "a=b", "-o", "json")
    read = {path.stem: ([], "") for path in pathlib.Path(folder).iterdir()}
    for value in values(run.stdout):
        name = value["metadata"].get("name")
        if name in read:
            read[name][0].append(without_annotation(value))
    # An error begins a line: "error parsing FOLDER/NAME.yaml: ...", or with "error: " where there is only one.
    for error in re.split(r"^(?=(?:error: )?(?:error parsing|unable to) |\* )", run.stderr, flags=re.MULTILINE):
        for name in re.findall(re.escape(folder) + r"/([\w-]+)\.yaml", error)[:1]:
            read[name] = (read[name][0], error.strip())
    return read


def read_by_us(program, folder):
    run = run_program(program, folder)
    if run.returncode != 0:
        sys.exit(f"{program}: exit code {run.returncode}: {run.stderr}")
    read = {path.stem: ([], "") for path in pathlib.Path(folder).iterdir()}
    for line in run.stdout.rstrip("\n").split("\n"):  # not splitlines: U+2028 breaks none
        path, _, answer = line.partition("\t")
        name = pathlib.Path(path).stem
        if answer.startswith("error: "):
            read[name] = (read[name][0], answer)
        else:
            read[name][0].append(json.loads(answer))
    return read


def difference(ours, theirs):
    """What differs, in words; empty: nothing."""
    (our_objects, our_error), (their_objects, their_error) = ours, theirs
    if "Object 'Kind' is missing" in their_error or "Object 'apiVersion' is missing" in their_error:
        return ""  # said later by us
    if their_error and our_error:
        return ""  # what stands before and behind it is not compared: kubectl stops there, and we go on
    if "json: offset" in their_error and "invalid character '-' in numeric literal" in their_error:
        return ""  # YAML behind JSON, which kubectl takes since 1.33
    if their_error:
        return f"taken, and kubectl says: {their_error}"
    if our_error:
        return f"refused ({our_error}), and kubectl takes it"
    if not their_objects and our_objects:
        return ""  # its name was spoiled, by which kubectl's answer is found
    if not same(our_objects, their_objects):
        return f"read as {json.dumps(our_objects)}, by kubectl as {json.dumps(their_objects)}"
    return ""


def compare(program, documents):
    """Yields (name, difference in words, what kubectl reads) of {name: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in documents.items():
            (pathlib.Path(folder) / f"{name}.yaml").write_bytes(text)
        ours, theirs = read_by_us(program, folder), read_by_kubectl(folder)
        for name in documents:
            yield name, difference(ours[name], theirs[name]), theirs[name]


class Sample:
    """Lines of JSON: short documents that kubectl takes, with what it reads, and some that it refuses."""

    MOST = {True: 200, False: 400}

    def __init__(self):
        self.lines, self._counts = [], {True: 0, False: 0}

    def take(self, text, objects, error):
        is_refused = bool(error)
        if len(text) > 500 or self._counts[is_refused] == self.MOST[is_refused] or "is missing" in error:
            return
        if not is_refused and not objects or "numeric literal" in error:
            return  # its name is not the one that it was given; what kubectl takes since 1.33
        if any(re.search(r"\d[.e]", token) for token in re.findall(r"[-+\w.]+", json.dumps(objects))):
            return  # numbers that can be written in several ways
        self._counts[is_refused] += 1
        line = {"text": text.decode("utf-8")} | ({"refused": True} if is_refused else {"objects": objects})
        self.lines.append(json.dumps(line) + "\n")


def agrees_by_chance(program, document):
    """Whether kubectl itself reads a document now so and now so: of keys that are one in JSON it takes any."""
    return any(not words for _ in range(40) for _, words, _ in compare(program, document))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the documents that differ")
    parser.add_argument("--record", type=pathlib.Path, help="file for what kubectl says of some")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    generator = generate.Generator(arguments.seed)
    if arguments.files:
        documents = {generate.letters(i): path.read_bytes() for i, path in enumerate(arguments.files)}
    else:
        names = [generate.letters(i) for i in range(arguments.count)]
        documents = {name: generator.document(name).encode("utf-8", "surrogatepass") for name in names}
    names, differing, refused, sample = list(documents), 0, 0, Sample()
    for start in range(0, len(names), BATCH):
        batch = {name: documents[name] for name in names[start:start + BATCH]}
        for name, words, theirs in compare(arguments.program, batch):
            refused += bool(theirs[1])
            sample.take(documents[name], *theirs)
            if not words or agrees_by_chance(arguments.program, {name: documents[name]}):
                continue
            differing += 1
            print(f"{name}: {words}\n{documents[name].decode(errors='replace')}\n")
            if arguments.keep:
                arguments.keep.mkdir(exist_ok=True)
                (arguments.keep / f"{name}.yaml").write_bytes(documents[name])
    if arguments.record:
        arguments.record.write_text("".join(sample.lines), encoding="utf-8")
    print(f"{len(names)} documents, {refused} of them refused by kubectl, {differing} read otherwise than by it")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
