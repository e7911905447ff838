"""What `check` prints on a terminal fits it: first_screen_test.py BINARY.

The CRDs are made here: as many as a large cluster has, with names, fields and problems of all lengths. Each run has a
pseudo-terminal of its own as stdout. What the screen says is held to `-o json` of the same files.
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

MOST_LINES = 40
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def crd(number, preserves, properties, structural=True):
    plural = "gadgets" + "x" * (number % 23) + str(number)
    spec = {"type": "object", "properties": {"spec": {"type": "object" if structural else None,
                                                     "properties": properties}}}
    if not structural:
        del spec["properties"]["spec"]["type"]
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.g{number % 7}.example.com"},
            "spec": {"group": f"g{number % 7}.example.com", "scope": "Namespaced", "preserveUnknownFields": preserves,
                     "names": {"plural": plural, "singular": plural[:-1] + "y", "kind": f"Gadget{number}",
                               "listKind": f"Gadget{number}List"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": spec}}]}}


def objects_of(one, count, fields):
    spec = one["spec"]
    return [{"apiVersion": f"{spec['group']}/v1", "kind": spec["names"]["kind"],
             "metadata": {"name": f"o{number}", "namespace": "shop"}, "spec": {field: 1 for field in fields}}
            for number in range(count)]


def write(folder, items):
    path = folder / "all.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return path


def a_large_cluster(folder):
    """206 CRDs: 5 lose fields, one of which is blocked, too; 30 are not structural, 71 are ready, 100 prune."""
    items = []
    for number in range(206):
        kind = "loses" if number < 5 else "blocked" if number < 35 else "ready" if number < 106 else "pruning"
        one = crd(number, kind != "pruning", {"size": {"type": "integer"}}, structural=kind != "blocked")
        items.append(one)
        if number == 3:  # its rule does not compile
            root = one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
            root["properties"]["spec"]["x-kubernetes-validations"] = [{"rule": "self.nothing > 1"}]
        if kind == "loses":
            items += objects_of(one, number + 1, ["size", "a" * 90, "legacyMode"])
        if kind == "ready":
            items += objects_of(one, 1, ["size"])
    return write(folder, items)


def run(binary, arguments, columns=None, environment=None):
    """Returns the exit code and what is printed; on a terminal of so many `columns`, else through a pipe."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "TERM": "xterm", **(environment or {})}
    command = [binary, *map(str, arguments)]
    if columns is None:
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL)
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 1 << 16)
        except OSError:
            break  # the other end is closed
        if not piece:
            break
        text += piece
    os.close(master)
    return process.wait(), text.decode().replace("\r\n", "\n")


def lines_on(text, columns):
    return sum(max(1, -(-len(line) // columns)) for line in ESCAPE.sub("", text).splitlines())


def expect(condition, what, text):
    if not condition:
        raise SystemExit(f"error: {what}\n{text}")


def screen_fits(binary, path, columns):
    code, text = run(binary, ["check", "--local", "-f", path], columns)
    plain = ESCAPE.sub("", text)
    expect(code == 1, f"exit code {code}", text)
    expect(lines_on(text, columns) <= MOST_LINES, f"{lines_on(text, columns)} lines at {columns} columns", text)
    for line in plain.splitlines():
        is_command = line.startswith("  kubectl prune ")
        expect(is_command or len(line) <= columns, f"a line of {len(line)} at {columns} columns: {line}", text)
    return plain


def says_what_json_says(binary, path, screen):
    _, printed = run(binary, ["check", "--local", "-f", path, "-o", "json"])
    report = json.loads(printed)
    crds, summary = report["crds"], report["summary"]
    def losing(one):
        return max(version["objectsLosingFields"] for version in one["versions"])

    loses = [c for c in crds if losing(c)]
    both = [c["name"] for c in loses if c["verdict"] == "blocked"]
    of = {verdict: [c for c in crds if c["verdict"] == verdict and c not in loses] for verdict in ("blocked", "ready")}
    needing = len(loses) + sum(map(len, of.values()))
    expect(len(both) == 1, f"{both} lose fields and are blocked", screen)
    answer = " ".join(screen.split("\n\n")[0].split())
    expect(answer == f"{needing} of {len(crds)} CRDs need something: {len(loses)} would lose fields "
           f"({summary['objectsLosingFields']} of {summary['objects']} objects; 1 of these CRDs is blocked, too), "
           f"{len(of['blocked'])} are blocked, {len(of['ready'])} can have pruning turned on.",
           "the answer is another", screen)
    worst = max(loses, key=losing)
    expect(f"Begin with {worst['name']}" in " ".join(screen.split()), "it begins with another CRD", screen)
    expect(f"{len(crds) - needing} other CRDs need nothing." in screen, "the others are not counted", screen)
    shown = re.findall(r"^(\S+)  +(?:loses-fields|blocked|ready)\b", screen, re.M)
    more = int(re.search(r"^\.\.\. and (\d+) more", screen, re.M).group(1))
    expect(len(shown) + more == needing, f"{len(shown)} rows and {more} more are not {needing}", screen)
    expect(10 <= len(shown) <= 20 and len(set(shown)) == len(shown), f"{len(shown)} rows", screen)
    expect(re.search(r"^NAME +VERDICT +OBJECTS +WHAT", screen, re.M), "columns are missing", screen)


def all_of_it_is_there(binary, path):
    """--details, a name and a pipe give what the screen leaves out."""
    _, piped = run(binary, ["check", "--local", "-f", path])
    _, details = run(binary, ["check", "--local", "-f", path, "--details"], 200, {"NO_COLOR": "1"})
    # The tables alone are laid out otherwise on a terminal.
    rest = [line for line in piped.splitlines() if not line.startswith(("  ", "NAME", "g"))]
    kept = [line for line in details.splitlines() if not line.startswith(("  ", "NAME", "g"))]
    expect(rest == kept and lines_on(details, 200) > MOST_LINES, "--details is not all of it", details)
    names = re.findall(r"^(gadget\S+) ", piped, re.M)
    expect(all(any(line.startswith(name + " ") for line in details.splitlines()) for name in names),
           "a name is missing", details)
    _, named = run(binary, ["check", "gadgetsx1.g1.example.com", "--local", "-f", path], 80)
    expect("would lose 2 fields" in named, "a CRD that is named is not explained", named)
    expect("..." in named and ".spec.legacyMode" in named, "a long path is not cut, or a short one is", named)


def colours_are_told(binary, path):
    _, coloured = run(binary, ["check", "--local", "-f", path], 100)
    expect("\x1b[31mloses-fields\x1b[0m" in coloured, "no colour on a terminal", coloured)
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        _, plain = run(binary, ["check", "--local", "-f", path], 100, environment)
        expect("\x1b" not in plain, f"colours in spite of {environment}", plain)
        expect(plain == ESCAPE.sub("", coloured), "colours are not all that differs", plain)


def small_reports_are_whole(binary, folder):
    one = crd(3, True, {"size": {"type": "integer"}})
    path = write(folder, [one, *objects_of(one, 2, ["size", "legacyMode"])])
    _, piped = run(binary, ["check", "--local", "-f", path])
    _, shown = run(binary, ["check", "--local", "-f", path], 200, {"NO_COLOR": "1"})
    expect(piped == shown, "what fits a screen is not shown whole", shown)


def hostile_names_stay_on_the_screen(binary, folder):
    items = []
    for number in range(30):
        one = crd(number, True, {}, structural=False)
        one["metadata"]["name"] = f"n{number}" + "\u202e\x1b[2J" + "long" * 500
        items.append(one)
    path = write(folder, items)
    code, text = run(binary, ["check", "--local", "-f", path], 80, {"NO_COLOR": "1"})
    expect(code in (1, 2) and "\x1b" not in text and "\u202e" not in text, "a name steers the terminal", text)
    expect(lines_on(text, 80) <= MOST_LINES, "a long name fills the screen", text)


def main():
    binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path = a_large_cluster(folder)
        for columns in (80, 120, 200):
            screen = screen_fits(binary, path, columns)
            says_what_json_says(binary, path, screen)
        all_of_it_is_there(binary, path)
        colours_are_told(binary, path)
        small_reports_are_whole(binary, folder)
        hostile_names_stay_on_the_screen(binary, folder)
    print("the first screen fits 80, 120 and 200 columns and says what -o json says")


if __name__ == "__main__":
    main()
