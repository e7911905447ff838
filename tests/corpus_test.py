"""Checks real CRDs and objects through the command line against what the API server says of them.

corpus_test.py BINARY: exit code 77 (skipped) where the corpus is absent. The folder is
$KUBECTL_PRUNE_CORPUS, by default ../shared/corpus beside the repository.
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))

import report_schema

SKIPPED = 77


def read_rows(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def condition_of(crd):
    condition = crd.get("condition")
    return condition and {key: condition[key] for key in ("status", "reason", "message")}


def problems_of(crd, version):
    return [p["message"] for p in crd["problems"] if p["version"] == version["name"]]


def expected_problems(version):
    if "conversionError" in version:
        return [version["conversionError"]]
    return version.get("errors", [])


def check_crds(rows, crds):
    failures = []
    for row in rows:
        crd = crds.get(row["crd"])
        if crd is None:
            failures.append(f"{row['crd']}: not reported")
            continue
        expected = row["condition"]
        expected = expected and {key: expected[key] for key in ("status", "reason", "message")}
        if condition_of(crd) != expected:
            failures.append(f"{row['crd']}: condition {condition_of(crd)}, expected {expected}")
        for version in row["versions"]:
            if problems_of(crd, version) != expected_problems(version):
                failures.append(f"{row['crd']} {version['name']}: {problems_of(crd, version)}, "
                                f"expected {expected_problems(version)}")
    return failures


def check_objects(rows, crds):
    failures = []
    for row in rows:
        found = [o["prunedPaths"] for o in crds[row["crd"]]["objects"]
                 if o["source"] == row["object"]]
        if found != [row["versions"]]:
            failures.append(f"{row['object']}: {found}, expected {row['versions']}")
    return failures


def main():
    binary = os.path.abspath(sys.argv[1])
    root = pathlib.Path(__file__).resolve().parent.parent
    corpus = pathlib.Path(os.environ.get("KUBECTL_PRUNE_CORPUS", root / "../shared/corpus"))
    if not corpus.is_dir():
        print(f"skipped: no corpus at {corpus}")
        return SKIPPED
    command = [binary, "check", "--local", "-R", "-f", ".", "-o", "json", "--show-objects"]
    run = subprocess.run(command, cwd=corpus, capture_output=True, check=False)
    report = json.loads(run.stdout)
    report_schema.require_valid(report)
    crds = {crd["source"].removeprefix("./"): crd for crd in report["crds"]}
    for crd in crds.values():
        for item in crd["objects"]:
            item["source"] = item["source"].removeprefix("./")
    crd_rows = read_rows(corpus / "expected-crds.jsonl")
    object_rows = read_rows(corpus / "expected-objects.jsonl")
    failures = check_crds(crd_rows, crds) + check_objects(object_rows, crds)
    # kubectl reads all files but one, whose ownerReferences is a string.
    errors = report.get("fileErrors", [])
    if run.returncode != 2 or len(errors) != 1 or "ownerReferences" not in errors[0]:
        failures.append(f"exit code {run.returncode}, file errors {errors}")
    for failure in failures:
        print(failure[:2000])
    print(f"{len(crd_rows)} CRDs, {len(object_rows)} objects, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
