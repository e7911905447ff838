"""More situations for kubeconfig_test.py, of a kind that is rarely written on purpose; see situations.py."""
from situations import (ALICE, API, BOB, CAROL, HTTP_PROXY, IN_POD, POD, TRUSTED, Situation, config,
                        far, kubeconfig, one, witness)

V1_PLUGIN = "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never"
# Prints a credential with Bob's token.
BOBS_PLUGIN = ("#!/bin/sh\necho '{\"apiVersion\": \"client.authentication.k8s.io/v1\", \"kind\": "
               "\"ExecCredential\", \"status\": {\"token\": \"@token:bob@\"}}'\n")


# {"exp": 4102444800} and {"exp": 1}
VALID_UNTIL_2100 = "a.eyJleHAiOjQxMDI0NDQ4MDB9.c"
VALID_UNTIL_1970 = "a.eyJleHAiOjF9.c"


def oidc(more):
    return ("auth-provider: {name: oidc, config: {idp-issuer-url: 'https://idp.invalid', client-id: "
            f"kubectl, {more}}}}}")


def text(name, old, new, **named):
    """~/.kube/config with `new` in the place of `old`."""
    changed = config().replace(old, new, 1)
    assert changed != config(), name
    return Situation(name, {"home/.kube/config": changed}, **named)


FILES = [
    Situation("K1 a link to a kubeconfig: its paths are relative to the link",
              {"real/config": config(user="tokenFile: t"), "real/t": "@token:bob@",
               "home/.kube/t": "@token:alice@"}, links={"home/.kube/config": "../../real/config"}),
    Situation("K1 a link that leads nowhere", {"home/.kube/x": ""},
              links={"home/.kube/config": "gone"}),
    Situation("K1 --kubeconfig with a tilde", {"home/.kube/config": config()},
              "--kubeconfig=~/.kube/config"),
    Situation("K1 --kubeconfig empty", {"home/.kube/config": config()}, "--kubeconfig="),
    Situation("K1 a file where a folder belongs", {"a": config()}, "", kubeconfig("a/b")),
    Situation("K1 --kubeconfig below a file", {"a": config()}, "--kubeconfig a/b"),
    Situation("K1 a name too long", {}, "", kubeconfig("a" * 300)),
    Situation("K1 blanks in KUBECONFIG", {"home/.kube/config": config(), " a ": config(user=BOB)}, "",
              kubeconfig(" a ")),
    Situation("K1 the same file twice, once by another name", {"a": config(user=BOB)}, "",
              kubeconfig("a:./a")),
    Situation("K1 missing files and --context", {}, "--context x", kubeconfig("gone:lost")),
    Situation("K1 a device", {}, "--kubeconfig /dev/null"),
    Situation("K1 --kubeconfig twice", {"a": config(), "b": config(user=BOB)},
              "--kubeconfig a --kubeconfig b"),
]

READING = [
    text("K2 a current-context that is a number", "current-context: x", "current-context: 3"),
    text("K2 a current-context of blanks", "current-context: x", "current-context: ' '"),
    text("K2 a current-context twice", "current-context: x",
         "current-context: gone\ncurrent-context: x"),
    text("K2 a current-context of null", "current-context: x", "current-context: null"),
    one("K2 a server that is a number", "server: 6443"),
    one("K2 a server of null", "server: null"),
    one("K2 keys of a user in other letters", user="Token: @token:alice@"),
    one("K2 keys of a cluster in other letters", TRUSTED.replace("server", "Server")),
    one("K2 a token that is a date", witness(), "token: 2020-01-01"),
    one("K2 a token that is a time", witness(), "token: 2020-01-01T00:00:00Z"),
    one("K2 a token that is yes", witness(), "token: yes"),
    one("K2 a token that is an octal number", witness(), "token: 0123"),
    one("K2 a token that is a number of digits and e", witness(), "token: 12e34"),
    one("K2 a token in base 60", witness(), "token: 1:20"),
    one("K2 a token that is a map", user="token: {a: b}"),
    one("K2 a token of null", user="token: ~"),
    one("K2 a token over lines", user='token: "@token:alice@\\\n  "'),
    one("K2 a token with a tag", user="token: !!str @token:alice@"),
    one("K2 binary data by a tag", f"server: '{API}', certificate-authority-data: !!binary @data:ca.crt@"),
    one("K2 data of null", f"server: '{API}', insecure-skip-tls-verify: true, "
        "certificate-authority-data: null"),
    one("K2 data of nothing", f"server: '{API}', insecure-skip-tls-verify: true, "
        "certificate-authority-data: ''"),
    one("K2 data with blanks around", f"server: '{API}', certificate-authority-data: ' @data:ca.crt@ '"),
    one("K2 data in the alphabet of URLs", f"server: '{API}', certificate-authority-data: 'a-_b'"),
    one("K2 data without padding", f"server: '{API}', certificate-authority-data: 'YQ'"),
    one("K2 data that is a list", f"server: '{API}', certificate-authority-data: [1, 2]", unlike=(
        'error loading config file "DIR/home/.kube/config": json: cannot unmarshal array into Go struct '
        "field Cluster.clusters.cluster.certificate-authority-data of type []uint8",
        "Go reads a list of numbers as bytes")),
    one("K2 as-groups that are a text", user=f"{ALICE}, as: x, as-groups: a"),
    one("K2 as-groups of null", user=f"{ALICE}, as-groups: null"),
    one("K2 an as-groups of none", user=f"{ALICE}, as-groups: []"),
    one("K2 as-groups with null", user=f"{ALICE}, as: x, as-groups: [null]"),
    one("K2 as-user-extra of texts", user=f"{ALICE}, as: x, as-user-extra: {{a: b}}"),
    one("K2 as-user-extra of null", user=f"{ALICE}, as-user-extra: {{a: null}}"),
    text("K2 a user of null", f"user: {{{ALICE}}}", "user: null"),
    text("K2 a user that is left out", f", user: {{{ALICE}}}", ""),
    text("K2 a cluster of null", f"cluster: {{{TRUSTED}}}", "cluster: null"),
    text("K2 a context of null", "context: {cluster: c, user: u}", "context: null"),
    text("K2 an empty apiVersion", "apiVersion: v1", "apiVersion: ''"),
    text("K2 an apiVersion of null", "apiVersion: v1", "apiVersion: null"),
    text("K2 a group before the version", "apiVersion: v1", "apiVersion: client/v1"),
    text("K2 a kind in small letters", "kind: Config", "kind: config"),
    text("K2 a tab behind a value", "current-context: x", "current-context: x\t"),
    text("K2 a directive", "apiVersion: v1", "%YAML 1.1\n---\napiVersion: v1"),
    text("K2 the end of a document", "apiVersion: v1", "---\napiVersion: v1") ,
    Situation("K2 text behind the end of the document",
              {"home/.kube/config": config() + "...\nmore\n"}),
    Situation("K2 an empty first document", {"home/.kube/config": "---\n---\n" + config()}),
    Situation("K2 only a comment", {"home/.kube/config": "# nothing\n"}),
    Situation("K2 only blanks", {"home/.kube/config": " \n\n"}),
    Situation("K2 JSON with a comma too many", {"home/.kube/config": '{"current-context": "x",}'}),
    Situation("K2 JSON behind a byte order mark", {"home/.kube/config": '\ufeff{"current-context": "gone"}'}),
    Situation("K2 JSON with text behind", {"home/.kube/config": '{"current-context": "gone"} x'}),
    Situation("K2 a control character", {"home/.kube/config": config() + "\x01"}),
    Situation("K2 a NUL", {"home/.kube/config": config() + "\0"}),
    Situation("K2 names that differ in blanks", {"home/.kube/config": config().replace(
        "users: [", "users: [{name: 'u ', user: {}}, ")}),
    Situation("K2 an alias of a cluster", {"home/.kube/config":
        f"current-context: x\nclusters: [{{name: c, cluster: &c {{{TRUSTED}}}}}, "
        "{name: d, cluster: *c}]\n"
        f"users: [{{name: u, user: {{{ALICE}}}}}]\ncontexts: [{{name: x, context: {{cluster: d, user: u}}}}]\n"}),
    Situation("K2 an alias of nothing", {"home/.kube/config": config(user="token: *gone")}),
    Situation("K2 a name beyond ASCII", {"home/.kube/config": config(context="cluster: c, user: ü").replace(
        "name: u", "name: ü")}),
    one("K2 extensions of a user", user=ALICE + ", extensions: [{name: a, extension: {b: [1]}}]"),
    one("K2 extensions that are null", TRUSTED + ", extensions: [null]"),
    one("K2 a relative path that leaves the folder", f"server: '{API}', certificate-authority: "
        "'../../top/ca'", files={"top/ca": "@text:ca.crt@"}),
    one("K2 a folder as tokenFile", user="tokenFile: d", files={"home/.kube/d/x": ""}),
    one("K2 a folder as CA", f"server: '{API}', certificate-authority: d", files={"home/.kube/d/x": ""}),
    one("K2 a folder as client certificate", user="client-certificate: d, client-key: d",
        files={"home/.kube/d/x": ""}),
    one("K2 a token file with a tilde", user="tokenFile: '~/t'", files={"home/t": "@token:bob@"}),
    one("K2 a token file with a line inside", witness(), "tokenFile: t",
        files={"home/.kube/t": "a\nb\n"}),
    one("K2 a token file with a byte order mark", witness(), "tokenFile: t",
        files={"home/.kube/t": "\ufeff@token:bob@"}),
]

CHOICES = [
    one("K3 --client-certificate over certificate data", user=CAROL,
        flags="--client-certificate @file:carol.crt@ --client-key @file:carol.key@"),
    one("K3 --client-key alone", user="", flags="--client-key @file:carol.key@"),
    one("K3 --client-certificate missing", flags="--client-certificate gone --client-key gone"),
    one("K3 --certificate-authority missing", flags="--certificate-authority gone"),
    one("K3 --certificate-authority that is a folder", flags="--certificate-authority ."),
    one("K3 --insecure-skip-tls-verify clears a CA file",
        f"server: '{API}', certificate-authority: '@file:other.crt@'",
        flags="--insecure-skip-tls-verify"),
    one("K3 --insecure-skip-tls-verify=1", f"server: '{API}'", flags="--insecure-skip-tls-verify=1"),
    one("K3 --insecure-skip-tls-verify=maybe", flags="--insecure-skip-tls-verify=maybe"),
    one("K3 --server without a scheme", flags="--server 127.0.0.1:@port:plain@"),
    one("K3 --server with a path", witness(), flags="--server https://127.0.0.1:@port:witness@/prefix"),
    one("K3 --server twice", flags=f"--server https://nowhere.invalid --server {API}"),
    one("K3 --server -", flags="--server -"),
    one("K3 --token with a line break", flags="--token 'a\nb'"),
    one("K3 --token beside basic auth of the file", user="username: gus, password: p",
        flags="--token @token:alice@"),
    one("K3 --username beside a client certificate", witness(), CAROL,
        flags="--username gus --password secret"),
    one("K3 --password alone", witness(), flags="--password secret"),
    one("K3 --as empty", flags="--as="),
    one("K3 --as with a line break", witness(), flags="--as 'a\nb'"),
    one("K3 --as beyond ASCII", witness(), flags="--as ä"),
    one("K3 --as-group empty", witness(), flags="--as x --as-group="),
    one("K3 --as-group with a comma", witness(), flags="--as x --as-group a,b"),
    one("K3 --user empty", flags="--user="),
    one("K3 --cluster and --server", flags=f"--cluster c --server {API} --certificate-authority @file:ca.crt@"),
    one("K3 -s=", flags=f"-s={API}"),
    one("K3 -sURL", flags=f"-s{API}"),
    one("K3 --token before an exec plugin", user=f"exec: {{command: gone, {V1_PLUGIN}}}",
        flags="--token @token:alice@"),
    one("K3 --client-certificate before an exec plugin", user=f"exec: {{command: gone, {V1_PLUGIN}}}",
        flags="--client-certificate @file:carol.crt@ --client-key @file:carol.key@"),
    one("K3 --tls-server-name with insecure", f"server: '{API}'",
        flags="--tls-server-name gone.example.test --insecure-skip-tls-verify"),
]

CREDENTIALS = [
    one("K4 certificate and key in one file", user="client-certificate: both, client-key: both",
        files={"home/.kube/both": "@text:carol.crt@@text:carol.key@"}),
    one("K4 key and certificate in one file", user="client-certificate: both, client-key: both",
        files={"home/.kube/both": "@text:carol.key@@text:carol.crt@"}),
    one("K4 a certificate with text around", user="client-certificate: crt, client-key: '@file:carol.key@'",
        files={"home/.kube/crt": "Certificate:\n    Data:\n@text:carol.crt@\nend\n"}),
    one("K4 a key in the form of PKCS 8",
        user="client-certificate-data: @data:carol.crt@, client-key-data: @data:pkcs8.key@"),
    one("K4 a key behind its parameters",
        user="client-certificate-data: @data:carol.crt@, client-key-data: @data:parameters.key@"),
    one("K4 certificate and key the other way round",
        user="client-certificate-data: @data:carol.key@, client-key-data: @data:carol.crt@"),
    one("K4 a client certificate that is not valid yet",
        user="client-certificate-data: @data:early.crt@, client-key-data: @data:early.key@"),
    one("K4 a client certificate for servers only",
        user="client-certificate-data: @data:serving.crt@, client-key-data: @data:serving.key@"),
    one("K4 empty certificate data", user=f"{ALICE}, client-certificate-data: '', client-key-data: ''"),
    one("K4 a key beside a token", user=f"{ALICE}, client-key-data: @data:carol.key@"),
    one("K4 a plugin beside a client certificate", user=f"{CAROL}, exec: {{command: gone, {V1_PLUGIN}}}"),
    one("K4 a plugin beside basic auth", witness(),
        f"username: gus, password: p, exec: {{command: gone, {V1_PLUGIN}}}"),
    one("K4 a plugin beside an auth provider",
        user=f"auth-provider: {{name: gcp}}, exec: {{command: gone, {V1_PLUGIN}}}"),
    one("K4 a plugin beside a key only", user=f"client-key-data: @data:carol.key@, exec: {{command: gone, {V1_PLUGIN}}}"),
    one("K4 an auth provider beside a token", user=f"{ALICE}, auth-provider: {{name: oidc}}"),
    one("K4 an auth provider without a name", user="auth-provider: {}"),
    one("K4 an auth provider of null", user=f"{ALICE}, auth-provider: null"),
    one("K4 an auth provider over http", witness("plain", scheme="http"), "auth-provider: {name: gcp}"),
    one("K4 an oidc provider", witness(), oidc(f"id-token: {VALID_UNTIL_2100}")),
    one("K4 an oidc provider beside a client certificate", witness(),
        f"{CAROL}, " + oidc(f"id-token: {VALID_UNTIL_2100}")),
    one("K4 an oidc provider beside a token", witness(), f"{ALICE}, " + oidc(f"id-token: {VALID_UNTIL_2100}")),
    one("K4 an oidc provider beside basic auth", witness(),
        "username: gus, password: p, " + oidc(f"id-token: {VALID_UNTIL_2100}")),
    one("K4 an oidc provider over http", witness("plain", scheme="http"), oidc(f"id-token: {VALID_UNTIL_2100}")),
    one("K4 an oidc provider without a token", witness(), oidc("x: y")),
    one("K4 an oidc provider whose token has expired", witness(), oidc(f"id-token: {VALID_UNTIL_1970}")),
    one("K4 an oidc provider whose token is none", witness(), oidc("id-token: abc")),
    one("K4 an oidc provider without an issuer", user="auth-provider: {name: oidc, config: {client-id: a}}"),
    one("K4 an oidc provider without a client",
        user="auth-provider: {name: oidc, config: {idp-issuer-url: 'https://idp.invalid'}}"),
    one("K4 an oidc provider with a number", user=oidc("id-token: 5")),
    one("K4 an auth provider that never was", user="auth-provider: {name: exec}"),
    one("X1 a plugin of v1alpha1", user="exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}"),
    one("X1 a plugin of no version", user="exec: {command: x, interactiveMode: Never}"),
    one("X1 a plugin of nothing", user="exec: {}"),
    one("X1 a plugin in an unknown mode",
        user="exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: never}"),
    one("X1 a plugin with a nameless variable", user=f"exec: {{command: x, {V1_PLUGIN}, env: [{{value: a}}]}}"),
    one("X1 a plugin with arguments of numbers", user=f"exec: {{command: x, {V1_PLUGIN}, args: [1]}}"),
    one("X1 a plugin for a server by http is not run", witness("plain", scheme="http"),
        f"exec: {{command: gone, {V1_PLUGIN}}}"),
    one("X1 a wrong plugin for a server by http", witness("plain", scheme="http"), "exec: {command: gone}"),
    one("X2 a plugin beside the kubeconfig", user=f"exec: {{command: ./plugin, {V1_PLUGIN}}}",
        files={"home/.kube/plugin": BOBS_PLUGIN}),
    one("X2 a plugin in the working directory is not found", user=f"exec: {{command: plugin, {V1_PLUGIN}}}",
        files={"plugin": BOBS_PLUGIN}),
    one("X2 a plugin on a relative PATH", user=f"exec: {{command: plugin, {V1_PLUGIN}}}",
        files={"plugin": BOBS_PLUGIN}, environment={"PATH": ".:/usr/bin:/bin"}),
    one("X2 a plugin on the PATH", user=f"exec: {{command: plugin, {V1_PLUGIN}}}",
        files={"bin/plugin": BOBS_PLUGIN}, environment={"PATH": "@dir@/bin:/usr/bin:/bin"}),
    one("X2 a plugin's env goes before the environment", user="exec: {command: ./plugin, "
        f"{V1_PLUGIN}, env: [{{name: WHO, value: '@token:bob@'}}]}}", environment={"WHO": "nobody"},
        files={"home/.kube/plugin": BOBS_PLUGIN.replace("@token:bob@", "'$WHO'")}),
    one("X2 a plugin's env sets its own PATH", user="exec: {command: ./plugin, "
        f"{V1_PLUGIN}, env: [{{name: PATH, value: /nowhere}}]}}",
        files={"home/.kube/plugin": BOBS_PLUGIN}),
    one("X2 a plugin is a script without its first line", user=f"exec: {{command: ./plugin, {V1_PLUGIN}}}",
        files={"home/.kube/plugin": BOBS_PLUGIN.replace("/bin/sh", "/no/such/shell")}),
    one("X3 a plugin that prints a token with a line end", witness(), f"exec: {{command: ./plugin, {V1_PLUGIN}}}",
        files={"home/.kube/plugin": BOBS_PLUGIN.replace("@token:bob@", "a\\\\nb")}),
    one("X3 a plugin that prints twice", user=f"exec: {{command: ./plugin, {V1_PLUGIN}}}",
        files={"home/.kube/plugin": BOBS_PLUGIN + BOBS_PLUGIN.split("\n")[1] + "\n"}),
    one("X3 a plugin killed by a signal", user=f"exec: {{command: ./plugin, {V1_PLUGIN}}}",
        files={"home/.kube/plugin": "#!/bin/sh\nkill -9 $$\n"}),
]

SERVERS = [
    one("K5 an address as one number", witness(host="2130706433")),
    one("K5 an address of two parts", witness(host="127.1")),
    one("K5 an address with octal parts", witness(host="0177.0.0.1")),
    one("K5 a host in capitals", witness(host="LOCALHOST")),
    one("K5 a host with a dot at its end", witness(host="localhost.")),
    one("K5 a host beyond ASCII that is not there", witness(host="bücher.invalid")),
    one("K5 a host with an underscore", witness(host="a_b.invalid")),
    one("K5 a host with an escape", witness(host="local%68ost")),
    one("K5 an IPv6 address without brackets", "server: 'https://::1:@port:ipv6@', "
        "certificate-authority-data: @data:ca.crt@", unlike=(
            "URL", "kubectl guesses where the port begins")),
    one("K5 an IPv6 address with a zone", "server: 'https://[::1%25lo]:@port:ipv6@', "
        "certificate-authority-data: @data:ca.crt@", unlike=(
            "ok", "kubectl looks for the zone in the certificate, where none can be")),
    one("K5 an IPv4 address within IPv6", witness(host="[::ffff:127.0.0.1]"), unlike=(
        "certificate of another host", "Go takes it for 127.0.0.1, OpenSSL for another address")),
    one("K5 a port that is empty", "server: 'https://127.0.0.1:'"),
    one("K5 port 0", "server: 'https://127.0.0.1:0'"),
    one("K5 a port with a sign", "server: 'https://127.0.0.1:+443'"),
    one("K5 a port with zeros", "server: 'https://127.0.0.1:000@port:api@', "
        "certificate-authority-data: @data:ca.crt@"),
    one("K5 a server without a host", "server: 'https://:@port:api@', certificate-authority-data: @data:ca.crt@"),
    one("K5 a scheme alone", "server: 'https://'"),
    one("K5 a scheme and a path", "server: 'https:///path'"),
    one("K5 a scheme without slashes", "server: 'https:127.0.0.1:@port:api@'", unlike=(
        "URL", "kubectl looks for a server by the name of https")),
    one("K5 slashes without a scheme", "server: '//127.0.0.1:@port:plain@'"),
    one("K5 a path alone", "server: '/path'"),
    one("K5 localhost and a port", "server: 'localhost:@port:plain@'"),
    one("K5 a name and a port", "server: 'nowhere.invalid:6443'"),
    one("K5 a socket", "server: 'unix:///run/api.sock'"),
    one("K5 a fragment", f"server: '{API}#x', certificate-authority-data: @data:ca.crt@"),
    one("K5 a path with a fragment", "server: 'https://127.0.0.1:@port:witness@/prefix#x', "
        "certificate-authority-data: @data:ca.crt@", unlike=(
            "ok", "kubectl puts the path of a request into the fragment")),
    one("K5 a path with two slashes", "server: 'https://127.0.0.1:@port:witness@//prefix', "
        "certificate-authority-data: @data:ca.crt@"),
    one("K5 a path with dots", "server: 'https://127.0.0.1:@port:witness@/a/../prefix', "
        "certificate-authority-data: @data:ca.crt@"),
    one("K5 a path with an escaped slash", "server: 'https://127.0.0.1:@port:witness@/a%2Fb', "
        "certificate-authority-data: @data:ca.crt@"),
    one("K5 a path with a blank", "server: 'https://127.0.0.1:@port:witness@/a b', "
        "certificate-authority-data: @data:ca.crt@"),
    one("K5 a path beyond ASCII", "server: 'https://127.0.0.1:@port:witness@/ä', "
        "certificate-authority-data: @data:ca.crt@"),
    one("K5 a server with a line break", 'server: "https://127.0.0.1\\n"'),
    one("K5 a user with a blank in the URL", "server: 'https://a b@127.0.0.1:@port:witness@'"),
    one("K5 a user without a password in the URL", "server: 'https://gus@127.0.0.1:@port:witness@', "
        "certificate-authority-data: @data:ca.crt@", ""),
    one("K5 an escaped user in the URL", "server: 'https://g%40s:p%3Aw@127.0.0.1:@port:witness@', "
        "certificate-authority-data: @data:ca.crt@", ""),
]

TRUST = [
    one("K5 a CA file with a broken certificate first", f"server: '{API}', certificate-authority: two",
        files={"home/.kube/two": "-----BEGIN CERTIFICATE-----\nR0FSQkFHRQ==\n-----END CERTIFICATE-----\n"
                                 "@text:ca.crt@"}),
    one("K5 a CA file with a broken certificate last", f"server: '{API}', certificate-authority: two",
        files={"home/.kube/two": "@text:ca.crt@-----BEGIN CERTIFICATE-----\nR0FSQkFHRQ==\n"
                                 "-----END CERTIFICATE-----\n"}),
    one("K5 a CA file with a broken certificate only", f"server: '{API}', certificate-authority: two",
        files={"home/.kube/two": "-----BEGIN CERTIFICATE-----\nR0FSQkFHRQ==\n-----END CERTIFICATE-----\n"}),
    one("K5 a CA file with a cut certificate", f"server: '{API}', certificate-authority: two",
        files={"home/.kube/two": "@text:ca.crt@-----BEGIN CERTIFICATE-----\nR0FSQkFHRQ==\n"}),
    one("K5 a CA file with a key in it", f"server: '{API}', certificate-authority: two",
        files={"home/.kube/two": "@text:other.key@@text:ca.crt@"}),
    one("K5 a CA file that is a key", f"server: '{API}', certificate-authority: '@file:ca.key@'"),
    one("K5 a CA file with Windows lines", f"server: '{API}', certificate-authority: two",
        files={"home/.kube/two": "@crlf:ca.crt@"}),
    one("K5 a CA file behind a byte order mark", f"server: '{API}', certificate-authority: two",
        files={"home/.kube/two": "\ufeff@text:ca.crt@"}),
    one("K5 a CA file with the same CA twice", f"server: '{API}', certificate-authority: two",
        files={"home/.kube/two": "@text:ca.crt@@text:ca.crt@"}),
    one("K5 the middle of a chain as CA", "server: 'https://127.0.0.1:@port:no-chain@', "
        "certificate-authority-data: @data:middle.crt@"),
    one("K5 an expired CA", "server: 'https://127.0.0.1:@port:of-late-ca@', "
        "certificate-authority-data: @data:late-ca.crt@"),
    one("certificate not valid yet", witness("early")),
    one("certificate not valid yet and insecure", "server: 'https://127.0.0.1:@port:early@', "
        "insecure-skip-tls-verify: true"),
]

BAD_PROXY = ("Unable to connect to the server: the URL of the proxy cannot be used",
             "kubectl looks for a proxy by the name of http")
PROXIES = [
    one("K5 proxy-url socks5h", far(", proxy-url: 'socks5h://127.0.0.1:@port:socks@'")),
    one("K5 proxy-url in capitals", far(", proxy-url: 'HTTP://127.0.0.1:@port:proxy@'")),
    one("K5 proxy-url with a path", far(f", proxy-url: '{HTTP_PROXY}/path'")),
    one("K5 proxy-url with a user only", far(", proxy-url: 'http://me@127.0.0.1:@port:proxy@'")),
    one("K5 proxy-url with a bad port", far(", proxy-url: 'http://127.0.0.1:x'")),
    one("K5 proxy-url with a blank", far(", proxy-url: 'http://a b:1'")),
    one("K5 proxy-url of blanks", far(", proxy-url: ' '")),
    one("K5 proxy-url by IPv6", far(", proxy-url: 'http://[::1]:@port:closed@'")),
    one("K5 HTTPS_PROXY with a password", far(),
        environment={"HTTPS_PROXY": "http://me:pw@127.0.0.1:@port:proxy@"}),
    one("K5 HTTPS_PROXY empty and https_proxy", far(), environment={"HTTPS_PROXY": "", "https_proxy": HTTP_PROXY}),
    one("K5 HTTPS_PROXY that is no URL", far(), environment={"HTTPS_PROXY": "http://a b"},
        unlike=BAD_PROXY),
    one("K5 HTTPS_PROXY ftp", far(), environment={"HTTPS_PROXY": "ftp://127.0.0.1:@port:proxy@"}),
    one("K5 HTTPS_PROXY of garbage", far(), environment={"HTTPS_PROXY": "::"}, unlike=BAD_PROXY),
    one("K5 HTTPS_PROXY socks5h", far(), environment={"HTTPS_PROXY": "socks5h://127.0.0.1:@port:socks@"}),
    one("K5 NO_PROXY with blanks", far(), environment={"HTTPS_PROXY": HTTP_PROXY,
                                                       "NO_PROXY": " a.test ,  api.example.test "}),
    one("K5 NO_PROXY parted by blanks", far(), environment={"HTTPS_PROXY": HTTP_PROXY,
                                                            "NO_PROXY": "a.test api.example.test"}),
    one("K5 NO_PROXY empty before no_proxy", far(), environment={
        "HTTPS_PROXY": HTTP_PROXY, "NO_PROXY": "", "no_proxy": "example.test"}),
    one("K5 NO_PROXY with a dot at its end", far(), environment={"HTTPS_PROXY": HTTP_PROXY,
                                                                 "NO_PROXY": "example.test."}),
    one("K5 HTTP_PROXY within CGI", "server: 'http://api.example.test:8080'",
        environment={"HTTP_PROXY": HTTP_PROXY, "REQUEST_METHOD": "GET"}, unlike=(
            "ok", "for Go $REQUEST_METHOD is a sign of CGI, where whoever asks sets HTTP_PROXY")),
    one("K5 a server by http and https proxy", "server: 'http://api.example.test:8080'",
        environment={"HTTPS_PROXY": HTTP_PROXY}),
]

IN_CLUSTER = [
    Situation("K6 no port", {}, "", {"KUBERNETES_SERVICE_HOST": "127.0.0.1"}, POD),
    Situation("K6 a port of garbage", {}, "", {"KUBERNETES_SERVICE_HOST": "127.0.0.1",
                                               "KUBERNETES_SERVICE_PORT": "x"}, POD),
    Situation("K6 --kubeconfig of an empty file", {"e": ""}, "--kubeconfig e", IN_POD, POD),
    Situation("K6 --kubeconfig missing", {}, "--kubeconfig gone", IN_POD, POD),
    Situation("K6 a missing file in KUBECONFIG", {}, "", {**IN_POD, "KUBECONFIG": "gone"}, POD),
    Situation("K6 a kubeconfig of users only", {"home/.kube/config": f"users: [{{name: u, user: {{{ALICE}}}}}]"},
              "", IN_POD, POD),
    Situation("K6 --user of a kubeconfig", {"home/.kube/config": f"users: [{{name: u, user: {{{ALICE}}}}}]"},
              "--user u", IN_POD, POD),
    Situation("K6 --cluster missing", {}, "--cluster gone", IN_POD, POD),
    Situation("K6 --as-group alone", {}, "--as-group a", IN_POD, POD),
    Situation("K6 POD_NAMESPACE", {}, "", {**IN_POD, "POD_NAMESPACE": "else"}, POD),
    Situation("K6 a kubeconfig that says insecure only", {"home/.kube/config":
              "current-context: x\nclusters: [{name: c, cluster: {insecure-skip-tls-verify: true}}]\n"
              "contexts: [{name: x, context: {cluster: c}}]\n"}, "", IN_POD, POD),
]

REQUESTS = [one(f"--request-timeout {value}", flags=f"--request-timeout='{value}'") for value in (
    "1m30s", "-1", "1.5", " 1", "1d", "0s", "1e3", "9223372036854775808", "", "1h1", "+5", "0x10", "5S",
    "1_0", "010")] + [
    Situation("a flag without its value", {"home/.kube/config": config()}, "--context"),
]

TABLES = {"k1_which_files": FILES, "k2_reading": READING, "k3_precedence": CHOICES,
          "k4_credentials": CREDENTIALS, "k5_servers": SERVERS, "k5_trust": TRUST, "k5_proxies": PROXIES,
          "k6_in_cluster": IN_CLUSTER, "flags_of_the_request": REQUESTS}
