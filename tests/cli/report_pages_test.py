#!/usr/bin/env python3
"""Pages for people (-o html, markdown, junit) beside the report for programs of the same input.

Usage: report_pages_test.py KUBECTL_PRUNE FAKE_API_SERVER

What reads them is of Python's own library: html.parser, xml.etree.
"""
import base64
import hashlib
import html
import json
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

import sandbox

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import report_pages

BOX = None
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
LONGEST = 60_000
DEMO = ("-f", "demo")


def check(output, *arguments):
    run = BOX.run("kubectl-prune", "check", "--local", *arguments, "-o", output)
    return run.returncode, run.stdout


def page_of(*arguments):
    code, text = check("html", *arguments)
    return code, report_pages.Page(text), text


def report_of(*arguments):
    code, text = check("json", *arguments)
    return code, json.loads(text)


def write(name, items):
    (BOX.work / name).write_text(json.dumps(items))
    return "-f", name


def without_time(report):
    return {key: value for key, value in report.items() if key != "time"}


def paths(report, crd):
    found = next(one for one in report["crds"] if one["name"] == crd)
    return {use["path"] for version in found["versions"] for use in version["prunedFields"]}


class Html(unittest.TestCase):
    def assert_same_numbers(self, arguments):
        code, report = report_of(*arguments)
        page_code, page, _ = page_of(*arguments)
        self.assertEqual(code, page_code)
        summary = report["summary"]
        for name, key in {"CRDs": "crds", "blocked": "blocked", "lose fields": "losesFields",
                          "invalid": "invalid", "ready": "ready", "pruning": "pruning", "unknown": "unknown",
                          "objects": "objects", "objects losing fields": "objectsLosingFields"}.items():
            self.assertEqual(summary[key], page.tally(name), name)
        rows = {row[0]: row for row in page.rows[1:]}
        self.assertEqual({crd["name"]: crd["verdict"] for crd in report["crds"]},
                         {name: row[1] for name, row in rows.items()})
        self.assertEqual(without_time(report), without_time(page.report()))
        return report, page

    def test_it_has_the_numbers_of_the_report_and_the_report_itself(self):
        report, page = self.assert_same_numbers(DEMO)
        number = [crd["name"] for crd in report["crds"]].index("widgets.demo.example.com")
        told = {row[0].removeprefix(".") for row in page.sections[number]}
        for path in paths(report, "widgets.demo.example.com"):
            self.assertIn(path.removeprefix("."), told)

    def test_hostile_texts_stay_texts(self):
        report, page = self.assert_same_numbers(write("hostile.json", report_pages.hostile()))
        self.assertEqual(set(), page.elements - report_pages.ELEMENTS)
        for tag, name, value in page.attributes:
            self.assertFalse(name.startswith("on"), name)
            if name in ("href", "src"):
                self.assertRegex(value, r"^#crd-\d+$")
        self.assertGreater(report["summary"]["objectsLosingFields"], 0)
        # What it was meant to be is there to be read.
        self.assertTrue(any("<script>parent.hacked=1</script>" in cell
                            for section in page.sections for row in section for cell in row))

    def test_nothing_steers_what_shows_the_source(self):
        _, _, text = page_of(*write("hostile.json", report_pages.hostile()))
        self.assertIsNone(STEERING.search(text))

    def test_it_needs_nothing_else(self):
        _, page, _ = page_of(*DEMO)
        self.assertIsNone(re.search(r"(?i)@import|\burl\(", page.texts["style"]))
        self.assertEqual(set(), page.elements & {"link", "iframe", "form", "img", "object", "base"})
        self.assertNotIn("src", {name for _, name, _ in page.attributes})
        self.assertNotIn("style", {name for _, name, _ in page.attributes})
        scripts = [one for one in page.scripts if one[0].get("type") != "application/json"]
        self.assertEqual(1, len(scripts))
        policy = next(value for tag, name, value in page.attributes
                      if (tag, name) == ("meta", "content") and "default-src" in value)
        self.assertTrue(policy.startswith("default-src 'none'; "), policy)
        self.assertNotIn("unsafe", policy)

    def test_its_policy_names_its_own_style_and_script(self):
        _, page, text = page_of(*DEMO)
        for file, what in {"html_style": page.texts["style"], "html_script": next(
                code for attributes, code in page.scripts if not attributes)}.items():
            digest = base64.b64encode(hashlib.sha256(what.encode()).digest()).decode()
            self.assertIn(f"'sha256-{digest}'", text, f"plugin/report/{file}.cc has to say: sha256-{digest}")

    def test_objects_are_named_where_they_are_asked_for(self):
        report, page = self.assert_same_numbers((*DEMO, "--show-objects"))
        told = {row[0] for section in page.sections for row in section if row}
        for crd in report["crds"]:
            for found in crd["objects"]:
                if any(found["prunedPaths"].values()):
                    self.assertIn("/".join(filter(None, (found["namespace"], found["name"]))), told)


class Markdown(unittest.TestCase):
    def rows(self, text):
        """Cells of all tables, as GitHub cuts lines: at pipes that no backslash is before."""
        lines = [line for line in text.split("\n") if line.startswith("|")]
        return [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]

    def test_it_has_the_verdicts_and_fields_of_the_report(self):
        _, report = report_of(*DEMO)
        _, text = check("markdown", *DEMO)
        verdicts = {row[0].strip().strip("`"): row[1].strip() for row in self.rows(text) if len(row) == 4}
        for crd in report["crds"]:
            self.assertEqual(crd["verdict"], verdicts[crd["name"]])
        for path in paths(report, "widgets.demo.example.com"):
            self.assertIn(path if path.startswith("['") else "." + path, text)

    def test_hostile_texts_stay_texts(self):
        _, text = check("markdown", *write("hostile.json", report_pages.hostile()))
        self.assertIsNone(STEERING.search(text))
        width = 0
        for line in text.split("\n"):
            if not line.startswith("|"):
                width = 0
                continue
            cells = len(self.rows(line)[0])
            self.assertIn(width, (0, cells), line)
            width = cells
        prose = re.sub(r"`[^`]*`", "", text)  # what is in backquotes is code, to GitHub, too
        prose = re.sub(r"(?m)^ {7,}.*$", "", prose)  # so is what is indented
        self.assertNotRegex(prose, r"<(?!/?code>)")
        self.assertNotRegex(prose, r"@|\]\(|(?<!&)#\d|https?:")

    def test_it_fits_a_comment_and_says_what_it_leaves_out(self):
        _, text = check("markdown", *write("large.json", report_pages.large(300, 10_000)))
        self.assertLessEqual(len(text), LONGEST)
        self.assertRegex(text.split("\n")[-2], r"Left out.*\d+ rows.*-o html")
        _, text = check("markdown", *write("one.json", report_pages.large(1, 10_000)))
        self.assertLessEqual(len(text), LONGEST)
        shown = len(re.findall(r"`\.spec\.field0x\d+`", text))
        left_out = int(re.search(r"Left out.*?(\d+) rows", text)[1])
        self.assertEqual(10_000, shown + left_out)


class Junit(unittest.TestCase):
    def suite(self, *arguments):
        code, text = check("junit", *arguments)
        return code, ElementTree.fromstring(text.encode()).find("testsuite")

    def assert_counts(self, suite):
        cases = suite.findall("testcase")
        self.assertEqual(str(len(cases)), suite.get("tests"))
        for name, element in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
            self.assertEqual(str(len(suite.findall(f"testcase/{element}"))), suite.get(name))
        return {case.get("name"): case for case in cases}

    def test_findings_are_failures(self):
        code, report = report_of(*DEMO)
        junit_code, suite = self.suite(*DEMO)
        self.assertEqual(code, junit_code)
        cases = self.assert_counts(suite)
        self.assertEqual({crd["name"] for crd in report["crds"]}, set(cases))
        for crd in report["crds"]:
            self.assertEqual("kubectl-prune.check", cases[crd["name"]].get("classname"))
            failure = cases[crd["name"]].find("failure")
            is_found = crd["verdict"] in ("blocked", "loses-fields", "invalid")
            self.assertEqual(is_found, failure is not None)
            if is_found:
                self.assertEqual(crd["verdict"], failure.get("type"))

    def test_what_could_not_be_read_is_an_error_and_what_was_not_looked_at_skipped(self):
        (BOX.work / "broken.yaml").write_text("a: [")
        code, suite = self.suite("-f", "broken.yaml", "-f", "demo")
        self.assertEqual(2, code)
        self.assert_counts(suite)
        self.assertEqual("1", suite.get("errors"))
        _, suite = self.suite("-f", "demo/fixed/widgets.yaml", "--skip-objects")
        self.assertEqual("1", suite.get("skipped"))

    def test_hostile_texts_are_valid_xml(self):
        _, suite = self.suite(*write("hostile.json", report_pages.hostile()))
        self.assert_counts(suite)
        told = "".join(suite.itertext())
        self.assertIn("<script>parent.hacked=1</script>", told)


def pumps(preserves, **properties):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "pumps.demo.example.com"}, "status": {"storedVersions": ["v1"]},
            "spec": {"group": "demo.example.com", "scope": "Namespaced", "preserveUnknownFields": preserves,
                     "names": {"plural": "pumps", "singular": "pump", "kind": "Pump", "listKind": "PumpList"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                         "openAPIV3Schema": {"type": "object", "properties": properties}}}]}}


def pump_objects():
    return [report_pages.custom_resource(0, name, ["gone<b>"], kind="Pump") for name in ("a", "b", "c")]


class OfAnUpgrade(unittest.TestCase):
    def test_the_steps_are_those_of_the_report(self):
        live = pumps(True)
        live["metadata"]["labels"] = {"kustomize.toolkit.fluxcd.io/name": "pumps"}
        write("cluster.json", report_pages.as_list([live, *pump_objects()]))
        arguments = write("new.json", pumps(False, status={"type": "object", "default": {}}))
        with BOX.server("cluster.json"):
            printed = {output: BOX.run("kubectl-prune", "check", *arguments, "-o", output).stdout
                       for output in ("json", "html", "markdown")}
        steps = json.loads(printed["json"])["steps"]
        self.assertGreater(len(steps), 1)
        commands = re.findall(r"<pre>(.*?)</pre>", printed["html"])
        self.assertEqual([step["command"] for step in steps], [html.unescape(one) for one in commands])
        told = re.findall(r'<p class="reason">(.*?)</p>', printed["html"])
        needs = [f"before: {step['needs']}" for step in steps if "needs" in step]
        self.assertIn("before: pause Flux (label kustomize.toolkit.fluxcd.io/name) for pumps.demo.example.com "
                      "until its manifest is that of the files", needs)
        for text in needs:
            self.assertIn(text, [html.unescape(one) for one in told])
        for step in steps:
            if "effect" in step:
                self.assertTrue(any(html.unescape(one).startswith(step["effect"]) for one in told), step)
        for number, step in enumerate(steps, 1):
            self.assertRegex(printed["markdown"], rf"(?m)^{number}\. [^\n]*\n\n {{7,8}}{re.escape(step['command'])}$")
        report_pages.Page(printed["html"])


class OfAMigration(unittest.TestCase):
    def migrate(self, output):
        write("pumps.json", report_pages.as_list([pumps(True), *pump_objects()]))
        with BOX.server("pumps.json"):
            run = BOX.run("kubectl-prune", "migrate", "pumps", "--enable-pruning", "--yes", "-o", output,
                          "--settle-timeout=10s", f"--state-dir={BOX.work}/state-{output}",
                          f"--backup-dir={BOX.work}/backup-{output}")
        self.assertEqual(0, run.returncode, run.stderr)
        return run.stdout

    def test_the_page_has_classes_loss_backup_and_proof(self):
        page = report_pages.Page(self.migrate("html"))
        report = page.report()
        crd = report["crds"][0]
        self.assertTrue(crd["foretoldLoss"]["agreed"])
        self.assertEqual(3, crd["foretoldLoss"]["objectsLosingFields"])
        self.assertEqual(crd["counts"]["listed"], page.tally("objects"))
        self.assertEqual(crd["counts"]["rewritten"], page.tally("rewritten"))
        told = [cell for row in page.sections[0] for cell in row]
        for use in crd["foretoldLoss"]["prunedFields"]:
            self.assertIn(str(use["objects"]), told)
            self.assertTrue(any(use["path"] in cell for cell in told), use["path"])
        self.assertRegex(page.texts["h1"], "a last pass rewrote none")
        self.assertTrue(report["cluster"].startswith("http"))
        self.assertTrue(report["context"])
        self.assertTrue(crd["backup"])

    def test_junit_and_markdown_say_the_same(self):
        suite = ElementTree.fromstring(self.migrate("junit").encode()).find("testsuite")
        self.assertEqual(("1", "0", "0", "0"), tuple(
            suite.get(name) for name in ("tests", "failures", "errors", "skipped")))
        self.assertEqual("kubectl-prune.migrate", suite.find("testcase").get("classname"))
        text = self.migrate("markdown")
        self.assertIn("a last pass rewrote none", text)
        self.assertRegex(text, r"- Backup: `[^`]*pumps")


class OfARestore(unittest.TestCase):
    """Of three objects one has lost a field, one has all, and one was deleted."""

    def restore(self, output):
        objects = {one["metadata"]["name"]: one for one in pump_objects()}
        for one in objects.values():
            one["metadata"]["uid"] = "uid-" + one["metadata"]["name"]
        (BOX.work / "backup.ndjson").write_text("".join(json.dumps(one) + "\n" for one in objects.values()))
        del objects["a"]["spec"]["gone<b>"], objects["b"]
        schema = {"type": "object", "properties": {"gone<b>": {"type": "string"}}}
        write("restored.json", report_pages.as_list([pumps(False, spec=schema), *objects.values()]))
        with BOX.server("restored.json"):
            run = BOX.run("kubectl-prune", "restore", "backup.ndjson", "-o", output)
        self.assertEqual(1, run.returncode, run.stderr)
        return run.stdout

    def test_the_page_has_classes_fields_and_failures(self):
        page = report_pages.Page(self.restore("html"))
        report = page.report()
        self.assertEqual("RestoreReport", report["kind"])
        self.assertEqual({"objects": 3, "restored": 1, "unchanged": 1, "gone": 1},
                         {name: page.tally(name) for name in ("objects", "restored", "unchanged", "gone")})
        self.assertEqual("1 object restored, 1 object not, of 3", page.texts["h1"])
        self.assertTrue(report["cluster"].startswith("http"))
        rows = page.sections[0]
        self.assertIn([".spec.gone<b>", "1", "shop/a"], rows)
        self.assertTrue(any(row[:3] == ["shop", "b", "gone"] for row in rows), rows)

    def test_junit_and_markdown_say_the_same(self):
        suite = ElementTree.fromstring(self.restore("junit").encode()).find("testsuite")
        self.assertEqual(("1", "1", "0", "0"), tuple(
            suite.get(name) for name in ("tests", "failures", "errors", "skipped")))
        self.assertEqual("kubectl-prune.restore", suite.find("testcase").get("classname"))
        text = self.restore("markdown")
        self.assertIn("1 object restored, 1 object not, of 3", text)
        self.assertIn("it was deleted since the backup", text)


if __name__ == "__main__":
    sys.exit(sandbox.run_tests())
