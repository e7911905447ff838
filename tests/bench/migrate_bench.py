"""Measures `kubectl-prune migrate` on a real API server against a plain load generator and kubectl.

migrate_bench.py BINARY [SMALL [LARGE]] [--before OTHER]: SMALL (10,000) objects of 1 KB and LARGE (3,000) of 8 KB of a CRD that
prunes; the large ones twice, in a dozen long texts and in a hundred short ones, of which the server's managedFields
take most of its time whoever writes (there is no goal beside kubectl). Ahead of each run the storage version is
changed, so every object has to be stored anew, and after it etcd must hold all of them in the new one. The
contenders: migrate --concurrency=32 --verify=false; h2load with the same patches over one HTTP/2
connection, 16 streams; kubectl get | kubectl replace. They take turns; medians of 3. The goals: at least 0.95 of
h2load's rate, at least 2.5 times that of kubectl, and at 8 KB at most a fifth of its bytes on the wire. Exit code 77
(skipped) without h2load.

With --before OTHER, a binary of another commit, only the two binaries take turns, over SMALL objects of two CRDs of a
1.36 server: one without rules, one with rules (x-kubernetes-validations). The goal: at least 0.95 of OTHER's rate.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cluster"))
from cluster import SKIPPED, Cluster, wait_for  # noqa: E402  (after the path is set)
from migrations import in_parallel  # noqa: E402
from newer_cluster import NewerCluster  # noqa: E402
from subjects import V1_CRDS  # noqa: E402

RUNS = 3
STREAMS = 16
NOTICED = 5  # seconds that migrate leaves servers to notice a change of the CRD: no part of its speed
GOAL_H2LOAD, GOAL_KUBECTL, GOAL_BYTES, GOAL_BEFORE = 0.95, 2.5, 5, 0.95
GROUP = "bench.example.com"
VERSIONS = ("v1", "v2")
METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "size": {"type": "integer"},
    "ports": {"type": "array", "items": {"type": "object", "properties": {
        "port": {"type": "integer"}, "name": {"type": "string"}}}},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}}}}}}


RULES = [{"rule": "self.size >= 0", "message": "size must not be negative"},
         {"rule": "!has(self.labels) || self.labels.all(k, k.startsWith('label-'))"},
         {"rule": "self.ports.all(p, p.port > 0 && p.name.matches('^port-[0-9]+$'))"}]


def with_rules(schema):
    """Returns `schema` with RULES, and with the bounds by which a server can tell what they cost."""
    ruled = json.loads(json.dumps(schema))
    spec = ruled["properties"]["spec"]
    spec["x-kubernetes-validations"] = RULES
    spec["properties"]["ports"]["maxItems"] = 16
    spec["properties"]["ports"]["items"]["properties"]["name"]["maxLength"] = 32
    spec["properties"]["labels"]["maxProperties"] = 32
    return ruled


class Resource:
    """A CRD that prunes, with objects of which about `size` bytes are spec."""

    def __init__(self, cluster, plural, size, count, words, schema=None):
        self._schema = schema or SCHEMA
        self.cluster, self.plural, self.count = cluster, plural, count
        self._text = "value " * words
        self.name = f"{plural}.{GROUP}"
        self.storage = "v1"
        self._size = size
        self.api = cluster.api()

    def collection(self, version):
        return f"/apis/{GROUP}/{version}/namespaces/default/{self.plural}"

    def path(self, version, number):
        return f"{self.collection(version)}/w{number:06}"

    def create(self):
        names = {"plural": self.plural, "kind": self.plural.title(), "singular": self.plural[:-1],
                 "listKind": f"{self.plural.title()}List"}
        self.api.post(V1_CRDS, {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": self.name},
            "spec": {"group": GROUP, "scope": "Namespaced", "names": names,
                     "versions": self._versions()}})
        wait_for(f"{self.plural} are not served",
                 lambda: self.api.request("GET", self.collection("v1"))[0] == 200)
        local = threading.local()

        def create(number):
            if not hasattr(local, "api"):
                local.api = self.cluster.api()
            local.api.post(self.collection("v1"), self._object(number))

        in_parallel(range(self.count), create)

    def _versions(self):
        return [{"name": v, "served": True, "storage": v == self.storage,
                 "schema": {"openAPIV3Schema": self._schema}} for v in VERSIONS]

    def _object(self, number):
        ports = [{"port": 8000 + i, "name": f"port-{i}"} for i in range(6)]
        spec = {"size": number, "ports": ports, "labels": {}}
        while len(json.dumps(spec)) < self._size:
            spec["labels"][f"label-{len(spec['labels'])}"] = self._text
        return {"apiVersion": f"{GROUP}/v1", "kind": self.plural.title(), "spec": spec,
                "metadata": {"name": f"w{number:06}"}}

    def need_rewriting(self):
        """Makes the other version the storage version, and waits until the server stores it."""
        self.storage = VERSIONS[1 - VERSIONS.index(self.storage)]
        self.api.patch(f"{V1_CRDS}/{self.name}", {"spec": {"versions": self._versions()}})
        key = f"/registry/{GROUP}/{self.plural}/default/probe"

        def stored_so():
            self.api.post(self.collection(self.storage), {**self._object(0),
                          "apiVersion": f"{GROUP}/{self.storage}", "metadata": {"name": "probe"}})
            stored = json.loads(self.cluster.etcd_get(key))["apiVersion"]
            self.api.delete(f"{self.collection(self.storage)}/probe")
            return stored == f"{GROUP}/{self.storage}"

        wait_for(f"{self.name} is not stored as {self.storage}", stored_so)
        time.sleep(NOTICED)

    def stored(self):
        """Returns how many objects etcd holds in each version."""
        values = self.cluster.etcd_range(f"/registry/{GROUP}/{self.plural}/").values()
        return collections.Counter(json.loads(value)["apiVersion"].split("/")[1] for value in values)


class Relay:
    """Passes TCP on to the API server while its `with` block lasts, and counts `bytes` both ways."""

    def __init__(self, port):
        self._target = port
        self._lock = threading.Lock()
        self.bytes = 0

    def __enter__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed
            server = socket.create_connection(("127.0.0.1", self._target))
            for end in (client, server):  # or a request a round trip would wait for delayed ACKs
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source, sink):
        try:
            while piece := source.recv(1 << 16):
                with self._lock:
                    self.bytes += len(piece)
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # one of both has gone


class Contender:
    """`command(resource, port)` gives the arguments of a run, with the server behind that port."""

    def __init__(self, name, command):
        self.name, self.command = name, command
        self.seconds = []

    def run(self, resource, port, must_rewrite=True):
        """Returns the seconds it took; fails if etcd does not hold everything anew."""
        cluster = resource.cluster
        environment = cluster.environment(cluster.kubeconfig_file("admin", port))
        command = self.command(resource, port)
        start = time.monotonic()
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - start
        stored = resource.stored() if must_rewrite else {resource.storage: resource.count}
        if run.returncode != 0 or stored != {resource.storage: resource.count}:
            raise SystemExit(f"{self.name}: exit code {run.returncode}, etcd holds {dict(stored)}\n"
                             f"{run.stdout[-2000:]}{run.stderr[-2000:]}")
        return seconds

    @property
    def median(self):
        return statistics.median(self.seconds)


def migrate(binary, *arguments):
    def command(resource, _):
        state = tempfile.mkdtemp(prefix="state.", dir=resource.cluster.folder)
        return [binary, "migrate", resource.name, f"--state-dir={state}", *arguments]

    return command


def h2load(resource, port):
    folder = resource.cluster.folder
    (folder / "uris").write_text("".join(
        f"https://127.0.0.1:{port}{resource.path(resource.storage, number)}\n"
        for number in range(resource.count)))
    (folder / "body").write_text("{}")
    token = resource.cluster.tokens["admin"]
    # A shell, as h2load's exit code says nothing about answers.
    return ["sh", "-c", 'h2load "$@" >"$0" && grep -q " $1 2xx, 0 3xx, 0 4xx, 0 5xx" "$0" '
            '|| { cat "$0"; exit 1; }'.replace("$1 2xx", f"{resource.count} 2xx"),
            str(folder / "h2load.out"), "-n", str(resource.count), "-c", "1", "-t", "1",
            "-m", str(STREAMS), "-i", str(folder / "uris"), "-d", str(folder / "body"),
            "-H", ":method: PATCH", "-H", "content-type: application/merge-patch+json",
            "-H", f"accept: {METADATA_ONLY}", "-H", f"authorization: Bearer {token}"]


def kubectl(resource, _):
    kind = f"{resource.plural}.{resource.storage}.{GROUP}"
    return ["sh", "-c", f"kubectl get {kind} -o json | kubectl replace -f - >/dev/null"]


def compare(resource, contenders):
    """Each in turn, RUNS times."""
    port = resource.cluster.port
    for number in range(RUNS):
        for contender in contenders:
            resource.need_rewriting()
            contender.seconds.append(contender.run(resource, port))
    print(f"\n{resource.count} {resource.plural} of {resource.bytes:,} bytes of JSON:")
    for contender in contenders:
        spread = f"{min(contender.seconds):.2f} to {max(contender.seconds):.2f}"
        print(f"  {contender.name:32} {contender.median:7.2f} s ({spread})  "
              f"{resource.count / contender.median:7.0f}/s", flush=True)


def ratio(name, value, goal):
    met = value >= goal
    print(f"  {name}: {value:.2f} (goal: at least {goal}){'' if met else '  NOT MET'}", flush=True)
    return met


def bytes_of(resource, contender):
    resource.need_rewriting()
    with Relay(resource.cluster.port) as relay:
        contender.run(resource, relay.port)
        return relay.bytes


def bench(cluster, binary, plural, size, count, words=10, goal_kubectl=GOAL_KUBECTL):
    resource = Resource(cluster, plural, size, count, words)
    resource.create()
    key = f"/registry/{GROUP}/{plural}/default/w000000"
    resource.bytes = len(cluster.etcd_get(key))
    rewriting = Contender("migrate --verify=false", migrate(binary, "--concurrency=32", "--verify=false"))
    generator = Contender("h2load, 16 streams", h2load)
    replacing = Contender("kubectl get | kubectl replace", kubectl)
    verifying = Contender("migrate, verified", migrate(binary, "--concurrency=32", "--keep-stored-versions"))
    compare(resource, [rewriting, generator, replacing, verifying])
    met = [ratio("rate of migrate to h2load's", generator.median / rewriting.median, GOAL_H2LOAD),
           ratio("rate of migrate to kubectl's", replacing.median / rewriting.median, goal_kubectl)]
    print(f"  rate of h2load to kubectl's: {replacing.median / generator.median:.2f}")
    print(f"  verifying adds {verifying.median - rewriting.median:.2f} s "
          f"({(verifying.median / rewriting.median - 1) * 100:.0f} %)")
    ours, theirs = bytes_of(resource, rewriting), bytes_of(resource, replacing)
    print(f"  bytes on the wire: {ours / 1e6:.1f} MB, kubectl {theirs / 1e6:.1f} MB, "
          f"h2load {bytes_of(resource, generator) / 1e6:.1f} MB")
    met.append(ratio("bytes of kubectl to ours", theirs / ours, GOAL_BYTES if size > 4000 else 1))
    return all(met)


def beside_another(cluster, binary, before, count):
    """Whether `binary` keeps the rate of `before`, with rules and without."""
    met = True
    for plural, schema in (("plains", SCHEMA), ("ruleds", with_rules(SCHEMA))):
        resource = Resource(cluster, plural, 600, count, 10, schema)
        resource.create()
        resource.bytes = len(cluster.etcd_get(f"/registry/{GROUP}/{plural}/default/w000000"))
        for flags in (["--concurrency=32", "--verify=false"], ["--keep-stored-versions"]):
            ours, theirs = (Contender(name, migrate(path, *flags)) for name, path in
                            ((f"migrate {flags[0]}", binary), ("the same, before", before)))
            compare(resource, [theirs, ours])
            met &= ratio("best rate to that of before", min(theirs.seconds) / min(ours.seconds), GOAL_BEFORE)
    return met


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("small", type=int, nargs="?", default=10000)
    parser.add_argument("large", type=int, nargs="?", default=3000)
    parser.add_argument("--before", type=os.path.abspath)
    arguments = parser.parse_args()
    binary, small, large = arguments.binary, arguments.small, arguments.large
    if arguments.before:
        with NewerCluster() as cluster:
            return 0 if beside_another(cluster, binary, arguments.before, small) else 1
    for program in ("h2load", "kubectl"):
        if not shutil.which(program):
            print(f"skipped: no {program} (Debian has h2load in nghttp2-client)")
            return SKIPPED
    version = subprocess.run(["h2load", "--version"], capture_output=True, text=True, check=False)
    print(re.sub(r"\s+", " ", version.stdout).strip(), flush=True)
    with Cluster() as cluster:
        met = [bench(cluster, binary, "smalls", 600, small),
               bench(cluster, binary, "larges", 7500, large, words=100),
               bench(cluster, binary, "fieldfuls", 7500, large, goal_kubectl=1)]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
