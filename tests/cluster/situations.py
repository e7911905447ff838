"""Kubeconfigs, flags and environments in which kubectl is asked what it does (kubeconfig_test.py).

@token:USER@, @file:NAME@ (a path), @text:NAME@, @crlf:NAME@, @data:NAME@ and @lines:NAME@ (its content,
plain, with Windows lines, and in base64), @port:SERVER@, @address@ (of this machine, not on loopback) and @dir@ (the situation's folder)
stand for what the test has.
"""
import dataclasses
import shlex


@dataclasses.dataclass
class Situation:
    """What kubectl and kubectl-prune find. Where they differ, `unlike` says what we do, and why.

    `files` are relative to the folder of the situation, which is the working directory too and has
    the home "home"; those that begin with "#!" can be run. `pod` is a service account folder: {name: text}.
    """
    name: str
    files: dict = dataclasses.field(default_factory=dict)
    flags: str = ""
    environment: dict = dataclasses.field(default_factory=dict)
    pod: dict = None
    unlike: tuple = None  # (kind of our outcome, reason)
    links: dict = dataclasses.field(default_factory=dict)  # symbolic links: {name: where to}

    @property
    def arguments(self):
        return shlex.split(self.flags)


API = "https://127.0.0.1:@port:api@"
FAR = "https://api.example.test:6443"  # no name server knows it: only proxies do
TRUSTED = f"server: '{API}', certificate-authority-data: @data:ca.crt@"
ALICE, BOB, ADMIN = ("token: @token:alice@", "token: @token:bob@", "token: @token:admin@")
CAROL = "client-certificate-data: @data:carol.crt@, client-key-data: @data:carol.key@"


def witness(name="witness", more="", scheme="https", host="127.0.0.1"):
    """Returns the cluster entry of a server that notes what it is sent."""
    return (f"server: '{scheme}://{host}:@port:{name}@', certificate-authority-data: @data:ca.crt@" +
            more)


def far(more=""):
    return f"server: '{FAR}', certificate-authority-data: @data:ca.crt@{more}"


def config(cluster=TRUSTED, user=ALICE, context="cluster: c, user: u", current="x"):
    return (f"apiVersion: v1\nkind: Config\ncurrent-context: {current}\n"
            f"clusters: [{{name: c, cluster: {{{cluster}}}}}]\n"
            f"users: [{{name: u, user: {{{user}}}}}]\n"
            f"contexts: [{{name: x, context: {{{context}}}}}]\n")


def at_home(*arguments, **named):
    return {"home/.kube/config": config(*arguments, **named)}


def one(name, *arguments, flags="", environment=None, pod=None, unlike=None, files=None, **named):
    """A situation with ~/.kube/config = config(...), and `files` beside it."""
    return Situation(name, {**at_home(*arguments, **named), **(files or {})}, flags,
                     environment or {}, pod, unlike)


def kubeconfig(value):
    return {"KUBECONFIG": value}


EMPTY = ("apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts: []\n"
         "current-context: ''\n")

FILES = [
    one("K1 home"),
    Situation("K1 KUBECONFIG before home", {**at_home(), "a": config(user=BOB)}, "",
              kubeconfig("@dir@/a")),
    Situation("K1 an empty KUBECONFIG is none", at_home(), "", kubeconfig("")),
    Situation("K1 --kubeconfig before KUBECONFIG", {"a": config(), "b": config(user=BOB)},
              "--kubeconfig b", kubeconfig("@dir@/a")),
    Situation("K1 --kubeconfig=b, relative", {"sub/b": config(user=BOB)}, "--kubeconfig=sub/b"),
    Situation("K1 --kubeconfig missing", at_home(), "--kubeconfig gone"),
    Situation("K1 --kubeconfig is a list of files", {"a": config(), "b": config()},
              "--kubeconfig a:b"),
    Situation("K1 --kubeconfig is a folder", {"a/x": ""}, "--kubeconfig a"),
    Situation("K1 empty and missing names in the list", {"a": config()}, "",
              kubeconfig("@dir@/gone::@dir@/a:@dir@/a:")),
    Situation("K1 only missing names", at_home(), "", kubeconfig("@dir@/gone")),
    Situation("K1 an empty file first", {"a": "", "b": config()}, "",
              kubeconfig("@dir@/a:@dir@/b")),
    Situation("K1 relative names in the list", {"sub/a": config()}, "", kubeconfig("sub/a")),
    Situation("K1 a tilde is no home", at_home(), "", kubeconfig("~/.kube/config")),
    Situation("K1 no kubeconfig: localhost:8080"),
    Situation("K1 KUBERNETES_MASTER", {}, "",
              {"KUBERNETES_MASTER": "http://127.0.0.1:@port:plain@"}),
    Situation("K1 a kubeconfig before KUBERNETES_MASTER", at_home(), "",
              {"KUBERNETES_MASTER": "http://127.0.0.1:@port:plain@"}),
    Situation("K1 KUBERNETES_MASTER for a cluster without a server", at_home("server: ''"), "",
              {"KUBERNETES_MASTER": "http://127.0.0.1:@port:plain@"}),
    Situation("K1 an empty kubeconfig", {"home/.kube/config": ""}),
    Situation("K1 a kubeconfig without entries", {"home/.kube/config": EMPTY}),
    Situation("K1 a kubeconfig without entries and --server", {"home/.kube/config": EMPTY},
              f"--server {API} --certificate-authority @file:ca.crt@ --token @token:alice@"),
    Situation("K1 no home: the working directory", {".kube/config": config(user=BOB)}, "", {"HOME": ""}),
    Situation("K1 no kubeconfig and all by flags", {},
              f"-s {API} --certificate-authority=@file:ca.crt@ --client-key=@file:carol.key@ "
              "--client-certificate=@file:carol.crt@"),
]

TWO = (f"current-context: x\nclusters: [{{name: c, cluster: {{{TRUSTED}}}}}, "
       f"{{name: d, cluster: {{{witness()}}}}}]\n"
       f"users: [{{name: u, user: {{{ALICE}}}}}, {{name: v, user: {{{BOB}}}}}]\n"
       "contexts: [{name: x, context: {cluster: c, user: u, namespace: team}}, "
       "{name: z, context: {cluster: d, user: v}}]\n")

MERGING = [
    Situation("K2 of two users the first counts entirely",
              {"a": "users: [{name: u, user: {as: dave}}]", "b": config()}, "--token @token:admin@",
              kubeconfig("a:b")),
    Situation("K2 the first cluster counts", {"a": f"clusters: [{{name: c, cluster: {{{witness()}}}}}]",
                                              "b": config()}, "", kubeconfig("a:b")),
    Situation("K2 the first current-context counts", {"a": "current-context: z", "b": TWO}, "",
              kubeconfig("a:b")),
    Situation("K2 an empty current-context does not count", {"a": "current-context: ''", "b": TWO},
              "", kubeconfig("a:b")),
    Situation("K2 a current-context that no file has", {"a": "current-context: gone", "b": TWO}, "",
              kubeconfig("a:b")),
    Situation("K2 an unreadable file between", {"a": config(), "b": "{", "c": config()}, "",
              kubeconfig("a:b:c")),
    Situation("K2 a folder between", {"a": config(), "b/x": ""}, "", kubeconfig("a:b")),
    Situation("K2 paths are relative to their file",
              {"a": "current-context: x", "sub/b": config(
                  f"server: '{API}', certificate-authority: pki/ca",
                  "client-certificate: ../crt, client-key: key"),
               "sub/pki/ca": "@text:ca.crt@", "crt": "@text:carol.crt@", "sub/key": "@text:carol.key@"},
              "", kubeconfig("a:sub/b")),
    Situation("K2 tokenFile is relative to its file",
              {"sub/b": config(user="tokenFile: t"), "sub/t": "@token:bob@\n"}, "",
              kubeconfig("sub/b")),
    Situation("K2 names equal in one file", {"home/.kube/config": config().replace(
        "users: [", "users: [{name: u, user: {}}, ")}),
    Situation("K2 a key twice", {"home/.kube/config": config(user=f"{BOB}, {ALICE}")}),
    Situation("K2 a list twice", {"home/.kube/config": config() + "users: []\n"}),
    Situation("K2 unknown fields", {"home/.kube/config": config(
        user=ALICE + ", colour: red") + "preferences: {colors: true}\nmore: [1]\n"}),
    Situation("K2 keys in other letters", {"home/.kube/config": config().replace(
        "current-context", "Current-Context").replace("clusters:", "Clusters:")}),
    Situation("K2 another kind", {"home/.kube/config": config().replace("Config", "Pod")}),
    Situation("K2 another version", {"home/.kube/config": config().replace("v1\n", "v2\n", 1)}),
    Situation("K2 neither version nor kind", {"home/.kube/config": TWO}),
    Situation("K2 JSON", {"home/.kube/config": '{"current-context": "x", "clusters": [{"name": "c", '
        f'"cluster": {{"server": "{API}", "certificate-authority-data": "@data:ca.crt@"}}}}], '
        '"users": [{"name": "u", "user": {"token": "@token:alice@"}}], '
        '"contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}]}'}),
    Situation("K2 a token that is a number", {"home/.kube/config": config(user="token: 123")}),
    Situation("K2 a boolean in quotes", {"home/.kube/config": config(
        f"server: '{API}', insecure-skip-tls-verify: 'true'")}),
    Situation("K2 insecure: yes", {"home/.kube/config": config(
        f"server: '{API}', insecure-skip-tls-verify: yes")}),
    Situation("K2 a list where a map belongs", {"home/.kube/config": "clusters: {c: {}}"}),
    Situation("K2 a list at the top", {"home/.kube/config": "- a\n- b\n"}),
    Situation("K2 a text at the top", {"home/.kube/config": "hello"}),
    Situation("K2 tabs", {"home/.kube/config": "clusters:\n\t- name: c\n"}),
    Situation("K2 anchors and merge keys", {"home/.kube/config": "base: &base {token: "
        "@token:bob@}\n" + config(user="<<: *base")}),
    Situation("K2 a comment, a byte order mark and Windows lines", {"home/.kube/config":
        "\ufeff# mine\r\n" + config().replace("\n", "\r\n")}),
    Situation("K2 two documents", {"home/.kube/config": config() + "---\n" + config(user=BOB)}),
    Situation("K2 nulls", {"home/.kube/config": config(user=ALICE + ", as: null, exec: null") +
                           "preferences: null\nextensions: null\n"}),
    Situation("K2 null for a list", {"home/.kube/config": "clusters: null\nusers:\ncontexts: ~\n"}),
    Situation("K2 base64 over several lines", {"home/.kube/config":
        f"current-context: x\nclusters:\n- name: c\n  cluster:\n    server: {API}\n"
        "    certificate-authority-data: |\n      @lines:ca.crt@\n"
        f"users: [{{name: u, user: {{{ALICE}}}}}]\n"
        "contexts: [{name: x, context: {cluster: c, user: u}}]\n"}),
    Situation("K2 preferences of another type", {"home/.kube/config": config() + "preferences: 3\n"}),
    Situation("K2 extensions of another type", {"home/.kube/config": config() + "extensions: 3\n"}),
    one("K2 a cluster's extensions of another type", TRUSTED + ", extensions: 3"),
    one("K2 a user's extensions of another type", user=ALICE + ", extensions: {a: b}"),
    one("K2 a context's namespace of another type", context="cluster: c, user: u, namespace: 3"),
    Situation("K2 a user that is a text", {
        "home/.kube/config": config().replace("user: {", "user: hello, more: {", 1)}),
    Situation("K2 a version that is a number", {"home/.kube/config": config().replace("v1\n", "1\n", 1)}),
    Situation("K2 null entries", {"home/.kube/config": config().replace("users: [", "users: [null, ")}),
    Situation("K2 entries without a name", {"home/.kube/config": config().replace("name: u, ", "")}),
    Situation("K2 names that are numbers", {"home/.kube/config": config().replace("name: u", "name: 7")}),
    Situation("K2 a name that is empty", {"home/.kube/config": config(context="cluster: c, user: ''")
                                          .replace("name: u", "name: ''")}),
    one("K2 data that is no base64", f"server: '{API}', certificate-authority-data: '***'"),
]

PRECEDENCE = [
    Situation("K3 --context", {"home/.kube/config": TWO}, "--context z"),
    Situation("K3 --context missing", {"home/.kube/config": TWO}, "--context gone"),
    Situation("K3 --context empty", {"home/.kube/config": TWO}, "--context="),
    Situation("K3 --cluster", {"home/.kube/config": TWO}, "--cluster d"),
    Situation("K3 --cluster missing", {"home/.kube/config": TWO}, "--cluster gone"),
    Situation("K3 --user", {"home/.kube/config": TWO}, "--user=v"),
    Situation("K3 --user missing", {"home/.kube/config": TWO}, "--user gone"),
    Situation("K3 --context, --cluster and --user", {"home/.kube/config": TWO},
              "--context x --cluster d --user v"),
    Situation("K3 --server", {"home/.kube/config": TWO}, "-s https://127.0.0.1:@port:witness@"),
    Situation("K3 --cluster and --user without a context", {"home/.kube/config": TWO.replace(
        "current-context: x", "")}, "--cluster c --user v"),
    one("K3 --token before the token", flags="--token @token:bob@"),
    one("K3 --token before a client certificate", user=CAROL, flags="--token @token:bob@"),
    one("K3 --token and tokenFile", user="tokenFile: t", flags="--token @token:bob@",
        files={"home/.kube/t": "@token:alice@"}),
    one("K3 --client-certificate before a token", flags="--client-certificate @file:carol.crt@ "
        "--client-key @file:carol.key@"),
    one("K3 --client-certificate without a key", user="", flags="--client-certificate @file:carol.crt@"),
    one("K3 --server clears tls-server-name", f"{TRUSTED}, tls-server-name: gone.example.test",
        flags=f"--server {API}"),
    one("K3 --server with --tls-server-name", TRUSTED,
        flags=f"--server {API} --tls-server-name gone.example.test"),
    one("K3 --insecure-skip-tls-verify clears CA data",
        f"server: '{API}', certificate-authority-data: @data:other.crt@",
        flags="--insecure-skip-tls-verify"),
    one("K3 --insecure-skip-tls-verify=false", f"server: '{API}', insecure-skip-tls-verify: true",
        flags="--insecure-skip-tls-verify=false"),
    one("K3 --certificate-authority clears insecure",
        f"server: '{API}', insecure-skip-tls-verify: true",
        flags="--certificate-authority @file:other.crt@"),
    one("K3 --certificate-authority before CA data",
        f"server: '{API}', certificate-authority-data: @data:other.crt@",
        flags="--certificate-authority @file:ca.crt@"),
    Situation("K3 paths of flags are relative to the working directory",
              {**at_home(f"server: '{API}'", ""), "ca": "@text:ca.crt@", "crt": "@text:carol.crt@",
               "key": "@text:carol.key@"},
              "--certificate-authority ca --client-certificate ./crt --client-key key"),
    one("K3 empty flags", flags="--server= --token= --as= --user= --cluster= --certificate-authority="),
    one("K3 both trust flags", flags="--certificate-authority @file:ca.crt@ "
        "--insecure-skip-tls-verify"),
    one("K3 a context without a user", context="cluster: c"),
    one("K3 a context without a cluster", context="user: u"),
    one("K3 a context naming a missing user", context="cluster: c, user: gone"),
    one("K3 a context naming a missing cluster", context="cluster: gone, user: u"),
    one("K3 an empty current-context", current="''"),
    one("K3 a current-context that is not there", current="gone"),
    one("K3 --as", user=ADMIN, flags="--as dave"),
    one("K3 --as with groups", user=ADMIN, flags="--as dave --as-group devs --as-group=ops"),
    one("K3 --as-group without --as", user=ADMIN, flags="--as-group devs"),
    one("K3 --as-uid", witness(), ADMIN, flags="--as dave --as-uid 77"),
    one("K3 --as-uid without --as", user=ADMIN, flags="--as-uid 77"),
    one("K3 --as a service account", user=ADMIN, flags="--as system:serviceaccount:team:robot"),
    one("K3 --as without the right", flags="--as dave"),
    one("K3 impersonation of the kubeconfig",
        user=f"{ADMIN}, as: erin, as-groups: [a, b], as-user-extra: {{scopes: [read, write], "
        "example.com/why: [z]}"),
    one("K3 impersonation as it is sent", witness(),
        user=f"{ADMIN}, as: erin, as-uid: '9', as-groups: [a, b], as-user-extra: {{Scopes: [read, write], "
        "'example.com/a why%': ['z z']}"),
    one("K3 --as over the kubeconfig's", user=f"{ADMIN}, as: erin, as-groups: [a]", flags="--as dave"),
    one("K3 --as-group over the kubeconfig's", user=f"{ADMIN}, as: erin, as-groups: [a]",
        flags="--as-group devs"),
    one("K3 groups of the kubeconfig without a user", user=f"{ADMIN}, as-groups: [a]"),
    one("K3 impersonation over http", witness("plain", scheme="http"), f"{ADMIN}, as: erin"),
]

CREDENTIALS = [
    one("K4 a client certificate by data", user=CAROL),
    one("K4 a client certificate by file",
        user="client-certificate: '@file:carol.crt@', client-key: '@file:carol.key@'"),
    one("K4 a certificate by file, its key by data",
        user="client-certificate: '@file:carol.crt@', client-key-data: @data:carol.key@"),
    one("K4 a client certificate by data and file",
        user=CAROL + ", client-certificate: '@file:carol.crt@'"),
    one("K4 a client key by data and file", user=CAROL + ", client-key: '@file:carol.key@'"),
    one("K4 a client certificate without a key", user="client-certificate-data: @data:carol.crt@"),
    one("K4 a client key without a certificate", user="client-key-data: @data:carol.key@"),
    one("K4 a client certificate file that is missing",
        user="client-certificate: gone.crt, client-key: gone.key"),
    one("K4 a client certificate that is garbage",
        user="client-certificate-data: R0FSQkFHRQ==, client-key-data: @data:carol.key@"),
    one("K4 a client key that is garbage",
        user="client-certificate-data: @data:carol.crt@, client-key-data: R0FSQkFHRQ=="),
    one("K4 a key of another certificate",
        user="client-certificate-data: @data:carol.crt@, client-key-data: @data:ca.key@"),
    one("K4 an encrypted key",
        user="client-certificate-data: @data:carol.crt@, client-key-data: @data:encrypted.key@"),
    one("K4 an expired client certificate",
        user="client-certificate-data: @data:late.crt@, client-key-data: @data:late.key@"),
    one("K4 a client certificate of another CA",
        user="client-certificate-data: @data:mallory.crt@, client-key-data: @data:mallory.key@"),
    one("K4 a client certificate with its chain",
        user="client-certificate-data: @data:frank-chain.crt@, client-key-data: @data:frank.key@"),
    one("K4 token and client certificate", user=f"{ALICE}, {CAROL}"),
    one("K4 token and tokenFile", user=f"{ALICE}, tokenFile: t", files={"home/.kube/t": "@token:bob@"}),
    one("K4 token and a missing tokenFile", user=f"{ALICE}, tokenFile: gone"),
    one("K4 a missing tokenFile", user="tokenFile: gone"),
    one("K4 an empty tokenFile", user="tokenFile: t", files={"home/.kube/t": " \n"}),
    one("K4 a tokenFile with blanks around", user="tokenFile: t",
        files={"home/.kube/t": "\n @token:bob@ \r\n"}),
    one("K4 a wrong token", user="token: wrong"),
    one("K4 a token with a line break", user='token: "a\\nb"'),
    one("K4 an empty token", user="token: ''"),
    one("K4 a token with blanks around", witness(), "token: ' abc '"),
    one("K4 a token that is not ASCII", witness(), "token: 'ä'"),
    one("K4 a garbage certificate for a server by http", witness("plain", scheme="http"),
        "client-certificate-data: R0FSQkFHRQ==, client-key-data: R0FSQkFHRQ=="),
    one("K4 a missing tokenFile for a server by http", witness("plain", scheme="http"),
        "tokenFile: gone"),
    one("K4 a tokenFile beside a plugin", user="tokenFile: t, exec: {command: gone, "
        "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}",
        files={"home/.kube/t": "@token:bob@"}),
    one("K4 basic auth with a colon and letters beyond ASCII", witness(),
        "username: gäs, password: 'ü:'"),
    one("K4 basic auth beside a client certificate", witness(),
        f"{CAROL}, username: gus, password: secret"),
    one("K4 basic auth", witness(), "username: gus, password: 'se:cret'"),
    one("K4 basic auth without a password", witness(), "username: gus"),
    one("K4 a password without a user name", witness(), "password: secret"),
    one("K4 basic auth by flags", witness(), "", flags="--username gus --password secret"),
    one("K4 token and basic auth", user=f"{ALICE}, username: gus, password: secret"),
    one("K4 token and --username", flags="--username gus --password secret"),
    one("K4 --token over basic auth", user="username: gus, password: secret", flags="--token @token:bob@"),
    one("K4 tokenFile and basic auth", user="tokenFile: t, username: gus, password: secret",
        files={"home/.kube/t": "@token:bob@"}),
    one("K4 a user without anything", user=""),
    one("K4 no credentials are sent by http", witness("plain", scheme="http"), ALICE),
    one("K4 basic auth is not sent by http", witness("plain", scheme="http"),
        "username: gus, password: secret"),
    one("K4 user and password in the URL", "server: 'https://gus:pw@127.0.0.1:@port:witness@', "
        "certificate-authority-data: @data:ca.crt@", ""),
    one("K4 user and password in an http URL", "server: 'http://gus:pw@127.0.0.1:@port:plain@'", ALICE),
    one("K4 user and password in the URL beside a token",
        "server: 'https://gus:pw@127.0.0.1:@port:witness@', certificate-authority-data: @data:ca.crt@"),
    one("K4 an auth provider", user="auth-provider: {name: gcp}"),
    one("K4 a token beside a plugin", user=f"{ALICE}, exec: {{command: gone, "
        "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}"),
    one("K4 a plugin without interactiveMode", user="exec: {command: x, apiVersion: "
        "client.authentication.k8s.io/v1}"),
]


def proxied(name, url, cluster=None, user=ALICE, **named):
    return one(f"K5 {name}", cluster or far(f", proxy-url: '{url}'"), user, **named)


def environment_proxy(name, variables, cluster=None, user=ALICE, **named):
    return one(f"K5 {name}", cluster or far(), user, environment=variables, **named)


HTTP_PROXY = "http://127.0.0.1:@port:proxy@"
# Nobody listens there, but the proxy leads to the API server.
BY_ADDRESS = ("server: 'https://@address@:@port:closed@', tls-server-name: localhost, "
              "certificate-authority-data: @data:ca.crt@")
PROXIES = [
    proxied("proxy-url http", HTTP_PROXY),
    proxied("proxy-url http with a password", "http://me:p%40ss@127.0.0.1:@port:proxy@"),
    proxied("proxy-url https", "https://127.0.0.1:@port:tls-proxy@"),
    proxied("proxy-url https of an unknown CA", "https://127.0.0.1:@port:unknown-proxy@"),
    proxied("proxy-url https and an insecure cluster", "", f"server: '{FAR}', insecure-skip-tls-verify: "
            "true, proxy-url: 'https://127.0.0.1:@port:unknown-proxy@'"),
    proxied("proxy-url https with a client certificate", "https://127.0.0.1:@port:tls-proxy@", user=CAROL),
    proxied("proxy-url socks5", "socks5://127.0.0.1:@port:socks@"),
    proxied("proxy-url socks5 with a password", "socks5://me:pw@127.0.0.1:@port:socks@"),
    proxied("proxy-url socks5 to an address", "", f"{TRUSTED}, proxy-url: 'socks5://127.0.0.1:@port:socks@'"),
    proxied("proxy-url to a server on loopback", "", f"{TRUSTED}, proxy-url: '{HTTP_PROXY}'"),
    proxied("proxy-url and a server by http", "",
            f"server: 'http://api.example.test:8080', proxy-url: '{HTTP_PROXY}'"),
    proxied("proxy-url before the environment's", HTTP_PROXY,
            environment={"HTTPS_PROXY": "http://127.0.0.1:@port:closed@"}),
    proxied("proxy-url and NO_PROXY", HTTP_PROXY, environment={"NO_PROXY": "*"}),
    proxied("proxy-url that refuses", "http://127.0.0.1:@port:closed@"),
    proxied("proxy-url socks5 that refuses", "socks5://127.0.0.1:@port:closed@"),
    proxied("proxy-url of a proxy that does not know the server", "",
            f"server: 'https://other.example.test', proxy-url: '{HTTP_PROXY}'"),
    proxied("proxy-url ftp", "ftp://127.0.0.1:21"),
    proxied("proxy-url socks4", "socks4://127.0.0.1:21"),
    proxied("proxy-url without a scheme", "127.0.0.1:@port:proxy@"),
    proxied("proxy-url without a host", "http://", unlike=(
        'invalid \'proxy-url\' "http://" for cluster "c": no host in it',
        "kubectl tries localhost, port 80")),
    proxied("proxy-url and tls-server-name", "", f"server: 'https://address.example.test', "
            f"tls-server-name: api.example.test, certificate-authority-data: @data:ca.crt@, "
            f"proxy-url: '{HTTP_PROXY}'"),
    proxied("proxy-url https and tls-server-name", "", "server: 'https://address.example.test', "
            "tls-server-name: api.example.test, certificate-authority-data: @data:ca.crt@, "
            "proxy-url: 'https://127.0.0.1:@port:tls-proxy@'", unlike=(
                "ok", "kubectl compares the proxy's certificate with tls-server-name")),
    environment_proxy("HTTPS_PROXY", {"HTTPS_PROXY": HTTP_PROXY}),
    environment_proxy("https_proxy", {"https_proxy": HTTP_PROXY}),
    environment_proxy("HTTPS_PROXY before https_proxy",
                      {"HTTPS_PROXY": HTTP_PROXY, "https_proxy": "http://127.0.0.1:@port:closed@"}),
    environment_proxy("HTTPS_PROXY without a scheme", {"HTTPS_PROXY": "127.0.0.1:@port:proxy@"}),
    environment_proxy("HTTPS_PROXY socks5", {"HTTPS_PROXY": "socks5://127.0.0.1:@port:socks@"}),
    environment_proxy("HTTPS_PROXY https", {"HTTPS_PROXY": "https://127.0.0.1:@port:tls-proxy@"}),
    environment_proxy("HTTPS_PROXY and tls-server-name", {"HTTPS_PROXY": HTTP_PROXY, "NO_PROXY":
                      "api.example.test"}, "server: 'https://address.example.test', "
                      "tls-server-name: api.example.test, certificate-authority-data: @data:ca.crt@"),
    environment_proxy("HTTP_PROXY is not for https", {"HTTP_PROXY": HTTP_PROXY}),
    environment_proxy("HTTP_PROXY for http", {"HTTP_PROXY": HTTP_PROXY},
                      "server: 'http://api.example.test:8080'"),
    environment_proxy("http_proxy for http", {"http_proxy": HTTP_PROXY},
                      "server: 'http://api.example.test:8080'"),
    environment_proxy("ALL_PROXY is not looked at", {"ALL_PROXY": HTTP_PROXY}),
    environment_proxy("NO_PROXY with the host", {"HTTPS_PROXY": HTTP_PROXY,
                                                 "NO_PROXY": "a.test, API.example.test"}),
    environment_proxy("NO_PROXY with the domain", {"HTTPS_PROXY": HTTP_PROXY, "NO_PROXY": "example.test"}),
    environment_proxy("NO_PROXY with a dot", {"HTTPS_PROXY": HTTP_PROXY, "NO_PROXY": ".example.test"}),
    environment_proxy("NO_PROXY with a dot before the host", {"HTTPS_PROXY": HTTP_PROXY, "NO_PROXY":
                                                              ".api.example.test"}),
    environment_proxy("NO_PROXY with a star before the domain", {"HTTPS_PROXY": HTTP_PROXY,
                                                                 "NO_PROXY": "*.example.test"}),
    environment_proxy("NO_PROXY with the host's end only", {"HTTPS_PROXY": HTTP_PROXY,
                                                            "NO_PROXY": "i.example.test"}),
    environment_proxy("NO_PROXY with the port", {"HTTPS_PROXY": HTTP_PROXY,
                                                 "NO_PROXY": "api.example.test:6443"}),
    environment_proxy("NO_PROXY with another port", {"HTTPS_PROXY": HTTP_PROXY,
                                                     "NO_PROXY": "api.example.test:443"}),
    environment_proxy("NO_PROXY *", {"HTTPS_PROXY": HTTP_PROXY, "NO_PROXY": "*"}),
    environment_proxy("no_proxy", {"HTTPS_PROXY": HTTP_PROXY, "no_proxy": "example.test"}),
    environment_proxy("NO_PROXY with the network", {"HTTPS_PROXY": HTTP_PROXY,
                                                    "NO_PROXY": "@address@/24"}, BY_ADDRESS),
    environment_proxy("NO_PROXY with another network", {"HTTPS_PROXY": HTTP_PROXY,
                                                        "NO_PROXY": "240.0.0.0/24"}, BY_ADDRESS),
    environment_proxy("NO_PROXY with the address", {"HTTPS_PROXY": HTTP_PROXY,
                                                    "NO_PROXY": "@address@"}, BY_ADDRESS),
    environment_proxy("HTTPS_PROXY and a server on loopback",
                      {"HTTPS_PROXY": "http://127.0.0.1:@port:closed@"}, TRUSTED),
    environment_proxy("HTTPS_PROXY and localhost", {"HTTPS_PROXY": "http://127.0.0.1:@port:closed@"},
                      "server: 'https://localhost:@port:api@', certificate-authority-data: @data:ca.crt@"),
    environment_proxy("HTTPS_PROXY that refuses", {"HTTPS_PROXY": "http://127.0.0.1:@port:closed@"}),
    one("K5 disable-compression", far(f", disable-compression: true, proxy-url: '{HTTP_PROXY}'")),
    one("K5 --disable-compression", far(f", proxy-url: '{HTTP_PROXY}'"), flags="--disable-compression"),
]

SERVERS = [
    one("K5 tls-server-name", "server: 'https://127.0.0.1:@port:far@', tls-server-name: "
        "api.example.test, certificate-authority-data: @data:ca.crt@"),
    one("K5 --tls-server-name", "server: 'https://127.0.0.1:@port:far@', "
        "certificate-authority-data: @data:ca.crt@", flags="--tls-server-name api.example.test"),
    one("K5 a wrong tls-server-name and insecure", f"server: '{API}', tls-server-name: "
        "gone.example.test, insecure-skip-tls-verify: true"),
    one("K5 tls-server-name is an address", "server: 'https://localhost:@port:address@', "
        "tls-server-name: 127.0.0.1, certificate-authority-data: @data:ca.crt@"),
    one("K5 a path with a tilde", f"server: '{API}', certificate-authority: '~/ca'",
        files={"home/ca": "@text:ca.crt@"}),
    one("K5 a wrong tls-server-name", f"{TRUSTED}, tls-server-name: gone.example.test"),
    one("K5 insecure-skip-tls-verify", f"server: '{API}', insecure-skip-tls-verify: true"),
    one("K5 insecure-skip-tls-verify with CA data", f"{TRUSTED}, insecure-skip-tls-verify: true"),
    one("K5 insecure-skip-tls-verify with a CA file",
        f"server: '{API}', certificate-authority: '@file:ca.crt@', insecure-skip-tls-verify: true"),
    one("K5 CA file", f"server: '{API}', certificate-authority: '@file:ca.crt@'"),
    one("K5 CA data and CA file", f"{TRUSTED}, certificate-authority: '@file:other.crt@'"),
    one("K5 CA data and a missing CA file", f"{TRUSTED}, certificate-authority: gone"),
    one("K5 a missing CA file", f"server: '{API}', certificate-authority: gone"),
    one("K5 a CA file that is garbage", f"server: '{API}', certificate-authority: g",
        files={"home/.kube/g": "garbage"}),
    one("K5 an empty CA file", f"server: '{API}', certificate-authority: g",
        files={"home/.kube/g": ""}),
    one("K5 CA data that is garbage", f"server: '{API}', certificate-authority-data: R0FSQkFHRQ=="),
    one("K5 a CA file with two CAs", f"server: '{API}', certificate-authority: two",
        files={"home/.kube/two": "@text:other.crt@@text:ca.crt@"}),
    one("K5 a CA file with text around", f"server: '{API}', certificate-authority: two",
        files={"home/.kube/two": "# ours\n@text:ca.crt@\n# end\n"}),
    one("K5 no CA at all", f"server: '{API}'"),
    one("K5 the system's CAs in SSL_CERT_FILE", f"server: '{API}'",
        environment={"SSL_CERT_FILE": "@file:ca.crt@"}),
    one("K5 SSL_CERT_FILE is missing", f"server: '{API}'", environment={"SSL_CERT_FILE": "gone"}),
    one("K5 the system's CAs in SSL_CERT_DIR", f"server: '{API}'", files={"cas/ca": "@text:ca.crt@"},
        environment={"SSL_CERT_DIR": "gone:cas"}),
    one("K5 CA data before SSL_CERT_FILE",
        f"server: '{API}', certificate-authority-data: @data:other.crt@",
        environment={"SSL_CERT_FILE": "@file:ca.crt@"}),
    one("K5 the serving certificate as CA", f"server: '{API}', certificate-authority: '@file:serving.crt@'"),
    one("K5 CA data for a server by http", "server: 'http://127.0.0.1:@port:plain@', "
        "certificate-authority-data: R0FSQkFHRQ=="),
    one("K5 a path prefix", "server: 'https://127.0.0.1:@port:witness@/prefix', "
        "certificate-authority-data: @data:ca.crt@"),
    one("K5 a path prefix with a slash", "server: 'https://127.0.0.1:@port:witness@/prefix/', "
        "certificate-authority-data: @data:ca.crt@"),
    one("K5 a slash at the end", f"server: '{API}/', certificate-authority-data: @data:ca.crt@"),
    one("K5 a server without a scheme", "server: '127.0.0.1:@port:plain@'"),
    one("K5 a server without a scheme that wants TLS", "server: '127.0.0.1:@port:api@'"),
    one("K5 a host name without a scheme or port", "server: nowhere.invalid"),
    one("K5 a server without a scheme and with a path", "server: '127.0.0.1:@port:plain@/prefix'"),
    one("K5 a scheme in capitals", f"server: 'HTTPS{API[5:]}', certificate-authority-data: @data:ca.crt@"),
    one("K5 a scheme that is unknown", "server: 'ftp://127.0.0.1'"),
    one("K5 a server that is no URL", "server: 'https://a b'"),
    one("K5 a server with a bad port", "server: 'https://127.0.0.1:port'"),
    one("K5 a port too large", "server: 'https://127.0.0.1:70000'"),
    one("K5 a server with a query", f"server: '{API}?a=b', certificate-authority-data: @data:ca.crt@"),
    one("K5 blanks around the server", f"server: ' {API} ', certificate-authority-data: @data:ca.crt@"),
    one("K5 an empty server", "server: ''"),
    one("K5 a server that refuses", "server: 'https://127.0.0.1:@port:closed@'"),
    one("K5 a server that has no name", "server: 'https://nowhere.invalid:6443'"),
    one("K5 a server by name", "server: 'https://localhost:@port:api@', certificate-authority-data: "
        "@data:ca.crt@"),
    one("K5 http to a server of https", "server: 'http://127.0.0.1:@port:api@'"),
    one("K5 https to a server of http", witness("plain")),
    one("K5 an IPv6 address", "server: 'https://[::1]:@port:ipv6@', certificate-authority-data: "
        "@data:ca.crt@"),
]

CERTIFICATES = [
    one("certificate expired", witness("expired")),
    one("certificate of another host", witness("far")),
    one("certificate of an unknown CA", witness("unknown-ca")),
    one("certificate signed by itself", witness("self-signed")),
    one("certificate signed by itself and trusted", "server: 'https://127.0.0.1:@port:self-signed@', "
        "certificate-authority-data: @data:self.crt@"),
    one("certificate of an IP address", witness("address")),
    one("certificate of an IP address, asked by name", witness("address", host="localhost")),
    one("certificate of a name, asked by IP address", witness("name")),
    one("certificate with a star", "server: 'https://127.0.0.1:@port:star@', tls-server-name: "
        "api.example.test, certificate-authority-data: @data:ca.crt@"),
    one("certificate with a star for two labels", "server: 'https://127.0.0.1:@port:star@', "
        "tls-server-name: a.api.example.test, certificate-authority-data: @data:ca.crt@"),
    one("certificate with a common name only", "server: 'https://localhost:@port:common-name@', "
        "certificate-authority-data: @data:ca.crt@", unlike=("ok", "libcurl takes the common name "
        "where a certificate has no other, as all did before 2020; its CA must be trusted as ever")),
    one("certificate for clients only", witness("client-only")),
    one("certificate with its chain", witness("chain")),
    one("certificate without its chain", witness("no-chain")),
    one("expired and insecure", "server: 'https://127.0.0.1:@port:expired@', "
        "insecure-skip-tls-verify: true"),
    one("mTLS", witness("mtls"), CAROL),
    one("mTLS with a token beside", witness("mtls"), f"{CAROL}, {ALICE}"),
    one("mTLS without a client certificate", witness("mtls")),
    one("mTLS with another CA's", witness("mtls"),
        "client-certificate-data: @data:mallory.crt@, client-key-data: @data:mallory.key@"),
    one("TLS 1.2 only", witness("tls12")),
    one("TLS 1.2 only, with a client certificate", witness("tls12"), CAROL),
    one("TLS 1.1 only", witness("tls11")),
    one("TLS 1.1 only and insecure", "server: 'https://127.0.0.1:@port:tls11@', "
        "insecure-skip-tls-verify: true"),
]

POD = {"token": "@token:bob@", "ca.crt": "@text:ca.crt@", "namespace": "team"}
IN_POD = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "@port:api@"}
IN_CLUSTER = [
    Situation("K6 in a pod", {}, "", IN_POD, POD),
    Situation("K6 in a pod with an empty kubeconfig", {"home/.kube/config": EMPTY}, "", IN_POD, POD),
    one("K6 a kubeconfig before the pod", environment=IN_POD, pod=POD),
    Situation("K6 only a host", {}, "", {"KUBERNETES_SERVICE_HOST": "127.0.0.1"}, POD),
    Situation("K6 no token", {}, "", IN_POD, {"ca.crt": "@text:ca.crt@"}),
    Situation("K6 an empty token", {}, "", IN_POD, {**POD, "token": ""}),
    Situation("K6 a token with a line end", {}, "", IN_POD, {**POD, "token": "@token:bob@\n"}),
    Situation("K6 no CA", {}, "", IN_POD, {"token": "@token:bob@"}),
    Situation("K6 another CA", {}, "", IN_POD, {**POD, "ca.crt": "@text:other.crt@"}),
    Situation("K6 a CA that is garbage", {}, "", IN_POD, {**POD, "ca.crt": "garbage"}),
    Situation("K6 --token", {}, "--token @token:alice@", IN_POD, POD),
    Situation("K6 --server", {}, f"--server {API}", IN_POD, POD),
    Situation("K6 --as", {}, "--as dave", IN_POD, {**POD, "token": "@token:admin@"}),
    Situation("K6 --certificate-authority", {}, "--certificate-authority @file:ca.crt@", IN_POD,
              {**POD, "ca.crt": "@text:other.crt@"}),
    Situation("K6 --insecure-skip-tls-verify", {}, "--insecure-skip-tls-verify", IN_POD,
              {**POD, "ca.crt": "@text:other.crt@"}),
    Situation("K6 --namespace", {}, "-n team", IN_POD, POD),
    Situation("K6 --request-timeout", {}, "--request-timeout 5s", IN_POD, POD, ("ok",
              "kubectl takes a timeout for a server of its own and tries localhost:8080")),
    Situation("K6 --tls-server-name", {}, "--tls-server-name gone.example.test", IN_POD, POD),
    Situation("K6 --client-certificate", {}, "--client-certificate @file:carol.crt@ --client-key "
              "@file:carol.key@", IN_POD, POD),
    Situation("K6 --context missing", {}, "--context gone", IN_POD, POD),
    Situation("K6 KUBERNETES_MASTER", {}, "",
              {**IN_POD, "KUBERNETES_MASTER": "http://127.0.0.1:@port:plain@"}, POD),
    Situation("K6 an IPv6 address", {}, "", {"KUBERNETES_SERVICE_HOST": "::1",
              "KUBERNETES_SERVICE_PORT": "@port:ipv6@"}, POD),
    Situation("K6 --disable-compression", {}, "--disable-compression", IN_POD, POD, ("ok",
              "as --request-timeout")),
    Situation("K6 an empty KUBECONFIG list", at_home(), "", {**IN_POD, "KUBECONFIG": ":"}, POD),
    Situation("K6 --user missing", {}, "--user gone", IN_POD, POD),
    Situation("K6 --username", {}, "--username gus --password secret", IN_POD, POD),
    Situation("K6 HTTPS_PROXY", {}, "", {**IN_POD, "HTTPS_PROXY": "http://127.0.0.1:@port:closed@"}, POD),
    one("K6 a context naming a missing cluster", context="cluster: gone, user: u",
        environment=IN_POD, pod=POD),
]

REQUESTS = [
    Situation("-n", {"home/.kube/config": TWO}, "-n other"),
    Situation("--namespace=", {"home/.kube/config": TWO}, "--namespace="),
    one("--request-timeout", flags="--request-timeout 10"),
    one("--request-timeout=0", flags="--request-timeout=0"),
    one("--request-timeout in wrong words", flags="--request-timeout soon"),
]

IN_NAMESPACE = Situation("K7", {"home/.kube/config": TWO})
TOKEN_FILE = Situation("K4", {"home/.kube/config": config(user="tokenFile: '@dir@/token'"),
                              "token": "first"})
