"""`kubectl-prune` reaches the server that kubectl reaches, as the same user, or fails likewise.

kubeconfig_test.py BINARY [WORDS OF A NAME]: takes both through situations.py. kubectl is asked in
the same run; who came is told by the audit log of a real API server, and by servers and proxies
that note what they are sent. With $SHOW what kubectl did is printed. Exit code 77 (skipped) without
a server or without kubectl; the table was drawn up with kubectl 1.32. Of the rare situations one in four is tried;
with EVERY_RARE=1 all of them.
"""
import base64
import contextlib
import fcntl
import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

import newer_situations
import rare_situations
import situations
from cluster import SKIPPED, Cluster, MissingBinaries, free_ports, wait_for
import kubectl
import skips
from subjects import V1_CRDS
from witness import ForwardProxy, SocksProxy, Witness, server_context

BINARY = None
ONLY = ""  # part of the names of the situations to run
SURROUNDINGS = None

CRD = "crontabs.stable.example.com"
POD_FOLDER = pathlib.Path("/var/run/secrets/kubernetes.io/serviceaccount")
# Several tests run at a time, and all have the same folder.
POD_FOLDER_LOCK = pathlib.Path(tempfile.gettempdir()) / "kubectl-prune-pod-folder.lock"
PATIENCE_SECONDS = 240
# All of the rare situations take three minutes more.
EVERY_RARE = int(os.environ.get("EVERY_RARE", "4"))

# What an error is about, by what kubectl says of it and what we say. The first that fits counts; a
# text that none fits is its own kind.
KINDS = [(kind, re.compile(pattern, re.DOTALL)) for kind, pattern in [
    ("unauthorized", r"must be logged in|\(Unauthorized\)"),
    ("forbidden", r"\(Forbidden\)"),
    ("bad request", r"\(BadRequest\)"),
    # kubectl asks for a user name, and finds the end of its standard input.
    ("no credentials", r"^EOF$|^no credentials for the server"),
    ("certificate not valid yet", r"is not yet valid: current time \S+ is before|certificate is not yet valid"),
    ("certificate expired", r"certificate has expired"),
    ("certificate of another host", r"certificate is (not )?valid for|doesn't contain any IP SANs|"
     r"no alternative certificate subject name|relies on legacy Common Name|"
     r"names itself only by its common name"),
    ("unknown authority", r"signed by unknown authority|unable to get local issuer|self-signed"),
    ("certificate of no server", r"incompatible key usage|unsuitable certificate purpose"),
    ("client certificate wanted", r"(alert|tls:) certificate required"),
    ("client certificate refused", r"unknown certificate authority|alert unknown ca"),
    ("TLS version", r"protocol version"),
    ("no TLS", r"first record does not look like|wrong version number"),
    ("client key", r"private key does not match|failed to parse private key|"
     r"client key cannot be used"),
    ("no root certificates", r"unable to load root certificates"),
    ("missing file", r"^(error loading config file \S+ )?(stat|open) \S+ no such file|"
     r"^(cannot read the tokenFile: )?open \S+ no such file"),
    ("missing context", r"context was not found|context \S+ does not exist"),
    ("missing cluster", r"no server found for cluster|cluster \S+ does not exist"),
    ("duplicate name", r"duplicate name"),
    ("kubeconfig of another type", r"no kind .* is registered for version|"
     r"couldn't get version/kind|a kubeconfig must be an object|apiVersion and kind must be strings"),
    ("YAML", r"config file \S+ (yaml: |line )"),
    ("empty token", r"read empty token|token file \S+ is empty"),
    ("value that fits no header", r'invalid header field value for |'
     r"tokenFile \S+ holds no token|control characters, which no header"),
    ("plugin missing", r"exec: executable \S+ not found"),
    ("folder", r"is a directory$"),
    ("flag", r"(argument .* for .* flag:|flag needs an argument)"),
    ("auth provider", r"auth plugin has been removed|no Auth Provider found"),
    ("proxy refused", r"Bad Gateway|CONNECT tunnel failed, response 502"),
    ("timeout of the flag", r"Invalid timeout value"),
    ("port", r"invalid port|no host and port|either ServerName or"),
    ("URL", r'invalid character " " in host name|invalid control character in URL|host must be a URL or a host:port'),
    ("scheme", r'unsupported protocol scheme "ftp"'),
    ("refused", r"was refused|onnection refused"),
    ("no such host", r"no such host|could not resolve"),
]]

def kind_of(text, folder):
    """Returns the kind of an error, or its text without what differs between runs and programs."""
    lines = [line for line in text.splitlines() if not re.match(r"[IWE]\d{4} ", line)]
    text = "\n".join(lines).replace(str(folder), "DIR").strip()
    text = re.sub(r"^(error: )?(Error in configuration: |invalid configuration:)?\s*", "", text)
    for kind, pattern in KINDS:
        if pattern.search(text):
            return kind
    # Where in the kubeconfig, which kubectl does not say; and the user's name.
    text = re.sub(r"(config file \S+ )(clusters|users|contexts|preferences|extensions|current-context)(\[\d+\]\S*)?: ", r"\1", text)
    return re.sub(r" of user \S+$", "", text)


class Surroundings:
    """A cluster with users, certificates, witnesses and proxies, while its `with` block lasts."""

    def __enter__(self):
        self.cluster = Cluster(["alice", "bob"], audit=True).__enter__()
        try:
            self._set_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for one in self._open:
            one.close()
        self.cluster.__exit__()

    def _set_up(self):
        self._open, self.notes, self.ports = [], [], {}
        self._make_certificates()
        self._make_crd()
        self.ports.update(api=self.cluster.port, closed=free_ports(1)[0])
        self.address = own_address()
        self._start_witnesses()
        self._start_proxies()
        self._audit_log = open(self.cluster.folder / "audit.log", encoding="utf-8")
        self._api = self.cluster.api()
        self._open += [self._audit_log, self._api]

    def _make_certificates(self):
        certificates = self.cluster.certificates
        for authority in ("other", "self"):
            certificates.make_authority(authority)
        certificates.sign("middle", "/CN=test-middle",
                          "basicConstraints=critical,CA:true\nkeyUsage=keyCertSign\n")
        self._make_serving_certificates()
        client = "extendedKeyUsage=clientAuth\n"
        certificates.sign("carol", "/O=devs/O=ops/CN=carol", client)
        certificates.sign("late", "/CN=late", client, days=-1)
        certificates.sign_for_later("early", "/CN=early", client)
        certificates.sign("mallory", "/CN=mallory", client, "other")
        certificates.sign("frank", "/CN=frank", client, "middle")
        self._chain("frank")
        self._make_keys()

    def _make_keys(self):
        """Carol's key in other forms."""
        for command in ("ec -aes128 -passout pass:secret -in carol.key -out encrypted.key",
                        "pkcs8 -topk8 -nocrypt -in carol.key -out pkcs8.key",
                        "ecparam -name prime256v1 -out parameters.key"):
            subprocess.run(["openssl", *command.split()], cwd=self.cluster.folder, check=True,
                           capture_output=True)
        with open(self.cluster.folder / "parameters.key", "a", encoding="utf-8") as file:
            file.write((self.cluster.folder / "carol.key").read_text())

    def _make_serving_certificates(self):
        sign = self.cluster.certificates.sign
        here = "subjectAltName=IP:127.0.0.1,IP:::1,DNS:localhost\n"
        server = here + "extendedKeyUsage=serverAuth\n"
        sign("here", "/CN=here", server)
        sign("expired", "/CN=here", server, days=-1)
        self.cluster.certificates.sign_for_later("not-yet", "/CN=here", server)
        sign("late-ca", "/CN=late-ca", "basicConstraints=critical,CA:true\nkeyUsage=keyCertSign\n", days=-1)
        sign("of-late-ca", "/CN=here", server, "late-ca")
        sign("unknown", "/CN=here", server, "other")
        sign("chain", "/CN=here", server, "middle")
        self._chain("chain")
        sign("client-only", "/CN=here", here + "extendedKeyUsage=clientAuth\n")
        sign("address", "/CN=here", "subjectAltName=IP:127.0.0.1\n")
        sign("name", "/CN=127.0.0.1", "subjectAltName=DNS:localhost\n")
        sign("far", "/CN=far", "subjectAltName=DNS:api.example.test,IP:192.0.2.1\n")
        sign("star", "/CN=star", "subjectAltName=DNS:*.example.test\n")
        sign("common-name", "/CN=localhost", "")
        sign("self-signed", "/CN=here", here, "self")

    def _chain(self, name):
        folder = self.cluster.folder
        (folder / f"{name}-chain.crt").write_text(
            (folder / f"{name}.crt").read_text() + (folder / "middle.crt").read_text())

    def _make_crd(self):
        schema = {"openAPIV3Schema": {"type": "object"}}
        api = self.cluster.api("admin")
        api.post(V1_CRDS, {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": CRD},
            "spec": {"group": "stable.example.com", "scope": "Namespaced",
                     "names": {"plural": "crontabs", "kind": "CronTab"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}]}})
        path = "/apis/rbac.authorization.k8s.io/v1"
        api.post(f"{path}/clusterroles", {"metadata": {"name": "look"}, "rules": [{
            "apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]}]})
        api.post(f"{path}/clusterrolebindings", {
            "metadata": {"name": "look"},
            "subjects": [{"kind": "Group", "name": "system:authenticated"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "look"}})
        wait_for("the right to read", lambda: self.cluster.api("alice").request(
            "GET", f"{V1_CRDS}/{CRD}")[0] == 200)
        api.close()

    def _certificate(self, name):
        folder = self.cluster.folder
        return folder / f"{name}.crt", folder / f"{name.removesuffix('-chain')}.key"

    def server_context(self, name, **options):
        """Returns the TLS of a server with that certificate, which takes client certificates."""
        return server_context(self._certificate(name), self.cluster.folder / "ca.crt", **options)

    def _start_witnesses(self):
        self._start_witness("plain", None)
        for name, certificate in {
                "witness": "here", "expired": "expired", "early": "not-yet",
                "of-late-ca": "of-late-ca", "unknown-ca": "unknown",
                "address": "address", "name": "name", "far": "far", "star": "star",
                "client-only": "client-only", "common-name": "common-name",
                "self-signed": "self-signed", "chain": "chain-chain", "no-chain": "chain"}.items():
            self._start_witness(name, self.server_context(certificate))
        self._start_witness("mtls", self.server_context("here", requires=True))
        self._start_witness("tls12", self.server_context("here", version=ssl.TLSVersion.TLSv1_2))
        self._start_witness("tls11", self.server_context("here", version=ssl.TLSVersion.TLSv1_1))
        if has_ipv6():
            self._start_witness("ipv6", self.server_context("here"), "::1")

    def _start_witness(self, name, context, address="127.0.0.1"):
        self._keep(name, Witness(self.cluster, self.notes, name, context, address))

    def _start_proxies(self):
        routes = {**{f"{host}:{port}": port for host in ("127.0.0.1", "localhost")
                     for port in self.ports.values()},
                  "api.example.test:6443": self.ports["far"],
                  f"{self.address}:{self.ports['closed']}": self.ports["api"],
                  "address.example.test:443": self.ports["far"],
                  "api.example.test:8080": self.ports["plain"]}
        self._keep("proxy", ForwardProxy(self.notes, "proxy", routes))
        self._keep("socks", SocksProxy(self.notes, "socks", routes))
        for name, certificate in (("tls-proxy", "here"), ("unknown-proxy", "unknown")):
            self._keep(name, ForwardProxy(self.notes, name, routes, self.server_context(certificate)))

    def _keep(self, name, server):
        self._open.append(server)
        self.ports[name] = server.port

    def fill(self, text, folder):
        """Puts what the @...@ of situations.py stand for in their place."""
        return re.sub(r"@(\w+)(?::([\w.-]+))?@",
                      lambda match: self._value(match[1], match[2], folder), text)

    def _value(self, what, name, folder):
        if what == "dir":
            return str(folder)
        if what == "address":
            return self.address
        if what == "port":
            return str(self.ports[name])
        if what == "token":
            return self.cluster.tokens[name]
        path = self.cluster.folder / name
        if what == "file":
            return str(path)
        if what == "text":
            return path.read_text()
        if what == "crlf":
            return path.read_text().replace("\n", "\r\n")
        encoded = base64.b64encode(path.read_bytes()).decode()
        if what == "data":
            return encoded
        if what == "lines":
            return "\n      ".join(re.findall(".{1,60}", encoded))
        raise KeyError(what)

    def who_came(self):
        """Returns what the servers saw since the last call, each of it once."""
        seen = {identity(event) for event in self.events()}
        seen.update(map(without_local_encoding, self.notes))
        self.notes.clear()
        return seen

    def events(self):
        """Returns what the API server noted since the last call."""
        barrier = f"/version?barrier={secrets.token_hex(8)}"
        self._api.get(barrier)
        events = []
        while True:
            event = self._next_event()
            if event["requestURI"] == barrier:
                return events
            if is_of_interest(event):
                events.append(event)

    def _next_event(self):
        """Waits for the next line of the audit log; the last may be there by half."""
        lines = []

        def complete():
            lines.append(self._audit_log.readline())
            return lines[-1].endswith("\n")

        wait_for("a line of the audit log", complete, interval=0.01)
        return json.loads("".join(lines))


def is_of_interest(event):
    """Not those of this test, and not /version, which a kubectl that chooses its own version asks."""
    own = event["user"].get("username") in ("test-admin", "system:apiserver")
    return not own and not event["requestURI"].startswith("/version")


def identity(event):
    """Returns who asked, as the API server knows it."""
    return ("api", json.dumps(event["user"], sort_keys=True),
            json.dumps(event.get("impersonatedUser"), sort_keys=True), *event["sourceIPs"])


def without_local_encoding(note):
    """On loopback we ask for no compression: it would cost more than it spares."""
    is_local = any(re.match(r"host (127\.|localhost|\[::1\])", str(part)) for part in note)
    return tuple(part for part in note if not (is_local and str(part).startswith("encoding ")))


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
        return True
    except OSError:
        return False


def own_address():
    """Returns an address of this machine that is not on loopback; None where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(("192.0.2.1", 9))  # nothing is sent
        except OSError:
            return None
        address = one.getsockname()[0]
    return None if address.startswith(("127.", "0.")) else address


def write_files(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        if text.startswith("#!"):
            path.chmod(0o755)


@contextlib.contextmanager
def pod_folder_of_ours():
    """No test of another process makes the folder, or takes it away, while the block lasts."""
    with open(POD_FOLDER_LOCK, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def pod_folder(files):
    """A service account in the place where pods have it, while its `with` block lasts."""
    with pod_folder_of_ours():
        made = [folder for folder in [*reversed(POD_FOLDER.parents), POD_FOLDER] if not folder.exists()]
        for folder in made:
            folder.mkdir()
        try:
            write_files(POD_FOLDER, files)
            yield
        finally:
            for name in files:
                (POD_FOLDER / name).unlink(missing_ok=True)
            for folder in reversed(made):
                folder.rmdir()


def can_make_pod_folder():
    if os.geteuid() != 0:
        return False
    with pod_folder_of_ours():
        return not POD_FOLDER.exists() or not any(POD_FOLDER.iterdir())


class Runner:
    """Runs programs within one situation."""

    def __init__(self, situation):
        self.situation = situation
        self.folder = SURROUNDINGS.cluster.folder / f"situation-{secrets.token_hex(4)}"
        (self.folder / "home").mkdir(parents=True)
        write_files(self.folder, {name: self._fill(text) for name, text in situation.files.items()})
        for name, target in situation.links.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).symlink_to(target)

    def _fill(self, text):
        return SURROUNDINGS.fill(text, self.folder)

    def outcome(self, *program):
        """Returns ("ok" or the kind of the error, who came to which server)."""
        pod = self.situation.pod
        if pod is None:
            return self._outcome(program)
        with pod_folder({name: self._fill(text) for name, text in pod.items()}):
            return self._outcome(program)

    def _outcome(self, program):
        run = self.run(program)
        # check tells what a CRD's own request met in its report.
        error = run.stderr or run.stdout.partition("could not be checked: ")[2]
        kind = "ok" if run.returncode == 0 else kind_of(error, self.folder)
        return kind, SURROUNDINGS.who_came()

    def run(self, program):
        """Runs a program with the situation's flags in its environment."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"),
                       **{name: self._fill(value) for name, value
                          in self.situation.environment.items()}}
        arguments = [self._fill(argument) for argument in self.situation.arguments]
        return subprocess.run([*program, *arguments], cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=PATIENCE_SECONDS)


class Kubeconfigs(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        SURROUNDINGS.who_came()

    def check(self, table):
        for situation in table:
            if ONLY in situation.name:
                with self.subTest(situation.name):
                    self.check_one(situation)

    def check_one(self, situation):
        if situation.pod is not None and not can_make_pod_folder():
            self.skipTest(f"{POD_FOLDER} cannot be made")
        if "@port:ipv6@" in str(situation) and "ipv6" not in SURROUNDINGS.ports:
            self.skipTest("no IPv6")
        if "@address@" in str(situation.files) and SURROUNDINGS.address is None:
            self.skipTest("no address but loopback")
        if "localhost" in str(situation) and skips.lacks_localhost():
            self.skipTest(skips.lacks_localhost())
        since = newer_situations.SINCE if situation.name in newer_situations.NAMES else 1
        if kubectl.lacks(since):
            self.skipTest(kubectl.lacks(since))
        runner, start = Runner(situation), time.monotonic()
        theirs = runner.outcome(kubectl.program(since), "get", "crd", CRD)
        ours = runner.outcome(BINARY, "check", CRD)
        if os.environ.get("SHOW"):
            print(f"{time.monotonic() - start:.2f} s  {situation.name}: {theirs[0]}")
        if situation.unlike is None:
            self.assertEqual(ours, theirs)
        else:
            self.assertEqual(ours[0], situation.unlike[0])
            self.assertNotEqual(ours, theirs, "kubectl does the same by now")

    def test_k1_which_files(self):
        self.check(situations.FILES)

    def test_k2_merging_and_reading(self):
        self.check(situations.MERGING)

    def test_k3_precedence(self):
        self.check(situations.PRECEDENCE)

    def test_k4_credentials(self):
        self.check(situations.CREDENTIALS)

    def test_k5_proxies(self):
        self.check(situations.PROXIES)

    def test_k5_servers(self):
        self.check(situations.SERVERS)

    def test_certificates(self):
        self.check(situations.CERTIFICATES)

    def test_k6_in_cluster(self):
        self.check(situations.IN_CLUSTER)

    def test_flags_of_the_request(self):
        self.check(situations.REQUESTS)

    def test_rare_situations(self):
        for table in rare_situations.TABLES.values():
            self.check(table[::EVERY_RARE])

    def events_of(self, situation, *arguments):
        """Runs check in a situation that it must master; returns what the audit log has of it."""
        run = Runner(situation).run([BINARY, "check", CRD, *arguments])
        self.assertEqual(run.returncode, 0, run.stderr)
        return SURROUNDINGS.events()

    def test_k7_only_the_flag_chooses_a_namespace(self):
        def lists(*arguments):
            paths = {event["requestURI"].partition("?")[0]
                     for event in self.events_of(situations.IN_NAMESPACE, *arguments)}
            return {path for path in paths if path.endswith("/crontabs")}

        group = "/apis/stable.example.com/v1"
        self.assertEqual(lists("-n", "other"), {f"{group}/namespaces/other/crontabs"})
        # That of the context is where kubectl looks for objects; pruning is of all namespaces.
        self.assertEqual(lists(), {f"{group}/crontabs"})

    def test_h1_user_agent(self):
        for event in self.events_of(situations.IN_NAMESPACE):
            self.assertRegex(event["userAgent"],
                             r"^kubectl-prune/\S+ \(\w+/\w+\) kubernetes/(unknown|[0-9a-f]{7})$")

    def test_k4_a_token_file_is_read_again(self):
        runner = Runner(situations.TOKEN_FILE)
        tokens = []

        def renew(headers):
            """The first token is refused, as one that has expired."""
            (runner.folder / "token").write_text("second")
            tokens.append(headers["Authorization"])
            return 401 if tokens[-1] == "Bearer first" else None

        witness = Witness(SURROUNDINGS.cluster, SURROUNDINGS.notes, "renewing", before=renew,
                          context=SURROUNDINGS.server_context("here"))
        self.addCleanup(witness.close)
        run = runner.run([BINARY, "check", CRD, "-s", f"https://127.0.0.1:{witness.port}"])
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        self.assertEqual(tokens[:2], ["Bearer first", "Bearer second"])
        self.assertEqual(set(tokens[1:]), {"Bearer second"})

    def test_the_secrets_of_its_sessions_are_written_nowhere(self):
        runner = Runner(situations.IN_NAMESPACE)
        log = runner.folder / "keys.log"
        run = runner.run(["env", f"SSLKEYLOGFILE={log}", BINARY, "check", CRD])
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        self.assertFalse(log.exists())


def main():
    global BINARY, SURROUNDINGS, ONLY
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    ONLY = " ".join(sys.argv[2:])
    if kubectl.lacks():
        print(f"skipped: {kubectl.lacks()}")
        return SKIPPED
    try:
        with Surroundings() as SURROUNDINGS:
            return skips.exit_code(unittest.main(argv=sys.argv[:1], exit=False).result)
    except MissingBinaries as error:
        print(f"skipped: {error}")
        return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
