"""Measures `kubectl-prune check` on a real API server against a plain walk over the same pages.

check_bench.py BINARY [OBJECTS] [--rules]: 20,000 objects of 2 KB by default. The plain walk is one curl
process over one kept HTTP/2 connection, with all continue tokens known beforehand. Runs take turns;
medians of 5. The goals: at most 1.15 times curl, less than 64 MiB resident.

With --rules the objects are those of CRDs of the corpus with CEL rules, on a crd_server: NodePools (goal: at most
1.3 times a plain walk, less than 64 MiB) and HTTPRoutes (without a goal). The plain walk follows the continue tokens
then: a new server answers those that it gave a while ago from its cache, three times as fast as those of a new list.
"""
import argparse
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
from corpus import FOLDER  # noqa: E402
from newer_cluster import NewerCluster  # noqa: E402
from subjects import V1_CRDS, V1BETA1_CRDS  # noqa: E402

RUNS = 5
CHUNK = 500
WRITERS = 4
GOAL_MIB = 64
GROUP = "bench.example.com"

SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "size": {"type": "integer"},
    "ports": {"type": "array", "items": {"type": "object", "properties": {
        "port": {"type": "integer"}, "name": {"type": "string"}}}},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}}}}}}

CRD = {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
       "metadata": {"name": f"widgets.{GROUP}"},
       "spec": {"group": GROUP, "scope": "Namespaced", "preserveUnknownFields": True,
                "names": {"plural": "widgets", "singular": "widget", "kind": "Widget",
                          "listKind": "WidgetList"},
                "versions": [{"name": "v1", "served": True, "storage": True}],
                "validation": {"openAPIV3Schema": SCHEMA}}}


def widget(number):
    """Returns the spec of an object of about 2 KB that loses two fields."""
    return {"size": number, "legacyMode": "on",
            "ports": [{"port": 8000 + i, "name": f"port-{i}", "proto": "TCP"} for i in range(8)],
            "labels": {f"label-{i}": "value " * 10 for i in range(12)}}


def node_pool(number):
    """The same of one that loses nothing, and that no rule refuses."""
    instances = [f"{family}{generation}.{size}" for family in "cmr" for generation in (6, 7)
                 for size in ("large", "xlarge", "2xlarge", "4xlarge")]
    keys = {"kubernetes.io/arch": ["amd64", "arm64"], "karpenter.sh/capacity-type": ["spot", "on-demand"],
            "node.kubernetes.io/instance-type": instances,
            "topology.kubernetes.io/zone": [f"eu-central-1{zone}" for zone in "abc"]}
    return {"weight": 1 + number % 100, "limits": {"cpu": str(1000 + number), "memory": "1000Gi"},
            "disruption": {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "30s",
                           "budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}]},
            "template": {
                "metadata": {"labels": {f"team.example.com/label-{i}": f"value-{i}" for i in range(8)}},
                "spec": {"expireAfter": "720h",
                         "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": f"class-{number}"},
                         "taints": [{"key": "example.com/special", "value": "yes", "effect": "NoSchedule"}],
                         "requirements": [{"key": key, "operator": "In", "values": values}
                                          for key, values in keys.items()]}}}


def http_route(number):
    """The same with three rules of two matches each."""
    def path(i):
        return {"path": {"type": "PathPrefix", "value": f"/shop/{number}/{i}"},
                "headers": [{"type": "Exact", "name": "x-version", "value": f"v{i}"}]}
    return {"parentRefs": [{"name": "public", "sectionName": "https", "port": 443}],
            "hostnames": [f"shop-{number}.example.com", f"www.shop-{number}.example.com"],
            "rules": [{"name": f"rule-{i}", "matches": [path(2 * i), path(2 * i + 1)],
                       "filters": [{"type": "RequestHeaderModifier",
                                    "requestHeaderModifier": {"set": [{"name": "x-shop", "value": str(number)}]}},
                                   {"type": "URLRewrite",
                                    "urlRewrite": {"path": {"type": "ReplaceFullPath", "replaceFullPath": "/"}}}],
                       "backendRefs": [{"name": f"shop-{number}", "port": 8080, "weight": 90},
                                       {"name": f"canary-{number}", "port": 8080, "weight": 10}],
                       "timeouts": {"request": "10s", "backendRequest": "2s"}} for i in range(3)]}


class Kind:
    """What is created and read: `spec_of` makes the spec of the N-th object."""

    def __init__(self, crd, spec_of, goal, exit_code):
        spec = crd["spec"]
        self.crd, self.spec_of, self.goal, self.exit_code = crd, spec_of, goal, exit_code
        self.name = crd["metadata"]["name"]
        version = next(one["name"] for one in spec["versions"] if one["storage"])
        self.type = {"apiVersion": f"{spec['group']}/{version}", "kind": spec["names"]["kind"]}
        self.collection = f"/apis/{spec['group']}/{version}/{spec['names']['plural']}"
        self.is_namespaced = spec["scope"] == "Namespaced"
        self.follows_tokens = "x-kubernetes-validations" in json.dumps(crd)
        place = "/namespaces/default/" if self.is_namespaced else "/"
        self.creation = place.join(self.collection.rsplit("/", 1))

    def create(self, api, number):
        metadata = {"name": f"o{number:06}", **({"namespace": "default"} if self.is_namespaced else {})}
        api.post(self.creation, {**self.type, "metadata": metadata, "spec": self.spec_of(number)})


def kind_of_corpus(api, file, *arguments):
    """Yields from the file what a new server takes: its YAML is read there."""
    status, crd = api.request("POST", f"{V1_CRDS}?dryRun=All", (FOLDER / "modern" / file).read_bytes(), "application/yaml")
    if status != 201:
        raise SystemExit(f"{file}: {status} {crd}")
    crd["metadata"] = {key: crd["metadata"][key] for key in ("name", "annotations") if key in crd["metadata"]}
    return Kind(crd, *arguments)


def create_all(cluster, kind, objects):
    api = cluster.api()
    api.post(V1BETA1_CRDS if kind.crd["apiVersion"].endswith("v1beta1") else V1_CRDS, kind.crd)
    wait_for(f"{kind.name} is not served", lambda: api.request("GET", kind.collection)[0] == 200)

    def create_some(first):
        own = cluster.api()
        for number in range(first, objects, WRITERS):
            kind.create(own, number)

    threads = [threading.Thread(target=create_some, args=(first,)) for first in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def page_paths(api, collection):
    """Returns the paths of all pages, and the bytes and objects they hold."""
    paths, token, size, objects = [], "", 0, 0
    while True:
        query = {"limit": CHUNK, **({"continue": token} if token else {})}
        paths.append(f"{collection}?{urllib.parse.urlencode(query)}")
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


def walk_command(cluster, kind):
    certificate, key = cluster.certificates.admin
    program = pathlib.Path(__file__).parent / "plain_walk.py"
    return [sys.executable, str(program), str(cluster.certificates.ca), str(certificate), str(key), str(cluster.port),
            kind.collection, str(CHUNK)]


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


def measure(cluster, binary, kind, objects):
    """Prints what the contenders take; returns whether the goals are met."""
    print(f"creating {objects} objects of {kind.name}", flush=True)
    create_all(cluster, kind, objects)
    paths, size, found = page_paths(cluster.api(), kind.collection)
    print(f"{found} objects, {size / 1e6:.1f} MB of JSON in {len(paths)} pages")
    check = Contender("kubectl-prune check", [binary, "check", kind.name, f"--chunk-size={CHUNK}"], (kind.exit_code,))
    walk = Contender("plain walk", walk_command(cluster, kind)) if kind.follows_tokens else Contender(
        "curl, one connection", curl_command(cluster, paths))
    contenders = [check, walk]
    if shutil.which("kubectl") and not kind.follows_tokens:
        contenders.append(Contender("kubectl get -o json", ["kubectl", "get", kind.name, "-A", "-o",
                                                            "json", f"--chunk-size={CHUNK}"]))
    environment = cluster.environment(cluster.kubeconfig_file())
    for _ in range(RUNS):
        for contender in contenders:
            contender.run(environment)
    for contender in contenders:
        print(contender)
    ratio = check.seconds / walk.seconds
    goal = f"at most {kind.goal}" if kind.goal else "none"
    print(f"ratio to {walk.name}: {ratio:.2f} (goal: {goal}); memory: {check.mib:.1f} MiB (goal: less than {GOAL_MIB})")
    return check.mib < GOAL_MIB and (not kind.goal or ratio <= kind.goal)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("objects", type=int, nargs="?", default=20000)
    parser.add_argument("--rules", action="store_true")
    options = parser.parse_args()
    with NewerCluster() if options.rules else Cluster() as cluster:
        if options.rules:
            api = cluster.api()
            kinds = [kind_of_corpus(api, "karpenter/nodepools.karpenter.sh.yaml", node_pool, 1.3, 0),
                     kind_of_corpus(api, "gateway-api/httproutes.gateway.networking.k8s.io.yaml", http_route, None, 0)]
        else:
            kinds = [Kind(CRD, widget, 1.15, 1)]
        met = [measure(cluster, options.binary, kind, options.objects) for kind in kinds]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
