#include <catch2/catch.hpp>
#include <string>

#include "kube/client/kubeconfig.h"
#include "tests/kube/config/kubeconfig_situations.h"

namespace kube::client {
namespace kubeconfig_test {

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

}  // namespace kubeconfig_test
}  // namespace kube::client
