#include "kube/client/credentials.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "kube/base/result.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_folder.h"

namespace kube::client {
namespace {

using std::chrono::seconds;
using test_support::FakeClock;
using test_support::TempFolder;

ConnectionConfig Https() {
  ConnectionConfig config;
  config.server = "https://10.0.0.1:6443";
  return config;
}

std::string Show(const std::vector<HttpHeader>& headers) {
  std::string text;
  for (const HttpHeader& header : headers) text += header.name + ": " + header.value + "\n";
  return text;
}

std::string HeadersOf(const ConnectionConfig& config) {
  const FakeClock clock;
  return Show(MakeCredentials(config, clock)->Headers());
}

TEST_CASE("A token or a user name goes into Authorization", "[kube][credentials]") {
  ConnectionConfig config = Https();
  CHECK(HeadersOf(config).empty());
  SECTION("token") {
    config.token = "abc";
    CHECK(HeadersOf(config) == "Authorization: Bearer abc\n");
  }
  SECTION("user name") {
    config.username = "ann";
    config.password = "a:b";
    CHECK(HeadersOf(config) == "Authorization: Basic YW5uOmE6Yg==\n");
  }
}

TEST_CASE("A password without a user name is sent too", "[kube][credentials]") {
  ConnectionConfig config = Https();
  config.password = "pw";
  CHECK(HeadersOf(config) == "Authorization: Basic OnB3\n");
}

TEST_CASE("Without TLS the user name of the URL is sent", "[kube][credentials]") {
  ConnectionConfig config = Https();
  config.server = "http://10.0.0.1:8080";
  config.username = "ann";
  config.password = "a:b";
  config.token = "never";
  CHECK(HeadersOf(config) == "Authorization: Basic YW5uOmE6Yg==\n");
}

TEST_CASE("Without TLS no token is sent", "[kube][credentials]") {
  ConnectionConfig config = Https();
  config.server = "http://10.0.0.1:8080";
  config.token = "abc";
  config.token_file = "/nowhere/token";
  config.exec = ExecConfig{};
  config.impersonation.user = "bob";
  CHECK(HeadersOf(config) == "Impersonate-User: bob\n");
}

TEST_CASE("Impersonation names user, uid, groups and extra", "[kube][credentials]") {
  ConnectionConfig config = Https();
  config.token = "abc";
  config.impersonation.groups = {"ignored without a user"};
  CHECK(HeadersOf(config) == "Authorization: Bearer abc\n");
  config.impersonation = {
      "bob", "7", {"dev", "ops"}, {{"acme.com/a%b", {"x", "y"}}, {"gr\xC3\xBCn", {""}}}};
  CHECK(HeadersOf(config) ==
        "Impersonate-User: bob\nImpersonate-Uid: 7\nImpersonate-Group: dev\n"
        "Impersonate-Group: ops\nImpersonate-Extra-acme.com%2Fa%25b: x\n"
        "Impersonate-Extra-acme.com%2Fa%25b: y\nImpersonate-Extra-gr%C3%BCn: \n"
        "Authorization: Bearer abc\n");
}

TEST_CASE("A token file is read again as it gets old", "[kube][credentials]") {
  const TempFolder folder;
  ConnectionConfig config = Https();
  config.token = "older";
  config.token_file = folder.Write("token", "  one\n");
  FakeClock clock;
  const auto credentials = MakeCredentials(config, clock);
  CHECK(Show(credentials->Headers()) == "Authorization: Bearer one\n");
  folder.Write("token", "two\n");
  clock.Advance(seconds(49));
  CHECK(Show(credentials->Headers()) == "Authorization: Bearer one\n");
  clock.Advance(seconds(1));
  CHECK(Show(credentials->Headers()) == "Authorization: Bearer two\n");
}

TEST_CASE("A token beside a file counts while the file cannot be read", "[kube][credentials]") {
  const TempFolder folder;
  ConnectionConfig config = Https();
  config.token = "beside";
  config.token_file = folder.Write("token", "\n");
  SECTION("empty") {}
  SECTION("gone") { std::filesystem::remove(config.token_file); }
  SECTION("not fit for a header") { folder.Write("token", "a\nb"); }
  const FakeClock clock;
  const auto credentials = MakeCredentials(config, clock);
  CHECK(Show(credentials->Headers()) == "Authorization: Bearer beside\n");
  folder.Write("token", "new");
  CHECK(Show(credentials->Headers()) == "Authorization: Bearer new\n");
}

TEST_CASE("The last good token of a file wins", "[kube][credentials]") {
  const TempFolder folder;
  ConnectionConfig config = Https();
  config.token_file = folder.Write("token", "one");
  FakeClock clock;
  const auto credentials = MakeCredentials(config, clock);
  SECTION("empty") { folder.Write("token", " \n"); }
  SECTION("gone") { std::filesystem::remove(config.token_file); }
  SECTION("not fit for a header") { folder.Write("token", "a\nb"); }
  clock.Advance(seconds(100));
  CHECK(Show(credentials->Headers()) == "Authorization: Bearer one\n");
  CHECK_FALSE(credentials->Refresh());
}

TEST_CASE("After 401 a token file is read at once, a token stays", "[kube][credentials]") {
  const TempFolder folder;
  ConnectionConfig config = Https();
  FakeClock clock;
  SECTION("token") {
    config.token = "abc";
    CHECK_FALSE(MakeCredentials(config, clock)->Refresh());
  }
  SECTION("token file") {
    config.token_file = folder.Write("token", "one");
    const auto credentials = MakeCredentials(config, clock);
    CHECK_FALSE(credentials->Refresh());
    folder.Write("token", "two");
    CHECK(credentials->Refresh());
    CHECK(Show(credentials->Headers()) == "Authorization: Bearer two\n");
  }
}

TEST_CASE("What cannot be credentials is told without its secrets", "[kube][credentials]") {
  const TempFolder folder;
  const FakeClock clock;
  ConnectionConfig config = Https();
  std::string want;
  SECTION("no file") {
    config.token_file = "/nowhere/token";
    want = "cannot read the token file: open /nowhere/token: no such file or directory";
  }
  SECTION("empty file") {
    config.token_file = folder.Write("token", "\n");
    want = "the token file \"" + config.token_file + "\" is empty";
  }
  SECTION("line break in a token") {
    config.token = "hunter2\r\nX-Evil: 1";
    want = "the token has control characters, which no header can carry";
  }
  SECTION("line break in an impersonated user") {
    config.impersonation.user = "a\nX-Evil: 1";
    want = "Impersonate-User has control characters, which no header can carry";
  }
  SECTION("line break in a token beside a file") {
    config.token = "hunter2\r\nX-Evil: 1";
    config.token_file = "/nowhere/token";
    want = "the token has control characters, which no header can carry";
  }
  SECTION("X1: a plugin of a version that nobody knows") {
    config.exec = ExecConfig{};
    config.exec->api_version = "client.authentication.k8s.io/v1alpha1";
    want = "exec plugin: invalid apiVersion \"client.authentication.k8s.io/v1alpha1\"";
  }
  CHECK_THROWS_WITH(MakeCredentials(config, clock), want);
}

TEST_CASE("A token file that changes is another version of the credentials",
          "[kube][credentials]") {
  const TempFolder folder;
  ConnectionConfig config = Https();
  config.token_file = folder.Write("token", "one");
  FakeClock clock;
  const auto credentials = MakeCredentials(config, clock);
  const std::uint64_t version = credentials->version();
  clock.Advance(seconds(50));
  credentials->Headers();
  CHECK(credentials->version() == version);
  folder.Write("token", "two");
  clock.Advance(seconds(50));
  credentials->Headers();
  CHECK(credentials->version() > version);
}

TEST_CASE("X4: a plugin says who we are, beside whom to impersonate", "[kube][credentials]") {
  const TempFolder folder;
  ConnectionConfig config = Https();
  config.impersonation.user = "bob";
  config.exec = ExecConfig{};
  config.exec->api_version = "client.authentication.k8s.io/v1";
  config.exec->interactive_mode = "Never";
  config.exec->command = folder.WriteScript(
      "plugin",
      R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"abc"}}')");
  const FakeClock clock;
  const auto credentials = MakeCredentials(config, clock);
  CHECK(Show(credentials->Headers()) == "Impersonate-User: bob\nAuthorization: Bearer abc\n");
  const std::uint64_t version = credentials->version();
  CHECK(credentials->Refresh());
  CHECK(credentials->version() > version);
}

TEST_CASE("K4: a plugin is not run where something else says who we are", "[kube][credentials]") {
  ConnectionConfig config = Https();
  config.exec = ExecConfig{};  // Headers would throw
  SECTION("token") {
    config.token = "abc";
    CHECK(HeadersOf(config) == "Authorization: Bearer abc\n");
  }
  SECTION("user name") {
    config.username = "ann";
    CHECK(HeadersOf(config) == "Authorization: Basic YW5uOg==\n");
  }
  SECTION("client certificate") {
    config.client_certificate_pem = config.client_key_pem = "PEM";
    CHECK(HeadersOf(config).empty());
  }
}

}  // namespace
}  // namespace kube::client
