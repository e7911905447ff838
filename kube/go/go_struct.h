#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"

/// What remains of a JSON value that goes through a Go struct and is printed again.
namespace kube::go {

/// The kinds of Go fields that metav1.ObjectMeta is made of.
enum class GoKind {
  kString,
  kInt64,         ///< left out where it is 0
  kInt64Pointer,  ///< left out where it is nil only, as all pointers
  kBoolPointer,
  kTime,         ///< metav1.Time; left out where it is zero
  kTimePointer,  ///< *metav1.Time; printed as null where it points to the zero time
  kRawJson,      ///< *metav1.FieldsV1: any JSON but null
  kStringMap,    ///< map[string]string, left out where it is empty
  kStringList,   ///< []string, left out where it is empty
  kStructList,   ///< a list of structs, left out where it is empty
};

struct GoStruct;

struct GoField {
  std::string_view name;
  GoKind kind;
  std::string_view type;               ///< as Go prints it in errors, e.g. "types.UID"
  bool always_printed = false;         ///< of a string: also where it is empty
  const GoStruct* elements = nullptr;  ///< of kStructList
};

struct GoStruct {
  std::string_view name;            ///< e.g. "ObjectMeta"
  std::string_view type;            ///< e.g. "v1.ObjectMeta"
  std::span<const GoField> fields;  ///< sorted by name
};

struct GoRoundTrip {
  /// The object that Go prints, keys sorted. Lives in the arena and borrows text from the input.
  json::Value value;
  /// Go's error, if the value did not fit. Then the rest has no meaning.
  std::optional<std::string> error;
  /// Where fields were that the struct does not know, e.g. "ownerReferences[0].foo". As Go, no more
  /// than the first 100.
  std::vector<std::string> unknown_fields;
};

/// Decodes `value` into `type` as sigs.k8s.io/json does (strictly; keys count in their exact case)
/// and prints it again as runtime.DefaultUnstructuredConverter does. null is the empty struct.
///
/// The error is the first that Go meets when it reads the keys in their bytewise order, as they are
/// in the JSON that apimachinery makes of a map. A time that cannot be read ends the decoding and
/// so wins over a wrong type before it.
GoRoundTrip RoundTrip(const json::Value& value, const GoStruct& type, json::Arena& arena);

}  // namespace kube::go
