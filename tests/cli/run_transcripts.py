#!/usr/bin/env python3
"""Runs the transcripts of this folder: what a command prints, whole and exact.

Usage: run_transcripts.py KUBECTL_PRUNE FAKE_API_SERVER [TRANSCRIPT...]     UPDATE=1 rewrites those that differ.

A transcript is a .txt file:

    # What it shows.
    & fake_api_server cluster/   runs meanwhile, and is the cluster of the kubeconfig
    $ kubectl prune check --local -f crd.yaml
    lines of stdout
    2> lines of stderr, always after stdout
    [1]                          the exit code, where it is not 0
    -- crd.yaml --
    a file for the commands, up to the next such line or the end

Commands run by sh in a new folder that holds these files and a copy of tests/demo as demo/, with
a HOME of its own and no kubeconfig but that of the server. Its port reads PORT, the time of the run TIME.
"""
import contextlib
import difflib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent import futures

HERE = pathlib.Path(__file__).resolve().parent
SERVER_MARK = re.compile(r"^& fake_api_server (.*)$", re.MULTILINE)
FILE_MARK = re.compile(r"^-- (\S+) --$", re.MULTILINE)
# Most of their time they wait.
AT_ONCE = 8
STAMP_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
STAMP = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
NO_NEWLINE = "\\ no newline at the end"
# kubectl runs a plugin by its file name, and so does this one.
KUBECTL = '#!/bin/sh\n[ "$1" = prune ] || { echo "unexpected: kubectl $*" >&2; exit 99; }\n' \
          'shift\nexec kubectl-prune "$@"\n'
PROGRESS = re.compile(r"(2> )?((reading|verifying) )?[a-z0-9.-]+( \(before pruning\))?: \d+ of \d+ objects($|, |: )")


def split(text):
    """The script and the files by name."""
    script, *rest = FILE_MARK.split(text)
    return script, {n: b.removeprefix("\n") for n, b in zip(rest[::2], rest[1::2])}


def set_up(folder, binaries, files):
    """Makes the folder of one transcript; returns its environment."""
    for name in ("bin", "home", "work"):
        (folder / name).mkdir()
    (folder / "bin/kubectl").write_text(KUBECTL)
    (folder / "bin/kubectl").chmod(0o755)
    for binary in binaries:
        (folder / "bin" / binary.name).symlink_to(binary)
    shutil.copytree(HERE.parent / "demo", folder / "work/demo")
    for name, body in files.items():
        path = folder / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
    return keep | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": f"{folder}/home",
                   "KUBECONFIG": f"{folder}/home/none", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def lines(output, prefix):
    text = output.decode(errors="backslashreplace")
    ended = [prefix + line for line in text.split("\n")[:-1]]
    return ended if not text or text.endswith("\n") else ended + [
        prefix + text.split("\n")[-1], prefix + NO_NEWLINE]


@contextlib.contextmanager
def server(script, work, environment):
    """Runs the server that the script asks for; yields its port, "" if there is none."""
    asked = SERVER_MARK.search(script)
    if not asked:
        yield ""
        return
    command = f"exec fake_api_server --kubeconfig {environment['KUBECONFIG']} {asked[1]}"
    with subprocess.Popen(["sh", "-c", command], cwd=work, env=environment, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process.stdout.readline().strip()
        process.stdin.close()


def without_progress(said):
    """Lines of progress come where a step takes more than a second, as on a slow machine."""
    return [line for line in said if not PROGRESS.match(line)]


def replay(command, work, environment):
    try:
        done = subprocess.run(["sh", "-c", command], cwd=work, env=environment, timeout=240,
                              stdin=subprocess.DEVNULL, capture_output=True)
    except subprocess.TimeoutExpired:
        return ["[timed out]"]
    code = [f"[{done.returncode}]"] if done.returncode else []
    return without_progress(lines(done.stdout, "") + lines(done.stderr, "2> ")) + code


def stamp_now():
    # Without an argument gmtime is some milliseconds late: a program that has ended seems to be ahead.
    return time.strftime(STAMP_FORMAT, time.gmtime(time.time()))


def without_time(line, began):
    """The line with TIME for each time since the transcript began; those of its objects stay."""
    now = stamp_now()
    return STAMP.sub(lambda stamp: "TIME" if began <= stamp[0] <= now else stamp[0], line)


def actual_text(text, binaries):
    """The transcript as it is when its commands run now."""
    script, files = split(text)
    comment = script.partition("\n$ ")[0] if not script.startswith("$ ") else ""
    commands = re.findall(r"^\$ (.*)$", script, re.MULTILINE)
    began = stamp_now()
    with tempfile.TemporaryDirectory() as folder:
        environment = set_up(pathlib.Path(folder), binaries, files)
        result = [comment] if comment else []
        with server(script, f"{folder}/work", environment) as port:
            for command in commands:
                said = replay(command, f"{folder}/work", environment)
                result += ["$ " + command]
                said = [line.replace(f":{port}", ":PORT") if port else line for line in said]
                result += [without_time(line, began) for line in said]
    return "\n".join(result) + "\n" + text[len(script):]


def check(path, binaries, update):
    """What is wrong with a transcript, line by line; none where it is what happens, or was made so."""
    want = path.read_text(encoding="utf-8")
    got = actual_text(want, binaries)
    if want == got and "\n$ " in "\n" + want:
        return []
    if update:
        path.write_text(got, encoding="utf-8")
        print(f"rewrote {path.name}")
        return []
    return [f"{path.name}: not what happens\n" if want != got else f"{path.name}: no command\n",
            *difflib.unified_diff(want.splitlines(True), got.splitlines(True), "transcript", "actual")]


RIGHT = "# Sample.\n$ cat in; echo oops >&2; exit 3\nhello\n2> oops\n[3]\n$ date -u +%FT%TZ\nTIME\n$ printf x\nx\n" \
        + NO_NEWLINE + "\n-- in --\nhello\n"
WRONG = [RIGHT.replace("hello\n2>", "bye\n2>"), RIGHT.replace("2> oops", "2> ops"),
         RIGHT.replace("[3]\n", ""), RIGHT.replace("[3]\n", "[2]\n"),
         RIGHT.replace(NO_NEWLINE + "\n", ""), "# No command.\n"]


def self_test():
    """A right transcript passes, each wrong one fails, UPDATE makes a wrong one right."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        path = pathlib.Path(folder, "sample.txt")
        faults = []
        for text in [RIGHT] + WRONG:
            path.write_text(text)
            faults.append(check(path, [], update=False))
        path.write_text(WRONG[0])
        updated = check(path, [], update=True) == [] and path.read_text() == RIGHT
    return updated and faults[0] == [] and all(faults[1:])


def main():
    binaries = [pathlib.Path(p).resolve() for p in sys.argv[1:3]]
    chosen = [pathlib.Path(p) for p in sys.argv[3:]] or sorted(HERE.glob("*.txt"))
    if not self_test():
        print("run_transcripts.py: the self-test fails")
        return 1
    failed = []
    with futures.ThreadPoolExecutor(AT_ONCE) as pool:
        checks = pool.map(lambda path: check(path, binaries, os.environ.get("UPDATE") == "1"), chosen)
        for path, faults in zip(chosen, checks):
            sys.stdout.writelines(faults)
            failed += [path] if faults else []
    print(f"{len(chosen) - len(failed)} transcripts passed, {len(failed)} failed")
    return 1 if failed or not all(b.exists() for b in binaries) else 0


if __name__ == "__main__":
    sys.exit(main())
