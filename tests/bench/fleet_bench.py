"""Measures `kubectl-prune check --contexts` over more and more clusters, two of which answer six times as slowly.

fleet_bench.py BINARY [--figures FILE]: servers of its own, of one CRD each, that wait before each answer. All at once,
and one after the other; the goal: twenty at once take at most 1.5 times what one of the slow ones takes alone. FILE:
writes the figures there, for pictures.py. Exit code 1 if the goal is missed.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import fleets  # noqa: E402  (after the path is set)
from fleet_test import Server  # noqa: E402
from pictures import write_figures  # noqa: E402

CLUSTERS = (2, 5, 10, 15, 20)
SLOW, FACTOR, SECONDS = 2, 6, 0.05
RUNS = 3
GOAL = 1.5


class SlowServer(Server):
    def __init__(self, name, seconds):
        self._seconds = seconds
        super().__init__(name, fleets.Board())

    def answer(self, path):
        time.sleep(self._seconds)
        return super().answer(path)


class Fleet:
    """Servers of which the first are the slow ones."""

    def __init__(self, binary, folder):
        self._binary, self._config = binary, os.path.join(folder, "config")
        self._environment = {"KUBECONFIG": self._config, "HOME": folder, "PATH": os.environ["PATH"]}
        servers = [SlowServer(f"c{i:02}", SECONDS * (FACTOR if i < SLOW else 1)) for i in range(max(CLUSTERS))]
        fleets.write_kubeconfig(self._config, {server.name: server.server_address[1] for server in servers})

    def seconds(self, count, *arguments):
        """The median of what `check` takes over so many of them."""
        contexts = ",".join(f"c{i:02}" for i in range(count))
        command = [self._binary, "check", f"--contexts={contexts}", *arguments]
        taken = []
        for _ in range(RUNS):
            start = time.monotonic()
            run = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
            taken.append(time.monotonic() - start)
            if run.returncode != 1:  # some fields would be lost
                raise SystemExit(f"check: exit code {run.returncode}\n{run.stdout}{run.stderr}")
        return statistics.median(taken)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("--figures", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(options.binary, folder)
        slowest = fleet.seconds(1)
        at_once = [(count, fleet.seconds(count, f"--parallel-clusters={count}")) for count in CLUSTERS]
        in_turn = [(count, fleet.seconds(count, "--parallel-clusters=1")) for count in CLUSTERS]
    for (count, once), (_, turn) in zip(at_once, in_turn):
        print(f"{count:3} clusters: at once {once:.2f} s, one after the other {turn:.2f} s; "
              f"a slow one alone {slowest:.2f} s", flush=True)
    if options.figures:
        alone = [(0, slowest), (max(CLUSTERS), slowest)]
        write_figures(options.figures, "A fleet of which two clusters are six times as slow", __file__, [{
            "title": "check --contexts", "x": "clusters", "y": "seconds", "lines": [
                {"name": "one after the other", "points": in_turn},
                {"name": "all at once", "points": at_once},
                {"name": "a slow one alone", "dashed": True, "above": False, "points": alone}]}])
    ratio = at_once[-1][1] / slowest
    print(f"{CLUSTERS[-1]} clusters at once take {ratio:.2f} times what a slow one takes alone (goal: {GOAL})")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
