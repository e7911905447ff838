#include "migrate/populate/membership.h"

#include <algorithm>

#include "migrate/populate/apply_set.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {
namespace {

using kube::json::Type;
using kube::json::Value;

// fieldsV1 has a member for each field (sigs.k8s.io/structured-merge-diff fieldpath).
bool OwnsTemplateLabel(const Value& entry) {
  const Value* fields = entry.Find("fieldsV1");
  for (const char* name : {"f:metadata", "f:labels"}) {
    if (fields != nullptr) fields = fields->Find(name);
  }
  return fields != nullptr && fields->Find(std::string("f:") + kTemplateNameLabel) != nullptr;
}

bool WasAppliedByUs(const Value& metadata) {
  const Value* entries = metadata.Find("managedFields", Type::kArray);
  if (entries == nullptr) return false;
  return std::ranges::any_of(entries->elements(), [](const Value& entry) {
    return entry.FindText("manager") == kFieldManager && entry.FindText("operation") == "Apply" &&
           OwnsTemplateLabel(entry);
  });
}

}  // namespace

std::optional<Membership> ReadMembership(const Value& object) {
  const Value* metadata = object.Find("metadata");
  const Value* labels = metadata == nullptr ? nullptr : metadata->Find("labels");
  if (labels == nullptr) return std::nullopt;
  Membership membership;
  membership.template_name = labels->FindText(kTemplateNameLabel);
  if (membership.template_name.empty()) return std::nullopt;
  membership.is_being_deleted = metadata->Find("deletionTimestamp", Type::kString) != nullptr;
  membership.is_proven =
      labels->FindText(kApplySetPartOfLabel) == TemplateApplySetId(membership.template_name) &&
      WasAppliedByUs(*metadata);
  return membership;
}

}  // namespace migrate::populate
