"""Runs `kubectl-prune guard` beside a test."""
import json
import os
import pathlib
import socket

import report_schema
from services import Service

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"
KINDS = ("validatingwebhookconfigurations", "mutatingwebhookconfigurations")
CRD = "widgets.demo.example.com"
WIDGETS = "/apis/demo.example.com/v1/namespaces/default/widgets"
# Where the API server of a test reaches it.
HERE = ("--addr=127.0.0.1", "--host=127.0.0.1", "--port=0")

MOST_MIB = 64  # that a guard may take


def crd(**spec):
    """Returns the CRD of widgets: spec.mode is all that its schema knows beside `spec`."""
    schema = {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"mode": {"type": "string"}, **spec}},
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}}}}
    return {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition", "metadata": {"name": CRD},
            "spec": {"group": "demo.example.com", "scope": "Namespaced", "preserveUnknownFields": True,
                     "names": {"plural": "widgets", "kind": "Widget"}, "subresources": {"status": {}},
                     "versions": [{"name": "v1", "served": True, "storage": True}],
                     "validation": {"openAPIV3Schema": schema}}}


def widget(name, metadata=None, **spec):
    return json.dumps({"apiVersion": "demo.example.com/v1", "kind": "Widget",
                       "metadata": {"name": name, "namespace": "default", **(metadata or {})}, "spec": spec})


def peak_mib(process):
    """Returns how much memory it has taken at most."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def flood(port):
    """Makes 600 connections that say nothing, nonsense, or half a request, and returns those that could be made."""
    connections = []
    try:
        for number in range(600):
            connection = socket.create_connection(("127.0.0.1", port), timeout=5)
            connections.append(connection)
            if number % 3:
                connection.send(b"\x16\x03\x01\x02\x00" if number % 3 == 1 else b"POST / HTTP/1.1\r\n\r\n")
    except OSError:
        pass  # who floods is cut off
    return connections


def cpu_seconds(process):
    """Returns how much of a CPU it has used."""
    used = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


def delete_configurations(cluster):
    api = cluster.api()
    for kind in KINDS:
        for configuration in api.get(f"{CONFIGURATIONS}/{kind}")["items"]:
            api.delete(f"{CONFIGURATIONS}/{kind}/{configuration['metadata']['name']}")
    api.close()


class Guard(Service):
    """A guard that serves, while its `with` block lasts."""

    def report(self):
        report = json.loads(self.get("/report")[1])
        wrong = report_schema.errors(report)
        if wrong:
            raise AssertionError("\n".join(wrong))
        return report

    def writers(self):
        """Returns {(user, manager, path): (requests, added, denied, moved)}."""
        return {(one["user"], one.get("manager", ""), one["path"]):
                (one["requests"], one["added"], one["denied"], one["moved"]) for one in self.report()["writers"]}

    def __exit__(self, *_):
        super().__exit__()
        delete_configurations(self._cluster)
