"""Measures how a migration that turns pruning on grows with the number of objects, and what a kill costs it.

scale_bench.py BINARY [--objects N,N,...] [--kills N] [--figures FILE]: for each number (10,000, 30,000, 100,000,
300,000) a private etcd with so many objects of 1 KB, of which one in eight has a field that its schema lacks, and an
API server; `migrate --enable-pruning --concurrency=32` from the first request to storedVersions trimmed. Then N runs with
the smallest number but one that are killed at a random moment and gone on with. The objects are put into etcd behind
the server's back; afterwards etcd is read for fields that should be gone. FILE: writes the figures there, for
pictures.py. Exit code 1 if a goal is missed.
"""
import argparse
import base64
import http.client
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cluster"))
from cluster import Cluster, wait_for  # noqa: E402  (after the path is set)
from migrations import in_parallel  # noqa: E402
from pictures import write_figures  # noqa: E402
from subjects import V1BETA1_CRDS, Subject  # noqa: E402

GOAL_MIB = 64
GOAL_STEEPER = 1.25  # seconds an object of the most, by those of the fewest
UNKNOWN = "legacyMode"
IN_TRANSACTION = 100
SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "size": {"type": "integer"}, "text": {"type": "string"},
    "ports": {"type": "array", "items": {"type": "object", "properties": {
        "port": {"type": "integer"}, "name": {"type": "string"}}}}}}}}
WIDGETS = Subject("scale.example.com", "widgets", "Widget", namespaced=True, schemas={"v1": SCHEMA}, storage="v1",
                  schema_first=True)
PREFIX = f"{WIDGETS.etcd_prefix()}default/"


class LargeCluster(Cluster):
    """With an etcd that takes 8 GiB."""

    def _start_server(self, arguments, ready):
        more = ["--quota-backend-bytes=8589934592"] if arguments[0] == self.binaries["etcd"] else []
        super()._start_server([*arguments, *more], ready)


class Etcd:
    """etcd by its JSON gateway. One thread uses it at a time."""

    def __init__(self, endpoint):
        self._connection = http.client.HTTPConnection(endpoint.removeprefix("http://"), timeout=60)

    def ask(self, path, body):
        self._connection.request("POST", path, json.dumps(body))
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"etcd: {path}: {answer.status} {text[:500]}")
        return json.loads(text)

    def put(self, pairs):
        self.ask("/v3/kv/txn", {"success": [
            {"request_put": {"key": encoded(key), "value": encoded(value)}} for key, value in pairs]})

    def values(self, prefix):
        """Yields the values of all keys that begin so."""
        at, end = prefix.encode(), prefix.encode()[:-1] + bytes([prefix.encode()[-1] + 1])
        while True:
            answer = self.ask("/v3/kv/range", {"key": encoded(at), "range_end": encoded(end), "limit": "2000"})
            pairs = answer.get("kvs", [])
            yield from (base64.b64decode(pair["value"]) for pair in pairs)
            if not answer.get("more"):
                return
            at = base64.b64decode(pairs[-1]["key"]) + b"\0"


def encoded(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def widget(number):
    spec = {"size": number, "text": "value " * 90,
            "ports": [{"port": 1024 + i, "name": f"port-{i}"} for i in range(5)]}
    if number % 8 == 0:
        spec[UNKNOWN] = "slow"
    return {"apiVersion": f"{WIDGETS.group}/v1", "kind": WIDGETS.kind,
            "metadata": {"name": f"w{number:07}", "namespace": "default", "generation": 1,
                         "uid": f"7f0b6a1e-4f4c-4a59-9f0e-{number:012}", "creationTimestamp": "2024-05-06T07:08:09Z"},
            "spec": spec}


def fill(cluster, count):
    local = threading.local()

    def put(first):
        if not hasattr(local, "etcd"):
            local.etcd = Etcd(cluster.etcd_endpoint)
        local.etcd.put([(f"{PREFIX}w{number:07}", json.dumps(widget(number), separators=(",", ":")))
                        for number in range(first, min(first + IN_TRANSACTION, count))])

    in_parallel(range(0, count, IN_TRANSACTION), put)


def serve(cluster):
    """Creates the CRD, which preserves unknown fields, behind its objects; waits until they are served."""
    api = cluster.api()
    api.post(V1BETA1_CRDS, WIDGETS.live_body())
    path = f"{WIDGETS.collection('v1')}?limit=1&resourceVersion=0"
    wait_for("widgets are not served", lambda: api.request("GET", path)[0] == 200, seconds=600)


class Migration:
    """`migrate` with a state folder of its own. Adds up over runs that were killed."""

    def __init__(self, cluster, binary):
        self._folder = tempfile.mkdtemp(prefix="migration.", dir=cluster.folder)  # backups go where it runs
        self._output = cluster.folder / "migrate.log"
        self._command = [binary, "migrate", WIDGETS.name, "--enable-pruning", "--yes", "--concurrency=32",
                         "--state-dir=state"]
        self._environment = cluster.environment(cluster.kubeconfig_file())
        self.seconds, self.mib, self.backup_bytes = 0.0, 0.0, 0

    def run(self, kill_after=None):
        """Returns whether it came to its end; raises SystemExit if that was no good one."""
        start = time.monotonic()
        with open(self._output, "wb") as output:
            process = subprocess.Popen(self._command, cwd=self._folder, env=self._environment, stdout=output,
                                       stderr=output)
            killer = threading.Timer(kill_after or 0, process.kill)
            if kill_after is not None:
                killer.start()
            _, status, usage = os.wait4(process.pid, 0)
            killer.cancel()
        self.seconds += time.monotonic() - start
        self.mib = max(self.mib, usage.ru_maxrss / 1024)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        if code != 0 and (kill_after is None or code != -signal.SIGKILL):
            raise SystemExit(f"migrate: exit code {code}\n{self._output.read_text(errors='replace')[-3000:]}")
        self.backup_bytes = sum(file.stat().st_size for file in pathlib.Path(self._folder).rglob("*") if file.is_file())
        return code == 0


def prove(cluster, count):
    """That etcd has all objects, and no field that should be gone."""
    seen = lost = 0
    for value in Etcd(cluster.etcd_endpoint).values(PREFIX):
        seen += 1
        lost += UNKNOWN.encode() in value
    if seen != count or lost:
        raise SystemExit(f"etcd has {seen} objects of {count}, and {lost} of them hold {UNKNOWN}")


def measure(binary, count, kill_after=None):
    with LargeCluster() as cluster:
        fill(cluster, count)
        serve(cluster)
        migration = Migration(cluster, binary)
        if kill_after is not None and migration.run(kill_after):
            raise SystemExit(f"it had ended before it was killed, within {migration.seconds:.1f} s")
        migration.run()
        prove(cluster, count)
        return {"objects": count, "seconds": round(migration.seconds, 2), "mib": round(migration.mib, 1),
                "backupMib": round(migration.backup_bytes / 2**20, 1),
                **({} if kill_after is None else {"killedAfter": round(kill_after, 2)})}


def panels(curve, killed):
    """Of one picture: seconds and memory by the number of objects."""
    most, first = curve[-1]["objects"], curve[0]
    steady = [(0, 0), (most, first["seconds"] / first["objects"] * most)]
    once_killed = [{"name": "killed once", "marks": True,
                    "points": [(one["objects"], one["seconds"]) for one in killed]}] if killed else []
    return [
        {"title": "Time", "x": "objects of 1 KB", "y": "seconds", "lines": [
            {"name": "--concurrency=32", "above": False, "points": [(one["objects"], one["seconds"]) for one in curve]},
            *once_killed,
            {"name": "at the pace of the fewest", "dashed": True, "points": steady}]},
        {"title": "Memory", "x": "objects of 1 KB", "y": "MiB resident at most", "lines": [
            {"name": "migrate", "points": [(one["objects"], one["mib"]) for one in curve]},
            {"name": "goal", "dashed": True, "points": [(0, GOAL_MIB), (most, GOAL_MIB)]}]}]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("--objects", default="10000,30000,100000,300000")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--figures", type=pathlib.Path)
    options = parser.parse_args()
    counts = sorted(int(count) for count in options.objects.split(","))
    curve, killed = [], []
    for count in counts:
        one = measure(options.binary, count)
        curve.append(one)
        print(f"{count:9} objects: {one['seconds']:8.1f} s, {one['seconds'] / count * 1e3:6.3f} ms an object, "
              f"{one['mib']:5.1f} MiB, {one['backupMib']:7.1f} MiB on disk", flush=True)
    count = counts[min(1, len(counts) - 1)]
    whole = next(one["seconds"] for one in curve if one["objects"] == count)
    chance = random.Random(count)
    for _ in range(options.kills):
        one = measure(options.binary, count, chance.uniform(0.1, 0.8) * whole)
        killed.append(one)
        print(f"{count:9} objects, killed after {one['killedAfter']:.1f} s and gone on with: {one['seconds']:8.1f} s "
              f"in all, {one['seconds'] - whole:+.1f} s", flush=True)
    if options.figures:
        write_figures(options.figures, "A migration that turns pruning on, from nothing to storedVersions trimmed",
                      __file__, panels(curve, killed))
    steeper = (curve[-1]["seconds"] / curve[-1]["objects"]) / (curve[0]["seconds"] / curve[0]["objects"])
    mib = max(one["mib"] for one in curve)
    print(f"an object of the most takes {steeper:.2f} times what one of the fewest takes (goal: {GOAL_STEEPER}); "
          f"at most {mib:.1f} MiB (goal: {GOAL_MIB})")
    return 0 if steeper <= GOAL_STEEPER and mib <= GOAL_MIB else 1


if __name__ == "__main__":
    sys.exit(main())
