#!/usr/bin/env python3
"""Completes command lines (C1): by the protocol, in real shells, and through kubectl if it is there.

Usage: completion_test.py KUBECTL_PRUNE FAKE_API_SERVER
"""
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import time
import unittest

import sandbox  # finds the next ones
import kubectl
import skips
import terminals

CRDS = ["gizmos.demo.example.com", "widgets.demo.example.com"]
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: here
clusters:
- {name: near, cluster: {server: "http://127.0.0.1:%s"}}
- {name: far, cluster: {server: "http://127.0.0.1:1"}}
contexts:
- {name: here, context: {cluster: near, user: me}}
- {name: "arn:aws:eks:eu-1:1:cluster/there", context: {cluster: far, user: me}}
- {name: "$(reboot)", context: {cluster: far, user: me}}
users:
- {name: me, user: {}}
"""
BOX = None


def complete(*words):
    done = BOX.run("kubectl_complete-prune", *words)
    return done.stdout.splitlines(), done.stderr, done.returncode


def candidates(*words):
    return [line.partition("\t")[0] for line in complete(*words)[0][:-1]]


# What zsh reads at its start; what it would draw about the line is turned off.
ZSHRC = """unsetopt PROMPT_SP PROMPT_CR
bindkey -e
autoload -Uz compinit
compinit -u -D
source <(kubectl-prune completion zsh)
unset zle_bracketed_paste
PS1='ready> '
"""


class Shell:
    """An interactive shell behind a terminal."""

    def __init__(self, *command, **environment):
        self.leader, follower = terminals.open_terminal()
        self.process = subprocess.Popen(
            command, cwd=BOX.work, stdin=follower, stdout=follower, stderr=follower,
            start_new_session=True, env=BOX.environment | environment)
        os.close(follower)
        self.read_until("ready> ")

    def read_until(self, mark):
        text, deadline = "", time.monotonic() + 60
        while not text.endswith(mark):
            if not select.select([self.leader], [], [], deadline - time.monotonic())[0]:
                raise TimeoutError(f"{mark!r} is not in {text!r}")
            text += os.read(self.leader, 4096).decode(errors="replace")
        return text

    def enter(self, line):
        os.write(self.leader, (line + "\n").encode())
        return self.read_until("ready> ")

    def complete(self, line):
        """What `line` becomes by the tab key: it is echoed, not run."""
        # Ctrl-A goes to the start of the line; the marks tell the echo from the typed line.
        # The prompt alone does not tell the end: the line is drawn again once it is completed.
        os.write(self.leader, (line + "\t\x01echo '<' \x05 '>'\n").encode())
        said = self.read_until(" >\r\nready> ")
        return re.findall(r"\n< (.*) >\r?\n", said)[-1]

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.leader)


class Protocol(unittest.TestCase):
    def test_C1_last_line_is_the_directive(self):
        lines, err, code = complete("check", "-o", "w")
        self.assertEqual((lines, err, code), (["wide", ":4"], "", 0))

    def test_C1_commands_have_descriptions(self):
        self.assertEqual(complete("ver")[0],
                         ["version\tPrint the versions of this program and of the server", ":4"])

    def test_C1_crd_names_come_from_the_cluster(self):
        self.assertEqual(candidates("check", ""), CRDS)
        self.assertEqual(candidates("migrate", "wid"), CRDS[1:])
        self.assertEqual(candidates("migrate", CRDS[0], ""), CRDS[1:])
        self.assertEqual(candidates("check", "--ignore", CRDS[0] + ",w"),
                         [",".join(CRDS)])

    def test_C1_contexts_come_from_the_kubeconfig_without_what_a_shell_would_run(self):
        self.assertEqual(candidates("check", "--context", ""),
                         ["arn:aws:eks:eu-1:1:cluster/there", "here"])
        self.assertEqual(candidates("--cluster=f"), ["far"])
        self.assertEqual(candidates("check", "--user", ""), ["me"])

    def test_C1_flags_before_the_word_lead_to_the_cluster(self):
        self.assertEqual(candidates("--cluster", "far", "check", ""), [])
        self.assertEqual(candidates("--cluster", "far", "check", "--cluster", "near", ""), CRDS)

    def test_C1_files_are_left_to_the_shell(self):
        self.assertEqual(complete("check", "-f", "")[0], [":0"])
        self.assertEqual(complete("migrate", "--state-dir=")[0], [":16"])

    def test_C1_what_goes_on_gets_no_blank(self):
        self.assertEqual(complete("check", "-o", "jsonpath-f")[0], ["jsonpath-file=", ":6"])

    def test_C1_failure_is_silent(self):
        for words in (["check", "--kubeconfig", "none", ""], ["check", "--cluster", "nope", ""],
                      ["check", "--request-timeout=x", ""], ["nope", ""], []):
            self.assertEqual(complete(*words), ([":4"], "", 0), words)

    def test_C1_a_server_that_never_answers_is_given_up_in_time(self):
        with socket.create_server(("127.0.0.1", 0)) as deaf:
            start = time.monotonic()
            server = f"http://127.0.0.1:{deaf.getsockname()[1]}"
            self.assertEqual(complete("check", "-s", server, ""), ([":4"], "", 0))
            self.assertLess(time.monotonic() - start, 40)


# The last words of a line, and what they become.
LINES = (("che", "check"), ("check wid", f"check {CRDS[1]}"), ("check --show-o", "check --show-objects"),
         ("check --output=w", "check --output=wide"), ("check -o y", "check -o yaml"),
         ("check --fail-on=blocked,m", "check --fail-on=blocked,migration-needed"),
         ("check --context arn:aws:e", "check --context arn:aws:eks:eu-1:1:cluster/there"),
         ("check -f demo/giz", "check -f demo/gizmos.yaml"),
         ("check --filename=demo/giz", "check --filename=demo/gizmos.yaml"),
         ('check -f "demo/giz', "check -f demo/gizmos.yaml"),
         ("check -o jsonpath-f", "check -o jsonpath-file="),
         ("migrate --state-dir de", "migrate --state-dir demo/"))


class RealShells(unittest.TestCase):
    def check(self, shell, folder_end="/"):
        self.addCleanup(shell.close)
        for typed, want in LINES:
            with self.subTest(typed):
                want = want.removesuffix("/") + folder_end if want.endswith("/") else want
                self.assertEqual(shell.complete(f"kubectl-prune {typed}"), f"kubectl-prune {want}")

    def test_C1_bash_completes(self):
        shell = Shell("bash", "--norc", "--noprofile", "-i", PS1="ready> ", INPUTRC="/dev/null")
        shell.enter("source <(kubectl-prune completion bash); bind 'set enable-bracketed-paste off'")
        self.check(shell)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_C1_zsh_completes(self):
        (BOX.work / ".zshrc").write_text(ZSHRC)
        # It takes the slash of a folder away again when the next word begins.
        self.check(Shell("zsh", "-d", "-i", ZDOTDIR=str(BOX.work)), folder_end="")

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_C1_fish_completes(self):
        script = "kubectl-prune completion fish | source\ncomplete -C $argv[1]\n"
        for typed, want in LINES:
            with self.subTest(typed):
                done = BOX.run("fish", "-N", "-c", script, "kubectl-prune " + typed)
                lines = [line.partition("\t")[0] for line in done.stdout.splitlines()]
                self.assertEqual((lines, done.stderr), ([want.split()[-1]], ""))


@unittest.skipIf(kubectl.lacks(26), kubectl.lacks(26))  # the first that completes plugins
class ThroughKubectl(unittest.TestCase):
    def kubectl(self, *words):
        return BOX.run(kubectl.program(26), "__complete", "prune", *words).stdout.splitlines()

    def test_C1_kubectl_completes_the_plugin(self):
        self.assertEqual(self.kubectl("check", "wid"), [CRDS[1], ":4"])
        self.assertEqual(self.kubectl("mig")[0].partition("\t")[0], "migrate")
        self.assertEqual(self.kubectl("check", "-f", ""), [":0"])

    def test_N5_kubectl_runs_and_completes_the_plugin_under_another_name(self):
        self.addCleanup((BOX.bin / "kubectl-prune_crd").unlink)
        (BOX.bin / "kubectl-prune_crd").symlink_to(BOX.bin / "kubectl-prune")
        completion = BOX.bin / "kubectl_complete-prune_crd"
        self.addCleanup(completion.unlink)
        completion.write_text(BOX.run("kubectl", "prune-crd", "completion", "kubectl").stdout)
        completion.chmod(0o755)
        done = BOX.run(kubectl.program(26), "__complete", "prune-crd", "check", "wid")
        self.assertEqual(done.stdout.splitlines(), [CRDS[1], ":4"])
        done = BOX.run("kubectl", "prune-crd", "check", "--help")
        self.assertIn("\nUsage:\n  kubectl prune-crd check ", done.stdout)


class Scripts(unittest.TestCase):
    def test_C1_scripts_are_well_formed(self):
        for shell in ("bash", "zsh", "fish"):
            script = BOX.run("kubectl-prune", "completion", shell).stdout
            self.assertIn("kubectl-prune __complete", script)
            if shutil.which(shell):
                done = subprocess.run([shell, "-n"], input=script, text=True, check=False,
                                      capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def test_C1_an_unknown_shell_is_an_error(self):
        done = BOX.run("kubectl-prune", "completion", "tcsh")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, 'error: Unsupported shell type "tcsh".\n'
                                      "See 'kubectl prune completion --help' for usage.\n")


def main():
    global BOX
    with sandbox.sandbox(*sys.argv[1:3]) as BOX:
        with BOX.server("demo/widgets.yaml", "demo/gizmos.yaml") as port:
            with open(BOX.environment["KUBECONFIG"], "w", encoding="utf-8") as file:
                file.write(KUBECONFIG % port)
            return skips.exit_code(unittest.main(argv=sys.argv[:1], exit=False).result)


if __name__ == "__main__":
    sys.exit(main())
