"""A folder with the plugin on the PATH, and the fake API server beside it, for tests in Python."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "support"))

import kubectl
import skips

kubectl.choose()


class Sandbox:
    """Runs commands where `kubectl-prune` and kubectl_complete-prune are on the PATH."""

    def __init__(self, folder, kubectl_prune, fake_api_server):
        self.work = pathlib.Path(folder, "work")
        self.bin = pathlib.Path(folder, "bin")
        home = pathlib.Path(folder, "home")
        for path in (self.work, self.bin, home):
            path.mkdir()
        (self.bin / "kubectl-prune").symlink_to(pathlib.Path(kubectl_prune).resolve())
        (self.bin / "kubectl_complete-prune").symlink_to(
            TESTS.parent / "plugin/kubectl_complete-prune")
        self.fake_api_server = str(pathlib.Path(fake_api_server).resolve())
        keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        self.environment = keep | {
            "PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(home), "LC_ALL": "C.UTF-8",
            "KUBECONFIG": str(home / "config"), "TZ": "UTC", "TERM": "dumb"}

    def run(self, *command, **options):
        return subprocess.run(command, cwd=self.work, env=self.environment, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=240,
                              check=False, **options)

    @contextlib.contextmanager
    def server(self, *manifests):
        """The fake API server with these manifests; the kubeconfig leads to it."""
        command = [self.fake_api_server, "--kubeconfig", self.environment["KUBECONFIG"], *manifests]
        with subprocess.Popen(command, cwd=self.work, text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            try:
                yield process.stdout.readline().strip()
            finally:
                process.stdin.close()


@contextlib.contextmanager
def sandbox(kubectl_prune, fake_api_server):
    with tempfile.TemporaryDirectory() as folder:
        result = Sandbox(folder, kubectl_prune, fake_api_server)
        shutil.copytree(TESTS / "demo", result.work / "demo")
        yield result


def run_tests():
    """Runs the tests of the program's main file, whose BOX is the sandbox; returns its exit code.

    Its arguments are KUBECTL_PRUNE FAKE_API_SERVER, and those of unittest.
    """
    with sandbox(*sys.argv[1:3]) as sys.modules["__main__"].BOX:
        program = unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False)
        return skips.exit_code(program.result)
