#include <optional>
#include <set>
#include <string>

#include "kube/base/text.h"
#include "kube/crd/crd_spec_validation.h"
#include "kube/go/go_format.h"
#include "kube/go/go_url.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"
#include "kube/schema/object_meta.h"
#include "kube/schema/object_meta_validation.h"

namespace kube::crd {
namespace {

using kube::meta::Child;
using kube::meta::FieldError;
using kube::meta::InvalidText;

void CheckLabel(const std::string& path, const std::string& name, std::vector<FieldError>& errors) {
  const auto problems = meta::Dns1035LabelProblems(name);
  if (!problems.empty()) errors.push_back(InvalidText(path, name, base::Join(problems, ",")));
}

void CheckKind(const std::string& path, const std::string& kind, std::vector<FieldError>& errors) {
  const auto problems = meta::Dns1035LabelProblems(meta::ToLowerForDns(kind));
  if (kind.empty() || problems.empty()) return;
  errors.push_back(InvalidText(
      path, kind, "may have mixed case, but should otherwise match: " + base::Join(problems, ",")));
}

void CheckLabels(const std::string& path, const std::vector<std::string>& names,
                 std::vector<FieldError>& errors) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    CheckLabel(meta::Index(path, i), names[i], errors);
  }
}

}  // namespace

void ValidateCrdNames(const CrdNames& names, std::string_view path,
                      std::vector<FieldError>& errors) {
  if (!names.plural.empty()) CheckLabel(Child(path, "plural"), names.plural, errors);
  if (!names.singular.empty()) CheckLabel(Child(path, "singular"), names.singular, errors);
  CheckKind(Child(path, "kind"), names.kind, errors);
  CheckKind(Child(path, "listKind"), names.list_kind, errors);
  CheckLabels(Child(path, "shortNames"), names.short_names, errors);
  CheckLabels(Child(path, "categories"), names.categories, errors);
  if (!names.kind.empty() && names.kind == names.list_kind) {
    errors.push_back(InvalidText(Child(path, "listKind"), names.list_kind,
                                 "kind and listKind may not be the same"));
  }
}

void RequireCrdNames(const CrdNames& names, std::vector<FieldError>& errors) {
  if (names.plural.empty()) errors.push_back(meta::Required("spec.names.plural"));
  if (names.singular.empty()) errors.push_back(meta::Required("spec.names.singular"));
  if (names.kind.empty()) errors.push_back(meta::Required("spec.names.kind"));
  if (names.list_kind.empty()) errors.push_back(meta::Required("spec.names.listKind"));
}

namespace {

using kube::meta::Append;

constexpr std::string_view kApproval = "api-approved.kubernetes.io";

/// The metadata in the form of ObjectMeta; null where there is none.
json::Value MetadataOf(const Crd& crd, json::Arena& arena) {
  const auto metadata =
      schema::GetObjectMeta(crd.document->root(), /*drop_invalid_fields=*/true, arena);
  return metadata && *metadata ? (*metadata)->metadata : json::Value();
}

std::vector<std::string> NameProblems(std::string_view name, const Crd& crd) {
  std::vector<std::string> problems = meta::Dns1123SubdomainProblems(name);
  if (name != crd.names.plural + "." + crd.group) {
    problems.emplace_back("must be spec.names.plural+\".\"+spec.group");
  }
  return problems;
}

/// A generateName may end in a dash: something will follow it. What the server puts in its place
/// swallows a character, too.
std::vector<std::string> GenerateNameProblems(std::string_view prefix, const Crd& crd) {
  std::string name(prefix);
  if (name.size() > 1 && name.ends_with('-')) {
    name.resize(name.size() - 2);
    name += 'a';
  }
  std::vector<std::string> problems = meta::Dns1123SubdomainProblems(name);
  if (prefix != crd.names.plural + "." + crd.group) {
    problems.emplace_back("must be spec.names.plural+\".\"+spec.group");
  }
  return problems;
}

/// What is wrong with the contents of metadata, whose generation the server sets itself.
std::vector<FieldError> ContentErrors(const json::Value& metadata) {
  std::vector<FieldError> errors = schema::ValidateObjectMeta(metadata, "metadata");
  std::erase_if(errors, [](const FieldError& e) { return e.field == "metadata.generation"; });
  return errors;
}

std::set<std::string_view> FinalizersOf(const json::Value& metadata) {
  std::set<std::string_view> finalizers;
  for (const json::Value& finalizer : metadata.At("finalizers").elements()) {
    finalizers.insert(finalizer.text());
  }
  return finalizers;
}

/// ValidateNoNewFinalizers.
void ForbidNewFinalizers(const json::Value& metadata, const json::Value& old,
                         std::vector<FieldError>& errors) {
  const std::set<std::string_view> known = FinalizersOf(old);
  std::string extra;
  for (const std::string_view finalizer : FinalizersOf(metadata)) {
    if (known.contains(finalizer)) continue;
    if (!extra.empty()) extra += ", ";
    extra += go::GoQuote(finalizer);
  }
  if (extra.empty()) return;
  errors.push_back(
      meta::Forbidden("metadata.finalizers",
                      "no new finalizers can be added if the object is being deleted, found new "
                      "finalizers []string{" +
                          extra + "}"));
}

/// For what the server takes from the old object where the new one says nothing.
void RequireSameIfSet(std::string_view field, const json::Value& metadata, const json::Value& old,
                      std::vector<FieldError>& errors) {
  const json::Value* now = metadata.Find(field);
  const json::Value* before = old.Find(field);
  if (now == nullptr || (before != nullptr && json::Equal(*now, *before))) return;
  errors.push_back(
      meta::Invalid(meta::Child("metadata", field), meta::PrintAsJson(*now), "field is immutable"));
}

enum class Approval { kMissing, kBypassed, kApproved, kInvalid };

std::string_view ApprovalText(const Crd& crd) {
  const auto found = crd.annotations.find(kApproval);
  return found != crd.annotations.end() ? std::string_view(found->second) : std::string_view();
}

Approval ApprovalOf(const Crd& crd) {
  const std::string_view text = ApprovalText(crd);
  if (text.empty()) return Approval::kMissing;
  if (text.starts_with("unapproved")) return Approval::kBypassed;
  const auto url = go::ParseRequestUri(text);
  return url && !url->host.empty() && !url->scheme.empty() ? Approval::kApproved
                                                           : Approval::kInvalid;
}

}  // namespace

void ValidateCrdMetadata(const Crd& crd, std::vector<FieldError>& errors) {
  json::Arena arena;
  const json::Value metadata = MetadataOf(crd, arena);
  const std::string_view generate_name = metadata.FindText("generateName");
  if (!generate_name.empty()) {
    meta::AppendInvalidTexts(errors, "metadata.generateName", generate_name,
                             GenerateNameProblems(generate_name, crd));
  }
  if (crd.name.empty()) {
    errors.push_back(meta::Required("metadata.name", "name or generateName is required"));
  } else {
    meta::AppendInvalidTexts(errors, "metadata.name", crd.name, NameProblems(crd.name, crd));
  }
  if (!metadata.FindText("namespace").empty()) {
    errors.push_back(meta::Forbidden("metadata.namespace", "not allowed on this type"));
  }
  Append(errors, ContentErrors(metadata));
}

void ValidateCrdMetadataUpdate(const Crd& crd, const Crd& old, std::vector<FieldError>& errors) {
  json::Arena arena;
  const json::Value metadata = MetadataOf(crd, arena);
  if (crd.name != old.name) {
    errors.push_back(InvalidText("metadata.name", crd.name, "field is immutable"));
  }
  // A UID that is not there is taken from the old object.
  if (!crd.uid.empty() && crd.uid != old.uid) {
    errors.push_back(
        meta::Invalid("metadata.uid", meta::PrintJsonText(crd.uid), "field is immutable"));
  }
  Append(errors, schema::ValidateObjectMetaUpdate(metadata, "metadata"));
}

void ValidateCommonMetadata(const Crd& crd, const Crd& old, std::vector<FieldError>& errors) {
  json::Arena arena;
  const json::Value metadata = MetadataOf(crd, arena);
  const json::Value before = MetadataOf(old, arena);
  const std::string_view generate_name = metadata.FindText("generateName");
  meta::AppendInvalidTexts(errors, "metadata.generateName", generate_name,
                           meta::PathSegmentProblems(generate_name, /*is_prefix=*/true));
  meta::AppendInvalidTexts(errors, "metadata.name", crd.name,
                           meta::PathSegmentProblems(crd.name, false));
  Append(errors, ContentErrors(metadata));
  if (before.Find("deletionTimestamp")) {
    ForbidNewFinalizers(metadata, before, errors);
  } else {
    RequireSameIfSet("deletionTimestamp", metadata, before, errors);
  }
  RequireSameIfSet("deletionGracePeriodSeconds", metadata, before, errors);
}

void ValidateApproval(const Crd& crd, const Crd* old, std::vector<FieldError>& errors) {
  if (!IsProtectedGroup(crd.group)) return;
  const Approval approval = ApprovalOf(crd);
  if (old && ApprovalOf(*old) == approval) return;
  const std::string path = meta::Key("metadata.annotations", kApproval);
  const std::string start =
      "protected groups must have approval annotation " + go::GoQuote(kApproval);
  const std::string end = ", see https://github.com/kubernetes/enhancements/pull/1111";
  if (approval == Approval::kMissing) errors.push_back(meta::Required(path, start + end));
  if (approval == Approval::kInvalid) {
    errors.push_back(
        InvalidText(path, ApprovalText(crd),
                    start + " with either a URL or a reason starting with \"unapproved\"" + end));
  }
}

}  // namespace kube::crd
