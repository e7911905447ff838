#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kube/cel/environment.h"
#include "kube/cel/type.h"

namespace kube::cel {

/// Finds out what type variables stand for while an expression is checked (cel-go
/// checker/types.go). Throws TypesTooLarge, also where it takes too many steps: what a variable
/// stands for may hold variables twice that hold others twice.
class TypeSolver {
 public:
  explicit TypeSolver(TypePool& pool) : pool_(pool) {}

  TypeRef NewVariable();
  /// True if a value of `from` can be used as `to`; then variables are bound as that takes.
  bool Assign(TypeRef to, TypeRef from);
  bool AssignAll(const std::vector<TypeRef>& to, const std::vector<TypeRef>& from);
  /// The type with variables replaced by what they stand for; by dyn where they are free and
  /// `free_is_dyn`.
  TypeRef Substitute(TypeRef type, bool free_is_dyn);
  /// Fresh variables for the parameters of a signature.
  struct Instance {
    std::vector<TypeRef> args;
    TypeRef result;
  };
  Instance Instantiate(const Signature& signature);

  /// The one of the two that takes more.
  TypeRef MostGeneral(TypeRef a, TypeRef b);

 private:
  struct Bound {
    bool is_valid;
    bool was_bound;
  };
  void CountSteps(std::uint64_t steps);
  TypeRef Find(TypeRef variable) const;
  void Bind(TypeRef variable, TypeRef type);
  bool Fits(TypeRef to, TypeRef from);
  bool FitAll(const std::vector<TypeRef>& to, const std::vector<TypeRef>& from);
  Bound BindTo(TypeRef type, TypeRef variable);
  bool IsFreeOf(TypeRef variable, TypeRef type);
  template <typename Action>
  bool Attempt(Action action);

  TypePool& pool_;
  int variable_count_ = 0;
  std::uint64_t steps_ = 0;
  std::unordered_map<TypeRef, TypeRef> bindings_;
  std::vector<std::pair<TypeRef, TypeRef>>
      undo_;  // a variable and what it stood for; null: nothing
};

}  // namespace kube::cel
