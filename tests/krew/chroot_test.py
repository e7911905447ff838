"""The self-contained binary alone in a folder, against a real API server.

chroot_test.py [ARCHITECTURE]: the folder holds the binary, a kubeconfig, and what a test puts there:
certificates as each distribution lays them out, /etc/hosts, /etc/resolv.conf. And the archive, laid
out as krew does, behind kubectl. Exit code 77 (skipped) without the binary, qemu or a server.
"""
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

from static_binary import ROOT, Missing, StaticBinary, end  # and from where to import what follows

from cluster import Cluster, wait_for
import image_test
import kubectl
import skips

BINARY = None
CLUSTER = None

CRD = "pumps.demo.example.com"
MIGRATED = "valves.demo.example.com"
CRDS = "/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions"
SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
    "litres": {"type": "integer"}}}}}
# Go's crypto/x509 looks in these places.
BUNDLES = ["etc/ssl/certs/ca-certificates.crt",  # Debian
           "etc/pki/tls/certs/ca-bundle.crt",  # Fedora
           "etc/ssl/ca-bundle.pem",  # SUSE
           "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # Red Hat
           "etc/ssl/cert.pem",  # Alpine
           "etc/ssl/certs/company.pem", "etc/pki/tls/certs/company.pem"]  # a file in the folder


class Root:
    """A folder that is all that a program in it can see. Gone at the end of the test."""

    def __init__(self, test):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="kubectl-prune-root."))
        test.addCleanup(shutil.rmtree, self.path)
        self.command = ["/kubectl-prune"]
        shutil.copy(BINARY.path, self.path / "kubectl-prune")
        if BINARY.emulator:
            shutil.copy(BINARY.emulator, self.path / "qemu")
            self.command.insert(0, "/qemu")

    def write(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write_authorities(self, name=BUNDLES[0]):
        self.write(name, "# authorities\n" + CLUSTER.certificates.ca.read_text())

    def write_kubeconfig(self, host, **cluster):
        """A kubeconfig without authorities."""
        self.write("kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "a",
            "clusters": [{"name": "a", "cluster": {"server": f"https://{host}:{CLUSTER.port}",
                                                   **cluster}}],
            "users": [{"name": "a", "user": {"token": CLUSTER.tokens["admin"]}}],
            "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}]}))

    def run(self, *words, environment=None):
        def enter():
            os.chroot(self.path)
            os.chdir("/")

        return subprocess.run([*self.command, *words], preexec_fn=enter, text=True, check=False,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=300,
                              env={"KUBECONFIG": "/kubeconfig", **(environment or {})})


class NameServer:
    """Answers for the names it knows, with 127.0.0.1, on port 53 of an address of its own."""

    ADDRESS = "127.0.0.77"

    def __init__(self, *names):
        self.names = names
        self.asked = []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((self.ADDRESS, 53))
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def close(self):
        self.socket.sendto(b"", (self.ADDRESS, 53))
        self.thread.join()
        self.socket.close()

    def _serve(self):
        """Until a datagram without a query comes."""
        while True:
            query, client = self.socket.recvfrom(4096)
            if not query:
                return
            self.socket.sendto(self._answer(query), client)

    def _answer(self, query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode())
            at += 1 + query[at]
        question = query[12:at + 5]
        name, (kind,) = ".".join(labels), struct.unpack_from(">H", query, at + 1)
        self.asked.append(name)
        known = name in self.names
        answers = b""
        if known and kind == 1:  # A
            answers = struct.pack(">HHHIH", 0xc00c, 1, 1, 60, 4) + socket.inet_aton("127.0.0.1")
        flags = 0x8180 if known else 0x8183  # no such name
        return query[:2] + struct.pack(">HHHHH", flags, 1, 1 if answers else 0, 0, 0) + question + answers


class Chroot(unittest.TestCase):
    def setUp(self):
        self.root = Root(self)

    def assert_checks(self, **options):
        done = self.root.run("check", **options)
        self.assertEqual(done.returncode, 1, done.stderr + done.stdout)
        self.assertRegex(done.stdout, rf"{CRD} +true +yes +1 +1 +loses-fields")
        # What a slow machine is told while it waits.
        self.assertEqual(re.sub(r"(?m)^reading \w+: \d+.*\n", "", done.stderr), "")

    def test_authorities_are_found_where_each_distribution_has_them(self):
        for bundle in BUNDLES:
            with self.subTest(bundle):
                self.root = Root(self)
                self.root.write_kubeconfig("localhost")
                self.root.write_authorities(bundle)
                self.assert_checks()

    def test_the_environment_names_other_authorities(self):
        self.root.write_kubeconfig("localhost")
        self.root.write_authorities("mine.pem")
        self.assert_checks(environment={"SSL_CERT_FILE": "/mine.pem"})

    def test_no_configuration_of_openssl_is_read(self):
        self.root.write_kubeconfig("localhost")
        self.root.write_authorities()
        for name in ("usr/lib/ssl/openssl.cnf", "etc/ssl/openssl.cnf", "mine.cnf"):
            self.root.write(name, "openssl_conf = broken\n[broken]\nssl_conf = gone\n")
        self.assert_checks(environment={"OPENSSL_CONF": "/mine.cnf"})

    def test_without_authorities_nobody_is_trusted(self):
        self.root.write_kubeconfig("localhost")
        done = self.root.run("check")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("failed to verify certificate", done.stderr)

    def test_a_name_of_etc_hosts_is_found(self):
        self.root.write_authorities()
        self.root.write_kubeconfig("api.prune.test", **{"tls-server-name": "localhost"})
        self.root.write("etc/hosts", "127.0.0.1 other api.prune.test\n")
        self.assert_checks()

    def test_a_name_is_asked_of_the_name_server(self):
        server = self.name_server("api.prune.test")
        self.root.write_authorities()
        self.root.write_kubeconfig("api.prune.test", **{"tls-server-name": "localhost"})
        self.assert_checks()
        self.assertIn("api.prune.test", server.asked)

    def test_a_short_name_is_asked_in_the_search_domain(self):
        self.name_server("api.prune.test")
        self.root.write_authorities()
        self.root.write_kubeconfig("api", **{"tls-server-name": "localhost"})
        self.assert_checks()

    def test_an_unknown_name_is_an_error_that_names_it(self):
        self.name_server()
        self.root.write_authorities()
        self.root.write_kubeconfig("nobody.prune.test")
        done = self.root.run("check")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("nobody.prune.test", done.stderr)

    def name_server(self, *names):
        try:
            server = NameServer(*names)
        except OSError as error:
            self.skipTest(f"cannot be a name server: {error}")
        self.addCleanup(server.close)
        self.root.write("etc/resolv.conf", f"nameserver {server.ADDRESS}\nsearch prune.test\n")
        return server

    def test_a_whole_migration_goes_through(self):
        self.root.write_authorities()
        self.root.write_kubeconfig("localhost")
        home = {"HOME": "/home"}
        (self.root.path / "home").mkdir()
        first = self.root.run("migrate", MIGRATED, "--enable-pruning", "--yes", environment=home)
        self.assertEqual(first.returncode, 0, first.stderr + first.stdout)
        second = self.root.run("migrate", MIGRATED, "-o", "json", environment=home)
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertEqual(json.loads(second.stdout)["summary"]["rewritten"], 0)


class Image(unittest.TestCase):
    def test_it_checks_a_cluster(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kubectl-prune-image."))
        self.addCleanup(shutil.rmtree, folder)
        root = Root(self)
        root.path = image_test.unpack(BINARY, folder)
        root.write_authorities()
        root.write_kubeconfig("127.0.0.1")
        done = root.run("check", CRD)
        self.assertIn(CRD, done.stdout, done.stderr)
        self.assertEqual(done.returncode, 1, done.stderr)


class Installed(unittest.TestCase):
    """The archive as krew lays it out: ~/.krew/store/NAME/VERSION, and links in ~/.krew/bin."""

    NAME = "prune"

    def setUp(self):
        version = BINARY.version()
        archive = ROOT / f"build/krew/package/kubectl-prune_{version}_linux_{BINARY.architecture}.tar.gz"
        if not archive.is_file():
            self.skipTest(f"no archive (sh krew/package.sh {BINARY.architecture})")
        if kubectl.lacks():
            self.skipTest(kubectl.lacks())
        if BINARY.emulated:
            self.skipTest("kubectl would not find the plugin of another architecture")
        home = pathlib.Path(tempfile.mkdtemp(prefix="kubectl-prune-home."))
        self.addCleanup(shutil.rmtree, home)
        self.store = home / f".krew/store/{self.NAME}/{version}"
        self.store.mkdir(parents=True)
        with tarfile.open(archive) as content:
            content.extractall(self.store)
        links = home / ".krew/bin"
        links.mkdir()
        (links / f"kubectl-{self.NAME}").symlink_to(self.store / "kubectl-prune")
        own = home / ".local/bin"  # where krew/README.md has the completion put
        own.mkdir(parents=True)
        shutil.copy(self.store / "kubectl_complete-prune", own / f"kubectl_complete-{self.NAME}")
        self.environment = {"HOME": str(home), "PATH": f"{links}:{own}:{os.environ['PATH']}",
                            "KUBECONFIG": CLUSTER.kubeconfig_file()}

    def run_kubectl(self, *words, minor=1):
        return subprocess.run([kubectl.program(minor), *words], env=self.environment, text=True, check=False,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=240)

    def test_N4_the_license_is_installed_too(self):
        self.assertEqual((self.store / "LICENSE").read_bytes(), (ROOT / "LICENSE").read_bytes())
        notices = (self.store / "NOTICES").read_text(encoding="utf-8")
        for library in ("libcurl", "libssl", "libc-ares", "libnghttp2", "the GNU C library"):
            self.assertIn(f"\n==== {library}\n", notices)

    def test_kubectl_runs_the_plugin(self):
        done = self.run_kubectl(self.NAME, "check")
        self.assertIn(CRD, done.stdout, done.stderr)
        self.assertEqual(done.returncode, 1, done.stderr)

    @unittest.skipIf(kubectl.lacks(26), kubectl.lacks(26))  # the first that completes plugins
    def test_C1_kubectl_completes_the_plugin(self):
        done = self.run_kubectl("__complete", self.NAME, "check", "", minor=26)
        self.assertEqual(done.stdout.splitlines(), [CRD, MIGRATED, ":4"])


def fill(name):
    """Creates a CRD that preserves unknown fields, and an object with one."""
    plural, _, group = name.partition(".")
    kind = plural[:-1].capitalize()
    api = CLUSTER.api()
    api.post(CRDS, {
        "apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {"group": group, "scope": "Namespaced", "preserveUnknownFields": True,
                 "names": {"plural": plural, "kind": kind}, "validation": {"openAPIV3Schema": SCHEMA},
                 "versions": [{"name": "v1", "served": True, "storage": True}]}})
    path = f"/apis/{group}/v1/namespaces/default/{plural}"
    body = {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": "a"},
            "spec": {"litres": 1, "colour": "red"}}
    wait_for(f"no {plural}", lambda: api.request("POST", path, body)[0] in (201, 409))


def main():
    global BINARY, CLUSTER
    BINARY = StaticBinary(sys.argv[1] if len(sys.argv) > 1 else "amd64")
    if os.geteuid() != 0:
        raise Missing("only root may chroot")
    with Cluster() as CLUSTER:
        fill(CRD)
        fill(MIGRATED)
        return skips.exit_code(unittest.main(argv=sys.argv[:1], exit=False).result)


if __name__ == "__main__":
    end(main)
