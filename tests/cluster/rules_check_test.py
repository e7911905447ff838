"""What `check` foretells of the rules of CRDs (x-kubernetes-validations) is what a real API server says.

rules_check_test.py BINARY [STEP] [TEST...]: of the CRDs of the corpus with rules every STEP-th; only tests whose names
hold one of TEST. Exit code 77 (skipped) without a crd_server (crd_server/build.sh).
"""
import json
import os
import re
import sys
import unittest

import ruled
from cluster import wait_for
from corpus import FOLDER
from loop_closes_test import run_check, version_of
from migrations import Migrator, accounting_errors, stored_versions
from newer_cluster import NewerCluster, RELEASE
from ruled import GROUP, RuleComparison, Subject, folded, object_of
from runner import end, run_tests
from stored_diff import parse
from subjects import V1_CRDS, crd_of, errors_of
import report_schema  # of tests/support, which loop_closes_test put on the path

BINARY = None
CLUSTER = None
STEP = 12
MOST_OBJECTS = 12  # of a CRD of the corpus
COMPARED_AT_ONCE = 10  # CRDs
# Rows of ruled.py whose rules look at what a value was.
OF_OLD_VALUES = {"grows", "stays", "once", "again", "keyed"}
# What is asked of: the place of rules.
EXPLAINED = {"fails": "spec.fails", "two": "spec.two", "items": "spec.items[*]", "values": "spec.values.*",
             "told": "spec.told", "untold": "spec.untold", "either": "spec.either", "absent": "spec.absent",
             "unlike": "spec.unlike", "same": "spec.same[*]", "set": "spec.set", "a-b": "spec.a-b", "costly": "spec.costly"}
MIGRATED = ("holds", "fails", "items", "grows", "again", "absent", "fixes", "breaks")


class RulesCheck(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)

    def test_objects_are_refused_tolerated_and_taken_as_foretold(self):
        found = RuleComparison(CLUSTER, BINARY, ruled.made_up())

        self.compare(found)
        self.assertEqual({(f"rows.{GROUP}", row) for row in ruled.ROWS},
                         {(crd, one.rpartition("-")[0]) for crd, one in found.said if crd.startswith("rows.")})
        for (crd, one), errors in found.foretold_of_files.items():
            is_of_old = one.rpartition("-")[0] in OF_OLD_VALUES or one == "small"
            self.assertEqual((found.said if is_of_old else found.said_anew)[crd, one], errors, (crd, one))
        # None of the ways to end is missing.
        self.assertTrue(any(found.said.values()))
        self.assertTrue(any(found.warned[name] and not errors for name, errors in found.said.items()))
        self.assertTrue(any(not found.warned[name] and not errors for name, errors in found.said_anew.items()))

    def test_rules_touch_the_objects_whose_answer_they_change(self):
        subject = ruled.changes()
        found = RuleComparison(CLUSTER, BINARY, [subject])

        self.compare(found)
        told = {one["path"]: one for one in found.crds[subject.name]["changes"] if one["kind"] == "validations"}
        for row in ruled.CHANGES:
            names = [name for name in found.said if name[1].rpartition("-")[0] == row]
            changed = sum(bool(found.said_before[name]) != bool(found.said_anew[name]) for name in names)
            change = told.get(f"spec.{row}", {"objects": 0, "transition": False})
            self.assertEqual(changed, change["objects"], row)
            self.assertEqual(row == "later", change.get("transition", False), row)

    def test_real_crds_refuse_what_is_foretold(self):
        if not FOLDER.exists():
            self.skipTest(f"no corpus: {FOLDER}")
        subjects = list(ruled.of_corpus(self.api, STEP, MOST_OBJECTS))
        refused = 0
        for first in range(0, len(subjects), COMPARED_AT_ONCE):
            found = RuleComparison(CLUSTER, BINARY, subjects[first:first + COMPARED_AT_ONCE])
            self.compare(found)
            refused += sum(map(bool, found.said_anew.values()))
        self.assertGreater(refused, len(subjects))

    def compare(self, found):
        self.assertEqual(found.said, found.foretold)
        self.assertEqual(found.said, found.labelled)
        for subject in found.subjects:
            with self.subTest(subject.name):
                report = found.crds[subject.name]
                version = next(one for one in report["versions"] if one["name"] == subject.version)
                errors_of_crd = [errors for (crd, _), errors in found.said.items() if crd == subject.name]
                self.assertEqual(sum(map(bool, errors_of_crd)), version["objectsInvalid"])
                self.compare_tolerated(found, subject, version)
                self.compare_created(found, subject, report)

    def compare_tolerated(self, found, subject, version):
        """Of rules the server warns of what it tolerates; of other errors it says nothing then."""
        counted = {}
        for one in version["invalidFields"]:
            name = subject.name, one["examples"][0].rpartition("/")[2]
            self.assertEqual(one["tolerated"], one["message"] not in found.said[name], one)
            if one["tolerated"] and one["message"] in found.warned[name]:
                counted.setdefault(folded(one["path"]), []).append(one["objects"])
            elif one["tolerated"] and not one["path"].startswith("status"):  # which no creation brings
                self.assertIn(one["message"], found.said_anew[name])
        warned = found.warned_at(subject.name)
        self.assertEqual(set(warned), set(counted))
        for path, names in warned.items():
            self.assertTrue(max(counted[path]) <= len(names) <= sum(counted[path]), (path, names, counted[path]))

    def compare_created(self, found, subject, report):
        if not subject.objects:
            return
        created = report["fileObjects"]
        refused = [one for (crd, one), errors in found.said_anew.items() if crd == subject.name and errors]
        self.assertEqual(len(refused), created["objectsInvalid"], (refused, created["invalidFields"]))
        for one in created["invalidFields"]:
            self.assertIn(one["message"], found.said_anew[subject.name, one["examples"][0].rpartition("/")[2]])

    def test_crds_with_broken_rules_are_blocked_in_the_words_of_the_server(self):
        crds = ruled.broken()
        for crd in crds[::4]:  # these are updated
            subject = Subject(crd, {})
            self.addCleanup(CLUSTER.api().request, "DELETE", f"{V1_CRDS}/{subject.name}")
            self.api.post(V1_CRDS, subject.open)
        path = CLUSTER.folder / "broken.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": crds}))

        live = run_check(CLUSTER, BINARY, "-f", str(path))
        local = run_check(CLUSTER, BINARY, "--local", "-f", str(path))

        for i, crd in enumerate(crds):
            name = crd["metadata"]["name"]
            with self.subTest(name):
                said = sorted(re.sub(r"selfType\d+", "selfType", error)  # named by the server's clock
                              for error in self.said_of_crd(crd, is_update=i % 4 == 0))
                self.assertTrue(said)
                for report in (live[name], local[name]):
                    # What is not structural stands where the condition of the CRD has it.
                    told = [*(one["message"].replace("spec.versions[0].schema.", "spec.validation.")
                              for one in report["problems"]), *(one["message"] for one in report["admissionProblems"])]
                    self.assertEqual(said, sorted(told))
                    self.assertEqual("blocked", report["verdict"])

    def said_of_crd(self, crd, is_update):
        if not is_update:
            return errors_of(*self.api.request("POST", f"{V1_CRDS}?dryRun=All", crd), crd["metadata"]["name"])
        path = f"{V1_CRDS}/{crd['metadata']['name']}"
        changed = {**self.api.get(path), "spec": crd["spec"]}
        return errors_of(*self.api.request("PUT", f"{path}?dryRun=All", changed), path)

    def test_limits_that_help_are_taken_and_larger_ones_refused(self):
        crds = [*ruled.costly(), *ruled.of_corpus_without_limits(self.api, STEP)]
        path = CLUSTER.folder / "costly.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": crds}))

        reports = run_check(CLUSTER, BINARY, "--local", "-f", str(path))

        helped = 0
        for crd in crds:
            name = crd["metadata"]["name"]
            limits = reports[name].get("costLimits", [])
            with self.subTest(name, limits=limits):
                self.assertEqual(bool(self.costs_said_of(crd)), bool(limits))
                self.assertEqual([], self.costs_said_of(ruled.with_limits(crd, limits)))
                if limits:
                    self.assertTrue(self.costs_said_of(ruled.with_limits(crd, limits, more=1)))
                    helped += 1
        self.assertGreater(helped, len(ruled.costly()))

    def costs_said_of(self, crd):
        answer = self.api.request("POST", f"{V1_CRDS}?dryRun=All", crd)
        return [error for error in errors_of(*answer, crd["metadata"]["name"]) if " cost " in error]

    def test_migrate_ends_with_the_objects_that_are_foretold_as_invalid(self):
        subject = self.bring_in_older()
        report = run_check(CLUSTER, BINARY, subject.name)[subject.name]
        foretold = {one["name"]: one["invalid"] for one in report["objects"] if one["invalid"]}
        said, warned = {}, {}
        for one in subject.objects:
            said[one["metadata"]["name"]] = ruled.said_to_no_change(self.api, subject, one)
            warned[one["metadata"]["name"]] = set(self.api.warnings)
        migrator = Migrator(CLUSTER, BINARY)

        tried = migrator.run(subject.name, "--dry-run=server")
        run = migrator.run(subject.name, "--yes")

        refused = {name: errors for name, errors in said.items() if errors}
        self.assertTrue(refused)
        self.assertEqual(refused, foretold)
        self.assertEqual({"accepted": len(said) - len(refused), "invalid": len(refused)}, tried.counts(), tried)
        self.assertEqual({"rewritten": len(said) - len(refused), "invalid": len(refused)}, run.counts(), run)
        self.assertEqual([], accounting_errors(run, len(said)), run)
        for told in (tried, run):
            self.compare_warnings(subject, warned, told)
        self.assertEqual((1, ["v1beta1", "v1"]), (run.code, stored_versions(self.api, subject)))
        failures = {one["name"]: one for one in run.crd()["failures"]}
        self.assertEqual(set(refused), set(failures))
        for name, errors in refused.items():
            self.assertTrue(all(error in failures[name]["message"] for error in errors), failures[name])
        stored = map(parse, CLUSTER.etcd_range(f"/registry/{GROUP}/migrated/").values())
        self.assertEqual({name: "v1beta1" if errors else "v1" for name, errors in said.items()},
                         {one["metadata"]["name"]: version_of(one) for one in stored})

    def compare_warnings(self, subject, warned, run):
        """Each warning of the server is told once, with the objects that it is of."""
        objects_of = {}
        for name, texts in warned.items():
            for text in texts:
                objects_of.setdefault(ruled.without_values(text), set()).add(name)
        self.assertTrue(objects_of)
        told = {}
        for text, count, example in re.findall(
                rf"^Warning: {re.escape(subject.name)}: (.*) \((?:(\d+) objects, such as )?default/(\S+)\)$", run.stderr,
                re.MULTILINE):
            self.assertIn(text, warned[example])
            self.assertNotIn(ruled.without_values(text), told)
            told[ruled.without_values(text)] = int(count or 1)
        self.assertEqual({text: len(names) for text, names in objects_of.items()}, told, run.stderr)

    def test_restore_ends_with_the_objects_that_are_foretold_as_invalid(self):
        subject, backup, closed = self.prune_what_a_backup_has()

        def restore(*arguments):
            run = CLUSTER.run([BINARY, "restore", str(backup), f"--pruned-by={closed}", "--recreate", "-o", "json",
                               *arguments])
            crd, = json.loads(run.stdout)["crds"]
            return run.returncode, {key: count for key, count in crd["counts"].items() if count}, refusals_of(crd)

        foretold = restore("--dry-run=client")
        tried = restore("--dry-run=server")
        done = restore()

        self.assertEqual({"high", "both", "same", "behind", "alone", "long", "refused", "half"}, set(done[2]))
        self.assertEqual(done, foretold)
        # Of an object that it would create the server cannot try the second write.
        self.assertEqual({name: errors for name, errors in done[2].items() if name != "half"}, tried[2])

    def prune_what_a_backup_has(self):
        """Returns the subject, whose schema would keep all that the backup has, the backup and the CRD that pruned."""
        subject = Subject(crd_of(GROUP, "restored", ruled.CLOSED), ruled.TO_BE_PUT_BACK)
        self.addCleanup(CLUSTER.api().request, "DELETE", f"{V1_CRDS}/{subject.name}")
        subject.create(self.api)
        backup, closed = CLUSTER.folder / "restored.json", CLUSTER.folder / "closed.json"
        backup.write_text(json.dumps(self.api.get(subject.path)))
        closed.write_text(json.dumps(subject.proposal))
        subject.propose(self.api)
        for one in subject.objects:
            place = f"{subject.path}/{one['metadata']['name']}"
            self.api.patch(place, {"metadata": {"labels": {"seen": "yes"}}})
            if one["metadata"]["name"] in ruled.GONE:
                self.api.delete(place)
        subject.change(self.api, ruled.MENDED, subresources={"status": {}})
        return subject, backup, closed

    def test_explain_says_of_each_value_what_the_server_says(self):
        spec = object_of(**{row: ruled.ROWS[row][0] for row in EXPLAINED})
        subject = Subject(crd_of(GROUP, "explained", object_of(spec=spec)),
                          {f"{row.lower()}-{i}": {"spec": {row: value}} for row in EXPLAINED
                           for i, value in enumerate(ruled.ROWS[row][1])})
        self.addCleanup(CLUSTER.api().request, "DELETE", f"{V1_CRDS}/{subject.name}")
        subject.create(self.api)
        subject.propose(self.api)
        said, explained = {}, {}
        for row, place in EXPLAINED.items():
            for i in range(len(ruled.ROWS[row][1])):
                one = f"{row.lower()}-{i}"
                explained[one] = sorted(self.explain(subject, place, one))
                live = next(each for each in subject.objects if each["metadata"]["name"] == one)
                self.api.delete(f"{subject.path}/{one}")
                said[one] = ruled.said_to_a_create(self.api, subject, live)
        self.assertEqual(said, explained)
        self.assertTrue(any(said.values()))

    def explain(self, subject, place, name):
        run = CLUSTER.run([BINARY, "check", subject.name, "--explain", place, f"--object=default/{name}", "-o", "json"])
        report = json.loads(run.stdout)
        report_schema.require_valid(report)
        self.assertTrue(RELEASE.startswith(report["release"]), report)
        said = [value["error"] for rule in report["rules"] for value in rule["values"] if value["result"] != "true"]
        self.assertEqual(1 if said else 0, run.returncode, run)
        return said

    def bring_in_older(self):
        """Objects that are stored in a version before the storage version, and were there before the rules."""
        rows = {row: ruled.ROWS[row] for row in MIGRATED}
        crd = crd_of(GROUP, "migrated", object_of(spec=object_of(**{row: schema for row, (schema, _) in rows.items()})))
        subject = Subject(crd, {f"{row}-{i}": {"spec": {row: value}} for row, (_, values) in rows.items()
                                for i, value in enumerate(values)})
        for manifest, storage in ((subject.open, "v1beta1"), (subject.proposal, "v1")):
            version, = manifest["spec"]["versions"]
            manifest["spec"]["versions"] = [{**version, "name": name, "storage": name == storage}
                                            for name in ("v1", "v1beta1")]
        self.addCleanup(CLUSTER.api().request, "DELETE", f"{V1_CRDS}/{subject.name}")
        subject.create(self.api)
        subject.propose(self.api)
        wait_for("v1 is not the storage version",
                 lambda: stored_versions(self.api, subject) == ["v1beta1", "v1"])
        return subject


def refusals_of(crd):
    """{object: errors} of a RestoreReport."""
    errors = {}
    for one in crd["failures"]:
        text = one["message"].partition(" is invalid: ")[2]
        errors[one["name"]] = sorted(re.split(r", (?=spec|status|<nil>)", text.strip("[]")))
    return errors


def main():
    global BINARY, CLUSTER, STEP
    BINARY, tests = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if tests and tests[0].isdigit():
        STEP = int(tests.pop(0))
    with NewerCluster() as CLUSTER:
        return run_tests(sys.modules[__name__], tests)


if __name__ == "__main__":
    end(main)
