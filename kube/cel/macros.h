#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/cel/ast.h"

namespace kube::cel {

/// The name of the accumulator in what macros become; no expression can name it.
inline constexpr std::string_view kAccumulator = "@result";

/// A call that may be one of a macro.
struct MacroCall {
  std::string_view function;
  Expr* target = nullptr;  ///< null: a global call
  const std::vector<Expr*>* args = nullptr;
  std::int32_t position = -1;  ///< where new nodes stand
};

struct Expansion {
  Expr* expr = nullptr;        ///< null: this is no macro, or there is an error
  std::string error;           ///< empty: none
  std::int32_t position = -1;  ///< of the error
};

/// Replaces the call of a macro by what it stands for, out of the nodes of its arguments and new
/// ones.
Expansion ExpandMacro(Ast& ast, const MacroCall& call, base::Release release);

}  // namespace kube::cel
