#include "kube/crd/cost_limits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "kube/base/utf8.h"
#include "kube/cel/schema_type.h"
#include "kube/crd/crd_cel_validation.h"
#include "kube/crd/crd_rules.h"
#include "kube/crd/crd_schema_validation.h"
#include "kube/meta/make_field_error.h"

namespace kube::crd {
namespace {

using schema::SchemaProps;

constexpr std::size_t kMostPlaces = 64;
constexpr std::size_t kMostRuleBytes = std::size_t{64} << 10;
constexpr std::string_view kRules = "x-kubernetes-validations";

/// A keyword that limits a size, with what values usually need.
struct SizeKeyword {
  std::string_view name;
  std::optional<std::int64_t> SchemaProps::*member;
  std::int64_t usual;
};

constexpr std::array kSizeKeywords = {
    SizeKeyword{"maxItems", &SchemaProps::max_items, 64},
    SizeKeyword{"maxProperties", &SchemaProps::max_properties, 64},
    SizeKeyword{"maxLength", &SchemaProps::max_length, 256}};

/// The one that limits values of this schema; the null pointer: none does.
const SizeKeyword* KeywordOf(const SchemaProps& schema) {
  if (schema.type == "array") return &kSizeKeywords[0];
  if (schema.type == "object") return schema.ValuesSchema() ? &kSizeKeywords[1] : nullptr;
  const bool is_short = schema.format == "date" || schema.format == "date-time" ||
                        schema.format == "duration" || schema.enum_values;
  const bool is_text = schema.type == "string" || schema.x_int_or_string;
  return is_text && !is_short ? &kSizeKeywords[2] : nullptr;
}

/// Where a limit may be set.
struct SizePlace {
  SchemaProps* schema;
  const SizeKeyword* keyword;
  SizeLimit limit;
  std::int64_t base;  ///< what values need

  bool is_of_text() const { return keyword == &kSizeKeywords[2]; }
  void Set(std::int64_t most) {
    limit.most = limit.was ? std::min(most, *limit.was) : most;
    schema->*keyword->member = limit.most;
  }
  void Restore() { schema->*keyword->member = limit.was; }
};

bool HasName(std::string_view rule, std::string_view name) {
  const auto is_of_name = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  for (std::size_t at = rule.find(name); at != rule.npos; at = rule.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_of_name(rule[at - 1])) && (end == rule.size() || !is_of_name(rule[end])))
      return true;
  }
  return false;
}

/// Finds the places that what costs too much may read: lists and maps around it, and what it names.
class PlaceFinder {
 public:
  /// `costly`: the paths of schemas whose rules cost too much; empty: of all that have rules.
  PlaceFinder(std::set<std::string> costly, const HeldSizes& held)
      : costly_(std::move(costly)), held_(held) {}

  std::vector<SizePlace> Run(SchemaProps& root) {
    Walk(root, {.path = ""});
    return std::move(places_);
  }

 private:
  struct Here {
    std::string path;    // of the schema
    std::string name{};  // as rules have it, of the nearest field
    std::vector<ValueStep> steps{};
    std::vector<std::string_view> rules{};  // at or above
    std::vector<SizePlace> around{};        // not taken yet
  };

  void Walk(SchemaProps& schema, Here here) {
    const bool is_costly = schema.HasRules() && (costly_.empty() || costly_.contains(here.path));
    if (is_costly) {
      for (const schema::ValidationRule& rule : *schema.x_validations) {
        here.rules.insert(here.rules.end(), {rule.rule, rule.message_expression});
      }
      for (SizePlace& place : here.around) Take(std::move(place));
      here.around.clear();
    }
    if (const SizeKeyword* keyword = KeywordOf(schema)) {
      SizePlace place = MakePlace(schema, *keyword, here);
      const bool is_named = std::ranges::any_of(
          here.rules, [&](std::string_view rule) { return HasName(rule, here.name); });
      if (is_costly || (is_named && !here.name.empty())) {
        Take(std::move(place));
      } else if (!place.is_of_text()) {
        here.around.push_back(std::move(place));
      }
    }
    WalkParts(schema, here);
  }

  void WalkParts(SchemaProps& schema, const Here& here) {
    for (auto& [name, property] : schema.properties) {
      Here below = Below(here, meta::Key(meta::Child(here.path, "properties"), name),
                         {ValueStep::Kind::kField, std::string(name)});
      below.name = cel::Escape(name).value_or(std::string(name));
      Walk(property, std::move(below));
    }
    if (schema.items && schema.items->schema) {
      Walk(*schema.items->schema,
           Below(here, meta::Child(here.path, "items"), {ValueStep::Kind::kItems, ""}));
    }
    if (schema.additional_properties && schema.additional_properties->schema) {
      Walk(*schema.additional_properties->schema,
           Below(here, meta::Child(here.path, "additionalProperties"),
                 {ValueStep::Kind::kValues, ""}));
    }
  }

  static Here Below(const Here& here, std::string path, ValueStep step) {
    Here below = here;
    below.path = std::move(path);
    below.steps.push_back(std::move(step));
    return below;
  }

  SizePlace MakePlace(SchemaProps& schema, const SizeKeyword& keyword, const Here& here) const {
    SizePlace place{&schema, &keyword, {}, keyword.usual};
    place.limit.path = FieldPathOf(here.steps);
    place.limit.steps = here.steps;
    place.limit.keyword = keyword.name;
    place.limit.was = schema.*keyword.member;
    const auto held = held_.find(place.limit.path);
    if (held != held_.end()) place.base = std::max(place.base, held->second);
    return place;
  }

  void Take(SizePlace place) {
    const auto is_known = [&](const SizePlace& known) { return known.schema == place.schema; };
    if (places_.size() < kMostPlaces && std::ranges::none_of(places_, is_known)) {
      places_.push_back(std::move(place));
    }
  }

  const std::set<std::string> costly_;
  const HeldSizes& held_;
  std::vector<SizePlace> places_;
};

std::size_t RuleBytes(const SchemaProps& schema) {
  std::size_t bytes = 0;
  for (const auto& rule : schema.x_validations.value_or(std::vector<schema::ValidationRule>())) {
    bytes += rule.rule.size() + rule.message_expression.size();
  }
  schema::ForEachSubschema(schema, [&](const SchemaProps& part) { bytes += RuleBytes(part); });
  return bytes;
}

/// The largest number from `least` to `most` for which `fits` holds, which does for all smaller
/// ones; absent where it does not hold for `least`.
template <typename Fits>
std::optional<std::int64_t> Largest(std::int64_t least, std::int64_t most, const Fits& fits) {
  if (!fits(least)) return std::nullopt;
  while (least < most) {
    const std::int64_t middle = least + (most - least + 1) / 2;
    fits(middle) ? void(least = middle) : void(most = middle - 1);
  }
  return least;
}

/// One search, in a copy of the schema.
class LimitSearch {
 public:
  LimitSearch(SchemaProps& schema, const CrdRules& rules) : schema_(schema), rules_(rules) {}

  std::vector<SizeLimit> Run(const HeldSizes& held) {
    const std::vector<meta::FieldError> errors = CostErrors();
    if (errors.empty()) return {};
    places_ = PlaceFinder(CostlySchemas(errors), held).Run(schema_);
    const auto share = LargestShare(1);
    if (places_.empty() || !share) return {};
    Share(*share);
    DropIdle();
    const std::int64_t best = LargestShare(*share).value_or(*share);
    const auto fits = [&](std::int64_t more) {
      Share(best, more);
      return Fits();
    };
    Share(best, Largest(0, MostBase() / kShares + 1, fits).value_or(0));
    return Limits();
  }

 private:
  /// A limit is a number of shares of what values need.
  static constexpr std::int64_t kShares = 64;

  std::vector<meta::FieldError> CostErrors() const {
    CelValidator cel({rules_.server, rules_.known_expressions, false});
    std::vector<meta::FieldError> errors = ValidateCrdSchema(schema_, "", rules_, &cel);
    std::erase_if(errors,
                  [](const meta::FieldError& error) { return !IsOfRuleCost(error.detail); });
    return errors;
  }

  bool Fits() const { return CostErrors().empty(); }

  /// The paths of schemas with rules that cost too much; empty: of all, as their sum does.
  static std::set<std::string> CostlySchemas(const std::vector<meta::FieldError>& errors) {
    std::set<std::string> costly;
    for (const meta::FieldError& error : errors) {
      const std::size_t at = error.field.find(kRules);
      if (at == std::string::npos) return {};
      costly.insert(error.field.substr(0, at == 0 ? 0 : at - 1));
    }
    return costly;
  }

  std::optional<std::int64_t> LargestShare(std::int64_t least) {
    constexpr std::int64_t kMostShares = std::int64_t{1} << 20;
    return Largest(least, kMostShares, [&](std::int64_t share) {
      Share(share);
      return Fits();
    });
  }

  void Share(std::int64_t share, std::int64_t more = 0) {
    for (SizePlace& place : places_) {
      place.Set(std::max<std::int64_t>(1, place.base * share / kShares) + more);
    }
  }

  /// Takes back what the costs do not depend on, of texts first: these are limited least.
  void DropIdle() {
    for (const bool of_texts : {true, false}) {
      const auto is_idle = [&](SizePlace& place) {
        if (place.is_of_text() != of_texts) return false;
        place.Restore();
        if (Fits()) return true;
        place.Set(place.limit.most);
        return false;
      };
      std::erase_if(places_, is_idle);
    }
  }

  std::int64_t MostBase() const {
    std::int64_t most = 0;
    for (const SizePlace& place : places_) most = std::max(most, place.base);
    return most;
  }

  std::vector<SizeLimit> Limits() const {
    std::vector<SizeLimit> limits;
    for (const SizePlace& place : places_) {
      if (place.limit.was != place.limit.most) limits.push_back(place.limit);
    }
    return limits;
  }

  SchemaProps& schema_;
  const CrdRules& rules_;
  std::vector<SizePlace> places_;
};

std::int64_t SizeOf(const json::Value& value) {
  if (value.is_string()) return base::utf8::CountCharacters(value.text());
  return static_cast<std::int64_t>(value.size());
}

std::int64_t LargestBelow(const json::Value& value, std::span<const ValueStep> steps) {
  if (steps.empty()) return SizeOf(value);
  const auto below = steps.subspan(1);
  std::int64_t largest = 0;
  const auto take = [&](const json::Value& part) {
    largest = std::max(largest, LargestBelow(part, below));
  };
  if (steps.front().kind == ValueStep::Kind::kField) {
    const json::Value* field = value.Find(steps.front().name);
    if (field != nullptr) take(*field);
  } else if (steps.front().kind == ValueStep::Kind::kValues) {
    for (const json::Member& member : value.members()) take(member.value);
  } else {
    for (const json::Value& element : value.elements()) take(element);
  }
  return largest;
}

}  // namespace

std::vector<SizeLimit> FindCostLimits(const Crd& crd, const Crd* old, std::string_view version,
                                      base::Release server, const HeldSizes& held) {
  const Crd copy = CopyCrd(crd);
  const CrdVersion* found = copy.FindVersion(version);
  if (found == nullptr || found->schema == nullptr) return {};
  if (RuleBytes(*found->schema) > kMostRuleBytes) return {};
  CrdRules rules = old == nullptr ? CrdRules() : RulesForUpdate(copy, *old);
  rules.server = server;
  // Nobody else has it: it is the copy's.
  auto schema = std::const_pointer_cast<SchemaProps>(found->schema);
  return LimitSearch(*schema, rules).Run(held);
}

std::int64_t LargestHeld(const json::Value& object, const SizeLimit& limit) {
  return LargestBelow(object, limit.steps);
}

bool IsOfRuleCost(std::string_view message) {
  return message.find(" cost exceeds budget by factor of ") != message.npos ||
         message.find(" cost total for entire OpenAPIv3 schema exceeds") != message.npos ||
         message.find("contributed to estimated rule cost total") != message.npos;
}

}  // namespace kube::crd
