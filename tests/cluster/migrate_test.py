"""`kubectl-prune migrate` on a real API server: etcd ends as `check` foretold, and nothing else changes.

migrate_test.py BINARY [OBJECTS [TEST...]]: OBJECTS (5,000) is the size of the large migration; only
tests whose names hold one of TEST. Exit code 77 (skipped) without a server.
"""
import json
import os
import re
import sys
import unittest

from cluster import Cluster, wait_for
from generated import generated_subjects
from loop_closes_test import (Outcome, bring_in, compare_rewrites, create_namespaces, run_check,
                              version_of)
from migrations import (GROUP, NEW_SCHEMA, Migrator, Stored, accounting_errors, add_widgets,
                        as_backed_up, bring_in_widgets, delete_crd, foretell, migration_differences,
                        schema_of, stored_versions, turn_pruning_on, widgets)
from proxy import Balancer, Proxy
from rights import MIGRATION, WITHOUT_PATCH, Rights
from runner import end, run_tests
from stored_diff import parse
from subjects import V1_CRDS, V1BETA1_CRDS, Subject, crd_of

BINARY = None
CLUSTER = None
OBJECTS = 5000

SEED = 4
GENERATED = 16


def changed_names(report, version):
    """Returns (namespace, name) of the objects that lose a field by the schema of `version`."""
    return {(item["namespace"], item["name"]) for item in report["objects"]
            if item["prunedPaths"].get(version)}


def writes_of(user, seen):
    """Returns what `user` wrote since `seen` events, but reviews and dry runs."""
    return [event for event in CLUSTER.audit_events(user)[seen:]
            if event[0] not in ("get", "list", "watch") and "/selfsubject" not in event[1]
            and "dryRun=All" not in event[1]]


class MigrationTest(unittest.TestCase):
    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.migrator = Migrator(CLUSTER, BINARY)

    def bring_in(self, subject):
        self.addCleanup(delete_crd, CLUSTER.api(), subject.name)
        bring_in_widgets(CLUSTER, subject)
        return subject

    def pruning_widgets(self, plural, count, **options):
        """Brings in widgets that prune already, so that every one in five is clean."""
        subject = self.bring_in(add_widgets(widgets(plural, **options), count))
        turn_pruning_on(self.api, subject)
        return subject

    def grant(self, user, rules):
        rights = Rights(CLUSTER, user, rules)
        self.addCleanup(rights.take)
        return rights

    def assert_done(self, run, listed):
        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, listed), run)

    def assert_refused(self, run, *texts):
        """Exit code 2, and stderr or the report says why."""
        self.assertEqual(2, run.code, run)
        for text in texts:
            if text not in run.stderr + run.stdout:
                self.fail(f'"{text}" is not said: {run}')


class EndToEnd(MigrationTest):
    def migrate_and_compare(self, subject, count, *flags, **options):
        report = foretell(CLUSTER, BINARY, subject)
        before = Stored(CLUSTER, subject)
        self.assertEqual({"v1": count // 2, "v1beta1": count - count // 2}, dict(before.versions()))

        run = self.migrator.run(subject.name, "--enable-pruning", "--yes", *flags, **options)

        self.assert_done(run, count)
        after = Stored(CLUSTER, subject)
        self.assertEqual([], migration_differences(subject, report, before.objects,
                                                   after.objects)[:5])
        migrated = run.crd()
        self.assertTrue(migrated["verified"])
        self.assertEqual(["v1"], stored_versions(self.api, subject))
        self.assertEqual({"before": ["v1beta1", "v1"], "after": ["v1"]}, migrated["storedVersions"])
        changed = changed_names(report, "v1")
        self.assertEqual(len(changed), migrated["counts"]["rewritten"])
        self.assertEqual(count - count // 2, migrated["beforeFlip"]["rewritten"])
        for name, stored in after.objects.items():  # known to v1 alone, stored as v1beta1
            self.assertIn("color", stored["spec"], name)
        self.compare_backup(migrated["backup"], before, changed)
        self.rewrites_nothing(subject, count, after)
        return before, after, migrated

    def compare_backup(self, path, before, changed):
        backup = self.migrator.backup_objects(path)
        self.assertEqual(changed, set(backup))
        for name, saved in backup.items():
            self.assertEqual(as_backed_up(before.objects[name]), as_backed_up(saved), name)
        self.assertEqual(0o600, os.stat(path).st_mode & 0o777)
        beside = re.sub(r"\.ndjson$", ".crd.json", path)
        self.assertEqual(0o600, os.stat(beside).st_mode & 0o777)
        self.assertEqual(sorted(map(os.path.basename, (beside, path))), sorted(os.listdir(self.migrator.backups)))

    def rewrites_nothing(self, subject, count, after):
        again = self.migrator.run(subject.name, "--enable-pruning", "--yes")

        self.assert_done(again, count)
        self.assertEqual({"unchanged": count}, again.counts())
        self.assertEqual(after.raw, Stored(CLUSTER, subject).raw)

    def test_many_objects_of_two_stored_versions(self):
        subject = self.bring_in(add_widgets(widgets(), OBJECTS))
        self.migrate_and_compare(subject, OBJECTS)

    def test_status_subresource(self):
        subject = self.bring_in(add_widgets(widgets("gauges", status_subresource=True), 60))
        self.migrate_and_compare(subject, 60)

    def test_cluster_scoped(self):
        subject = self.bring_in(add_widgets(widgets("planets", namespaced=False), 60))
        self.migrate_and_compare(subject, 60)

    def test_cluster_scoped_with_status_subresource_in_small_chunks(self):
        subject = self.bring_in(add_widgets(
            widgets("moons", namespaced=False, status_subresource=True), 60))
        report = foretell(CLUSTER, BINARY, subject)
        before = Stored(CLUSTER, subject)

        run = self.migrator.run(subject.name, "--enable-pruning", "--yes", "--chunk-size=7")

        self.assert_done(run, 60)
        self.assertEqual([], migration_differences(subject, report, before.objects,
                                                   Stored(CLUSTER, subject).objects))

    def test_a_user_with_no_more_rights_than_are_named_can_do_it(self):
        self.grant("migrator", MIGRATION)
        subject = self.bring_in(add_widgets(widgets("rights"), 60))
        self.migrate_and_compare(subject, 60, user="migrator")

    def test_a_user_who_may_update_but_not_patch_can_do_it(self):
        self.grant("updater", WITHOUT_PATCH)
        subject = self.bring_in(add_widgets(widgets("updates"), 60))
        seen = len(CLUSTER.audit_events("updater"))

        self.migrate_and_compare(subject, 60, user="updater")

        verbs = {verb for verb, path, _ in CLUSTER.audit_events("updater")[seen:]
                 if f"/{subject.plural}/" in path}
        self.assertIn("update", verbs)
        self.assertNotIn("patch", verbs)

    def test_in_a_single_pass_fields_that_only_the_storage_version_knows_are_lost_as_foretold(self):
        subject = self.bring_in(add_widgets(widgets("singles"), 60))
        report = foretell(CLUSTER, BINARY, subject)
        before = Stored(CLUSTER, subject)

        run = self.migrator.run(subject.name, "--enable-pruning", "--yes", "--single-pass")

        self.assert_done(run, 60)
        after = Stored(CLUSTER, subject)
        self.assertEqual([], migration_differences(subject, report, before.objects, after.objects,
                                                   single_pass=True))
        lost = {use["path"]: use["objects"] for use in report["storageMigration"]["prunedFields"]}
        self.assertIn("spec.color", lost)
        for name, stored in after.objects.items():
            self.assertEqual(version_of(before.objects[name]) == "v1", "color" in stored["spec"])
        self.assertFalse(run.crd().get("beforeFlip"))

    def test_a_backup_brings_fields_back_once_the_schema_is_fixed(self):
        subject = self.bring_in(add_widgets(widgets("backups", two_versions=False), 20))
        before = Stored(CLUSTER, subject)
        run = self.migrator.run(subject.name, "--enable-pruning", "--yes")
        self.assert_done(run, 20)
        name = ("shop", "w00001")
        self.assertIn("legacyMode", before.objects[name]["spec"])
        self.assertNotIn("legacyMode", Stored(CLUSTER, subject).objects[name]["spec"])
        self.fix(subject)
        line = next(line for line in open(run.crd()["backup"], encoding="utf-8")
                    if parse(line)["metadata"]["name"] == name[1])
        (self.migrator.folder / "one.json").write_text(line)

        # The document that kubectl validates by is built some seconds after the CRD has changed.
        replaced = CLUSTER.kubectl("replace", "--validate=false", "-f",
                                   str(self.migrator.folder / "one.json"))

        self.assertEqual(0, replaced.returncode, replaced.stderr)
        self.assertEqual(before.objects[name]["spec"], Stored(CLUSTER, subject).objects[name]["spec"])

    def fix(self, subject):
        """Adds legacyMode to the schema, and waits until the server stores it."""
        schema = json.loads(json.dumps(NEW_SCHEMA))
        schema["properties"]["spec"]["properties"]["legacyMode"] = {
            "x-kubernetes-preserve-unknown-fields": True}
        self.api.patch(f"{V1BETA1_CRDS}/{subject.name}",
                       {"spec": {"validation": {"openAPIV3Schema": schema}}})
        probe = {"apiVersion": f"{GROUP}/v1", "kind": subject.kind, "metadata": {"name": "probe"},
                 "spec": {"legacyMode": "kept"}}

        def kept():
            path = f"{subject.collection('v1', 'default')}"
            made = self.api.post(f"{path}?dryRun=All", probe)
            return "legacyMode" in made["spec"]

        wait_for("the fixed schema", kept)

    def test_all_migrates_what_can_be_and_leaves_the_rest(self):
        subjects = [s for s in generated_subjects(SEED, GENERATED) if not s.proposed]
        self.addCleanup(lambda: [delete_crd(CLUSTER.api(), s.name) for s in subjects])
        outcome = Outcome()
        create_namespaces(self.api, subjects)
        bring_in(CLUSTER, self.api, subjects, outcome)
        self.assertEqual([], outcome.differences)
        reports = run_check(CLUSTER, BINARY, *(s.name for s in subjects))
        due = [s for s in subjects if reports[s.name]["verdict"] in ("ready", "loses-fields")]
        self.assertGreater(len(due), 3)
        before = {s.name: Stored(CLUSTER, s) for s in subjects}

        run = self.migrator.run("--all", "--enable-pruning", "--yes")

        self.assertEqual([], accounting_errors(run))
        self.assertEqual({s.name for s in due}, {crd["name"] for crd in run.report["crds"]})
        stopped = [s for s in due if run.crd(s.name)["failures"]]
        self.assertEqual(1 if stopped else 0, run.code, run)
        self.assertLess(len(stopped), len(due) / 2)
        for subject in subjects:
            after = Stored(CLUSTER, subject)
            if subject not in due:
                self.assertEqual(before[subject.name], after)
            elif subject not in stopped:
                self.compare_generated(subject, reports[subject.name], before[subject.name], after)
        self.in_a_single_pass(stopped)

    def in_a_single_pass(self, subjects):
        """Nulls that the schema does not allow are dropped only by a server that prunes. Until then
        an object with one is invalid, and keeps what is stored in two versions from being rewritten
        ahead of the flip."""
        for subject in subjects:
            self.assertTrue(self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["preserveUnknownFields"])
            run = self.migrator.run(subject.name, "--enable-pruning", "--yes", "--single-pass")
            self.assertEqual(0, run.code, run)
            self.assertEqual([subject.storage], stored_versions(self.api, subject))
            self.assertEqual({subject.storage}, set(Stored(CLUSTER, subject).versions()))

    def compare_generated(self, subject, report, before, after):
        """Everything was stored in the storage version when pruning began: its schema alone prunes."""
        self.assertEqual([subject.storage], stored_versions(self.api, subject))
        outcome = Outcome()
        stored = {name: {**one, "apiVersion": f"{subject.group}/{subject.storage}"}
                  for name, one in before.objects.items()}
        compare_rewrites(subject, report, stored, after.objects, set(stored), outcome)
        self.assertEqual([], outcome.differences)

    def test_an_object_written_at_the_moment_of_the_flip_is_backed_up_as_written_or_held(self):
        subject = self.bring_in(add_widgets(widgets("moments", two_versions=False), 40))
        path = f"{subject.collection('v1', 'shop')}/w00001"
        written, flips = [], []

        def write(method, request_path):
            if (method in ("PATCH", "PUT") and "dryRun" not in request_path
                    and f"customresourcedefinitions/{subject.name}" in request_path
                    and "/status" not in request_path):
                flips.append(request_path)
                written.append(CLUSTER.api().patch(path, {"spec": {"legacyMode": "just now"}}))

        with Proxy(CLUSTER, write) as proxy:
            run = self.migrator.run(subject.name, "--enable-pruning", "--yes", user="admin",
                                    port=proxy.port)

        self.assertEqual(1, len(flips))
        backup = self.migrator.backup_objects(run.crd()["backup"])
        stored = Stored(CLUSTER, subject).objects["shop", "w00001"]
        if run.counts().get("held"):
            self.assertEqual(1, run.code, run)
            self.assertEqual(["w00001"], [f["name"] for f in run.crd()["failures"]])
            self.assertEqual("just now", stored["spec"]["legacyMode"])  # still in etcd
        else:
            self.assertEqual(0, run.code, run)
            self.assertEqual("just now", backup["shop", "w00001"]["spec"]["legacyMode"])
            self.assertNotIn("legacyMode", stored["spec"])


def schema_with(**constraints):
    return {"type": "object", "properties": {"a": {"type": "string"}}, **constraints}


P_OR_Q = [{"required": ["p"]}, {"required": ["q"]}]

# By name: a schema, and a value that is valid by it as long as p stays, or the null.
BROKEN_BY_PRUNING = {
    "required": (schema_with(required=["p"]), {"p": 1}),
    "too-small": (schema_with(minProperties=2), {"a": "b", "p": 1}),
    "enum": (schema_with(enum=[{"a": "b", "p": 1}]), {"a": "b", "p": 1}),
    "any": (schema_with(anyOf=P_OR_Q), {"p": 1}),
    "one": (schema_with(oneOf=P_OR_Q), {"p": 1}),
    "all": (schema_with(allOf=[{"required": ["p"]}, {"minProperties": 2}]), {"p": 1, "q": 2}),
    "null": ({"type": "object", "required": ["n"],
              "properties": {"n": {"x-kubernetes-preserve-unknown-fields": True}}}, {"n": None}),
    "not": (schema_with(**{"not": {"maxProperties": 0}}), {"p": 1}),
    "list": ({"type": "array", "items": schema_with(required=["p"])}, [{"p": 1}]),
    "map": ({"type": "object", "additionalProperties": schema_with(minProperties=1)},
            {"x": {"p": 1}, "y": {"a": "b"}}),
}
# The same, where it stays valid; duplicates that pruning makes are tolerated in what has them.
LEFT_VALID = {
    "optional": (schema_with(required=["a"], minProperties=1), {"a": "b", "p": 1}),
    "not-more": (schema_with(maxProperties=2), {"a": "b", "p": 1}),
    "any-kept": (schema_with(anyOf=[{"required": ["a"]}, {"required": ["p"]}]), {"a": "b", "p": 1}),
    "set": ({"type": "array", "x-kubernetes-list-type": "set",
             "items": schema_with(**{"x-kubernetes-map-type": "atomic"})},
            [{"a": "b", "p": 1}, {"a": "b", "p": 2}]),
}


def causes(status):
    """Returns what the server refuses, one text each, without what server versions word differently:
    how large an object is, and which element of a list it is."""
    return {without_details(f"{cause['field']}: {cause['message']}")
            for cause in status["details"]["causes"]}


def without_details(text):
    text = re.sub(r"Invalid value: \d+: (.* properties)$", r"Invalid value: \1", text)
    text = re.sub(r"Unsupported value: .*: supported values: .*", "Unsupported value", text)
    return re.sub(r"\[\d+\]", "", text)


class InvalidOncePruned(MigrationTest):
    def subject(self):
        fields = {**BROKEN_BY_PRUNING, **LEFT_VALID}
        schema = schema_of(**{name: schema for name, (schema, _) in fields.items()})
        subject = Subject(GROUP, "breakables", "Breakable", namespaced=True, schemas={"v1": schema},
                          storage="v1", schema_first=True)
        for name, (_, value) in fields.items():
            subject.add_object(name, {"spec": {name: value}}, namespace="shop")
        # This one shows that the server prunes.
        subject.add_object("old", {"spec": {"legacyMode": True}}, namespace="shop")
        return self.bring_in(subject)

    def refusals(self, subject):
        """Returns the causes for which the server refuses an update of each object."""
        path = subject.collection("v1", "shop")
        answers = {item.body["metadata"]["name"]: self.api.request(
            "PATCH", f"{path}/{item.body['metadata']['name']}?dryRun=All", {},
            "application/merge-patch+json") for item in subject.objects}
        return {name: causes(status) for name, (code, status) in answers.items() if code == 422}

    def test_objects_that_pruning_makes_invalid_are_foretold_in_the_words_of_the_server(self):
        subject = self.subject()
        self.assertEqual({}, self.refusals(subject))

        version = foretell(CLUSTER, BINARY, subject)["versions"][0]
        turn_pruning_on(self.api, subject)

        self.assertEqual(len(BROKEN_BY_PRUNING), version["objectsInvalidOncePruned"])
        foretold = dict(text.split(": ", 1) for text in version["invalidOncePruned"])
        refused = self.refusals(subject)
        self.assertEqual(set(BROKEN_BY_PRUNING), set(refused))
        self.assertEqual({f"shop/{name}" for name in refused}, set(foretold))
        for name, why in refused.items():
            text = foretold[f"shop/{name}"]
            errors = text[1:-1].split(", spec") if text.startswith("[") else [text]
            errors = [error if number == 0 else f"spec{error}" for number, error in enumerate(errors)]
            self.assertEqual(why, {without_details(error) for error in errors})


class Parts(MigrationTest):
    """Dry runs and parts of the objects."""

    def dry_run(self, subject, *arguments):
        before, seen = Stored(CLUSTER, subject), len(CLUSTER.audit_events("migrator"))
        with Rights(CLUSTER, "migrator", MIGRATION):
            run = self.migrator.run(subject.name, *arguments, user="migrator")
        self.assertEqual(0, run.code, run)
        self.assertEqual(before, Stored(CLUSTER, subject))
        self.assertEqual([], writes_of("migrator", seen))
        self.assertFalse(self.migrator.backups.exists())
        return run

    def test_a_dry_run_by_the_client_writes_nothing(self):
        subject = self.bring_in(add_widgets(widgets("drys"), 60))
        self.dry_run(subject, "--enable-pruning", "--dry-run=client")

    def test_a_dry_run_by_the_server_writes_nothing(self):
        subject = self.bring_in(add_widgets(widgets("dryers"), 60))
        run = self.dry_run(subject, "--enable-pruning", "--dry-run=server")
        self.assertEqual({"accepted": 60}, run.counts())

    def test_dry_runs_of_a_crd_that_prunes_write_nothing(self):
        subject = self.pruning_widgets("dryest", 60)
        self.dry_run(subject, "--dry-run=client")
        run = self.dry_run(subject, "--dry-run=server")
        self.assertEqual({"accepted": 60}, run.counts())

    def test_a_short_list_comes_from_the_watch_cache_behind_its_first_chunk(self):
        subject = self.pruning_widgets("ladders", 250)
        seen = len(CLUSTER.audit_events("migrator"))

        with Rights(CLUSTER, "migrator", MIGRATION):
            run = self.migrator.run(subject.name, "--verify=false", user="migrator")

        self.assert_done(run, 250)
        for name, stored in Stored(CLUSTER, subject).objects.items():
            self.assertNotIn("legacyMode", stored["spec"], name)
        lists = [(path.split("?")[1], code) for verb, path, code
                 in CLUSTER.audit_events("migrator")[seen:] if verb == "list" and "/ladders?" in path]
        # The first one is a look at what etcd may hold that nobody sees.
        self.assertEqual([("limit=100", 200), ("limit=1&includeObject=None", 200), ("limit=100", 200)], lists[:3])
        self.assertRegex(lists[3][0], r"^resourceVersion=\d+&resourceVersionMatch=NotOlderThan$")
        self.assertEqual([200], [code for _, code in lists[3:]])

    def test_what_is_in_flight_is_spread_over_as_many_connections_as_are_asked_for(self):
        subject = self.pruning_widgets("spreads", 300)

        def busy_connections(*arguments):
            with Balancer(CLUSTER.port) as balancer:
                run = self.migrator.run(subject.name, "--concurrency=8", "--verify=false", *arguments, port=balancer.port)
            self.assert_done(run, 300)
            # One more brings what renews the Lease.
            return sum(brought > max(balancer.brought) / 4 for brought in balancer.brought)

        self.assertEqual(1, busy_connections())
        # While the first ones are being made libcurl makes some more.
        self.assertIn(busy_connections("--connections=4"), range(4, 9))

    def test_in_chunks_that_are_asked_for_etcd_alone_is_read(self):
        subject = self.pruning_widgets("stairs", 150)
        seen = len(CLUSTER.audit_events("migrator"))

        with Rights(CLUSTER, "migrator", MIGRATION):
            run = self.migrator.run(subject.name, "--verify=false", "--chunk-size=500",
                                    user="migrator")

        self.assert_done(run, 150)
        lists = [path.split("?")[1] for verb, path, _ in CLUSTER.audit_events("migrator")[seen:]
                 if verb == "list" and "/stairs?" in path]
        self.assertEqual(["limit=100"] * 2, lists[:2])  # the first for a look at what etcd may hold that nobody sees
        self.assertRegex(lists[2], "^limit=500&continue=")
        self.assertEqual([], lists[3:])

    def partial(self, subject, chosen, *arguments):
        before = Stored(CLUSTER, subject)
        run = self.migrator.run(subject.name, *arguments)
        self.assert_done(run, len(chosen))
        after = Stored(CLUSTER, subject)
        rewritten = after.rewritten_since(before)
        self.assertTrue(rewritten)
        self.assertLessEqual(rewritten, chosen)
        self.assertEqual(len(rewritten), run.counts()["rewritten"])
        self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject))
        self.assertEqual(before.crd, after.crd)
        for name in chosen:
            self.assertNotIn("legacyMode", after.objects[name]["spec"])

    def test_a_part_of_the_objects_is_rewritten_alone_and_storedVersions_stays(self):
        subject = self.pruning_widgets("parts", 60)
        shop = {name for name in Stored(CLUSTER, subject).objects if name[0] == "shop"}
        self.partial(subject, shop, "-n", "shop")
        for number in (2, 4, 6):
            self.api.patch(f"{subject.collection('v1', 'default')}/w{number:05}",
                           {"metadata": {"labels": {"part": "chosen"}}})
        # Those were rewritten by the label; stored again as they were they need a migration anew.
        labelled = {("default", f"w{number:05}") for number in (2, 4, 6)}
        run = self.migrator.run(subject.name, "-l", "part=chosen")
        self.assert_done(run, 3)
        self.assertEqual({"unchanged": 3}, run.counts())
        self.assertLess(len(labelled), 60)
        self.partial(subject, {("default", "w00008")}, "--field-selector", "metadata.name=w00008")
        run = self.migrator.run(subject.name)
        self.assert_done(run, 60)
        self.assertEqual(["v1"], stored_versions(self.api, subject))

    def test_keep_stored_versions_and_verify_false_leave_storedVersions(self):
        subject = self.pruning_widgets("keeps", 30)
        for flag in ("--verify=false", "--keep-stored-versions"):
            run = self.migrator.run(subject.name, flag)
            self.assert_done(run, 30)
            self.assertEqual(flag != "--verify=false", run.crd()["verified"])
            self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject), flag)

    def test_all_without_enable_pruning_takes_crds_with_more_than_one_stored_version(self):
        due = self.pruning_widgets("dues", 20)
        single = self.bring_in(add_widgets(widgets("fines", two_versions=False), 20))
        turn_pruning_on(self.api, single)
        preserving = self.bring_in(add_widgets(widgets("wilds", two_versions=False), 20))

        run = self.migrator.run("--all")

        self.assert_done(run, 20)
        self.assertEqual([due.name], [crd["name"] for crd in run.report["crds"]])
        self.assertIn("legacyMode", Stored(CLUSTER, preserving).objects["shop", "w00001"]["spec"])

    def test_several_crds_each_have_their_own_account(self):
        first = self.pruning_widgets("firsts", 20)
        second = self.bring_in(add_widgets(widgets("seconds"), 20))  # preserves: refused

        run = self.migrator.run(first.name, second.name)

        self.assertEqual(2, run.code, run)
        self.assertEqual(20, sum(run.counts(first.name).values()))
        self.assertIn("--enable-pruning", json.dumps(run.crd(second.name)))
        self.assertEqual(["v1"], stored_versions(self.api, first))
        self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, second))

    def test_a_storage_version_that_is_not_served_is_written_through_another(self):
        subject = self.pruning_widgets("unserveds", 20)
        versions = self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["versions"]
        versions[0]["served"] = False
        self.api.patch(f"{V1_CRDS}/{subject.name}", {"spec": {"versions": versions}})
        path = subject.collection("v1")
        wait_for("v1 is still served", lambda: self.api.request("GET", path)[0] == 404)

        before = Stored(CLUSTER, subject)

        refused = self.migrator.run(subject.name)

        self.assertEqual(2, refused.code, refused)  # v1beta1 does not know all that v1 specifies
        self.assertIn("set served: true for it while you migrate", refused.stderr)
        self.assertEqual(set(), Stored(CLUSTER, subject).rewritten_since(before))

        versions[1]["schema"] = versions[0]["schema"]
        self.api.patch(f"{V1_CRDS}/{subject.name}", {"spec": {"versions": versions}})
        run = self.migrator.run(subject.name)

        self.assert_done(run, 20)
        self.assertEqual({"v1": 20}, dict(Stored(CLUSTER, subject).versions()))
        self.assertIn("v1beta1", run.stderr)

    def test_retry_from_redoes_what_failed_and_no_more(self):
        subject = self.pruning_widgets("retries", 40)
        versions = self.api.get(f"{V1_CRDS}/{subject.name}")["spec"]["versions"]
        self.tighten(subject, versions, 30)
        first = self.migrator.run(subject.name)
        self.assertEqual(1, first.code, first)
        self.assertEqual([], accounting_errors(first, 40))
        self.assertEqual(30, first.counts()["invalid"])
        self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject))
        path = self.migrator.folder / "report.json"
        path.write_text(first.stdout)
        self.tighten(subject, versions, 0)
        before = Stored(CLUSTER, subject)

        again = self.migrator.run("--retry-from", str(path))

        self.assert_done(again, 30)
        failed = {(f["namespace"], f["name"]) for f in first.crd()["failures"]}
        rewritten = Stored(CLUSTER, subject).rewritten_since(before)
        self.assertLessEqual(rewritten, failed)
        self.assertEqual(len(rewritten), again.counts()["rewritten"])
        self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject))
        last = self.migrator.run(subject.name)
        self.assert_done(last, 40)
        self.assertEqual(["v1"], stored_versions(self.api, subject))

    def tighten(self, subject, versions, minimum):
        """Makes smaller sizes invalid."""
        for version in versions:
            size = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["size"]
            size["minimum"] = minimum
        self.api.patch(f"{V1_CRDS}/{subject.name}", {"spec": {"versions": versions}})
        path = f"{subject.collection('v1', 'default')}/w00000?dryRun=All"
        expected = 422 if minimum else 200
        wait_for("the schema", lambda: self.api.request(
            "PATCH", path, {"spec": {"size": 1}}, "application/merge-patch+json")[0] == expected)


class Orphans(MigrationTest):
    def test_objects_whose_namespace_was_taken_away_fail_until_it_is_there_again(self):
        subject = add_widgets(widgets("orphans"), 20)
        for name in ("kept", "dropped"):
            subject.add_object(name, {"spec": {"legacyMode": "on"}}, namespace="ghost", old=True)
        self.bring_in(subject)
        turn_pruning_on(self.api, subject)
        self.take_namespace_away(subject, "ghost", "kept")

        run = self.migrator.run(subject.name)

        self.assertEqual(1, run.code, run)
        self.assertEqual([], accounting_errors(run, 22), run)
        self.assertEqual(2, run.counts()["failed"], run)
        self.assertNotIn("gone", run.counts())
        self.assertEqual([("ghost", name, "failed", 404, 'namespaces "ghost" not found')
                          for name in ("dropped", "kept")],
                         [tuple(failure[key] for key in ("namespace", "name", "class", "code",
                                                         "message"))
                          for failure in run.crd()["failures"]])
        self.assertEqual(["v1beta1", "v1"], stored_versions(self.api, subject))
        self.assertEqual({"v1": 20, "v1beta1": 2}, dict(Stored(CLUSTER, subject).versions()))

        # The two ways out of docs/RUNBOOK.md.
        self.api.delete(f"{subject.collection('v1', 'ghost')}/dropped")
        self.api.post("/api/v1/namespaces", {"metadata": {"name": "ghost"}})
        again = self.migrator.run(subject.name)

        self.assert_done(again, 21)
        self.assertEqual({"v1": 21}, dict(Stored(CLUSTER, subject).versions()))
        self.assertEqual(["v1"], stored_versions(self.api, subject))

    def take_namespace_away(self, subject, namespace, name):
        """As who removes its finalizers by force does, but at once: its objects stay in etcd."""
        CLUSTER.etcd_delete(f"/registry/namespaces/{namespace}")
        path = f"{subject.collection('v1', namespace)}/{name}"

        def is_refused():
            code, status = self.api.request("PATCH", f"{path}?dryRun=All", {},
                                            "application/merge-patch+json")
            return (code, status.get("message")) == (404, f'namespaces "{namespace}" not found')

        wait_for(f"the namespace {namespace} is still there", is_refused)
        self.assertEqual(200, self.api.request("GET", path)[0])


class Refusals(MigrationTest):
    def test_a_crd_that_preserves_unknown_fields_needs_enable_pruning(self):
        subject = self.bring_in(add_widgets(widgets("keepers"), 4))
        before = Stored(CLUSTER, subject)

        run = self.migrator.run(subject.name)

        self.assert_refused(run, subject.name, "--enable-pruning")
        self.assertEqual(before, Stored(CLUSTER, subject))

    def test_enable_pruning_asks_and_without_a_terminal_needs_yes(self):
        subject = self.bring_in(add_widgets(widgets("askeds"), 4))
        before = Stored(CLUSTER, subject)

        run = self.migrator.run(subject.name, "--enable-pruning")

        self.assert_refused(run, "--yes")
        self.assertEqual(before, Stored(CLUSTER, subject))

    def test_enable_pruning_of_a_part_of_the_objects_is_refused(self):
        subject = self.bring_in(add_widgets(widgets("portions"), 4))
        before = Stored(CLUSTER, subject)
        for part in (("-n", "shop"), ("-l", "made=yes"), ("--field-selector", "metadata.name=w00000")):
            run = self.migrator.run(subject.name, "--enable-pruning", "--yes", *part)
            self.assert_refused(run, "--enable-pruning")
            self.assertEqual(before, Stored(CLUSTER, subject))

    def test_a_crd_that_the_server_would_not_let_prune_is_left_as_it_is(self):
        subject = widgets("crookeds", two_versions=False)
        subject.schemas = {"v1": {"properties": {"spec": {"properties": {"size": {}}}}}}
        self.bring_in(add_widgets(subject, 4))
        before = Stored(CLUSTER, subject)

        run = self.migrator.run(subject.name, "--enable-pruning", "--yes")

        self.assert_refused(run, subject.name, "must not be empty", "kubectl prune check")
        self.assertEqual(before, Stored(CLUSTER, subject))
        self.assertFalse(self.migrator.backups.exists())

    def test_names_that_no_crd_or_more_than_one_answers_to(self):
        one = self.bring_in(add_widgets(widgets("twins", two_versions=False), 2))
        two = widgets("twins", two_versions=False)
        two.group = "other.example.com"
        two.names = {**two.names}
        self.bring_in(add_widgets(two, 2))
        before = Stored(CLUSTER, one), Stored(CLUSTER, two)

        ambiguous = self.migrator.run("twins", "--enable-pruning", "--yes")
        missing = self.migrator.run("nobodys", "--enable-pruning", "--yes")

        self.assert_refused(ambiguous, one.name, two.name)
        self.assert_refused(missing, "nobodys")
        self.assertEqual(before, (Stored(CLUSTER, one), Stored(CLUSTER, two)))

    def test_missing_rights_are_found_before_anything_is_written(self):
        subject = self.bring_in(add_widgets(widgets("lockeds"), 4))
        before = Stored(CLUSTER, subject)
        for resource, verbs in ((subject.plural, ("patch", "update")),
                                (subject.plural, ("list",)),
                                ("customresourcedefinitions", ("patch", "update"))):
            with Rights(CLUSTER, "limited", without(MIGRATION, resource, verbs)):
                run = self.migrator.run(subject.name, "--enable-pruning", "--yes", user="limited")
            self.assert_refused(run, verbs[0])
            self.assertEqual(before, Stored(CLUSTER, subject), resource)

    def test_a_crd_that_was_made_just_now_is_waited_for(self):
        """As where a script migrates what it has just applied: the server may not have established it yet."""
        for plural in ("justs", "nows", "news"):
            crd = crd_of(GROUP, plural, NEW_SCHEMA)
            self.addCleanup(delete_crd, CLUSTER.api(), crd["metadata"]["name"])
            self.api.post(V1_CRDS, crd)
            run = self.migrator.run(crd["metadata"]["name"])
            self.assert_done(run, 0)

    def test_a_crd_that_is_being_deleted_is_refused(self):
        subject = self.pruning_widgets("leavings", 4)
        path = f"{subject.collection('v1', 'shop')}/w00001"
        self.api.patch(path, {"metadata": {"finalizers": ["example.com/hold"]}})
        self.addCleanup(self.api.request, "PATCH", path, {"metadata": {"finalizers": None}},
                        "application/merge-patch+json")
        self.api.request("DELETE", f"{V1_CRDS}/{subject.name}")

        run = self.migrator.run(subject.name)

        self.assert_refused(run, subject.name, "delet")

    def test_a_second_run_beside_the_first_is_refused(self):
        subject = self.pruning_widgets("pairs", 40)
        first = self.migrator.start(subject.name, "--max-rate=8")
        wait_for("the first run's state", lambda: list(self.migrator.folder.glob("state/*/*/*")))

        second = self.migrator.run(subject.name)

        self.assert_refused(second, subject.name)
        out, err = first.communicate(timeout=240)
        self.assertEqual(0, first.returncode, out + err)


def without(rules, resource, verbs):
    """Returns the rules without these verbs for what the resource stands in."""
    kept = []
    for rule in rules:
        named = resource in rule["resources"] or ("*" in rule["resources"]
                                                  and GROUP in rule["apiGroups"]
                                                  and resource != "customresourcedefinitions")
        left = [verb for verb in rule["verbs"] if not (named and verb in verbs)]
        kept += [{**rule, "verbs": left}] if left else []
    return kept


def main():
    global BINARY, CLUSTER, OBJECTS
    BINARY = os.path.abspath(sys.argv[1])
    OBJECTS = int(sys.argv[2]) if sys.argv[2:] else OBJECTS
    with Cluster(users=("limited", "migrator", "updater"), audit=True) as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[3:])


if __name__ == "__main__":
    end(main)
