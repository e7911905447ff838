"""YAML as libraries and people write it, and as nobody should: documents for differential.py.

Each is an object that kubectl takes, with something under "x:" that is made up, in every style that the
grammar of YAML 1.1 has and in some that it has not.
"""
import random
import re
import string

WORDS = ["a", "b", "key", "name", "x-y", "a.b/c", "with space", "n", "y", "on", "off", "yes", "no", "Yes", "NO",
         "true", "False", "null", "~", "0", "1", "-1", "010", "0o17", "0x1F", "0b11", "1_000", "1.5", "1e3",
         ".5", "1.", "+1", "-0", "1e400", "12345678901234567890", "2001-01-01", "2001-01-01T00:00:00Z", "1:30",
         "<<", "=", ".inf", ".nan", "-.Inf", "é", "日本", "\U0001F600", "a#b", "a:b", "http://x.y/z?q=1", "-x",
         "?x", ":x", "a?b", "a,b", "[", "]", "{", "}", "#", "&x", "*x", "!x", "|", ">", "%x", "@x", "`x", "'",
         '"', "", " ", "a ", " a", "a\tb", "\t", "a: b", "a #b", "- a", "? a", ": a", "---", "...", "--- a",
         "a]", "a}", "a:", "a: ", "-", "?", ":", "a\\b", "\\", "it's", 'say "x"', "x" * 130, "\u00a0", "\u2028",
         "\u0085", "\ufeff", "\u200b", "a\u2029b", "!!str", "x!y", "x&y", "*", "&", "!", "0.1", "1E5", "0x",
         "08", "1__0", "_1", "NaN", "Infinity", "t", "f", "T", "None", "undefined", "1 2", "a  b", "2001-1-1 1:2:3"]
TAGS = ["!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!binary", "!!timestamp", "!!set",
        "!!omap", "!!merge", "!foo", "!", "!<tag:yaml.org,2002:str>", "!<x>", "!e!x", "!a,b", "!a%20b", "!!"]
COMMENTS = ["# c", "#", "# a: b", "#\tx", "# 'q\"", "# - [", "#x"]


PLAIN_WORDS = [word for word in WORDS if word and not re.search(r"^[\s\[\]{}#&*!|>%@`'\",?:-]|[\s,\[\]{}?#\u2028\u2029\u0085\ufeff]|:$|^<<$", word)]
TAME_TAGS = ["!!str", "!foo", "!", "!<tag:yaml.org,2002:str>", "!<x>", "!a%20b"]


class Generator:
    """One document after the other; the same for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.anchors = []

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, values):
        return self.random.choice(values)

    def document(self, name):
        """The text of a manifest whose object is named `name`."""
        self.anchors = []
        # Most are what a library or a person would write, so that more than their refusal is compared.
        self.tame = self.chance(0.7)
        self.hostility = 0 if self.tame else self.pick([0, 0, 0.01, 0.03])
        way = self.random.random()
        header = f"apiVersion: v1\nkind: K\nmetadata: {{name: {name}}}\n"
        if way < 0.75:
            text = header + "x:" + self.block_value(1, in_map=True)
            if self.chance(0.2):
                text += self.pick(["z:", "z :", "'z':", "? z\n:", "\"z\" :"]) + self.block_value(1, in_map=True)
        elif way < 0.87:
            text = f"{{apiVersion: v1, kind: K, metadata: {{name: {name}}}, x: {self.flow(3)}}}\n"
            if self.chance(0.5):
                text = self.pick([" ", "# c\n", "---\n", "\n", "--- "]) + text
        elif way < 0.93:
            text = self.pick(["---\n", "--- # c\n", "%YAML 1.1\n---\n", "%TAG !e! tag:e,2000:\n---\n", "# c\n---\n",
                              "\n\n---\n", "---\n\n# c\n", "--- \n", "---\t\n"]) + header + "x:" + \
                self.block_value(1, in_map=True) + self.pick(["", "...\n", "---\n", "... # c\n", "# end", "\n\n"])
        else:
            text = self.mutated_json(name)
        return self.endings(self.spoil(text))

    def endings(self, text):
        if self.chance(0.05):
            text = text.replace("\n", "\r\n")
        if self.chance(0.02):
            text = "\ufeff" + text
        if self.chance(0.1):
            text = text.rstrip("\n")
        if self.chance(0.05):
            text += self.pick(["\n", "\n\n", "  ", "  \n", "\t\n", "# c", "\n# c\n", " # c\n"])
        return text

    def spoil(self, text):
        """Puts in, takes out or doubles characters that mean something."""
        if not self.hostility:
            return text
        out = []
        for c in text:
            if self.chance(self.hostility) and len(out) > 60:
                way = self.random.random()
                if way < 0.3:
                    continue
                if way < 0.6:
                    out.append(self.pick(list(" \t\n:,-?[]{}#&*!|>'\"%@`\\") + ["\n  ", " \n", ": ", "- ", " #"]))
                elif way < 0.8:
                    out.append(c)
            out.append(c)
        return "".join(out)

    # Block style. Texts begin behind the indicator (":", "-", "?") and end with a line break.

    def indent(self, level):
        return "  " * level if self.tame or self.chance(0.97) else " " * self.random.randrange(0, 6)

    def comment(self):
        if self.chance(0.06):
            return self.pick([" ", "  ", "\t"] + [""] * (not self.tame)) + self.pick(COMMENTS)
        return self.pick([""] * 12 + [" ", "  "] + ["\t"] * (not self.tame))

    def lines_between(self, level):
        if self.chance(0.94):
            return ""
        if self.tame:
            return self.pick(["\n", "  " * level + "\n", "  " * level + "# c\n", "# c\n", "\n\n"])
        return self.pick(["\n", "  " * level + "\n", "  " * level + "# c\n", "# c\n", "\t\n", " \t\n", "\t# c\n",
                          "\n\n", "   # c\n"])

    def properties(self, rate=0.12):
        """An anchor and a tag, each with a blank behind it."""
        if not self.chance(rate):
            return "", None
        anchor = self.pick(["a", "b", "a1", "x-y", "é", "a.b", "A_1"]) if self.chance(0.7) else None
        tag = self.pick(TAME_TAGS if self.tame else TAGS) if self.chance(0.4) else None
        parts = [p for p in ("&" + anchor if anchor else None, tag) if p]
        self.random.shuffle(parts)
        return "".join(p + self.pick([" ", " ", " ", "  "]) for p in parts), anchor

    def block_value(self, level, in_map):
        properties, anchor = self.properties()
        way = self.random.random() + (0.25 if level > 4 else 0)
        if way < 0.28:
            text = self.block_map(level)
        elif way < 0.45:
            text = self.block_sequence(level if self.chance(0.5) or not in_map else level - 1)
        elif way < 0.60:
            text = self.block_scalar(level)
        elif way < 0.66 and self.anchors:
            text = " *" + self.pick(self.anchors) + self.comment() + "\n"
            properties = "" if self.chance(0.9) else properties
        elif way < 0.80:
            text = self.pick([" ", " ", " ", "  ", "\t", "\n" + self.indent(level)]) + \
                self.flow(2, level) + self.comment() + "\n"
        elif way < 0.84:
            text = self.comment() + "\n"
        else:
            text = self.pick([" ", " ", " ", " ", "  ", "\t", "\n" + self.indent(level)]) + \
                self.scalar(level) + self.comment() + "\n"
        if anchor:
            self.anchors.append(anchor)
        if not properties:
            return text
        # Before a line break no blank is needed.
        where = self.pick([" ", " ", " ", " ", "\n" + self.indent(level)])
        separator = properties.rstrip(" ") if text.startswith("\n") or self.chance(0.5) else properties
        return where + separator + (text if text[:1] in " \t\n" else " " + text)

    def block_map(self, level):
        count = self.random.randrange(1, 4)
        text = self.comment() + "\n" + self.lines_between(level)
        for _ in range(count):
            text += self.indent(level) + self.entry(level) + self.lines_between(level)
        return text

    def entry(self, level):
        way = self.random.random()
        if way < 0.05 and self.anchors:
            key = self.pick(["<<: *", "<< : *", "<<: [*", "\"<<\": *", "? <<\n" + "  " * level + ": *"])
            anchor = self.pick(self.anchors)
            close = ("]" if "[" in key else "")
            if close and self.chance(0.5):
                close = ", *" + self.pick(self.anchors) + "]"
            return key + anchor + close + self.comment() + "\n"
        if way < 0.07:
            return "<<: " + self.flow(1) + "\n"
        if way < 0.10:
            return "<<:" + self.block_map(level + 1)
        if way < 0.15:
            key = "?" + self.block_value(level + 1, in_map=True)
            return key + (("  " * level) + ":" + self.block_value(level + 1, in_map=True) if self.chance(0.8) else "")
        key = self.key()
        if self.anchors and self.chance(0.02):
            key = "*" + self.pick(self.anchors) + " "
        return key + self.pick([":", ":", ":", ":", " :", "\t:"]) + self.block_value(level + 1, in_map=True)

    def key(self):
        properties, anchor = self.properties(0.03)
        if anchor:
            self.anchors.append(anchor)
        way = self.random.random()
        if way < 0.75:
            key = self.word() or "x" if self.chance(0.3) else \
                self.pick(["a", "b", "c", "spec", "replicas", "k8s.io/x", "a-b", "A"])
        elif way < 0.9:
            key = self.quoted(single_line=True)
        else:
            key = self.word() or "x"
        return properties + key

    def block_sequence(self, level):
        text = self.comment() + "\n" + self.lines_between(level)
        for _ in range(self.random.randrange(1, 4)):
            text += self.indent(level) + "-"
            way = self.random.random()
            if way < 0.25:  # compact: "- a: b"
                text += self.pick([" ", " ", "   ", "\t"]) + self.entry(level + 1)
                for _ in range(self.random.randrange(0, 3)):
                    text += self.indent(level + 1) + self.entry(level + 1)
            elif way < 0.32:
                text += " - " + self.scalar(level + 2) + "\n"
            else:
                text += self.block_value(level + 1, in_map=False)
            text += self.lines_between(level)
        return text

    def block_scalar(self, level):
        header = self.pick(["|", ">"])
        parts = [self.pick(["", "", "-", "+"]), self.pick(["", "", "", "1", "2", "3", "4", "9", "0"])]
        self.random.shuffle(parts)
        header += "".join(parts)
        text = self.pick([" ", " ", " ", "  ", "\t"]) + header + self.comment() + "\n"
        deep = level + (0 if self.chance(0.8) else self.random.randrange(0, 3))
        for _ in range(self.random.randrange(0, 6)):
            way = self.random.random()
            if way < 0.2:
                text += self.pick(["", "  " * deep, " ", "\t", "  " * deep + " ", "  " * deep + "\t"]) + "\n"
            elif way < 0.35:
                text += "  " * deep + self.pick([" ", "  ", "\t", " \t"]) + self.pick(WORDS) + "\n"
            elif way < 0.39:
                text += self.indent(deep) + self.pick(["# no comment", "- a", "a: b", "---", "...", "'", "#"]) + "\n"
            else:
                text += "  " * deep + " ".join(self.pick(WORDS) for _ in range(self.random.randrange(1, 4))) + \
                    self.pick(["", "", "", " ", "\t"]) + "\n"
        return text

    # Scalars in one or several lines

    def scalar(self, level):
        way = self.random.random()
        if way < 0.55:
            return self.plain(level)
        return self.quoted(level=level)

    def plain(self, level):
        word = self.word()
        for _ in range(self.random.randrange(0, 3) if self.chance(0.2) else 0):
            word += self.pick([" ", "  ", "\t", "\n" + "  " * level, "\n\n" + "  " * level,
                               " \n" + "  " * level + " ", "\n" + "  " * level + "\t",
                               "\n  \n" + "  " * level, "\n" + self.indent(level)]) + self.word()
        return word

    def word(self):
        """One that stands for itself in every place, if the document is tame."""
        return self.pick(PLAIN_WORDS if self.tame else WORDS)

    def quoted(self, level=1, single_line=False):
        quote = self.pick(["'", '"'])
        text = ""
        for _ in range(self.random.randrange(0, 4)):
            way = self.random.random()
            if way < 0.5:
                word = self.pick(WORDS)
                text += word.replace("'", "''") if quote == "'" else word.replace("\\", "\\\\").replace('"', '\\"')
            elif way < 0.65 and quote == '"':
                text += "\\" + self.pick(list("0abtnvfre \"/\\N_LP") + ["x41", "u00e9", "U0001F600", "ud83d\\ude00",
                                                                        "\n" + "  " * level, "\t", "xg", "d", "u12",
                                                                        "ud83d", "x00", "U00110000", "'"])
            elif way < 0.75 and not single_line:
                text += self.pick(["\n" + "  " * level, "\n\n" + "  " * level, " \n \n" + "  " * level,
                                   "\n" + self.indent(level), "\n\t", "  \n" + "  " * level + "  "])
            else:
                text += self.pick([" ", "  ", "x", "''" if quote == "'" else "'", "#", " #", ": ", "- "])
        return quote + text + quote

    # Flow style

    def space(self, level=1):
        return self.pick(["", "", "", "", " ", " ", "  ", "\t", "\n" + "  " * level, " # c\n" + "  " * level,
                          "\n\t", "\n" + self.indent(level)]) if self.chance(0.5) else ""

    def flow(self, depth, level=1):
        properties, anchor = self.properties(0.08)
        way = self.random.random()
        if depth > 0 and way < 0.4:
            text = self.flow_map(depth, level)
        elif depth > 0 and way < 0.75:
            text = self.flow_sequence(depth, level)
        elif self.anchors and way < 0.82:
            properties = ""
            text = "*" + self.pick(self.anchors) + self.pick(["", " "])
        else:
            text = self.scalar(level) if self.chance(0.8) else ""
        if anchor and properties:
            self.anchors.append(anchor)
        return properties + text

    def flow_sequence(self, depth, level):
        items = []
        for _ in range(self.random.randrange(0, 4)):
            way = self.random.random()
            if way < 0.12:
                item = self.flow_entry(depth - 1, level)
            elif way < 0.15:
                item = ""
            else:
                item = self.flow(depth - 1, level)
            items.append(self.space(level) + item + self.space(level))
        return "[" + ",".join(items) + self.pick(["", "", "", "", ","]) + self.space(level) + "]"

    def flow_entry(self, depth, level):
        way = self.random.random()
        if way < 0.06:
            return "? " + self.flow(depth, level) + " : " + self.flow(depth, level)
        if way < 0.10:
            return self.pick(["? ", "?", ""]) + self.key()
        if way < 0.15 and self.anchors:
            return self.pick(["<<: *", "*"]) + self.pick(self.anchors) + self.pick(["", " : x", ": x", " "])
        return self.key() + self.pick([": ", ": ", ": ", ":", " : ", " :", ":\t", ":\n" + "  " * level]) + \
            self.flow(depth, level)

    def flow_map(self, depth, level):
        entries = [self.space(level) + (self.flow_entry(depth - 1, level) if self.chance(0.95) else "") +
                   self.space(level) for _ in range(self.random.randrange(0, 4))]
        return "{" + ",".join(entries) + self.pick(["", "", "", "", ","]) + self.space(level) + "}"

    # JSON, and what comes near it

    def mutated_json(self, name):
        import json

        def value(depth):
            way = self.random.random()
            if depth and way < 0.3:
                return {self.pick(WORDS): value(depth - 1) for _ in range(self.random.randrange(3))}
            if depth and way < 0.5:
                return [value(depth - 1) for _ in range(self.random.randrange(3))]
            return self.pick([self.pick(WORDS), self.random.randrange(-9, 10**self.random.randrange(1, 22)),
                              self.random.random() * 10**self.random.randrange(-9, 25), True, False, None])
        document = {"apiVersion": "v1", "kind": "K", "metadata": {"name": name}, "x": value(3)}
        text = json.dumps(document, indent=self.pick([None, 1, 2]), ensure_ascii=self.chance(0.5))
        if self.chance(0.3):
            text = text.replace("/", "\\/")
        before = self.pick(["", "", "", "\n", " ", "---\n", "# c\n", "--- "])
        behind = self.pick(["\n", "\n", "", "\n---\n", "\n---", " \n", "\n...\n", " # c\n", "\n---\n# c\n", "\n\n",
                            "\n--- \n", "---\n", ",\n", "}\n"])
        return before + text + behind


def letters(number):
    """A number as a name that no YAML takes for anything but a text."""
    text = ""
    while True:
        number, rest = divmod(number, 26)
        text = string.ascii_lowercase[rest] + text
        if not number:
            return "doc-" + text
