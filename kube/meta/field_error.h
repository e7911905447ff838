#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Errors at a path, in the words of k8s.io/apimachinery/pkg/util/validation/field.
namespace kube::meta {

enum class ErrorType {
  kRequired,      ///< "Required value"
  kInvalid,       ///< "Invalid value", with the value
  kTypeInvalid,   ///< the same, of a value of a wrong type or format
  kForbidden,     ///< "Forbidden"
  kNotSupported,  ///< "Unsupported value", with the value and the supported ones
  kDuplicate,     ///< "Duplicate value", with the value
  kTooLong,       ///< "Too long"
  kTooMany,       ///< "Too many", with how many there are
  kInternal,      ///< "Internal error"
};

/// One finding, e.g. `spec.type: Required value: must not be empty at the root`.
struct FieldError {
  ErrorType type;
  std::string field;  ///< the path, e.g. "properties[spec].type"
  std::string
      bad_value;       ///< as Go prints it (strings quoted by %q); empty where the type prints none
  std::string detail;  ///< may be empty
  bool omits_value = false;  ///< prints none although its type does (field.OmitValueType)

  /// The whole string as the API server prints it.
  std::string ToString() const;
};

/// "path.name", or just "name" where the path is empty (Go's nil *field.Path).
std::string Child(std::string_view path, std::string_view name);
/// "path[index]".
std::string Index(std::string_view path, std::size_t index);
/// "path[key]", unquoted and unescaped.
std::string Key(std::string_view path, std::string_view key);

/// Sorts by the whole string, bytewise.
void SortByString(std::vector<FieldError>& errors);
/// The strings of `errors`, sorted bytewise.
std::vector<std::string> SortedStrings(const std::vector<FieldError>& errors);
/// Several messages as one, as an aggregate of apimachinery prints: duplicates removed, one alone
/// bare, more as "[a, b]".
std::string Aggregate(const std::vector<std::string>& messages);

}  // namespace kube::meta
