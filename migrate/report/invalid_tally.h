#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/report/check_report.h"
#include "migrate/report/field_tally.h"

namespace migrate::report {

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
