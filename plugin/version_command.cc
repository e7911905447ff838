#include "plugin/version_command.h"

#include "kube/json.h"
#include "plugin/output.h"
#include "plugin/version.h"

namespace plugin {

int RunVersion(const VersionOptions& options) {
  WriteStdout(PrintVersion(std::string(kVersion), options.output));
  return 0;
}

std::string PrintVersion(const std::string& version, OutputFormat format) {
  if (format == OutputFormat::kTable) return "Client Version: " + version + "\n";
  using kube::json::Value;
  kube::json::Arena arena;
  Value client = Value::Object();
  client.Set("gitVersion", Value::String(version), arena);
  Value root = Value::Object();
  root.Set("clientVersion", client, arena);
  return PrintValue(root, format);
}

}  // namespace plugin
