"""Measures `migrate --all --enable-pruning --yes` of many small CRDs on a real API server, beside one of them alone.

many_crds_bench.py BINARY [CRDS [OBJECTS]]: CRDS (45) that preserve unknown fields with OBJECTS (59) in all. The goal: no
more than a fifth of what it would take one after the other; and etcd has nothing left that is to be pruned.
"""
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cluster"))
from cluster import Cluster  # noqa: E402  (after the path is set)
from migrations import Migrator, Stored, accounting_errors, add_widgets, bring_in_widgets, widgets  # noqa: E402

GOAL = 5


def bring_in(cluster, plural, count):
    subject = add_widgets(widgets(plural, two_versions=False), count)
    bring_in_widgets(cluster, subject)
    return subject


def timed(migrator, *arguments):
    start = time.monotonic()
    run = migrator.run(*arguments, "--enable-pruning", "--yes", seconds=900)
    seconds = time.monotonic() - start
    if run.code != 0 or accounting_errors(run):
        raise SystemExit(f"{accounting_errors(run)}\n{run}")
    return seconds, run


def main():
    crds, objects = (*map(int, sys.argv[2:4]), *(45, 59)[len(sys.argv[2:4]):])
    with Cluster() as cluster:
        migrator = Migrator(cluster, os.path.abspath(sys.argv[1]))
        one, _ = timed(migrator, bring_in(cluster, "alones", 2).name)
        subjects = [bring_in(cluster, f"kind{i:03}s", (i + 1) * objects // crds - i * objects // crds)
                    for i in range(crds)]
        together, run = timed(migrator, "--all")
        left = [name for subject in subjects for name, stored in Stored(cluster, subject).objects.items()
                if "legacyMode" in stored["spec"] or not run.crd(subject.name)["verified"]]
    if left:
        raise SystemExit(f"not pruned: {left}")
    ratio = crds * one / together
    print(f"{crds} CRDs with {objects} objects: {together:.1f} s; one with 2 objects {one:.1f} s, so one after the other "
          f"would take {crds * one:.0f} s: {ratio:.1f} times as long (goal: at least {GOAL})")
    return 0 if ratio >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
