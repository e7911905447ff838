#include "plugin/command/version_command.h"

#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/client/client.h"
#include "kube/go/go_format.h"
#include "plugin/cli/output_flag.h"
#include "plugin/cli/usage_error.h"
#include "plugin/command/cluster_access.h"
#include "plugin/report/object_builder.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {

const std::string_view kVersion = "v" KUBECTL_PRUNE_VERSION;  // from CMake's project()

std::string UserAgent() { return kube::client::UserAgent("kubectl-prune", kVersion); }

namespace {

using kube::json::Value;

ClientVersion OwnVersion() { return {kVersion, kCommit, kHasUncommittedChanges}; }

std::string CommitText(const ClientVersion& client) {
  if (client.commit.empty()) return "unknown (built without git, or for tests)";
  return std::string(client.commit) +
         (client.has_uncommitted_changes ? " with changes that were not committed" : "");
}

std::string_view TreeState(const ClientVersion& client) {
  if (client.commit.empty()) return "unknown";
  return client.has_uncommitted_changes ? "dirty" : "clean";
}

int PrintBoth(const VersionOptions& options) {
  const kube::base::SystemClock clock;
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock,
                        [](const std::string& line) { terminal::WriteStderr(line + "\n"); });
  const auto server = cluster.client().Get("/version");
  const Value* version = server ? &(*server)->root() : nullptr;
  terminal::WriteStdout(PrintVersion(OwnVersion(), version, options.output));
  if (!server) throw kube::base::Error(server.error().message);
  return 0;
}

}  // namespace

void VersionCommand::AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) {
  flag_set.String("output", 'o', raw.output);
  flag_set.Bool("client", 0, options_.client);
}

void VersionCommand::SetArguments(std::vector<std::string> arguments) {
  if (arguments.empty()) return;
  throw cli::UsageError("version", "unknown argument " + kube::go::GoQuote(arguments[0]));
}

void VersionCommand::Finish(const cli::FlagSet&, const cli::RawValues& raw) {
  options_.output = cli::ParseVersionOutput(raw.output);
}

int VersionCommand::Run() {
  if (!options_.client) return PrintBoth(options_);
  terminal::WriteStdout(PrintVersion(OwnVersion(), nullptr, options_.output));
  return 0;
}

std::string PrintVersion(const ClientVersion& client, const Value* server,
                         terminal::OutputFormat format) {
  if (format == terminal::OutputFormat::kTable) {
    std::string text = "Client Version: " + std::string(client.version) + "\n";
    text += "Client Commit: " + CommitText(client) + "\n";
    if (server)
      text += "Server Version: " + terminal::Printable(server->FindText("gitVersion")) + "\n";
    return text;
  }
  kube::json::Arena arena;
  report::ObjectBuilder root(arena);
  root.Add("clientVersion", report::ObjectBuilder(arena)
                                .TextIfAny("gitCommit", client.commit)
                                .Text("gitTreeState", TreeState(client))
                                .Text("gitVersion", client.version)
                                .Build());
  if (server) root.Add("serverVersion", *server);
  return terminal::PrintValue(root.Build(), format);
}

}  // namespace plugin::command
