"""The programs of kubectl that the tests compare with.

The usual one is Debian's, which cluster/kubectl.sh unpacks, so that every machine runs the same comparisons. Without it:
$KUBECTL, or that of the PATH. Behaviour that came later is compared with a newer one: $KUBECTL, that of the PATH, or
that of a later Debian, which kubectl.sh unpacks too.
"""
import atexit
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "kubectl-prune-test")
# Of an object's metadata as YAML: what is indented below, and the dashes of the list.
MANAGED_FIELDS = re.compile(r"^  managedFields:\n(?:  [- ].*\n)*", re.MULTILINE)
_programs = []  # absolute paths; the usual one is the first


def _find():
    named = os.environ.get("KUBECTL")
    if named and shutil.which(named) is None:
        raise SystemExit(f"error: $KUBECTL is no program: {named}")
    found = [shutil.which(name) for name in (CACHE / "kubectl", named, "kubectl", CACHE / "kubectl-newer") if name]
    return [os.path.abspath(path) for path in found if path]


def choose():
    """Makes the usual one the `kubectl` of this process and of all that it starts."""
    _programs[:] = _find()
    if not _programs:
        return
    os.environ["PATH"] = path_with(_programs[0])
    is_debians = _programs[0] == str(CACHE / "kubectl")
    # What is started chooses in the same way.
    os.environ["KUBECTL"] = _programs[1] if is_debians and len(_programs) > 1 else _programs[0]


@functools.cache
def path_with(program):
    """The PATH with a folder before it in which `kubectl` is this program."""
    folder = tempfile.mkdtemp(prefix="kubectl-prune-kubectl.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    pathlib.Path(folder, "kubectl").symlink_to(program)
    return f"{folder}:{os.environ['PATH']}"


@functools.cache
def minor_version(program):
    """Of Kubernetes 1.MINOR."""
    run = subprocess.run([program, "version", "--client", "-o", "json"], capture_output=True, check=True)
    return int(json.loads(run.stdout)["clientVersion"]["minor"].rstrip("+"))


@functools.cache
def program(minor=1):
    """The path of a kubectl 1.MINOR or later: the usual one if it is. None where lacks(MINOR)."""
    return next((one for one in _programs if minor <= 1 or minor_version(one) >= minor), None)


def lacks(minor=1):
    """Why tests that need kubectl 1.MINOR or later are skipped; "" where it is there."""
    if not _programs:
        return "no kubectl on the PATH, and $KUBECTL names none"
    if program(minor) is None:
        found = ", ".join(sorted({f"1.{minor_version(one)}" for one in _programs}))
        return f"needs kubectl 1.{minor} or later, which $KUBECTL may name (found {found})"
    return ""


def without_managed_fields(text):
    """An object in YAML as kubectl prints it since 1.21."""
    return MANAGED_FIELDS.sub("", text)
