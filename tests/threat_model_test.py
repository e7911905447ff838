#!/usr/bin/env python3
"""The tests that docs/THREAT_MODEL.md names exist. Usage: threat_model_test.py SOURCE_ROOT"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])


def text_of(*patterns):
    return "\n".join(p.read_text(encoding="utf-8") for g in patterns for p in (ROOT / "tests").rglob(g))


def missing(document):
    """The names of tests in the tables that no test has."""
    rows = [line for line in document.splitlines() if line.startswith("| ")]
    shown_by = "\n".join(row.rsplit("|", 2)[1] for row in rows)
    catch = set(re.findall(r'TEST_CASE\(\s*"([^"]+)"', text_of("*_test.cc")))
    absent = [name for name in re.findall(r'"([^"]+)"', shown_by) if name not in catch]
    for file, test in re.findall(r"`(\w+\.py): (\w+)`", shown_by):
        if f"def {test}(" not in text_of(file):
            absent.append(f"{file}: {test}")
    return absent, len(rows)


def main():
    absent, rows = missing((ROOT / "docs/THREAT_MODEL.md").read_text(encoding="utf-8"))
    for name in absent:
        print(f"docs/THREAT_MODEL.md: no test is named {name}")
    itself = missing('| a | b | "no such test", `cli.py: test_none` |\n')[0]
    return 1 if absent or rows < 10 or len(itself) != 2 else 0


if __name__ == "__main__":
    sys.exit(main())
