#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kube::serve {

/// Reads the body of one request from bytes as they arrive: by its length, or chunked (RFC 9112,
/// 7.1). Extensions of chunks, and trailers, are passed over.
class BodyReader {
 public:
  enum class State { kMore, kDone, kTooLarge, kMalformed };
  struct Limits {
    std::size_t body_bytes;
    std::size_t line_bytes;  ///< of the line before a chunk; of all trailers
  };

  /// Without a `length` it is chunked.
  BodyReader(std::optional<std::uint64_t> length, Limits limits);

  /// Returns how many of the bytes are done with. The others belong to what comes behind the body,
  /// or have to be given again with more behind them.
  std::size_t Take(std::string_view bytes);

  State state() const { return state_; }
  /// How much memory it will take; where it is chunked, as far as has been said of its bytes. One
  /// that is chunked is moved as it grows, into twice as much.
  std::uint64_t expected_memory() const { return (body_.size() + left_) * (is_chunked_ ? 3 : 1); }
  /// What of it is here.
  std::string& body() { return body_; }
  const std::string& body() const { return body_; }

 private:
  enum class Part { kData, kSizeLine, kEndOfChunk, kTrailers };

  std::size_t TakeData(std::string_view bytes);
  std::size_t TakeEndOfChunk(std::string_view bytes);
  std::size_t TakeLine(std::string_view bytes);
  void BeginChunk(std::string_view line);
  void EndTrailer(std::string_view line);

  Limits limits_;
  bool is_chunked_;
  Part part_;
  std::uint64_t left_ = 0;  // of the body, or of this chunk
  std::size_t trailer_bytes_ = 0;
  State state_ = State::kMore;
  std::string body_;
};

}  // namespace kube::serve
