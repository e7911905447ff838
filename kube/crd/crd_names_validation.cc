#include <string>

#include "kube/base/text.h"
#include "kube/crd/crd_spec_validation.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"

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

}  // namespace kube::crd
