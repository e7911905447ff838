"""Measures how many requests of 8 KB a server of kube/serve answers, how long each takes, and its memory.

serve_bench.py [BENCH_SERVE [KUBECTL_PRUNE]]: that of build/release/tests/bench/bench_serve by default; with a
KUBECTL_PRUNE its guard is measured too, beside a real API server, by reviews that bring a field which would be pruned.
h2load asks over HTTP/1.1, 16 connections: as fast as it can, in turns with a server that is a thread a connection and
looks at nothing; then 2,000 times a second, evenly, for the times; then over as many connections as a server takes, for
the memory. The server has one processor to itself where there are two. Exit code 1 if a goal is missed, 77 (skipped)
without h2load.
"""
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cluster"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from cluster import Cluster, wait_for
import guards
from subjects import V1BETA1_CRDS

PINNED = ["taskset", "-c", "0"] if os.cpu_count() > 1 and shutil.which("taskset") else []
BODY_BYTES = 8 * 1024
CONNECTIONS, MOST_CONNECTIONS = 16, 256
REQUESTS, RUNS = 20_000, 3
RATE, SECONDS = 2000, 10
GOAL_MILLISECONDS, GOAL_MIB = 5, 64


def review():
    """An AdmissionReview of 8 KB, of the widgets of guards.py."""
    kind = {"group": "demo.example.com", "version": "v1", "kind": "Widget"}
    resource = {"group": "demo.example.com", "version": "v1", "resource": "widgets"}
    labels = {f"label{i}": f"value {i}" for i in range(250)}
    text = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource,
        "name": "one", "namespace": "default", "operation": "CREATE", "userInfo": {"username": "jo"},
        "object": {"apiVersion": "demo.example.com/v1", "kind": "Widget",
                   "metadata": {"name": "one", "namespace": "default", "labels": labels},
                   "spec": {"mode": "", "legacyMode": "slow"}}}})
    return text.replace('"mode": ""', '"mode": "' + "x" * (BODY_BYTES - len(text)) + '"')


class Server:
    """bench_serve of one kind, while it runs."""

    def __init__(self, binary, kind):
        self.process = subprocess.Popen([*PINNED, binary, kind], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        scheme = "https" if kind == "tls" else "http"
        self.url = f"{scheme}://127.0.0.1:{int(self.process.stdout.readline())}/review"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


class GuardServer(Server):
    """`kubectl-prune guard` beside the API server of a cluster, while it runs."""

    def __init__(self, binary, cluster):
        command = [*PINNED, binary, "guard", "widgets", *guards.HERE, "--managed=bench.example.com"]
        self._guard = guards.Guard(cluster, command).__enter__()
        self.process = self._guard.process
        self.url = f"https://127.0.0.1:{self._guard.port()}/guard"

    def __exit__(self, *_):
        self._guard.__exit__()


def ask(folder, url, connections, *arguments):
    """Runs h2load; returns (when it began, status, microseconds) of each request, in seconds since 1970."""
    log = folder / "log"
    log.unlink(missing_ok=True)
    subprocess.run(["h2load", "--h1", "-t", "1", "-c", str(connections), "-d", str(folder / "body"),
                    "-H", "content-type: application/json", f"--log-file={log}", *arguments, url],
                   check=True, stdout=subprocess.DEVNULL)
    rows = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
    answers = [(int(begin) / 1e6, int(status), int(took)) for begin, status, took in rows]
    refused = [status for _, status, _ in answers if status != 200]
    if refused or not answers:
        raise SystemExit(f"{len(refused)} of {len(answers)} requests were not answered with 200")
    return answers


def rate(folder, make):
    """Requests a second, and a CPU second."""
    with make() as server:
        answers = ask(folder, server.url, CONNECTIONS, "-n", str(REQUESTS))
        if len(answers) != REQUESTS:
            raise SystemExit(f"{server.url}: {REQUESTS - len(answers)} requests were lost")
        seconds = max(begin + took / 1e6 for begin, _, took in answers) - min(answers)[0]
        return REQUESTS / seconds, REQUESTS / guards.cpu_seconds(server.process)


def percentile(folder, make):
    """Milliseconds within which 50 and 99 of 100 requests are answered at that rate."""
    with make() as server:
        # h2load looks every 10 ms what is to be sent. Connections that begin at once would all do so in the same
        # moment: a time would tell how long twenty requests take, one after the other.
        answers = ask(folder, server.url, CONNECTIONS, "-n", str(RATE * SECONDS),
                      f"--rps={RATE // CONNECTIONS}", "--rate=1", "--rate-period=3ms")
        times = sorted(took / 1000 for _, _, took in answers)
        return times[len(times) // 2], times[len(times) * 99 // 100]


def memory(folder, make):
    with make() as server:
        ask(folder, server.url, MOST_CONNECTIONS, "-n", str(MOST_CONNECTIONS * 20))
        return guards.peak_mib(server.process)


def measure(folder, makers):
    """Prints the figures of each; returns whether the goals are reached by the last."""
    rates = {kind: [] for kind in makers}
    for _ in range(RUNS):
        for kind, make in makers.items():
            rates[kind].append(rate(folder, make))
    for kind, of_kind in rates.items():
        a_second, a_cpu_second = (statistics.median(column) for column in zip(*of_kind))
        print(f"{kind:6} {a_second:8.0f} requests/s {a_cpu_second:8.0f} a CPU second")
    last = list(makers)[-1]
    for kind in ("bare", last):
        half, most = percentile(folder, makers[kind])
        print(f"{kind:6} at {RATE}/s: half within {half:.2f} ms, 99 of 100 within {most:.2f} ms")
    print(f"  goal: {last} within {GOAL_MILLISECONDS} ms, on a machine with nothing else to do")
    mib = memory(folder, makers[last])
    print(f"{last}, {MOST_CONNECTIONS} connections: {mib:.1f} MiB (goal: {GOAL_MIB})")
    return most < GOAL_MILLISECONDS and mib < GOAL_MIB


def main():
    if not shutil.which("h2load"):
        print("skipped: no h2load (Debian's nghttp2-client)")
        return 77
    binary = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/release/tests/bench/bench_serve")
    makers = {kind: lambda kind=kind: Server(binary, kind) for kind in ("bare", "plain", "tls")}
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "body").write_text(review(), encoding="utf-8")
        if len(sys.argv) > 2:
            cluster = stack.enter_context(Cluster())
            api = cluster.api()
            api.post(V1BETA1_CRDS, guards.crd())
            wait_for("widgets are not served", lambda: api.request("GET", guards.WIDGETS)[0] == 200)
            makers["guard"] = lambda: GuardServer(os.path.abspath(sys.argv[2]), cluster)
        return 0 if measure(folder, makers) else 1


if __name__ == "__main__":
    sys.exit(main())
