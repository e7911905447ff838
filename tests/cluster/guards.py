"""Runs `kubectl-prune guard` beside a test."""
import http.client
import json
import pathlib
import signal
import ssl
import subprocess
import threading

from cluster import wait_for
import report_schema

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"
KINDS = ("validatingwebhookconfigurations", "mutatingwebhookconfigurations")
CRD = "widgets.demo.example.com"
WIDGETS = "/apis/demo.example.com/v1/namespaces/default/widgets"
# Where the API server of a test reaches it.
HERE = ("--addr=127.0.0.1", "--host=127.0.0.1", "--port=0")


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


class EndedAtOnce(AssertionError):
    """(exit code, what it said)"""


def delete_configurations(cluster):
    api = cluster.api()
    for kind in KINDS:
        for configuration in api.get(f"{CONFIGURATIONS}/{kind}")["items"]:
            api.delete(f"{CONFIGURATIONS}/{kind}/{configuration['metadata']['name']}")
    api.close()


class Guard:
    """A guard that serves, while its `with` block lasts."""

    def __init__(self, cluster, command, user=None, cwd=None):
        self._cluster, self._command, self._user, self._cwd = cluster, command, user, cwd
        self.lines = []

    def __enter__(self):
        environment = self._cluster.environment(self._cluster.kubeconfig_file(self._user))
        self.process = subprocess.Popen(
            self._command, env=environment, cwd=self._cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        wait_for("the guard does not serve", lambda: self.port() or self.process.poll() is not None)
        if self.process.poll() is not None:
            code = self.stop()
            raise EndedAtOnce(code, "\n".join(self.lines))
        return self

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def port(self):
        return next((int(line.split()[-1]) for line in self.lines if line.startswith("serving at port ")), None)

    def get(self, path):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.port(), context=context, timeout=30)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

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

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        self._reader.join()
        self.process.stderr.close()
        return code

    def __exit__(self, *_):
        if self._reader.is_alive() or self.process.poll() is None:
            self.stop()
        delete_configurations(self._cluster)
