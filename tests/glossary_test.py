#!/usr/bin/env python3
"""Keeps the words of tests/glossary.txt out of the sources.

Usage: glossary_test.py ROOT. Prints one line a finding, e.g. `kube/serve/server.h:12: "Hall" is ConnectionRegistry now`,
and exits 1 if there is one.
"""
import pathlib
import re
import sys
import tempfile

FOLDERS = ("kube", "migrate", "plugin")
# A text or a comment, or a word of code. Of raw texts every line counts as code, which finds more, not less.
PIECE = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|\b[A-Za-z_]\w*\b')


def read_glossary(path):
    """Returns {"identifier": {old: new}, "phrase": {old: new}}."""
    words = {"identifier": {}, "phrase": {}}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(identifier|phrase) (.+?) -> (.+)", line)
        if not match:
            raise SystemExit(f"{path}:{number}: not understood: {line}")
        words[match[1]][match[2]] = match[3]
    return words


def findings(path, text, words):
    """Keys of JSON and of state files are promised, and stay: a text without a blank is one of those."""
    for number, line in enumerate(text.splitlines(), 1):
        for piece in PIECE.findall(line):
            if piece.startswith(("//", '"')):
                if piece.startswith('"') and " " not in piece:
                    continue
                for old, new in words["phrase"].items():
                    if re.search(rf"\b{re.escape(old)}\b", piece, re.IGNORECASE):
                        yield f'{path}:{number}: "{old}" is "{new}" now'
            elif piece in words["identifier"]:
                yield f'{path}:{number}: "{piece}" is {words["identifier"][piece]} now'


def check(root, words):
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".cc", ".h"):
                yield from findings(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"), words)


SAMPLES = [
    ("class Hall {", ['a.h:1: "Hall" is Registry now']),
    ("class Halls {  // of Hall", []),
    ("int x;  // Behind the flip all is well", ['a.h:1: "behind the flip" is "after" now']),
    ('Print("it is behind the flip");', ['a.h:1: "behind the flip" is "after" now']),
    ('Find("behind-the-flip"); Find("Hall");', []),
]


def self_test():
    words = {"identifier": {"Hall": "Registry"}, "phrase": {"behind the flip": "after"}}
    for text, expected in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "kube").mkdir()
            (root / "kube/a.h").write_text(text, encoding="utf-8")
            found = [line.replace("kube/", "") for line in check(root, words)]
        if found != expected:
            yield f"self-test of {text!r}: expected {expected}, found {found}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = [*self_test(), *check(root, read_glossary(root / "tests/glossary.txt"))]
    print("\n".join(faults) if faults else "no word of the glossary's left side is used")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
