"""Runs the container of a pod as a node would: with its mounts, its user, the token of its service account, and
nothing else of the machine but the libraries that a sanitized binary needs.

    log = run(spec, binary, cluster, token, {"crd-gate-bundle": {"crds.yaml": "..."}})

The kubelet's part is done by unshare, mount and chroot; lacks() says why that cannot be.
"""
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

ACCOUNT = "var/run/secrets/kubernetes.io/serviceaccount"
LIMIT_SECONDS = 480
# What the kubelet keeps of a log where terminationMessagePolicy is FallbackToLogsOnError.
MESSAGE_BYTES, MESSAGE_LINES = 2048, 80
# What gives a program mounts of its own. In a plain chroot / is no mount, and cannot be made private.
UNSHARE = ("unshare", "--mount"), ("unshare", "--mount", "--propagation", "unchanged")
# ROOT BINARY USER:GROUP MOUNTS ARGUMENT...: MOUNTS is lines of "SOURCE PLACE".
SCRIPT = """
root=$1 binary=$2 user=$3 mounts=$4
shift 4
mount -t tmpfs -o mode=755 pod "$root"
cd "$root"
mkdir usr proc
mount --bind /usr usr
mount --rbind /proc proc
ln -s usr/lib usr/lib64 .
touch kubectl-prune
mount --bind "$binary" kubectl-prune
printf '%s\\n' "$mounts" | while read -r source place; do
  mkdir -p ".$place"
  mount --bind "$source" ".$place"
done
mount -o remount,ro "$root"
exec chroot --userspec="$user" . /kubectl-prune "$@"
"""


class Log:
    """What a container has left: its exit code, and what it printed."""

    def __init__(self, code, text):
        self.code, self.text = code, text

    def __str__(self):
        return f"[{self.code}]\n{self.text}"

    def message(self):
        """What is kept of it in the status of the pod."""
        if self.code == 0:
            return ""
        lines = self.text.encode().splitlines(keepends=True)[-MESSAGE_LINES:]
        return b"".join(lines)[-MESSAGE_BYTES:].decode(errors="replace")


@functools.cache
def own_mounts():
    """Returns (the command of UNSHARE that works here, ""), or ((), why none does)."""
    why = ""
    for command in UNSHARE:
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([*command, "mount", "-t", "tmpfs", "pod", folder], capture_output=True, text=True,
                                 check=False)
            if os.path.ismount(folder):
                subprocess.run(["umount", folder], check=True)
                why = why or "the mounts of a pod would be seen outside"
            elif run.returncode == 0:
                return command, ""
            why = why or run.stderr.strip()
    return (), why


def lacks():
    """Why no pod can be run here; "" where it can."""
    if os.geteuid() != 0:
        return "only root can run a pod"
    why = own_mounts()[1]
    return f"no pod can be run: {why}" if why else ""


def write_config_map(folder, data):
    """Files as the kubelet lays them out: links to those of a folder that can be replaced at once."""
    folder.mkdir()
    (folder / "..2026_01_01").mkdir()
    (folder / "..data").symlink_to("..2026_01_01")
    for name, text in data.items():
        (folder / "..2026_01_01" / name).write_text(text, encoding="utf-8")
        (folder / name).symlink_to(f"..data/{name}")


def write_volume(folder, volume, user, config_maps):
    if "configMap" in volume:
        write_config_map(folder, config_maps[volume["configMap"]["name"]])
        return
    assert "emptyDir" in volume, volume
    folder.mkdir()
    os.chown(folder, user, user)


def run(spec, binary, cluster, token, config_maps):
    """Returns the Log of the only container of a pod."""
    container, = spec["containers"]
    user = spec["securityContext"]["runAsUser"]
    assert container["securityContext"]["readOnlyRootFilesystem"] and spec["automountServiceAccountToken"]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pod."))
    try:
        mounts = {f"{folder}/account": f"/{ACCOUNT}"}
        (folder / "root").mkdir()
        (folder / "account").mkdir()
        for name, text in {"token": token, "ca.crt": cluster.certificates.ca.read_text(), "namespace": "demo"}.items():
            (folder / "account" / name).write_text(text)
        for volume in spec["volumes"]:
            write_volume(folder / volume["name"], volume, user, config_maps)
        for mount in container["volumeMounts"]:
            mounts[f"{folder}/{mount['name']}"] = mount["mountPath"]
        environment = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(cluster.port),
                       "PATH": os.environ["PATH"]}
        environment |= {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
        done = subprocess.run(
            [*own_mounts()[0], "sh", "-eu", "-c", SCRIPT, "sh", f"{folder}/root", binary, f"{user}:{user}",
             "\n".join(map(" ".join, mounts.items())), *container["args"]],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False, timeout=LIMIT_SECONDS)
        return Log(done.returncode, done.stdout)
    finally:
        shutil.rmtree(folder)
