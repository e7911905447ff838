#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace test_support {

/// A connection to 127.0.0.1 for bytes that no HTTP library would send. Every wait ends after a
/// minute with an exception.
class RawClient {
 public:
  /// Throws std::runtime_error where nobody listens.
  explicit RawClient(std::uint16_t port);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  /// As much as the other end takes before it closes.
  void Send(std::string_view bytes);
  /// The next answer with its body (by Content-Length, none of an interim one); empty: the end.
  std::string ReadAnswer();
  /// Everything up to the end of the connection, whichever way it ends.
  std::string ReadToEnd();
  /// Whether the server says something, or ends the connection, before `time` is over.
  bool HearsWithin(std::chrono::milliseconds time);
  /// Ends the connection by RST.
  void Reset();

 private:
  bool Receive();

  int socket_;
  std::string received_;
};

/// Whether a connection to that port of 127.0.0.1 is taken.
bool Listens(std::uint16_t port);

}  // namespace test_support
