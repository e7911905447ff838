#include "kube/client/exec_credentials.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <span>
#include <thread>

#include "kube/base/result.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_folder.h"

namespace kube::client {
namespace {

using std::chrono::seconds;
using test_support::FakeApiServer;
using test_support::FakeClock;
using test_support::TempFolder;

constexpr std::chrono::sys_seconds kNow =
    std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + std::chrono::hours(3);

/// A plugin of our own making, and a world around it.
struct World {
  World() {
    config.server = "https://10.0.0.1:6443";
    config.exec = ExecConfig{};
    config.exec->api_version = "client.authentication.k8s.io/v1";
    config.exec->interactive_mode = "Never";
    options.wall_time = [this] { return now; };
    options.stdin_is_terminal = [this] { return is_terminal; };
    options.use_certificate = [this](const ClientCertificate& certificate) {
      certificates.push_back(certificate.certificate_pem + certificate.key_pem);
    };
  }

  /// Makes a plugin that counts its runs in $run, from 1.
  void Plugin(const std::string& body) {
    config.exec->command =
        folder.WriteScript("plugin", "echo x >> " + folder.path() + "/runs\nrun=$(wc -l < " +
                                         folder.path() + "/runs)\n" + body + "\n");
  }
  /// A plugin that answers with a status, in which $run may stand.
  void PluginWithStatus(const std::string& status) {
    Plugin("cat <<EOF\n{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":" + status +
           "}\nEOF");
  }
  std::size_t runs() const { return folder.Read("runs").size() / 2; }
  ExecCredentials& credentials() {
    if (!made) made.emplace(config, clock, options);
    return *made;
  }
  std::string Authorization() {
    const std::vector<HttpHeader> headers = credentials().Headers();
    return headers.empty() ? "" : headers.at(0).name + ": " + headers.at(0).value;
  }
  /// What Headers() throws.
  std::string ErrorText() {
    try {
      credentials().Headers();
    } catch (const base::Error& error) {
      return error.what();
    }
    return "no error";
  }

  TempFolder folder;
  ConnectionConfig config;
  FakeClock clock;
  ExecOptions options;
  std::chrono::sys_seconds now = kNow;
  bool is_terminal = false;
  std::vector<std::string> certificates;
  std::optional<ExecCredentials> made;
};

const std::string kGetting = "Unable to connect to the server: getting credentials: ";

TEST_CASE("X4: without an expirationTimestamp a plugin is run once", "[kube][exec]") {
  World world;
  world.PluginWithStatus(R"({"token":"t$run"})");
  world.credentials();
  CHECK(world.runs() == 0);
  CHECK(world.Authorization() == "Authorization: Bearer t1");
  world.now += std::chrono::years(10);
  CHECK(world.Authorization() == "Authorization: Bearer t1");
  CHECK(world.runs() == 1);
  CHECK(world.certificates.empty());
}

TEST_CASE("X4: a plugin is run again once its token has expired", "[kube][exec]") {
  World world;
  world.PluginWithStatus(R"({"token":"t$run","expirationTimestamp":"2026-11-21T03:0${run}:00Z"})");
  CHECK(world.Authorization() == "Authorization: Bearer t1");
  const std::uint64_t version = world.credentials().version();
  world.now = kNow + seconds(59);
  CHECK(world.Authorization() == "Authorization: Bearer t1");
  CHECK(world.credentials().version() == version);
  world.now = kNow + seconds(60);
  CHECK(world.Authorization() == "Authorization: Bearer t2");
  CHECK(world.credentials().version() > version);
  CHECK(world.runs() == 2);
}

TEST_CASE("X5: after 401 a plugin is run again", "[kube][exec]") {
  World world;
  world.PluginWithStatus(R"({"token":"t$run"})");
  CHECK(world.Authorization() == "Authorization: Bearer t1");
  const std::uint64_t version = world.credentials().version();
  CHECK(world.credentials().Refresh());
  CHECK(world.credentials().version() > version);
  CHECK(world.Authorization() == "Authorization: Bearer t2");
}

TEST_CASE("X5: a plugin that insists on what was refused is left alone for a minute",
          "[kube][exec]") {
  World world;
  world.PluginWithStatus(R"({"token":"same"})");
  world.Authorization();
  CHECK(world.credentials().Refresh());
  CHECK_FALSE(world.credentials().Refresh());
  CHECK(world.runs() == 2);
  world.clock.Advance(seconds(60));
  CHECK(world.credentials().Refresh());
  CHECK(world.runs() == 3);
}

TEST_CASE("X5: certificates are handed on when they change", "[kube][exec]") {
  World world;
  const std::string pair = R"x("clientCertificateData":"-----BEGIN CERTIFICATE-----$((run/2))",)x"
                           R"("clientKeyData":"-----BEGIN PRIVATE KEY-----")";
  world.PluginWithStatus(R"({"token":"t$run",)" + pair + "}");
  CHECK(world.Authorization() == "Authorization: Bearer t1");
  CHECK(world.certificates.size() == 1);
  for (int i = 0; i < 2; ++i) world.credentials().Refresh();  // of the runs 2 and 3 it is the same
  CHECK(world.certificates ==
        std::vector<std::string>{"-----BEGIN CERTIFICATE-----0-----BEGIN PRIVATE KEY-----",
                                 "-----BEGIN CERTIFICATE-----1-----BEGIN PRIVATE KEY-----"});
  world.PluginWithStatus("{" + pair + "}");
  world.credentials().Refresh();
  CHECK(world.Authorization().empty());
  CHECK(world.certificates.size() == 3);
  world.PluginWithStatus(R"({"token":"alone"})");
  world.credentials().Refresh();
  CHECK(world.certificates.back().empty());
}

TEST_CASE("X2: a plugin has its arguments, variables and what we tell it", "[kube][exec]") {
  World world;
  world.Plugin(R"(printf '%s' "$1 $NN $KUBERNETES_EXEC_INFO" > )" + world.folder.path() + "/told");
  world.config.exec->arguments = {"get token"};
  world.config.exec->environment = {{"NN", "v"}, {"KUBERNETES_EXEC_INFO", "mine"}};
  world.config.exec->provide_cluster_info = true;
  world.config.exec->server = "https://10.0.0.1:6443/";
  world.ErrorText();
  CHECK(
      world.folder.Read("told") ==
      "get token v {\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\""
      ",\"spec\":{\"cluster\":{\"server\":\"https://10.0.0.1:6443/\",\"config\":null},"
      "\"interactive\":false}}\n");
}

TEST_CASE("X1: a plugin can ask only at a terminal, and where the kubeconfig lets it",
          "[kube][exec]") {
  struct Row {
    const char* mode;
    bool is_terminal, is_interactive;
  };
  const auto [mode, is_terminal, is_interactive] = GENERATE(
      Row{"Never", false, false}, Row{"Never", true, false}, Row{"IfAvailable", false, false},
      Row{"IfAvailable", true, true}, Row{"Always", true, true});
  World world;
  world.config.exec->interactive_mode = mode;
  world.is_terminal = is_terminal;
  world.Plugin("printf '%s' \"$KUBERNETES_EXEC_INFO\" > " + world.folder.path() + "/told");
  world.ErrorText();
  const std::string want = is_interactive ? "\"interactive\":true" : "\"interactive\":false";
  INFO(mode << " at a terminal: " << is_terminal);
  CHECK(world.folder.Read("told").find(want) != std::string::npos);
}

TEST_CASE("X1: Always without a terminal is an error", "[kube][exec]") {
  World world;
  world.config.exec->interactive_mode = "Always";
  world.PluginWithStatus(R"({"token":"t"})");
  CHECK(world.ErrorText() ==
        kGetting + "exec plugin cannot support interactive mode: standard input is not a terminal");
  CHECK(world.runs() == 0);
}

TEST_CASE("X1: another version of the API is refused at once", "[kube][exec]") {
  World world;
  world.config.exec->api_version = "foo/v1";
  CHECK_THROWS_WITH(world.credentials(), "exec plugin: invalid apiVersion \"foo/v1\"");
}

TEST_CASE("X3: a plugin that is not installed is told with the hint", "[kube][exec]") {
  const std::string help =
      "\n\nIt looks like you are trying to use a client-go credential plugin that is not "
      "installed.\n\nTo learn more about this feature, consult the documentation available at:\n"
      "      https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
      "#client-go-credential-plugins";
  World world;
  world.config.exec->command = "no-such-plugin";
  const std::string text = kGetting + "exec: executable no-such-plugin not found" + help;
  SECTION("without") { CHECK(world.ErrorText() == text); }
  SECTION("with") {
    world.config.exec->install_hint = "see \x1B[1mhere\nor there";
    CHECK(world.ErrorText() == text + "\n\nsee U+001B[1mhere\nor there");
  }
  SECTION("of a path") {
    world.config.exec->command = "/no/such/plugin";
    world.config.exec->install_hint = "see here";
    CHECK(world.ErrorText() ==
          kGetting + "exec: fork/exec /no/such/plugin: no such file or directory\n\nsee here");
  }
}

TEST_CASE("X3: a plugin that fails is told, and run again for the next request", "[kube][exec]") {
  World world;
  world.Plugin("echo SECRET; [ $run = 2 ] || exit 3\nexit 4");
  const std::string failed =
      kGetting + "exec: executable " + world.config.exec->command + " failed with exit code ";
  CHECK(world.ErrorText() == failed + "3");
  CHECK(world.ErrorText() == failed + "4");
}

TEST_CASE("X3: an answer of no use is told without its secrets", "[kube][exec]") {
  World world;
  std::string want;
  SECTION("no status") {
    world.PluginWithStatus("null");
    want = "exec plugin didn't return a status field";
  }
  SECTION("a token that no header can carry") {
    world.PluginWithStatus(R"({"token":"SECRET\\nX-Evil: 1"})");
    want = "the token has control characters, which no header can carry";
  }
  CHECK(world.ErrorText() == kGetting + want);
}

TEST_CASE("X5: a plugin that fails after 401 is told with it", "[kube][exec]") {
  World world;
  world.Plugin(
      "[ $run = 1 ] || exit 4\n"
      R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t"}}')");
  world.Authorization();
  CHECK_THROWS_WITH(world.credentials().Refresh(),
                    "You must be logged in to the server (Unauthorized); refreshing credentials: "
                    "exec: executable " +
                        world.config.exec->command + " failed with exit code 4");
}

TEST_CASE("A plugin ends when we are asked to stop", "[kube][exec]") {
  World world;
  std::atomic<bool> stop{false};
  world.options.stop = &stop;
  world.Plugin("while :; do sleep 0.05; done");
  std::thread stopper([&] {
    while (!std::filesystem::exists(world.folder.path() + "/runs")) std::this_thread::yield();
    stop = true;
  });
  CHECK(world.ErrorText() == "interrupted");
  stopper.join();
}

/// A client of a server that takes one token at a time.
struct Connected : World {
  explicit Connected(const std::string& status) {
    PluginWithStatus(status);
    ClientOptions client_options;
    client_options.on_request = [this](const std::string& line) { log += line + "\n"; };
    client.emplace(server, credentials(), clock, client_options);
  }
  /// True if the server answered with success.
  bool Get() { return client->Get("/version").has_value(); }

  FakeApiServer server{clock};
  std::string log;
  std::optional<Client> client;
};

TEST_CASE("X4: a token that expires in the middle is renewed before the next request",
          "[kube][exec]") {
  Connected world(R"({"token":"t$run","expirationTimestamp":"2026-11-21T03:0${run}:00Z"})");
  world.server.RequireToken("t1");
  CHECK(world.Get());
  CHECK(world.Get());
  world.now += seconds(60);
  world.server.RequireToken("t2");
  CHECK(world.Get());
  CHECK(world.server.requests().size() == 3);
  CHECK(world.runs() == 2);
}

TEST_CASE("X5: 401 leads to one run of the plugin, and the request is sent again", "[kube][exec]") {
  Connected world(R"({"token":"secret$run"})");
  world.server.RequireToken("secret1");
  CHECK(world.Get());
  world.server.RequireToken("secret2");
  CHECK(world.Get());
  CHECK(world.server.requests().size() == 3);
  CHECK(world.runs() == 2);
  CHECK(world.log.find("401") != std::string::npos);
  CHECK(world.log.find("secret") == std::string::npos);
}

TEST_CASE("X5: a second 401 is the answer", "[kube][exec]") {
  Connected world(R"({"token":"t$run"})");
  world.server.RequireToken("never");
  const auto answer = world.client->Get("/version");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message == "You must be logged in to the server (Unauthorized)");
  CHECK(world.server.requests().size() == 2);
  CHECK(world.runs() == 2);
}

/// Knows when a call has ended.
class EndSink : public ResultSink {
 public:
  void OnBytes(std::string_view) override {}
  void OnEnd(const std::optional<CallError>& error) override {
    ended = true;
    succeeded = !error;
  }

  bool ended = false, succeeded = false;
};

TEST_CASE("X5: of many requests that are refused together one runs the plugin", "[kube][exec]") {
  Connected world(R"({"token":"t$run","expirationTimestamp":"2026-11-21T03:0${run}:00Z"})");
  world.server.RequireToken("t1");
  REQUIRE(world.Get());
  // Those under way are refused, while a new one brings the next token by itself.
  world.server.RequireToken("t2");
  EndSink sinks[4];
  ApiRequest request;
  request.target = "/version";
  for (EndSink& sink : std::span(sinks).first(3)) world.client->Start(request, sink);
  world.client->Poll(world.clock.Now());
  world.now += seconds(60);
  world.client->Start(request, sinks[3]);
  while (!std::ranges::all_of(sinks, &EndSink::ended)) {
    world.client->Poll(world.clock.Now() + seconds(1));
  }
  CHECK(std::ranges::all_of(sinks, &EndSink::succeeded));
  CHECK(world.runs() == 2);
}

TEST_CASE("Plugins that may ask at the terminal run one at a time, whoever they are for",
          "[kube][exec_credentials]") {
  const TempFolder folder;
  const std::string busy = folder.path() + "/busy";
  World worlds[2];
  std::string told[2];
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
      worlds[i].is_terminal = true;
      worlds[i].config.exec->interactive_mode = "IfAvailable";
      // One that meets another fails; those that come one after the other never do.
      worlds[i].Plugin("mkdir " + busy + " || exit 1\nsleep 0.3\nrmdir " + busy +
                       "\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\","
                       "\"status\":{\"token\":\"t\"}}'");
      threads.emplace_back([&, i] { told[i] = worlds[i].Authorization(); });
    }
  }
  CHECK(told[0] == "Authorization: Bearer t");
  CHECK(told[1] == "Authorization: Bearer t");
}

TEST_CASE("Clients of one user ask their plugin once", "[auth]") {
  World world;
  world.PluginWithStatus(R"({"token":"t$run"})");
  world.options.answer = std::make_shared<PluginAnswer>();
  ExecCredentials one(world.config, world.clock, world.options);
  ExecCredentials other(world.config, world.clock, world.options);
  CHECK(one.Headers().at(0).value == "Bearer t1");
  CHECK(other.Headers().at(0).value == "Bearer t1");
  CHECK(world.runs() == 1);
  SECTION("and once more when the server refuses what it gave") {
    CHECK(other.Refresh());
    CHECK(one.Refresh());
    CHECK(one.Headers().at(0).value == "Bearer t2");
    CHECK(world.runs() == 2);
  }
}

TEST_CASE("What has expired is not taken from another client", "[auth]") {
  World world;
  world.PluginWithStatus(R"({"token":"t$run","expirationTimestamp":"2026-11-21T04:00:00Z"})");
  world.options.answer = std::make_shared<PluginAnswer>();
  ExecCredentials one(world.config, world.clock, world.options);
  ExecCredentials other(world.config, world.clock, world.options);
  CHECK(one.Headers().at(0).value == "Bearer t1");
  world.now += std::chrono::hours(2);
  CHECK(other.Headers().at(0).value == "Bearer t2");
}

}  // namespace
}  // namespace kube::client
