"""The rules for krew's manifest find what they are there for.

manifest_test.py: each fault is put into a manifest and an archive that are in order. Expected: what
krew's internal/index/validation refuses, and what the reviewers of krew's index ask for.
"""
import copy
import hashlib
import io
import pathlib
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "krew"))
try:
    import yaml
    from manifest_rules import faults_of
except ImportError as missing:
    print(f"skipped: {missing} (apt-get install python3-yaml)")
    sys.exit(77)

ARCHIVE = "p_v0.1.0_linux_amd64.tar.gz"


def archive(files=(("kubectl-p", 0o755), ("LICENSE", 0o644)), link=None):
    """Returns the bytes of a .tar.gz with these names and modes."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w:gz") as tar:
        for name, mode in files:
            member = tarfile.TarInfo(name)
            member.mode = mode
            tar.addfile(member)
        if link:
            member = tarfile.TarInfo(link)
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(member)
    return output.getvalue()


def manifest():
    return {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2", "kind": "Plugin",
        "metadata": {"name": "p"},
        "spec": {"version": "v0.1.0", "homepage": "https://example.com/p",
                 "shortDescription": "Prune things", "description": "Prunes things.\n",
                 "platforms": [{"uri": f"https://example.com/p/{ARCHIVE}", "sha256": "0" * 64,
                                "bin": "kubectl-p",
                                "selector": {"matchLabels": {"os": "linux", "arch": "amd64"}}}]}}


# (what is changed, as path and value; None takes it away; the fault that must be found)
FAULTS = [
    ("apiVersion", "krew.googlecontainertools.github.com/v1alpha1", "apiVersion: must be"),
    ("apiVersion", None, "apiVersion: must be"),
    ("kind", "Plug", "kind: must be Plugin"),
    ("extra", 1, "extra: is not a field of ours"),
    ("metadata", None, "metadata.name: must be lower case words"),
    ("metadata.name", "P", "metadata.name: must be lower case words"),
    ("metadata.name", "a b", "metadata.name: must be lower case words"),
    ("metadata.name", "a_b", "metadata.name: must be lower case words"),
    ("metadata.name", "../p", "metadata.name: must be lower case words"),
    ("metadata.name", "q", "metadata.name: the file would have to be called q.yaml"),
    ("metadata.name", "con", "metadata.name: is a device of Windows"),
    ("metadata.name", "lpt9", "metadata.name: is a device of Windows"),
    ("metadata.name", "kube-p", "metadata.name: must not begin with kube-"),
    ("spec", None, "spec: must be set"),
    ("spec.version", None, "spec.version: must be a semantic version"),
    ("spec.version", "0.1.0", "spec.version: must be a semantic version"),
    ("spec.version", "v0.1", "spec.version: must be a semantic version"),
    ("spec.version", "v01.0.0", "spec.version: must be a semantic version"),
    ("spec.version", "v1.2.3-01", "spec.version: must be a semantic version"),
    ("spec.version", 1.0, "spec.version: must be a semantic version"),
    ("spec.homepage", "", "spec.homepage: must be an https URL"),
    ("spec.homepage", "https://", "spec.homepage: must be an https URL"),
    ("spec.caveats", 1, "spec.caveats: must be a text"),
    ("metadata.extra", 1, "metadata.extra: is not a field of ours"),
    ("spec.shortDescription", "", "spec.shortDescription: must be set"),
    ("spec.shortDescription", "a\nb", "spec.shortDescription: must be one line"),
    ("spec.shortDescription", "a" * 51, "spec.shortDescription: must be a few words"),
    ("spec.description", None, "spec.description: must be set"),
    ("spec.sha256", "x", "spec.sha256: is not a field of ours"),
    ("spec.platforms", None, "spec.platforms: must list a platform"),
    ("spec.platforms", [], "spec.platforms: must list a platform"),
    ("spec.platforms.0", "x", "spec.platforms[0]: must have fields"),
    ("spec.platforms.0.uri", None, "spec.platforms[0].uri: must be an https URL"),
    ("spec.platforms.0.uri", "http://example.com/p.zip", "spec.platforms[0].uri: must be an https"),
    ("spec.platforms.0.uri", "https://example.com/p.tar.xz", "uri: must be that of a .tar.gz"),
    ("spec.platforms.0.sha256", None, "spec.platforms[0].sha256: must be 64 digits"),
    ("spec.platforms.0.sha256", "A" * 64, "spec.platforms[0].sha256: must be 64 digits"),
    ("spec.platforms.0.sha256", "0" * 63, "spec.platforms[0].sha256: must be 64 digits"),
    ("spec.platforms.0.sha256", "0" * 64 + "\n", "spec.platforms[0].sha256: must be 64 digits"),
    ("spec.platforms.0.bin", "", "spec.platforms[0].bin: must be the name"),
    ("spec.platforms.0.files", [{"from": "*", "to": "."}], "platforms[0].files: is not a field"),
    ("spec.platforms.0.selector", None, "spec.platforms[0].selector: must match labels"),
    ("spec.platforms.0.selector", {}, "spec.platforms[0].selector: must match labels"),
    ("spec.platforms.0.selector", "linux", "spec.platforms[0].selector: must match labels"),
    ("spec.platforms.0.selector.matchLabels", {}, "spec.platforms[0].selector: must match labels"),
    ("spec.platforms.0.selector.matchExpressions", [], "spec.platforms[0].selector: must match labels"),
    ("spec.platforms.0.selector.matchLabels.libc", "musl", "platforms[0].selector: must match labels"),
    ("spec.platforms.0.selector.matchLabels.os", "windows", "platforms[0].selector: must match labels"),
    ("spec.platforms.0.selector.matchLabels.arch", "arm", "spec.platforms[0].selector: must match labels"),
]


def changed(path, value):
    """Returns manifest() with one change."""
    result = manifest()
    *folders, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = result
    for part in folders:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return result


def faults(plugin, folder=None):
    return faults_of(yaml.safe_dump(plugin), "p.yaml", folder)


class Manifest(unittest.TestCase):
    def test_N3_a_manifest_in_order_has_no_fault(self):
        self.assertEqual(faults(manifest()), [])
        for version in ("v1.0.0-rc.1", "v1.0.0-0.01a.-", "v1.2.3+build.05"):
            self.assertEqual(faults(changed("spec.version", version)), [])

    def test_N2_N3_each_fault_is_found_and_nothing_else(self):
        for path, value, fault in FAULTS:
            with self.subTest(path=path, value=value):
                found = faults(changed(path, value))
                self.assertTrue(any(fault in one for one in found), found)
                # A wrong name is a wrong file name as well.
                self.assertLessEqual(len(found), 2 if path.startswith("metadata") else 1, found)

    def test_two_platforms_for_the_same_machines_are_a_fault(self):
        plugin = manifest()
        plugin["spec"]["platforms"] *= 2
        self.assertEqual(faults(plugin),
                         ["spec.platforms[1]: another one has the same selector"])

    def test_text_that_is_no_manifest_is_a_fault(self):
        for text in ("", "[]", "x", "a: b: c", "\t", "a: 2020-02-30", "!!int x", "[" * 9999):
            self.assertEqual(len(faults_of(text, "p.yaml")), 1, text)


class Archives(unittest.TestCase):
    def faults_with(self, content, sha256=None):
        with tempfile.TemporaryDirectory() as folder:
            if content is not None:
                pathlib.Path(folder, ARCHIVE).write_bytes(content)
            plugin = copy.deepcopy(manifest())
            plugin["spec"]["platforms"][0]["sha256"] = (
                sha256 or hashlib.sha256(content or b"").hexdigest())
            return faults(plugin, pathlib.Path(folder))

    def test_N4_an_archive_in_order_has_no_fault(self):
        self.assertEqual(self.faults_with(archive()), [])
        self.assertEqual(self.faults_with(archive([("./kubectl-p", 0o755), ("./LICENSE", 0o644)])), [])

    def test_N4_each_fault_is_found(self):
        program, license_ = ("kubectl-p", 0o755), ("LICENSE", 0o644)
        for content, fault in [
                (None, "is not in"),
                (b"x", "cannot be read"),
                (archive()[:-20], "cannot be read"),
                (archive([program]), "has no LICENSE"),
                (archive([license_]), "bin: "),
                (archive([("kubectl-p", 0o644), license_]), "bin: "),
                (archive([program, license_, ("../x", 0o644)]), "must not have ../x"),
                (archive([program, license_, ("/x", 0o644)]), "must not have /x"),
                (archive(link="link"), "must not have link")]:
            found = self.faults_with(content)
            self.assertEqual(len(found), 1, found)
            self.assertIn(fault, found[0])

    def test_N3_another_archive_than_that_of_the_checksum_is_found(self):
        found = self.faults_with(archive(), sha256="0" * 64)
        self.assertEqual(len(found), 1, found)
        self.assertIn("sha256: is not that of", found[0])


if __name__ == "__main__":
    unittest.main()
