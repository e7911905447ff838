#include "migrate/check/version_validity.h"

#include <algorithm>
#include <utility>

#include "kube/schema/schema_read.h"
#include "kube/schema/validation/object_validation.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::meta::FieldError;
using kube::schema::validation::ObjectRules;
using kube::schema::validation::PatternChecks;
using kube::schema::validation::Ratcheting;

// Of an update that changes nothing.
std::vector<FieldError> ErrorsOfRewrite(const Value& object, const VersionValidity::Schema& schema,
                                        Ratcheting ratcheting, PatternChecks& patterns) {
  if (schema.props == nullptr || schema.structural == nullptr) return {};
  return kube::schema::validation::ErrorsOfUpdate(
      object, object, ObjectRules{*schema.props, *schema.structural}, ratcheting, patterns);
}

bool Holds(const std::vector<std::string>& sorted, const std::string& text) {
  return std::ranges::binary_search(sorted, text);
}

}  // namespace

VersionValidity::VersionValidity(Schemas schemas)
    : schemas_(std::move(schemas)), glance_(*schemas_.own.props) {}

VersionValidity::Findings VersionValidity::Find(const Value& object, bool is_read_as_it_is,
                                                PatternChecks& patterns) const {
  if (is_read_as_it_is && glance_.IsValid(object, patterns)) return {};
  Findings findings;
  kube::json::Arena arena;
  Value read = kube::json::CopyForChange(object, arena);
  // What makes it too large has an error of its own.
  for (const kube::schema::StructuralSchema* schema : schemas_.reads) {
    if (!kube::schema::ReadBySchema(read, schema, arena)) return findings;
  }
  read.Set("apiVersion", Value::String(schemas_.api_version), arena);
  const std::uint64_t undecided = patterns.undecided();
  std::vector<FieldError> errors =
      ErrorsOfRewrite(read, schemas_.own, Ratcheting::kNone, patterns);
  std::vector<std::string> firm, live;
  if (!errors.empty()) {
    firm = kube::meta::SortedStrings(
        ErrorsOfRewrite(read, schemas_.own, Ratcheting::kUnchangedValues, patterns));
    if (schemas_.is_proposal) {
      live = kube::meta::SortedStrings(
          ErrorsOfRewrite(object, schemas_.live, Ratcheting::kNone, patterns));
    }
  }
  findings.is_unknown = patterns.undecided() != undecided;
  if (findings.is_unknown) return findings;
  for (FieldError& error : errors) {
    const std::string text = error.ToString();
    findings.errors.push_back({.error = std::move(error),
                               .since_proposal = schemas_.is_proposal && !Holds(live, text),
                               .tolerated = !Holds(firm, text)});
  }
  return findings;
}

}  // namespace migrate::check
