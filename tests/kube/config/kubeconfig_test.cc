#include "kube/client/kubeconfig.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <string>

#include "tests/kube/config/kubeconfig_situations.h"
#include "tests/support/temp_folder.h"

namespace kube::client {
namespace kubeconfig_test {

const std::string kFromA = "https://h:1 ca=ca token=A";

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

TEST_CASE("The request timeout is taken over", "[kube][kubeconfig]") {
  base::Environment environment;
  environment.variable = [](const std::string& name) {
    return std::string(name == "HOME" ? "/none" : "");
  };
  ConnectionFlags flags;
  flags.request_timeout = std::chrono::seconds(90);
  CHECK(LoadConnection(flags, environment).request_timeout == std::chrono::seconds(90));
}

TEST_CASE("The name of the context is known where one counts, and the server has no password",
          "[kube][kubeconfig]") {
  const test_support::TempFolder folder;
  const std::string path = folder.path() + "/a";
  std::ofstream(path) << Config("server: 'https://ada:secret@h:1'", "token: A");
  base::Environment environment;
  environment.variable = [](const std::string&) { return std::string(); };
  ConnectionFlags flags;
  flags.kubeconfig = path;
  CHECK(LoadConnection(flags, environment).context == "x");
  CHECK(LoadConnection(flags, environment).server == "https://h:1");
  std::ofstream(path) << Config("server: 'https://h:1'", "token: A", "cluster: c, user: u", "");
  flags.cluster = "c";
  flags.user = "u";
  CHECK(LoadConnection(flags, environment).context.empty());
}

}  // namespace kubeconfig_test
}  // namespace kube::client
