#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/cluster/state_file.h"

namespace migrate::cluster {

/// Reads the lines of a file in turn, from `offset` on, `piece` bytes at a time.
class LineReader {
 public:
  /// Longer ones are none of ours.
  static constexpr std::size_t kMaxLine = 1024 * 1024;

  /// `file` must outlive it.
  explicit LineReader(const StateFile& file, std::uint64_t offset = 0,
                      std::size_t piece = 64 * 1024)
      : file_(&file), piece_(piece), buffer_offset_(offset), next_(offset) {}

  /// The next line without its line break, which lives until the next call. Absent where no whole
  /// line is left before `end`, or it is too long; with a later `end` there may be more.
  std::optional<std::string_view> Next(std::uint64_t end);
  /// Where the line starts that is read next.
  std::uint64_t next_offset() const { return next_; }

 private:
  const StateFile* file_;
  std::size_t piece_;
  std::string buffer_;
  std::uint64_t buffer_offset_;  // of the buffer in the file
  std::uint64_t next_;
};

}  // namespace migrate::cluster
