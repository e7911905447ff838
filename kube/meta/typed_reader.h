#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"

namespace kube::meta {

/// The name of a Go type, e.g. []v1.JSONSchemaProps. Views only.
struct GoType {
  GoType(const char* builtin) : name(builtin) {}  // NOLINT(google-explicit-constructor)
  /// A type of the package that is read.
  static GoType Api(std::string_view name, std::string_view prefix = "") {
    GoType type("");
    type.name = name;
    type.prefix = prefix;
    type.is_api = true;
    return type;
  }

  std::string_view name;
  std::string_view prefix;
  bool is_api = false;
};

/// Reads JSON into typed fields and words what does not fit as the API server does, which decodes
/// with encoding/json (sigs.k8s.io/json): a wrong type is noted and reading goes on, the first one
/// counts; what an UnmarshalJSON method refuses ends the reading. null leaves a field as it is.
class TypedReader {
 public:
  /// `package` is that of the Go types, "v1" or "v1beta1".
  explicit TypedReader(std::string_view package) : package_(package) {}

  struct Error {
    std::string path;     ///< where in the document, e.g. "spec.versions[0].served"
    std::string message;  ///< encoding/json's text
  };
  const std::optional<Error>& error() const { return error_; }
  /// True once nothing more needs to be read.
  bool ended() const { return ended_; }

  /// One step into the document while it lives.
  class [[nodiscard]] Step {
   public:
    /// Into the field `name` of the Go struct `type`.
    Step(TypedReader& reader, std::string_view type, std::string_view name);
    /// Into the value at `key` of a map.
    Step(TypedReader& reader, std::string_view key);
    /// Into an element of a list.
    Step(TypedReader& reader, std::size_t index);
    ~Step();
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    TypedReader& reader_;
  };

  /// Something with an UnmarshalJSON method of its own while it lives. Its errors end the reading,
  /// win over those noted before, and name the Go field that holds it, not the one inside.
  class [[nodiscard]] Unmarshaler {
   public:
    explicit Unmarshaler(TypedReader& reader);
    ~Unmarshaler();
    Unmarshaler(const Unmarshaler&) = delete;
    Unmarshaler& operator=(const Unmarshaler&) = delete;

   private:
    TypedReader& reader_;
    std::optional<Error> earlier_;
    std::size_t outer_visible_;
  };

  void Read(const json::Value& value, std::string_view& out, GoType go_type = "string");
  void Read(const json::Value& value, std::string& out, GoType go_type = "string");
  void Read(const json::Value& value, bool& out);
  void Read(const json::Value& value, std::int32_t& out);
  void Read(const json::Value& value, std::int64_t& out);
  void Read(const json::Value& value, double& out);
  /// metav1.Time, of which nothing is kept.
  void CheckTime(const json::Value& value);
  /// Lists of strings; a null element is "".
  template <typename T>
  void Read(const json::Value& value, std::vector<T>& out) {
    if (!ExpectArray(value, "[]string")) return;
    out.resize(value.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Step step(*this, i);
      Read(value.elements()[i], out[i]);
    }
  }
  /// Pointers: null, as a wrong type, leaves them empty.
  template <typename T, typename... Type>
  void Read(const json::Value& value, std::optional<T>& out, Type... go_type) {
    if (!value.is_null()) Read(value, out.emplace(), go_type...);
  }

  /// True if `value` is an object (array); false without an error if it is null.
  bool ExpectObject(const json::Value& value, GoType go_type);
  bool ExpectArray(const json::Value& value, GoType go_type);

  /// Notes that `value` is not of `go_type`.
  void NoteMismatch(const json::Value& value, GoType go_type);
  /// Refuses what an UnmarshalJSON method would.
  void Refuse(std::string message);

 private:
  enum class Kind : std::uint8_t { kField, kKey, kIndex };
  struct Place {
    Kind kind;
    std::string_view type;  // of kField: the Go struct
    std::string_view name;
    std::size_t index;
  };

  void Note(std::string_view json_type, GoType go_type);
  std::string Path() const;
  std::string Print(GoType type) const;
  template <typename T>
  void ReadInteger(const json::Value& value, T& out, GoType go_type);

  std::string_view package_;
  std::vector<Place> places_;
  // Places that messages name: those outside of the outermost Unmarshaler.
  std::size_t visible_ = SIZE_MAX;
  std::optional<Error> error_;
  bool ended_ = false;
};

}  // namespace kube::meta
