#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace bench {

/// An HTTP/1.1 server on a free port of 127.0.0.1, in a process of its own, that answers every
/// request after the same time, however many there are at once. Ends with this object.
class SlowServer {
 public:
  using Answer = std::function<std::string(const std::string& method, const std::string& target)>;

  SlowServer(std::chrono::microseconds latency, const Answer& answer);
  SlowServer(const SlowServer&) = delete;
  SlowServer& operator=(const SlowServer&) = delete;
  ~SlowServer();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  int port_;
  pid_t process_;
};

}  // namespace bench
