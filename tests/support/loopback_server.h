#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace test_support {

/// What a client opened to a LoopbackServer. For the thread of its handler.
class LoopbackConnection {
 public:
  explicit LoopbackConnection(int socket) : socket_(socket) {}

  /// The next request with its body (by Content-Length); empty once the client has closed.
  std::string ReadRequest();
  void Write(std::string_view bytes);
  /// Waits until the client closes.
  void AwaitEnd();
  /// Ends the connection by RST rather than FIN.
  void Reset();

 private:
  bool Receive();

  int socket_;
  std::string received_;
};

/// A server on a free port of 127.0.0.1. Runs `handler` for each connection, in a thread of its
/// own, and closes the connection after it.
class LoopbackServer {
 public:
  using Handler = std::function<void(LoopbackConnection& connection, int number)>;

  /// `number` counts connections from 1.
  explicit LoopbackServer(Handler handler);
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  /// Ends what is still open.
  ~LoopbackServer();

  int port() const { return port_; }
  /// "http://127.0.0.1:PORT"
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// How many connections were accepted.
  int connections() const;

 private:
  struct Served;
  void Accept();
  void Serve(Served& served, int socket, int number);

  Handler handler_;
  int socket_;
  int port_;
  mutable std::mutex mutex_;
  int connections_ = 0;
  std::list<std::unique_ptr<Served>> served_;
  std::thread acceptor_;
};

/// A port of 127.0.0.1 where nothing listens.
int UnusedPort();

}  // namespace test_support
