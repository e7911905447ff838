#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/cel/ast.h"
#include "kube/cel/source.h"

namespace kube::cel {

/// The longest expression that is parsed, in code points.
inline constexpr std::int32_t kLongestExpression = 100000;

struct ParsedExpression {
  std::unique_ptr<Ast> ast;   ///< without a root where there are issues
  std::vector<Issue> issues;  ///< in the words of cel-go's parser
};

/// Parses an expression and expands the macros that `release` has. Its tree is at most 250 levels
/// deep before macros are expanded.
ParsedExpression Parse(const Source& source, base::Release release);

}  // namespace kube::cel
