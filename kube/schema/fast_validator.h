#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kube/json/json.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/property_index.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// Tells of most objects that are valid, and of most that lose nothing, that they are, in the time
/// that it takes to walk through them: ValidateValue and pruning have an answer to everything, and
/// take many times as long.
class FastValidator {
 public:
  /// `schema` is structural and must outlive it.
  explicit FastValidator(const SchemaProps& schema);
  ~FastValidator();
  FastValidator(FastValidator&&) noexcept;

  struct QuickResult {
    /// Only if `object`, as a server that prunes shows it (ReadBySchema), is valid beyond doubt:
    /// ErrorsOfCreate finds nothing but, at most, duplicates in lists.
    bool is_valid = false;
    /// Only if it is valid, and pruning by the same schema takes nothing: FindLostFields
    /// (pruning.h) has nothing to tell.
    bool loses_nothing = false;
  };
  /// `object` is a custom resource.
  QuickResult Look(const json::Value& object, PatternChecks& patterns) const;

 private:
  struct Node;
  struct Property;
  class Walk;
  static std::unique_ptr<Node> MakeNode(const SchemaProps& schema, const SchemaProps& main);

  std::unique_ptr<const Node> root_;
};

}  // namespace kube::schema
