#include "migrate/check/apply_effect.h"

#include <utility>

#include "kube/client/api_status.h"
#include "kube/crd/client_apply.h"
#include "kube/crd/crd_validation.h"
#include "migrate/check/release_rules.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

constexpr char kPreserve[] = "preserveUnknownFields";
constexpr char kConversion[] = "conversion";

bool Leaves(const kube::crd::Crd& file, const kube::crd::Crd& live, std::string_view field) {
  return kube::crd::ApplyLeaves(file.document->root(), live.document->root(), field);
}

// Also what no file names: of a new CRD its default, of another what it has already.
bool PreservesBehindApply(const kube::crd::Crd& file, const kube::crd::Crd* live) {
  if (live == nullptr || kube::crd::NamesInSpec(file.document->root(), kPreserve)) {
    return file.preserve_unknown_fields;
  }
  return Leaves(file, *live, kPreserve) ? live->preserve_unknown_fields : file.is_v1beta1();
}

}  // namespace

void TakeConversionThatStays(kube::crd::Crd& file, const kube::crd::Crd& live) {
  if (Leaves(file, live, kConversion)) file.conversion = live.conversion;
}

report::ApplyReport ForetellApply(kube::crd::Crd& file, const kube::crd::Crd* live,
                                  const std::optional<kube::base::Release>& release,
                                  kube::schema::PatternChecks& patterns) {
  report::ApplyReport apply{.preserves_unknown_fields = PreservesBehindApply(file, live)};
  const bool in_file = file.preserve_unknown_fields;
  file.preserve_unknown_fields = apply.preserves_unknown_fields;
  kube::client::ApiStatus status;
  status.reason = "Invalid";
  status.kind = "CustomResourceDefinition";
  status.name = file.name;
  for (const auto& finding : kube::crd::ValidateCrdRequest(file, live, patterns)) {
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
