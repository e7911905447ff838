#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/go/go_format.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/commands.h"
#include "plugin/command/run_facts.h"
#include "plugin/report/object_builder.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {

const std::string_view kVersionHelp =
    R"(Print the versions of this program and of the server

 Reads the version of the server of the current context, and writes nothing. Tells the commit that
this program was built from, too. With -o that is gitCommit. gitTreeState says whether it was built
from that alone (clean), with changes that were not committed (dirty), or without git (unknown).

Examples:
  # Print both versions
  kubectl prune version

  # Print that of this program, and ask no server
  kubectl prune version --client

Options:
{flags}
Exit codes:
  0   done
  2   an error: a wrong flag, a server that does not answer

Usage:
  kubectl prune version [options]

Use "kubectl prune options" for a list of global command-line options (applies to all commands).
)";

void DeclareFlags(cli::FlagSet& flags, VersionOptions& options) {
  flags.Arguments([&flags](const std::vector<std::string>& arguments) {
    if (!arguments.empty()) {
      flags.Refuse("unknown argument " + kube::go::GoQuote(arguments[0]));
    }
  });
  flags.Bool("client", options.client, R"(
        Print the version of this program only, and ask no server.)");
  const auto read = [&flags, &options](const std::string& text) {
    if (text.empty()) return;
    if (text != "json" && text != "yaml") flags.Refuse("--output must be 'yaml' or 'json'");
    options.output = text == "json" ? terminal::OutputFormat::kJson : terminal::OutputFormat::kYaml;
  };
  flags
      .Text("output,o", "''", read, R"(
        One of 'yaml' or 'json'.)")
      .values = {"json", "yaml"};
}

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

int RunCommand(VersionOptions& options) {
  if (!options.client) return PrintBoth(options);
  terminal::WriteStdout(PrintVersion(OwnVersion(), nullptr, options.output));
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
