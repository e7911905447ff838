#!/usr/bin/env python3
"""Holds reports to docs/schema and to docs/REPORTS.md: what a report has and they do not is an error.

Usage: schema_test.py KUBECTL_PRUNE
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS / "support"))

import report_schema

BINARY = None
REFERENCE = TESTS.parent / "docs/REPORTS.md"
# Both kinds are among them, whatever else becomes of the transcripts.
FEWEST_REPORTS = 3


def check(*arguments):
    run = subprocess.run([BINARY, "check", "--local", "-o", "json", "--show-objects", *arguments],
                         cwd=TESTS.parent, capture_output=True, text=True, check=False)
    return json.loads(run.stdout)


def printed_reports():
    """Yields (transcript, report) of every report as JSON in tests/cli."""
    for path in sorted((TESTS / "cli").glob("*.txt")):
        script = re.split(r"^-- \S+ --$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[0]
        for block in re.split(r"^\$ .*\n", script, flags=re.MULTILINE)[1:]:
            text = "".join(line + "\n" for line in block.split("\n")
                           if not re.match(r"2> |\[\d+\]$", line))
            # The transcript of a migration masks the time it took, to the end of the line.
            text = re.sub(r'("seconds": )N(?=\n *")', r"\g<1>0,", text)
            text = text.replace('"seconds": N', '"seconds": 0')
            text = text.replace('"time": "TIME"', '"time": "2026-11-25T10:00:00Z"')
            if text.startswith("{\n"):
                report = json.loads(text)
                if report.get("kind") in report_schema.KINDS:
                    yield path.name, report


def properties(schema):
    """Yields (key, description) of every key that the schema knows, however deep."""
    if isinstance(schema, dict):
        for key, described in schema.get("properties", {}).items():
            yield key, described.get("description") or described.get("$ref")
        for value in schema.values():
            yield from properties(value)


def closed(schema):
    """Yields the descriptions of objects that may have no other keys than those it names, however deep."""
    if isinstance(schema, dict):
        if False in (schema.get("additionalProperties"), schema.get("unevaluatedProperties")):
            yield schema
        for value in schema.values():
            yield from closed(value)


class Reports(unittest.TestCase):
    def test_those_of_the_transcripts_are_as_described(self):
        found = list(printed_reports())
        self.assertGreaterEqual(len(found), FEWEST_REPORTS)
        # No transcript lets a guard serve; those that it gives are tested in tests/cluster/guard_test.py.
        self.assertEqual(set(report_schema.KINDS) - {"GuardReport"}, {report["kind"] for _, report in found})
        for name, report in found:
            self.assertEqual([], report_schema.errors(report), name)

    def test_those_of_the_demo_are_as_described(self):
        for folder in ("tests/demo", "tests/demo/fixed"):
            self.assertEqual([], report_schema.errors(check("-f", folder)), folder)

    def test_what_is_not_described_or_not_as_described_is_found(self):
        report = check("-f", "tests/demo")
        crd = next(crd for crd in report["crds"] if crd["name"].startswith("widgets."))
        number = report["crds"].index(crd)

        def changed(change):
            other = copy.deepcopy(report)
            change(other["crds"][number])
            return report_schema.errors(other)

        for what, change in {
                "a new key": lambda crd: crd.update(news=1),
                "a key deep below": lambda crd: crd["versions"][0]["prunedFields"][0].update(a=1),
                "a key that is missing": lambda crd: crd.pop("verdict"),
                "another verdict": lambda crd: crd.update(verdict="fine"),
                "a number as text": lambda crd: crd["versions"][0].update(objects="4"),
                "a negative number": lambda crd: crd["versions"][0].update(objects=-1),
                "a truth as number": lambda crd: crd["versions"][0].update(served=1),
                "a number as truth": lambda crd: crd["versions"][0].update(objects=True),
                "one without the other": lambda crd: crd["versions"][0].pop("objectsLosingFields"),
                "a flag that is off": lambda crd: crd.update(objectsSkipped=False),
                "a path of no length": lambda crd: crd["versions"][0]["prunedFields"][0].update(path=""),
                "an empty list": lambda crd: crd.update(objectErrors=[]),
                "a time in words": lambda crd: crd["versions"][0]["prunedFields"][0].update(
                    lastWritten="yesterday"),
                "text for a list of paths": lambda crd: crd["objects"][0].update(
                    prunedPaths={"v1": "spec"})}.items():
            self.assertTrue(changed(change), what)
        self.assertTrue(report_schema.errors({"kind": "Report"}))
        self.assertTrue(report_schema.errors([]))


class Descriptions(unittest.TestCase):
    def test_every_key_is_described_in_the_schema_and_in_the_reference(self):
        text = REFERENCE.read_text(encoding="utf-8")
        for kind in report_schema.KINDS:
            section = text.partition(f"\n## {kind}\n")[2].partition("\n## ")[0]
            tables = re.findall(r"^\| (.+?) (\|.*)$", section, re.MULTILINE)
            keys = set(re.findall(r"`([A-Za-z]+)`", " ".join(cell for cell, _ in tables)))
            named = keys | set(re.findall(r"`([A-Za-z]+)`", " ".join(rest for _, rest in tables)))
            known = dict(properties(report_schema.load(kind)))
            self.assertTrue(all(known.values()), known)
            self.assertEqual(set(), keys - set(known), kind)  # that no report has
            self.assertEqual(set(), set(known) - named, kind)  # that nobody explains

    def test_the_schemas_bear_keys_that_are_added_later(self):
        for kind in report_schema.KINDS:
            self.assertEqual([], list(closed(report_schema.load(kind))), kind)

    def test_the_schemas_are_json_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no python3-jsonschema")
        for kind in report_schema.KINDS:
            jsonschema.Draft202012Validator.check_schema(report_schema.load(kind))
        for _, report in printed_reports():
            jsonschema.Draft202012Validator(report_schema.load(report["kind"])).validate(report)


if __name__ == "__main__":
    BINARY = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
