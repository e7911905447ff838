#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/base/release.h"
#include "kube/base/result.h"
#include "kube/cel/ast.h"
#include "kube/cel/cost.h"
#include "kube/cel/function.h"
#include "kube/cel/schema_type.h"
#include "kube/cel/source.h"
#include "kube/cel/type.h"

namespace kube::cel {

/// An overload with its types read.
struct Signature {
  const Overload* overload = nullptr;
  std::vector<TypeRef> args;
  TypeRef result = nullptr;
  std::vector<std::string> params;  ///< the names of its type parameters
};

struct Function {
  std::string_view name;
  std::vector<Signature> signatures;
};

/// The functions that a release has.
class FunctionTable {
 public:
  explicit FunctionTable(base::Release release);
  /// Null where there is none of this name.
  const Function* Find(std::string_view name) const;

 private:
  TypePool types_;
  std::unordered_map<std::string_view, Function> functions_;
};

/// A variable that expressions may name.
struct Variable {
  std::string name;
  TypeRef type = nullptr;
};

/// A message of protobuf, or an object of a schema: what its name and its fields stand for.
struct MessageType {
  TypeRef type = nullptr;
  std::map<std::string, TypeRef, std::less<>> fields;
};

/// What an expression is compiled against.
class Environment {
 public:
  /// The functions of new rules of `release`; none but those and the types of protobuf. The server
  /// compiles new rules by the release before its own, and stored ones by its own.
  explicit Environment(base::Release release);

  base::Release release() const { return release_; }
  const FunctionTable& functions() const { return *functions_; }

  /// Declares a variable. `type` must outlive the environment.
  void AddVariable(std::string name, TypeRef type);
  /// Makes the objects of a schema known by `name` and the way to them: "selfType",
  /// "selfType.spec.items.@idx", "selfType.labels.@elem". Returns the type of its values; what is
  /// nested too deep for a type is dyn. `schema` must outlive this.
  TypeRef AddSchema(const SchemaType& schema, const std::string& name);

  const std::vector<Variable>& variables() const { return variables_; }
  /// The index of a variable; negative where there is none.
  int FindVariable(std::string_view name) const;
  /// The type that a name stands for: "int", "google.protobuf.Duration"; null where it is none.
  TypeRef FindTypeName(std::string_view name) const;
  /// Null where there is none of this name. Throws TypesTooLarge. Not for several threads at once:
  /// the fields of an object of a schema get their types when it is first asked for.
  const MessageType* FindMessage(std::string_view name) const;

 private:
  /// An object of a schema, with no fields before somebody asks for them.
  struct Object {
    const SchemaType* schema = nullptr;
    MessageType message;
    bool has_fields = false;
  };

  TypeRef Declare(const SchemaType& schema, const std::string& name) const;
  void DeclareFields(const std::string& name, Object& object) const;

  base::Release release_;
  std::shared_ptr<const FunctionTable> functions_;
  std::vector<Variable> variables_;
  mutable std::map<std::string, Object, std::less<>> objects_;
  std::unique_ptr<TypePool> types_ = std::make_unique<TypePool>();
};

}  // namespace kube::cel
