#include "kube/serve/body_reader.h"

#include <algorithm>
#include <charconv>

#include "kube/base/ascii.h"

namespace kube::serve {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

/// The size that the line before a chunk tells; absent: it is no such line.
std::optional<std::uint64_t> SizeIn(std::string_view line) {
  constexpr int kHexadecimal = 16;
  std::uint64_t size = 0;
  const char* const end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data(), end, size, kHexadecimal);
  const bool is_size = error == std::errc() && base::IsHexDigit(line[0]);
  const bool is_followed = rest == end || *rest == ';' || *rest == ' ' || *rest == '\t';
  if (!is_size || !is_followed) return std::nullopt;
  return size;
}

}  // namespace

BodyReader::BodyReader(std::optional<std::uint64_t> length, Limits limits)
    : limits_(limits),
      is_chunked_(!length),
      part_(length ? Part::kData : Part::kSizeLine),
      left_(length.value_or(0)) {
  if (is_chunked_) return;
  if (left_ == 0) state_ = State::kDone;
  if (left_ > limits_.body_bytes) {
    state_ = State::kTooLarge;
  } else {
    body_.reserve(static_cast<std::size_t>(left_));
  }
}

std::size_t BodyReader::Take(std::string_view bytes) {
  std::size_t done = 0;
  while (state_ == State::kMore && done < bytes.size()) {
    const std::string_view rest = bytes.substr(done);
    std::size_t taken = 0;
    if (part_ == Part::kData) {
      taken = TakeData(rest);
    } else if (part_ == Part::kEndOfChunk) {
      taken = TakeEndOfChunk(rest);
    } else {
      taken = TakeLine(rest);
    }
    if (taken == 0) break;
    done += taken;
  }
  return done;
}

std::size_t BodyReader::TakeData(std::string_view bytes) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  body_.append(bytes.substr(0, taken));
  left_ -= taken;
  if (left_ == 0 && is_chunked_) part_ = Part::kEndOfChunk;
  if (left_ == 0 && !is_chunked_) state_ = State::kDone;
  return taken;
}

std::size_t BodyReader::TakeEndOfChunk(std::string_view bytes) {
  if (!bytes.starts_with(kLineEnd.substr(0, bytes.size()))) state_ = State::kMalformed;
  if (state_ == State::kMalformed || bytes.size() < kLineEnd.size()) return 0;
  part_ = Part::kSizeLine;
  return kLineEnd.size();
}

// A line is looked at as a whole, so that it means the same in whatever pieces it comes.
std::size_t BodyReader::TakeLine(std::string_view bytes) {
  const std::string_view piece = bytes.substr(0, limits_.line_bytes);
  const std::size_t end = piece.find('\n');
  if (end == piece.npos) {
    if (piece.size() == limits_.line_bytes) state_ = State::kMalformed;
    return 0;
  }
  if (end == 0 || piece[end - 1] != '\r') {
    state_ = State::kMalformed;
    return 0;
  }
  const std::string_view line = piece.substr(0, end - 1);
  if (line.find('\r') != line.npos) {
    state_ = State::kMalformed;
    return 0;
  }
  part_ == Part::kTrailers ? EndTrailer(line) : BeginChunk(line);
  return end + 1;
}

void BodyReader::BeginChunk(std::string_view line) {
  const auto size = SizeIn(line);
  if (!size) {
    state_ = State::kMalformed;
  } else if (*size > limits_.body_bytes - body_.size()) {
    state_ = State::kTooLarge;
  } else {
    left_ = *size;
    part_ = left_ == 0 ? Part::kTrailers : Part::kData;
  }
}

void BodyReader::EndTrailer(std::string_view line) {
  trailer_bytes_ += line.size();
  if (line.empty()) state_ = State::kDone;
  if (trailer_bytes_ > limits_.line_bytes) state_ = State::kMalformed;
}

}  // namespace kube::serve
