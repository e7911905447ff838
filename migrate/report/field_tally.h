#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/json/json.h"
#include "migrate/report/check_report.h"

namespace migrate::report {

/// Where something was read. Compares in the order of reading, which does not depend on threads.
struct Place {
  std::size_t file = 0;  ///< number of the file; 0 for live objects
  std::uint64_t offset =
      0;  ///< of the document in the file, in bytes; a running number for live ones
  std::uint64_t item = 0;  ///< number of the object within a document that is a list

  auto operator<=>(const Place&) const = default;
};

/// The object that is counted: its name and its place among all that were read.
struct CountedObject {
  Place place;                 ///< decides which comes first
  std::string_view full_name;  ///< "namespace/name", or the name alone
};

/// What the type of a value would be in a schema.
enum class FieldType : std::uint8_t {
  kArray,
  kBoolean,
  kInteger,  ///< a number of which the server takes the value for an integer (1.0, too)
  kNull,
  kNumber,
  kObject,
  kString,
};

FieldType FieldTypeOf(const kube::json::Value& value);

/// Counts in how many objects a path occurs, folded to [*] and .*; who writes it; examples.
///
/// One tally may be filled by each thread and all be merged: the result is the same in any order.
class FieldTally {
 public:
  /// Counts `path` in `object`, once however often it is called for the same object.
  void Add(std::string_view path, const CountedObject& object);
  /// The same, for a field with a value; `managers` and `last_written` may be empty.
  void Add(std::string_view path, const CountedObject& object, FieldType type,
           const std::vector<std::string_view>& managers, std::string_view last_written);
  void Merge(const FieldTally& other);

  bool empty() const { return counts_.empty(); }
  /// Sorted by path, bytewise.
  std::vector<FieldUse> Report() const;

 private:
  struct Example {
    Place place;
    std::string name;
  };
  struct Count {
    std::uint64_t objects = 0;
    Place last_place;    // of the object counted last
    unsigned types = 0;  // a bit for each FieldType
    std::set<std::string, std::less<>> managers;
    std::string last_written;
    std::vector<Example> examples;  // by place
  };

  static void KeepFirst(std::vector<Example>& examples);
  Count& CountObject(std::string_view path, const CountedObject& object);

  std::map<std::string, Count, std::less<>> counts_;
};

/// Counts texts about objects, and keeps the first ones: as many as a person reads.
///
/// One may be filled by each thread and all be merged: the result is the same in any order.
class FirstTexts {
 public:
  void Add(const Place& place, std::string text);
  void Merge(FirstTexts&& other);

  /// Of all that were added.
  std::uint64_t count() const { return count_; }
  /// The first twenty by place.
  std::vector<std::string> Texts() const;

 private:
  void DropLast();

  std::uint64_t count_ = 0;
  std::vector<std::pair<Place, std::string>> kept_;
};

/// Something that the server would say of an object at its next write.
struct InvalidFinding {
  std::string path;     ///< as that of an InvalidUse
  std::string words;    ///< what is alike in messages that say the same of the path
  std::string message;  ///< the server's whole string
  bool since_proposal = false, tolerated = false;
  std::string from_release{};  ///< as that of an InvalidUse
  std::vector<std::string_view> managers{};
};

/// Counts in how many objects the server finds the same thing wrong, by path and words.
///
/// One tally may be filled by each thread and all be merged: the result is the same in any order.
class InvalidTally {
 public:
  /// `finding` is of `object`.
  void Add(const InvalidFinding& finding, const CountedObject& object);
  /// One more object that the server would refuse.
  void CountRefused() { ++refused_; }
  void Merge(const InvalidTally& other);

  ValidityReport Report() const;

 private:
  struct First {
    Place place;  // of the object that the message is of
    std::string message, path;
    bool since_proposal, tolerated;
    std::string from_release;
  };

  std::uint64_t refused_ = 0;
  FieldTally uses_;                     // by the same keys as:
  std::map<std::string, First> first_;  // path, words and flags
};

}  // namespace migrate::report
