#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kube::meta {

/// One step of a walk from the root of an object to a value in it. Steps are chained on the stack
/// of the walk, so that a path costs nothing until somebody prints it.
struct PathStep {
  enum class Kind : std::uint8_t {
    kField,  ///< a specified property
    kKey,    ///< a key of a map (additionalProperties)
    kIndex,  ///< an element of an array
  };

  const PathStep* parent;  ///< null pointer: starts at the root
  Kind kind;
  std::string_view name;  ///< of a field or key; borrowed
  std::size_t index;      ///< of an element

  static PathStep Field(const PathStep* parent, std::string_view name) {
    return {parent, Kind::kField, name, 0};
  }
  static PathStep Key(const PathStep* parent, std::string_view name) {
    return {parent, Kind::kKey, name, 0};
  }
  static PathStep Index(const PathStep* parent, std::size_t index) {
    return {parent, Kind::kIndex, {}, index};
  }
};

/// The path as apimachinery's field.Path prints it: "spec.ports[0].env[name]". The null pointer is
/// the root, which is empty.
std::string PrintPath(const PathStep* last);

/// The path with indices as [*] and keys of maps as .*, for counting: "spec.ports[*].env.*"; names
/// as AppendPathName has them.
std::string PrintFoldedPath(const PathStep* last);

/// Appends a name to a path for people: behind a dot, but for the first one, or quoted where it
/// would read as several steps, as another kind of step or, among others, as several paths, as in a
/// JSONPath: "files['a.xml']".
void AppendPathName(std::string& path, std::string_view name);
/// The same for all keys of a map.
void AppendPathOfKeys(std::string& path);

/// The path with the dot in front that shows that it is one; none before a quoted name.
std::string WithLeadingDot(std::string_view path);

}  // namespace kube::meta
