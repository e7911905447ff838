#!/usr/bin/env python3
"""Holds what we say of rules to what an API server says, CRD by CRD and object by object.

Usage: differential.py REPLAY_VECTORS [--count N] [--seed S] [--keep FOLDER]

Makes up N CRDs with rules (20; rules.py), and twelve objects of each with what they were before. The server of
crd_server validates the CRDs, and then creations and updates of the objects by what is left of the rules; we are
asked by the same lines that vectors have. Prints what differs. --keep writes all lines. Exit code 77 (skipped)
without a crd_server (tests/cluster/crd_server/build.sh).
"""
import argparse
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
for folder in ("cluster", "support"):
    sys.path.insert(0, str(HERE.parent / folder))

import rules  # noqa: E402  (folders beside this one, above)
from cluster import wait_for  # noqa: E402
from newer_cluster import NewerCluster  # noqa: E402
from runner import end  # noqa: E402
from subjects import V1_CRDS, errors_of  # noqa: E402

OBJECTS = 12
ROUNDS = 6  # in which refused rules are taken out
ASKED = 3  # times; what is answered now so and now so depends on the order in which Go walks a map
REFUSED = re.compile(r"openAPIV3Schema((?:\.properties\[[^\]]*\]|\.items|\.additionalProperties)*)"
                     rf"\.{rules.RULES}\[(\d+)\]")


def said(status, answer, where):
    """The errors of an answer, sorted as the vectors have them; of one that the server took, or has already, none."""
    return [] if status == 409 else sorted(errors_of(status, answer, where))


def root_of(crd):
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def schema_at(root, path):
    for step in re.findall(r"\.(properties)\[([^\]]*)\]|\.(items|additionalProperties)", path):
        root = root[step[0]][step[1]] if step[0] else root[step[2]]
    return root


def without_refused(crd, errors):
    """The CRD without the rules that errors name, or without any where they name none."""
    crd = copy.deepcopy(crd)
    refused = {match.groups() for error in errors for match in REFUSED.finditer(error.split(": ")[0])}
    if not refused:
        return without_rules(crd)
    for path, index in sorted(refused, key=lambda one: -int(one[1])):
        of_schema = schema_at(root_of(crd), path)
        del of_schema[rules.RULES][int(index)]
        if not of_schema[rules.RULES]:
            del of_schema[rules.RULES]
    return crd


def without_rules(value):
    if isinstance(value, dict):
        return {key: without_rules(inner) for key, inner in value.items() if key != rules.RULES}
    return [without_rules(inner) for inner in value] if isinstance(value, list) else value


class Server:
    """Asks it, and has the answers as lines of vectors."""

    def __init__(self, api, corpus):
        self._api, self._corpus = api, corpus
        self.lines = []

    def ask(self, number, crd, pairs):
        crd = self._ask_crd(number, crd)
        name, names = crd["metadata"]["name"], crd["spec"]["names"]
        path = f"/apis/{rules.GROUP}/v1/namespaces/default/{names['plural']}"
        root_of(crd)["properties"]["noticed"] = {"type": "integer"}
        (self._corpus / f"{number}.yaml").write_text(json.dumps(crd, ensure_ascii=False))
        self._api.post(V1_CRDS, without_rules(crd))
        try:
            probe = {"apiVersion": f"{rules.GROUP}/v1", "kind": names["kind"], "metadata": {"name": "probe"}}
            wait_for(f"{name} is not served", lambda: self._api.request(
                "POST", f"{path}?dryRun=All", {**probe, "noticed": "x"})[0] == 422)
            made = [self._api.request("POST", path, old) for _, old in pairs]
            self._put_rules(crd, path, probe)
            for i, ((new, old), (status, answer)) in enumerate(zip(pairs, made)):
                version = answer["metadata"]["resourceVersion"] if status == 201 else None
                self._ask_object(f"{number}.yaml", i, path, (new, old), version)
        finally:
            self._api.request("DELETE", f"{V1_CRDS}/{name}")

    def _ask_crd(self, number, crd):
        """The CRD with the rules that the server takes."""
        for i in range(ROUNDS):
            def asked(crd=crd):
                return {"errors": said(*self._api.request("POST", f"{V1_CRDS}?dryRun=All", crd), number)}
            expected = self._add(f"crd {number} round {i}", "validate-crd", {"crd": copy.deepcopy(crd)}, asked)
            if not expected["errors"]:
                return crd
            crd = without_refused(crd, expected["errors"])
        return without_rules(crd)

    def _put_rules(self, crd, path, probe):
        """Another rule tells that the server has noticed them."""
        live = self._api.get(f"{V1_CRDS}/{crd['metadata']['name']}")
        live["spec"] = copy.deepcopy(crd["spec"])
        properties = root_of(live)["properties"]
        properties["noticed"] = {"type": "string"}
        self._api.put(f"{V1_CRDS}/{crd['metadata']['name']}", live)
        wait_for(f"{crd['metadata']['name']}: rules are not noticed", lambda: self._api.request(
            "POST", f"{path}?dryRun=All", {**probe, "noticed": 1})[0] == 422)

    def _ask_object(self, file, i, path, pair, version):
        """`version` is the resourceVersion of what the object was before, or None if it cannot be."""
        new, old = pair
        name = f"{path}/{new['metadata']['name']}?dryRun=All"

        def asked():
            expected = {"create": said(*self._api.request("POST", f"{path}?dryRun=All", new), file)}
            if version:
                update = {**new, "metadata": {**new["metadata"], "resourceVersion": version}}
                expected["updateRatcheting"] = said(*self._api.request("PUT", name, update), file)
            return expected
        self._add(f"object {file} {i}", "validate-cel",
                  {"crd": file, "version": "v1", "object": new, "old": old}, asked)

    def _add(self, name, op, given, asked):
        expected = asked()
        if all(asked() == expected for _ in range(ASKED - 1)):
            self.lines.append({"name": name, "op": op, "input": given, "expected": expected})
        return expected


def differences(program, lines, folder):
    """What replay_vectors says of the lines, in the order of lines; empty: nothing differs."""
    path = folder / "lines.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = subprocess.run([program, "--corpus", folder, path], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        raise AssertionError(f"{program}: exit code {run.returncode}: {run.stderr}")
    return run.stdout, run.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the CRDs and lines")
    arguments = parser.parse_args()
    made = rules.Crds(arguments.seed)
    with tempfile.TemporaryDirectory() as scratch, NewerCluster() as cluster:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        api = cluster.api()
        server = Server(api, folder)
        for number in range(arguments.count):
            server.ask(number, *made.crd(number, OBJECTS))
        api.close()
        text, code = differences(arguments.program, server.lines, folder)
    print(text)
    refused = sum(any(line["expected"].values()) for line in server.lines)
    print(f"{len(server.lines)} answers of {arguments.count} CRDs, {refused} of them with errors")
    return code


if __name__ == "__main__":
    end(main)
