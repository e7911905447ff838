#include "kube/cel/type.h"

#include <algorithm>
#include <array>

namespace kube::cel {
namespace {

using TypeKind = Type::Kind;

struct NamedType {
  std::string_view written;  // in tables
  TypeKind kind;
  std::string_view name;
};

constexpr NamedType kSimpleTypes[] = {
    {"error", TypeKind::kError, "error"},
    {"dyn", TypeKind::kDyn, "dyn"},
    {"any", TypeKind::kAny, "google.protobuf.Any"},
    {"null", TypeKind::kNull, "null_type"},
    {"bool", TypeKind::kBool, "bool"},
    {"int", TypeKind::kInt, "int"},
    {"uint", TypeKind::kUint, "uint"},
    {"double", TypeKind::kDouble, "double"},
    {"string", TypeKind::kString, "string"},
    {"bytes", TypeKind::kBytes, "bytes"},
    {"duration", TypeKind::kDuration, "google.protobuf.Duration"},
    {"timestamp", TypeKind::kTimestamp, "google.protobuf.Timestamp"},
    {"type", TypeKind::kType, "type"},
};

// The server declares these as objects, the types of net as opaque.
constexpr std::string_view kStructPrefix = "kubernetes.";

TypeRef Simple(TypeKind kind) {
  static const auto kTypes = [] {
    std::array<Type, static_cast<std::size_t>(TypeKind::kStruct) + 1> all;
    for (const NamedType& simple : kSimpleTypes) {
      Type& type = all[static_cast<std::size_t>(simple.kind)];
      type.kind = simple.kind;
      type.name = simple.name;
    }
    return all;
  }();
  return &kTypes[static_cast<std::size_t>(kind)];
}

bool SameParams(TypeRef a, TypeRef b, bool (*same)(TypeRef, TypeRef)) {
  return std::equal(a->params.begin(), a->params.end(), b->params.begin(), b->params.end(), same);
}

bool IsDynOrParam(TypeRef type) { return IsDyn(type) || type->kind == TypeKind::kTypeParam; }

std::string WithParams(std::string name, TypeRef type, std::string (*print)(TypeRef)) {
  if (type->params.empty()) return name;
  name += '(';
  for (const TypeRef& param : type->params) {
    if (&param != type->params.data()) name += ", ";
    name += print(param);
  }
  return name += ')';
}

std::string DeclaredName(TypeRef type) {
  return type->is_nullable ? "wrapper(" + type->name + ")" : type->name;
}

}  // namespace

namespace types {
TypeRef Error() { return Simple(TypeKind::kError); }
TypeRef Dyn() { return Simple(TypeKind::kDyn); }
TypeRef Any() { return Simple(TypeKind::kAny); }
TypeRef Null() { return Simple(TypeKind::kNull); }
TypeRef Bool() { return Simple(TypeKind::kBool); }
TypeRef Int() { return Simple(TypeKind::kInt); }
TypeRef Uint() { return Simple(TypeKind::kUint); }
TypeRef Double() { return Simple(TypeKind::kDouble); }
TypeRef String() { return Simple(TypeKind::kString); }
TypeRef Bytes() { return Simple(TypeKind::kBytes); }
TypeRef Duration() { return Simple(TypeKind::kDuration); }
TypeRef Timestamp() { return Simple(TypeKind::kTimestamp); }
TypeRef TypeType() { return Simple(TypeKind::kType); }
}  // namespace types

TypeRef TypePool::Add(Type type) {
  type.size = 1;
  for (const TypeRef param : type.params) type.size += param->size;
  if (type.size > kLargestType || types_.size() >= kMostTypes) throw TypesTooLarge();
  return &types_.emplace_back(std::move(type));
}

TypeRef TypePool::List(TypeRef element) { return Add({TypeKind::kList, false, "list", {element}}); }
TypeRef TypePool::Map(TypeRef key, TypeRef value) {
  return Add({TypeKind::kMap, false, "map", {key, value}});
}
TypeRef TypePool::Optional(TypeRef value) { return Opaque("optional_type", {value}); }
TypeRef TypePool::TypeOf(TypeRef type) { return Add({TypeKind::kType, false, "type", {type}}); }
TypeRef TypePool::Param(std::string name) {
  return Add({TypeKind::kTypeParam, false, std::move(name), {}});
}
TypeRef TypePool::Opaque(std::string name, std::vector<TypeRef> params) {
  return Add({TypeKind::kOpaque, false, std::move(name), std::move(params)});
}
TypeRef TypePool::Struct(std::string name) {
  return Add({TypeKind::kStruct, false, std::move(name), {}});
}
TypeRef TypePool::Nullable(TypeRef wrapped) {
  Type type = *wrapped;
  type.is_nullable = true;
  return Add(std::move(type));
}

TypeRef TypePool::Parse(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  if (open == std::string_view::npos) {
    for (const NamedType& simple : kSimpleTypes) {
      if (simple.written == name) return Simple(simple.kind);
    }
    if (name.size() == 1) return Param(std::string(name));
    return name.starts_with(kStructPrefix) ? Struct(std::string(name)) : Opaque(std::string(name));
  }
  std::vector<TypeRef> params;
  std::size_t start = open + 1;
  int depth = 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    const bool ends = depth == 0 && (text[i] == ',' || text[i] == ')');
    if (text[i] == ')') --depth;
    if (!ends) continue;
    params.push_back(Parse(text.substr(start, i - start)));
    start = i + 1;
    while (start < text.size() && text[start] == ' ') ++start;
  }
  if (name == "list") return List(params[0]);
  if (name == "map") return Map(params[0], params[1]);
  if (name == "type") return TypeOf(params[0]);
  return Opaque(name == "optional" ? "optional_type" : std::string(name), std::move(params));
}

bool IsDyn(TypeRef type) { return type->kind == TypeKind::kDyn || type->kind == TypeKind::kAny; }

bool IsOptional(TypeRef type) {
  return type->kind == TypeKind::kOpaque && type->name == "optional_type";
}

TypeRef UnwrapOptional(TypeRef type) { return IsOptional(type) ? type->params[0] : type; }

bool IsExactType(TypeRef a, TypeRef b) {
  if (a == b) return true;
  return a->kind == b->kind && a->name == b->name && SameParams(a, b, IsExactType);
}

bool IsEquivalentType(TypeRef a, TypeRef b) {
  if (a == b) return true;
  return a->kind == b->kind && (a->kind == TypeKind::kTypeParam || a->name == b->name) &&
         SameParams(a, b, IsEquivalentType);
}

bool IsAssignable(TypeRef to, TypeRef from) {
  if (to == from || IsDynOrParam(to)) return true;
  if (to->is_nullable && from->kind == TypeKind::kNull) return true;
  return to->kind == from->kind && to->name == from->name && SameParams(to, from, IsAssignable);
}

std::string FormatType(TypeRef type) {
  switch (type->kind) {
    case TypeKind::kAny:
      return "any";
    case TypeKind::kDuration:
      return "duration";
    case TypeKind::kTimestamp:
      return "timestamp";
    case TypeKind::kError:
      return "!error!";
    case TypeKind::kNull:
      return "null";
    default:
      return WithParams(type->params.empty() ? DeclaredName(type) : type->name, type, FormatType);
  }
}

std::string PrintType(TypeRef type) {
  if (type->kind == TypeKind::kTypeParam) return "<" + type->name + ">";
  return WithParams(DeclaredName(type), type, PrintType);
}

}  // namespace kube::cel
