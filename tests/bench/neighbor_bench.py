"""Measures what another client of a real API server notices of `kubectl-prune migrate`.

neighbor_bench.py BINARY [OBJECTS [ARGUMENTS...]]: while OBJECTS (3,000) of 1 KB are rewritten a user of another
priority level reads a ConfigMap 100 times a second; how long that takes is compared with what it takes beside nothing,
before and after. First by default, then with each of ARGUMENTS, flags with commas between them; else at some rates and
as fast as can be. The goal: by default the slowest in a hundred reads (p99) take no longer than one and a half times.
"""
import multiprocessing
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cluster"))
from cluster import Cluster, wait_for  # noqa: E402  (after the path is set)
from migrate_bench import Resource, migrate  # noqa: E402

GOAL = 1.5
READS = 100  # a second
QUIET = 30  # seconds
PARTS = (0.5, 0.75, 0.9, 0.99)
RATES = ("--pace=full,--max-rate=100", "--pace=full,--max-rate=400", "--pace=full,--max-rate=1600", "--pace=full")
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


def measure(cluster, name, work):
    """Prints what the neighbor's reads take during `work`; returns the last of PARTS, in seconds."""
    neighbor = Neighbor(cluster)
    time.sleep(1)  # it has connected
    start = time.monotonic()
    count = work()
    end = time.monotonic()
    times = neighbor.times(start, end)
    parts = [times[int(len(times) * part)] for part in PARTS]
    rate = f"{count / (end - start):6.0f}/s" if count else " " * 8
    print(f"  {name:36} {end - start:6.1f} s {rate} " +
          "".join(f"  p{part * 100:.0f} {seconds * 1000:6.2f} ms" for part, seconds in zip(PARTS, parts)), flush=True)
    return parts[-1]


def main():
    binary = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    with Cluster(users=(NEIGHBOR,)) as cluster:
        let_read(cluster.api())
        resource = Resource(cluster, "smalls", 600, count, 10)
        resource.create()

        def run(flags):
            resource.need_rewriting()
            command = migrate(binary, "--verify=false", *filter(None, flags.split(",")))(resource, None)

            def work():
                done = cluster.run(command)
                if done.returncode != 0:
                    raise SystemExit(f"exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
                return count

            return measure(cluster, flags or "by default", work)

        def rest():
            time.sleep(QUIET)

        quiet = [measure(cluster, "nothing", rest)]
        by_default = run("")
        for flags in sys.argv[3:] or RATES:
            run(flags)
        quiet.append(measure(cluster, "nothing", rest))
    ratio = by_default / statistics.mean(quiet)
    print(f"by default {ratio:.2f} times (goal: at most {GOAL}){'' if ratio <= GOAL else '  NOT MET'}")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
