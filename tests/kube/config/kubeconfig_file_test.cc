#include "kube/client/kubeconfig_file.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::client {
namespace {

std::string ErrorOf(const std::string& text) {
  const auto config = ParseKubeconfig(text, "/folder");
  return config ? "" : config.error();
}

// Expected values: kubectl 1.32, which prints what stands behind the place.
TEST_CASE("What does not fit into a kubeconfig is told by its place", "[kube][kubeconfig_file]") {
  const std::string cannot = ": json: cannot unmarshal ";
  const auto [text, expected] = GENERATE_COPY(table<std::string, std::string>({
      {"clusters: {}", "clusters" + cannot +
                           "object into Go struct field Config.clusters of type []v1.NamedCluster"},
      {"users: [{name: u, user: x}]",
       "users[0].user" + cannot +
           "string into Go struct field NamedAuthInfo.users.user of type v1.AuthInfo"},
      {"users: [{name: 5}]",
       "users[0].name" + cannot +
           "number into Go struct field NamedAuthInfo.users.name of type string"},
      {"users: [{}, {name: u, user: {token: 5}}]",
       "users[1].user.token" + cannot +
           "number into Go struct field AuthInfo.users.user.token of type string"},
      {"clusters: [{name: c, cluster: {server: []}}]",
       "clusters[0].cluster.server" + cannot +
           "array into Go struct field Cluster.clusters.cluster.server of type string"},
      {"clusters: [{name: c, cluster: {insecure-skip-tls-verify: 'yes'}}]",
       "clusters[0].cluster.insecure-skip-tls-verify" + cannot +
           "string into Go struct field Cluster.clusters.cluster.insecure-skip-tls-verify of type "
           "bool"},
      {"current-context: yes",
       "current-context" + cannot +
           "bool into Go struct field Config.current-context of type string"},
      {"users: [{name: u, user: {client-key-data: 12}}]",
       "users[0].user.client-key-data" + cannot +
           "number into Go struct field AuthInfo.users.user.client-key-data of type []uint8"},
      {"preferences: 3",
       "preferences" + cannot +
           "number into Go struct field Config.preferences of type v1.Preferences"},
      {"extensions: 3",
       "extensions" + cannot +
           "number into Go struct field Config.extensions of type []v1.NamedExtension"},
      {"users: [{name: u, user: {extensions: {a: b}}}]",
       "users[0].user.extensions" + cannot +
           "object into Go struct field AuthInfo.users.user.extensions of type "
           "[]v1.NamedExtension"},
      {"users: [{name: u, user: {as-groups: x}}]",
       "users[0].user.as-groups" + cannot +
           "string into Go struct field AuthInfo.users.user.as-groups of type []string"},
      {"users: [{name: u, user: {as-user-extra: {k: v}}}]",
       "users[0].user.as-user-extra[k]" + cannot +
           "string into Go struct field AuthInfo.users.user.as-user-extra of type []string"},
      {"users: [{name: u, user: {exec: {args: [1]}}}]",
       "users[0].user.exec.args[0]" + cannot +
           "number into Go struct field ExecConfig.users.user.exec.args of type string"},
      {"users: [{name: u, user: {exec: {env: [{name: no}]}}}]",
       "users[0].user.exec.env[0].name" + cannot +
           "bool into Go struct field ExecEnvVar.users.user.exec.env.name of type string"},
      {"users: [{name: u, user: {exec: {env: [{name: 'no'}, x]}}}]",
       "users[0].user.exec.env[1]" + cannot +
           "string into Go struct field ExecConfig.users.user.exec.env of type v1.ExecEnvVar"},
      {"contexts: [{name: u},{name: u}]", "contexts[1]: duplicate name \"u\""},
  }));
  CAPTURE(text);
  CHECK(ErrorOf(text) == expected);
}

TEST_CASE("Only a Config of version v1 is a kubeconfig", "[kube][kubeconfig_file]") {
  const std::string hint = "; a kubeconfig is of kind Config, v1";
  CHECK(ErrorOf("kind: Foo\napiVersion: v1") ==
        "no kind \"Foo\" is registered for version \"v1\"" + hint);
  CHECK(ErrorOf("kind: Config\napiVersion: v2") ==
        "no kind \"Config\" is registered for version \"v2\"" + hint);
  CHECK(ErrorOf("kind: Pod") == "no kind \"Pod\" is registered for version \"v1\"" + hint);
  CHECK(ErrorOf("apiVersion: 1") == "apiVersion and kind must be strings");
  CHECK(ErrorOf("[]") == "a kubeconfig must be an object, not of type array");
  CHECK(ErrorOf("foo") == "a kubeconfig must be an object, not of type string");
  CHECK(ErrorOf("kind: Config").empty());
}

TEST_CASE("Bad YAML is told by line and column", "[kube][kubeconfig_file]") {
  CHECK(ErrorOf("a: 1\nb: ]\nc: 2").starts_with("line 2, column 4: "));
  CHECK(ErrorOf("a:\n\t- b").starts_with("line 2"));
  CHECK(ErrorOf("{\"current-context\": \"x\"").starts_with("line 1"));
}

TEST_CASE("Errors hold nothing of a password", "[kube][kubeconfig_file]") {
  for (const char* text : {
           "users: [{name: u, user: {password: *SECRET}}]",
           "users: [{name: u, user: {password: !!int SECRET}}]",
           "users:\n- name: u\n  user:\n    password: SECRET: x",
           "users: [{name: u, user: {token: [SECRET]}}]",
           "users: [{name: u, user: {client-key-data: 'SECRET*'}}]",
           "users: [{name: u, user: {token: SECRET}}, {name: u}]",
           "users: [{name: u, user: {token: !!binary SECRET*}}]",
       }) {
    CAPTURE(text);
    CHECK_FALSE(ErrorOf(text).empty());
    CHECK(ErrorOf(text).find("SECRET") == std::string::npos);
  }
}

// Each one says as little as no kubeconfig, for kubectl 1.32 too.
TEST_CASE("A kubeconfig may be empty", "[kube][kubeconfig_file]") {
  for (const char* text :
       {"", "\n# x\n", "null", "{}", "clusters:", "users: [null]", "users: [{name: u, user: null}]",
        "CURRENT-CONTEXT: x\nClusters: [{}]", "users: [{name: u, user: {tokenfile: x}}]",
        "foo: bar\nclusters: [{name: c, cluster: {bar: 1}}]"}) {
    CAPTURE(text);
    const auto config = ParseKubeconfig(text, "/folder");
    REQUIRE(config);
    CHECK(config->current_context.empty());
    CHECK(config->contexts.empty());
    for (const auto& [name, user] : config->users) CHECK(user.token_file.empty());
  }
}

TEST_CASE("JSON, byte order marks, Windows lines and later documents are taken",
          "[kube][kubeconfig_file]") {
  for (const char* text : {"{\"current-context\": \"x\"}",
                           "\xEF\xBB\xBF"
                           "current-context: x",
                           "current-context: x\r\n", "current-context: x\n---\na: b\n",
                           "current-context: y1\ncurrent-context: x"}) {
    CAPTURE(text);
    const auto config = ParseKubeconfig(text, "/folder");
    REQUIRE(config);
    CHECK(config->current_context == "x");
  }
}

}  // namespace
}  // namespace kube::client
