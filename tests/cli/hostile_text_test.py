#!/usr/bin/env python3
"""O4: whatever a server, a file or a command line says, no terminal is steered by what we print.

Usage: hostile_text_test.py KUBECTL_PRUNE FAKE_API_SERVER

Every command is run with all of TEXTS in every place that somebody else fills. Not looked at is what
kubectl prints as it is too, because it was asked for: -o jsonpath into a pipe, a diff program's own
words, and the stderr of a credential plugin.
"""
import contextlib
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import unittest

import sandbox
import terminals

# What the characters do to a terminal; see SteeringLength in kube/base/utf8.h.
TEXTS = {
    "escape sequence": "a\x1b[2J\x1b]0;title\x07b",
    "bell and backspace": "a\x07\x08b",
    "carriage return": "good\rbad ",
    "delete": "a\x7fb",
    "CSI as a C1 control": "a\x9b2Jb",
    "OSC and NEL as C1 controls": "a\x9d0;t\x9c\x85b",
    "right-to-left override": "a\u202egpj.exe",
    "isolates and marks": "a\u2066b\u2069\u200f\u061c\ufeffc",
    "line separators": "a\u2028b\u2029c",
}
TEXT = " ".join(TEXTS.values())
SHOWN = "[2J"  # what is left of the first of them, behind the escape character
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
KUBECONFIG = "KUBECONFIG"
GROUP = "demo.example.com"
BOX = None


def status(code, text):
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
                  "reason": text, "message": text,
                  "details": {"kind": text, "name": text, "causes": [
                      {"reason": text, "field": text, "message": text}]}}


def crd(text, name=None, **spec):
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
        text: {"type": text}}}, text: {}}}
    return {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
            "metadata": {"name": name or "widgets." + GROUP, "uid": "u1" + text, "resourceVersion": "5",
                         "generation": 1, "labels": {text: text}, "annotations": {
                             "meta.helm.sh/release-name": text,
                             "argocd.argoproj.io/tracking-id": text}},
            "spec": {"group": GROUP, "scope": "Namespaced", "preserveUnknownFields": True,
                     "names": {"plural": "widgets", "kind": "Widget", "listKind": "WidgetList",
                               "singular": "widget", "shortNames": [text], "categories": [text]},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}], **spec},
            "status": {"storedVersions": ["v1", text], "acceptedNames": {
                "plural": "widgets", "kind": "Widget", "listKind": "WidgetList"}, "conditions": [
                    {"type": "Established", "status": "True", "reason": text, "message": text},
                    {"type": "NonStructuralSchema", "status": "True", "reason": text, "message": text}]}}


def structural(text):
    """A CRD without problems, so that its objects are looked at."""
    result = crd(text)
    result["spec"]["names"] |= {"shortNames": [], "categories": []}
    result["status"]["storedVersions"] = ["v1"]
    result["status"]["conditions"].pop()
    result["metadata"]["labels"] = {}
    del result["spec"]["versions"][0]["schema"]
    result["spec"]["validation"] = {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {text: {"type": "string"}}}}}}
    return result


def widget(text, **more):
    return {"apiVersion": GROUP + "/v1", "kind": "Widget", "metadata": {
        "name": text, "namespace": text, "uid": "u2", "resourceVersion": "7", "managedFields": [
            {"manager": text, "operation": "Update", "fieldsType": "FieldsV1",
             "fieldsV1": {"f:spec": {"f:gone" + text: {}, "f:x" + text: {}}}}]},
            "spec": {text: text, "x" + text: text, "deep": {text: [{text: {"a": text}}]}}, **more}


def items(kind, *objects):
    return {"kind": kind, "apiVersion": "v1", "metadata": {"resourceVersion": "9"},
            "items": list(objects)}


class Api:
    """A server that says `text` wherever it can. Answers by the start of the path."""

    def __init__(self, text, answers):
        self.text, self.answers = text, answers

    def answer(self, method, path):
        for start, (code, body) in self.answers.items():
            verb, _, prefix = start.rpartition(" ")
            if path.startswith(prefix) and verb in ("", method):
                return code, body
        return status(404, self.text)

    @contextlib.contextmanager
    def serve(self):
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def reply(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                code, body = api.answer(self.command, self.path)
                data = body.encode() if isinstance(body, str) else json.dumps(
                    body, ensure_ascii=False).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                # A header has no line breaks, but all the rest.
                warning = re.sub("[\r\n]", " ", api.text).encode().decode("latin-1")
                self.send_header("Warning", f'299 - "{warning}"')
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_PATCH = do_POST = do_PUT = reply

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            config = {"current-context": "c", "contexts": [
                {"name": "c", "context": {"cluster": "c", "user": "u"}}],
                      "clusters": [{"name": "c", "cluster": {
                          "server": f"http://127.0.0.1:{server.server_port}"}}],
                      "users": [{"name": "u", "user": {}}]}
            pathlib.Path(BOX.environment[KUBECONFIG]).write_text(json.dumps(config))
            try:
                yield
            finally:
                server.shutdown()


CRDS = [f"/apis/apiextensions.k8s.io/{version}/customresourcedefinitions" for version in ("v1beta1", "v1")]
DISCOVERY = {"kind": "APIGroup", "name": "apiextensions.k8s.io", "versions": [
    {"groupVersion": "apiextensions.k8s.io/v1beta1", "version": "v1beta1"}]}


def cluster(text, definition, *objects, **more):
    """The answers of a cluster with one CRD."""
    name = definition["metadata"]["name"]
    answers = {f"{path}/{name}": (200, definition) for path in CRDS}
    answers |= {path: (200, items("CustomResourceDefinitionList", definition)) for path in CRDS}
    answers |= {"/apis/apiextensions.k8s.io": (200, DISCOVERY),
                "/apis/apiregistration": (200, items("APIServiceList")),
                "/version": (200, {"gitVersion": text, "major": text, "minor": text,
                                   "platform": text, "goVersion": text}),
                f"/apis/{GROUP}/": (200, items("WidgetList", *objects)),
                "POST /apis/authorization": (201, {"kind": "SelfSubjectAccessReview",
                                                   "apiVersion": "authorization.k8s.io/v1",
                                                   "status": {"allowed": True}})}
    return more | answers


class HostileText(unittest.TestCase):
    def look(self, *command, shows=True):
        """Runs it. `shows`: some of the texts is printed, or the test would see nothing."""
        done = BOX.run("kubectl-prune", *command, errors="surrogateescape")
        for stream, output in (("stdout", done.stdout), ("stderr", done.stderr)):
            bad = STEERING.search(output)
            where = output[max(0, bad.start() - 60):bad.end() + 60] if bad else ""
            self.assertIsNone(bad, f"{command} to {stream}: {where!r}")
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        if shows:
            self.assertIn(SHOWN, done.stdout + done.stderr, command)

    def write(self, name, *objects):
        text = "\n".join(o if isinstance(o, str) else json.dumps(o, ensure_ascii=False) for o in objects)
        (BOX.work / name).write_text(text, newline="")
        return name

    def write_kubeconfig(self, config):
        pathlib.Path(BOX.environment[KUBECONFIG]).write_text(json.dumps(config))

    def test_O4_each_text(self):
        for what, text in TEXTS.items():
            with self.subTest(what):
                files = "-f", self.write("crd.json", crd(text)), "-f", self.write("o.json", widget(text))
                for output in ("wide", "json", "yaml"):
                    self.look("check", "--local", *files, "-o", output, shows=SHOWN in text)

    def test_O4_files(self):
        crd_file = self.write("crd.json", structural(TEXT))
        bad = self.write("bad.json", crd(TEXT), crd(TEXT, name=TEXT + "." + GROUP))
        objects = self.write("objects.json", widget(TEXT), widget(TEXT, kind=TEXT),
                             widget(TEXT, apiVersion=TEXT))
        for output in ("wide", "json", "yaml", "name"):
            for definitions in (crd_file, bad):
                self.look("check", "--local", "-f", definitions, "-f", objects, "-o", output,
                          "--show-objects", shows=output != "name")
        for output in ("json", "yaml"):
            self.look("migrate", "--local", "--enable-pruning", "-f", crd_file, "-f", objects, "-o", output)
        self.look("diff", "--local", "-f", crd_file, "-f", objects)

    def test_O4_a_template_on_a_terminal(self):
        files = "-f", self.write("crd.json", structural(TEXT)), "-f", self.write("o.json", widget(TEXT))
        leader, follower = terminals.open_terminal()
        with open(leader, "rb", buffering=0) as terminal:
            with open(follower, "wb") as stdout:
                template = "jsonpath={.crds[*].versions[*].prunedFields[*].path}"
                subprocess.run(["kubectl-prune", "check", "--local", *files, "-o", template],
                               cwd=BOX.work, env=BOX.environment, stdout=stdout, check=False)
                stdout.write(b"end of output")
            said = b""
            while b"end of output" not in said:
                said += terminal.read(4096)
        output = said.decode(errors="surrogateescape").replace("\r\n", "\n")
        self.assertIsNone(STEERING.search(output), repr(output))
        self.assertIn(SHOWN, output)

    def test_O4_broken_files(self):
        for name, body in (("broken.yaml", f"a: [{TEXT}"), ("broken.json", "{" + TEXT),
                           ("tag.yaml", f"a: !{TEXT} b"), ("alias.yaml", f"a: *{TEXT}"),
                           (TEXT.replace("/", "_")[:60] + ".json", "[")):
            self.look("check", "--local", "-f", self.write(name, body), shows=False)
        self.look("check", "--local", "-f", "none" + TEXT)

    def test_O4_command_lines(self):
        for command in (["check", "--" + TEXT], [TEXT], ["check", "--local", "-f", TEXT],
                        ["check", "--context", TEXT], ["check", "--kubeconfig", TEXT],
                        ["check", "--server", TEXT], ["check", "-o", TEXT],
                        ["check", "-l", TEXT + "=(", "x"],
                        ["check", "--fail-on", TEXT], ["check", "-o", "jsonpath=" + TEXT + "{"],
                        ["migrate", "--retry-from", TEXT],                         ["completion", TEXT], ["help", TEXT]):
            self.look(*command)
        self.look("check", "--request-timeout", TEXT, shows=False)
        self.look("version", "-o", TEXT, shows=False)

    def test_O4_kubeconfigs(self):
        good = {"current-context": TEXT, "contexts": [
            {"name": TEXT, "context": {"cluster": TEXT, "user": TEXT}}], "clusters": [
                {"name": TEXT, "cluster": {"server": "http://127.0.0.1:1"}}],
                "users": [{"name": TEXT, "user": {}}]}
        for change in ({"contexts": []}, {"users": [
                {"name": TEXT, "user": {"client-certificate": TEXT, "client-key": TEXT}}]},
                       {"users": [{"name": TEXT, "user": {"exec": {
                           "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
                           "command": TEXT, "installHint": TEXT}}}]},
                       {"users": [{"name": TEXT, "user": {"auth-provider": {"name": TEXT}}}]},
                       {"clusters": [{"name": TEXT, "cluster": {"server": TEXT}}]},
                       {"clusters": [{"name": TEXT, "cluster": {
                           "server": "https://127.0.0.1:1", "certificate-authority": TEXT}}]}):
            self.write_kubeconfig(good | change)
            self.look("check", shows=change.keys() != {"users"} or "client-key" in str(change))
        self.write_kubeconfig(good)
        for flag in ("--context", "--cluster", "--user"):
            self.look("__complete", "check", flag, "", shows=False)

    def test_O4_clusters(self):
        commands = (["check", "-o", "wide", "--show-objects"], ["version"], ["version", "-o", "yaml"],
                    ["diff"], ["check", "-v", "9"], ["migrate", "--all", "--yes", "--enable-pruning"],
                    ["migrate", "widgets", "--enable-pruning", "--dry-run=client"])
        for definition in (structural(TEXT), crd(TEXT, name=TEXT + "." + GROUP)):
            with Api(TEXT, cluster(TEXT, definition, widget(TEXT))).serve():
                for command in commands:
                    self.look(*command)
                self.look("__complete", "check", "", shows=False)
                self.look("__complete", "check", "-n", "", shows=False)

    def test_O4_refusals(self):
        for code in (400, 403, 404, 409, 422, 500):
            with Api(TEXT, {"/": status(code, TEXT)}).serve():
                for command in (["check"], ["check", "widgets." + GROUP], ["migrate", "widgets." + GROUP]):
                    self.look(*command, "--patience=0")
        for body in (TEXT, f"<html>{TEXT}", json.dumps({"kind": TEXT}, ensure_ascii=False)):
            with Api(TEXT, {"/": (200, body)}).serve():
                self.look("check", "--patience=0", shows=False)
        denied = {"POST /apis/authorization": (201, {"status": {
            "allowed": False, "reason": TEXT, "evaluationError": TEXT}}), "PATCH /": status(422, TEXT)}
        with Api(TEXT, cluster(TEXT, structural(TEXT), widget(TEXT)) | denied).serve():
            self.look("migrate", "widgets", "--enable-pruning", "--yes", shows=False)


class TheTestItself(unittest.TestCase):
    def test_every_text_steers(self):
        for what, text in TEXTS.items():
            self.assertIsNotNone(STEERING.search(text), what)
            self.assertIsNone(STEERING.search(ascii(text)), what)


if __name__ == "__main__":
    sys.exit(sandbox.run_tests())
