"""Measures `kubectl-prune check` on a real API server against a plain walk over the same pages.

check_bench.py BINARY [OBJECTS]: 20,000 objects of 2 KB by default. The plain walk is one curl
process over one kept HTTP/2 connection, with all continue tokens known beforehand. Runs take turns;
medians of 5. The goals: at most 1.15 times curl, less than 64 MiB resident.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cluster"))
from cluster import Cluster, wait_for  # noqa: E402  (after the path is set)
from subjects import V1BETA1_CRDS  # noqa: E402

RUNS = 5
CHUNK = 500
WRITERS = 4
GOAL_RATIO = 1.15
GOAL_MIB = 64
GROUP = "bench.example.com"
NAME = f"widgets.{GROUP}"
COLLECTION = f"/apis/{GROUP}/v1/widgets"

SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "size": {"type": "integer"},
    "ports": {"type": "array", "items": {"type": "object", "properties": {
        "port": {"type": "integer"}, "name": {"type": "string"}}}},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}}}}}}

CRD = {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
       "metadata": {"name": NAME},
       "spec": {"group": GROUP, "scope": "Namespaced", "preserveUnknownFields": True,
                "names": {"plural": "widgets", "singular": "widget", "kind": "Widget",
                          "listKind": "WidgetList"},
                "versions": [{"name": "v1", "served": True, "storage": True}],
                "validation": {"openAPIV3Schema": SCHEMA}}}


def widget(number):
    """Returns an object of about 2 KB that loses two fields."""
    spec = {"size": number, "legacyMode": "on",
            "ports": [{"port": 8000 + i, "name": f"port-{i}", "proto": "TCP"} for i in range(8)],
            "labels": {f"label-{i}": "value " * 10 for i in range(12)}}
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "spec": spec,
            "metadata": {"name": f"w{number:06}", "namespace": "default"}}


def create_all(cluster, objects):
    api = cluster.api()
    api.post(V1BETA1_CRDS, CRD)
    wait_for("widgets are not served", lambda: api.request("GET", COLLECTION)[0] == 200)

    def create_some(first):
        own = cluster.api()
        for number in range(first, objects, WRITERS):
            own.post(f"/apis/{GROUP}/v1/namespaces/default/widgets", widget(number))

    threads = [threading.Thread(target=create_some, args=(first,)) for first in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def page_paths(api):
    """Returns the paths of all pages, and the bytes and objects they hold."""
    paths, token, size, objects = [], "", 0, 0
    while True:
        query = {"limit": CHUNK, **({"continue": token} if token else {})}
        paths.append(f"{COLLECTION}?{urllib.parse.urlencode(query)}")
        _, text = api.request_text("GET", paths[-1])
        page = json.loads(text)
        size, objects = size + len(text), objects + len(page["items"])
        token = page["metadata"].get("continue", "")
        if not token:
            return paths, size, objects


def curl_command(cluster, paths):
    """Returns the command of the plain walk; its settings are in a file beside the cluster's."""
    certificate, key = cluster.certificates.admin
    lines = [f'cacert = "{cluster.certificates.ca}"', f'cert = "{certificate}"', f'key = "{key}"']
    for path in paths:
        lines += [f'url = "https://127.0.0.1:{cluster.port}{path}"', 'output = "/dev/null"']
    settings = cluster.folder / "curl.txt"
    settings.write_text("\n".join(lines))
    return ["curl", "--silent", "--show-error", "--fail", "--http2", "--config", str(settings)]


class Contender:
    """A command and its measurements. Of memory, what wait4 says: it is never less than what this
    program held when it started the command."""

    def __init__(self, name, command, codes=(0,)):
        self.name, self.codes = name, codes
        self._command = command
        self._seconds, self._kib = [], []

    def run(self, environment):
        start = time.monotonic()
        process = subprocess.Popen(self._command, env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        self._seconds.append(time.monotonic() - start)
        self._kib.append(usage.ru_maxrss)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in self.codes:
            raise SystemExit(f"{self.name}: exit code {process.returncode}")

    @property
    def seconds(self):
        return statistics.median(self._seconds)

    @property
    def mib(self):
        return max(self._kib) / 1024

    def __str__(self):
        spread = f"{min(self._seconds):.2f} to {max(self._seconds):.2f}"
        return f"{self.name:24} {self.seconds:6.2f} s ({spread})  {self.mib:6.1f} MiB"


def main():
    binary = os.path.abspath(sys.argv[1])
    objects = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    with Cluster() as cluster:
        print(f"creating {objects} objects", flush=True)
        create_all(cluster, objects)
        paths, size, found = page_paths(cluster.api())
        print(f"{found} objects, {size / 1e6:.1f} MB of JSON in {len(paths)} pages")
        check = Contender("kubectl-prune check", [binary, "check", NAME, f"--chunk-size={CHUNK}"], (1,))
        curl = Contender("curl, one connection", curl_command(cluster, paths))
        contenders = [check, curl]
        if shutil.which("kubectl"):
            contenders.append(Contender("kubectl get -o json", ["kubectl", "get", NAME, "-A", "-o",
                                                                "json", f"--chunk-size={CHUNK}"]))
        environment = cluster.environment(cluster.kubeconfig_file())
        for _ in range(RUNS):
            for contender in contenders:
                contender.run(environment)
    for contender in contenders:
        print(contender)
    ratio = check.seconds / curl.seconds
    print(f"ratio to curl: {ratio:.2f} (goal: at most {GOAL_RATIO}); "
          f"memory: {check.mib:.1f} MiB (goal: less than {GOAL_MIB})")
    return 0 if ratio <= GOAL_RATIO and check.mib < GOAL_MIB else 1


if __name__ == "__main__":
    sys.exit(main())
