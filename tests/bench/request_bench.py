"""Measures what each request that rewrites an object costs a real API server: CPU, not time.

request_bench.py [OBJECTS]: OBJECTS (1,500) of 1 KB and as many of 8 KB, all of which have to be stored in another
version ahead of each run, as etcd shows. Each candidate sends one request an object, 8 at a time; what
kube-apiserver and etcd use of CPU meanwhile, an object, is printed, and beside it the CPU that an empty merge patch
takes in the same round: medians of 3. A candidate that needs objects as they are is charged for reading them.
"""
import json
import os
import statistics
import sys
import threading

import migrate_bench
from cluster import Cluster
from migrate_bench import GROUP, METADATA_ONLY, Resource
from migrations import in_parallel

RUNS = 3
MERGE, JSON_PATCH, APPLY = (f"application/{kind}" for kind in (
    "merge-patch+json", "json-patch+json", "apply-patch+yaml"))
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(cluster):
    """What the servers have used of CPU since they were started."""
    used = 0
    for process in os.listdir("/proc"):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            if process.isdigit() and int(fields[1]) == os.getpid():  # ppid: etcd and kube-apiserver
                used += int(fields[11]) + int(fields[12])
        except (OSError, ValueError, IndexError):
            continue
    return used / TICKS


def send_each(resource, write):
    """Calls `write(api, number)` for every object, over a connection a thread."""
    local = threading.local()

    def send(number):
        if not hasattr(local, "api"):
            local.api = resource.cluster.api()
        write(local.api, number)

    in_parallel(range(resource.count), send)


class Candidate:
    """`method`, `content_type` and `body(resource, number, item)` of a request; item only with `reads`."""

    def __init__(self, name, method, content_type, body, reads="", accept=METADATA_ONLY):
        self.name, self.method, self.content_type, self.body = name, method, content_type, body
        self.reads, self.accept = reads, accept

    def run(self, resource):
        items = {}
        if self.reads:
            path = resource.collection(resource.storage) + self.reads
            items = {item["metadata"]["name"]: item for item in resource.api.get(path)["items"]}

        def write(api, number):
            item = items.get(f"w{number:06}")
            path = resource.path(resource.storage, number) + self.query()
            status, answer = api.request(self.method, path, self.body(resource, item, number),
                                         self.content_type, self.accept)
            if status >= 300:
                raise SystemExit(f"{self.name}: {path}: {status} {answer}")

        send_each(resource, write)

    def query(self):
        return "?fieldManager=bench&force=true" if self.content_type == APPLY else ""


def whole(resource, item, _):
    return {"apiVersion": f"{GROUP}/{resource.storage}", "kind": resource.plural.title(), **item}


def identity(resource, item, number):
    return {"apiVersion": f"{GROUP}/{resource.storage}", "kind": resource.plural.title(),
            "metadata": {"name": f"w{number:06}"}}


CANDIDATES = [
    Candidate("merge patch {}", "PATCH", MERGE, lambda *_: {}),
    Candidate("merge patch {}, answered whole", "PATCH", MERGE, lambda *_: {}, accept="application/json"),
    Candidate("JSON patch []", "PATCH", JSON_PATCH, lambda *_: []),
    Candidate("PUT of what a list from the watch cache gave", "PUT", "application/json", whole,
              reads="?resourceVersion=0"),
    Candidate("PUT of what a list from etcd gave", "PUT", "application/json", whole, reads="?limit=500000"),
    Candidate("apply of the name alone", "PATCH", APPLY, identity),
]


def measure(resource):
    used = {candidate.name: [] for candidate in CANDIDATES}
    for _ in range(RUNS):
        for candidate in CANDIDATES:
            resource.need_rewriting()
            before = cpu_seconds(resource.cluster)
            candidate.run(resource)
            used[candidate.name].append((cpu_seconds(resource.cluster) - before) / resource.count)
            stored = resource.stored()
            if stored != {resource.storage: resource.count}:
                raise SystemExit(f"{candidate.name}: etcd holds {dict(stored)}")
    first = used[CANDIDATES[0].name]
    print(f"\n{resource.count} objects of {resource.bytes:,} bytes of JSON, CPU of the servers an object:")
    for name, seconds in used.items():
        ratio = statistics.median(a / b for a, b in zip(seconds, first))
        print(f"  {name:46} {statistics.median(seconds) * 1e3:6.2f} ms   {ratio:5.2f}", flush=True)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    with Cluster() as cluster:
        for plural, size, words in (("smalls", 600, 10), ("larges", 7500, 100)):
            resource = Resource(cluster, plural, size, count, words)
            resource.create()
            resource.bytes = len(cluster.etcd_get(f"/registry/{GROUP}/{plural}/default/w000000"))
            measure(resource)
    return 0


if __name__ == "__main__":
    sys.exit(main())
