#include "migrate/check/version_validity.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/meta/field_error.h"
#include "kube/meta/object_path.h"
#include "kube/schema/coercion.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/object_validation.h"
#include "kube/schema/schema_props.h"
#include "migrate/check/managed_fields.h"

namespace migrate::check {
namespace {

using kube::base::Release;
using kube::meta::FieldError;

constexpr Release kNumberFormats{1, 36};
constexpr Release kCaBundles{1, 31};
constexpr Release kRatcheting{1, 30};

// In the words of kube-openapi's number validation.
bool IsOfNumberFormat(const FieldError& error) {
  const std::size_t at = error.detail.find(" value must be of type ");
  return at != std::string::npos && error.detail.find(" with format ", at) != std::string::npos;
}

/// Older servers drop rules.
bool IsOfRules(const FieldError& error) {
  constexpr std::string_view kKeyword = "x-kubernetes-validations";
  return error.field.find(kKeyword) != std::string::npos || error.detail.starts_with(kKeyword);
}

}  // namespace

ServerRules RulesOf(const std::optional<Release>& release) {
  return {.ratchets = release && *release >= kRatcheting, .release = release};
}

std::unique_ptr<kube::schema::RuleValidator> RuleValidatorOf(
    const kube::schema::SchemaProps& schema, const ServerRules& server) {
  const Release release = server.release.value_or(kube::base::kNewestRelease);
  if (release < kube::schema::kFirstRuleRelease) return nullptr;
  return kube::schema::RuleValidator::Make(schema, /*is_resource=*/true, release);
}

std::optional<Release> FirstRelease(const FieldError& error) {
  if (IsOfNumberFormat(error)) return kNumberFormats;
  if (error.field == "spec.conversion.webhookClientConfig.caBundle") return kCaBundles;
  if (IsOfRules(error)) return kube::schema::kFirstRuleRelease;
  return std::nullopt;
}

std::optional<Release> LaterRelease(const FieldError& error, const std::optional<Release>& server) {
  const std::optional<Release> first = FirstRelease(error);
  return first && server && *server < *first ? first : std::nullopt;
}

using kube::json::Value;
using kube::schema::StructuralSchema;

std::string FirstErrors(const std::vector<std::string>& errors) {
  constexpr std::size_t kMostBytes = 512;
  constexpr std::size_t kMost = 8;
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(errors.size(), kMost); ++i) {
    first.push_back(kube::base::utf8::Shortened(errors[i], kMostBytes));
  }
  if (errors.size() > kMost) first.push_back(std::to_string(errors.size() - kMost) + " more");
  return kube::meta::Aggregate(first);
}

std::optional<std::string> WhyInvalidOncePruned(const Value& object,
                                                std::span<const StructuralSchema* const> schemas,
                                                const kube::schema::SchemaProps& validation,
                                                kube::schema::PatternChecks& patterns) {
  kube::json::Arena arena;
  Value before = kube::json::CopyForChange(object, arena);
  Value after = kube::json::CopyForChange(object, arena);
  // Of what defaults make too large an error of its own tells.
  for (const StructuralSchema* schema : schemas) {
    if (schema != nullptr && !kube::schema::SetDefaults(before, *schema, arena)) return "";
    if (!kube::schema::ReadBySchema(after, schema, arena)) return "";
  }
  const auto errors = kube::schema::ErrorsOfPruning(before, after, validation, patterns);
  return errors ? std::optional(FirstErrors(*errors)) : std::nullopt;
}

namespace {

using kube::schema::ObjectOutcome;
using kube::schema::ObjectRules;
using kube::schema::PatternChecks;
using kube::schema::Ratcheting;

/// True of a rule without a message: the detail is the rule.
bool QuotesRule(const FieldError& error) { return error.detail.starts_with("failed rule: "); }

bool IsOfUncompiledRule(const FieldError& error) {
  return error.detail.starts_with("rule compile error: ");
}

/// True where errors of values keep the server from its rules.
bool SaysRulesWereLeftOut(const FieldError& error) {
  return error.detail.starts_with("some validation rules were not checked");
}

// What is said of which place, without limits and values, which a proposal may have moved.
std::string KindOf(const FieldError& error) {
  std::string kind = error.field + '\0' + std::to_string(static_cast<int>(error.type));
  const std::size_t end = QuotesRule(error) ? std::string::npos : error.detail.find_first_of("'\"");
  for (const char c : error.detail.substr(0, end)) {
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
  if (schemas_.drops_status) read.Erase("status");  // PrepareForCreate of strategy.go
  return read;
}

// Whether reading one that loses nothing changes it.
bool VersionValidity::StaysAsItIs(const Value& object) const {
  const StructuralSchema& schema = *schemas_.own.structural;
  return !schema.default_value && !schema.may_have_defaults_below &&
         object.FindText("apiVersion") == schemas_.api_version && !kube::json::HasNull(object);
}

// Whether the rules have nothing to say of an object that has no other error.
bool VersionValidity::FollowsRules(const Value& read) const {
  return schemas_.own.rules == nullptr ||
         schemas_.own.rules->Validate(read, "", {.old = schemas_.is_created ? nullptr : &read})
             .errors.empty();
}

/// What the server says of a write, by Kubernetes releases.
struct VersionValidity::Said {
  std::vector<FieldError> errors;  ///< sorted; with those that only a server without ratcheting has
  std::vector<std::string> firm;   ///< what one with ratcheting says, sorted
};

VersionValidity::Said VersionValidity::Ask(const Value& read, const Schema& schema,
                                           PatternChecks& patterns) const {
  if (schema.props == nullptr || schema.structural == nullptr) return {};
  const ObjectRules rules{*schema.props, *schema.structural, schema.rules.get()};
  Said said{schemas_.is_created
                ? kube::schema::ErrorsOfCreate(read, rules, patterns)
                : kube::schema::ErrorsOfUpdate(read, read, rules, Ratcheting::kNone, patterns),
            {}};
  if (!schemas_.is_stored) std::erase_if(said.errors, IsOfUncompiledRule);
  if (said.errors.empty()) return said;
  ObjectOutcome ratcheted =
      kube::schema::CheckUpdate(read, read, rules, Ratcheting::kUnchangedValues, patterns);
  said.firm = kube::meta::SortedStrings(ratcheted.errors);
  const bool rules_were_left_out = std::ranges::any_of(said.errors, SaysRulesWereLeftOut);
  if (schemas_.is_created || !schemas_.server_ratchets || !rules_were_left_out) return said;
  // What keeps others from the rules this one lets be.
  if (std::ranges::none_of(ratcheted.errors, SaysRulesWereLeftOut)) {
    std::erase_if(said.errors, SaysRulesWereLeftOut);
    for (auto* more : {&ratcheted.errors, &ratcheted.warnings}) {
      std::ranges::move(*more, std::back_inserter(said.errors));
    }
    if (!schemas_.is_stored) std::erase_if(said.errors, IsOfUncompiledRule);
    kube::meta::SortByString(said.errors);
    const auto are_same = [](const FieldError& a, const FieldError& b) {
      return a.ToString() == b.ToString();
    };
    said.errors.erase(std::unique(said.errors.begin(), said.errors.end(), are_same),
                      said.errors.end());
  }
  return said;
}

VersionValidity::Findings VersionValidity::Find(const Value& object, const QuickResult& sight,
                                                bool is_read_as_it_is,
                                                PatternChecks& patterns) const {
  const bool is_of_version =
      !looks_at_api_version_ || object.FindText("apiVersion") == schemas_.api_version;
  // The look sees neither duplicates nor rules.
  const bool loses_status = schemas_.drops_status && object.Find("status") != nullptr;
  const bool only_breaks_rules =
      sight.is_valid && !refuses_duplicates_ && is_read_as_it_is && is_of_version && !loses_status;
  if (only_breaks_rules && schemas_.own.rules == nullptr) return {};
  if (only_breaks_rules && sight.loses_nothing && StaysAsItIs(object) && FollowsRules(object)) {
    return {};
  }
  Findings findings;
  kube::json::Arena arena;
  const std::optional<Value> read = Read(object, schemas_.own, arena);
  if (!read || (only_breaks_rules && FollowsRules(*read))) return findings;
  const std::uint64_t undecided = patterns.undecided();
  Said said = Ask(*read, schemas_.own, patterns);
  std::set<std::string> live;
  if (!said.errors.empty() && schemas_.is_proposal) {
    const std::optional<Value> as_before = Read(object, schemas_.live, arena);
    if (as_before) live = ValidityKindsOf(Ask(*as_before, schemas_.live, patterns).errors);
  }
  findings.is_unknown = patterns.undecided() != undecided;
  if (findings.is_unknown) return findings;
  for (FieldError& error : said.errors) {
    const bool is_new = schemas_.is_proposal && !live.contains(KindOf(error));
    const bool is_tolerated = !std::ranges::binary_search(said.firm, error.ToString());
    findings.errors.push_back(
        {.error = std::move(error), .since_proposal = is_new, .tolerated = is_tolerated});
  }
  return findings;
}

namespace {

using kube::schema::SchemaProps;

// A name with more dots and brackets is taken for several.
constexpr int kMostParts = 64;

class Locator {
 public:
  Locator(std::string_view field, const Value& object, const SchemaProps& schema,
          kube::json::MemberIndex& members)
      : rest_(field == "<nil>" ? "" : field),
        value_(&object),
        schema_(&schema),
        members_(members) {}

  LocatedField Run() {
    while (!rest_.empty()) {
      if (rest_.front() == '[' && !IsObject()) {
        TakeIndex();
      } else {
        TakeName();
      }
    }
    return std::move(located_);
  }

 private:
  bool IsObject() const { return value_ != nullptr && value_->is_object(); }

  void TakeIndex() {
    const std::string_view text = rest_.substr(1, rest_.find(']') - 1);
    rest_.remove_prefix(std::min(text.size() + 2, rest_.size()));
    std::size_t index = 0;
    std::from_chars(text.data(), text.data() + text.size(), index);
    located_.elements.push_back({.key = {}, .index = index, .is_index = true});
    located_.folded_path += "[*]";
    const bool is_there = value_ != nullptr && value_->is_array() && index < value_->size();
    value_ = is_there ? &value_->elements()[index] : nullptr;
    schema_ = schema_ == nullptr ? nullptr : schema_->ItemsSchema();
  }

  void TakeName() {
    const bool is_bracketed = rest_.front() == '[';
    if (is_bracketed || rest_.front() == '.') rest_.remove_prefix(1);
    const std::string_view name = LongestName(is_bracketed);
    rest_.remove_prefix(std::min(name.size() + (is_bracketed ? 1 : 0), rest_.size()));
    located_.elements.push_back({.key = name});
    const SchemaProps* below = schema_ == nullptr ? nullptr : schema_->FindProperty(name);
    const auto* additional = schema_ == nullptr ? nullptr : schema_->additional_properties.get();
    if (below == nullptr && additional != nullptr) {
      below = additional->schema.get();
      kube::meta::AppendPathOfKeys(located_.folded_path);
    } else {
      kube::meta::AppendPathName(located_.folded_path, name);
    }
    value_ = IsObject() ? members_.Find(*value_, name) : nullptr;
    schema_ = below;
  }

  std::string_view LongestName(bool is_bracketed) const {
    const std::string_view ends = is_bracketed ? "]" : ".[";
    const std::string_view shortest = rest_.substr(0, rest_.find_first_of(ends, 1));
    std::string_view in_object, in_schema, candidate = shortest;
    for (int parts = 0; parts < kMostParts; ++parts) {
      if (IsObject() && members_.Find(*value_, candidate) != nullptr) in_object = candidate;
      if (schema_ != nullptr && schema_->FindProperty(candidate) != nullptr) in_schema = candidate;
      if (candidate.size() == rest_.size()) break;
      candidate = rest_.substr(0, rest_.find_first_of(ends, candidate.size() + 1));
    }
    if (!in_object.empty()) return in_object;
    return in_schema.empty() ? shortest : in_schema;
  }

  std::string_view rest_;
  const Value* value_;         // null pointer: what follows is not in the object
  const SchemaProps* schema_;  // null pointer: nor specified
  kube::json::MemberIndex& members_;
  LocatedField located_;
};

}  // namespace

LocatedField LocateField(std::string_view field, const Value& object, const SchemaProps& schema,
                         kube::json::MemberIndex& members) {
  return Locator(field, object, schema, members).Run();
}

namespace {

// As much as a person reads; one message may quote all of the object.
std::string FirstKib(std::string_view text) { return kube::base::utf8::Shortened(text, 1024); }

// Digits in brackets as a star: messages name elements of lists.
std::string WithoutIndices(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t digits = text.front() == '[' ? text.find_first_not_of("0123456789", 1) : 0;
    const bool is_index = digits > 1 && digits != std::string_view::npos && text[digits] == ']';
    out += is_index ? "[*]" : text.substr(0, 1);
    text.remove_prefix(is_index ? digits + 1 : 1);
  }
  return out;
}

// What an error is about. The server shows what concerns allOf, anyOf, oneOf and not at the root,
// with the name in quotes, and so the ranges of types, with the name at the end.
std::string_view PlaceOf(const FieldError& error) {
  const std::string_view detail = error.detail;
  if (error.field != "<nil>") return error.field;
  const std::size_t quoted_end = detail.find("\" must ");
  if (detail.starts_with('"') && quoted_end != std::string_view::npos) {
    return detail.substr(1, quoted_end - 1);
  }
  constexpr std::string_view kIn = " in ";
  const std::size_t in = detail.rfind(kIn);
  const bool names_type = detail.find(" value must be of type ") != std::string_view::npos;
  return names_type && in != std::string_view::npos ? detail.substr(in + kIn.size()) : error.field;
}

// What is left of an error without the place and the value.
std::string ServerMessage(const FieldError& error, std::string_view place,
                          const std::string& folded_path) {
  std::string detail = error.detail;
  const std::string own_value = ": " + error.bad_value;
  if (!error.bad_value.empty() && detail.ends_with(own_value)) {
    detail.resize(detail.size() - own_value.size());
  }
  const std::size_t at = place.empty() ? std::string::npos : detail.find(place);
  if (at != std::string::npos) detail.replace(at, place.size(), folded_path);
  return std::to_string(static_cast<int>(error.type)) + FirstKib(WithoutIndices(detail));
}

}  // namespace

bool AddFindings(const VersionValidity::Findings& findings, const kube::json::Value& object,
                 const kube::schema::SchemaProps& schema, const ServerRules& server,
                 const report::CountedObject& counted, report::InvalidTally& tally,
                 std::vector<std::string>* refusals) {
  constexpr std::size_t kMostOfObject = std::size_t{1} << 20;
  OwnerFinder owners(object);
  kube::json::MemberIndex members;
  bool is_refused = false;
  std::size_t bytes = 0;
  for (const VersionValidity::Error& found : findings.errors) {
    const auto later = LaterRelease(found.error, server.release);
    const bool is_let_be = later || (server.ratchets && found.tolerated);
    is_refused |= !is_let_be;
    if (bytes > kMostOfObject) continue;
    const std::string_view place = PlaceOf(found.error);
    const LocatedField located = LocateField(place, object, schema, members);
    report::InvalidFinding finding{.path = located.folded_path,
                                   .words = ServerMessage(found.error, place, located.folded_path),
                                   .message = FirstKib(found.error.ToString()),
                                   .since_proposal = found.since_proposal,
                                   .tolerated = found.tolerated,
                                   .from_release = later ? later->ToString() : "",
                                   .managers = owners.Find(located.elements).managers};
    tally.Add(finding, counted);
    bytes += finding.path.size() + finding.words.size() + finding.message.size();
    if (refusals != nullptr && !is_let_be) refusals->push_back(std::move(finding.message));
  }
  return is_refused;
}

}  // namespace migrate::check
