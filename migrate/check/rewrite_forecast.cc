#include "migrate/check/rewrite_forecast.h"

#include <algorithm>
#include <utility>

#include "kube/schema/pruning.h"

namespace migrate::check {
namespace {

using kube::json::Value;

class AnySink : public kube::schema::UnknownFieldSink {
 public:
  void OnUnknownField(const kube::schema::UnknownField&) override { found = true; }
  bool found = false;
};

/// Gathers the paths of unknown fields: some of them where there are very many, and none that
/// nobody would read.
class PathSink : public kube::schema::UnknownFieldSink {
 public:
  void OnUnknownField(const kube::schema::UnknownField& field) override {
    constexpr std::size_t kMostPaths = 1000, kLongestPath = 4096;
    if (paths.size() == kMostPaths) return;
    std::string path = field.Path();
    if (path.size() <= kLongestPath) paths.push_back(std::move(path));
  }
  std::vector<std::string> paths;
};

}  // namespace

RewriteForecast::RewriteForecast(const CrdCheck& check, const std::string& read_version,
                                 bool in_one_pass)
    : server_(check.server()), group_(check.group()), read_version_(read_version) {
  const report::CrdReport& crd = check.facts().report;
  storage_version_ = crd.storage_version;
  stored_versions_ = {storage_version_};
  read_by_ = {read_version};
  if (in_one_pass) {
    for (const report::VersionReport& version : crd.versions) {
      if (!version.storage && std::ranges::count(crd.stored_versions, version.name) > 0) {
        stored_versions_.push_back(version.name);
      }
    }
  }
  if (stored_versions_.size() == 1 && read_version != storage_version_) {
    read_by_.push_back(storage_version_);
  }
}

bool RewriteForecast::Changes(const Value& object) const {
  return std::ranges::any_of(
      stored_versions_, [&](const std::string& version) { return ChangesFrom(object, version); });
}

// First by the schema of the version that it is stored in, then, as it is converted, by those of
// the version in which it is rewritten and of the storage version: what any of them does not know
// goes.
bool RewriteForecast::ChangesFrom(const Value& object, const std::string& stored_version) const {
  AnySink unknown;
  kube::schema::FindLostFields(object, server_.FindSchema(stored_version), unknown);
  for (const std::string* version : {&read_version_, &storage_version_}) {
    if (*version == stored_version) continue;
    kube::schema::FindLostFields(object, server_.FindSchema(*version), unknown);
  }
  if (unknown.found) return true;
  kube::json::Arena arena;
  Value copy = kube::json::DeepCopy(object, arena);
  if (!copy.is_object()) return true;
  const std::string api_version = group_ + "/" + stored_version;
  copy.Set("apiVersion", Value::String(api_version), arena);
  kube::crd::ServerNotes notes;
  if (server_.Rewrite(copy, arena, &notes)) return true;
  return !notes.added_defaults.empty() || !notes.dropped_nulls.empty();
}

std::vector<std::string> RewriteForecast::LosingPaths(const Value& object) const {
  PathSink unknown;
  for (const std::string& version : read_by_) {
    kube::schema::FindLostFields(object, server_.FindSchema(version), unknown);
  }
  std::sort(unknown.paths.begin(), unknown.paths.end());
  unknown.paths.erase(std::unique(unknown.paths.begin(), unknown.paths.end()), unknown.paths.end());
  return std::move(unknown.paths);
}

}  // namespace migrate::check
