#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "kube/json/json.h"

namespace kube::suggest {

/// The types that a schema may tell apart, one bit each.
enum ObservedType : unsigned {
  kArray = 1,
  kBoolean = 2,
  kInteger = 4,  ///< a number of which the server takes the value for an integer (1.0, too)
  kNull = 8,
  kNumber = 16,
  kObject = 32,
  kString = 64,
};

/// What was seen at one place of objects: all elements of a list count as one place.
///
/// Names of fields are kept, values never.
struct ObservedShape {
  std::uint64_t objects = 0;  ///< that have something at the place; 0: not known, see ValuesOf
  std::uint64_t values = 0;   ///< in all of them
  unsigned types = 0;         ///< ObservedType
  bool are_resources = true;  ///< each object seen here has apiVersion, kind and metadata
  /// And the server takes it as an embedded resource, without a change.
  bool are_embeddable = true;
  bool is_cut = false;  ///< there was more below than is kept: too deep, or too many places
  std::map<std::string, std::unique_ptr<ObservedShape>, std::less<>> fields{};
  std::unique_ptr<ObservedShape> elements{};  ///< of arrays; null pointer where all were empty
  /// Values of keys beyond the first kMostKeys; null pointer where there are not so many.
  std::unique_ptr<ObservedShape> other_values{};
  std::uint64_t last_object = 0;  ///< the number of the one that was counted last

  /// What is at a key of an object; null pointer where nothing was seen.
  const ObservedShape* Field(std::string_view name) const;
};

/// The most keys of one place that are told apart.
inline constexpr std::size_t kMostKeys = 256;

/// What all objects of a CRD look like. The number of places that are kept is bounded, whatever the
/// objects are.
class Observations {
 public:
  /// Adds one more object.
  void Add(const json::Value& object);
  /// Adds those of another thread.
  void Merge(Observations&& other);

  std::uint64_t objects() const { return root_.objects; }
  const ObservedShape& root() const { return root_; }

 private:
  ObservedShape root_;
  std::size_t places_ = 1;
};

/// What is seen at both places, as if they were one; `into` takes it.
void MergeShape(ObservedShape& into, const ObservedShape& from);

}  // namespace kube::suggest
