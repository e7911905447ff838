"""Writes an OCI image of a self-contained binary, without a daemon: one archive, of one layer.

    python3 krew/image.py --name NAME --version v0.1.0 --architecture amd64 --time SECONDS CONTENT ARCHIVE

CONTENT is a folder with kubectl-prune, LICENSE and NOTICES. The archive holds an OCI image layout (index.json, which podman,
containerd and umoci read) and Docker's manifest.json (which "docker load" reads) over the same blobs. All of them name the
image NAME:VERSION. It is what krew/manifests/Dockerfile builds: the binary at /kubectl-prune, for user 65532, and the two
texts. SECONDS, since 1970, are the time of every file, so that one commit gives the same bytes everywhere.
"""
import argparse
import datetime
import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile

FILES = {"kubectl-prune": 0o755, "LICENSE": 0o644, "NOTICES": 0o644}
USER = "65532:65532"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def tar_of(files, moment):
    """Returns a tar of (name, mode, bytes), of root and of that time."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, mode, content in files:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(content), mode, moment
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def digest(content):
    return hashlib.sha256(content).hexdigest()


def path_of(content):
    return f"blobs/sha256/{digest(content)}"


def to_json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def described(content, media_type, **more):
    return {"mediaType": media_type, "digest": f"sha256:{digest(content)}", "size": len(content), **more}


def image(files, name, version, architecture, moment):
    """Returns the archive of an image of `files`, (name, mode, bytes)."""
    reference = f"{name}:{version}"
    layer_tar = tar_of(files, moment)
    layer = gzip.compress(layer_tar, mtime=0)
    created = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {"org.opencontainers.image.title": "kubectl-prune", "org.opencontainers.image.version": version,
              "org.opencontainers.image.licenses": "Apache-2.0"}
    config = to_json({
        "created": created, "architecture": architecture, "os": "linux",
        "config": {"User": USER, "Entrypoint": ["/kubectl-prune"], "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(layer_tar)}"]},
        "history": [{"created": created, "created_by": "krew/image.py"}]})
    manifest = to_json({"schemaVersion": 2, "mediaType": MANIFEST, "config": described(config, CONFIG),
                        "layers": [described(layer, LAYER)]})
    names = {"org.opencontainers.image.ref.name": version, "io.containerd.image.name": reference}
    index = {"schemaVersion": 2, "manifests": [described(
        manifest, MANIFEST, platform={"architecture": architecture, "os": "linux"}, annotations=names)]}
    docker = [{"Config": path_of(config), "RepoTags": [reference], "Layers": [path_of(layer)]}]
    return tar_of([(path_of(blob), 0o644, blob) for blob in sorted((config, layer, manifest), key=digest)] +
                  [("index.json", 0o644, to_json(index)), ("manifest.json", 0o644, to_json(docker)),
                   ("oci-layout", 0o644, to_json({"imageLayoutVersion": "1.0.0"}))], moment)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--architecture", required=True)
    parser.add_argument("--time", type=int, required=True)
    parser.add_argument("content", type=pathlib.Path)
    parser.add_argument("archive", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        files = [(name, mode, (arguments.content / name).read_bytes()) for name, mode in FILES.items()]
        made = image(files, arguments.name, arguments.version, arguments.architecture, arguments.time)
        arguments.archive.write_bytes(made)
    except OSError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
