"""Measures shards of `kubectl-prune migrate` on a real API server beside one process, and what a Lease costs a CRD.

shards_bench.py BINARY [--objects=10000] [--crds=100] [--figures FILE]: so many objects of 1 KB of a CRD that prunes,
rewritten and verified by one process and by more and more shards on the same machine, in turns, medians of 3; the goal:
two shards take no longer. Then `migrate --all` of half as many CRDs and of all of them, with an object each and a
version to go, by a user who may have Leases and by one who may not. FILE: writes the figures there, for pictures.py.
Exit code 1 if the goal is missed.
"""
import argparse
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
from pictures import write_figures  # noqa: E402
from rights import LEASING, MIGRATION, Rights  # noqa: E402
from subjects import V1_CRDS  # noqa: E402

SHARDS = (2, 4)
# May have Leases; may not.
USERS = {"alice": [*MIGRATION, LEASING], "bob": MIGRATION}


def span(taken):
    return f"{statistics.median(taken):.2f} s ({min(taken):.2f} to {max(taken):.2f})"


def run_all(cluster, commands, user="admin"):
    """Returns the seconds until all of them, begun at once, have ended well."""
    environment = cluster.environment(cluster.kubeconfig_file(user))

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
    """Returns the median seconds by the number of processes."""
    resource = Resource(cluster, "smalls", 600, count, 10)
    resource.create()
    flags = {1: [[]]} | {shards: [[f"--shard={shard}/{shards}"] for shard in range(shards)] for shards in SHARDS}
    seconds = {processes: [] for processes in flags}
    for _ in range(RUNS):
        for processes, taken in seconds.items():
            taken.append(rewrite(resource, [
                migrate(cluster, binary, resource.name, "--concurrency=32", *each) for each in flags[processes]]))
    for processes, taken in seconds.items():
        print(f"{count} objects, verified, by {processes} processes: {span(taken)}", flush=True)
    return {processes: statistics.median(taken) for processes, taken in seconds.items()}


class ManyCrds:
    """CRDs with an object each, of which more can be brought in."""

    def __init__(self, cluster, binary):
        self._cluster, self._binary, self._subjects = cluster, binary, []

    def grow(self, count):
        for number in range(len(self._subjects), count):
            self._subjects.append(add_widgets(widgets(f"kind{number:03}s"), 1))
            bring_in_widgets(self._cluster, self._subjects[-1])
            turn_pruning_on(self._cluster.api(), self._subjects[-1])
        time.sleep(NOTICED)

    def _need_trimming(self):
        api = self._cluster.api()
        for subject in self._subjects:
            api.patch(f"{V1_CRDS}/{subject.name}/status", {"status": {"storedVersions": ["v1beta1", "v1"]}})
        api.close()

    def migrate(self):
        """Returns the median seconds of each of USERS."""
        seconds = {user: [] for user in USERS}
        for _ in range(RUNS):
            for user, taken in seconds.items():
                self._need_trimming()
                taken.append(run_all(self._cluster, [migrate(self._cluster, self._binary, "--all")], user))
        texts = [span(taken) for taken in seconds.values()]
        medians = {user: statistics.median(taken) for user, taken in seconds.items()}
        more = (medians["alice"] - medians["bob"]) / len(self._subjects) * 1000
        print(f"migrate --all of {len(self._subjects)} CRDs: {texts[0]}, without Leases {texts[1]}: "
              f"{more:.0f} ms a CRD more", flush=True)
        return medians


def compare_leases(cluster, binary, counts):
    """Returns the seconds of each of USERS by the number of CRDs."""
    crds = ManyCrds(cluster, binary)
    seconds = {}
    for count in counts:
        crds.grow(count)
        seconds[count] = crds.migrate()
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("--objects", type=int, default=10_000)
    parser.add_argument("--crds", type=int, default=100)
    parser.add_argument("--figures", type=pathlib.Path)
    options = parser.parse_args()
    with Cluster(users=USERS) as cluster:
        shards = compare_shards(cluster, options.binary, options.objects)
        with Rights(cluster, "alice", USERS["alice"]), Rights(cluster, "bob", USERS["bob"]):
            leases = compare_leases(cluster, options.binary, (max(options.crds // 2, 1), options.crds))
    if options.figures:
        def points(user):
            return [(count, medians[user]) for count, medians in leases.items()]

        write_figures(options.figures, "Shards on one machine, and the Leases of many CRDs", __file__, [
            {"title": f"{options.objects:,} objects of 1 KB", "x": "processes", "y": "seconds", "lines": [
                {"name": "rewritten and verified", "points": list(shards.items())}]},
            {"title": "migrate --all", "x": "CRDs", "y": "seconds", "lines": [
                {"name": "with Leases", "points": points("alice")},
                {"name": "without", "above": False, "points": points("bob")}]}])
    ratio = shards[1] / shards[2]
    print(f"two shards are {ratio:.2f} times as fast as one process (goal: at least 1)")
    return 0 if ratio >= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
