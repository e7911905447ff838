"""`kubectl-prune restore` against a real API server: etcd, object by object, before and after.

restore_test.py BINARY [OBJECTS]: a CRD that preserves unknown fields, objects that hold some, `migrate`, the
schema fixed, others at work on the objects, `restore`. What has to be in etcd then is made up here from
what was written, never from what the program says. Exit code 77 (skipped) without a server.
"""
import copy
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import unittest

from cluster import Cluster, wait_for
from migrations import Migrator, Stored, bring_in_widgets, delete_crd, forget_leases
from proxy import Proxy
from runner import end, run_tests
from stored_diff import parse
from subjects import V1_CRDS, Subject

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import report_schema

BINARY = None
CLUSTER = None
OBJECTS = 300
GROUP = "restores.example.com"
TIME_LIMIT = 480

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def record(required=(), **properties):
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def schema_of(fixed):
    """What pruning is done by, or with `fixed` the names of what it specifies beside."""
    def more(name, schema):
        return {name: schema} if name in fixed else {}
    ports = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
             "items": record(["name"], name=TEXT, port=NUMBER, **more("proto", TEXT))}
    rows = {"type": "array", "items": record(n=NUMBER, **more("extra", ANYTHING))}
    template = {**record(spec=record(image=TEXT, **more("command", {"type": "array", "items": TEXT}))),
                "x-kubernetes-embedded-resource": True}
    return record(
        spec=record(size=NUMBER, ports=ports, rows=rows, template=template,
                    labels={"type": "object", "additionalProperties": record(a=TEXT, **more("b", TEXT))},
                    **more("legacy", ANYTHING), **more("flag", {"type": "boolean", "default": False})),
        status=record(phase=TEXT, **more("since", TEXT)))


ALL = ("proto", "extra", "command", "b", "legacy", "flag", "since")


def fields_of(number):
    """One in five loses nothing; the others lose this and that."""
    loses = number % 5 != 0
    spec = {"size": number,
            "ports": [{"name": "web", "port": 80}, {"name": "tls", "port": 443}],
            "rows": [{"n": 1}, {"n": 2}, {"n": 3}],
            "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                         "spec": {"image": "i"}},
            "labels": {"x": {"a": "1"}, "y.z/w": {"a": "2"}}}
    status = {"phase": "Ready"}
    if not loses:
        return {"spec": spec, "status": status}
    spec["flag"] = number % 6 != 0
    spec["legacy"] = {"mode": "old", "deep": [{"a": 1.5}, None, "\u00e4\u2028</b>"],
                      "big": 12345678901234567, "map": {"k~/.": number}}
    if number % 7 == 0:
        spec["legacy"]["nothing"] = None
    if number % 2 == 0:
        spec["ports"][1]["proto"] = "TCP"
    if number % 3 == 0:
        spec["rows"][0]["extra"] = {"x": number}
        spec["rows"][2]["extra"] = {"y": [number]}
    if number % 4 != 0:
        spec["template"]["spec"]["command"] = ["sh", "-c"]
        spec["labels"]["y.z/w"]["b"] = "3"
    if number % 3 != 1:
        status["since"] = "yesterday"
    return {"spec": spec, "status": status}


def subject_of(plural, count):
    subject = Subject(GROUP, plural, plural.title(), namespaced=True, schemas={"v1": schema_of(())},
                      storage="v1", schema_first=True, status_subresource=True)
    for number in range(count):
        subject.add_object(f"r{number:05}", fields_of(number), namespace=("default", "shop")[number % 2])
    return subject


class World:
    """A subject that was migrated, with its backup, and what etcd held before."""

    def __init__(self, plural, count):
        self.subject = subject_of(plural, count)
        self.api = CLUSTER.api()
        self.migrator = Migrator(CLUSTER, BINARY)
        bring_in_widgets(CLUSTER, self.subject)
        self.before = Stored(CLUSTER, self.subject)
        run = self.migrator.run(self.subject.name, "--enable-pruning", "--yes")
        if run.code != 0:
            raise AssertionError(run)
        self.backup, = self.migrator.backups.glob("*.ndjson")
        self.saved = set(self.migrator.backup_objects(self.backup))

    def close(self):
        delete_crd(self.api, self.subject.name)
        self.api.close()

    def fix(self, *names):
        """Has the CRD specify these fields, and waits until the server keeps one of them."""
        version = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                   "schema": {"openAPIV3Schema": schema_of(names)}}
        self.api.patch(f"{V1_CRDS}/{self.subject.name}", {"spec": {"versions": [version]}})
        place = self.place(next(iter(self.before.objects)))
        wait_for("the fixed schema", lambda: "legacy" in self.api.patch(
            f"{place}?dryRun=All", {"spec": {"legacy": {"a": 1}}})["spec"])

    def place(self, name):
        return f"{self.subject.collection('v1', name[0])}/{name[1]}"

    def command(self, *arguments):
        return [BINARY, "restore", str(self.backup), "-o", "json", *arguments]

    def restore(self, *arguments, port=None):
        environment = CLUSTER.environment(CLUSTER.kubeconfig_file("admin" if port else None, port))
        return Restored(subprocess.run(self.command(*arguments), env=environment, capture_output=True,
                                       text=True, check=False, timeout=TIME_LIMIT))

    def start(self, *arguments, port):
        environment = CLUSTER.environment(CLUSTER.kubeconfig_file("admin", port))
        return subprocess.Popen(self.command(*arguments), env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)


class Restored:
    """A run that has ended; its report is as docs/schema says."""

    def __init__(self, run):
        self.code, self.stderr = run.returncode, run.stderr
        self.report = json.loads(run.stdout) if run.stdout else None
        if self.report:
            report_schema.require_valid(self.report)

    def __str__(self):
        return f"exit code {self.code}\n{json.dumps(self.report)[:4000]}\n{self.stderr[-3000:]}"

    @property
    def crd(self):
        return self.report["crds"][0]

    def counts(self):
        counts = {key: count for key, count in self.crd["counts"].items() if count}
        if sum(counts.values()) != 2 * counts.pop("objects"):
            raise AssertionError(f"the classes do not add up: {self}")
        return counts


def content(stored):
    return {key: stored.get(key) for key in ("spec", "status")}


# What others do to an object meanwhile: the change, and what has to come of it, given what it was before
# pruning. None: it stays as the others left it.

def nothing(world, name):
    return content(world.before.objects[name])


def resize(world, name):
    world.api.patch(world.place(name), {"spec": {"size": 4711}})
    wanted = nothing(world, name)
    wanted["spec"]["size"] = 4711
    return wanted


def set_anew(world, name):
    world.api.patch(world.place(name), {"spec": {"legacy": {"mode": "new", "more": 1}}})
    wanted = nothing(world, name)
    wanted["spec"]["legacy"] = {**wanted["spec"].get("legacy", {}), "mode": "new", "more": 1}
    return wanted


def move_ports(world, name):
    world.api.patch(world.place(name), {"spec": {"ports": [
        {"name": "new", "port": 1}, {"name": "tls", "port": 444}, {"name": "web", "port": 80}]}})
    wanted = nothing(world, name)
    web, tls = wanted["spec"]["ports"]
    wanted["spec"]["ports"] = [{"name": "new", "port": 1}, {**tls, "port": 444}, web]
    return wanted


def add_row(world, name):
    """A list without keys of which nobody can tell any more what belongs where: all stays as it is."""
    stored = world.api.patch(world.place(name),
                             {"spec": {"rows": [{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}]}})
    was_taken = any("extra" in row for row in world.before.objects[name]["spec"]["rows"])
    if was_taken:
        return {**content(stored), "class": "conflict"}
    wanted = nothing(world, name)
    wanted["spec"]["rows"] = [{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}]
    return wanted


def change_status(world, name):
    world.api.patch(f"{world.place(name)}/status", {"status": {"phase": "Late"}})
    wanted = nothing(world, name)
    wanted["status"]["phase"] = "Late"
    return wanted


def remove_template(world, name):
    world.api.patch(world.place(name), {"spec": {"template": None}})
    wanted = nothing(world, name)
    del wanted["spec"]["template"]
    return wanted


def delete(world, name):
    world.api.delete(world.place(name))
    return {"class": "gone"}


def replace(world, name):
    world.api.delete(world.place(name))
    made = world.api.post(world.subject.collection("v1", name[0]), {
        "apiVersion": f"{GROUP}/v1", "kind": world.subject.kind,
        "metadata": {"namespace": name[0], "name": name[1]}, "spec": {"size": 5}})
    return {**content(made), "class": "gone"}


CHANGES = (nothing, nothing, resize, set_anew, move_ports, add_row, change_status, remove_template, delete,
           replace)


def others_at_work(world):
    """Each object that is in the backup is changed in one of these ways, by lot; returns what has to be."""
    chance = random.Random(3)
    wanted = {}
    for name in sorted(world.saved):
        wanted[name] = chance.choice(CHANGES)(world, name)
    return wanted


def without_defaults(object_, was):
    """A default of the fixed schema that comes with a write is nobody's."""
    object_ = copy.deepcopy(object_)
    if object_["spec"].get("flag") is False and "flag" not in was.get("spec", {}):
        del object_["spec"]["flag"]
    return object_


def as_parsed(value):
    """What stored_diff.parse has for what was written: numbers by their text."""
    if isinstance(value, dict):
        return {key: as_parsed(one) for key, one in value.items()}
    if isinstance(value, list):
        return [as_parsed(one) for one in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return parse(json.dumps(value))
    return value


class RestoreTest(unittest.TestCase):
    maxDiff = None

    def world(self, plural, count=OBJECTS):
        world = World(plural, count)
        self.addCleanup(world.close)
        return world

    def hold(self, world, wanted):
        """etcd holds what is wanted, object by object; what is in no backup as it was before."""
        now = Stored(CLUSTER, world.subject).objects
        for name, was in world.before.objects.items():
            expected = as_parsed(wanted.get(name, nothing(world, name)))
            if expected.pop("class", None) == "gone" and not expected:
                self.assertNotIn(name, now)
                continue
            found = without_defaults(content(now[name]), expected)
            self.assertEqual(expected, found, name)
            if wanted.get(name, {}).get("class") != "gone":
                self.assertEqual(was["metadata"]["uid"], now[name]["metadata"]["uid"])
                self.assertEqual(was["metadata"]["labels"], now[name]["metadata"]["labels"])

    def count(self, wanted, kind):
        return sum(one.get("class", "restored") == kind for one in wanted.values())

    def test_what_pruning_took_comes_back_beside_what_others_wrote(self):
        world = self.world("mergers")
        self.assertEqual({name for name, one in world.before.objects.items() if "legacy" in one["spec"]},
                         world.saved)
        world.fix(*ALL)
        wanted = others_at_work(world)
        run = world.restore()
        self.assertEqual(1, run.code, run)
        self.assertEqual(len(world.saved), run.crd["counts"]["objects"])
        counts = run.counts()
        self.assertEqual(self.count(wanted, "gone"), counts["gone"], run)
        self.assertEqual(self.count(wanted, "conflict"), counts["conflict"], run)
        self.assertTrue(run.crd["verified"], run)
        self.assertEqual(counts["restored"], run.crd["verification"]["asRestored"])
        self.assertEqual({tuple((f["namespace"], f["name"])) for f in run.crd["failures"]},
                         {name for name, one in wanted.items() if "class" in one})
        self.hold(world, wanted)

        before = Stored(CLUSTER, world.subject)
        again = world.restore()
        self.assertEqual({"unchanged", "gone", "conflict"}, set(again.counts()), again)
        self.assertEqual(before, Stored(CLUSTER, world.subject))

    def test_what_was_deleted_is_made_anew(self):
        world = self.world("anews", 60)
        world.fix(*ALL)
        wanted = {}
        for index, name in enumerate(sorted(world.saved)):
            change = (nothing, delete, replace)[index % 3]
            wanted[name] = change(world, name)
        run = world.restore("--recreate")
        self.assertEqual(1, run.code, run)
        deleted = [name for index, name in enumerate(sorted(world.saved)) if index % 3 == 1]
        self.assertEqual(len(deleted), run.counts()["recreated"])
        now = Stored(CLUSTER, world.subject).objects
        for name in deleted:
            was = world.before.objects[name]
            self.assertEqual(content(was), content(now[name]))
            self.assertNotEqual(was["metadata"]["uid"], now[name]["metadata"]["uid"])
            self.assertEqual(was["metadata"]["labels"], now[name]["metadata"]["labels"])
            wanted[name] = {**content(was), "class": "gone"}
        self.hold(world, wanted)
        self.assertNotIn("recreated", world.restore("--recreate").counts())

    def test_what_the_schema_would_prune_again_is_refused(self):
        world = self.world("refusals", 40)
        before = Stored(CLUSTER, world.subject)
        run = world.restore()
        self.assertEqual(2, run.code, run)
        self.assertEqual({"spec.flag", "spec.legacy", "spec.labels.*.b", "spec.ports[*].proto",
                          "spec.rows[*].extra", "spec.template.spec.command", "status.since"},
                         {field["path"] for field in run.crd["refusedFields"]})
        self.assertEqual({"notTried": len(world.saved)}, run.counts())
        self.assertIn("kubectl prune suggest", run.stderr)
        self.assertEqual(before.raw, Stored(CLUSTER, world.subject).raw)

        world.fix("legacy", "proto")
        before = Stored(CLUSTER, world.subject)
        run = world.restore()
        self.assertEqual(2, run.code, run)
        self.assertNotIn("spec.legacy", {field["path"] for field in run.crd["refusedFields"]})
        self.assertEqual(before.raw, Stored(CLUSTER, world.subject).raw)
        run = world.restore("--fields", ".spec.legacy,.spec.ports[*].proto")
        self.assertEqual(0, run.code, run)
        now = Stored(CLUSTER, world.subject).objects
        for name, was in world.before.objects.items():
            self.assertEqual(was["spec"].get("legacy"), now[name]["spec"].get("legacy"))
            self.assertEqual(was["spec"]["ports"], now[name]["spec"]["ports"])
            self.assertNotIn("since", now[name]["status"])

    def test_what_a_refusal_names_leads_to_the_schema(self):
        world = self.world("leads", 40)
        run = world.restore()
        self.assertEqual(2, run.code, run)
        self.assertIn(f"kubectl get crd {world.subject.name} -o yaml > crd.yaml", run.stderr)
        self.assertIn(f"suggest --local -f crd.yaml -f {world.backup}", run.stderr)
        crd = f"{V1_CRDS}/{world.subject.name}"
        live = world.migrator.folder / "crd.yaml"
        live.write_text(json.dumps(world.api.get(crd)), encoding="utf-8")
        suggested = subprocess.run([BINARY, "suggest", "--local", "-f", live, "-f", world.backup, "-o", "patch"],
                                   capture_output=True, text=True, check=False, timeout=TIME_LIMIT)
        self.assertEqual(0, suggested.returncode, suggested.stderr)
        world.api.patch(crd, json.loads(suggested.stdout), "application/json-patch+json")
        place = world.place(next(iter(world.before.objects)))
        wait_for("the suggested schema", lambda: "flag" in world.api.patch(
            f"{place}?dryRun=All", {"spec": {"flag": True}})["spec"])
        run = world.restore()
        self.assertEqual(0, run.code, run)
        self.hold(world, {})

    def test_what_others_set_to_the_default_or_emptied_stays(self):
        world = self.world("defaults", 20)
        world.fix(*ALL)
        flagged = [name for name in sorted(world.saved) if world.before.objects[name]["spec"]["flag"]]
        turned, applied, emptied = flagged[:3]
        wanted = {name: copy.deepcopy(nothing(world, name)) for name in world.saved}
        # A default that a read shows is nobody's: a write of it alone makes nobody its owner. Of who wrote the
        # object before pruning the old entry stays, which tells nothing.
        for value in (True, False):
            world.api.patch(f"{world.place(turned)}?fieldManager=operator", {"spec": {"flag": value}})
        world.api.patch(f"{world.place(applied)}?fieldManager=git&force=true",
                        {"apiVersion": f"{GROUP}/v1", "kind": world.subject.kind,
                         "metadata": {"namespace": applied[0], "name": applied[1]},
                         "spec": {"flag": False}}, "application/apply-patch+yaml")
        world.api.patch(world.place(emptied), {"spec": {"legacy": {}}})
        wanted[turned]["spec"]["flag"] = wanted[applied]["spec"]["flag"] = False
        wanted[emptied]["spec"]["legacy"] = {}
        run = world.restore()
        self.assertEqual(0, run.code, run)
        self.assertEqual({"spec.flag": 2, "spec.legacy": 1},
                         {field["path"]: field["objects"] for field in run.crd["keptFields"]})
        now = Stored(CLUSTER, world.subject).objects
        for name, expected in wanted.items():
            self.assertEqual(as_parsed(expected), content(now[name]), name)

        self.assertEqual(0, world.restore("--overwrite").code)
        now = Stored(CLUSTER, world.subject).objects
        for name in world.saved:
            self.assertEqual(content(world.before.objects[name]), content(now[name]), name)

    def test_a_dry_run_writes_nothing(self):
        world = self.world("dries", 40)
        world.fix(*ALL)
        world.api.delete(world.place(min(world.saved)))
        before = Stored(CLUSTER, world.subject)
        client = world.restore("--dry-run=client", "--recreate")
        self.assertEqual(0, client.code, client)
        server = world.restore("--dry-run=server", "--recreate")
        self.assertEqual(0, server.code, server)
        self.assertEqual(before.raw, Stored(CLUSTER, world.subject).raw)
        changed = client.counts()["restored"] + client.counts()["recreated"]
        self.assertEqual(changed, server.counts()["accepted"])
        named = {(one["namespace"], one["name"]) for one in client.crd["objectList"]
                 if one["class"] == "restored"}
        self.assertEqual(world.saved - {min(world.saved)}, named)
        self.assertEqual(0, world.restore("--recreate").code)

    def test_the_schemas_of_then_tell_what_others_removed(self):
        world = self.world("removals", 40)
        world.fix(*ALL)
        name = min(world.saved)
        world.api.patch(world.place(name), {"spec": {"labels": None}})
        world.backup.with_suffix(".crd.json").rename(world.migrator.folder / "then.json")
        known = world.restore("--dry-run=client", f"--pruned-by={world.migrator.folder / 'then.json'}")
        unknown = world.restore("--dry-run=client")

        def restored(run):
            return next(set(one["restored"]) for one in run.crd["objectList"]
                        if (one["namespace"], one["name"]) == name)
        self.assertNotIn("spec.labels", restored(known))
        self.assertIn("spec.labels", restored(unknown))
        self.assertIn("is not known", unknown.stderr)

    def test_sigkill_at_any_moment_leaves_nothing_half_done(self):
        world = self.world("kills", 120)
        world.fix(*ALL)
        wanted = others_at_work(world)
        killed, chance = 0, random.Random(5)
        with Victim() as victim, Proxy(CLUSTER, victim.before, victim.after) as proxy:
            for _ in range(60):
                process = world.start(port=proxy.port)
                if killed < 15:
                    victim.aim(process, chance.randint(3, 40), chance.random() < 0.5)
                out, err = process.communicate(timeout=240)
                if process.returncode != -signal.SIGKILL:
                    run = Restored(subprocess.CompletedProcess([], process.returncode, out, err))
                    break
                killed += 1
                self.assert_none_is_half_done(world, wanted)
                forget_leases(world.api, world.subject)
            else:
                self.fail(f"not done, killed {killed} times")
        print(f"killed {killed} times", flush=True)
        self.assertGreaterEqual(killed, 10)
        self.assertEqual(1, run.code, run)
        self.assertEqual(self.count(wanted, "gone"), run.counts()["gone"])
        self.hold(world, wanted)

    def assert_none_is_half_done(self, world, wanted):
        """Spec and status each are as the others left them, or as they have to be."""
        now = Stored(CLUSTER, world.subject).objects
        for name, expected in wanted.items():
            if "class" in expected:
                continue
            expected = as_parsed(expected)
            found = without_defaults(content(now[name]), expected)
            legacy = found["spec"].get("legacy")
            if legacy is not None and legacy != as_parsed({"mode": "new", "more": 1}):
                self.assertEqual(expected["spec"], found["spec"], name)


class Victim:
    """Kills the process of the day at one of its requests, ahead of it or behind it."""

    def __init__(self):
        self._lock, self._process = threading.Lock(), None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def aim(self, process, left, behind):
        with self._lock:
            self._process, self._left, self._behind = process, left, behind

    def before(self, *_):
        self._see(False)

    def after(self, *_):
        self._see(True)

    def _see(self, behind):
        with self._lock:
            if self._process is None or behind != self._behind:
                return
            self._left -= 1
            if self._left > 0:
                return
            process, self._process = self._process, None
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()


def main():
    global BINARY, CLUSTER, OBJECTS
    BINARY = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2 and sys.argv[2].isdigit():
        OBJECTS = int(sys.argv.pop(2))
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
