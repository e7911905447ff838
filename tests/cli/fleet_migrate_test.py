#!/usr/bin/env python3
"""`migrate --contexts` over many servers, some of them in trouble: one question, one table, one report, one exit
code; each cluster ends as it would alone, and what they do at the same time is told by what the servers saw.

Usage: fleet_migrate_test.py KUBECTL_PRUNE FAKE_API_SERVER
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import unittest
import urllib.request
import xml.etree.ElementTree

import sandbox  # finds the next ones
import report_schema
import terminals
import fleets
import skips
from fleets import Board, SECONDS, closed_port, port_of_a_broken_server

BOX = None
CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.example.com"
OBJECTS = "/apis/demo.example.com/v1/widgets"
WIDGETS = "widgets.demo.example.com"
QUESTION = "[y/N] "


def manifests(uid, versions=("v1", "v1beta1"), preserves=False, stored=("v1beta1", "v1")):
    """A CRD whose storage version is the first of the versions, with two objects, and the cluster's own uid."""
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer"}}}}}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
           "metadata": {"name": WIDGETS, "uid": f"crd-{uid}"},
           "spec": {"group": "demo.example.com", "scope": "Namespaced", "names": names,
                    "preserveUnknownFields": preserves,
                    "versions": [{"name": name, "served": True, "storage": name == versions[0],
                                  "schema": {"openAPIV3Schema": schema}} for name in versions]},
           "status": {"storedVersions": list(stored)}}

    def widget(name, spec, version):
        return {"apiVersion": f"demo.example.com/{version}", "kind": "Widget",
                "metadata": {"name": name, "namespace": "shop"}, "spec": spec}
    return [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}}, crd,
            widget("a", {"size": 1, "colour": "red"} if preserves else {"size": 1}, stored[0]),
            widget("b", {"size": 2}, versions[0])]


class Gate:
    """A way to a server: what is asked is noted on the board, and held until others were asked too. Lost is what
    begins with `loses`."""

    def __init__(self, name, board, port, waits=(), loses=None):
        self._name, self._board, self._port, self._waits = name, board, port, dict(waits)
        self._loses = loses
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.methods = []
        threading.Thread(target=self._run, daemon=True).start()

    def close(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _run(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, socket.create_connection(("127.0.0.1", self._port)) as server:
            back = threading.Thread(target=self._pass, args=(server, client, lambda _: None), daemon=True)
            back.start()
            self._pass(client, server, self._look)
            back.join()

    def _look(self, data):
        # Each request comes in one piece, its body behind it.
        match = re.match(rb"(GET|POST|PATCH|PUT|DELETE) (\S+)", data)
        if not match:
            return
        if self._loses and re.match(self._loses, data):
            raise ConnectionError
        method = match[1].decode()
        self.methods.append((method, match[2].decode()))
        self._board.note(f"{self._name} {method}")
        self._board.wait_for(self._name, self._waits.get(method, ()))

    @staticmethod
    def _pass(source, target, look):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                look(data)
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Fleet:
    """Clusters by the names of their contexts, each a fake API server behind a gate."""

    def __init__(self, test):
        self._test, self.board = test, Board()
        self.gates, self._servers, self._ports = {}, {}, {}

    def add(self, name, waits=(), options=(), **kinds):
        folder = pathlib.Path(BOX.work, "clusters", str(len(self._servers)))
        folder.mkdir(parents=True)
        kinds.setdefault("uid", f"uid-{name}")
        (folder / "all.json").write_text(json.dumps({"items": manifests(**kinds)}), encoding="utf-8")
        server = subprocess.Popen([BOX.fake_api_server, *options, str(folder)], text=True, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        self._test.addCleanup(server.wait)
        self._test.addCleanup(server.stdin.close)
        self._test.addCleanup(server.stdout.close)
        self._servers[name] = int(server.stdout.readline())
        return self.goes(name, name, waits)

    def goes(self, name, cluster, waits=(), loses=None):
        """A way of its own to a cluster that was added."""
        self.gates[name] = Gate(name, self.board, self._servers[cluster], waits, loses)
        self._test.addCleanup(self.gates[name].close)
        return self.leads(name, self.gates[name].port)

    def leads(self, name, port):
        self._ports[name] = port
        return self

    def begin(self):
        fleets.write_kubeconfig(BOX.environment["KUBECONFIG"], self._ports)
        return self

    @staticmethod
    def add_context(name, other):
        """One of the same cluster and user as the other, once it has begun."""
        path = pathlib.Path(BOX.environment["KUBECONFIG"])
        config = json.loads(path.read_text(encoding="utf-8"))
        [context] = [one["context"] for one in config["contexts"] if one["name"] == other]
        config["contexts"].append({"name": name, "context": {**context, "namespace": "shop"}})
        path.write_text(json.dumps(config), encoding="utf-8")

    def get(self, name, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self._servers[name]}{path}") as answer:
            return json.load(answer)

    def crd(self, name):
        return self.get(name, CRD)

    def stored(self, name):
        return self.crd(name)["status"]["storedVersions"]

    def specs(self, name):
        return [item["spec"] for item in self.get(name, OBJECTS)["items"]]

    def writes(self, name):
        """Whatever could change something; dry runs do not, nor do Leases, by which runs know of each other."""
        return [path for method, path in self.gates[name].methods
                if method in ("PATCH", "PUT", "DELETE") and "dryRun" not in path and "/leases/" not in path]


def command(*arguments):
    return ["kubectl-prune", "migrate", "widgets", "--patience=0", "--contexts=*", *arguments]


def migrate(*arguments):
    return BOX.run(*command(*arguments))


def rows(table):
    return {line.split()[0]: re.split(r" {3,}", line)[1:] for line in table.splitlines()[1:]}


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*") if path.is_file())


class AtTerminal:
    """A run whose stdin is a terminal."""

    def __init__(self, *arguments):
        self._leader, follower = terminals.open_terminal()
        self._run = subprocess.Popen(command(*arguments), cwd=BOX.work, env=BOX.environment, stdin=follower,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(follower)
        self.err = ""

    def read_question(self):
        while not self.err.endswith(QUESTION):
            piece = os.read(self._run.stderr.fileno(), 1)
            if not piece:
                raise AssertionError("nothing was asked: " + self.err)
            self.err += piece.decode()
        return self

    def answer(self, text):
        os.write(self._leader, text.encode() + b"\n")
        return self

    def signal(self, number):
        self._run.send_signal(number)
        return self

    def end(self):
        """Returns stdout."""
        out, err = self._run.communicate(timeout=SECONDS)
        os.close(self._leader)
        self.err += err.decode()
        self.returncode = self._run.returncode
        return out.decode()


class FleetMigration(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.fleet = Fleet(self)
        self.addCleanup(self._clean)

    @staticmethod
    def _clean():
        for path in (BOX.work / "clusters", BOX.work / "kubectl-prune-backup", pathlib.Path(
                BOX.environment["HOME"], ".local")):
            shutil.rmtree(path, ignore_errors=True)

    def test_twenty_clusters_with_five_in_trouble(self):
        names = [f"prod-{number:02}" for number in range(1, 21)]
        asked = [f"{name} GET" for name in set(names) - {"prod-03", "prod-09", "prod-05"}]
        for name in set(names) - {"prod-03", "prod-09"}:
            kinds = {"prod-07": {"versions": ("v2", "v1"), "stored": ("v2",)},
                     # It answers nobody until all the others were asked: who waits for it first waits for ever.
                     "prod-05": {"waits": {"GET": asked}},
                     "prod-12": {"options": ("--fail", "/=401")}}
            self.fleet.add(name, **kinds.get(name, {}))
        self.fleet.leads("prod-03", closed_port()).leads("prod-09", port_of_a_broken_server()).begin()
        done = migrate("-o", "json")
        self.assertEqual([], self.fleet.board.gave_up, "they were not asked at the same time")
        self.assertEqual(2, done.returncode, done.stderr)
        report = json.loads(done.stdout)
        report_schema.require_valid(report)
        clusters = {cluster["name"]: cluster for cluster in report["clusters"]}
        self.assertEqual(names, list(clusters))
        for name, why in {"prod-03": "was refused - did you specify the right host or port?",
                          "prod-09": "Unable to connect to the server: ",
                          "prod-12": "You must be logged in to the server"}.items():
            self.assertIn(why, clusters[name]["error"])
            self.assertRegex(done.stderr, rf"(?m)^{name}: error: the cluster could not be migrated: .*{why}")
            self.assertEqual(2, clusters.pop(name)["exitCode"])
        for name, cluster in clusters.items():
            self.assertEqual(0, cluster["exitCode"])
            [crd] = cluster["report"]["crds"]
            self.assertEqual(("done", True, 2), (crd["outcome"], crd["verified"], crd["counts"]["listed"]))
            self.assertEqual(["v2"] if name == "prod-07" else ["v1"], self.fleet.stored(name))
        summary = report["summary"]
        self.assertEqual((20, 3, 0, 17, 34), tuple(summary[key] for key in (
            "clusters", "notMigrated", "same", "crds", "listed")))
        for line in done.stderr.splitlines():
            self.assertRegex(line, r"^(prod-\d\d: |  )")

    def test_the_objects_of_all_are_rewritten_at_the_same_time(self):
        names = [f"prod-{number}" for number in range(6)]
        for name in names:  # no write is answered before each of them has one
            self.fleet.add(name, waits={"PATCH": [f"{other} PATCH" for other in names]})
        self.fleet.begin()
        done = migrate("--parallel-clusters=6")
        self.assertEqual([], self.fleet.board.gave_up)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual({name: [WIDGETS, "done", "v1beta1,v1 -> v1", "2 objects: 1 rewritten, 1 unchanged"]
                          for name in names}, rows(done.stdout))

    def test_what_is_lost_anywhere_is_asked_about_once(self):
        for name in ("prod-a", "prod-b", "prod-c"):
            self.fleet.add(name, preserves=True)
        self.fleet.leads("prod-down", closed_port()).begin()
        # Who waits for the answer leaves its place to the next.
        run = AtTerminal("--enable-pruning", "--parallel-clusters=1").read_question()
        asked = run.err
        for name in ("prod-a", "prod-b", "prod-c"):
            self.assertRegex(asked, rf"\n{name} +{WIDGETS} +2 +1 +spec\.colour\n")
            self.assertTrue(self.fleet.crd(name)["spec"]["preserveUnknownFields"])
            self.assertEqual([], self.fleet.writes(name))
        self.assertIn("\nNot asked about, as they have ended already: prod-down\n", asked)
        self.assertTrue(asked.endswith(
            f"\nTurn pruning on for {WIDGETS} in 3 clusters, where 3 of 6 objects lose fields? "
            "apiextensions.k8s.io/v1 cannot turn it off again. [y/N] "), asked)
        out = run.answer("y").end()
        self.assertEqual(2, run.returncode, run.err)  # of the one that is down
        self.assertEqual(1, run.err.count(QUESTION))
        for name in ("prod-a", "prod-b", "prod-c"):
            self.assertEqual([WIDGETS, "done", "v1beta1,v1 -> v1"], rows(out)[name][:3])
            self.assertFalse(self.fleet.crd(name)["spec"].get("preserveUnknownFields", False))
            self.assertEqual([{"size": 1}, {"size": 2}], self.fleet.specs(name))
            [backup] = files(BOX.work / "kubectl-prune-backup" / name)[-1:]
            self.assertRegex(backup, rf"^{WIDGETS}-.*\.ndjson$")
        self.assertEqual(["<unknown>", "error", "<none>", "<none>"], rows(out)["prod-down"])

    def declined(self, run):
        for name in ("prod-a", "prod-b"):
            self.assertTrue(self.fleet.crd(name)["spec"]["preserveUnknownFields"])
            self.assertEqual([{"colour": "red", "size": 1}, {"size": 2}], self.fleet.specs(name))
            self.assertEqual([], self.fleet.writes(name))
        self.assertFalse((BOX.work / "kubectl-prune-backup").exists())
        self.assertEqual([], files(pathlib.Path(BOX.environment["HOME"], ".local")))
        self.assertEqual(1, run.err.count(QUESTION))

    def test_a_question_that_is_declined_leaves_nothing_behind(self):
        for name in ("prod-a", "prod-b"):
            self.fleet.add(name, preserves=True)
        self.fleet.begin()
        run = AtTerminal("--enable-pruning").read_question().answer("n")
        out = run.end()
        self.assertEqual(2, run.returncode, run.err)
        self.assertEqual([WIDGETS, "error"], rows(out)["prod-b"][:2])
        self.assertRegex(run.err, f"prod-a: error: {WIDGETS}: pruning was not turned on, as that was not confirmed")
        self.declined(run)

    def test_a_signal_is_no(self):
        for name in ("prod-a", "prod-b"):
            self.fleet.add(name, preserves=True)
        self.fleet.begin()
        run = AtTerminal("--enable-pruning").read_question().signal(signal.SIGINT)
        run.end()
        self.assertEqual(130, run.returncode, run.err)
        self.declined(run)

    def test_without_a_terminal_nothing_is_done_unless_it_was_agreed_to(self):
        for name in ("prod-a", "prod-b"):
            self.fleet.add(name, preserves=True)
        self.fleet.begin()
        done = migrate("--enable-pruning")
        self.assertEqual(2, done.returncode)
        for name in ("prod-a", "prod-b"):
            self.assertRegex(done.stderr, f"(?m)^{name}: error: .*nobody can be asked")
            self.assertEqual([], self.fleet.writes(name))
        done = migrate("--enable-pruning", "--yes", "-o", "name")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(f"customresourcedefinition.apiextensions.k8s.io/{WIDGETS}\n", done.stdout)
        self.assertEqual([{"size": 1}, {"size": 2}], self.fleet.specs("prod-b"))

    def test_dry_runs_store_nothing_anywhere(self):
        for name in ("prod-a", "prod-b"):
            self.fleet.add(name, preserves=True)
        self.fleet.begin()
        for kind, words in {"client": "done (dry run)", "server": "done (server dry run)"}.items():
            done = migrate("--enable-pruning", f"--dry-run={kind}")
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertEqual([WIDGETS, words], rows(done.stdout)["prod-a"][:2])
            self.assertIn(f"prod-b: {WIDGETS}: 1 of 2 objects would lose 1 field", done.stderr)
            for name in ("prod-a", "prod-b"):
                self.assertEqual([], self.fleet.writes(name))
        self.assertFalse((BOX.work / "kubectl-prune-backup").exists())

    @unittest.skipIf(skips.lacks_localhost(), skips.lacks_localhost())
    def test_a_cluster_to_which_several_contexts_lead_is_migrated_once(self):
        self.fleet.add("a").add("e")
        gate = self.fleet.gates["e"].port
        self.fleet.leads("b", f"localhost:{self.fleet.gates['a'].port}").leads("f", gate).begin()
        done = migrate("-o", "json")
        self.assertEqual(0, done.returncode, done.stderr)
        report = json.loads(done.stdout)
        report_schema.require_valid(report)
        self.assertEqual({"a": None, "b": "a", "e": None, "f": "e"},
                         {cluster["name"]: cluster.get("sameAs") for cluster in report["clusters"]})
        self.assertIn("b: note: it is the same cluster as a, so that it is migrated once\n", done.stderr)
        self.assertEqual(["v1"], self.fleet.stored("a"))

    def test_one_that_only_says_that_it_is_another_keeps_nobody_from_being_told(self):
        # As of a clone, or of a server that lies, whichever of both comes first.
        self.fleet.add("a").add("b").add("clone", uid="uid-a").add("aa-liar", uid="uid-b").begin()
        done = migrate("-o", "json")
        self.assertEqual(2, done.returncode, done.stderr)
        report = json.loads(done.stdout)
        report_schema.require_valid(report)
        clusters = {cluster["name"]: cluster for cluster in report["clusters"]}
        self.assertEqual({"a": 0, "aa-liar": 0, "b": 2, "clone": 2},
                         {name: cluster["exitCode"] for name, cluster in clusters.items()})
        self.assertEqual([], [name for name in clusters if "sameAs" in clusters[name]])
        for name, other in {"clone": "a", "b": "aa-liar"}.items():
            self.assertIn(f"by its uid it is the same cluster as {other}, but what was just written to the one",
                          clusters[name]["error"])
            self.assertIn("--state-dir of its own", clusters[name]["error"])
            self.assertRegex(done.stderr, f"(?m)^{name}: error: the cluster could not be migrated: by its uid ")
            self.assertEqual([], self.fleet.writes(name))
        done = BOX.run("kubectl-prune", "migrate", "widgets", "--context=clone", "--state-dir=clone-state")
        self.addCleanup(shutil.rmtree, BOX.work / "clone-state")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["v1"], self.fleet.stored("clone"))

    def test_without_leases_nobody_is_taken_for_another(self):
        self.fleet.add("a", options=("--forbid", "leases.coordination.k8s.io"))
        self.fleet.leads("b", self.fleet.gates["a"].port).begin()
        done = migrate("-o", "json")
        self.assertEqual(2, done.returncode, done.stderr)
        error = json.loads(done.stdout)["clusters"][1]["error"]
        self.assertRegex(error, 'it may be the same cluster as a, which the Lease "default/kubectl-prune-fleet" could '
                                "not prove: .*forbidden.*leave one of both contexts out")
        self.assertEqual(["v1"], self.fleet.stored("a"))

    def test_contexts_of_one_cluster_and_user_need_no_proof(self):
        self.fleet.add("a", options=("--forbid", "leases.coordination.k8s.io")).begin().add_context("b", "a")
        done = migrate()
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["<none>", "same as a"], rows(done.stdout)["b"][:2])

    def test_what_was_left_out_for_one_that_is_left_out_is_the_same_as_the_one_that_stays(self):
        self.fleet.add("c").goes("a", "c", loses=rb"(POST|PUT) \S*/leases").begin().add_context("b", "a")
        done = migrate("-o", "json")
        self.assertEqual(0, done.returncode, done.stderr)
        clusters = json.loads(done.stdout)["clusters"]
        self.assertEqual({"a": "c", "b": "c", "c": None},
                         {cluster["name"]: cluster.get("sameAs") for cluster in clusters})
        self.assertEqual(["v1"], self.fleet.stored("c"))

    def test_a_dry_run_writes_no_proof_and_shows_all(self):
        self.fleet.add("a")
        for name in ("b", "c"):
            self.fleet.leads(name, self.fleet.gates["a"].port)
        self.fleet.begin()
        for kind in ("client", "server"):
            done = migrate(f"--dry-run={kind}")
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertEqual([("b", "a"), ("c", "a")],
                             sorted(re.findall(r"(?m)^(.+): note: it may be the same cluster as (.+?);", done.stderr)))
            self.assertEqual([WIDGETS] * 3, [row[0] for row in rows(done.stdout).values()])
        self.assertEqual([], [path for method, path in self.fleet.gates["a"].methods
                              if method != "GET" and "dryRun" not in path and "reviews" not in path])

    def test_no_name_of_a_context_leads_out_of_its_folder(self):
        names = ["../up", "arn:aws:eks:eu:1:cluster/prod", "..", "a b"]
        for name in names:
            self.fleet.add(name, preserves=True)
        self.fleet.begin()
        done = migrate("--enable-pruning", "--yes", "--backup-dir=backups")
        self.assertEqual(0, done.returncode, done.stderr)
        self.addCleanup(shutil.rmtree, BOX.work / "backups")
        self.assertEqual({"%2E.%2Fup", "arn:aws:eks:eu:1:cluster%2Fprod", "%2E.", "a%20b"},
                         set(os.listdir(BOX.work / "backups")))

    def test_a_signal_ends_all_of_them_and_the_same_command_goes_on(self):
        self.fleet.add("prod-a")
        for name in ("prod-b", "prod-c"):
            self.fleet.add(name, waits={"PATCH": ["prod-a DONE"]})
        self.fleet.begin()
        run = subprocess.Popen(command("-o", "json"), cwd=BOX.work, env=BOX.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.fleet.board.wait_for("test", ["prod-b PATCH", "prod-c PATCH"])
        run.send_signal(signal.SIGINT)
        self.fleet.board.note("prod-a DONE")  # what is in flight ends
        out, err = run.communicate(timeout=SECONDS)
        self.assertEqual(130, run.returncode, err)
        report = json.loads(out)
        report_schema.require_valid(report)
        self.assertEqual([2, 2], [cluster["exitCode"] for cluster in report["clusters"][1:]])
        done = migrate()
        self.assertEqual(0, done.returncode, done.stderr)
        for name in ("prod-a", "prod-b", "prod-c"):
            self.assertEqual(["v1"], self.fleet.stored(name))

    def test_what_failed_in_one_is_tried_again_there(self):
        self.fleet.add("prod-a").add("prod-b", options=("--fail", "/widgets/a=403"))
        self.fleet.begin()
        done = migrate()
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertEqual([WIDGETS, "failures"], rows(done.stdout)["prod-b"][:2])
        self.assertIn(f"prod-b: {WIDGETS}: 1 object was not migrated:\nprod-b:   shop/a: forbidden: ", done.stderr)
        self.assertIn(f"kubectl prune migrate {WIDGETS} --retry-failed --context=prod-b\n", done.stderr)
        before = len(self.fleet.writes("prod-a"))
        done = migrate("--retry-failed")
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertEqual(before, len(self.fleet.writes("prod-a")))
        self.assertEqual(["<none>", "done", "<none>", "<none>"], rows(done.stdout)["prod-a"])

    def test_reports_for_people_have_a_section_for_each(self):
        self.fleet.add("prod-a").add("prod-b").leads("prod-down", closed_port()).begin()
        done = migrate("-o", "junit")
        cases = xml.etree.ElementTree.fromstring(done.stdout).iter("testcase")
        found = {case.get("name"): [child.tag for child in case] for case in cases}
        self.assertEqual({f"prod-a / {WIDGETS}": [], f"prod-b / {WIDGETS}": [], "prod-down": ["error"]}, found)
        for form in ("html", "markdown"):
            done = migrate("-o", form)
            self.assertEqual(2, done.returncode, done.stderr)
            self.assertIn("1 of 3 clusters not wholly migrated", done.stdout)
            self.assertIn("prod-down", done.stdout)


if __name__ == "__main__":
    sys.exit(sandbox.run_tests())
