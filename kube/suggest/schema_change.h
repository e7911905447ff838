#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/crd/rule_places.h"
#include "kube/json/json.h"

namespace kube::suggest {

/// A schema in a CRD, and the values that it is for.
struct SchemaPlace {
  std::string path;     ///< of the values, as the tables of check fold it; empty: the whole object
  std::string pointer;  ///< of the schema in the CRD (RFC 6901)

  SchemaPlace Property(std::string_view name) const;
  SchemaPlace Elements() const;
  SchemaPlace Values() const;
  /// Another schema for the same values, e.g. "anyOf" and its index.
  SchemaPlace Inside(std::string_view keyword) const;
  SchemaPlace Inside(std::string_view keyword, std::size_t index) const;
};

/// The schema that `steps` lead to, of the version with this index in spec.versions.
SchemaPlace PlaceOf(const std::vector<crd::ValueStep>& steps, std::size_t version);

/// What a suggestion does to a schema, or leaves to a person.
struct SchemaChange {
  enum class Kind : std::uint8_t {
    kAdded,  ///< what objects hold is specified
    kFixed,  ///< what the server would find fault with is said otherwise
    kLeft,   ///< it takes somebody who knows what is meant
  };

  Kind kind;
  std::string version;        ///< empty: the whole CRD is meant
  SchemaPlace place;          ///< what was added, or where the fault was
  std::string text;           ///< e.g. "string, integer", "type: object"
  std::uint64_t objects = 0;  ///< of kAdded: that hold it
};

/// Changes the schema of one version and keeps account of it.
class SchemaEditor {
 public:
  /// `arena` takes what is added to the CRD.
  SchemaEditor(std::string version, json::Arena& arena)
      : version_(std::move(version)), arena_(arena) {}

  json::Arena& arena() { return arena_; }
  void Set(json::Value& schema, std::string_view keyword, json::Value value) {
    schema.Set(keyword, value, arena_);
  }
  void SetTrue(json::Value& schema, std::string_view keyword) {
    Set(schema, keyword, json::Value::Bool(true));
  }
  void SetText(json::Value& schema, std::string_view keyword, std::string_view text) {
    Set(schema, keyword, json::Value::String(arena_.Copy(text)));
  }

  void Added(const SchemaPlace& place, std::string text, std::uint64_t objects);
  /// The same said of one place again is kept once.
  void Fixed(const SchemaPlace& place, std::string text);
  void Left(const SchemaPlace& place, std::string text);

  std::vector<SchemaChange> TakeChanges() { return std::move(changes_); }

 private:
  void Add(SchemaChange::Kind kind, const SchemaPlace& place, std::string text);

  std::string version_;
  json::Arena& arena_;
  std::vector<SchemaChange> changes_;
  std::set<std::string> said_;
};

// Keywords that are asked for often.
inline constexpr std::string_view kPreserveUnknown = "x-kubernetes-preserve-unknown-fields";
inline constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
inline constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";

inline bool IsTrue(const json::Value& schema, std::string_view keyword) {
  return schema.At(keyword).is_true();
}

/// The schema at `keyword`; null pointer where there is none.
inline json::Value* SchemaAt(json::Value& schema, std::string_view keyword) {
  json::Value* value = schema.Find(keyword);
  return value != nullptr && value->is_object() ? value : nullptr;
}

/// The same for a list of schemas.
inline json::Value* ListAt(json::Value& schema, std::string_view keyword) {
  json::Value* value = schema.Find(keyword);
  return value != nullptr && value->is_array() ? value : nullptr;
}

/// The value at `pointer` (RFC 6901); null pointer where there is none.
const json::Value* FindByPointer(const json::Value& root, std::string_view pointer);

}  // namespace kube::suggest
