#!/usr/bin/env python3
"""Holds the documents to themselves and to the code: every block is of a known kind, links lead somewhere,
and the runbook knows every refusal. tests/cluster/documents_test.py runs the commands.
"""
import pathlib
import re
import sys
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/support"))
sys.path.insert(0, str(ROOT / "tests/bench"))

import documents
import pictures
import rooms

# Indented blocks that are no commands, by their first line: a drawing or a text.
DRAWINGS = {("docs/DESIGN.md", "    krew/     ")}
# Of turning pruning on.
PRUNING = (r'"((?:pruning (?:is on|was not)|it is not known|nobody can|not every object|the schemas were)[^"]*)"',)
# What tells why a migration is not begun or ends early: the texts, by the file that has them.
REFUSALS = {
    "migrate/migration/preflight.cc": (r'Refuse\(\s*"([^"]+)"', r'push_back\(\s*"([^"]+)"'),
    "migrate/migration/turn_pruning_on.cc": PRUNING,
    "migrate/migration/backup_before_flip.cc": PRUNING,
    "migrate/migration/behind_flip.cc": PRUNING,
    "migrate/migration/flip.cc": (r'Refuse\(\s*"([^"]+)"',),
    "migrate/check/crd_guard.cc": (r'return (?:std::string\()?"([^"]+)"',),
    # Without what a check says of a CRD that was changed meanwhile.
    "migrate/check/crd_shape.cc": (r'return (?:std::string\()?"((?!.*while its objects)[^"]+)"',),
    "migrate/check/live_crd.cc": (r'return "(the Custom[^"]+)"', r'why = "([^"]+)"'),
    "migrate/rewrite/failure_streak.cc": (r'" (objects failed in the same way)',),
    "migrate/rewrite/migration_state.cc": (r'Error\("(another migration of )', r'"(no folder for the state[^";:]+)'),
    "plugin/command/serving_news.cc": (r'" (turned away so far)',),
    "migrate/rewrite/backup.cc": (r'Error\("(cannot write the backup)',),
    "migrate/rewrite/exchange_pool.cc": (r'on_wait_\("(nothing was written for )',),
    "kube/client/answer_meaning.h": (r'"(request to convert[^"]+)"',),
    "plugin/command/migration_summary.cc": (r'": (no objects found)"',),
    "plugin/terminal/migration_console.cc": (r'"(nobody can be asked[^";]+)',),
}


def anchor(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def read_manifests(name):
    return list(yaml.safe_load_all((ROOT / "krew/manifests" / name).read_text(encoding="utf-8")))


class Pictures(unittest.TestCase):
    def test_what_benchmarks_measured_is_drawn(self):
        files = list((ROOT / "docs/images").glob("*.json"))
        self.assertTrue(files)
        for figures in files:
            picture = figures.with_suffix(".svg")
            self.assertTrue(picture.exists() and picture.read_text(encoding="utf-8") == pictures.draw(figures),
                            f"{figures}: python3 tests/bench/pictures.py draws it anew")


class Blocks(unittest.TestCase):
    def test_every_block_is_commands_or_a_sample_that_says_so(self):
        kinds = {"sh", "console"} | documents.SAMPLES
        count = 0
        for path in documents.DOCUMENTS:
            for block in documents.blocks(path):
                count += block.language in ("sh", "console")
                if block.language == "sample":
                    known = any(path == file and block.lines[0].startswith(first)
                                for file, first in DRAWINGS)
                    self.assertTrue(known, f"{block.place}: neither commands nor a known drawing")
                else:
                    self.assertIn(block.language, kinds, f"{block.place}: say what it is")
        self.assertGreaterEqual(count, 30)

    def test_a_document_says_which_kubectl_its_commands_need(self):
        for path in documents.DOCUMENTS:
            text = (ROOT / path).read_text(encoding="utf-8")
            for block in documents.blocks(path):
                if block.language not in ("sh", "console"):
                    continue
                for command, _ in block.commands():
                    minor = documents.needed_kubectl(command)
                    said = minor == 1 or f"kubectl 1.{minor} or later" in text
                    self.assertTrue(said, f"{block.place}: {command}: say that it needs kubectl 1.{minor} or later")

    def test_no_reason_for_not_running_is_left_over(self):
        commands = [command for path in documents.DOCUMENTS for block in documents.blocks(path)
                    if block.language in ("sh", "console") for command, _ in block.commands()]
        for pattern, why in documents.NOT_RUN:
            if "krew" in pattern + why:
                continue  # its document may come later than this one
            self.assertTrue(any(re.match(pattern, c) for c in commands), f"{pattern}: {why}")


class Sources(unittest.TestCase):
    maxDiff = None

    def test_what_is_shown_of_c_is_what_the_tests_compile(self):
        shown = [(path, block) for path in documents.DOCUMENTS for block in documents.blocks(path)
                 if block.language == "cpp"]
        self.assertEqual(["docs/ADMISSION.md"], [path for path, _ in shown])
        source = (ROOT / "tests/kube/admission/example_handlers.cc").read_text(encoding="utf-8")
        marked = source.split("// [example]\n")[1].split("// [end of example]\n")[0]
        self.assertEqual(marked, "\n".join(shown[0][1].lines) + "\n")


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        for path in documents.DOCUMENTS:
            text = (ROOT / path).read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"https?:", target):
                    continue
                file, _, fragment = target.partition("#")
                other = (ROOT / path).parent / file if file else ROOT / path
                self.assertTrue(other.exists(), f"{path}: {target}")
                if fragment:
                    headings = re.findall(r"^#+ (.*)$", other.read_text(encoding="utf-8"), re.MULTILINE)
                    self.assertIn(fragment, [anchor(h) for h in headings], path)


class NetworkPolicies(unittest.TestCase):
    """Of krew/manifests: one that selects nothing, or lets nobody in, would only be noticed in a cluster."""

    def test_select_the_pods_beside_them_and_name_their_ports(self):
        for policies, deployments in (("guard-network.yaml", "guard.yaml"),
                                      ("populate/network.yaml", "populate/controller.yaml")):
            policy, = read_manifests(policies)
            pod, = (one["spec"]["template"] for one in read_manifests(deployments) if one["kind"] == "Deployment")
            wanted = policy["spec"]["podSelector"]["matchLabels"]
            self.assertEqual(wanted, {key: pod["metadata"]["labels"].get(key) for key in wanted})
            ports = {port.get(key) for container in pod["spec"]["containers"] for port in container["ports"]
                     for key in ("containerPort", "name")}
            named = {port["port"] for rule in policy["spec"]["ingress"] for port in rule["ports"]}
            self.assertTrue(named)
            self.assertLessEqual(named, ports)


class Runbook(unittest.TestCase):
    maxDiff = None

    def test_knows_every_refusal(self):
        runbook = (ROOT / "docs/RUNBOOK.md").read_text(encoding="utf-8")
        runbook = re.sub(r"\s+", " ", runbook)
        missing = []
        for path, patterns in REFUSALS.items():
            source = (ROOT / path).read_text(encoding="utf-8")
            source = re.sub(r'"\s*\n\s*"', "", source)  # texts that go over several lines
            for pattern in patterns:
                found = re.findall(pattern, source)
                self.assertTrue(found, f"{path}: {pattern}")
                for text in found:
                    # Up to what is put in; "the right to watch" stands in code marks to its end.
                    start = re.split(r"[:;(,]", text)[0].strip()
                    if start.replace("the CustomResourceDefinition was deleted and", "deleted and") not in (
                            runbook):
                        missing.append(f"{path}: {text}")
        self.assertEqual([], missing)

    def test_knows_every_class(self):
        runbook = (ROOT / "docs/RUNBOOK.md").read_text(encoding="utf-8")
        classes = (ROOT / "migrate/report/object_class.cc").read_text(encoding="utf-8")
        failures = re.findall(r'\{"([a-z-]+)", "\w+", true\}', classes)
        self.assertEqual(9, len(failures))
        for name in failures:
            self.assertTrue(f"| `{name}` |" in runbook, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
