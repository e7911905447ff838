#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "kube/serve/message.h"

namespace kube::serve {

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
