#!/usr/bin/env python3
"""Keeps the books of docs/CONVENTIONS.md: every statement has one row, and tests named after it.

Usage: conventions_test.py ROOT. A row is "| G1 | statement | held by |". It is held by files below tests/,
each of which has a test of that number, or it begins "Does not apply: " and gives the reason. Prints
a line a fault, e.g. `G1: options_test.cc has no test of that number`, and exits 1 if there is one.
"""
import pathlib
import re
import sys

STATEMENTS = {"N": (1, 5), "G": range(1, 4), "O": range(1, 9), "E": (1,), "C": (1,), "K": range(1, 8),
              "X": range(1, 7), "H": range(1, 4)}
NUMBERS = [f"{letter}{number}" for letter, numbers in STATEMENTS.items() for number in numbers]
ROW = re.compile(r"^\| ([A-Z]\d) \| (.*) \| (.*) \|$", re.MULTILINE)
REASON = "Does not apply: "
# How a test is named in each kind of file; a script without names says it at its start.
NAMES = {".cc": r'"{0}[ :]', ".py": r'(def test_{0}_|"{0} |^"""[^"]*\({0}\))', ".txt": r"^# .*\b{0}\b"}


def has_test(file, number):
    pattern = NAMES[file.suffix].format(number)
    return re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE | re.IGNORECASE)


def files_named(tests, name):
    """Files are named by the end of their path."""
    return [f for f in tests.rglob(pathlib.Path(name).name) if f.as_posix().endswith("/" + name)]


def faults_of(tests, number, held_by):
    if held_by.startswith(REASON):
        return
    names = re.findall(r"`([\w/]+\.(?:cc|py|txt))`", held_by)
    if not names:
        yield f"{number}: neither a test nor \"{REASON}...\""
    for name in names:
        files = files_named(tests, name)
        if len(files) != 1:
            yield f"{number}: {name} is the name of {len(files)} files below tests/"
        elif not has_test(files[0], number):
            yield f"{number}: {name} has no test of that number"


def check(root):
    rows = ROW.findall((root / "docs/CONVENTIONS.md").read_text(encoding="utf-8"))
    numbers = [number for number, _, _ in rows]
    for number in NUMBERS:
        if numbers.count(number) != 1:
            yield f"{number}: {numbers.count(number)} rows"
    for number, _, held_by in rows:
        if number not in NUMBERS:
            yield f"{number}: there is no such statement"
        yield from faults_of(root / "tests", number, held_by)


def main():
    faults = list(check(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(faults) or f"{len(NUMBERS)} statements, each with a row and tests of its number")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
