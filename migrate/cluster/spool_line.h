#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/cluster/object_metadata.h"
#include "migrate/report/object_class.h"

/// The lines of a spool: fields with tabs between, in which \, tab and line break are escaped.
/// Whatever was not written by us reads as absent.
namespace migrate::cluster {

/// What an object that was written answered.
struct ObjectAnswer {
  report::ObjectClass object_class = report::ObjectClass::kFailed;
  // Of a success:
  std::string uid{}, resource_version{};
  std::int64_t generation = 0;
  bool generation_moved = false;
  EntryState entries = EntryState::kNone;  ///< of the managedFields answered
  std::uint64_t entries_cleaned = 0;       ///< by this write
  bool are_entries_emptied = false;        ///< by this write (WereEmptied)
  // Of a failure, as in ObjectFailure:
  int code = 0;
  std::string reason{}, message{};
};

/// The end of a page: what was listed up to here may be written.
struct PageEnd {
  std::string continue_token;  ///< empty: the list is complete
  std::uint64_t checksum = 0;  ///< of all lines of the page
};

/// An answer and the number of its object in the list, from 0.
struct NumberedAnswer {
  std::uint64_t number = 0;
  ObjectAnswer answer;
};

// With their line breaks.
std::string ObjectLine(const ListedObject& object);
std::string PageEndLine(const PageEnd& end);
std::string AnswerLine(std::uint64_t number, const ObjectAnswer& answer);

// Without their line breaks.
std::optional<ListedObject> ReadObjectLine(std::string_view line);
std::optional<PageEnd> ReadPageEndLine(std::string_view line);
std::optional<NumberedAnswer> ReadAnswerLine(std::string_view line);

/// The checksum of a text that goes on from one with the checksum `before` (FNV-1a).
inline constexpr std::uint64_t kEmptyChecksum = 0xcbf29ce484222325;
std::uint64_t Checksum(std::string_view text, std::uint64_t before = kEmptyChecksum);

}  // namespace migrate::cluster
