#include "migrate/cluster/line_reader.h"

#include <algorithm>

namespace migrate::cluster {

std::optional<std::string_view> LineReader::Next(std::uint64_t end) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t start = static_cast<std::size_t>(next_ - buffer_offset_);
    const std::size_t line_break = buffer_.find('\n', start + searched);
    if (line_break != buffer_.npos) {
      next_ = buffer_offset_ + line_break + 1;
      return std::string_view(buffer_).substr(start, line_break - start);
    }
    searched = buffer_.size() - start;
    const std::uint64_t filled = buffer_offset_ + buffer_.size();
    if (searched > kMaxLine || filled >= end) return std::nullopt;
    buffer_.erase(0, start);
    buffer_offset_ = next_;
    const std::size_t kept = buffer_.size();
    buffer_.resize(kept + static_cast<std::size_t>(std::min<std::uint64_t>(piece_, end - filled)));
    const std::size_t got = file_->ReadAt(filled, buffer_.data() + kept, buffer_.size() - kept);
    buffer_.resize(kept + got);
    if (got == 0) return std::nullopt;
  }
}

}  // namespace migrate::cluster
