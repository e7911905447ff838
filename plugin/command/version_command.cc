#include "plugin/command/version_command.h"

#include "kube/base/error.h"
#include "kube/system/clock.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/version.h"
#include "plugin/report/data/object_builder.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin {
namespace {

using kube::json::Value;

int PrintBoth(const VersionOptions& options) {
  const kube::SystemClock clock;
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock,
                        [](const std::string& line) { WriteStderr(line + "\n"); });
  const auto server = cluster.client().Get("/version");
  const Value* version = server ? &(*server)->root() : nullptr;
  WriteStdout(PrintVersion(std::string(kVersion), version, options.output));
  if (!server) throw kube::Error(server.error().message);
  return 0;
}

}  // namespace

int RunVersion(const VersionOptions& options) {
  if (!options.client) return PrintBoth(options);
  WriteStdout(PrintVersion(std::string(kVersion), nullptr, options.output));
  return 0;
}

std::string PrintVersion(const std::string& version, const Value* server, OutputFormat format) {
  if (format == OutputFormat::kTable) {
    std::string text = "Client Version: " + version + "\n";
    if (server) text += "Server Version: " + Printable(server->FindText("gitVersion")) + "\n";
    return text;
  }
  kube::json::Arena arena;
  ObjectBuilder root(arena);
  root.Add("clientVersion", ObjectBuilder(arena).Text("gitVersion", version).Build());
  if (server) root.Add("serverVersion", *server);
  return PrintValue(root.Build(), format);
}

}  // namespace plugin
