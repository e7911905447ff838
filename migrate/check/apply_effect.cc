#include "migrate/check/apply_effect.h"

#include <algorithm>
#include <span>
#include <utility>

#include "kube/client/api_status.h"
#include "kube/crd/client_apply.h"
#include "kube/crd/rules/crd_validation.h"
#include "kube/json/json.h"
#include "migrate/check/release_rules.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

using kube::json::Type;
using kube::json::Value;

constexpr char kPreserve[] = "preserveUnknownFields";
constexpr char kConversion[] = "conversion";

bool NamesField(const Value& crd, const std::string& field) {
  const Value* spec = crd.Find("spec", Type::kObject);
  return spec != nullptr && spec->Find(field) != nullptr;
}

bool WasNamedByClient(const kube::crd::Crd& live, const std::string& field) {
  const auto applied = live.annotations.find(kube::crd::kLastApplied);
  if (applied == live.annotations.end()) return false;
  kube::json::Document document;
  return !document.Parse(applied->second) && NamesField(document.root(), field);
}

bool Owns(const Value& entry, const std::string& field) {
  const Value* fields = entry.Find("fieldsV1", Type::kObject);
  const Value* spec = fields == nullptr ? nullptr : fields->Find("f:spec", Type::kObject);
  return spec != nullptr && spec->Find("f:" + field) != nullptr;
}

// What somebody else owns too stays.
bool WasNamedToServer(const kube::crd::Crd& live, const std::string& field) {
  const Value* metadata = live.document->root().Find("metadata", Type::kObject);
  const Value* entries =
      metadata == nullptr ? nullptr : metadata->Find("managedFields", Type::kArray);
  if (entries == nullptr) return false;
  const auto owns = [&field](const Value& entry) { return Owns(entry, field); };
  if (std::ranges::count_if(entries->elements(), owns) != 1) return false;
  return std::ranges::find_if(entries->elements(), owns)->FindText("operation") == "Apply";
}

// Whether apply leaves the field as it is in the cluster.
bool Stays(const kube::crd::Crd& file, const kube::crd::Crd& live, const std::string& field) {
  return !NamesField(file.document->root(), field) && !WasNamedByClient(live, field) &&
         !WasNamedToServer(live, field);
}

// Also what no file names: of a new CRD its default, of another what it has already.
bool PreservesBehindApply(const kube::crd::Crd& file, const kube::crd::Crd* live) {
  if (live == nullptr || NamesField(file.document->root(), kPreserve)) {
    return file.preserve_unknown_fields;
  }
  return Stays(file, *live, kPreserve) ? live->preserve_unknown_fields : file.is_v1beta1();
}

}  // namespace

void TakeConversionThatStays(kube::crd::Crd& file, const kube::crd::Crd& live) {
  if (Stays(file, live, kConversion)) file.conversion = live.conversion;
}

report::ApplyReport ForetellApply(kube::crd::Crd& file, const kube::crd::Crd* live,
                                  const std::optional<kube::base::Release>& release,
                                  kube::schema::validation::PatternChecks& patterns) {
  report::ApplyReport apply{.preserves_unknown_fields = PreservesBehindApply(file, live)};
  const bool in_file = file.preserve_unknown_fields;
  file.preserve_unknown_fields = apply.preserves_unknown_fields;
  kube::client::ApiStatus status;
  status.reason = "Invalid";
  status.kind = "CustomResourceDefinition";
  status.name = file.name;
  for (const auto& finding : kube::crd::rules::ValidateCrdRequest(file, live, patterns)) {
    if (LaterRelease(finding.error, release)) continue;
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
