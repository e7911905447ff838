#include "migrate/rewrite/retried_objects.h"

#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/json/json.h"
#include "migrate/cluster/private_file.h"

namespace migrate::rewrite {
namespace {

namespace fs = std::filesystem;
using kube::json::Arena;
using kube::json::Document;
using kube::json::Value;

constexpr std::string_view kFailedFormat = "kubectl-prune-failed/v1";

// Beside the clusters' folders, by the uid, which no two clusters share.
fs::path FailedFile(const fs::path& state_dir, const std::string& crd_uid) {
  return state_dir / "failed" / cluster::FileName(crd_uid);
}

std::string PrintFailed(const std::vector<FailedObject>& objects) {
  Arena arena;
  Value list = Value::Array();
  for (const FailedObject& object : objects) {
    Value value = Value::Object();
    if (!object.namespace_.empty()) value.Set("namespace", Value::String(object.namespace_), arena);
    value.Set("name", Value::String(object.name), arena);
    if (object.is_held) value.Set("held", Value::Bool(true), arena);
    list.Append(value, arena);
  }
  Value root = Value::Object();
  root.Set("format", Value::String(kFailedFormat), arena);
  root.Set("objects", list, arena);
  return kube::json::Print(root);
}

}  // namespace

void SaveFailedObjects(const std::vector<FailedObject>& objects, const fs::path& state_dir,
                       const std::string& crd_uid) {
  const fs::path file = FailedFile(state_dir, crd_uid);
  if (!objects.empty()) return cluster::ReplacePrivateFile(file, PrintFailed(objects));
  std::error_code error;
  fs::remove(file, error);
  if (error) {
    throw kube::base::Error("cannot remove \"" + file.string() + "\": " + error.message());
  }
}

std::vector<FailedObject> LoadFailedObjects(const fs::path& state_dir, const std::string& crd_uid) {
  std::vector<FailedObject> objects;
  if (state_dir.empty() || crd_uid.empty()) return objects;
  const auto text = kube::base::ReadFileText(FailedFile(state_dir, crd_uid).string());
  Document document;
  if (!text || document.Parse(*text)) return objects;
  const Value& root = document.root();
  if (root.FindText("format") != kFailedFormat) return objects;
  for (const Value& value : root.At("objects").elements()) {
    objects.push_back({.namespace_ = std::string(value.FindText("namespace")),
                       .name = std::string(value.FindText("name")),
                       .is_held = value.At("held").is_true()});
    if (objects.back().name.empty()) objects.pop_back();
  }
  return objects;
}

namespace {

constexpr char kHeldBecause[] =
    "an earlier run held it, and this --state-dir is not that run's (a dry run has none); run "
    "again with the --state-dir of the run that held it, or with --rewrite-unbacked";

}  // namespace

std::vector<ObjectName> RetriedOf(const std::string& crd_name,
                                  const std::vector<RetriedObject>& retried) {
  std::vector<ObjectName> names;
  for (const RetriedObject& object : retried) {
    if (object.crd == crd_name) names.push_back({object.namespace_, object.name});
  }
  return names;
}

void HoldAsReported(const std::string& crd_name, const std::vector<RetriedObject>& retried,
                    SweepOptions& options) {
  std::set<std::pair<std::string, std::string>> held;
  for (const RetriedObject& object : retried) {
    if (object.crd == crd_name && object.is_held) held.emplace(object.namespace_, object.name);
  }
  if (held.empty()) return;
  options.is_held = [held = std::move(held)](const cluster::ListedObject& object) {
    return held.contains({object.namespace_, object.name});
  };
  options.held_because = kHeldBecause;
}

}  // namespace migrate::rewrite
