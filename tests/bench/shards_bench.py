"""Measures shards of `kubectl-prune migrate` on a real API server beside one process, and what a Lease costs a CRD.

shards_bench.py BINARY [OBJECTS [CRDS [OTHER]]]: OBJECTS (10,000) of 1 KB of a CRD that prunes, rewritten and verified
by one process and by two shards on the same machine, in turns, medians of 3; the goal: the shards take no longer. Then
`migrate --all` of CRDS (100) CRDs with an object each and a version to go; with OTHER, a binary without
Leases, that in turns with it.
"""
import concurrent.futures
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cluster"))
from cluster import Cluster  # noqa: E402  (after the path is set)
from migrate_bench import NOTICED, RUNS, Resource  # noqa: E402
from migrations import add_widgets, bring_in_widgets, turn_pruning_on, widgets  # noqa: E402
from subjects import V1_CRDS  # noqa: E402


def run_all(cluster, commands):
    """Returns the seconds until all of them, begun at once, have ended well."""
    environment = cluster.environment(cluster.kubeconfig_file("admin"))

    def run(command):
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(len(commands)) as pool:
        runs = list(pool.map(run, commands))
    seconds = time.monotonic() - start
    for one in runs:
        if one.returncode != 0:
            raise SystemExit(f"exit code {one.returncode}\n{one.stdout[-2000:]}{one.stderr[-2000:]}")
    return seconds


def migrate(cluster, binary, *arguments):
    state = tempfile.mkdtemp(prefix="state.", dir=cluster.folder)
    return [binary, "migrate", *arguments, f"--state-dir={state}"]


def rewrite(resource, commands):
    resource.need_rewriting()
    seconds = run_all(resource.cluster, commands)
    stored = resource.stored()
    if stored != {resource.storage: resource.count}:
        raise SystemExit(f"etcd holds {dict(stored)}")
    return seconds


def compare_shards(cluster, binary, count):
    resource = Resource(cluster, "smalls", 600, count, 10)
    resource.create()
    alone, together = [], []
    for _ in range(RUNS):
        alone.append(rewrite(resource, [migrate(cluster, binary, resource.name, "--pace=full")]))
        together.append(rewrite(resource, [
            migrate(cluster, binary, resource.name, f"--shard={shard}/2", "--pace=full") for shard in range(2)]))
    ratio = statistics.median(alone) / statistics.median(together)
    print(f"{count} objects, verified: one process {statistics.median(alone):.2f} s "
          f"({min(alone):.2f} to {max(alone):.2f}), two shards {statistics.median(together):.2f} s "
          f"({min(together):.2f} to {max(together):.2f}): {ratio:.2f} times as fast (goal: at least 1)", flush=True)
    return ratio >= 1


def compare_leases(cluster, binary, count, other):
    subjects = [add_widgets(widgets(f"kind{number:03}s"), 1) for number in range(count)]
    for subject in subjects:
        bring_in_widgets(cluster, subject)
        turn_pruning_on(cluster.api(), subject)
    time.sleep(NOTICED)
    seconds = {name: [] for name in filter(None, (binary, other))}
    for _ in range(RUNS):
        for name, taken in seconds.items():
            api = cluster.api()
            for subject in subjects:
                api.patch(f"{V1_CRDS}/{subject.name}/status", {"status": {"storedVersions": ["v1beta1", "v1"]}})
            api.close()
            taken.append(run_all(cluster, [migrate(cluster, name, "--all")]))
    texts = [f"{statistics.median(taken):.2f} s ({min(taken):.2f} to {max(taken):.2f})" for taken in seconds.values()]
    print(f"migrate --all of {count} CRDs: {texts[0]}")
    if other:
        more = statistics.median(seconds[binary]) - statistics.median(seconds[other])
        print(f"  without Leases {texts[1]}: {more / count * 1000:.0f} ms a CRD more")


def main():
    binary = os.path.abspath(sys.argv[1])
    objects, crds = (*map(int, sys.argv[2:4]), *(10000, 100)[len(sys.argv[2:4]):])
    other = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
    with Cluster() as cluster:
        met = compare_shards(cluster, binary, objects)
        compare_leases(cluster, binary, crds, other)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
