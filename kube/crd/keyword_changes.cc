#include "kube/crd/keyword_changes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_value.h"

namespace kube::crd {
namespace {

using schema::SchemaProps;
using schema::ValidationRule;

constexpr std::size_t kMostTextBytes = 200;

enum ChangedTypeBit : unsigned {
  kTextBit = 1,
  kIntegerBit = 2,
  kFractionBit = 4,
  kBooleanBit = 8,
  kMapBit = 16,
  kListBit = 32,
  kAllBits = 63,
};

unsigned BitsOf(std::string_view type) {
  if (type.empty()) return kAllBits;
  if (type == "string") return kTextBit;
  if (type == "integer") return kIntegerBit;
  if (type == "number") return kIntegerBit | kFractionBit;
  if (type == "boolean") return kBooleanBit;
  if (type == "object") return kMapBit;
  return type == "array" ? unsigned{kListBit} : 0;
}

unsigned BitsOf(const SchemaProps& schema) {
  if (schema.x_int_or_string) return kTextBit | kIntegerBit;
  const unsigned bits = BitsOf(schema.type);
  // Beside a format kube-openapi leaves strings and lists to the check of the format.
  const bool leaves_to_format =
      !schema.format.empty() && schema.type != "integer" && schema.type != "number";
  return leaves_to_format ? bits | kTextBit | kListBit : bits;
}

std::string LimitText(const std::optional<double>& limit, bool exclusive, char sign) {
  if (!limit) return "";
  return std::string(1, sign) + (exclusive ? " " : "= ") + json::FormatFloat(*limit);
}

template <typename T>
std::string NumberText(const std::optional<T>& number) {
  return number ? std::to_string(*number) : "";
}

std::string BoolText(bool value) { return value ? "true" : "false"; }

std::string SchemasText(std::size_t count) {
  return count == 0 ? "" : base::Count(count, "schema");
}

// What may differ without anybody being asked for more.
std::string RuleIdentity(const ValidationRule& rule) {
  return std::string(rule.rule) + '\0' + (rule.optional_old_self.value_or(false) ? "o" : "");
}

std::set<std::string> RuleIdentities(const SchemaProps& schema) {
  std::set<std::string> identities;
  if (!schema.x_validations) return identities;
  for (const ValidationRule& rule : *schema.x_validations) identities.insert(RuleIdentity(rule));
  return identities;
}

// The rules of `schema` that are not among `others`: the first, and how many there are beside it.
std::string RulesBeside(const SchemaProps& schema, const std::set<std::string>& others) {
  std::string first;
  std::size_t more = 0;
  if (!schema.x_validations) return "";
  for (const ValidationRule& rule : *schema.x_validations) {
    if (others.contains(RuleIdentity(rule))) continue;
    first.empty() ? void(first = ShortText(rule.rule)) : void(++more);
  }
  return more == 0 ? first : first + " and " + std::to_string(more) + " more";
}

std::set<std::string> EnumIdentities(const SchemaProps& schema) {
  std::set<std::string> identities;
  if (!schema.enum_values) return identities;
  for (const json::Value& value : *schema.enum_values) identities.insert(go::GoIdentity(value));
  return identities;
}

// The values of `schema` that are not among `others`, as a JSON list; empty where there are none.
std::string EnumBeside(const SchemaProps& schema, const std::set<std::string>& others) {
  std::string list;
  if (!schema.enum_values) return "";
  for (const json::Value& value : *schema.enum_values) {
    if (list.size() > kMostTextBytes) break;
    if (others.contains(go::GoIdentity(value))) continue;
    list += (list.empty() ? "[" : ",") + ValueText(value);
  }
  return list.empty() ? "" : ShortText(list + "]");
}

// No values at all mean none in particular.
bool HasEnum(const SchemaProps& schema) {
  return schema.enum_values && !schema.enum_values->empty();
}

class KeywordComparer {
 public:
  KeywordComparer(const SchemaProps& live, const SchemaProps& proposed)
      : live_(live), proposed_(proposed) {}

  std::vector<KeywordChange> Run() {
    CompareType();
    if (!ShareTypes(live_, proposed_)) return std::move(changes_);
    CompareEnum();
    CompareLimits();
    CompareSizes();
    CompareTexts();
    CompareListsAndMaps();
    CompareRules();
    CompareAlternatives();
    return std::move(changes_);
  }

 private:
  void Add(ChangeKind kind, std::string from, std::string to, bool breaking) {
    changes_.push_back({kind, std::move(from), std::move(to), breaking});
  }

  void CompareType() {
    const std::string from = TypeText(live_), to = TypeText(proposed_);
    if (from != to) {
      // A format of the same name on both sides takes nothing away from what the type takes.
      const bool is_narrower = (BitsOf(live_) & ~BitsOf(proposed_)) != 0;
      Add(ChangeKind::kType, from, to, is_narrower);
    }
    if (live_.nullable == proposed_.nullable) return;
    Add(ChangeKind::kNullable, BoolText(live_.nullable), BoolText(proposed_.nullable),
        live_.nullable);
  }

  void CompareEnum() {
    const std::set<std::string> live = EnumIdentities(live_), proposed = EnumIdentities(proposed_);
    if (live == proposed) return;
    const bool is_narrower =
        HasEnum(proposed_) && (!HasEnum(live_) || !std::ranges::includes(proposed, live));
    Add(ChangeKind::kEnum, EnumBeside(live_, proposed), EnumBeside(proposed_, live), is_narrower);
  }

  void CompareLimits() {
    const auto minimum = [](const SchemaProps& of) {
      return LimitText(of.minimum, of.exclusive_minimum, '>');
    };
    const auto maximum = [](const SchemaProps& of) {
      return LimitText(of.maximum, of.exclusive_maximum, '<');
    };
    if (minimum(live_) != minimum(proposed_)) {
      Add(ChangeKind::kMinimum, minimum(live_), minimum(proposed_), IsMinimumNarrower());
    }
    if (maximum(live_) != maximum(proposed_)) {
      Add(ChangeKind::kMaximum, maximum(live_), maximum(proposed_), IsMaximumNarrower());
    }
    if (live_.multiple_of == proposed_.multiple_of) return;
    const auto text = [](const std::optional<double>& of) {
      return of ? json::FormatFloat(*of) : "";
    };
    const bool is_divisor = proposed_.multiple_of && live_.multiple_of &&
                            std::fmod(*live_.multiple_of, *proposed_.multiple_of) == 0;
    Add(ChangeKind::kMultipleOf, text(live_.multiple_of), text(proposed_.multiple_of),
        proposed_.multiple_of && !is_divisor);
  }

  bool IsMinimumNarrower() const {
    if (!proposed_.minimum) return false;
    if (!live_.minimum || *proposed_.minimum > *live_.minimum) return true;
    return *proposed_.minimum == *live_.minimum && proposed_.exclusive_minimum;
  }

  bool IsMaximumNarrower() const {
    if (!proposed_.maximum) return false;
    if (!live_.maximum || *proposed_.maximum < *live_.maximum) return true;
    return *proposed_.maximum == *live_.maximum && proposed_.exclusive_maximum;
  }

  using Size = std::optional<std::int64_t>;

  void CompareLeast(ChangeKind kind, const Size& live, const Size& proposed) {
    if (live == proposed) return;
    Add(kind, NumberText(live), NumberText(proposed), proposed && (!live || *proposed > *live));
  }
  void CompareMost(ChangeKind kind, const Size& live, const Size& proposed) {
    if (live == proposed) return;
    Add(kind, NumberText(live), NumberText(proposed), proposed && (!live || *proposed < *live));
  }

  void CompareSizes() {
    CompareLeast(ChangeKind::kMinLength, live_.min_length, proposed_.min_length);
    CompareMost(ChangeKind::kMaxLength, live_.max_length, proposed_.max_length);
    CompareLeast(ChangeKind::kMinItems, live_.min_items, proposed_.min_items);
    CompareMost(ChangeKind::kMaxItems, live_.max_items, proposed_.max_items);
    CompareLeast(ChangeKind::kMinProperties, live_.min_properties, proposed_.min_properties);
    CompareMost(ChangeKind::kMaxProperties, live_.max_properties, proposed_.max_properties);
    if (live_.unique_items == proposed_.unique_items) return;
    Add(ChangeKind::kUniqueItems, BoolText(live_.unique_items), BoolText(proposed_.unique_items),
        proposed_.unique_items);
  }

  // Whether one pattern takes all that another does is not told.
  void CompareTexts() {
    if (live_.pattern != proposed_.pattern) {
      Add(ChangeKind::kPattern, ShortText(live_.pattern), ShortText(proposed_.pattern),
          !proposed_.pattern.empty());
    }
    if (live_.format == proposed_.format) return;
    // Without its format a string may no longer be a list (BitsOf).
    Add(ChangeKind::kFormat, ShortText(live_.format), ShortText(proposed_.format),
        !proposed_.format.empty());
  }

  void CompareListsAndMaps() {
    const std::string_view live = live_.x_list_type.value_or("atomic");
    const std::string_view proposed = proposed_.x_list_type.value_or("atomic");
    if (live != proposed) {
      Add(ChangeKind::kListType, ShortText(live), ShortText(proposed), proposed != "atomic");
    } else if (proposed == "map" && Keys(live_) != Keys(proposed_)) {
      Add(ChangeKind::kListMapKeys, ShortText(base::Join(Keys(live_), ", ")),
          ShortText(base::Join(Keys(proposed_), ", ")), true);
    }
    const std::string_view live_map = live_.x_map_type.value_or("granular");
    const std::string_view proposed_map = proposed_.x_map_type.value_or("granular");
    if (live_map != proposed_map) {
      Add(ChangeKind::kMapType, ShortText(live_map), ShortText(proposed_map), false);
    }
    if (live_.x_embedded_resource == proposed_.x_embedded_resource) return;
    Add(ChangeKind::kEmbeddedResource, BoolText(live_.x_embedded_resource),
        BoolText(proposed_.x_embedded_resource), true);
  }

  static std::set<std::string_view> Keys(const SchemaProps& schema) {
    if (!schema.x_list_map_keys) return {};
    return {schema.x_list_map_keys->begin(), schema.x_list_map_keys->end()};
  }

  void CompareRules() {
    const std::set<std::string> live = RuleIdentities(live_), proposed = RuleIdentities(proposed_);
    if (live == proposed) return;
    Add(ChangeKind::kValidations, RulesBeside(live_, proposed), RulesBeside(proposed_, live),
        !std::ranges::includes(live, proposed));
  }

  void CompareAlternatives() {
    CompareAlternatives(ChangeKind::kAllOf, live_.all_of, proposed_.all_of);
    CompareAlternatives(ChangeKind::kAnyOf, live_.any_of, proposed_.any_of);
    CompareAlternatives(ChangeKind::kOneOf, live_.one_of, proposed_.one_of);
    const SchemaProps *live = live_.not_schema.get(), *proposed = proposed_.not_schema.get();
    if (live == proposed || (live && proposed && schema::DeepEqual(*live, *proposed))) return;
    Add(ChangeKind::kNot, SchemasText(live ? 1 : 0), SchemasText(proposed ? 1 : 0),
        proposed != nullptr);
  }

  void CompareAlternatives(ChangeKind kind, const schema::GoList<SchemaProps>& live,
                           const schema::GoList<SchemaProps>& proposed) {
    if (std::ranges::equal(live, proposed, schema::DeepEqual)) return;
    Add(kind, SchemasText(live.size()), SchemasText(proposed.size()), !proposed.empty());
  }

  const SchemaProps& live_;
  const SchemaProps& proposed_;
  std::vector<KeywordChange> changes_;
};

}  // namespace

std::vector<KeywordChange> CompareKeywords(const SchemaProps& live, const SchemaProps& proposed) {
  return KeywordComparer(live, proposed).Run();
}

bool ShareTypes(const SchemaProps& live, const SchemaProps& proposed) {
  return (BitsOf(live) & BitsOf(proposed)) != 0;
}

std::string TypeText(const SchemaProps& schema) {
  if (schema.x_int_or_string) return "int-or-string";
  return schema.type.empty() ? "any" : ShortText(schema.type);
}

std::string ValueText(const json::Value& value) { return ShortText(json::Print(value)); }

std::string ShortText(std::string_view text) { return base::utf8::Shortened(text, kMostTextBytes); }

}  // namespace kube::crd
