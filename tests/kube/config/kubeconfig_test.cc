#include "kube/config/kubeconfig.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/base64.h"
#include "kube/base/error.h"
#include "tests/support/temp_folder.h"

namespace kube::config {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;
using SetFlags = void (*)(ConnectionFlags&);

/// In all texts DIR is the folder with the files, and @ca@ the base64 of ca.crt.
struct Situation {
  std::string name;
  Texts files;
  Texts variables;
  SetFlags set_flags;
  std::string expected;  ///< Describe() of the connection, or "error: " and the text
};

// The name as a sequence in DER, which is what is looked at of a certificate.
std::string Pem(const std::string& type, const std::string& name) {
  const std::string der = {'\x30', static_cast<char>(name.size())};
  return "-----BEGIN " + type + "-----\n" + base::EncodeBase64(der + name) + "\n-----END " + type +
         "-----\n";
}

// In every folder of a test, beside its own files.
const std::map<std::string, std::string> kPemFiles = {
    {"ca.crt", Pem("CERTIFICATE", "ca")},       {"alice.crt", Pem("CERTIFICATE", "alice")},
    {"alice.key", Pem("PRIVATE KEY", "alice")}, {"bob.crt", Pem("CERTIFICATE", "bob")},
    {"bob.key", Pem("EC PRIVATE KEY", "bob")},
};

std::string ReplaceAll(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size()) {
    text.replace(i, from.size(), to);
  }
  return text;
}

std::string Fill(std::string text, const std::string& folder) {
  text = ReplaceAll(text, "DIR", folder);
  for (const auto& [name, pem] : kPemFiles) {
    const std::string short_name = ReplaceAll(ReplaceAll(name, ".crt", ""), ".key", "-key");
    text = ReplaceAll(text, "@" + short_name + "@", base::EncodeBase64(pem));
  }
  return text;
}

// A kubeconfig with context x of cluster c and user u, the fields in YAML's flow style.
std::string Config(const std::string& cluster, const std::string& user,
                   const std::string& context = "cluster: c, user: u",
                   const std::string& current = "x") {
  return "apiVersion: v1\nkind: Config\ncurrent-context: '" + current +
         "'\nclusters: [{name: c, cluster: {" + cluster + "}}]\nusers: [{name: u, user: {" + user +
         "}}]\ncontexts: [{name: x, context: {" + context + "}}]\n";
}

const std::string kServer = "server: 'https://h:1', certificate-authority: ca.crt";
const std::string kBare = "server: 'https://h:1'";
const std::string kHttp = "server: 'http://h:1'";

Texts Cluster(const std::string& cluster) { return {{"a", Config(cluster, "token: T")}}; }
Texts User(const std::string& user) { return {{"a", Config(kServer, user)}}; }

constexpr SetFlags kFileA = [](ConnectionFlags& flags) { flags.kubeconfig = "a"; };
constexpr SetFlags kNone = [](ConnectionFlags&) {};

std::string Middle(const std::string& pem) {
  const std::size_t start = pem.find('\n') + 1;
  return base::DecodeBase64(pem.substr(start, pem.find('\n', start) - start))->substr(2);
}

std::string DescribeExec(const ExecConfig& exec) {
  std::string text = "exec=" + exec.command;
  for (const std::string& argument : exec.arguments) text += "," + argument;
  for (const auto& [name, value] : exec.environment) text += "," + name + "=" + value;
  text += "," + exec.api_version + "," + exec.interactive_mode;
  if (!exec.install_hint.empty()) text += ",hint:" + exec.install_hint;
  if (exec.provide_cluster_info) text += ",info:" + exec.server;
  return text + exec.cluster_config + " ";
}

std::string DescribeImpersonation(const Impersonation& impersonation) {
  std::string text;
  if (!impersonation.user.empty()) text += "as=" + impersonation.user + " ";
  if (!impersonation.uid.empty()) text += "uid=" + impersonation.uid + " ";
  for (const std::string& group : impersonation.groups) text += "group=" + group + " ";
  for (const auto& [key, values] : impersonation.extra) {
    for (const std::string& value : values) text += "extra." + key + "=" + value + " ";
  }
  return text;
}

// The server, then each field that is not as by default.
std::string Describe(const ConnectionConfig& config) {
  std::string text = config.server + " ";
  const auto add = [&text](const std::string& name, const std::string& value) {
    if (!value.empty()) text += name + "=" + value + " ";
  };
  add("tls-name", config.tls_server_name);
  if (config.insecure_skip_tls_verify) text += "insecure ";
  if (!config.ca_pem.empty()) add("ca", Middle(config.ca_pem));
  if (!config.client_certificate_pem.empty()) add("cert", Middle(config.client_certificate_pem));
  if (!config.client_key_pem.empty()) add("key", Middle(config.client_key_pem));
  add("token", config.token);
  add("token-file", config.token_file);
  add("username", config.username);
  add("password", config.password);
  if (config.exec) text += DescribeExec(*config.exec);
  text += DescribeImpersonation(config.impersonation);
  add("proxy", config.proxy_url);
  if (config.disable_compression) text += "uncompressed ";
  if (config.namespace_ != "default") add("namespace", config.namespace_);
  text.pop_back();
  return text;
}

void MakePaths(ConnectionFlags& flags, const std::string& folder) {
  for (std::string* path : {&flags.kubeconfig, &flags.certificate_authority,
                            &flags.client_certificate, &flags.client_key}) {
    if (!path->empty()) *path = folder + "/" + *path;
  }
}

std::string Load(const Situation& situation) {
  const test_support::TempFolder folder;
  for (const auto& [name, pem] : kPemFiles) folder.Write(name, pem);
  for (const auto& [name, text] : situation.files) folder.Write(name, Fill(text, folder.path()));
  ConnectionFlags flags;
  situation.set_flags(flags);
  MakePaths(flags, folder.path());
  std::map<std::string, std::string> variables = {{"HOME", folder.path() + "/home"}};
  for (const auto& [name, value] : situation.variables) {
    variables[name] = Fill(value, folder.path());
  }
  system::Environment environment;
  environment.variable = [&variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
  environment.service_account_folder = folder.path() + "/pod";
  std::string result;
  try {
    result = Describe(LoadConnection(flags, environment));
  } catch (const base::Error& error) {
    result = std::string("error: ") + error.what();
  }
  return ReplaceAll(result, folder.path(), "DIR");
}

void CheckAll(const std::vector<Situation>& situations) {
  for (const Situation& situation : situations) {
    INFO(situation.name);
    CHECK(Load(situation) == situation.expected);
  }
}

const std::string kFromA = "https://h:1 ca=ca token=A";
const std::string kLocalhost = "http://localhost:8080";

// Expected values of all tables: kubectl 1.32, whose requests a server on loopback printed.
TEST_CASE("Kubeconfigs are found as kubectl finds them", "[kube][kubeconfig]") {
  const std::string a = Config(kServer, "token: A");
  const std::string b = Config(kServer, "token: B");
  const std::string home = Config("server: 'https://h:1'", "token: H");
  CheckAll({
      {"K1 ~/.kube/config", {{"home/.kube/config", home}}, {}, kNone, "https://h:1 token=H"},
      {"K1 empty KUBECONFIG is none",
       {{"home/.kube/config", home}},
       {{"KUBECONFIG", ""}},
       kNone,
       "https://h:1 token=H"},
      {"K1 KUBECONFIG before home",
       {{"home/.kube/config", home}, {"a", a}},
       {{"KUBECONFIG", "DIR/a"}},
       kNone,
       kFromA},
      {"K1 --kubeconfig before KUBECONFIG",
       {{"a", a}, {"b", b}},
       {{"KUBECONFIG", "DIR/b"}},
       kFileA,
       kFromA},
      {"K1 --kubeconfig must exist",
       {{"b", b}},
       {{"KUBECONFIG", "DIR/b"}},
       kFileA,
       "error: error loading config file \"DIR/a\": open DIR/a: no such file or directory"},
      {"K1 --kubeconfig is a folder",
       {{"a/x", ""}},
       {},
       kFileA,
       "error: error loading config file \"DIR/a\": read DIR/a: is a directory"},
      {"K1 empty, missing and repeated names",
       {{"a", a}},
       {{"KUBECONFIG", "DIR/gone::DIR/a:DIR/a:"}},
       kNone,
       kFromA},
      {"K1 all missing",
       {{"home/.kube/config", home}},
       {{"KUBECONFIG", "DIR/no"}},
       kNone,
       kLocalhost},
      {"K1 only a colon", {{"home/.kube/config", home}}, {{"KUBECONFIG", ":"}}, kNone, kLocalhost},
      {"K1 below a file",
       {{"a", a}},
       {{"KUBECONFIG", "DIR/a/x"}},
       kNone,
       "error: error loading config file \"DIR/a/x\": open DIR/a/x: not a directory"},
      {"K1 a folder in the list",
       {{"a", a}, {"d/x", ""}},
       {{"KUBECONFIG", "DIR/d:DIR/a"}},
       kNone,
       "error: error loading config file \"DIR/d\": read DIR/d: is a directory"},
      {"K1 no kubeconfig at all", {}, {}, kNone, kLocalhost},
      {"K1 KUBERNETES_MASTER is the default",
       {},
       {{"KUBERNETES_MASTER", "http://m:1"}},
       kNone,
       "http://m:1"},
      {"K1 a kubeconfig before KUBERNETES_MASTER",
       {{"a", a}},
       {{"KUBERNETES_MASTER", "http://m:1"}},
       kFileA,
       kFromA},
  });
}

TEST_CASE("Kubeconfigs are merged as kubectl merges them", "[kube][kubeconfig]") {
  const Texts both = {{"KUBECONFIG", "DIR/a:DIR/sub/b"}};
  CheckAll({
      {"K2 the first user counts entirely",
       {{"a", Config(kServer, "username: A")}, {"sub/b", Config(kServer, "password: B, token: B")}},
       both,
       kNone,
       "https://h:1 ca=ca username=A"},
      {"K2 the first current-context that is set",
       {{"a", "current-context: ''\nusers: [{name: u, user: {token: A}}]"},
        {"sub/b", Config(kBare, "token: B")}},
       both,
       kNone,
       "https://h:1 token=A"},
      {"K2 paths are relative to their own file",
       {{"a", "{}"},
        {"sub/b", Config("server: 'https://h:1', certificate-authority: ../ca.crt",
                         "client-certificate: ../alice.crt, client-key: ./../alice.key")}},
       both,
       kNone,
       "https://h:1 ca=ca cert=alice key=alice"},
      {"K2 tokenFile is relative to its own file",
       {{"sub/b", Config(kBare, "tokenFile: t")}, {"sub/t", " F\n"}},
       both,
       kNone,
       "https://h:1 token=F token-file=DIR/sub/t"},
      {"K2 absolute paths",
       {{"a", Config("server: 'https://h:1', certificate-authority: DIR/ca.crt", "token: A")}},
       {},
       kFileA,
       kFromA},
      {"K2 names equal in one file",
       User("}}, {name: u, user: {token: SECRET"),
       {},
       kFileA,
       "error: error loading config file \"DIR/a\": users[1]: duplicate name \"u\""},
      {"K2 every bad file is named",
       {{"a", "[]"}, {"sub/b", "5"}},
       both,
       kNone,
       "error: error loading config file \"DIR/a\": a kubeconfig must be an object, not of type "
       "array\nerror loading config file \"DIR/sub/b\": a kubeconfig must be an object, not of "
       "type "
       "number"},
  });
}

TEST_CASE("Flags go before the kubeconfig's server", "[kube][kubeconfig]") {
  const std::string named = kServer + ", tls-server-name: f";
  CheckAll({
      {"K3 --server",
       Cluster(kServer),
       {},
       [](auto& f) { f.kubeconfig = "a", f.server = "https://s/pre/"; },
       "https://s/pre ca=ca token=T"},
      {"K3 tls-server-name of the file",
       Cluster(named),
       {},
       kFileA,
       "https://h:1 tls-name=f ca=ca token=T"},
      {"K3 --tls-server-name",
       Cluster(named),
       {},
       [](auto& f) { f.kubeconfig = "a", f.tls_server_name = "g"; },
       "https://h:1 tls-name=g ca=ca token=T"},
      {"K3 --server clears tls-server-name",
       Cluster(named),
       {},
       [](auto& f) { f.kubeconfig = "a", f.server = "https://s"; },
       "https://s ca=ca token=T"},
      {"K3 --server with --tls-server-name",
       Cluster(named),
       {},
       [](auto& f) { f.kubeconfig = "a", f.server = "https://s", f.tls_server_name = "g"; },
       "https://s tls-name=g ca=ca token=T"},
      {"K3 --insecure-skip-tls-verify clears CA data",
       Cluster("server: 'https://h:1', certificate-authority-data: @ca@"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.insecure_skip_tls_verify = true; },
       "https://h:1 insecure token=T"},
      {"K3 --insecure-skip-tls-verify clears a CA file that is not there",
       Cluster("server: 'https://h:1', certificate-authority: gone"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.insecure_skip_tls_verify = true; },
       "https://h:1 insecure token=T"},
      {"K3 --certificate-authority clears insecure",
       Cluster("server: 'https://h:1', insecure-skip-tls-verify: true"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.certificate_authority = "bob.crt"; },
       "https://h:1 ca=bob token=T"},
      {"K3 --certificate-authority clears CA data",
       Cluster("server: 'https://h:1', certificate-authority-data: @ca@"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.certificate_authority = "bob.crt"; },
       "https://h:1 ca=bob token=T"},
      {"K3 insecure of the file stays",
       Cluster("server: 'https://h:1', insecure-skip-tls-verify: true"),
       {},
       kFileA,
       "https://h:1 insecure token=T"},
      {"K3 insecure with CA data",
       Cluster("server: 'https://h:1', insecure-skip-tls-verify: true, "
               "certificate-authority-data: @ca@"),
       {},
       kFileA,
       "error: specifying a root certificates file with the insecure flag is not allowed"},
      {"K3 both flags",
       Cluster(kServer),
       {},
       [](auto& f) {
         f.kubeconfig = "a", f.insecure_skip_tls_verify = true, f.certificate_authority = "ca.crt";
       },
       "error: specifying a root certificates file with the insecure flag is not allowed"},
      {"K5 CA data and file",
       Cluster(kServer + ", certificate-authority-data: @ca@"),
       {},
       kFileA,
       "error: certificate-authority-data and certificate-authority are both specified for c. "
       "certificate-authority-data will override."},
      {"K5 CA data and a file that is not there",
       Cluster(
           "server: 'https://h:1', certificate-authority: gone, certificate-authority-data: @ca@"),
       {},
       kFileA,
       "error: invalid configuration:\n* certificate-authority-data and certificate-authority are "
       "both specified for c. certificate-authority-data will override.\n* unable to read "
       "certificate-authority DIR/gone for c due to open DIR/gone: no such file or directory"},
      {"K5 CA data",
       Cluster("server: 'https://h:1', certificate-authority-data: @ca@"),
       {},
       kFileA,
       "https://h:1 ca=ca token=T"},
      {"K5 CA data that is no PEM",
       Cluster("server: 'https://h:1', certificate-authority-data: R0FSQkFHRQ=="),
       {},
       kFileA,
       "error: unable to load root certificates of cluster \"c\": unable to parse bytes as PEM "
       "block"},
      {"K5 a CA file that is no PEM",
       {{"a", Config(kServer, "token: T")}, {"ca.crt", "garbage"}},
       {},
       kFileA,
       "error: unable to load root certificates from DIR/ca.crt: unable to parse bytes as PEM "
       "block"},
      {"K5 an empty CA file",
       {{"a", Config(kServer, "token: T")}, {"ca.crt", ""}},
       {},
       kFileA,
       "https://h:1 token=T"},
      {"K5 CA data that is no base64",
       Cluster("server: 'https://h:1', certificate-authority-data: 'U0VDUkVU*'"),
       {},
       kFileA,
       "error: error loading config file \"DIR/a\": "
       "clusters[0].cluster.certificate-authority-data: "
       "illegal base64 data at input byte 8"},
  });
}

TEST_CASE("A context brings cluster and user together", "[kube][kubeconfig]") {
  const std::string two =
      "current-context: x\nclusters: [{name: c, cluster: {server: 'https://c'}}, {name: d, "
      "cluster: "
      "{server: 'https://d'}}]\nusers: [{name: u, user: {token: U}}, {name: v, user: {token: V}}]\n"
      "contexts: [{name: x, context: {cluster: c, user: u, namespace: m1}}, {name: z, context: "
      "{cluster: d, user: v}}]\n";
  const std::string nothing = "error: no credentials for the server https://h:1: ";
  CheckAll({
      {"K3 current-context", {{"a", two}}, {}, kFileA, "https://c token=U namespace=m1"},
      {"K3 --context",
       {{"a", two}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.context = "z"; },
       "https://d token=V"},
      {"K3 --cluster and --user",
       {{"a", two}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.cluster = "d", f.user = "v"; },
       "https://d token=V namespace=m1"},
      {"K3 --context nope",
       {{"a", two}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.context = "nope"; },
       "error: context \"nope\" does not exist"},
      {"K3 --cluster nope",
       {{"a", two}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.cluster = "nope"; },
       "error: cluster \"nope\" does not exist"},
      {"K3 --user nope",
       {{"a", two}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.user = "nope"; },
       "error: auth info \"nope\" does not exist"},
      {"K3 all three",
       {{"a", two}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.user = "nope", f.context = "nope", f.cluster = "nope"; },
       "error: auth info \"nope\" does not exist"},
      {"K3 current-context nope",
       {{"a", Config(kBare, "token: T", "cluster: c", "nope")}},
       {},
       kFileA,
       "error: context was not found for specified context: nope"},
      {"K3 current-context nope with --server",
       {{"a", Config(kBare, "token: T", "cluster: c", "nope")}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.server = "http://s"; },
       "error: context was not found for specified context: nope"},
      {"K3 current-context nope, another by --context",
       {{"a", Config(kBare, "token: T", "cluster: c, user: u", "nope")}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.context = "x"; },
       "https://h:1 token=T"},
      {"K3 no current-context",
       {{"a", Config(kBare, "token: T", "cluster: c", "")}},
       {},
       kFileA,
       kLocalhost},
      {"K3 no current-context, --cluster and --user",
       {{"a", Config(kBare, "token: T", "cluster: c", "")}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.cluster = "c", f.user = "u"; },
       "https://h:1 token=T"},
      {"A context names a cluster that is not there",
       {{"a", Config(kBare, "token: T", "cluster: nope, user: u")}},
       {},
       kFileA,
       kLocalhost},
      {"A context names no user",
       {{"a", Config(kBare, "token: T", "cluster: c")}},
       {},
       kFileA,
       nothing + "neither a context nor --user names a user"},
      {"A context names a user that is not there",
       {{"a", Config(kBare, "token: T", "cluster: c, user: nope")}},
       {},
       kFileA,
       nothing + "user \"nope\" has no token, client certificate, user name or credential plugin"},
      {"A user without anything",
       {{"a", Config(kBare, "")}},
       {},
       kFileA,
       nothing + "user \"u\" has no token, client certificate, user name or credential plugin"},
      {"A cluster without a server",
       Cluster("certificate-authority: ca.crt"),
       {},
       kFileA,
       kLocalhost},
      {"K7 -n before the context",
       {{"a", two}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.namespace_ = "m"; },
       "https://c token=U namespace=m"},
  });
}

// It ends in 2100.
const std::string kIdToken = "e30.eyJleHAiOjQxMDI0NDQ4MDB9.x";

TEST_CASE("K4 Credentials of a user", "[kube][kubeconfig]") {
  const std::string oidc =
      "auth-provider: {name: oidc, config: {idp-issuer-url: 'https://i', client-id: c, id-token: " +
      kIdToken + "}}";
  const std::string data = "client-certificate-data: @alice@, client-key-data: @alice-key@";
  const std::string mixed =
      "error: client-cert-data and client-cert are both specified for u. "
      "client-cert-data will override.";
  CheckAll({
      {"K4 token", User("token: T"), {}, kFileA, "https://h:1 ca=ca token=T"},
      {"K4 --token",
       User("token: T"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.token = "F"; },
       "https://h:1 ca=ca token=F"},
      {"K4 token beside tokenFile",
       {User("token: T, tokenFile: t")[0], {"t", "F"}},
       {},
       kFileA,
       "https://h:1 ca=ca token=T token-file=DIR/t"},
      {"K4 --token beside tokenFile",
       {User("tokenFile: t")[0], {"t", "F"}},
       {},
       [](auto& f) { f.kubeconfig = "a", f.token = "X"; },
       "https://h:1 ca=ca token=X token-file=DIR/t"},
      {"K4 token beside a tokenFile that is not there",
       User("token: T, tokenFile: t"),
       {},
       kFileA,
       "https://h:1 ca=ca token=T token-file=DIR/t"},
      {"K4 tokenFile that is not there",
       User("tokenFile: t"),
       {},
       kFileA,
       "error: cannot read the tokenFile: open DIR/t: no such file or directory"},
      {"K4 empty tokenFile",
       {User("tokenFile: t")[0], {"t", ""}},
       {},
       kFileA,
       "error: the tokenFile DIR/t holds no token"},
      {"K4 certificate data", User(data), {}, kFileA, "https://h:1 ca=ca cert=alice key=alice"},
      {"K4 certificate files",
       User("client-certificate: bob.crt, client-key: bob.key"),
       {},
       kFileA,
       "https://h:1 ca=ca cert=bob key=bob"},
      {"K4 certificate flags",
       User(""),
       {},
       [](auto& f) {
         f.kubeconfig = "a", f.client_certificate = "bob.crt", f.client_key = "bob.key";
       },
       "https://h:1 ca=ca cert=bob key=bob"},
      {"K4 certificate data and file",
       User(data + ", client-certificate: bob.crt"),
       {},
       kFileA,
       mixed},
      {"K4 certificate flag beside data",
       User(data),
       {},
       [](auto& f) { f.kubeconfig = "a", f.client_certificate = "bob.crt"; },
       mixed},
      {"K4 key data and file",
       User(data + ", client-key: bob.key"),
       {},
       kFileA,
       "error: client-key-data and client-key are both specified for u; client-key-data will "
       "override"},
      {"K4 no key",
       User("client-certificate-data: @alice@"),
       {},
       kFileA,
       "error: client-key-data or client-key must be specified for u to use the clientCert "
       "authentication method."},
      {"K4 certificate files that are not there",
       User("client-certificate: gone, client-key: none"),
       {},
       kFileA,
       "error: invalid configuration:\n* unable to read client-cert DIR/gone for u due to open "
       "DIR/gone: no such file or directory\n* unable to read client-key DIR/none for u due to "
       "open "
       "DIR/none: no such file or directory"},
      {"K4 certificate that is no PEM",
       User("client-certificate-data: QQ==, client-key-data: QQ=="),
       {},
       kFileA,
       "error: tls: failed to find any PEM data in certificate input of user \"u\""},
      {"K4 key data that is no base64",
       User("client-key-data: 'U0VDUkVU*'"),
       {},
       kFileA,
       "error: error loading config file \"DIR/a\": users[0].user.client-key-data: illegal base64 "
       "data at input byte 8"},
      {"K4 token and certificate",
       User("token: T, " + data),
       {},
       kFileA,
       "https://h:1 ca=ca cert=alice key=alice token=T"},
      {"K4 basic",
       User("username: a, password: b"),
       {},
       kFileA,
       "https://h:1 ca=ca username=a password=b"},
      {"K4 basic flags",
       User(""),
       {},
       [](auto& f) { f.kubeconfig = "a", f.username = "a", f.password = "b"; },
       "https://h:1 ca=ca username=a password=b"},
      {"K4 password alone",
       User("password: SECRET"),
       {},
       kFileA,
       "error: no credentials for the server https://h:1: user \"u\" has no token, client "
       "certificate, user name or credential plugin"},
      {"K4 basic and token",
       User("username: a, token: SECRET"),
       {},
       kFileA,
       "error: more than one authentication method found for u; found [token basicAuth], only one "
       "is allowed"},
      {"K4 basic and tokenFile",
       {User("username: a, tokenFile: t")[0], {"t", "F"}},
       {},
       kFileA,
       "error: username/password or bearer token may be set, but not both"},
      {"K4 basic and certificate",
       User("username: a, " + data),
       {},
       kFileA,
       "https://h:1 ca=ca cert=alice key=alice username=a"},
      {"K4 http: token", {{"a", Config(kHttp, "token: T")}}, {}, kFileA, "http://h:1"},
      {"K4 http: basic",
       {{"a", Config(kHttp, "username: a, password: b")}},
       {},
       kFileA,
       "http://h:1"},
      {"K4 http: user of the URL",
       {{"a", Config("server: 'http://ann:pw@h:1'", "token: T")}},
       {},
       kFileA,
       "http://h:1 username=ann password=pw"},
      {"K4 http: certificate", {{"a", Config(kHttp, data)}}, {}, kFileA, "http://h:1"},
      {"K4 http: tokenFile that is not there",
       {{"a", Config(kHttp, "tokenFile: gone")}},
       {},
       kFileA,
       "http://h:1"},
      {"K4 http: auth-provider",
       {{"a", Config(kHttp, "auth-provider: {name: gcp}")}},
       {},
       kFileA,
       "http://h:1"},
      {"K4 auth-provider",
       User("auth-provider: {name: foo, config: {access-token: SECRET}}"),
       {},
       kFileA,
       "error: no Auth Provider found for name \"foo\"; give the user a credential plugin (exec) "
       "instead"},
      {"K4 oidc", User(oidc), {}, kFileA, "https://h:1 ca=ca token=" + kIdToken},
      {"K4 oidc beside a token",
       User("token: T, " + oidc),
       {},
       kFileA,
       "https://h:1 ca=ca token=T"},
      {"K4 oidc beside basic auth",
       User("username: a, " + oidc),
       {},
       kFileA,
       "https://h:1 ca=ca username=a"},
      {"K4 oidc beside a client certificate",
       User("client-certificate: alice.crt, client-key: alice.key, " + oidc),
       {},
       kFileA,
       "https://h:1 ca=ca cert=alice key=alice token=" + kIdToken},
      {"K4 auth-provider beside a token",
       User("token: T, auth-provider: {name: foo}"),
       {},
       kFileA,
       "error: no Auth Provider found for name \"foo\"; give the user a credential plugin (exec) "
       "instead"},
  });
}

TEST_CASE("Impersonation", "[kube][kubeconfig]") {
  const std::string as = "as: x, as-groups: [g], as-uid: '1', as-user-extra: {k: [v, w], a/B: [c]}";
  CheckAll({
      {"K3 of the user",
       User("token: T, " + as),
       {},
       kFileA,
       "https://h:1 ca=ca token=T as=x uid=1 group=g extra.a/B=c extra.k=v extra.k=w"},
      {"K3 by flags",
       User("token: T"),
       {},
       [](auto& f) {
         f.kubeconfig = "a", f.as = "bob", f.as_uid = "7", f.as_groups = {"a,b", "c"};
       },
       "https://h:1 ca=ca token=T as=bob uid=7 group=a,b group=c"},
      {"K3 flags before the user's",
       User("token: T, " + as),
       {},
       [](auto& f) {
         f.kubeconfig = "a", f.as = "bob", f.as_groups = {"h"}, f.as_user_extra = {{"k", {"z"}}};
       },
       "https://h:1 ca=ca token=T as=bob uid=1 group=h extra.a/B=c extra.k=z"},
      {"K3 a group by flag, the user of the file",
       User("token: T, as: x, as-groups: [g]"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.as_groups = {"h"}; },
       "https://h:1 ca=ca token=T as=x group=h"},
      {"K3 a group without a user",
       User("token: T"),
       {},
       [](auto& f) { f.kubeconfig = "a", f.as_groups = {"h"}; },
       "error: requesting uid, groups or user-extra for u without impersonating a user"},
      {"K3 a uid without a user, in the file",
       User("token: T, as-uid: x"),
       {},
       kFileA,
       "error: requesting uid, groups or user-extra for u without impersonating a user"},
      {"K4 on http too",
       {{"a", Config(kHttp, as)}},
       {},
       kFileA,
       "http://h:1 as=x uid=1 group=g extra.a/B=c extra.k=v extra.k=w"},
  });
}

TEST_CASE("Credential plugins are read, not run", "[kube][kubeconfig]") {
  const std::string beta = "apiVersion: client.authentication.k8s.io/v1beta1";
  const std::string v1 = "apiVersion: client.authentication.k8s.io/v1";
  const std::string be = ",client.authentication.k8s.io/v1beta1,IfAvailable";
  const std::string plug = "exec: {command: plug, " + beta + "}";
  const std::string use = " must be specified for u to use exec authentication plugin";
  CheckAll({
      {"K2 a command with a slash is relative to the file",
       {{"sub/b",
         Config(kBare, "exec: {command: ./plug, args: [a, b], env: [{name: NN, value: v}], " +
                           beta + "}")}},
       {{"KUBECONFIG", "DIR/sub/b"}},
       kNone,
       "https://h:1 exec=DIR/sub/plug,a,b,NN=v" + be},
      {"K2 a bare command is not", User(plug), {}, kFileA, "https://h:1 ca=ca exec=plug" + be},
      {"Cluster information",
       {{"a", Config(kBare + ", extensions: [{name: other, extension: 5}, {name: "
                             "client.authentication.k8s.io/exec, extension: {b: [1, x], a: 2}}]",
                     "exec: {command: plug, provideClusterInfo: true, installHint: h, "
                     "interactiveMode: Never, " +
                         v1 + "}")}},
       {},
       kFileA,
       "https://h:1 exec=plug,client.authentication.k8s.io/v1,Never,hint:h,info:https://h:1"
       "{\"a\":2,\"b\":[1,\"x\"]}"},
      {"K4 not beside a token", User("token: T, " + plug), {}, kFileA, "https://h:1 ca=ca token=T"},
      {"K4 not beside a tokenFile",
       {User("tokenFile: t, " + plug)[0], {"t", "F"}},
       {},
       kFileA,
       "https://h:1 ca=ca token=F token-file=DIR/t"},
      {"K4 not beside a certificate",
       User("client-certificate-data: @alice@, client-key-data: @alice-key@, " + plug),
       {},
       kFileA,
       "https://h:1 ca=ca cert=alice key=alice"},
      {"K4 not beside a user name",
       User("username: a, " + plug),
       {},
       kFileA,
       "https://h:1 ca=ca username=a"},
      {"K4 not on http", {{"a", Config(kHttp, plug)}}, {}, kFileA, "http://h:1"},
      {"X1 nothing in it",
       User("exec: {}"),
       {},
       kFileA,
       "error: invalid configuration:\n* command" + use + "\n* apiVersion" + use +
           "\n* interactiveMode" + use},
      {"X1 v1 wants an interactiveMode",
       User("exec: {command: x, " + v1 + "}"),
       {},
       kFileA,
       "error: interactiveMode" + use},
      {"X1 no such interactiveMode",
       User("exec: {command: x, interactiveMode: Foo, " + v1 + "}"),
       {},
       kFileA,
       "error: invalid interactiveMode for u: \"Foo\""},
      {"X1 a variable without a name",
       User("exec: {command: x, interactiveMode: Never, env: [{value: SECRET}], " + v1 + "}"),
       {},
       kFileA,
       "error: env variable name" + use},
      {"X1 beside an auth-provider",
       User("auth-provider: {name: gcp}, " + plug),
       {},
       kFileA,
       "error: authProvider cannot be provided in combination with an exec plugin for u"},
  });
}

TEST_CASE("Proxies and compression", "[kube][kubeconfig]") {
  const auto proxy = [](const std::string& url) {
    return Cluster(kServer + ", proxy-url: '" + url + "'");
  };
  const std::string invalid = "error: invalid 'proxy-url' ";
  CheckAll({
      {"K5 proxy-url",
       proxy("http://p:3"),
       {},
       kFileA,
       "https://h:1 ca=ca token=T proxy=http://p:3"},
      {"K5 socks5",
       proxy("socks5://p:3"),
       {},
       kFileA,
       "https://h:1 ca=ca token=T proxy=socks5://p:3"},
      {"K5 a scheme that is not taken",
       proxy("ftp://p"),
       {},
       kFileA,
       invalid +
           "\"ftp://p\" for cluster \"c\": unsupported scheme \"ftp\", must be http, https, or "
           "socks5"},
      {"K5 no scheme",
       proxy("127.0.0.1:3"),
       {},
       kFileA,
       invalid + "\"127.0.0.1:3\" for cluster \"c\": could not parse: 127.0.0.1:3"},
      {"K5 the password stays secret",
       proxy("http://me:SECRET@["),
       {},
       kFileA,
       invalid + "\"http://[\" for cluster \"c\": could not parse: http://["},
      {"K5 disable-compression",
       Cluster(kServer + ", disable-compression: true"),
       {},
       kFileA,
       "https://h:1 ca=ca token=T uncompressed"},
      {"K5 --disable-compression",
       Cluster(kServer),
       {},
       [](auto& f) { f.kubeconfig = "a", f.disable_compression = true; },
       "https://h:1 ca=ca token=T uncompressed"},
  });
}

TEST_CASE("A pod's service account is used where nothing else is said", "[kube][kubeconfig]") {
  const Texts pod = {{"pod/token", "POD\n"},
                     {"pod/ca.crt", Pem("CERTIFICATE", "pod")},
                     {"pod/namespace", "podns\n"}};
  const Texts variables = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                           {"KUBERNETES_SERVICE_PORT", "443"}};
  const std::string account = "https://10.0.0.1:443 ca=pod token=POD token-file=DIR/pod/token ";
  Texts with_file = pod;
  with_file.push_back(Cluster(kServer)[0]);
  Texts with_default = pod;
  with_default.push_back(Cluster("server: 'http://localhost:8080'")[0]);
  Texts with_namespace = pod;
  with_namespace.emplace_back("a", Config(kBare, "token: T", "namespace: default"));
  CheckAll({
      {"K6 no kubeconfig", pod, variables, kNone, account + "namespace=podns"},
      {"K6 an IPv6 address",
       pod,
       {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}},
       kNone,
       "https://[fd00::1]:443 ca=pod token=POD token-file=DIR/pod/token namespace=podns"},
      {"K6 a kubeconfig goes first", with_file, variables, kFileA,
       "https://h:1 ca=ca token=T namespace=podns"},
      {"K6 a kubeconfig that says what is the default", with_default, variables, kFileA,
       account + "namespace=podns"},
      {"K6 no port", pod, {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}, kNone, kLocalhost},
      {"K6 no token", {pod[1], pod[2]}, variables, kNone, kLocalhost},
      {"K6 no CA",
       {pod[0]},
       variables,
       kNone,
       "https://10.0.0.1:443 token=POD token-file=DIR/pod/token"},
      {"K6 --token", pod, variables, [](auto& f) { f.token = "X"; },
       "https://10.0.0.1:443 ca=pod token=X namespace=podns"},
      {"K6 --certificate-authority", pod, variables,
       [](auto& f) { f.certificate_authority = "bob.crt"; },
       "https://10.0.0.1:443 ca=bob token=POD token-file=DIR/pod/token namespace=podns"},
      {"K6 --insecure-skip-tls-verify has no effect", pod, variables,
       [](auto& f) { f.insecure_skip_tls_verify = true; }, account + "namespace=podns"},
      {"K6 --as alone keeps the account from being used", pod, variables,
       [](auto& f) { f.as = "bob"; }, "http://localhost:8080 as=bob namespace=podns"},
      {"K6 --server alone needs credentials", pod, variables,
       [](auto& f) { f.server = "https://s"; },
       "error: no credentials for the server https://s: neither a context nor --user names a user"},
      {"K6 --server that is the default", pod, variables,
       [](auto& f) { f.server = "http://localhost:8080"; },
       "http://localhost:8080 namespace=podns"},
      {"K6 --context", pod, variables, [](auto& f) { f.context = "x"; },
       "error: context \"x\" does not exist"},
      {"K7 POD_NAMESPACE",
       pod,
       {variables[0], variables[1], {"POD_NAMESPACE", "env"}},
       kNone,
       account + "namespace=env"},
      {"K7 -n", pod, variables, [](auto& f) { f.namespace_ = "m"; }, account + "namespace=m"},
      {"K7 the context says default", with_namespace, variables,
       [](auto& f) { f.kubeconfig = "a", f.user = "u", f.cluster = "c"; }, "https://h:1 token=T"},
  });
}

// kubectl 1.32 goes to localhost:8080 then.
TEST_CASE("A timeout does not keep a pod from its service account", "[kube][kubeconfig]") {
  CheckAll(
      {{"K6 --request-timeout and --disable-compression",
        {{"pod/token", "POD"}},
        {{"KUBERNETES_SERVICE_HOST", "h"}, {"KUBERNETES_SERVICE_PORT", "1"}},
        [](auto& f) { f.request_timeout = std::chrono::seconds(5), f.disable_compression = true; },
        "https://h:1 token=POD token-file=DIR/pod/token uncompressed"}});
}

TEST_CASE("The request timeout is taken over", "[kube][kubeconfig]") {
  system::Environment environment;
  environment.variable = [](const std::string& name) {
    return std::string(name == "HOME" ? "/none" : "");
  };
  ConnectionFlags flags;
  flags.request_timeout = std::chrono::seconds(90);
  CHECK(LoadConnection(flags, environment).request_timeout == std::chrono::seconds(90));
}

}  // namespace
}  // namespace kube::config
