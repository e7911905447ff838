#!/usr/bin/env python3
"""`check --contexts` over many servers, some of them in trouble: one table, one report, one exit code, and all
of them asked at the same time, which is told by what the servers saw.

Usage: fleet_test.py KUBECTL_PRUNE FAKE_API_SERVER
"""
import contextlib
import gzip
import http.server
import json
import signal
import subprocess
import sys
import threading
import time
import unittest
import xml.etree.ElementTree

import sandbox  # finds the next one
import report_schema
import fleets
from fleets import Board, SECONDS, closed_port, port_of_a_broken_server

BOX = None
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = "widgets.demo.example.com"


def crd(versions, preserve=True, stored=("v1",)):
    """A CRD whose storage version is the first of the versions."""
    def version(name):
        schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
            "size": {"type": "integer"}}}}}
        return {"name": name, "served": True, "storage": name == versions[0],
                "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": WIDGETS, "uid": "u1", "resourceVersion": "7", "generation": 1},
            "spec": {"group": "demo.example.com", "scope": "Namespaced", "names": names,
                     "preserveUnknownFields": preserve, "versions": [version(v) for v in versions]},
            "status": {"conditions": [{"type": "Established", "status": "True"},
                                      {"type": "NamesAccepted", "status": "True"}],
                       "acceptedNames": names, "storedVersions": list(stored)}}


def widget(name, spec):
    return {"apiVersion": "demo.example.com/v1", "kind": "Widget",
            "metadata": {"name": name, "namespace": "shop", "uid": name, "resourceVersion": "9"}, "spec": spec}


def status(code, reason, message):
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message,
                  "reason": reason, "code": code}


class Server(http.server.ThreadingHTTPServer):
    """A cluster: a CRD and its objects."""
    daemon_threads = True

    def __init__(self, name, board, definition=None, refuses=False, waits_for=()):
        super().__init__(("127.0.0.1", 0), Handler)
        self.name, self.board, self.refuses, self.waits_for = name, board, refuses, waits_for
        self.definition = definition or crd(["v1", "v1beta1"])
        self.users, self.methods, self.connections = set(), set(), []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, path):
        if self.refuses:
            return status(401, "Unauthorized", "Unauthorized")
        if path == CRDS:
            return 200, {"kind": "CustomResourceDefinitionList", "apiVersion": "apiextensions.k8s.io/v1",
                         "metadata": {"resourceVersion": "10"}, "items": [self.definition]}
        if path == f"{CRDS}/{WIDGETS}":
            return 200, self.definition
        preserves = self.definition["spec"]["preserveUnknownFields"]
        spec = {"size": 1, "colour": "red"} if preserves else {"size": 1}  # reads are pruned
        if path.startswith("/apis/demo.example.com/") and path.endswith("/widgets"):
            return 200, {"kind": "WidgetList", "apiVersion": "demo.example.com/v1",
                         "metadata": {"resourceVersion": "10"}, "items": [widget("a", spec), widget("b", {"size": 2})]}
        return status(404, "NotFound", "the server could not find the requested resource")

    def handle_error(self, request, client_address):
        pass  # whoever was interrupted is gone


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle(self):
        self.server.connections.append(self)
        try:
            super().handle()
        finally:
            self.server.connections.remove(self)
            if not self.server.connections:
                self.server.board.note(f"{self.server.name} left")

    def do_GET(self):
        self.server.users.add(self.headers.get("Impersonate-User"))
        self.server.methods.add(self.command)
        self.server.board.note(self.server.name)
        self.server.board.wait_for(self.server.name, self.server.waits_for)
        code, body = self.server.answer(self.path.partition("?")[0])
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

    def log_message(self, *_):
        pass


class EndlessServer(Server):
    """A cluster whose answers to what has `part` in its path never end: `begin`, then `piece` again and again."""

    def __init__(self, name, board, begin, piece, pause=0.0, part="/"):
        self.begin, self.piece, self.pause, self.part = begin, piece, pause, part
        super().__init__(name, board)
        self.RequestHandlerClass = EndlessHandler


class EndlessHandler(Handler):
    def do_GET(self):
        if self.server.part not in self.path:
            super().do_GET()
            return
        self.server.board.note(f"{self.server.name} endless")
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.wfile.write(self.server.begin)
            while True:
                self.wfile.write(self.server.piece)
                time.sleep(self.server.pause)

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
BODY = HEAD + b"\r\n"
CHUNKS = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
GZIP = HEAD + b"Content-Encoding: gzip\r\n\r\n"
LIST = b'{"kind":"WidgetList","apiVersion":"demo.example.com/v1","items":['
BLANKS = b" " * 65536
FAST = {"blanks": (BODY, BLANKS), "blanks in chunks": (CHUNKS, b"10000\r\n" + BLANKS + b"\r\n"),
        "blanks between items": (BODY + LIST, BLANKS), "one long string": (BODY + b'{"kind":"', b"x" * 65536),
        "a compressed bomb": (GZIP, gzip.compress(BLANKS * 100)), "HTML": (BODY, b"<html>" * 10000),
        "an error": (b"HTTP/1.1 500 No\r\n\r\n", b"no" * 30000), "headers": (HEAD, b"X-A: b\r\n" * 5000),
        "heads": (b"", b"HTTP/1.1 103 Hints\r\n\r\n" * 2000),
        "trailers": (CHUNKS + b"2\r\n{}\r\n0\r\n", b"X-A: b\r\n" * 5000)}
SLOW = {"a blank": (BODY, b" "), "a letter": (BODY + b'{"kind":"', b"x"), "an item": (BODY + LIST + b"{}", b",{}"),
        "a chunk": (CHUNKS, b"1\r\n \r\n"), "a header": (HEAD, b"X-A: b\r\n"), "half a header": (HEAD, b"x"),
        "nothing": (BODY, b""), "no head": (b"", b"")}


def write_kubeconfig(ports, users=None):
    fleets.write_kubeconfig(BOX.environment["KUBECONFIG"], ports, users)


def check(*arguments):
    return BOX.run("kubectl-prune", "check", "--patience=0", *arguments)


class Twenty:
    """Two that are down, one that is slow, one with another CRD, one that refuses, and fifteen others."""

    def __init__(self, down=closed_port):
        self.board = Board()
        self.names = [f"prod-{number:02}" for number in range(1, 21)]
        asked = set(self.names) - {"prod-03", "prod-09"}
        servers = {name: Server(name, self.board) for name in asked - {"prod-05", "prod-07", "prod-12"}}
        # It answers nobody until all the others were asked: who waits for it first waits for ever.
        servers["prod-05"] = Server("prod-05", self.board, waits_for=asked)
        servers["prod-07"] = Server("prod-07", self.board, crd(["v2", "v1"], False, ("v1", "v2")))
        servers["prod-12"] = Server("prod-12", self.board, refuses=True)
        self.servers = servers
        ports = {name: server.server_port for name, server in servers.items()}
        ports |= {"prod-03": closed_port(), "prod-09": down(), "other": closed_port()}
        write_kubeconfig(ports)


class EndlessAnswers(unittest.TestCase):
    def fleet(self, answers, pause, part):
        """A cluster for each of the answers, and one that is well."""
        self.board = Board()
        self.names = {name: f"bad-{number:02}" for number, name in enumerate(answers)}
        ports = {self.names[name]: EndlessServer(self.names[name], self.board, *answers[name], pause, part).server_port
                 for name in answers}
        ports["good"] = Server("good", self.board).server_port
        write_kubeconfig(ports)

    def is_told(self, code, done_code, out):
        """Of each that has no end it is told why, and nothing is missing of the one that is well."""
        self.assertEqual(code, done_code, out)
        clusters = {cluster["name"]: cluster for cluster in json.loads(out)["clusters"]}
        for name, context in self.names.items():
            with self.subTest(name):
                cluster = clusters[context]
                self.assertEqual(2, cluster["exitCode"], cluster)
                report = cluster.get("report", {"crds": []})
                verdicts = [crd["verdict"] for crd in report["crds"]]
                self.assertTrue("error" in cluster or report.get("notAllCrdsRead") or verdicts == ["unknown"], cluster)
        self.assertEqual(1, clusters["good"]["exitCode"])

    def test_what_comes_fast_ends_by_its_size(self):
        for part in ("/customresourcedefinitions", "demo.example.com/v1/widgets"):
            self.fleet(FAST, 0, part)
            done = check("--contexts=*", "--parallel-clusters=20", "-o", "json")
            with self.subTest(part):
                self.is_told(2, done.returncode, done.stdout)

    def test_what_comes_slowly_ends_by_the_limit_of_the_user(self):
        for part in ("/customresourcedefinitions", "demo.example.com/v1/widgets"):
            self.fleet(SLOW, 1, part)
            begin = time.monotonic()
            done = BOX.run("kubectl-prune", "check", "--contexts=*", "--parallel-clusters=20", "-o", "json",
                           "--request-timeout=2s")
            with self.subTest(part):
                self.is_told(2, done.returncode, done.stdout)
                self.assertLess(time.monotonic() - begin, 60)  # 2 s, but for a busy machine

    def test_what_comes_slowly_ends_by_a_signal(self):
        for part in ("/customresourcedefinitions", "demo.example.com/v1/widgets"):
            self.fleet(SLOW, 1, part)
            run = subprocess.Popen(["kubectl-prune", "check", "--contexts=*", "--parallel-clusters=20", "-o", "json"],
                                   cwd=BOX.work, env=BOX.environment, stdout=subprocess.PIPE, text=True)
            self.board.wait_for("test", ["good left", *(f"{name} endless" for name in self.names.values())])
            self.assertEqual([], self.board.gave_up)
            begin = time.monotonic()
            run.send_signal(signal.SIGINT)
            out, _ = run.communicate(timeout=SECONDS)
            with self.subTest(part):
                self.is_told(130, run.returncode, out)
                self.assertLess(time.monotonic() - begin, 30)

    def test_what_drips_ends_by_itself(self):
        # Heads are waited for longer: a server may need its time.
        self.fleet({name: answer for name, answer in SLOW.items() if BODY in answer[0] or CHUNKS in answer[0]}, 1,
                   "demo.example.com/v1/widgets")
        done = check("--contexts=*", "--parallel-clusters=20", "-o", "json")
        self.is_told(2, done.returncode, done.stdout)
        self.assertIn("comes too slowly", done.stdout)


class Fleet(unittest.TestCase):
    maxDiff = None

    def test_twenty_clusters_with_five_in_trouble(self):
        fleet = Twenty(down=port_of_a_broken_server)
        done = check("--contexts", "prod-*")
        self.assertEqual([], fleet.board.gave_up, "they were not asked at the same time")
        self.assertEqual(2, done.returncode, done.stderr)
        rows = [line.split() for line in done.stdout.split("\nCLUSTER")[1].split("\n\n")[0].split("\n")[1:]]
        self.assertEqual(fleet.names, [row[0] for row in rows])
        verdicts = {row[0]: (row[1], row[-1]) for row in rows}
        for name in ("prod-03", "prod-09", "prod-12"):
            self.assertEqual(("<unknown>", "unknown"), verdicts.pop(name))
        self.assertEqual((WIDGETS, "pruning"), verdicts.pop("prod-07"))
        self.assertEqual({(WIDGETS, "loses-fields")}, set(verdicts.values()))
        for name, why in {"prod-03": "was refused - did you specify the right host or port?",
                          "prod-09": "Unable to connect to the server: ",
                          "prod-12": "You must be logged in to the server"}.items():
            self.assertRegex(done.stdout, rf"\n{name} could not be checked: .*{why}")
        self.assertIn("20 clusters, 3 of which could not be checked; 17 CRDs: ", done.stdout)
        self.assertIn(f"{WIDGETS} is not the same in all clusters (preserveUnknownFields, storage version, "
                      "versions, served versions, stored versions, schemas):\n", done.stdout)
        self.assertRegex(done.stdout, r"\n  prod-07 +false +v2 +v1,v2 +v2,v1 +v2,v1 +B\n")
        self.assertNotIn("other", done.stdout)

    def test_the_report_has_each_of_them(self):
        fleet = Twenty()
        done = check("--contexts", "prod-*", "-o", "json", "--parallel-clusters=20")
        self.assertEqual([], fleet.board.gave_up)
        self.assertEqual(2, done.returncode)
        report = json.loads(done.stdout)
        report_schema.require_valid(report)
        self.assertEqual(fleet.names, [cluster["name"] for cluster in report["clusters"]])
        failed = {cluster["name"]: cluster["error"] for cluster in report["clusters"] if "error" in cluster}
        self.assertEqual({"prod-03", "prod-09", "prod-12"}, set(failed))
        for name, why in failed.items():
            self.assertIn(f"error: {name} could not be checked: {why}\n", done.stderr)
        for cluster in report["clusters"]:
            if cluster["name"] in failed:
                self.assertEqual(2, cluster["exitCode"])
                continue
            self.assertEqual(cluster["name"], cluster["report"]["context"])
            self.assertEqual(0 if cluster["name"] == "prod-07" else 1, cluster["exitCode"])
        summary = report["summary"]
        self.assertEqual((20, 3, 1, 17, 16), tuple(summary[key] for key in (
            "clusters", "notChecked", "differences", "crds", "losesFields")))
        [difference] = report["differences"]
        self.assertEqual([16, 1], [len(variant["clusters"]) for variant in difference["variants"]])
        self.assertEqual(["prod-07"], difference["variants"][1]["clusters"])
        self.assertEqual({"GET"}, set().union(*(server.methods for server in fleet.servers.values())))

    def test_reports_for_people_have_a_section_for_each(self):
        Twenty()
        done = check("--contexts", "prod-*", "-o", "junit")
        cases = xml.etree.ElementTree.fromstring(done.stdout).iter("testcase")
        found = {case.get("name"): [child.tag for child in case] for case in cases}
        self.assertEqual(20, len(found))
        self.assertEqual(["failure"], found[f"prod-01 / {WIDGETS}"])
        self.assertEqual(["error"], found["prod-03"])
        for form in ("html", "markdown"):
            done = check("--contexts", "prod-*", "-o", form)
            self.assertEqual(2, done.returncode, done.stderr)
            self.assertIn("3 of 20 clusters could not be checked", done.stdout)
            self.assertIn("prod-12", done.stdout)
            self.assertRegex(done.stdout, r"prod-20 /")

    def test_all_that_may_are_asked_at_once(self):
        board = Board()
        names = [f"prod-{number}" for number in range(6)]
        # None answers before all were asked.
        servers = {name: Server(name, board, waits_for=names) for name in names}
        write_kubeconfig({name: server.server_port for name, server in servers.items()})
        done = check("--contexts", "*", "--parallel-clusters=6", "--no-headers")
        self.assertEqual([], board.gave_up)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertEqual(6, done.stdout.count("loses-fields\n"))

    def test_one_at_a_time_comes_to_the_same(self):
        board = Board()
        names = ["prod-a", "prod-b", "prod-c"]
        write_kubeconfig({name: Server(name, board).server_port for name in names})
        at_once, one_by_one = (check("--contexts=prod-*", f"--parallel-clusters={n}") for n in (3, 1))
        self.assertEqual(at_once.stdout, one_by_one.stdout)
        self.assertEqual(1, one_by_one.returncode)

    def test_each_server_is_asked_as_its_own_user(self):
        board = Board()
        names = ["prod-a", "prod-b", "prod-c"]
        servers = {name: Server(name, board) for name in names}
        ports = {name: server.server_port for name, server in servers.items()}
        # Without TLS nothing is sent that is secret; tests/cluster/fleet_test.py has tokens.
        write_kubeconfig(ports, {name: {"as": "user-of-" + name, "token": "secret"} for name in names})
        done = check("--contexts", "prod-a,prod-b", "-v=8")
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertEqual([{"user-of-prod-a"}, {"user-of-prod-b"}, set()], [servers[name].users for name in names])
        self.assertNotIn("secret", done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"(?m)^prod-a: .*GET http://")

    def test_a_signal_ends_all_of_them_with_what_is_known(self):
        board = Board()
        servers = {"prod-a": Server("prod-a", board)}
        for name in ("prod-b", "prod-c"):
            servers[name] = Server(name, board, waits_for=["nobody"])
        write_kubeconfig({name: server.server_port for name, server in servers.items()} | {"prod-d": closed_port()})
        run = subprocess.Popen(["kubectl-prune", "check", "--contexts", "prod-*", "--parallel-clusters=2", "-o",
                                "json"], cwd=BOX.work, env=BOX.environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        # With two at once, both of these are asked only when prod-a has had its report.
        board.wait_for("test", ["prod-a", "prod-b", "prod-c"])
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=SECONDS)
        self.assertEqual(130, run.returncode, err)
        report = json.loads(out)
        report_schema.require_valid(report)
        self.assertEqual(1, report["clusters"][0]["exitCode"])
        self.assertEqual([2, 2, 2], [cluster["exitCode"] for cluster in report["clusters"][1:]])
        self.assertIn("interrupted before they were checked: ", err)

    def test_a_proposal_is_held_against_each_of_them(self):
        board = Board()
        servers = {"prod-a": Server("prod-a", board), "prod-b": Server("prod-b", board, crd(["v1"]))}
        write_kubeconfig({name: server.server_port for name, server in servers.items()})
        (BOX.work / "new.json").write_text(json.dumps(crd(["v1", "v1beta1"], preserve=False)), encoding="utf-8")
        done = check("--contexts", "prod-*", "-f", "new.json", "-o", "json")
        report = json.loads(done.stdout)
        report_schema.require_valid(report)
        for cluster in report["clusters"]:
            [found] = cluster["report"]["crds"]
            self.assertEqual("new.json", found["source"])
            commands = " ".join(step["command"] for step in cluster["report"]["steps"])
            self.assertIn(f"--context={cluster['name']}", commands)
        variants = report["differences"][0]["variants"]
        self.assertEqual([["v1", "v1beta1"], ["v1"]], [variant["versions"] for variant in variants])

    def test_a_context_that_leads_nowhere_is_named(self):
        board = Board()
        write_kubeconfig({"prod-a": Server("prod-a", board).server_port})
        with open(BOX.environment["KUBECONFIG"], encoding="utf-8") as file:
            config = json.load(file)
        config["contexts"].append({"name": "prod-b", "context": {"cluster": "c-prod-a", "user": "u-lost"}})
        config["users"].append({"name": "u-lost", "user": {"client-certificate": "/nowhere/a.crt",
                                                           "client-key": "/nowhere/a.key"}})
        with open(BOX.environment["KUBECONFIG"], "w", encoding="utf-8") as file:
            json.dump(config, file)
        done = check("--contexts", "*", "--no-headers")
        self.assertEqual(2, done.returncode)
        self.assertRegex(done.stdout, r"^prod-a .*loses-fields\nprod-b .*unknown\n$")
        self.assertRegex(done.stderr, "prod-b could not be checked: .*unable to read client-cert /nowhere/a.crt")


if __name__ == "__main__":
    sys.exit(sandbox.run_tests())
