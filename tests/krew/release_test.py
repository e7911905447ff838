"""What stands beside the archives of a release, and what a build knows of its commit.

release_test.py: expected are the texts of openssl and git, the package URL specification (purl-spec, type deb), and
what CycloneDX 1.5 requires. Exit code 77 (skipped) without openssl, git or cmake.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "krew"))
import sbom  # noqa: E402  (a folder beside this one)

for program in ("openssl", "git", "cmake"):
    if not shutil.which(program):
        print(f"skipped: no {program}")
        sys.exit(77)

KEY = "KUBECTL_PRUNE_SIGNING_KEY"
PACKAGES = """\
libboost-program-options1.74-dev_1.74.0+ds1-21_amd64.deb
libboost1.74-dev_1.74.0+ds1-21_amd64.deb
libc-ares-dev_1.18.1-3_amd64.deb
libnghttp2-dev_1.52.0-1+deb12u2_amd64.deb
libre2-9_20220601+dfsg-1+b1_amd64.deb
libre2-dev_20220601+dfsg-1+b1_amd64.deb
libssl-dev_3.0.17-1~deb12u2_amd64.deb
libyaml-dev_0.2.5-1_amd64.deb
rapidjson-dev_1.1.0+dfsg2-7.1_all.deb
zlib1g-dev_1%3a1.2.13.dfsg-1_amd64.deb
curl_7.88.1-10+deb12u12.dsc
libc6-dev_2.36-9+deb12u10_amd64.deb
libgcc-12-dev_12.2.0-14+deb12u1_amd64.deb
libstdc++-12-dev_12.2.0-14+deb12u1_amd64.deb
""".splitlines()


def run(*command, cwd=None, env=None, stdin=""):
    return subprocess.run(command, cwd=cwd, env=env, input=stdin, capture_output=True, text=True, check=False)


def made(*command, **options):
    done = run(*command, **options)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stderr}")
    return done.stdout


class Sbom(unittest.TestCase):
    def bom(self, lines):
        return sbom.bom("v0.1.0", "amd64", 1_700_000_000, b"program", lines)

    def test_every_library_is_a_component_by_its_package_url(self):
        bom = self.bom(PACKAGES)
        by_name = {one["name"]: one for one in bom["components"]}
        self.assertEqual({line.partition("_")[0] for line in PACKAGES} - {"libre2-9"}, set(by_name))
        for name, version, purl in [
                ("libssl-dev", "3.0.17-1~deb12u2",
                 "pkg:deb/debian/libssl-dev@3.0.17-1~deb12u2?arch=amd64&distro=debian-12&upstream=openssl"),
                ("zlib1g-dev", "1:1.2.13.dfsg-1",
                 "pkg:deb/debian/zlib1g-dev@1%3A1.2.13.dfsg-1?arch=amd64&distro=debian-12&upstream=zlib"),
                ("curl", "7.88.1-10+deb12u12", "pkg:deb/debian/curl@7.88.1-10%2Bdeb12u12?arch=source&distro=debian-12"),
                ("libstdc++-12-dev", "12.2.0-14+deb12u1", "pkg:deb/debian/libstdc%2B%2B-12-dev@12.2.0-14%2Bdeb12u1"
                 "?arch=amd64&distro=debian-12&upstream=gcc-12")]:
            self.assertEqual((version, purl), (by_name[name]["version"], by_name[name]["purl"]))

    def test_it_is_of_the_form_and_of_the_program(self):
        bom = self.bom(PACKAGES)
        self.assertEqual(("CycloneDX", "1.5", 1), (bom["bomFormat"], bom["specVersion"], bom["version"]))
        self.assertEqual("2023-11-14T22:13:20Z", bom["metadata"]["timestamp"])  # date -u -d @1700000000
        program = bom["metadata"]["component"]
        self.assertEqual(hashlib.sha256(b"program").hexdigest(), program["hashes"][0]["content"])
        references = [one["bom-ref"] for one in bom["components"]]
        self.assertEqual(len(references), len(set(references)))
        self.assertEqual([{"ref": program["bom-ref"], "dependsOn": references}], bom["dependencies"])
        for one in bom["components"]:
            self.assertEqual(("library", True), (one["type"], bool(one["licenses"][0]["expression"])))

    def test_a_cross_compiler_s_libraries_are_the_same(self):
        cross = [line.replace("_", "-arm64-cross_", 1) if line.startswith(("libc6", "libgcc", "libstdc")) else line
                 for line in PACKAGES]
        libc = next(one for one in self.bom(cross)["components"] if one["name"].startswith("libc6"))
        self.assertEqual("libc6-dev-arm64-cross", libc["name"])
        self.assertIn("upstream=glibc", libc["purl"])

    def test_what_is_not_known_or_missing_is_an_error(self):
        for lines, text in [(PACKAGES + ["libfoo-dev_1-1_amd64.deb"], "no license is known of libfoo-dev"),
                            (PACKAGES + ["nonsense"], '"nonsense" is no file name of a package'),
                            (PACKAGES[:-1], "the packages lack libstdc")]:
            with self.assertRaisesRegex(sbom.Unknown, text):
                self.bom(lines)

    def test_the_packages_are_those_that_libraries_sh_fetches(self):
        script = (ROOT / "krew/libraries.sh").read_text(encoding="utf-8")
        fetched = script.split('packages="')[1].split('"')[0].split()
        of_the_compiler = {"libc6-dev", "libgcc-12-dev", "libstdc++-12-dev"}
        self.assertEqual(set(fetched), set(sbom.LIBRARIES) - of_the_compiler - {"curl"} | sbom.NOT_LINKED)


class Signature(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "krew").mkdir()
        for name in ("sign.sh", "debian.sh"):
            shutil.copy(ROOT / "krew" / name, self.folder / "krew")
        self.key = made("openssl", "genpkey", "-algorithm", "ed25519")
        self.public = self.folder / "krew/release-key.pem"
        self.public.write_text(made("openssl", "pkey", "-pubout", stdin=self.key))
        self.release = self.folder / "release"
        self.release.mkdir()
        (self.release / "p.tar.gz").write_bytes(b"archive")
        (self.release / "sha256sums").write_text(made("sha256sum", "p.tar.gz", cwd=self.release))

    def sign(self, key):
        environment = {**os.environ, KEY: key} if key is not None else {
            name: value for name, value in os.environ.items() if name != KEY}
        return run("sh", "krew/sign.sh", "release", cwd=self.folder, env=environment)

    def verify(self):
        """Runs what SECURITY.md tells users to run; returns whether all of it succeeds."""
        text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
        commands = [line.strip() for line in text.splitlines() if line.startswith("    ")]
        self.assertEqual(["openssl", "sha256sum"], [command.split()[0] for command in commands])
        shutil.copy(self.public, self.release)
        return run("sh", "-ec", "\n".join(commands), cwd=self.release).returncode == 0

    def test_what_is_signed_can_be_verified_as_it_is_documented(self):
        done = self.sign(self.key)
        self.assertEqual((0, "release/sha256sums.sig\n"), (done.returncode, done.stdout), done.stderr)
        self.assertTrue(self.verify())

    def test_a_change_of_anything_is_seen(self):
        self.sign(self.key)
        (self.release / "p.tar.gz").write_bytes(b"another")
        self.assertFalse(self.verify())
        (self.release / "sha256sums").write_text(made("sha256sum", "p.tar.gz", cwd=self.release))
        self.assertFalse(self.verify())

    def test_another_key_s_signature_is_refused(self):
        self.sign(self.key)
        other = made("openssl", "genpkey", "-algorithm", "ed25519")
        self.public.write_text(made("openssl", "pkey", "-pubout", stdin=other))
        self.assertFalse(self.verify())

    def test_the_same_release_has_the_same_signature(self):
        signatures = []
        for _ in range(2):
            self.sign(self.key)
            signatures.append((self.release / "sha256sums.sig").read_bytes())
        self.assertEqual(signatures[0], signatures[1])

    def test_what_cannot_be_signed_is_not_and_no_key_is_shown(self):
        other = made("openssl", "genpkey", "-algorithm", "ed25519")
        locked = made("openssl", "pkey", "-aes256", "-passout", "pass:x", stdin=self.key)
        for key, text in [(None, "error: no key: KUBECTL_PRUNE_SIGNING_KEY has to be"), ("", "error: no key"),
                          ("nonsense", "is no private key"), (locked, "is no private key without a password"),
                          (other, "is not that of krew/release-key.pem")]:
            done = self.sign(key)
            self.assertEqual(1, done.returncode)
            self.assertIn(text, done.stderr)
            self.assertFalse((self.release / "sha256sums.sig").exists())
            for line in (key or "").splitlines():
                self.assertNotIn(line, done.stdout + done.stderr)
        (self.release / "p.tar.gz").write_bytes(b"another")
        self.assertIn("is not as its sha256sums say", self.sign(self.key).stderr)
        self.public.unlink()
        self.assertIn("no krew/release-key.pem", self.sign(self.key).stderr)


class Commit(unittest.TestCase):
    """commit.cmake, of which every build asks for the commit."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.sources = self.folder / "sources"
        self.sources.mkdir()
        (self.sources / "file").write_text("a")

    def git(self, *arguments):
        return made("git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments, cwd=self.sources).strip()

    def commit(self):
        self.git("init", "-q")
        self.git("add", "file")
        self.git("commit", "-qm", "a")
        return self.git("rev-parse", "HEAD")

    def told(self):
        """Returns (commit, whether there are changes), as the file says."""
        made("cmake", "-D", f"SOURCE={self.sources}", "-D", f"OUTPUT={self.folder}/commit.cc", "-P",
             str(ROOT / "plugin/command/commit.cmake"))
        lines = (self.folder / "commit.cc").read_text(encoding="utf-8").splitlines()
        commit, changes = (line.split(" = ")[1].rstrip(";") for line in lines if " = " in line)
        return json.loads(commit), json.loads(changes)

    def test_it_is_that_of_the_sources_and_changes_are_told(self):
        commit = self.commit()
        (self.sources / "build").mkdir()
        (self.sources / "build/new").write_text("nothing of git's")
        self.assertEqual((commit, False), self.told())
        (self.sources / "file").write_text("b")
        self.assertEqual((commit, True), self.told())

    def test_the_file_stays_where_it_says_the_same(self):
        self.commit()
        self.told()
        os.utime(self.folder / "commit.cc", (1, 1))
        self.told()
        self.assertEqual(1, (self.folder / "commit.cc").stat().st_mtime)

    def test_sources_of_an_archive_have_none_also_within_another_repository(self):
        self.assertEqual(("", False), self.told())
        self.commit()
        shutil.move(self.sources / ".git", self.folder)
        self.assertEqual(("", False), self.told())


if __name__ == "__main__":
    unittest.main()
