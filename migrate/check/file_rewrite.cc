#include "migrate/check/file_rewrite.h"

#include <optional>
#include <set>

#include "migrate/check/file_run.h"

namespace migrate::check {
namespace {

using kube::json::Value;

// Why it is not stored, or not known how; in the server's words if it would not.
std::optional<std::string> Rewrite(const CrdCheck& crd, const ObjectMutation* mutation,
                                   Value& object, kube::json::Arena& arena) {
  if (auto error = kube::json::StoreNumbers(object, arena)) return error;
  if (mutation != nullptr) {
    auto mutated = mutation->Apply(object, arena);
    if (!mutated) return std::move(mutated).error();
    if (*mutated) object = **mutated;
  }
  return crd.server().Rewrite(object, arena);
}

}  // namespace

FileRewriteReport RewriteFiles(const FileRewriteOptions& options,
                               const std::function<void(const Value&)>& take) {
  // One worker: the order of the output is that of the input.
  FileRun run(cluster::ListManifestFiles(options.filenames, options.recursive), 1,
              {.as_is = !options.enable_pruning});
  run.CollectCrds();
  if (!run.crds_may_come_late()) run.crds().Select(options.crd_names, {});
  FileRewriteReport report;
  std::set<std::string> preserving, ambiguous;
  run.ReadObjects([&](std::size_t, FileObject& object) {
    const CrdSet::Entry& crd = *object.crds.back();
    if (object.crds.size() > 1) ambiguous.insert(crd.check->name());
    if (!options.crd_names.empty() && !IsNamedByAny(crd.identity, options.crd_names)) return;
    if (crd.check->facts().report.preserve_unknown_fields && !options.enable_pruning) {
      preserving.insert(crd.check->name());
    }
    kube::json::Arena arena;
    const std::string name = FullName(object.value);
    if (const auto error = Rewrite(*crd.check, options.mutation.get(), object.value, arena)) {
      report.object_errors.push_back(name + ": " + *error);
      return;
    }
    ++report.objects;
    take(object.value);
  });
  run.crds().Select(options.crd_names, {});
  report.has_crds = !run.crds().Sorted().empty();
  report.preserving.assign(preserving.begin(), preserving.end());
  report.ambiguous.assign(ambiguous.begin(), ambiguous.end());
  report.unknown_kinds = run.UnknownKinds();
  report.file_errors = run.TakeErrors();
  report.file_hints = run.TakeHints();
  return report;
}

}  // namespace migrate::check
