"""The kubectl that the tests compare with: $KUBECTL, a path, or else that of the PATH."""
import atexit
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile


def choose():
    """Makes $KUBECTL, where it is set, the kubectl of this process and of all that it starts."""
    chosen = os.environ.pop("KUBECTL", None)
    if not chosen:
        return
    path = shutil.which(chosen)
    if path is None:
        raise SystemExit(f"error: $KUBECTL is no program: {chosen}")
    folder = tempfile.mkdtemp(prefix="kubectl-prune-kubectl.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    pathlib.Path(folder, "kubectl").symlink_to(os.path.abspath(path))
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
    os.environ["KUBECTL"] = os.path.abspath(path)


@functools.cache
def minor_version():
    """Of Kubernetes 1.MINOR; 0 where there is no kubectl."""
    if shutil.which("kubectl") is None:
        return 0
    run = subprocess.run(["kubectl", "version", "--client", "-o", "json"], capture_output=True, check=True)
    return int(json.loads(run.stdout)["clientVersion"]["minor"].rstrip("+"))


def lacks(minor=1):
    """Why tests that need kubectl 1.MINOR or later are skipped; "" where it is there."""
    if minor_version() == 0:
        return "no kubectl on the PATH, and $KUBECTL names none"
    if minor_version() < minor:
        return f"needs kubectl 1.{minor} or later, which $KUBECTL may name (this is 1.{minor_version()})"
    return ""
