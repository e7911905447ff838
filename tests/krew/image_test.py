"""The OCI image of the self-contained binary, as "docker load", podman and containerd read it.

image_test.py [ARCHITECTURE]: of build/krew/package (krew/package.sh makes it), amd64 by default. Expected is what the
specifications say: OCI image-spec 1.0 (image-layout, manifest, config) and Docker's manifest.json; and umoci, which
unpacks it. Exit code 77 (skipped) without the image or qemu.
"""
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from static_binary import ROOT, Missing, StaticBinary, end  # and from where to import what follows

import kubectl
import skips

BINARY = None
NAME = "registry.example.com/kubectl-prune"


def archive_path(binary):
    return ROOT / f"build/krew/package/kubectl-prune_{binary.version()}_linux_{binary.architecture}.oci.tar"


def archive_of(binary):
    path = archive_path(binary)
    if not path.is_file():
        raise Missing(f"no {path.relative_to(ROOT)} (sh krew/package.sh {binary.architecture})")
    return path


def unpack(binary, folder):
    """Returns the root folder of the image, as umoci lays it out."""
    if not shutil.which("umoci"):
        raise unittest.SkipTest("no umoci (apt-get install umoci)")
    if not archive_path(binary).is_file():
        raise unittest.SkipTest(f"no image (sh krew/package.sh {binary.architecture})")
    layout = folder / "layout"
    with tarfile.open(archive_of(binary)) as archive:
        archive.extractall(layout)
    bundle = folder / "bundle"
    subprocess.run(["umoci", "unpack", "--rootless", "--image", f"{layout}:{binary.version()}", bundle], check=True,
                   capture_output=True)
    root = bundle / "rootfs"
    if binary.emulator:
        shutil.copy(binary.emulator, root / "qemu")
    return root


class Archive(unittest.TestCase):
    def setUp(self):
        with tarfile.open(archive_of(BINARY)) as archive:
            self.files = {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}

    def blob(self, descriptor):
        """What a descriptor names, of the size and digest that it says."""
        content = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        self.assertEqual(descriptor["size"], len(content))
        self.assertEqual(descriptor["digest"], "sha256:" + hashlib.sha256(content).hexdigest())
        return content

    def test_the_layout_leads_from_the_index_to_the_binary(self):
        self.assertEqual({"imageLayoutVersion": "1.0.0"}, json.loads(self.files["oci-layout"]))
        (entry,) = json.loads(self.files["index.json"])["manifests"]
        self.assertEqual({"architecture": BINARY.architecture, "os": "linux"}, entry["platform"])
        self.assertEqual({"org.opencontainers.image.ref.name": BINARY.version(),
                          "io.containerd.image.name": f"{NAME}:{BINARY.version()}"}, entry["annotations"])
        manifest = json.loads(self.blob(entry))
        self.assertEqual("application/vnd.oci.image.config.v1+json", manifest["config"]["mediaType"])
        config = json.loads(self.blob(manifest["config"]))
        self.assertEqual((BINARY.architecture, "linux"), (config["architecture"], config["os"]))
        (layer,) = manifest["layers"]
        content = gzip.decompress(self.blob(layer))
        self.assertEqual(["sha256:" + hashlib.sha256(content).hexdigest()], config["rootfs"]["diff_ids"])

    def test_docker_finds_the_same_image(self):
        (image,) = json.loads(self.files["manifest.json"])
        self.assertEqual([f"{NAME}:{BINARY.version()}"], image["RepoTags"])
        (entry,) = json.loads(self.files["index.json"])["manifests"]
        manifest = json.loads(self.blob(entry))
        self.assertEqual(["blobs/" + manifest["config"]["digest"].replace(":", "/")], [image["Config"]])
        self.assertEqual(["blobs/" + one["digest"].replace(":", "/") for one in manifest["layers"]], image["Layers"])

    def test_it_runs_the_binary_as_nobody_as_the_dockerfile_has_it(self):
        dockerfile = (ROOT / "krew/manifests/Dockerfile").read_text(encoding="utf-8")
        (image,) = json.loads(self.files["manifest.json"])
        config = json.loads(self.files[image["Config"]])["config"]
        self.assertEqual(re.search(r"^USER (.*)$", dockerfile, re.M)[1], config["User"])
        self.assertEqual(json.loads(re.search(r"^ENTRYPOINT (.*)$", dockerfile, re.M)[1]), config["Entrypoint"])

    def test_one_commit_gives_the_same_bytes(self):
        content = ROOT / f"build/krew/content-{BINARY.architecture}"
        with tarfile.open(archive_of(BINARY)) as archive:
            moment = max(entry.mtime for entry in archive)
        with tempfile.TemporaryDirectory() as folder:
            again = pathlib.Path(folder) / "again.tar"
            subprocess.run([sys.executable, ROOT / "krew/image.py", "--name", NAME, "--version", BINARY.version(),
                            "--architecture", BINARY.architecture, "--time", str(int(moment)), content, again], check=True)
            self.assertEqual(archive_of(BINARY).read_bytes(), again.read_bytes())

    def test_a_missing_file_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, ROOT / "krew/image.py", "--name", NAME, "--version", "v1",
                                   "--architecture", "amd64", "--time", "0", folder, pathlib.Path(folder) / "image.tar"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(1, done.returncode)
            self.assertIn("kubectl-prune", done.stderr)
            self.assertEqual([], os.listdir(folder))


class Unpacked(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kubectl-prune-image."))
        self.addCleanup(shutil.rmtree, folder)
        self.root = unpack(BINARY, folder)

    def run_inside(self, *words):
        def enter():
            os.chroot(self.root)
            os.chdir("/")
            os.setgid(65532)
            os.setuid(65532)

        command = [*(["/qemu"] if BINARY.emulator else []), "/kubectl-prune", *words]
        return subprocess.run(command, preexec_fn=enter, text=True, check=False, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=120, env={})

    def test_it_holds_the_binary_and_its_licenses(self):
        self.assertEqual({"kubectl-prune", "LICENSE", "NOTICES"}, set(os.listdir(self.root)) - {"qemu"})
        self.assertEqual(BINARY.path.read_bytes(), (self.root / "kubectl-prune").read_bytes())

    @unittest.skipIf(os.geteuid() != 0, "only root may chroot")
    def test_it_runs(self):
        done = self.run_inside("version", "--client")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn(BINARY.version(), done.stdout)
        shutil.copytree(ROOT / "tests/demo", self.root / "demo")
        done = self.run_inside("check", "--local", "-R", "-f", "/demo/fixed/widgets.yaml")
        self.assertEqual(0, done.returncode, done.stderr + done.stdout)
        self.assertIn("widgets.demo.example.com", done.stdout)


class Manifests(unittest.TestCase):
    """Their image is one name, which kustomize replaces."""

    def manifests(self):
        found = [path for path in (ROOT / "krew/manifests").rglob("*.yaml")
                 if f"image: {NAME}:" in path.read_text(encoding="utf-8")]
        self.assertGreater(len(found), 5)
        return found

    def test_they_name_the_image_of_this_version(self):
        for path in self.manifests():
            names = set(re.findall(r"image: (\S*kubectl-prune\S*)", path.read_text(encoding="utf-8")))
            self.assertEqual({f"{NAME}:{BINARY.version()}"}, names, path)

    @unittest.skipIf(kubectl.lacks(), kubectl.lacks())
    def test_kustomize_puts_another_in_its_place(self):
        # A template of Helm's is no YAML before Helm has read it.
        plain = [path for path in self.manifests() if "{{" not in path.read_text(encoding="utf-8")]
        self.assertGreater(len(plain), 3)
        for path in plain:
            with self.subTest(path.name), tempfile.TemporaryDirectory() as folder:
                text = path.read_text(encoding="utf-8")
                (pathlib.Path(folder) / "all.yaml").write_text(text, encoding="utf-8")
                (pathlib.Path(folder) / "kustomization.yaml").write_text(json.dumps({
                    "resources": ["all.yaml"],
                    "images": [{"name": NAME, "newName": "mine.example.com/prune", "newTag": "v9"}]}), encoding="utf-8")
                done = subprocess.run([kubectl.program(1), "kustomize", folder], capture_output=True, text=True,
                                      check=False)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertIn("image: mine.example.com/prune:v9", done.stdout)
                self.assertNotIn(NAME, done.stdout)


def main():
    global BINARY
    BINARY = StaticBinary(sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "amd64")
    archive_of(BINARY)
    return skips.exit_code(unittest.main(exit=False).result)


if __name__ == "__main__":
    end(main)
