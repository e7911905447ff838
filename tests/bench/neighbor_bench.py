"""Measures what another client of a real API server notices of `kubectl-prune migrate`.

neighbor_bench.py BINARY [OBJECTS [ARGUMENTS...]]: while OBJECTS (3,000) of 1 KB are rewritten a user of another
priority level reads a ConfigMap 100 times a second; how long that takes is compared. The objects are rewritten by
`kubectl get | kubectl replace`, by default, with --concurrency=16, and with each of ARGUMENTS, flags with commas
between them; RUNS times by turns, and medians are compared. The goals: by default at least 1.5 times as fast as the
script (less than once is a failure), while the slowest in a hundred reads (p99) take at most twice as long as beside
the script, and at most half as long as beside --concurrency=16.
"""
import collections
import multiprocessing
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cluster"))
from cluster import Cluster, wait_for  # noqa: E402  (after the path is set)
from migrate_bench import Resource, kubectl, migrate  # noqa: E402

READS = 100  # a second
QUIET = 15  # seconds
RUNS = 3
PARTS = (0.5, 0.75, 0.9, 0.99)
SCRIPT, DEFAULT, MANY = "kubectl get | kubectl replace", "by default", "--concurrency=16"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
NEIGHBOR = "neighbor"


def let_read(api):
    wait_for("there is no namespace default", lambda: api.request("GET", "/api/v1/namespaces/default")[0] == 200)
    api.post(CONFIG_MAPS, {"metadata": {"name": NEIGHBOR}, "data": {"a": "b"}})
    api.post(f"{RBAC}/clusterroles", {"metadata": {"name": NEIGHBOR}, "rules": [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]})
    api.post(f"{RBAC}/clusterrolebindings", {"metadata": {"name": NEIGHBOR}, "subjects": [
        {"kind": "User", "name": NEIGHBOR, "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"kind": "ClusterRole", "name": NEIGHBOR, "apiGroup": "rbac.authorization.k8s.io"}})


def read(cluster, stop, results):
    """When each read was begun, and the seconds that it took."""
    api, taken, due = cluster.api(NEIGHBOR), [], time.monotonic()
    while not stop.is_set():
        due = max(due + 1 / READS, time.monotonic() - 1 / READS)
        time.sleep(max(0, due - time.monotonic()))
        start = time.monotonic()
        if api.request("GET", f"{CONFIG_MAPS}/{NEIGHBOR}")[0] != 200:
            break
        taken.append((start, time.monotonic() - start))
    results.put(taken)


class Neighbor:
    """A process, as a thread would wait for this one's."""

    def __init__(self, cluster):
        self._stop, self._results = multiprocessing.Event(), multiprocessing.Queue()
        self._process = multiprocessing.Process(target=read, args=(cluster, self._stop, self._results), daemon=True)
        self._process.start()

    def times(self, start, end):
        self._stop.set()
        taken = self._results.get()
        self._process.join()
        return sorted(seconds for begun, seconds in taken if start <= begun <= end)


Measured = collections.namedtuple("Measured", ["rate", "p99"])


def measure(cluster, name, work):
    """Prints what the neighbor's reads take during `work`; returns the objects a second and p99, in seconds."""
    neighbor = Neighbor(cluster)
    time.sleep(1)  # it has connected
    start = time.monotonic()
    count = work()
    end = time.monotonic()
    times = neighbor.times(start, end)
    parts = [times[int(len(times) * part)] for part in PARTS]
    rate = count / (end - start)
    print(f"  {name:36} {end - start:6.1f} s {f'{rate:6.0f}/s' if count else ' ' * 8} " +
          "".join(f"  p{part * 100:.0f} {seconds * 1000:6.2f} ms" for part, seconds in zip(PARTS, parts)), flush=True)
    return Measured(rate, parts[-1])


def bench(cluster, binary, count, flags):
    """What is measured in each run, by name."""
    resource = Resource(cluster, "smalls", 600, count, 10)
    resource.create()
    commands = {SCRIPT: kubectl, DEFAULT: migrate(binary, "--verify=false")}
    for each in (MANY, *flags):
        commands[each] = migrate(binary, "--verify=false", *each.split(","))
    measured = collections.defaultdict(list)

    def rest():
        time.sleep(QUIET)
        return 0

    for _ in range(RUNS):
        measure(cluster, "nothing", rest)
        for name, command in commands.items():
            resource.need_rewriting()

            def work(arguments=command(resource, None)):
                done = cluster.run(arguments)
                if done.returncode != 0:
                    raise SystemExit(f"exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
                return count

            measured[name].append(measure(cluster, name, work))
    return measured


def check(name, value, is_met, goal):
    print(f"{name}: {value:.2f} (goal: {goal}){'' if is_met else '  NOT MET'}")


def main():
    with Cluster(users=(NEIGHBOR,)) as cluster:
        let_read(cluster.api())
        count = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
        measured = bench(cluster, os.path.abspath(sys.argv[1]), count, sys.argv[3:])
    median = {name: Measured(*map(statistics.median, zip(*runs))) for name, runs in measured.items()}
    faster = median[DEFAULT].rate / median[SCRIPT].rate
    slower = median[DEFAULT].p99 / median[SCRIPT].p99
    of_many = median[DEFAULT].p99 / median[MANY].p99
    check("rate by default to the script's", faster, faster >= 1.5, "at least 1.5")
    check("p99 beside the default to beside the script", slower, slower <= 2, "at most 2")
    check("p99 beside the default to beside --concurrency=16", of_many, of_many <= 0.5, "at most 0.5")
    return 0 if faster >= 1 and slower <= 2 and of_many <= 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
