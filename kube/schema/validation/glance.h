#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kube/json/json.h"
#include "kube/schema/property_index.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/validation/pattern_checks.h"

namespace kube::schema::validation {

/// Tells of most objects that are valid that they are, in the time that it takes to walk through
/// them: ValidateValue has an answer to everything, and takes many times as long.
class ValidityGlance {
 public:
  /// `schema` is structural and must outlive it.
  explicit ValidityGlance(const SchemaProps& schema);
  ~ValidityGlance();
  ValidityGlance(ValidityGlance&&) noexcept;

  /// True only if `object`, as a server that prunes shows it (ReadBySchema), is valid beyond doubt:
  /// ErrorsOfCreate finds nothing but, at most, duplicates in lists.
  bool IsValid(const json::Value& object, PatternChecks& patterns) const;

 private:
  struct Node;
  static std::unique_ptr<const Node> MakeNode(const SchemaProps& schema, const SchemaProps& main);
  static bool Fits(const json::Value& value, const Node& node, PatternChecks& patterns);
  static bool FitsText(std::string_view text, const Node& node, PatternChecks& patterns);
  static bool FitsNumber(const json::Value& number, const Node& node);
  static bool FitsArray(const json::Value& array, const Node& node, PatternChecks& patterns);
  static bool FitsObject(const json::Value& object, const Node& node, PatternChecks& patterns);

  std::unique_ptr<const Node> root_;
};

}  // namespace kube::schema::validation
