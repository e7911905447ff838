#include "kube/cel/type_solver.h"

#include <algorithm>

namespace kube::cel {
namespace {

bool IsParam(TypeRef type) { return type->kind == Type::Kind::kTypeParam; }
bool IsDynOrError(TypeRef type) { return IsDyn(type) || type->kind == Type::Kind::kError; }

/// True if null can be used as the type.
bool TakesNull(TypeRef type) {
  switch (type->kind) {
    case Type::Kind::kOpaque:
    case Type::Kind::kStruct:
    case Type::Kind::kAny:
    case Type::Kind::kDuration:
    case Type::Kind::kTimestamp:
    case Type::Kind::kNull:
      return true;
    default:
      return type->is_nullable;
  }
}

bool TakesAsMuch(TypeRef a, TypeRef b) {
  if (IsDyn(a) || IsParam(a)) return true;
  if (IsDyn(b) || IsParam(b) || a->kind != b->kind) return false;
  switch (a->kind) {
    case Type::Kind::kOpaque:
      if (a->name != b->name || a->params.size() != b->params.size()) return false;
      [[fallthrough]];
    case Type::Kind::kList:
    case Type::Kind::kMap:
      return std::equal(a->params.begin(), a->params.end(), b->params.begin(), b->params.end(),
                        TakesAsMuch);
    case Type::Kind::kType:
      return true;
    default:
      return IsExactType(a, b);
  }
}

}  // namespace

void TypeSolver::CountSteps(std::uint64_t steps) {
  constexpr std::uint64_t kMostSteps = 4000000;
  steps_ += steps;
  if (steps_ > kMostSteps) throw TypesTooLarge();
}

TypeRef TypeSolver::MostGeneral(TypeRef a, TypeRef b) {
  CountSteps(a->size);
  return TakesAsMuch(a, b) ? a : b;
}

TypeRef TypeSolver::NewVariable() {
  return pool_.Param("_var" + std::to_string(variable_count_++));
}

TypeRef TypeSolver::Find(TypeRef variable) const {
  const auto found = bindings_.find(variable);
  return found == bindings_.end() ? nullptr : found->second;
}

void TypeSolver::Bind(TypeRef variable, TypeRef type) {
  undo_.emplace_back(variable, Find(variable));
  bindings_[variable] = type;
}

template <typename Action>
bool TypeSolver::Attempt(Action action) {
  const std::size_t mark = undo_.size();
  if (action()) {
    if (mark == 0) undo_.clear();
    return true;
  }
  for (; undo_.size() > mark; undo_.pop_back()) {
    const auto& [variable, before] = undo_.back();
    if (before == nullptr) {
      bindings_.erase(variable);
    } else {
      bindings_[variable] = before;
    }
  }
  return false;
}

bool TypeSolver::Assign(TypeRef to, TypeRef from) {
  return Attempt([&] { return Fits(to, from); });
}

bool TypeSolver::AssignAll(const std::vector<TypeRef>& to, const std::vector<TypeRef>& from) {
  return Attempt([&] { return FitAll(to, from); });
}

bool TypeSolver::FitAll(const std::vector<TypeRef>& to, const std::vector<TypeRef>& from) {
  if (to.size() != from.size()) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!Fits(to[i], from[i])) return false;
  }
  return true;
}

bool TypeSolver::Fits(TypeRef to, TypeRef from) {
  CountSteps(1);
  if (to == from) return true;
  if (IsParam(from)) {
    const Bound bound = BindTo(to, from);
    if (bound.is_valid || bound.was_bound) return bound.is_valid;
  }
  if (IsParam(to)) return BindTo(from, to).is_valid;
  if (IsDynOrError(to) || IsDynOrError(from)) return true;
  if (to->kind == Type::Kind::kNull) return TakesNull(from);
  if (from->kind == Type::Kind::kNull) return TakesNull(to);
  switch (to->kind) {
    case Type::Kind::kType:
      return from->kind == Type::Kind::kType;
    case Type::Kind::kOpaque:
    case Type::Kind::kList:
    case Type::Kind::kMap:
      return to->kind == from->kind && to->name == from->name && FitAll(to->params, from->params);
    default:
      CountSteps(from->size);
      return IsAssignable(from, to);
  }
}

/// Lets `variable` stand for `type`, or for the more general of it and what it stood for.
TypeSolver::Bound TypeSolver::BindTo(TypeRef type, TypeRef variable) {
  if (IsExactType(type, variable)) return {true, true};
  if (const TypeRef bound = Find(variable)) {
    CountSteps(bound->size);
    if (type->kind == bound->kind && IsExactType(type, bound)) return {true, true};
    if (!Fits(type, bound)) return {false, true};
    const TypeRef general = MostGeneral(type, bound);
    if (IsFreeOf(variable, general)) Bind(variable, general);
    return {true, true};
  }
  if (!IsFreeOf(variable, type)) return {false, false};
  Bind(variable, type);
  return {true, false};
}

/// True if `type` does not hold `variable`.
bool TypeSolver::IsFreeOf(TypeRef variable, TypeRef type) {
  CountSteps(1);
  if (IsExactType(variable, type)) return false;
  if (IsParam(type)) {
    const TypeRef bound = Find(type);
    return bound == nullptr || IsFreeOf(variable, bound);
  }
  return std::all_of(type->params.begin(), type->params.end(),
                     [&](TypeRef param) { return IsFreeOf(variable, param); });
}

TypeRef TypeSolver::Substitute(TypeRef type, bool free_is_dyn) {
  CountSteps(1);
  if (IsParam(type)) {
    if (const TypeRef bound = Find(type)) return Substitute(bound, free_is_dyn);
    return free_is_dyn ? types::Dyn() : type;
  }
  if (type->params.empty()) return type;
  std::vector<TypeRef> params;
  bool is_same = true;
  for (const TypeRef param : type->params) {
    params.push_back(Substitute(param, free_is_dyn));
    is_same = is_same && params.back() == param;
  }
  if (is_same) return type;
  switch (type->kind) {
    case Type::Kind::kList:
      return pool_.List(params[0]);
    case Type::Kind::kMap:
      return pool_.Map(params[0], params[1]);
    case Type::Kind::kType:
      return pool_.TypeOf(params[0]);
    default:
      return pool_.Opaque(type->name, std::move(params));
  }
}

TypeSolver::Instance TypeSolver::Instantiate(const Signature& signature) {
  if (signature.params.empty()) return {signature.args, signature.result};
  std::vector<std::pair<std::string_view, TypeRef>> fresh;
  for (const std::string& name : signature.params) fresh.emplace_back(name, NewVariable());
  const auto replace = [&](auto& self, TypeRef type) -> TypeRef {
    if (IsParam(type)) {
      for (const auto& [name, variable] : fresh) {
        if (name == type->name) return variable;
      }
      return type;
    }
    if (type->params.empty()) return type;
    if (type->kind == Type::Kind::kList) return pool_.List(self(self, type->params[0]));
    if (type->kind == Type::Kind::kType) return pool_.TypeOf(self(self, type->params[0]));
    if (type->kind == Type::Kind::kMap) {
      const TypeRef key = self(self, type->params[0]);
      return pool_.Map(key, self(self, type->params[1]));
    }
    std::vector<TypeRef> params;
    for (const TypeRef param : type->params) params.push_back(self(self, param));
    return pool_.Opaque(type->name, std::move(params));
  };
  Instance instance;
  for (const TypeRef arg : signature.args) instance.args.push_back(replace(replace, arg));
  instance.result = replace(replace, signature.result);
  return instance;
}

}  // namespace kube::cel
