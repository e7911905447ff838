#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/json/json.h"

/// apiVersion and kind of an object, as apimachinery reads them.
namespace kube::meta {

/// Whether every resource has a member `key`, whatever its schema: pruning leaves it with all that
/// is in it.
inline bool IsTypeMetaOrMetadata(std::string_view key) {
  return key == "apiVersion" || key == "kind" || key == "metadata";
}

/// The two parts of an apiVersion; both borrow from it.
struct GroupVersion {
  std::string_view group;
  std::string_view version;

  bool operator==(const GroupVersion&) const = default;
  /// "group/version", or just the version of the group without a name.
  std::string ToString() const;
};

/// Splits an apiVersion. The error is the server's: "unexpected GroupVersion string: a/b/c".
base::Result<GroupVersion, std::string> ParseGroupVersion(std::string_view api_version);

struct GroupVersionKind {
  GroupVersion group_version;
  std::string_view kind;

  /// "group/version, Kind=kind", as apimachinery prints it.
  std::string ToString() const;
};

/// What Unstructured says of itself: empty where apiVersion or kind is absent or no string, and
/// wholly empty where apiVersion has more than one slash. Borrows from `object`.
GroupVersionKind TypeOf(const json::Value& object);

/// Absent where the JSON serializer takes the apiVersion and kind of a request body, else its
/// error, e.g. "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go
/// struct field .kind of type string". Absent fields are no error here.
std::optional<std::string> RequestTypeError(const json::Value& body);

/// The string at `key`; absent where there is none. The error is that of unstructured.NestedString,
/// e.g. ".apiVersion accessor error: 5 is of the type int64, expected string".
base::Result<std::optional<std::string_view>, std::string> NestedString(const json::Value& object,
                                                                        std::string_view key);

}  // namespace kube::meta
