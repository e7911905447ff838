"""The self-contained binary of an architecture, for the tests of it."""
import pathlib
import platform
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cluster"))
from cluster import SKIPPED, MissingBinaries  # noqa: E402  (a folder beside this one)

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


class Missing(Exception):
    """There is no such binary, or nothing to run it by; the text says how to get it."""


class StaticBinary:
    """build/static-ARCHITECTURE's binary, and the command that runs it here."""

    root = ROOT

    def __init__(self, architecture):
        self.architecture = architecture
        self.path = ROOT / f"build/static-{architecture}/plugin/kubectl-prune"
        if not self.path.is_file():
            raise Missing(f"no {self.path.relative_to(ROOT)} (sh krew/build.sh {architecture})")
        self.emulated = platform.machine() != MACHINES[architecture]
        self.emulator = self._find_emulator() if self.emulated else None
        self.command = [*([self.emulator] if self.emulator else []), str(self.path)]

    def _find_emulator(self):
        name = f"qemu-{MACHINES[self.architecture]}-static"
        path = shutil.which(name)
        if not path:
            raise Missing(f"no {name} (apt-get install qemu-user-static)")
        return path

    @staticmethod
    def version():
        """That of CMakeLists.txt, with a v."""
        text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        return "v" + re.search(r"project\(kubectl-prune VERSION ([0-9.]+)", text)[1]


def end(main):
    """Ends the program with what `main` returns, or as skipped where the binary, or a server, is missing."""
    try:
        sys.exit(main())
    except (Missing, MissingBinaries) as missing:
        print(f"skipped: {missing}")
        sys.exit(SKIPPED)
