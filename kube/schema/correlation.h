#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "kube/json/json.h"
#include "kube/json/member_index.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// Which values of an object are, for a server that ratchets (KEP-4008), those of the object as it
/// was before an update, and whether they changed: CorrelatedObject of k8s.io/apiserver
/// pkg/cel/common/equality.go.
///
/// Holds on to addresses of values: only for one pass over one object that does not change.
class Correlation {
 public:
  /// The value that the member `key` of `object` had in `old`. Null pointer where it was not there,
  /// or where `schema`, that of `object`, does not specify it.
  const json::Value* OldMember(const json::Value& old, std::string_view key,
                               const SchemaProps& schema);
  /// The element of `old` that has the keys of `element`. Null pointer where there is none, and for
  /// all lists but those of x-kubernetes-list-type map.
  const json::Value* OldElement(const json::Value& old, const json::Value& element,
                                const SchemaProps& schema);

  /// Whether `value` is what it was: as reflect.DeepEqual, but elements of a map list may have
  /// changed their places, and an object with a field that `schema` does not specify never is.
  bool IsUnchanged(const json::Value& value, const json::Value& old, const SchemaProps& schema);

 private:
  bool Compare(const json::Value& value, const json::Value& old, const SchemaProps& schema);
  bool CompareLists(const json::Value& value, const json::Value& old, const SchemaProps& schema);
  bool CompareObjects(const json::Value& value, const json::Value& old, const SchemaProps& schema);

  using Elements = std::unordered_map<std::string, const json::Value*>;
  const Elements& ElementsOf(const json::Value& old, const SchemaProps& schema);

  json::MemberIndex old_members_;
  std::unordered_map<const json::Value*, bool> known_;
  std::unordered_map<const json::Value*, Elements> elements_;  // of lists, by their keys
};

}  // namespace kube::schema
