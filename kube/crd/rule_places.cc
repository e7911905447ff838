#include "kube/crd/rule_places.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "kube/crd/crd_cel_validation.h"
#include "kube/meta/field_error.h"
#include "kube/meta/object_path.h"
#include "kube/meta/path_text.h"

namespace kube::crd {
namespace {

using meta::WrittenStep;
using schema::SchemaProps;

constexpr std::string_view kRoot = "openAPIV3Schema";
constexpr std::string_view kKeyword = "x-kubernetes-validations";

}  // namespace

std::string FieldPathOf(const std::vector<ValueStep>& steps) {
  std::string path;
  for (const ValueStep& step : steps) {
    switch (step.kind) {
      case ValueStep::Kind::kField:
        meta::AppendPathName(path, step.name);
        break;
      case ValueStep::Kind::kValues:
        meta::AppendPathOfKeys(path);
        break;
      case ValueStep::Kind::kItems:
        path += "[*]";
        break;
    }
  }
  return path;
}

namespace {

/// Walks a schema as the server's validator of rules does.
class Finder {
 public:
  std::vector<RulePlace> Run(const SchemaProps& root) {
    Walk(root, root, {std::string(kRoot), false}, RuleContext(root));
    return std::move(found_);
  }

 private:
  struct Place {
    std::string path;
    bool is_in_all_of = false;

    Place Below(std::string path_below) const { return {std::move(path_below), is_in_all_of}; }
  };

  /// `rules` is `node` itself, or a part of its allOf.
  void Walk(const SchemaProps& rules, const SchemaProps& node, const Place& place,
            const RuleContext& context) {
    Add(rules, node, place, context);
    const SchemaProps* items = node.ItemsSchema();
    if (rules.ItemsSchema() != nullptr && items != nullptr) {
      WalkBelow({ValueStep::Kind::kItems, {}}, *rules.ItemsSchema(), *items,
                place.Below(meta::Child(place.path, "items")), context);
    }
    const SchemaProps* values = node.ValuesSchema();
    if (rules.ValuesSchema() != nullptr && values != nullptr) {
      WalkBelow({ValueStep::Kind::kValues, {}}, *rules.ValuesSchema(), *values,
                place.Below(meta::Child(place.path, "additionalProperties")), context);
    }
    for (const auto& [name, property] : rules.properties) {
      const SchemaProps* of_node = node.FindProperty(name);
      if (of_node == nullptr) continue;
      WalkBelow({ValueStep::Kind::kField, std::string(name)}, property, *of_node,
                place.Below(meta::Key(meta::Child(place.path, "properties"), name)), context);
    }
    for (std::size_t i = 0; i < rules.all_of.size(); ++i) {
      Walk(rules.all_of[i], node, {meta::Index(meta::Child(place.path, "allOf"), i), true},
           context);
    }
  }

  void WalkBelow(ValueStep step, const SchemaProps& rules, const SchemaProps& node,
                 const Place& place, const RuleContext& parent) {
    steps_.push_back(std::move(step));
    Walk(rules, node, place, RuleContext(parent, node));
    steps_.pop_back();
  }

  void Add(const SchemaProps& rules, const SchemaProps& node, const Place& place,
           const RuleContext& context) {
    if (!rules.x_validations) return;
    for (std::size_t i = 0; i < rules.x_validations->size(); ++i) {
      found_.push_back({.rule = &(*rules.x_validations)[i],
                        .schema = &node,
                        .index = i,
                        .schema_path = meta::Index(meta::Child(place.path, kKeyword), i),
                        .field_path = FieldPathOf(steps_),
                        .steps = steps_,
                        .most_values = context.most_values(),
                        .is_in_all_of = place.is_in_all_of});
    }
  }

  std::vector<RulePlace> found_;
  std::vector<ValueStep> steps_;
};

// ---- Which of them are meant.

bool Fits(const WrittenStep& written, const ValueStep& step) {
  switch (step.kind) {
    case ValueStep::Kind::kItems:
      return written.is_index;
    case ValueStep::Kind::kValues:
      return !written.is_index;
    default:
      return !written.is_index && written.name == step.name;
  }
}

bool Fit(std::span<const WrittenStep> written, const RulePlace& place) {
  return std::ranges::equal(written, place.steps, Fits);
}

/// True where the last step is the index of the rule, and the steps before it are its place.
bool IsIndexed(std::span<const WrittenStep> written, const RulePlace& place) {
  if (written.empty() || !written.back().is_index) return false;
  return written.back().name == std::to_string(place.index) &&
         Fit(written.first(written.size() - 1), place);
}

/// True for a path of the schema, of its rules, of the one rule, or of something in it.
bool IsSchemaPathOf(std::string_view path, const RulePlace& place) {
  const std::string_view rule = place.schema_path;
  const std::string_view rules = rule.substr(0, rule.rfind('['));
  const std::string_view schema = rules.substr(0, rules.rfind('.'));
  return path == schema || path == rules || path == rule ||
         (path.starts_with(rule) && path.substr(rule.size()).starts_with('.'));
}

template <typename Predicate>
std::vector<RulePlace> Filtered(const std::vector<RulePlace>& rules, Predicate predicate) {
  std::vector<RulePlace> chosen;
  std::ranges::copy_if(rules, std::back_inserter(chosen), predicate);
  return chosen;
}

std::vector<RulePlace> Choose(const std::vector<RulePlace>& rules, std::string_view path) {
  const std::size_t root = path.find(kRoot);
  if (root != path.npos) {
    return Filtered(rules, [text = path.substr(root)](const RulePlace& place) {
      return IsSchemaPathOf(text, place);
    });
  }
  std::vector<WrittenStep> steps;
  if (path.starts_with(".[")) path.remove_prefix(1);
  if (path != ".") {
    auto parsed = meta::ParsePathText(path);
    if (!parsed) return {};
    steps = *std::move(parsed);
  }
  auto chosen = Filtered(rules, [&](const RulePlace& place) { return IsIndexed(steps, place); });
  if (!chosen.empty()) return chosen;
  return Filtered(rules, [&](const RulePlace& place) { return Fit(steps, place); });
}

std::string Listed(const std::vector<RulePlace>& rules) {
  constexpr std::size_t kMost = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(rules.size(), kMost); ++i) {
    names += (i == 0 ? "" : ", ") + rules[i].Name();
  }
  if (rules.size() > kMost) names += " and " + std::to_string(rules.size() - kMost) + " more";
  return names;
}

}  // namespace

std::string RulePlace::Name() const {
  return is_in_all_of ? schema_path : meta::Index(meta::WithLeadingDot(field_path), index);
}

std::vector<RulePlace> FindRules(const SchemaProps& schema) { return Finder().Run(schema); }

std::optional<std::size_t> VersionIndexOf(std::string_view rule_path) {
  constexpr std::string_view kPrefix = "spec.versions[";
  if (!rule_path.starts_with(kPrefix) || rule_path.find(kRoot) == rule_path.npos) {
    return std::nullopt;
  }
  rule_path.remove_prefix(kPrefix.size());
  std::size_t index = 0;
  const auto [end, error] =
      std::from_chars(rule_path.data(), rule_path.data() + rule_path.size(), index);
  return error == std::errc() && end != rule_path.data() + rule_path.size() && *end == ']'
             ? std::optional(index)
             : std::nullopt;
}

base::Result<std::vector<RulePlace>, std::string> ChooseRules(std::vector<RulePlace> rules,
                                                              std::string_view rule_path) {
  std::vector<RulePlace> chosen = Choose(rules, rule_path);
  if (!chosen.empty()) return chosen;
  if (rules.empty()) return base::Unexpected(std::string("its schema has no rules"));
  return base::Unexpected("no rule stands at \"" + std::string(rule_path) + "\"; there is " +
                          Listed(rules));
}

}  // namespace kube::crd
