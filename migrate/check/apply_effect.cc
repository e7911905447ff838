#include "migrate/check/apply_effect.h"

#include <algorithm>
#include <span>
#include <utility>

#include "kube/client/api_status.h"
#include "kube/crd/client_apply.h"
#include "kube/crd/rules/crd_validation.h"
#include "kube/json/json.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

using kube::json::Type;
using kube::json::Value;

bool NamesField(const Value& crd, std::string_view spec_key, std::string_view field) {
  const Value* spec = crd.Find(spec_key, Type::kObject);
  return spec != nullptr && spec->Find(field) != nullptr;
}

bool NamesField(const Value& crd) { return NamesField(crd, "spec", "preserveUnknownFields"); }

bool WasNamedByClient(const kube::crd::Crd& live) {
  const auto applied = live.annotations.find(kube::crd::kLastApplied);
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

// Also what no file names: of a new CRD its default, of another what it has already.
bool PreservesBehindApply(const kube::crd::Crd& file, const kube::crd::Crd* live) {
  if (live == nullptr || NamesField(file.document->root())) return file.preserve_unknown_fields;
  const bool is_removed = WasNamedByClient(*live) || WasNamedToServer(*live);
  return is_removed ? file.is_v1beta1() : live->preserve_unknown_fields;
}

}  // namespace

report::ApplyReport ForetellApply(kube::crd::Crd& file, const kube::crd::Crd* live,
                                  kube::schema::validation::PatternChecks& patterns) {
  report::ApplyReport apply{.preserves_unknown_fields = PreservesBehindApply(file, live)};
  const bool in_file = file.preserve_unknown_fields;
  file.preserve_unknown_fields = apply.preserves_unknown_fields;
  kube::client::ApiStatus status;
  status.reason = "Invalid";
  status.kind = "CustomResourceDefinition";
  status.name = file.name;
  for (const auto& finding : kube::crd::rules::ValidateCrdRequest(file, live, patterns)) {
    status.causes.push_back(finding.error.ToString());
  }
  file.preserve_unknown_fields = in_file;
  apply.accepted = status.causes.empty();
  if (!apply.accepted) apply.message = kube::client::Describe(status);
  apply.causes = std::move(status.causes);
  return apply;
}

std::string DescribeApply(const report::CrdReport& crd) {
  if (!crd.apply || !crd.apply->accepted) return "";
  if (!crd.replaced || !crd.replaced->preserve_unknown_fields) return "";
  const std::string command = report::OwnCommand("migrate " + crd.name + " --enable-pruning");
  const std::string begin =
      "the CRD in the cluster still preserves unknown fields, and kubectl apply of this file ";
  if (crd.apply->preserves_unknown_fields) {
    // Who keeps it in the file knows.
    if (crd.preserve_unknown_fields) return "";
    return begin + "leaves it so; pruning is turned on by: " + command;
  }
  return begin +
         "turns pruning on, without a backup: keep spec.preserveUnknownFields: true in it until "
         "that is done by: " +
         command;
}

}  // namespace migrate::check
