#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/cel/ast.h"
#include "kube/cel/environment.h"
#include "kube/cel/source.h"
#include "kube/cel/type.h"

namespace kube::cel {

/// What a name or a call turned out to be.
struct Reference {
  std::string name;                          ///< of a variable or type; a leading dot: a global one
  std::vector<const Signature*> signatures;  ///< of a call: those that fit
  const Function* function = nullptr;        ///< of a call
  TypeRef type_value = nullptr;              ///< the type that a name stands for
  std::optional<std::int64_t> constant;      ///< of an enum
};

/// An expression and what the checker found out about its nodes, by their ids.
struct CheckedExpression {
  std::unique_ptr<Ast> ast;
  TypePool pool;
  std::vector<TypeRef> types;
  std::vector<Reference> references;

  TypeRef TypeOf(const Expr& expr) const { return types[static_cast<std::size_t>(expr.id)]; }
  const Reference& ReferenceOf(const Expr& expr) const {
    return references[static_cast<std::size_t>(expr.id)];
  }
  TypeRef output_type() const { return TypeOf(*ast->root); }
};

/// Finds the types of all nodes, as cel-go's checker does, and what is wrong with them. Rewrites
/// qualified names: a.b becomes the identifier "a.b" where that is one. Types that are too large to
/// be printed are wrong, too: the server has no such limit, and ends where its memory does.
std::vector<Issue> Check(const Environment& environment, const Source& source,
                         CheckedExpression& checked);

/// What is wrong with a checked expression beyond its types: literals that are no duration,
/// timestamp or regular expression, formats, lists of mixed types.
std::vector<Issue> Validate(const Environment& environment, const Source& source,
                            const CheckedExpression& checked);

}  // namespace kube::cel
