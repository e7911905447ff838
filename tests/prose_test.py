#!/usr/bin/env python3
"""Measures the English of the documents: no sentence has more than 25 words, or a construction that is read twice.

Decisions and the manual of the krew folder are for maintainers, and are not measured.
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/support"))

import documents

MOST_WORDS = 25
# Each has a plainer form: a sentence of its own, or the noun in the place of the pronoun.
READ_TWICE = (r"\b(by|of|for|from|in|with) which\b(?! (objects?|fields?)\b)", r"\bthat which\b", r"\bwho who\b",
              r"\bas that (one )?does\b", r"\bwhat what\b", r", which,", r"\bthe one that\b")


def prose(text):
    """Yields paragraphs, items of lists and cells of tables, without code blocks and links' targets."""
    text = re.sub(r"^```.*?^```$", "\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^    .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for block in re.split(r"\n\s*\n|\n(?=- |\| |#+ )", text):
        if block.lstrip().startswith("|"):
            yield from (cell for cell in block.split("|") if re.search(r"\w", cell))
        else:
            yield " ".join(block.split()).lstrip("-# ")


def sentences(text):
    """What stands in code marks counts as one word."""
    for part in prose(text):
        plain = re.sub(r"`[^`]*`", "CODE", part).replace("**", "").replace("*", "")
        yield from (one for one in re.split(r"(?<=[.!?])\)?\s+|:\s+", plain) if re.search(r"\w", one))


def faults(text):
    found = [f"{len(one.split())} words: {one}" for one in sentences(text) if len(one.split()) > MOST_WORDS]
    return found + [f"\"{match[0]}\": {one}" for one in sentences(text) for pattern in READ_TWICE
                    if (match := re.search(pattern, one, re.IGNORECASE))]


class Prose(unittest.TestCase):
    maxDiff = None

    def test_sentences_are_short_and_plain(self):
        held = [path for path in documents.DOCUMENTS
                if path.endswith(".md") and not path.startswith(("docs/decisions", "krew"))]
        self.assertIn("README.md", held)
        for path in held:
            with self.subTest(path):
                self.assertEqual([], faults((ROOT / path).read_text(encoding="utf-8")))

    def test_faults_are_found(self):
        self.assertEqual(1, len(faults("One. " + "word " * 26 + ".")))
        self.assertEqual(1, len(faults("| a | the tool by which it is done |")))
        self.assertEqual([], faults("A sentence. `" + "x " * 30 + "` is code.\n\n```sh\n" + "y " * 30 + "\n```\n"))


if __name__ == "__main__":
    unittest.main()
