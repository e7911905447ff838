#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/meta/path_text.h"

namespace kube::mutation {

/// A text that is as a whole in parentheses, `(spec.legacyMode)`: the value that the object has at
/// that path.
bool LooksLikeReference(std::string_view text);

class Reference {
 public:
  /// `text` LooksLikeReference. The path is one as ParsePathText reads it, to one value. The error
  /// says what is wrong with it.
  static base::Result<Reference, std::string> Parse(std::string_view text);

  /// The null pointer where the object has nothing there.
  const json::Value* FindIn(const json::Value& object) const;

 private:
  std::vector<meta::WrittenStep> steps_;
};

}  // namespace kube::mutation
