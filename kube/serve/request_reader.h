#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/serve/message.h"

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

/// What a request may have at most.
struct RequestLimits {
  std::size_t head_bytes = 16 * 1024;  ///< request line and headers; a line of a chunked body
  std::size_t head_lines = 100;        ///< an API server sends ten
  std::size_t body_bytes = 8 * 1024 * 1024;
};

/// Reads the requests of one connection, one after the other, from its bytes as they arrive:
/// HTTP/1.1 and 1.0. No sockets, no clock.
///
/// In whatever pieces the bytes come, the same requests are read. Stricter than HTTP (RFC 9112)
/// where only an attacker is not: the lines of a head end in CRLF and are not folded, the length of
/// a body is said once, and a transfer encoding is "chunked" alone.
class RequestReader {
 public:
  enum class State {
    kIdle,      ///< no byte of a request has come yet
    kHead,      ///< within the request line and headers
    kBody,      ///< the head is complete
    kComplete,  ///< TakeRequest() gives it; bytes of the next one wait meanwhile
    kRefused,   ///< refusal() says why; nothing more is read
  };

  explicit RequestReader(RequestLimits limits);
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;
  ~RequestReader();

  /// Reads on. Bytes that belong to the next request are kept until this one has been taken. After
  /// a refusal they are thrown away.
  State Take(std::string_view bytes);
  State state() const;

  /// The request that is complete, without peer and remote address. Begins the next one with the
  /// bytes that are there already: see state().
  Request TakeRequest();

  /// Whether the client asks to be told that it may send the body ("Expect: 100-continue"). True
  /// only once a request, in the state kBody, and not if the body has begun.
  bool TakeExpectation();
  /// Whether the client takes the connection to stay open behind the request of which the head is
  /// complete.
  bool keeps_alive() const;
  /// "HEAD" and the like, once the head is complete; else empty.
  std::string_view method() const;
  /// How many bytes of the body are here.
  std::size_t body_bytes() const;
  /// How much memory it will take; where it is chunked, as far as that has been said. Only before a
  /// refusal.
  std::size_t expected_body_memory() const;

  /// What to answer in the state kRefused: 400, 413, 417, 431 or 501 with a line that says why. The
  /// connection cannot be used any more behind it.
  Response refusal() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube::serve
