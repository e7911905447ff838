#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kube::cel {

struct Type;
using TypeRef = const Type*;

/// What an expression can be, as the checker of cel-go sees it (common/types/types.go). A Type
/// lives in a TypePool, or for ever where a function of this file returns it.
struct Type {
  enum class Kind : std::uint8_t {
    kError,
    kDyn,
    kAny,
    kNull,
    kBool,
    kInt,
    kUint,
    kDouble,
    kString,
    kBytes,
    kDuration,
    kTimestamp,
    kList,       ///< of params[0]
    kMap,        ///< from params[0] to params[1]
    kType,       ///< of params[0], if there is one
    kTypeParam,  ///< a name that stands for any type
    kOpaque,     ///< known by its name: optional_type, net.IP
    kStruct,     ///< an object with fields, known by its name
  };

  Kind kind = Kind::kDyn;
  bool is_nullable = false;  ///< a wrapper of protobuf: null is one of its values
  std::string name;          ///< without parameters
  std::vector<TypeRef> params;
  std::uint32_t size = 1;  ///< how many types it is printed as, with itself
};

/// Thrown where the types of an expression become too large or too many. Parameters are shared: a
/// short expression may have a type that nobody could print.
struct TypesTooLarge {};

namespace types {
TypeRef Error();
TypeRef Dyn();
TypeRef Any();
TypeRef Null();
TypeRef Bool();
TypeRef Int();
TypeRef Uint();
TypeRef Double();
TypeRef String();
TypeRef Bytes();
TypeRef Duration();
TypeRef Timestamp();
TypeRef TypeType();  ///< the type of types, without a parameter
}  // namespace types

/// The memory of types with parameters. All that make a type throw TypesTooLarge.
class TypePool {
 public:
  static constexpr std::uint32_t kLargestType = 1000;
  static constexpr std::size_t kMostTypes = 500000;

  TypeRef List(TypeRef element);
  TypeRef Map(TypeRef key, TypeRef value);
  TypeRef Optional(TypeRef value);
  TypeRef TypeOf(TypeRef type);
  TypeRef Param(std::string name);
  TypeRef Opaque(std::string name, std::vector<TypeRef> params = {});
  TypeRef Struct(std::string name);
  TypeRef Nullable(TypeRef wrapped);
  /// A type as tables write it: "int", "list(T)", "map(K, V)", "optional(T)", "type(T)", "net.IP".
  /// A capital letter alone is a parameter. Names that begin with "kubernetes." are objects, others
  /// opaque.
  TypeRef Parse(std::string_view text);

 private:
  TypeRef Add(Type type);

  std::deque<Type> types_;
};

bool IsDyn(TypeRef type);  ///< dyn or any
bool IsOptional(TypeRef type);
/// The type without its optional; the same where it is none.
TypeRef UnwrapOptional(TypeRef type);
/// True if both are the same type to the last parameter.
bool IsExactType(TypeRef a, TypeRef b);
/// The same, but parameters are equal whatever they are called.
bool IsEquivalentType(TypeRef a, TypeRef b);
/// True if a value of `from` is one of `to`; what is dyn takes all.
bool IsAssignable(TypeRef to, TypeRef from);

/// The type in errors of the checker, e.g. "list(duration)", "wrapper(int)", "null".
std::string FormatType(TypeRef type);
/// The type as its runtime name, e.g. "list(google.protobuf.Duration)", "null_type".
std::string PrintType(TypeRef type);

}  // namespace kube::cel
