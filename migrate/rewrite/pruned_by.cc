#include "migrate/rewrite/pruned_by.h"

#include <memory>
#include <string_view>
#include <utility>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "migrate/cluster/private_file.h"
#include "migrate/cluster/proposals.h"

namespace migrate::rewrite {
namespace {

namespace fs = std::filesystem;
using kube::json::Value;

constexpr char kPartialCrd[] = ".crd.partial";

}  // namespace

fs::path PrunedByPath(const fs::path& backup) {
  fs::path path = backup;
  return path.replace_extension(".crd.json");
}

void WritePrunedBy(const fs::path& backup, const kube::crd::Crd& crd,
                   const std::vector<std::string>& stored_versions) {
  kube::json::Arena arena;
  Value root = kube::json::CopyForChange(crd.document->root(), arena);
  Value stored = Value::Array();
  for (const std::string& version : stored_versions) stored.Append(Value::String(version), arena);
  if (Value* metadata = root.Find("metadata")) metadata->Erase("managedFields");
  Value status = Value::Object();
  status.SetNew("storedVersions", stored, arena);
  root.Set("status", status, arena);
  const fs::path path = PrunedByPath(backup);
  cluster::PrivateFile file(path.parent_path() / ("." + path.stem().string() + kPartialCrd));
  file.Write(kube::json::PrintIndented(root) + "\n");
  file.MoveToNew(path);
}

kube::crd::Crd ReadPrunedBy(const fs::path& file) {
  cluster::Proposals read = cluster::ReadProposals({file.string()}, /*recursive=*/false);
  if (!read.errors.empty()) throw kube::base::Error(read.errors.front());
  if (read.crds.size() == 1) return std::move(read.crds.front().crd);
  throw kube::base::Error("\"" + file.string() + "\" holds " + std::to_string(read.crds.size()) +
                          " CustomResourceDefinitions, and has to hold the one by which the "
                          "objects of the backup were pruned");
}

}  // namespace migrate::rewrite
