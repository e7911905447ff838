"""Whose fields are whose behind `kubectl-prune migrate` where versions have different schemas, on a real API server: which
objects' managedFields a write would empty is foretold object by object, they are kept, and each owner goes on.

kept_owners_test.py BINARY [TEST...] [COUNT=60]: only tests whose names hold one of TEST. Exit code 77 (skipped) without a
server. COUNT: objects.
"""
import copy
import json
import os
import signal
import sys
import unittest

from cluster import Cluster, wait_for
from kill_test import MOST_RUNS, Killer, Phases
from loop_closes_test import run_check
from migrations import GROUP, Migrator, Run, accounting_errors, ask_in_parallel, stored_versions
from proxy import Proxy
from runner import end, run_tests
from subjects import V1_CRDS, V1BETA1_CRDS
from webhook import ConversionWebhook

BINARY = None
CLUSTER = None
COUNT = 60
SEED, KILLS = 49, 30
FEWEST_KILLS = 15  # a run that has nothing left to do may end before it is killed
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
PORTS = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
         "items": {"type": "object", "required": ["port"], "properties": {"port": NUMBER, "name": TEXT}}}
LABELS = {"type": "object", "additionalProperties": TEXT}
COMMON = {"size": NUMBER, "color": TEXT, "ports": PORTS, "labels": LABELS}
# Who applies what: of each the last field is one that they leave out later on.
OWNERS = {"deployer": {"size": 1, "color": "red"},
          "scaler": {"ports": [{"port": 80, "name": "web"}]},
          "labeler": {"labels": {"team": "one", "tier": "two"}}}
LATER = {"deployer": {"size": 1}, "scaler": {"ports": [{"port": 80}]}, "labeler": {"labels": {"team": "one"}}}


def schema_of(**fields):
    return {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {**COMMON, **fields}}}}}


class Upgrade:
    """A CRD whose storage version was v1 and is v2. Half of its objects were applied before, in v1, and stored so, the
    others after that, in v2; some of the first half by one owner in v2 since. So some objects have entries of both."""

    def __init__(self, test, plural, old, new, preserves=False, old_spec=None, new_spec=None,
                 again=None):
        self.api, self.plural, self.old, self.new, self.preserves = test.api, plural, old, new, preserves
        self.name, self.kind = f"{plural}.{GROUP}", plural[:-1].title()
        self.specs, self.again = {"v1": old_spec or {}, "v2": new_spec or {}}, again
        self.objects = {f"w{number:05}": number for number in range(COUNT)}
        test.addCleanup(self.delete)
        self.api.post(V1_CRDS, self.crd("v1"))
        self.wait_until_served()
        if preserves:
            self.preserve()
        self.apply_all("v1", lambda number: number % 2 == 0)
        self.move()
        self.apply_all("v2", lambda number: number % 2 == 1)
        self.apply_again()

    def delete(self):
        path = f"{V1_CRDS}/{self.name}"
        if self.api.request("DELETE", path)[0] < 400:
            wait_for(f"{self.name} is not deleted", lambda: self.api.request("GET", path)[0] == 404)

    def crd(self, storage, **spec):
        versions = [{"name": name, "served": True, "storage": name == storage, "schema": schema_of(**fields)}
                    for name, fields in (("v1", self.old), ("v2", self.new))]
        return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": self.name},
                "spec": {"group": GROUP, "scope": "Namespaced", "versions": versions,
                         "names": {"plural": self.plural, "singular": self.plural[:-1], "kind": self.kind}, **spec}}

    def collection(self, version):
        return f"/apis/{GROUP}/{version}/namespaces/default/{self.plural}"

    def wait_until_served(self):
        wait_for(f"{self.plural} are not served", lambda: all(
            self.api.request("GET", self.collection(version))[0] == 200 for version in ("v1", "v2")))

    def preserve(self):
        if not CLUSTER.has_v1beta1:
            of_kind = {"apiVersion": f"{GROUP}/v1", "kind": self.kind}
            return CLUSTER.preserve_unknown_fields(self.name, of_kind, self.collection("v1"))
        self.api.patch(f"{V1BETA1_CRDS}/{self.name}", {"spec": {"preserveUnknownFields": True}})
        probe = {"apiVersion": f"{GROUP}/v1", "kind": self.kind, "metadata": {"name": "probe"}, "unknown": 1}
        wait_for(f"{self.name} prunes still", lambda: "unknown" in self.api.request(
            "POST", f"{self.collection('v1')}?dryRun=All", probe)[1])

    def move(self, **spec):
        """Makes v2 the storage version."""
        if self.preserves and not CLUSTER.has_v1beta1:
            def to_v2(crd):
                for version in crd["versions"]:
                    version["storage"] = version["name"] == "v2"
            CLUSTER.change_crd(self.name, to_v2)
        else:
            crd = self.api.get(f"{V1_CRDS}/{self.name}")
            crd["spec"]["versions"] = self.crd("v2")["spec"]["versions"]
            crd["spec"].update(spec)
            self.api.put(f"{V1_CRDS}/{self.name}", crd)

        def stores_v2():
            path = self.collection("v2")
            probe = {"apiVersion": f"{GROUP}/v2", "kind": self.kind, "metadata": {"name": "probe"}}
            if self.api.request("POST", path, probe)[0] != 201:
                return False
            stored = json.loads(CLUSTER.etcd_get(f"/registry/{GROUP}/{self.plural}/default/probe"))
            self.api.request("DELETE", f"{path}/probe")
            return stored["apiVersion"] == f"{GROUP}/v2"
        wait_for("v2 is not the storage version", stores_v2)

    def apply(self, api, version, name, owner, spec, force=False):
        body = {"apiVersion": f"{GROUP}/{version}", "kind": self.kind,
                "metadata": {"name": name, "namespace": "default"}, "spec": spec}
        path = f"{self.collection(version)}/{name}?fieldManager={owner}&force={str(force).lower()}"
        return api.request("PATCH", path, body, "application/apply-patch+yaml")

    def apply_all(self, version, is_chosen):
        def apply_one(api, name):
            for number, (owner, spec) in enumerate(OWNERS.items()):
                more = self.specs[version] if number == 0 else {}
                code, answer = self.apply(api, version, name, owner, {**spec, **more})
                if code >= 400:
                    raise AssertionError(answer)
        ask_in_parallel(CLUSTER, [name for name, number in self.objects.items() if is_chosen(number)], apply_one)

    def apply_again(self):
        """What v2 alone has is applied to some that others have applied in v1. Where that is a write that empties
        managedFields it is none of ours."""
        def apply_one(api, name):
            code, answer = self.apply(api, "v2", name, "scaler", {**OWNERS["scaler"], **self.again})
            if code >= 400:
                raise AssertionError(answer)
        chosen = [name for name, number in self.objects.items() if self.again and number % 4 == 0]
        ask_in_parallel(CLUSTER, chosen, apply_one)

    def shown(self):
        return {one["metadata"]["name"]: one for one in self.api.get(self.collection("v2"))["items"]}

    def would_be_emptied(self):
        """By the server: the objects whose managedFields a write in v2 empties, without storing anything."""
        emptied = []

        def ask(api, name):
            answer = api.patch(f"{self.collection('v2')}/{name}?dryRun=All", {})
            if not answer["metadata"].get("managedFields"):
                emptied.append(name)
        ask_in_parallel(CLUSTER, list(self.objects), ask)
        return sorted(emptied)


def owned_of(shown, owner):
    entries = [entry for entry in shown["metadata"].get("managedFields", []) if entry["manager"] == owner]
    return entries[0] if len(entries) == 1 else None


def kept_of(entry, fields):
    """What is to be left of an entry where v2 has only these fields of spec."""
    kept = copy.deepcopy(entry)
    kept["apiVersion"] = f"{GROUP}/v2"
    spec = kept["fieldsV1"]["f:spec"]
    kept["fieldsV1"]["f:spec"] = {key: value for key, value in spec.items() if key == "." or key[2:] in fields}
    return kept


class KeptOwners(unittest.TestCase):
    maxDiff = 3000

    def setUp(self):
        self.api = CLUSTER.api()
        self.addCleanup(self.api.close)
        self.migrator = Migrator(CLUSTER, BINARY)

    def migrate(self, upgrade, *flags):
        """Migrates it, and compares what was foretold, what is stored and who owns what."""
        before = upgrade.shown()
        run = self.migrator.run(upgrade.name, *flags)
        self.assertEqual(0, run.code, run)
        self.assertEqual([], accounting_errors(run, COUNT))
        self.assertNotIn("managedFieldsEmptied", run.crd(), run)
        self.assertTrue(run.crd()["verified"])
        self.assertEqual(["v2"], stored_versions(self.api, upgrade))
        stored = CLUSTER.etcd_range(f"/registry/{GROUP}/{upgrade.plural}/")
        self.assertEqual({f"{GROUP}/v2"}, {json.loads(one)["apiVersion"] for one in stored.values()})
        self.compare_all(upgrade, before)
        return run

    def compare_all(self, upgrade, before):
        after = upgrade.shown()
        for name in upgrade.objects:
            # Else the defaults that its write has brought would be its own.
            self.assertIsNone(owned_of(after[name], "kubectl-prune"))
            for owner in OWNERS:
                self.compare(upgrade, owned_of(before[name], owner), owned_of(after[name], owner))

    def compare(self, upgrade, before, after):
        """Each owner owns what it did, as far as v2 has it; in what version that is said may stay as it was."""
        self.assertIsNotNone(after)
        expected = kept_of(before, {**COMMON, **upgrade.new})
        if after["apiVersion"] == before["apiVersion"]:
            expected = before
        self.assertEqual(expected, after)

    def owners_go_on(self, upgrade):
        """What an owner no longer applies is removed, what others own stays, and nobody else may take it."""
        name = "w00000"
        code, conflict = upgrade.apply(self.api, "v2", name, "stranger", {"size": 7})
        self.assertEqual(409, code, conflict)
        self.assertIn('conflict with "deployer"', conflict["message"])
        for name in list(upgrade.objects)[:4]:
            for owner, spec in LATER.items():
                # The field of another owner is that one's.
                more = upgrade.specs["v2"] if owner == "deployer" and not upgrade.again else {}
                code, answer = upgrade.apply(self.api, "v2", name, owner, {**spec, **more})
                self.assertEqual(200, code, answer)
            spec = self.api.get(f"{upgrade.collection('v2')}/{name}")["spec"]
            self.assertEqual({"size": 1, "ports": [{"port": 80}], "labels": {"team": "one"}},
                             {key: spec[key] for key in COMMON if key in spec})

    def foretold(self, upgrade):
        """The objects by what `check` and the dry run tell."""
        told = run_check(CLUSTER, BINARY, upgrade.name)[upgrade.name].get("unfitManagedFields", [])
        plan = self.migrator.run(upgrade.name, "--dry-run=client").crd().get("managedFieldsCleaned", {"objects": 0})
        self.assertEqual({entry["objects"] for entry in told} or {0}, {plan["objects"]})
        return plan["objects"]

    def test_two_stored_versions_whose_schemas_differ(self):
        upgrade = Upgrade(self, "relics", {"oldOnly": TEXT}, {"newOnly": TEXT}, preserves=True,
                          old_spec={"oldOnly": "x"}, new_spec={"newOnly": "y"}, again={"newOnly": "z"})
        run = self.migrate(upgrade, "--enable-pruning", "--yes")
        self.assertIn("plan: keep managedFields of ", run.stderr)
        self.owners_go_on(upgrade)

    def test_kills_lose_no_owner(self):
        upgrade = Upgrade(self, "killeds", {"oldOnly": TEXT}, {"newOnly": TEXT}, preserves=True,
                          old_spec={"oldOnly": "x"}, new_spec={"newOnly": "y"}, again={"newOnly": "z"})
        before = upgrade.shown()
        killer = Killer(Phases(upgrade), SEED)
        runs = [run for run in self.killed(upgrade, killer) if run.code != -signal.SIGKILL]
        print(f"killed {sum(killer.killed.values())} times: {dict(killer.killed)}", flush=True)
        self.assertGreaterEqual(sum(killer.killed.values()), FEWEST_KILLS)
        self.api.close()  # the server may have closed it meanwhile; the next request opens it again
        self.assertEqual([0], [run.code for run in runs], runs[-1])
        self.assertNotIn("managedFieldsEmptied", runs[-1].crd(), runs[-1])
        self.compare_all(upgrade, before)
        self.owners_go_on(upgrade)

    def killed(self, upgrade, killer):
        """Runs until one was not killed."""
        with Proxy(CLUSTER, killer.before, killer.after) as proxy:
            for _ in range(MOST_RUNS):
                process = self.migrator.start(upgrade.name, "--enable-pruning", "--yes", "--chunk-size=20",
                                              user="admin", port=proxy.port)
                if sum(killer.killed.values()) < KILLS:
                    killer.aim(process)
                out, err = process.communicate(timeout=240)
                yield Run(process.returncode, out, err)
                if process.returncode != -signal.SIGKILL:
                    return

    def test_a_version_that_comes_with_a_default(self):
        upgrade = Upgrade(self, "modes", {}, {"mode": {"type": "string", "default": "fast"}})
        emptied = upgrade.would_be_emptied()
        self.assertEqual([name for name, number in upgrade.objects.items() if number % 2 == 0], emptied)
        self.assertEqual(len(emptied), self.foretold(upgrade))
        run = self.migrate(upgrade)
        self.assertEqual(len(emptied), run.crd()["managedFieldsCleaned"]["objects"])
        self.assertEqual([], upgrade.would_be_emptied())
        self.assertEqual(0, self.foretold(upgrade))
        self.owners_go_on(upgrade)

    def test_entries_that_are_in_no_danger_stay_as_they_are(self):
        upgrade = Upgrade(self, "extras", {}, {"more": TEXT})
        self.assertEqual([], upgrade.would_be_emptied())
        self.assertEqual(0, self.foretold(upgrade))
        run = self.migrate(upgrade)
        self.assertNotIn("managedFieldsCleaned", run.crd(), run)
        self.assertEqual(f"{GROUP}/v1", owned_of(upgrade.shown()["w00000"], "deployer")["apiVersion"])
        # But where it is asked for, before the first object has the field.
        run = self.migrator.run(upgrade.name, "--clean-managed-fields=always")
        self.assertEqual(COUNT // 2, run.crd()["managedFieldsCleaned"]["objects"], run)
        self.assertEqual(f"{GROUP}/v2", owned_of(upgrade.shown()["w00000"], "deployer")["apiVersion"])

    def test_a_version_whose_field_has_another_name(self):
        upgrade = Upgrade(self, "renames", {"oldName": TEXT}, {"newName": {"type": "string", "default": "y"}},
                          old_spec={"oldName": "x"}, new_spec={"newName": "z"})
        emptied = upgrade.would_be_emptied()
        self.assertTrue(emptied)
        self.assertEqual(len(emptied), self.foretold(upgrade))
        self.migrate(upgrade)
        self.owners_go_on(upgrade)

    def test_a_dry_run_by_the_server_tells_what_would_be_emptied(self):
        upgrade = Upgrade(self, "tells", {}, {"mode": {"type": "string", "default": "fast"}})
        emptied = [f"default/{name}" for name in upgrade.would_be_emptied()]
        self.assertTrue(emptied)
        kept = self.migrator.run(upgrade.name, "--dry-run=server")
        self.assertEqual(0, kept.code, kept)
        self.assertEqual(len(emptied), kept.crd()["managedFieldsCleaned"]["objects"])
        lost = self.migrator.run(upgrade.name, "--dry-run=server", "--clean-managed-fields=never")
        self.assertEqual((1, emptied), (lost.code, lost.crd()["managedFieldsEmptied"]["names"]), lost)
        self.assertEqual({"accepted": COUNT}, lost.counts())

    def test_a_conversion_webhook_is_asked(self):
        def convert(one, version):
            spec = one.get("spec", {})
            if version.endswith("v1") and "mode" in spec:
                spec["oldMode"] = spec.pop("mode")
            elif version.endswith("v2") and "oldMode" in spec:
                spec["mode"] = spec.pop("oldMode")
            return one
        with ConversionWebhook(CLUSTER, convert) as webhook:
            upgrade = self.converted("hooks", webhook)
            self.assertEqual([], upgrade.would_be_emptied())
            kept = self.migrator.run(upgrade.name, "--dry-run=server")
            self.assertIn(", to which a webhook converts. By a dry run: a write keeps them", kept.stderr)
            self.assertNotIn("managedFieldsCleaned", kept.crd(), kept)
            # From now on v1 cannot be had of an object.
            webhook.convert = lambda one, version: None if version.endswith("v1") else convert(one, version)
            emptied = upgrade.would_be_emptied()
            self.assertEqual(COUNT // 2, len(emptied))
            run = self.migrate(upgrade)
            self.assertIn("By a dry run: a write empties them", run.stderr)
            self.assertEqual(len(emptied), run.crd()["managedFieldsCleaned"]["objects"])
            self.owners_go_on(upgrade)

    def converted(self, plural, webhook):
        upgrade = Upgrade(self, plural, {"oldMode": TEXT}, {"mode": TEXT})
        crd = self.api.get(f"{V1_CRDS}/{upgrade.name}")
        crd["spec"]["conversion"] = webhook.conversion()
        self.api.put(f"{V1_CRDS}/{upgrade.name}", crd)
        asked = webhook.asked
        path = f"{upgrade.collection('v1')}/w00001"
        wait_for("the webhook is not asked", lambda: self.api.request("GET", path)[0] == 200 and webhook.asked > asked)
        return upgrade


def main():
    global BINARY, CLUSTER, COUNT
    BINARY = os.path.abspath(sys.argv[1])
    counts = [word for word in sys.argv[2:] if word.isdigit()]
    COUNT = int(counts[0]) if counts else COUNT
    with Cluster() as CLUSTER:
        return run_tests(sys.modules[__name__], [word for word in sys.argv[2:] if not word.isdigit()])


if __name__ == "__main__":
    end(main)
