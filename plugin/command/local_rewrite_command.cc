#include "plugin/command/local_rewrite_command.h"

#include <string>

#include "kube/json/json.h"
#include "migrate/check/file_rewrite.h"
#include "migrate/cluster/manifest_crd.h"
#include "plugin/command/manifest_writer.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {

using kube::json::Value;
using migrate::check::FileRewriteReport;

// As kubectl prints objects.
Value WithoutManagedFields(const Value& object, kube::json::Arena& arena) {
  const Value* metadata = object.Find("metadata");
  if (metadata == nullptr || metadata->Find("managedFields") == nullptr) return object;
  Value copy = kube::json::DeepCopy(object, arena);
  copy.Find("metadata")->Erase("managedFields");
  return copy;
}

void PrintTroubles(const FileRewriteReport& report) {
  for (const std::string& crd : report.preserving) {
    terminal::WriteStderr(
        "note: " + terminal::Printable(crd) +
        " preserves unknown fields, so nothing is pruned; see what pruning leaves with "
        "--enable-pruning\n");
  }
  for (const std::string& crd : report.ambiguous) {
    terminal::WriteStderr("Warning: " + terminal::Printable(crd) +
                          " was given more than once; the last one counts\n");
  }
  for (const std::string& error : report.object_errors) {
    terminal::WriteStderr("error: left out " + terminal::Printable(error) + "\n");
  }
  for (const migrate::report::UnknownKind& unknown : report.unknown_kinds) {
    terminal::WriteStderr("note: " + std::to_string(unknown.objects) + " of kind " +
                          terminal::Printable(unknown.kind) + " (" +
                          terminal::Printable(unknown.api_version) +
                          ") left out: no CustomResourceDefinition for it is given\n");
  }
  for (const std::string& hint : report.file_hints) {
    terminal::WriteStderr("Warning: " + terminal::Printable(hint) + "\n");
  }
  for (const std::string& error : report.file_errors) {
    terminal::WriteStderr("error: " + terminal::Printable(error) + "\n");
  }
  if (!report.has_crds && report.file_errors.empty()) {
    terminal::WriteStderr("error: " + std::string(migrate::cluster::kNoCrdsFound) + "\n");
  }
}

int LocalExitCode(const FileRewriteReport& report) {
  if (!report.file_errors.empty() || !report.has_crds) return 2;
  return report.object_errors.empty() ? 0 : 1;
}

}  // namespace

int RunLocalRewrite(const cli::MigrateOptions& options) {
  ManifestWriter writer(options.output);
  const FileRewriteReport report = migrate::check::RewriteFiles(
      {.filenames = options.input.filenames,
       .recursive = options.input.recursive,
       .crd_names = options.input.crds,
       .enable_pruning = options.enable_pruning,
       .mutation = migrate::check::ReadMutations(options.mutations)},
      [&](const Value& object) {
        kube::json::Arena arena;
        writer.Write(options.show_managed_fields ? object : WithoutManagedFields(object, arena));
      });
  writer.Finish();
  PrintTroubles(report);
  return LocalExitCode(report);
}

}  // namespace plugin::command
