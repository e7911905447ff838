#!/usr/bin/env python3
"""Measures the English of documents, help and messages: no sentence has more than 25 words, or a construction that is read twice.

prose_test.py BINARY [TEST...]: the help is that of BINARY, the messages are those of the transcripts. Decisions and the manual of the krew folder are for maintainers, and are not measured.
"""
import pathlib
import re
import subprocess
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


def help_prose(text):
    """Returns what is told in sentences in a help text: its head, what flags and exit codes mean, comments of examples."""
    head = re.split(r"\n(?:Examples|Options|Exit codes):\n", text)[0]
    examples = text.partition("\nExamples:\n")[2]
    # Lists of commands and webhooks have a row each; a row may go on further in.
    blocks = re.split(r"\n\n|\n(?=  \S)", head)
    options = re.search(r"\nOptions:\n(.*?)(?=\n\S)", text, re.DOTALL)
    for block in re.split(r"\n\n", options[1] if options else ""):
        blocks.append("\n".join(line for line in block.split("\n") if not line.startswith("    -")))
    codes = re.search(r"\nExit codes:\n(.*?)\n\n", text, re.DOTALL)
    blocks += re.split(r"\n(?=  \S)", codes[1] if codes else "")
    blocks += re.findall(r"^  # (.*)$", examples, re.MULTILINE)
    return "\n\n".join(" ".join(block.split()) for block in blocks)


def faults(text):
    return faults_of(list(sentences(text)))


def faults_of(sentences_):
    found = [f"{len(one.split())} words: {one}" for one in sentences_ if len(one.split()) > MOST_WORDS]
    return found + [f"\"{match[0]}\": {one}" for one in sentences_ for pattern in READ_TWICE
                    if (match := re.search(pattern, one, re.IGNORECASE))]


# What the API server, the network or Go's library say, to the letter.
OTHERS_WORDS = re.compile(r"Invalid value|[Ff]orbidden|Error from server|Unsupported value|Required value|"
                          r"connection to the server|Syntax error|RFC 1123|violates")


def messages(transcript):
    """Returns the sentences that commands print in a transcript: no tables, no JSON or HTML, nothing that others say.

    A command to copy and what is quoted count as a word each.
    """
    found = []
    for line in transcript.splitlines():
        line = line.removeprefix("2> ")
        is_other = line.startswith(("#", "$", ">")) or line.lstrip().startswith(("{", '"', "<", "|"))
        if is_other or OTHERS_WORDS.search(line) or re.search(r"\S {3,}\S", line.strip()):
            continue
        line = re.sub(r'"[^"]*"', "TEXT", re.sub(r"(kubectl|helm) [^;)]*", "COMMAND", line))
        found += [one for one in re.split(r"(?<=[.!?;:])\)?\s+", line) if re.search(r"\w", one)]
    return found


class Prose(unittest.TestCase):
    maxDiff = None

    def test_sentences_are_short_and_plain(self):
        held = [path for path in documents.DOCUMENTS
                if path.endswith(".md") and not path.startswith(("docs/decisions", "krew"))]
        self.assertIn("README.md", held)
        for path in held:
            with self.subTest(path):
                self.assertEqual([], faults((ROOT / path).read_text(encoding="utf-8")))

    def test_help_is_short_and_plain(self):
        top = self.help_of()
        commands = re.findall(r"^  ([a-z]+)  ", top.partition("Available Commands:")[2].partition("Examples:")[0], re.M)
        self.assertIn("migrate", commands)
        for command in ([], *([name] for name in commands if name not in ("options", "help"))):
            with self.subTest(" ".join(command)):
                self.assertEqual([], faults(help_prose(self.help_of(*command))))

    def test_messages_are_short_and_plain(self):
        for path in sorted((ROOT / "tests/cli").glob("*.txt")):
            with self.subTest(path.name):
                self.assertEqual([], faults_of(messages(path.read_text(encoding="utf-8"))))

    def test_messages_are_looked_at(self):
        long = "word " * 26
        for text in (f"2> error: {long}", f"Next: a. {long}", f"2> note: the file by which it was done"):
            self.assertEqual(1, len(faults_of(messages(f"$ kubectl prune check\n{text}\n"))), text)
        for text in (f"# {long}", f"$ {long}", f"error: x: Invalid value: {long}", f"Next: kubectl {long}", f'a "{long}"'):
            self.assertEqual([], faults_of(messages(text)), text)

    def help_of(self, *command):
        return subprocess.run([BINARY, *command, "--help"], capture_output=True, text=True, check=True).stdout

    def test_help_is_looked_at_whole(self):
        long = "word " * 26
        for text in (f"Title\n\n {long}.\n", f"T\n\nOptions:\n    --a=false:\n        {long}.\n\nUsage:\n",
                     f"T\n\nExit codes:\n  0  done\n  1  {long}\n\nUsage:\n", f"T\n\nExamples:\n  # {long}\n  run\n"):
            with self.subTest(text):
                self.assertEqual(1, len(faults(help_prose(text))))

    def test_faults_are_found(self):
        self.assertEqual(1, len(faults("One. " + "word " * 26 + ".")))
        self.assertEqual(1, len(faults("| a | the tool by which it is done |")))
        self.assertEqual([], faults("A sentence. `" + "x " * 30 + "` is code.\n\n```sh\n" + "y " * 30 + "\n```\n"))


if __name__ == "__main__":
    BINARY = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
