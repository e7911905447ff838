"""Measures `kubectl-prune populate` on a real API server beside a plain load generator.

populate_bench.py BINARY [NAMESPACES [MANY]]: namespaces (1,000) get 5 objects each from nothing, of a template each, by
h2load with server-side applies of the same bodies over one HTTP/2 connection, 16 streams; by populate --once; and by
populate as it watches, from the moment in which the templates are there, Events and statuses included. They take turns,
each on namespaces of its own; medians of 3. The goal: at most 1.3 times what h2load needs. Then MANY (10,000)
namespaces: what memory the watching one needs (at most 64 MiB), and how much of a CPU where nothing happens. Exit code
77 (skipped) without h2load.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cluster"))
from cluster import SKIPPED, Cluster, wait_for  # noqa: E402  (after the path is set)
from guards import cpu_seconds, peak_mib  # noqa: E402
from migrations import ask_in_parallel  # noqa: E402
from populating import TEMPLATES, Populater, bring_in_the_crd  # noqa: E402

RUNS = 3
STREAMS = 16
GOAL_RATIO, GOAL_MIB = 1.3, 64
QUIET = 30  # seconds
APPLIED = 'populate_objects_total{result="applied"}'
METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
OBJECTS = [
    ("/api/v1", "configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "data": {"mode": "strict", "team": "x" * 100}}),
    ("/api/v1", "limitranges", {"apiVersion": "v1", "kind": "LimitRange",
                                "spec": {"limits": [{"type": "Container", "default": {"cpu": "100m"}}]}}),
    ("/api/v1", "resourcequotas", {"apiVersion": "v1", "kind": "ResourceQuota",
                                   "spec": {"hard": {"pods": "10", "services": "5"}}}),
    (RBAC, "roles", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": [
        {"apiGroups": [""], "resources": ["pods", "services"], "verbs": ["get", "list"]}]}),
    (RBAC, "rolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "developers"}]}),
]


class Bench:
    def __init__(self, cluster, binary, count):
        self.cluster, self.binary, self.count = cluster, binary, count
        self.api = cluster.api()
        self.runs = 0

    def make_namespaces(self, count):
        """Returns the label of new namespaces, and their names."""
        self.runs += 1
        label = f"run{self.runs}"
        names = [f"{label}-{number:05}" for number in range(count)]
        ask_in_parallel(self.cluster, names, lambda api, name: api.post(
            "/api/v1/namespaces", {"metadata": {"name": name, "labels": {"run": label}}}))
        return label, names

    def make_templates(self, label):
        for number, (_, _, value) in enumerate(OBJECTS):
            body = {**value, "metadata": {"name": f"policy{number}"}}
            self.api.post(TEMPLATES, {
                "apiVersion": "policy.kubectl-prune.dev/v1alpha1", "kind": "NamespaceTemplate",
                "metadata": {"name": f"{label}-{number}"},
                "spec": {"namespaces": {"labelSelector": {"matchLabels": {"run": label}}}, "templates": [body]}})

    def remove_templates(self, label):
        """With all that was made of them, so that no later run finds it."""
        for number in range(len(OBJECTS)):
            self.api.patch(f"{TEMPLATES}/{label}-{number}", {"spec": {"templates": []}})
        self.cluster.run([self.binary, "populate", "--once"], timeout=600)
        for number in range(len(OBJECTS)):
            self.api.request("DELETE", f"{TEMPLATES}/{label}-{number}")

    def has_all(self, label, key="policy/namespace-template-name"):
        missing = []
        for number, (version, plural, _) in enumerate(OBJECTS):
            found = self.api.request("GET", f"{version}/{plural}?labelSelector={key}={label}-{number}")[1]
            missing.append(self.count - len(found["items"]))
        return not any(missing)

    def run_h2load(self):
        label, names = self.make_namespaces(self.count)
        folder = self.cluster.folder
        token = self.cluster.tokens["admin"]
        seconds = 0
        for number, (version, plural, value) in enumerate(OBJECTS):
            (folder / "uris").write_text("".join(
                f"https://127.0.0.1:{self.cluster.port}{version}/namespaces/{name}/{plural}/policy{number}"
                f"?fieldManager=kubectl-prune-populate\n" for name in names))
            (folder / "body").write_text(json.dumps({**value, "metadata": {"name": f"policy{number}", "labels": {
                "policy/namespace-template-same": f"{label}-{number}",
                "applyset.kubernetes.io/same-of": "applyset-eesVd4iMXVJFcDUWegy-_DIEit0vmQQM-AMgw9m0lMo-v1"}}}))
            start = time.monotonic()
            run = subprocess.run(
                ["h2load", "-n", str(self.count), "-c", "1", "-t", "1", "-m", str(STREAMS), "-i", str(folder / "uris"),
                 "-d", str(folder / "body"), "-H", ":method: PATCH", "-H", "content-type: application/apply-patch+yaml",
                 "-H", f"accept: {METADATA_ONLY}", "-H", f"authorization: Bearer {token}"],
                capture_output=True, text=True, check=True)
            seconds += time.monotonic() - start
            if f" {self.count} 2xx, 0 3xx, 0 4xx, 0 5xx" not in run.stdout:
                raise SystemExit(f"h2load: {run.stdout}")
        if not self.has_all(label, "policy/namespace-template-same"):
            raise SystemExit("h2load has not made all objects")
        return seconds

    def run_once(self):
        label, _ = self.make_namespaces(self.count)
        self.make_templates(label)
        start = time.monotonic()
        run = self.cluster.run([self.binary, "populate", "--once"], timeout=600)
        seconds = time.monotonic() - start
        if run.returncode != 0 or not self.has_all(label):
            raise SystemExit(f"populate --once: exit code {run.returncode}\n{run.stderr[-2000:]}")
        self.remove_templates(label)
        return seconds

    def run_watching(self):
        label, _ = self.make_namespaces(self.count)
        with Watching(self) as watching:
            watching.wait_until_idle()
            before = watching.metrics()[APPLIED]
            start = time.monotonic()
            self.make_templates(label)
            watching.wait_until_applied(before + self.count * len(OBJECTS), seconds=300)
            seconds = time.monotonic() - start
            if not self.has_all(label):
                raise SystemExit("populate has not made all objects")
        self.remove_templates(label)
        return seconds


class Watching(Populater):
    """populate as it watches."""

    def __init__(self, bench):
        super().__init__(bench.cluster, bench.binary, user="admin")

    def wait_until_idle(self):
        wait_for("populate does not lead", self.leads)
        wait_for("populate is busy", lambda: self.metrics()["populate_namespaces_due"] == 0, seconds=300)

    def wait_until_applied(self, count, seconds):
        """Until it has applied so many objects since it began, and nothing is left to be done."""
        def is_done():
            metrics = self.metrics()
            return metrics[APPLIED] >= count and metrics["populate_namespaces_due"] == 0
        wait_for("not all is applied", is_done, seconds)


def compare(bench):
    contenders = {"h2load, 16 streams": bench.run_h2load, "populate --once": bench.run_once,
                  "populate": bench.run_watching}
    seconds = {name: [] for name in contenders}
    for _ in range(RUNS):
        for name, run in contenders.items():
            seconds[name].append(run())
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    objects = bench.count * len(OBJECTS)
    print(f"\n{objects} objects in {bench.count} namespaces from nothing:")
    met = True
    for name, median in medians.items():
        ratio = median / medians["h2load, 16 streams"]
        met &= ratio <= GOAL_RATIO
        print(f"  {name:24} {median:7.2f} s ({min(seconds[name]):.2f} to {max(seconds[name]):.2f})"
              f" {objects / median:7.0f}/s  {ratio:.2f} of h2load{'' if ratio <= GOAL_RATIO else '  NOT MET'}", flush=True)
    return met


def measure_many(bench, many):
    label, _ = bench.make_namespaces(many)
    bench.make_templates(label)
    with Watching(bench) as watching:
        watching.wait_until_applied(many * len(OBJECTS), seconds=1800)
        time.sleep(5)  # its last notes in templates
        cpu = cpu_seconds(watching.process)
        time.sleep(QUIET)
        idle = (cpu_seconds(watching.process) - cpu) / QUIET
        peak = peak_mib(watching.process)
    met = peak <= GOAL_MIB
    print(f"\n{many} namespaces more, {many * len(OBJECTS)} objects: at most {peak:.1f} MiB"
          f"{'' if met else '  NOT MET'}; {idle * 100:.1f} % of a CPU where nothing happens", flush=True)
    return met


def main():
    binary = os.path.abspath(sys.argv[1])
    count, many = (*map(int, sys.argv[2:4]), *(1000, 10000)[len(sys.argv[2:4]):])
    if not shutil.which("h2load"):
        print("skipped: no h2load (Debian has it in nghttp2-client)")
        return SKIPPED
    with Cluster() as cluster:
        bring_in_the_crd(cluster)
        bench = Bench(cluster, binary, count)
        met = [compare(bench)]
        if many:
            met.append(measure_many(bench, many))
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
