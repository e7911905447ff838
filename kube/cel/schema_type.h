#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/cel/type.h"
#include "kube/cel/value.h"

namespace kube::cel {

struct SchemaType;

/// A field of an object.
struct SchemaField {
  std::string key;   ///< as it stands in the object
  std::string name;  ///< as expressions write it (Escape); empty: they cannot
  const SchemaType* type = nullptr;
};

/// What a schema says of a value: how expressions read it (UnstructuredToVal of apiserver
/// pkg/cel/common/valuesunstructured.go), and what the checker and the estimate know of it
/// (DeclType of apiserver pkg/cel). Whoever makes the tree owns it; the types of one tree outlive
/// it together.
struct SchemaType {
  enum class Kind : std::uint8_t {
    kInvalid,      ///< of no type that can be read
    kPreserved,    ///< of no type, with x-kubernetes-preserve-unknown-fields: can be compared
    kIntOrString,  ///< dyn
    kBool,
    kInt,
    kDouble,
    kString,
    kBytes,     ///< base64
    kDate,      ///< a timestamp
    kDateTime,  ///< a timestamp
    kDuration,  ///< as Go or strfmt write them
    kList,      ///< of `element`
    kSet,       ///< a list without order
    kListMap,   ///< a list whose elements are known by `map_keys`
    kMap,       ///< from strings to `element`; null: nothing can be found in it
    kObject,    ///< `fields`
  };

  Kind kind = Kind::kInvalid;
  bool is_nullable = false;
  /// Expressions may name it. What is not declared is there only where whole objects are compared.
  bool is_declared = false;
  const SchemaType* element = nullptr;
  std::vector<SchemaField> fields;  ///< sorted by key
  std::vector<std::string> map_keys;
  std::string type_name;  ///< the schema's own word for its type, for errors
  /// The most elements, entries, characters or bytes; of what has no limit, what a request can
  /// hold; 0 of what has no size.
  std::int64_t max_size = 0;
  std::int64_t min_serialized_size = 0;  ///< in bytes of JSON

  bool is_list() const {
    return kind == Kind::kList || kind == Kind::kSet || kind == Kind::kListMap;
  }
  /// Null where there is none.
  const SchemaField* FindKey(std::string_view key) const;
  /// The same by the name that expressions write.
  const SchemaField* FindName(std::string_view name) const;
};

/// The name by which expressions write a field; absent where they cannot, e.g. "a b" (apiserver
/// pkg/cel/escaping.go): "a.b" is a__dot__b, "in" is __in__.
std::optional<std::string> Escape(std::string_view key);
/// What a name stands for; absent where it has an unknown escape.
std::optional<std::string> Unescape(std::string_view name);
/// True for the words of CEL that no field may have as its name.
bool IsReservedWord(std::string_view word);

/// The value as expressions see it. Reads in place; `schema` null: by what it is. What does not fit
/// its schema is an error value with the server's text.
Value ReadJson(Memory& memory, const json::Value& json, const SchemaType* schema);

/// What becomes of a value that is added to a list which is read by a schema: it is read, too, but
/// is no JSON any more, so that the server has errors for times, durations, bytes, and lists and
/// maps that an expression made. `schema` null: it stays as it is.
Value ReadAgain(Memory& memory, const Value& value, const SchemaType* schema);

}  // namespace kube::cel
