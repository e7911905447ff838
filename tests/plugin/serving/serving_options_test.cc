#include "plugin/command/serving_options.h"

#include <catch2/catch.hpp>

#include "plugin/cli/flag_set.h"
#include "plugin/command/commands.h"

namespace plugin::command {
namespace serving_options_test {
using Words = std::vector<std::string>;

GuardOptions Parse(const Words& words) {
  Words all = {"guard"};
  all.insert(all.end(), words.begin(), words.end());
  const cli::CommandLine line = cli::ParseCommandLine(Commands(), all);
  return dynamic_cast<const cli::CommandWith<GuardOptions>&>(*line.command).options();
}

std::string ErrorOf(const Words& words) {
  try {
    Parse(words);
  } catch (const cli::UsageError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find("\nSee 'kubectl prune guard --help' for usage."));
  }
  return "";
}

TEST_CASE("guard has its defaults", "[plugin][serving]") {
  const GuardOptions options = Parse({"widgets"});
  CHECK(options.selection.names == Words{"widgets"});
  CHECK(options.guard.action == migrate::guard::GuardAction::kWarn);
  CHECK_FALSE(options.selection.all);
  CHECK(options.serving.address.empty());
  CHECK(options.serving.port == 9443);
  CHECK(options.serving.reach == Reachable::kAuto);
  CHECK(options.serving.managed.empty());
}

TEST_CASE("guard knows what to guard", "[plugin][serving]") {
  CHECK(Parse({"--all", "--action=deny"}).guard.action == migrate::guard::GuardAction::kDeny);
  CHECK(Parse({"-f", "crds.yaml"}).filenames == Words{"crds.yaml"});
  CHECK(Parse({"widgets", "-f", "crds.yaml", "-R"}).recursive);
  CHECK(ErrorOf({}) == "name the CRDs to guard, or say --all or -f");
  CHECK(ErrorOf({"widgets", "--all"}) == "CRD names and --all cannot be specified together");
  CHECK(ErrorOf({"--all", "--action=Deny"}) ==
        "invalid --action value (Deny), must be \"warn\" or \"deny\"");
}

TEST_CASE("--server stays the API server's address", "[plugin][serving]") {
  const GuardOptions options = Parse({"--all", "-s", "https://x", "--reach=k3d"});
  CHECK(options.common.connection.server == "https://x");
  CHECK(options.serving.reach == Reachable::kK3d);
}

TEST_CASE("Flags of a server that cannot go together are refused", "[plugin][serving]") {
  const auto [flags, error] = GENERATE(table<Words, std::string>({
      {{"--cert-file=a"}, "--cert-file needs --key-file"},
      {{"--contact=" + std::string(121, 'x')},
       "--contact is shown as a warning, which is one line of 120 characters at most"},
      {{"--contact=a\nb"},
       "--contact is shown as a warning, which is one line of 120 characters at most"},
      {{"--key-file=a"}, "--key-file needs --cert-file"},
      {{"--ca-file=a"}, "--ca-file needs --cert-file"},
      {{"--key-password=a"}, "--key-password needs --key-file"},
      {{"--cert-file=a", "--key-file=b", "--ca-file=c", "--url=https://x"},
       "--ca-file and --url cannot be specified together: what verifies the certificate of --url "
       "is "
       "given with --ca-bundle-file"},
      {{"-n", "shop"}, "--namespace has no meaning here: objects of all namespaces are guarded"},
      {{"--cert-file=a", "--key-file=b", "--ca-dump=c"},
       "--cert-file and --ca-dump cannot be specified together"},
      {{"--cert-file=a", "--key-file=b", "--extra-san=c"},
       "--cert-file and --extra-san cannot be specified together"},
      {{"--cert-file=a", "--key-file=b", "--insecure"},
       "--insecure and --cert-file cannot be specified together"},
      {{"--client-ca-file=a", "--insecure"},
       "--insecure and --client-ca-file cannot be specified together"},
      {{"--insecure", "--managed=guard.example.com"},
       "--insecure and --managed cannot be specified together without --url: an API server asks by "
       "HTTPS alone"},
      {{"--url=https://x", "--host=y"}, "--url and --host cannot be specified together"},
      {{"--url=https://x", "--reach=plain"}, "--url and --reach cannot be specified together"},
      {{"--ca-bundle-file=a"},
       "--ca-bundle-file needs --url: what verifies the certificate of --cert-file is given with "
       "--ca-file"},
      {{"--reach=service"}, "--reach=service needs --host=NAME.NAMESPACE.svc"},
      {{"--reach=service", "--host=guard.svc"}, "--reach=service needs --host=NAME.NAMESPACE.svc"},
      {{"--reach=kind"},
       "invalid --reach value (kind), must be \"auto\", \"plain\", \"k3d\", \"minikube\" or "
       "\"service\""},
  }));
  Words words = {"widgets"};
  words.insert(words.end(), flags.begin(), flags.end());
  CHECK(ErrorOf(words) == error);
}

TEST_CASE("Flags of a server that go together are taken", "[plugin][serving]") {
  const Words words = GENERATE(values<Words>({
      {"--cert-file=a", "--key-file=b", "--ca-file=c", "--client-ca-file=d"},
      {"--insecure", "--managed=guard.example.com", "--url=https://x"},
      {"--reach=service", "--host=guard.kubectl-prune.svc"},
      {"--port=0", "--addr=127.0.0.1", "--extra-san=a,b"},
      {"--contact=" + std::string(120, 'x')},
  }));
  Words all = {"widgets"};
  all.insert(all.end(), words.begin(), words.end());
  CHECK(ErrorOf(all).empty());
}

}  // namespace serving_options_test
}  // namespace plugin::command
