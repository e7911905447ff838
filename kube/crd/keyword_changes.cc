#include "kube/crd/keyword_changes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_value.h"
#include "kube/schema/keywords.h"

namespace kube::crd {
namespace {

using schema::SchemaProps;
using schema::Stricter;
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

// The value of a keyword whose row says how it is compared.
std::string Text(bool value) { return value ? "true" : "false"; }
std::string Text(std::string_view text) { return ShortText(text); }
std::string Text(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "";
}
std::string Text(const std::optional<double>& number) {
  return number ? json::FormatFloat(*number) : "";
}
std::string Text(const schema::GoList<SchemaProps>& schemas) {
  return schemas.empty() ? "" : base::Count(schemas.size(), "schema");
}
std::string Text(const std::unique_ptr<SchemaProps>& schema) { return schema ? "1 schema" : ""; }

bool IsSame(const schema::GoList<SchemaProps>& a, const schema::GoList<SchemaProps>& b) {
  return std::ranges::equal(a, b, schema::DeepEqual);
}
bool IsSame(const std::unique_ptr<SchemaProps>& a, const std::unique_ptr<SchemaProps>& b) {
  return a == b || (a && b && schema::DeepEqual(*a, *b));
}
bool IsSame(const auto& a, const auto& b) { return a == b; }

template <typename T>
bool IsStricter(schema::Stricter rule, const T& live, const T& proposed) {
  if constexpr (requires { live < live.value(); }) {
    if (rule == Stricter::kMore) return proposed && (!live || *proposed > *live);
    if (rule == Stricter::kLess) return proposed && (!live || *proposed < *live);
  }
  return rule == Stricter::kAlways || schema::IsEmpty(proposed) == (rule == Stricter::kUnset);
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

// The first, and how many there are beside it.
std::string Text(const std::vector<ValidationRule>& rules) {
  if (rules.empty()) return "";
  const std::string first = ShortText(rules.front().rule);
  return rules.size() == 1 ? first : first + " and " + std::to_string(rules.size() - 1) + " more";
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
    const bool share_types = ShareTypes(live_, proposed_);
    std::size_t number = 0;
    schema::ForEachKeyword([&](const auto& keyword) {
      const auto kind = static_cast<ChangeKind>(number++);
      if (share_types || kind == ChangeKind::kNullable) Compare(keyword, kind);
    });
    if (share_types) {
      CompareEnum();
      CompareMinimum();
      CompareMaximum();
      CompareMultipleOf();
      CompareListType();
      CompareListMapKeys();
      CompareMapType();
      CompareRules();
    }
    return std::move(changes_);
  }

 private:
  template <typename T>
  void Compare(const schema::Keyword<T>& keyword, ChangeKind kind) {
    const Stricter rule = keyword.change.stricter;
    if (rule == Stricter::kOwn || rule == Stricter::kNotCompared) return;
    const T &live = live_.*keyword.member, &proposed = proposed_.*keyword.member;
    if constexpr (requires { Text(live); }) {
      if (IsSame(live, proposed)) return;
      Add(kind, Text(live), Text(proposed), IsStricter(rule, live, proposed));
    } else {
      assert(false);  // its type needs a Text
    }
  }

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
  }

  void CompareEnum() {
    const std::set<std::string> live = EnumIdentities(live_), proposed = EnumIdentities(proposed_);
    if (live == proposed) return;
    const bool is_narrower =
        HasEnum(proposed_) && (!HasEnum(live_) || !std::ranges::includes(proposed, live));
    Add(ChangeKind::kEnum, EnumBeside(live_, proposed), EnumBeside(proposed_, live), is_narrower);
  }

  void CompareMinimum() {
    const std::string live = LimitText(live_.minimum, live_.exclusive_minimum, '>');
    const std::string proposed = LimitText(proposed_.minimum, proposed_.exclusive_minimum, '>');
    if (live != proposed) Add(ChangeKind::kMinimum, live, proposed, IsMinimumNarrower());
  }

  void CompareMaximum() {
    const std::string live = LimitText(live_.maximum, live_.exclusive_maximum, '<');
    const std::string proposed = LimitText(proposed_.maximum, proposed_.exclusive_maximum, '<');
    if (live != proposed) Add(ChangeKind::kMaximum, live, proposed, IsMaximumNarrower());
  }

  void CompareMultipleOf() {
    const auto &live = live_.multiple_of, &proposed = proposed_.multiple_of;
    if (live == proposed) return;
    const bool is_divisor = proposed && live && std::fmod(*live, *proposed) == 0;
    Add(ChangeKind::kMultipleOf, Text(live), Text(proposed), proposed && !is_divisor);
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

  static std::string_view ListType(const SchemaProps& schema) {
    return schema.x_list_type.value_or("atomic");
  }

  void CompareListType() {
    const std::string_view live = ListType(live_), proposed = ListType(proposed_);
    if (live == proposed) return;
    Add(ChangeKind::kListType, ShortText(live), ShortText(proposed), proposed != "atomic");
  }

  // Where the type changes, that is told alone.
  void CompareListMapKeys() {
    const std::set<std::string_view> live = Keys(live_), proposed = Keys(proposed_);
    if (ListType(live_) != "map" || ListType(proposed_) != "map" || live == proposed) return;
    Add(ChangeKind::kListMapKeys, ShortText(base::Join(live, ", ")),
        ShortText(base::Join(proposed, ", ")), true);
  }

  void CompareMapType() {
    const std::string_view live = live_.x_map_type.value_or("granular");
    const std::string_view proposed = proposed_.x_map_type.value_or("granular");
    if (live != proposed) Add(ChangeKind::kMapType, ShortText(live), ShortText(proposed), false);
  }

  static std::set<std::string_view> Keys(const SchemaProps& schema) {
    if (!schema.x_list_map_keys) return {};
    return {schema.x_list_map_keys->begin(), schema.x_list_map_keys->end()};
  }

  void CompareRules() {
    const auto going = RulesBeside(live_, proposed_), coming = RulesBeside(proposed_, live_);
    if (going.empty() && coming.empty()) return;
    Add(ChangeKind::kValidations, Text(going), Text(coming), !coming.empty());
  }

  const SchemaProps& live_;
  const SchemaProps& proposed_;
  std::vector<KeywordChange> changes_;
};

}  // namespace

std::vector<KeywordChange> CompareKeywords(const SchemaProps& live, const SchemaProps& proposed) {
  return KeywordComparer(live, proposed).Run();
}

std::vector<ValidationRule> RulesBeside(const SchemaProps& schema, const SchemaProps& other) {
  std::vector<ValidationRule> beside;
  if (!schema.x_validations) return beside;
  const std::set<std::string> known = RuleIdentities(other);
  std::ranges::copy_if(
      *schema.x_validations, std::back_inserter(beside),
      [&](const ValidationRule& rule) { return !known.contains(RuleIdentity(rule)); });
  return beside;
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
