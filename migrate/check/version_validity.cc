#include "migrate/check/version_validity.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kube/schema/coercion.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/object_validation.h"
#include "kube/schema/schema_props.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::meta::FieldError;
using kube::schema::ErrorsOfCreate;
using kube::schema::ObjectRules;
using kube::schema::PatternChecks;
using kube::schema::Ratcheting;

// Of an update that changes nothing.
std::vector<FieldError> ErrorsOfRewrite(const Value& object, const VersionValidity::Schema& schema,
                                        Ratcheting ratcheting, PatternChecks& patterns) {
  if (schema.props == nullptr || schema.structural == nullptr) return {};
  return kube::schema::ErrorsOfUpdate(
      object, object, ObjectRules{*schema.props, *schema.structural}, ratcheting, patterns);
}

// What is said of which place, without limits and values, which a proposal may have moved.
std::string KindOf(const FieldError& error) {
  std::string kind = error.field + '\0' + std::to_string(static_cast<int>(error.type));
  for (const char c : error.detail.substr(0, error.detail.find_first_of("'\""))) {
    if (c < '0' || c > '9') kind += c;
  }
  return kind;
}

std::set<std::string> ValidityKindsOf(const std::vector<FieldError>& errors) {
  std::set<std::string> kinds;
  for (const FieldError& error : errors) kinds.insert(KindOf(error));
  return kinds;
}

// Whether more than its type is asked of the apiVersion, which is another one in each version.
bool LooksAtApiVersion(const kube::schema::SchemaProps& schema) {
  const kube::schema::SchemaProps* property = schema.FindProperty("apiVersion");
  if (!schema.all_of.empty() || !schema.any_of.empty()) return true;
  return property != nullptr &&
         (property->enum_values || !property->pattern.empty() || property->max_length ||
          property->min_length || !property->format.empty() || !property->all_of.empty() ||
          !property->any_of.empty());
}

bool HasListsWithoutDuplicates(const kube::schema::SchemaProps& schema) {
  return kube::schema::AnySchema(schema, [](const kube::schema::SchemaProps& part) {
    return part.x_list_type == "set" || part.x_list_type == "map";
  });
}

}  // namespace

VersionValidity::VersionValidity(Schemas schemas)
    : schemas_(std::move(schemas)),
      looks_at_api_version_(LooksAtApiVersion(*schemas_.own.props)),
      refuses_duplicates_(schemas_.is_created && HasListsWithoutDuplicates(*schemas_.own.props)),
      fast_validator_(*schemas_.own.props) {}

// Absent where defaults make it too large, or it cannot be read: that is an error of its own.
std::optional<Value> VersionValidity::Read(const Value& object, const Schema& schema,
                                           kube::json::Arena& arena) const {
  Value read = kube::json::CopyForChange(object, arena);
  for (const kube::schema::StructuralSchema* by : schema.reads) {
    if (!kube::schema::ReadBySchema(read, by, arena)) return std::nullopt;
    if (!schemas_.is_from_etcd || by == nullptr || !by->may_have_embedded) continue;
    if (kube::schema::CoerceEmbedded(read, *by, /*drop_invalid_fields=*/true, arena)) {
      return std::nullopt;
    }
  }
  read.Set("apiVersion", Value::String(schemas_.api_version), arena);
  return read;
}

VersionValidity::Findings VersionValidity::Find(const Value& object, const QuickResult& sight,
                                                bool is_read_as_it_is,
                                                PatternChecks& patterns) const {
  const bool is_of_version =
      !looks_at_api_version_ || object.FindText("apiVersion") == schemas_.api_version;
  // The look does not see duplicates.
  if (sight.is_valid && !refuses_duplicates_ && is_read_as_it_is && is_of_version) return {};
  Findings findings;
  kube::json::Arena arena;
  const std::optional<Value> read = Read(object, schemas_.own, arena);
  if (!read) return findings;
  const std::uint64_t undecided = patterns.undecided();
  std::vector<FieldError> errors =
      refuses_duplicates_
          ? ErrorsOfCreate(*read, {*schemas_.own.props, *schemas_.own.structural}, patterns)
          : ErrorsOfRewrite(*read, schemas_.own, Ratcheting::kNone, patterns);
  std::set<std::string> live;
  std::vector<std::string> firm;
  if (!errors.empty()) {
    firm = kube::meta::SortedStrings(
        ErrorsOfRewrite(*read, schemas_.own, Ratcheting::kUnchangedValues, patterns));
    const std::optional<Value> as_before =
        schemas_.is_proposal ? Read(object, schemas_.live, arena) : std::nullopt;
    if (as_before) {
      live =
          ValidityKindsOf(ErrorsOfRewrite(*as_before, schemas_.live, Ratcheting::kNone, patterns));
    }
  }
  findings.is_unknown = patterns.undecided() != undecided;
  if (findings.is_unknown) return findings;
  for (FieldError& error : errors) {
    const bool is_new = schemas_.is_proposal && !live.contains(KindOf(error));
    const bool is_tolerated = !std::ranges::binary_search(firm, error.ToString());
    findings.errors.push_back(
        {.error = std::move(error), .since_proposal = is_new, .tolerated = is_tolerated});
  }
  return findings;
}

}  // namespace migrate::check
