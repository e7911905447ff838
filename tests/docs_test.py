#!/usr/bin/env python3
"""Holds the documents to themselves and to the code: every block is of a known kind, links lead somewhere,
what the architecture and the decisions name exists, and the runbook knows every refusal.
tests/cluster/documents_test.py runs the commands.
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

# docs/ARCHITECTURE.md is read in one go: what is longer belongs to a decision or to a file.
MOST_ARCHITECTURE_BYTES = 12 * 1024
FOLDERS = (*rooms.TOPS, "docs", "krew", "tests")
# Of turning pruning on.
PRUNING = (r'"((?:pruning (?:is on|was not)|it is not known|nobody can|not every object|the schemas were)[^"]*)"',)
# What tells why a migration is not begun or ends early: the texts, by the file that has them.
REFUSALS = {
    "migrate/migration/preflight.cc": (r'Refuse\(\s*"([^"]+)"', r'push_back\(\s*"([^"]+)"'),
    "migrate/migration/turn_pruning_on.cc": (*PRUNING, r'Refuse\(\s*"([^"]+)"'),
    "migrate/migration/back_up.cc": PRUNING,
    "migrate/migration/after_pruning_on.cc": PRUNING,
    # Without what a check says of a CRD that was changed meanwhile.
    "migrate/check/crd_guard.cc": (r'return (?:std::string\()?"((?!.*while its objects)[^"]+)"',),
    "migrate/check/crd_objects.cc": (r'return "(the Custom[^"]+)"', r'why = "([^"]+)"'),
    "migrate/rewrite/migration_state.cc": (r'Error\("(another migration of )', r'"(no folder for the state[^";:]+)'),
    "plugin/command/serving_news.cc": (r'" (turned away so far)',),
    "migrate/rewrite/backup.cc": (r'Error\("(cannot write the backup)',),
    "migrate/rewrite/exchange_pool.cc": (r'on_wait_\("(nothing was written for )', r'" (objects failed in the same way)'),
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
                self.assertNotEqual("sample", block.language, f"{block.place}: no commands")
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


def named_paths(text):
    """Files and folders of the project in code marks (each word of a command) and in cells of tables."""
    words = [word for code in re.findall(r"`([^`\n]+)`", text) for word in code.split()]
    words += [word for row in re.findall(r"^\|.*\|$", text, re.MULTILINE) for word in re.split(r"[\s`|,;:()]+", row)]
    tops = "|".join(FOLDERS)
    return sorted({word for word in words if re.fullmatch(rf"(?:{tops})(?:/[\w.-]+)+/?|\w+\.md", word)})


def missing_paths(text):
    """Those that do not exist; a document by its name alone is at the root or in docs."""
    return [path for path in named_paths(text)
            if not (ROOT / path).exists() and not ("/" not in path and (ROOT / "docs" / path).exists())]


def decision_faults(text):
    """What a decision lacks: its date, its status, what was decided."""
    wanted = {"Date": r"^Date: \d{4}-\d\d-\d\d$", "Status": r"^Status: \w", "Decision": r"^## Decision\n\n\S"}
    return [name for name, pattern in wanted.items() if not re.search(pattern, text, re.MULTILINE)]


class Architecture(unittest.TestCase):
    maxDiff = None
    ARCHITECTURE = ROOT / "docs/ARCHITECTURE.md"
    DECISIONS = sorted((ROOT / "docs/decisions").glob("*.md"))

    def test_what_it_and_the_decisions_name_exists(self):
        paths = [self.ARCHITECTURE, *self.DECISIONS]
        self.assertGreaterEqual(len(named_paths(self.ARCHITECTURE.read_text(encoding="utf-8"))), 40)
        self.assertEqual([], [f"{path.relative_to(ROOT)}: {name}" for path in paths
                              for name in missing_paths(path.read_text(encoding="utf-8"))])

    def test_what_is_gone_is_found(self):
        text = "| `kube/no/file.cc` | krew/no.sh |\n`python3 tests/no.py .` `kube/json`, `NO.md`, apps/v1\n"
        self.assertEqual(["NO.md", "krew/no.sh", "kube/no/file.cc", "tests/no.py"], missing_paths(text))

    def test_is_short(self):
        self.assertLessEqual(self.ARCHITECTURE.stat().st_size, MOST_ARCHITECTURE_BYTES)

    def test_names_every_room_in_its_table(self):
        text = self.ARCHITECTURE.read_text(encoding="utf-8").split("\n```mermaid")[0]
        rows = [row for row in text.split("\n") if row.startswith("| `")]
        named = [room for row in rows for room in re.findall(r"`([^`]+)`", row.split("|")[1])]
        self.assertEqual(sorted(rooms.ROOMS), sorted(named))

    def test_each_decision_has_its_number_date_status_and_decision(self):
        self.assertTrue(self.DECISIONS)
        for number, path in enumerate(self.DECISIONS, 1):
            text = path.read_text(encoding="utf-8")
            self.assertTrue(path.name.startswith(f"{number:04d}-"), path.name)
            self.assertTrue(text.startswith(f"# {number}. "), path.name)
            self.assertEqual([], decision_faults(text), path.name)

    def test_a_decision_without_one_of_them_is_found(self):
        self.assertEqual(["Date", "Status", "Decision"], decision_faults("# 1. A\n\nDate: soon\n\n## Decision\n"))


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
