#!/usr/bin/env python3
"""O4: whatever a server, a file or a command line says, no terminal is steered by what we print.

Usage: hostile_text_test.py KUBECTL_PRUNE FAKE_API_SERVER

Every command is run with every text of TEXTS in every place that somebody else fills. Not looked at
is what kubectl prints as it is too, because it was asked for: -o jsonpath, a diff program's own
words, and the stderr of a credential plugin.
"""
import contextlib
import http.server
import json
import pathlib
import re
import sys
import threading
import unittest

import sandbox

# What the characters do to a terminal; see SteeringLength in kube/utf8.h.
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
    result["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": {"type": "object", "properties": {
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


CRDS = ("/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
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
    def run_and_look(self, *command):
        done = BOX.run("kubectl-prune", *command, errors="surrogateescape")
        for stream, output in (("stdout", done.stdout), ("stderr", done.stderr)):
            bad = STEERING.search(output)
            where = output[max(0, bad.start() - 60):bad.end() + 60] if bad else ""
            self.assertIsNone(bad, f"{command} to {stream}: {where!r}")
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        return done.stdout + done.stderr

    def each_text(self):
        for what, text in TEXTS.items():
            with self.subTest(what):
                yield text

    def write(self, name, *objects):
        (BOX.work / name).write_text("\n".join(json.dumps(o, ensure_ascii=False) for o in objects))

    def test_O4_files(self):
        for text in self.each_text():
            self.write("crd.json", structural(text))
            self.write("bad.json", crd(text), crd(text, name=text + "." + GROUP))
            self.write("objects.json", widget(text), widget(text, kind=text), widget(text, apiVersion=text))
            self.write(text.replace("\r", "_") + ".json", {"kind": text, "apiVersion": text})
            for output in ("wide", "json", "yaml", "name"):
                self.run_and_look("check", "--local", "-f", "crd.json", "-f", "objects.json", "-o", output,
                                  "--show-objects")
                self.run_and_look("check", "--local", "-f", "bad.json", "-f", "objects.json", "-o", output)
            for output in ("json", "yaml"):
                self.run_and_look("migrate", "--local", "--enable-pruning", "-f", "crd.json", "-f",
                                  "objects.json", "-o", output)
            said = self.run_and_look("diff", "--local", "-f", "crd.json", "-f", "objects.json")
            self.assertIn("-  x", said.replace('"', ""))  # the field that goes is shown

    def test_O4_broken_files(self):
        for text in self.each_text():
            for name, body in (("broken.yaml", f"a: [{text}"), ("broken.json", "{" + text),
                               ("tag.yaml", f"a: !{text} b"), ("alias.yaml", f"a: *{text}")):
                (BOX.work / name).write_text(body)
                self.run_and_look("check", "--local", "-f", name)
            self.run_and_look("check", "--local", "-f", "none" + text)

    def test_O4_command_lines(self):
        for text in self.each_text():
            for command in (["check", text], ["check", "--" + text], ["check", "-" + text], [text],
                            ["check", "--context", text], ["check", "--kubeconfig", text],
                            ["check", "--server", text], ["check", "-o", text],
                            ["check", "-l", text + "=(", "x"], ["check", "--request-timeout", text],
                            ["check", "--fail-on", text], ["check", "-o", "jsonpath=" + text + "{"],
                            ["diff", "widgets/" + text], ["migrate", text, "--retry-from", text],
                            ["migrate", "x", "--state-dir", text], ["version", "-o", text],
                            ["completion", text], ["help", text]):
                self.run_and_look(*command)

    def test_O4_kubeconfigs(self):
        for text in self.each_text():
            good = {"current-context": text, "contexts": [
                {"name": text, "context": {"cluster": text, "user": text}}], "clusters": [
                    {"name": text, "cluster": {"server": "http://127.0.0.1:1"}}],
                    "users": [{"name": text, "user": {}}]}
            for change in ({}, {"contexts": []}, {"clusters": []}, {"users": [
                    {"name": text, "user": {"client-certificate": text, "client-key": text}}]},
                           {"users": [{"name": text, "user": {"exec": {
                               "apiVersion": text, "command": text}}}]},
                           {"users": [{"name": text, "user": {"auth-provider": {"name": text}}}]},
                           {"clusters": [{"name": text, "cluster": {"server": text}}]},
                           {"clusters": [{"name": text, "cluster": {
                               "server": "https://127.0.0.1:1", "certificate-authority": text}}]}):
                pathlib.Path(BOX.environment[KUBECONFIG]).write_text(json.dumps(good | change))
                self.run_and_look("check")
                self.run_and_look("version")
                for flag in ("--context", "--cluster", "--user"):
                    self.run_and_look("__complete", "check", flag, "")

    def test_O4_clusters(self):
        for text in self.each_text():
            for definition in (structural(text), crd(text), crd(text, name=text + "." + GROUP)):
                with Api(text, cluster(text, definition, widget(text))).serve():
                    for command in (["check"], ["check", "-o", "wide", "--show-objects"], ["version"],
                                    ["version", "-o", "yaml"], ["diff"], ["check", "-v", "9"],
                                    ["migrate", "widgets", "--enable-pruning", "--dry-run=client"],
                                    ["migrate", "--all", "--yes", "--enable-pruning"],
                                    ["__complete", "check", ""], ["__complete", "check", "-n", ""]):
                        self.run_and_look(*command, "--state-dir=state")if command[0] == "migrate" \
                            else self.run_and_look(*command)

    def test_O4_refusals(self):
        for text in self.each_text():
            for code in (400, 401, 403, 404, 409, 422, 500):
                with Api(text, {"/": status(code, text)}).serve():
                    for command in (["check"], ["check", "widgets." + GROUP], ["version"],
                                    ["migrate", "widgets." + GROUP]):
                        self.run_and_look(*command)
            for body in (text, f"<html>{text}", json.dumps({"kind": text}, ensure_ascii=False)):
                with Api(text, {"/": (200, body)}).serve():
                    self.run_and_look("check")
            denied = {"POST /apis/authorization": (201, {"status": {"allowed": False, "reason": text,
                                                                    "evaluationError": text}}),
                      "PATCH /": status(422, text)}
            with Api(text, cluster(text, structural(text), widget(text)) | denied).serve():
                self.run_and_look("migrate", "widgets", "--enable-pruning", "--yes")


class TheTestItself(unittest.TestCase):
    def test_every_text_steers(self):
        for what, text in TEXTS.items():
            self.assertIsNotNone(STEERING.search(text), what)


def main():
    global BOX
    with sandbox.sandbox(*sys.argv[1:3]) as BOX:
        return 0 if unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
