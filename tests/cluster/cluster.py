"""A private etcd and kube-apiserver on loopback, for tests that need a real API server.

    with Cluster() as cluster:
        cluster.api().get("/api/v1/namespaces")

Both have their own ports, folder and certificates, and are stopped at the end, whatever happens.
They can be of any Kubernetes from 1.20 to 1.36: binaries.sh says which ones are taken.
"""
import base64
import fcntl
import http.client
import json
import os
import pathlib
import random
import re
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import kubectl

kubectl.choose()
SKIPPED = 77  # ctest's SKIP_RETURN_CODE
START_SECONDS = 480
MEMORY = "/dev/shm"

# With each change of a CRD a server of 1.20 writes the OpenAPI document of all that it serves, which was half of
# its work: it serves only what tests use. Some plugins of admission would wait for the rest for ever.
FEW_RESOURCES = (
    "api/v1", "admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1",
    "apiregistration.k8s.io/v1", "authentication.k8s.io/v1", "authorization.k8s.io/v1", "batch/v1",
    "coordination.k8s.io/v1", "flowcontrol.apiserver.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1")
FEW_PLUGINS = ("--disable-admission-plugins=DefaultIngressClass,DefaultStorageClass,PersistentVolumeClaimResize,"
               "Priority,RuntimeClass,StorageObjectInUseProtection")

AUDIT_POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
"""


class ClusterError(Exception):
    """The cluster cannot be had; the text says why, with what the programs printed last."""


class MissingBinaries(ClusterError):
    """etcd, etcdctl or kube-apiserver is not on this machine (binaries.sh ensure gets them)."""


class ApiError(Exception):
    """An answer of 400 or more. `status` is the HTTP code, `body` the decoded Status."""

    def __init__(self, method, path, status, body):
        message = body.get("message", "") if isinstance(body, dict) else body
        super().__init__(f"{method} {path}: {status} {message}")
        self.status = status
        self.body = body


def find_binaries():
    """Returns {program: path} of binaries.sh, without building anything."""
    run = subprocess.run(["sh", str(HERE / "binaries.sh"), "find"], capture_output=True, text=True,
                         check=False)
    if run.returncode != 0:
        raise MissingBinaries(run.stderr.strip())
    return dict(line.split("=", 1) for line in run.stdout.splitlines())


def wait_for(what, condition, seconds=240, interval=0.05):
    """Calls `condition` until its result is true, and returns that. Raises ClusterError when late.

    What takes long is asked for less often: the tests beside it need the processor.
    """
    deadline = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise ClusterError(f"waited {seconds} s in vain: {what}")
        time.sleep(interval)
        interval = min(1.2 * interval, 0.5)


_port_locks = []  # open for as long as this process lives


def take_port(port):
    """True if nobody listens on it, and no other test has taken it or will while this process lives."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"kubectl-prune-ports-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    taken = lock(folder / str(port))
    if not taken:
        return False
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
    except OSError:
        taken.close()
        return False
    _port_locks.append(taken)
    return True


def lock(path):
    """Returns the file, open and locked for as long as it is open; None if another process has locked it. Process IDs
    would not do: a container that shares a folder has others."""
    file = open(path, "w", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def free_ports(count):
    """Returns ports for servers of this process alone, none of those that clients are given."""
    ports = (port for port in random.sample(range(15000, 30000), 15000) if take_port(port))
    return [next(ports) for _ in range(count)]


def die_with_parent():
    """Runs in the child: a test that is killed leaves no server behind (Linux only)."""
    try:
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (ImportError, AttributeError, OSError):
        pass


class Certificates:
    """A CA, a serving certificate for 127.0.0.1 and localhost, an admin's, and a signing key."""

    def __init__(self, folder):
        self.folder = folder
        self.ca = folder / "ca.crt"
        self.admin = folder / "admin.crt", folder / "admin.key"
        self.serving = folder / "serving.crt", folder / "serving.key"
        self.signing_key = folder / "signing.key"
        self.make_authority("ca")
        self.sign("serving", "/CN=kube-apiserver",
                  "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n")
        self.sign("admin", "/O=system:masters/CN=test-admin", "extendedKeyUsage=clientAuth\n")
        self._key("signing")

    def sign_client(self, name):
        """Makes a certificate of the user `name`, an admin; returns the paths of it and its key."""
        self.sign(name, f"/O=system:masters/CN={name}", "extendedKeyUsage=clientAuth\n")
        return self.folder / f"{name}.crt", self.folder / f"{name}.key"

    def make_authority(self, name):
        """Makes NAME.crt and NAME.key of a CA."""
        self._key(name)
        self._openssl("req", "-x509", "-new", "-key", f"{name}.key", "-subj", f"/CN=test-{name}",
                      "-days", "30", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
                      "-out", f"{name}.crt")

    def _key(self, name):
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")

    def sign(self, name, subject, extensions, authority="ca", days=30):
        """Makes NAME.crt and NAME.key. With -1 days the certificate has expired."""
        self._key(name)
        (self.folder / f"{name}.ext").write_text("keyUsage=critical,digitalSignature\n" + extensions)
        self._openssl("req", "-new", "-key", f"{name}.key", "-subj", subject, "-out", f"{name}.csr")
        self._openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.crt",
                      "-CAkey", f"{authority}.key", "-CAcreateserial", "-days", str(days),
                      "-extfile", f"{name}.ext", "-out", f"{name}.crt")

    def sign_for_later(self, name, subject, extensions):
        """Makes NAME.crt and NAME.key that will be valid in some years."""
        self.sign(name, subject, extensions)
        (self.folder / "later.cnf").write_text(
            "[ca]\ndefault_ca=later\n[later]\nnew_certs_dir=.\ndatabase=later.index\nrand_serial=yes\n"
            "default_md=sha256\npolicy=any\nunique_subject=no\n[any]\ncommonName=supplied\n")
        (self.folder / "later.index").touch()
        self._openssl("ca", "-batch", "-notext", "-config", "later.cnf", "-cert", "ca.crt",
                      "-keyfile", "ca.key", "-in", f"{name}.csr", "-out", f"{name}.crt",
                      "-extfile", f"{name}.ext", "-startdate", "21000101000000Z",
                      "-enddate", "21010101000000Z")

    def _openssl(self, *arguments):
        run = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, text=True,
                             check=False)
        if run.returncode != 0:
            raise ClusterError(f"openssl {arguments[0]} failed: {run.stderr.strip()}")


def warning_text(header):
    """What a header says: 299 - "text"."""
    quoted = header.encode("latin-1").decode().partition(' - "')[2].removesuffix('"')
    return re.sub(r"\\(.)", r"\1", quoted)


class Api:
    """JSON over one kept HTTPS connection. One thread uses it at a time. `warnings` are those of the last answer."""

    def __init__(self, port, context, token=None):
        self._connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=240)
        self._token = token
        self.warnings = []

    def request(self, method, path, body=None, content_type="application/json", accept="application/json"):
        """Returns (HTTP code, decoded answer) and raises nothing for codes of 400 and more.

        `body` may be bytes, sent as they are, or anything that json can print.
        """
        status, text = self.request_text(method, path, body, content_type, accept)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text.decode(errors="replace")

    def request_until_answered(self, *arguments):
        """As request(), for what may be sent twice: a server that is too busy to answer in its time is asked again."""
        for _ in range(5):
            status, answer = self.request(*arguments)
            if status != 504 or answer.get("reason") != "Timeout":
                break
        return status, answer

    def request_text(self, method, path, body=None, content_type="application/json", accept="application/json"):
        """As request(), but returns the answer's bytes as they came."""
        headers = {"Accept": accept}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = content_type
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            self._connection.request(method, path, body, headers)
            answer = self._connection.getresponse()
            text = answer.read()
        except (http.client.HTTPException, OSError):
            self._connection.close()  # the next request opens it again
            raise
        self.warnings = [warning_text(header) for header in answer.headers.get_all("Warning", [])]
        return answer.status, text

    def _checked(self, method, path, *arguments):
        status, answer = self.request(method, path, *arguments)
        if status >= 400:
            raise ApiError(method, path, status, answer)
        return answer

    def get(self, path):
        return self._checked("GET", path)

    def post(self, path, body, content_type="application/json"):
        return self._checked("POST", path, body, content_type)

    def put(self, path, body):
        return self._checked("PUT", path, body)

    def patch(self, path, body, content_type="application/merge-patch+json"):
        return self._checked("PATCH", path, body, content_type)

    def delete(self, path):
        return self._checked("DELETE", path)

    def close(self):
        self._connection.close()


class Server:
    """One program in its own process group, its output kept in a file."""

    def __init__(self, folder, arguments):
        self.name = pathlib.Path(arguments[0]).name
        self.output = folder / f"{self.name}.log"
        with open(self.output, "wb") as output:
            self._process = subprocess.Popen(arguments, cwd=folder, stdin=subprocess.DEVNULL,
                                             stdout=output, stderr=subprocess.STDOUT,
                                             env={"GOGC": "300", **os.environ},  # a quarter less of the CPU
                                             start_new_session=True, preexec_fn=die_with_parent)

    def running(self):
        return self._process.poll() is None

    def tail(self):
        """Returns the last lines it printed."""
        return "\n".join(self.output.read_text(errors="replace").splitlines()[-15:])

    def stop(self):
        if not self.running():
            return
        os.killpg(self._process.pid, signal.SIGKILL)  # nothing of it is kept
        self._process.wait()


class Cluster:
    """A running cluster while its `with` block lasts.

    `users` may log in by token and have no right but those the test gives them; "admin" may do all.
    With `audit`, audit_events() tells every request that was answered. The server has the resources that most tests
    use, and those of the groups and versions `serves_too`; with `serves_all` every one of its release.
    `etcd_of` is a running cluster of which this is another API server, `snapshot_of` one of whose data it is made.
    """
    has_v1beta1 = True  # of CRDs
    ratchets = False  # lets invalid values be that a write does not change

    def __init__(self, users=(), audit=False, serves_all=False, serves_too=(), etcd_of=None, snapshot_of=None):
        self.binaries = find_binaries()
        self.tokens = {name: secrets.token_hex(16) for name in ("admin", *users)}
        self._audit = audit
        self._serves_all, self._serves_too = serves_all, serves_too
        self._etcd_of, self._snapshot_of = etcd_of, snapshot_of
        self._servers = []
        self._handlers = {}
        self.folder = None
        self._memory = self._memory_lock = None

    def __enter__(self):
        self._stop_on_signals()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kubectl-prune-cluster."))
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def _stop_on_signals(self):
        """SIGTERM and SIGHUP end the program as an exception does, so that __exit__ runs."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._handlers[number] = signal.signal(number, self._on_signal)

    @staticmethod
    def _on_signal(number, _):
        raise SystemExit(128 + number)

    def _stop(self):
        for server in reversed(self._servers):
            server.stop()
        self._servers = []
        for folder in (self.folder, self._memory):
            if folder:
                shutil.rmtree(folder, ignore_errors=True)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _start(self):
        self.certificates = Certificates(self.folder)
        self.context = ssl.create_default_context(cafile=str(self.certificates.ca))
        self._admin_context = ssl.create_default_context(cafile=str(self.certificates.ca))
        self._admin_context.load_cert_chain(*self.certificates.admin)
        (self.folder / "home").mkdir()
        etcd_port, peer_port, self.port = free_ports(3)
        if self._etcd_of:
            self.etcd_endpoint = self._etcd_of.etcd_endpoint
        else:
            self.etcd_endpoint = f"http://127.0.0.1:{etcd_port}"
            self._start_etcd(f"http://127.0.0.1:{peer_port}")
        self._start_kube_apiserver()

    def _start_server(self, arguments, ready):
        server = Server(self.folder, arguments)
        self._servers.append(server)
        try:
            wait_for(f"{server.name} is not ready", lambda: not server.running() or ready(),
                     START_SECONDS)
            if not server.running():
                raise ClusterError(f"{server.name} has stopped")
        except ClusterError as error:
            raise ClusterError(f"{error}; it said:\n{server.tail()}") from None

    def _start_etcd(self, peer):
        folder = self._etcd_folder()
        if self._snapshot_of:
            self._snapshot_of.etcd_copy(folder, peer)
        self._start_server(
            [self.binaries["etcd"], "--name=default", f"--data-dir={folder}",
             f"--listen-client-urls={self.etcd_endpoint}",
             f"--advertise-client-urls={self.etcd_endpoint}", f"--listen-peer-urls={peer}",
             f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=default={peer}"],
            lambda: self._etcdctl("endpoint", "health").returncode == 0)

    def _etcd_folder(self):
        """In memory, where there is room for that of several tests: etcd waits for the disk with every write."""
        for folder in pathlib.Path(MEMORY).glob("kubectl-prune-etcd.*"):
            if (folder / "lock").exists() and lock(folder / "lock"):  # of a test that was killed
                shutil.rmtree(folder, ignore_errors=True)
        if not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free <= 4 * 2**30:
            return self.folder / "etcd"
        self._memory = tempfile.mkdtemp(prefix=f"kubectl-prune-etcd.{os.getpid()}.", dir=MEMORY)
        self._memory_lock = lock(pathlib.Path(self._memory, "lock"))
        return f"{self._memory}/etcd"

    def _start_kube_apiserver(self):
        tokens = self.folder / "tokens.csv"
        tokens.write_text("".join(
            f"{token},{name},{name}" + (',"system:masters"' if name == "admin" else "") + "\n"
            for name, token in self.tokens.items()))
        tokens.chmod(0o600)
        certificates = self.certificates
        arguments = [
            self.binaries["kube-apiserver"], f"--etcd-servers={self.etcd_endpoint}",
            f"--secure-port={self.port}", "--bind-address=127.0.0.1",
            f"--cert-dir={self.folder}/certificates",
            f"--tls-cert-file={certificates.serving[0]}",
            f"--tls-private-key-file={certificates.serving[1]}",
            f"--client-ca-file={certificates.ca}", f"--token-auth-file={tokens}",
            "--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-signing-key-file={certificates.signing_key}",
            f"--service-account-key-file={certificates.signing_key}", "--api-audiences=api"]
        if self._audit:
            (self.folder / "audit-policy.yaml").write_text(AUDIT_POLICY)
            arguments += [f"--audit-policy-file={self.folder}/audit-policy.yaml",
                          f"--audit-log-path={self.folder}/audit.log"]
        version = subprocess.run([arguments[0], "--version"], capture_output=True, text=True, check=False)
        if " v1.20." in version.stdout and not self._serves_all:
            resources = ",".join(f"{version}=true" for version in (*FEW_RESOURCES, *self._serves_too))
            arguments += [f"--runtime-config=api/all=false,{resources}", FEW_PLUGINS]
        self._start_server(arguments + self._more_arguments(), self._ready)
        wait_for("the server does not make its namespaces", self._has_namespaces)  # a little after it is ready

    def restart_kube_apiserver(self):
        """Kills it and starts it again: what etcd has is kept, connections are not."""
        self.stop_kube_apiserver()
        self.start_kube_apiserver()

    def stop_kube_apiserver(self):
        self._servers.pop().stop()

    def start_kube_apiserver(self):
        """Behind stop_kube_apiserver()."""
        self._start_kube_apiserver()

    def _more_arguments(self):
        return []

    def _ready(self):
        try:
            return self.api().request("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def _has_namespaces(self):
        api = self.api()
        status, _ = api.request("GET", "/api/v1/namespaces/default")
        api.close()
        return status == 200

    def api(self, user=None, port=None):
        """Returns a new connection: by client certificate, or as `user` by token."""
        if user is None:
            return Api(port or self.port, self._admin_context)
        return Api(port or self.port, self.context, self.tokens[user])

    def service_account_token(self, namespace, name):
        """Returns a new token of that account."""
        api = self.api()
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        answer = api.post(f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token", asked)
        api.close()
        return answer["status"]["token"]

    def kubeconfig(self, user=None, port=None, context="test"):
        """Returns the text of a kubeconfig: by client certificate, or as `user` by token."""
        def encoded(path):
            return base64.b64encode(path.read_bytes()).decode()

        if user is None:
            login = {"client-certificate-data": encoded(self.certificates.admin[0]),
                     "client-key-data": encoded(self.certificates.admin[1])}
        else:
            login = {"token": self.tokens[user]}
        server = {"server": f"https://127.0.0.1:{port or self.port}",
                  "certificate-authority-data": encoded(self.certificates.ca)}
        return json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": context,
            "clusters": [{"name": "test", "cluster": server}],
            "users": [{"name": "test", "user": login}],
            "contexts": [{"name": context, "context": {"cluster": "test", "user": "test"}}]})

    def kubeconfig_file(self, user=None, port=None, context="test"):
        """Writes kubeconfig() to a file that goes with the cluster, and returns its path."""
        path = self.folder / f"kubeconfig-{secrets.token_hex(4)}"
        path.touch(0o600)
        path.write_text(self.kubeconfig(user, port, context))
        return str(path)

    def environment(self, kubeconfig):
        """Returns an environment with KUBECONFIG, a home of its own, and settings of etcdctl and Go."""
        return {"GOGC": "400",  # a third less of the CPU that kubectl takes
                **os.environ, "KUBECONFIG": kubeconfig, "HOME": str(self.folder / "home"),
                "ETCDCTL_API": "3", "ETCDCTL_ENDPOINTS": self.etcd_endpoint}

    def run(self, arguments, user=None, port=None, **options):
        """Runs a program with environment(); returns the CompletedProcess, output as text."""
        environment = self.environment(self.kubeconfig_file(user, port))
        return subprocess.run([str(a) for a in arguments], env=environment, capture_output=True,
                              text=True, check=False, **options)

    def kubectl(self, *arguments, user=None):
        return self.run(["kubectl", *arguments], user)

    def _etcdctl(self, *arguments):
        return subprocess.run([self.binaries["etcdctl"], *arguments], capture_output=True, text=True,
                              check=False, env={"ETCDCTL_API": "3", "PATH": os.environ["PATH"],
                                                "ETCDCTL_ENDPOINTS": self.etcd_endpoint})

    def _etcdctl_json(self, *arguments):
        run = self._etcdctl(*arguments, "-w", "json")
        if run.returncode != 0:
            raise ClusterError(f"etcdctl {arguments[0]} failed: {run.stderr.strip()}")
        return json.loads(run.stdout)

    def etcd_range(self, prefix):
        """Returns {key: bytes} of all keys that begin with `prefix`."""
        answer = self._etcdctl_json("get", "--prefix", prefix)
        return {base64.b64decode(pair["key"]).decode(): base64.b64decode(pair["value"])
                for pair in answer.get("kvs", [])}

    def etcd_revisions(self, prefix):
        """Returns {key: (mod revision, bytes)}: two that are equal saw no write in between."""
        answer = self._etcdctl_json("get", "--prefix", prefix)
        return {base64.b64decode(pair["key"]).decode():
                (pair["mod_revision"], base64.b64decode(pair["value"]))
                for pair in answer.get("kvs", [])}

    def etcd_get(self, key):
        """Returns the bytes at `key`, None if there is no such key."""
        pairs = self._etcdctl_json("get", key).get("kvs", [])
        return base64.b64decode(pairs[0]["value"]) if pairs else None

    def etcd_put(self, key, value):
        """Changes what is at a key behind the server's back, as no server would."""
        if self._etcdctl("put", key, "--", value.decode()).returncode != 0:
            raise ClusterError(f"etcd does not take {key}")

    def etcd_delete(self, key):
        """Takes a key out of etcd behind the server's back."""
        if self._etcdctl_json("del", key).get("deleted") != 1:
            raise ClusterError(f"etcd has no {key}")

    def etcd_clear(self, prefix):
        """Takes all keys that begin with `prefix` out of etcd behind the server's back.

        Each at a revision of its own: a watch that begins anew goes on behind the last revision that it saw, and never
        hears of what else went then.
        """
        keys = self._etcdctl_json("get", "--prefix", "--keys-only", prefix).get("kvs", [])
        connection = http.client.HTTPConnection(self.etcd_endpoint.partition("//")[2], timeout=60)
        for pair in keys:
            connection.request("POST", "/v3/kv/deleterange", json.dumps({"key": pair["key"]}))
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status != 200:
                raise ClusterError(f"etcd does not delete: {text}")
        connection.close()

    def etcd_copy(self, folder, peer):
        """Makes a data folder of another etcd, to be had by others at `peer`, from a snapshot of this one."""
        snapshot = str(self.folder / "snapshot")
        for arguments in (("save", snapshot), (
                "restore", snapshot, f"--data-dir={folder}", "--name=default", f"--initial-cluster=default={peer}",
                f"--initial-advertise-peer-urls={peer}")):
            run = self._etcdctl("snapshot", *arguments)
            if run.returncode != 0:
                raise ClusterError(f"etcdctl snapshot {arguments[0]} failed: {run.stderr.strip()}")

    def etcd_compact(self):
        """Drops all history before now: continue tokens given out so far expire. Returns the revision."""
        status = self._etcdctl_json("endpoint", "status")
        revision = status[0]["Status"]["header"]["revision"]
        self._etcdctl("compact", str(revision))  # fails where somebody else was first: just as good
        return revision

    def audit_records(self):
        """Returns every event of the audit log so far, as it stands there."""
        with open(self.folder / "audit.log", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def audit_events(self, user):
        """Returns what `user` has asked so far: (verb, path, HTTP code) in order."""
        return [(event["verb"], event["requestURI"], event.get("responseStatus", {}).get("code", 0))
                for event in self.audit_records() if event["user"].get("username") == user]
