#include "migrate/check/apply_effect.h"

#include <algorithm>
#include <span>

#include "kube/json/json.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

using kube::json::Type;
using kube::json::Value;

constexpr char kLastApplied[] = "kubectl.kubernetes.io/last-applied-configuration";

bool NamesField(const Value& crd, std::string_view spec_key, std::string_view field) {
  const Value* spec = crd.Find(spec_key, Type::kObject);
  return spec != nullptr && spec->Find(field) != nullptr;
}

bool NamesField(const Value& crd) { return NamesField(crd, "spec", "preserveUnknownFields"); }

bool WasNamedByClient(const kube::crd::Crd& live) {
  const auto applied = live.annotations.find(kLastApplied);
  if (applied == live.annotations.end()) return false;
  kube::json::Document document;
  return !document.Parse(applied->second) && NamesField(document.root());
}

bool Owns(const Value& entry) {
  const Value* fields = entry.Find("fieldsV1", Type::kObject);
  return fields != nullptr && NamesField(*fields, "f:spec", "f:preserveUnknownFields");
}

// What somebody else owns too stays.
bool WasNamedToServer(const kube::crd::Crd& live) {
  const Value* metadata = live.document->root().Find("metadata", Type::kObject);
  const Value* entries =
      metadata == nullptr ? nullptr : metadata->Find("managedFields", Type::kArray);
  if (entries == nullptr || std::ranges::count_if(entries->elements(), Owns) != 1) return false;
  return std::ranges::find_if(entries->elements(), Owns)->FindText("operation") == "Apply";
}

}  // namespace

std::string DescribeApply(const kube::crd::Crd& file, const kube::crd::Crd& live) {
  const std::string command = report::OwnCommand("migrate " + live.name + " --enable-pruning");
  const std::string begin =
      "the CRD in the cluster still preserves unknown fields, and kubectl apply of this file ";
  if (NamesField(file.document->root()) || WasNamedByClient(live) || WasNamedToServer(live)) {
    return begin +
           "turns pruning on, without a backup: keep spec.preserveUnknownFields: true in it until "
           "that is done by: " +
           command;
  }
  return begin + "leaves it so; pruning is turned on by: " + command;
}

}  // namespace migrate::check
