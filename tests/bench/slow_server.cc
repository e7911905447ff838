#include "tests/bench/slow_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <stdexcept>
#include <vector>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Serves until the process ends.
class Loop {
 public:
  Loop(int listener, std::chrono::microseconds latency, const SlowServer::Answer& answer)
      : listener_(listener), latency_(latency), answer_(answer) {}

  [[noreturn]] void Run() {
    for (;;) {
      SendDue();
      std::vector<pollfd> waits = {{listener_, POLLIN, 0}};
      for (const auto& [fd, received] : received_) waits.push_back({fd, POLLIN, 0});
      Wait(waits);
      if (waits[0].revents != 0) Accept();
      for (std::size_t i = 1; i < waits.size(); ++i) {
        if (waits[i].revents != 0) Receive(waits[i].fd);
      }
    }
  }

 private:
  struct Due {
    Clock::time_point when;
    int fd;
    std::string text;
  };

  void Wait(std::vector<pollfd>& waits) const {
    timespec timeout{};
    const auto left = due_.empty() ? Clock::duration::zero() : due_.front().when - Clock::now();
    timeout.tv_nsec = std::max<long>(0, left.count());
    ppoll(waits.data(), waits.size(), due_.empty() ? nullptr : &timeout, nullptr);
  }

  void Accept() {
    const int fd = accept(listener_, nullptr, nullptr);
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    received_[fd];
  }

  void Receive(int fd) {
    char buffer[16384];
    const ssize_t count = recv(fd, buffer, sizeof buffer, 0);
    if (count <= 0) {
      close(fd);
      received_.erase(fd);
      return;
    }
    std::string& text = received_[fd];
    text.append(buffer, static_cast<std::size_t>(count));
    const std::size_t end = text.find("\r\n\r\n");
    if (end == text.npos) return;
    // A patch of {}; no other request here has a body.
    const std::size_t body = text.starts_with("PATCH") ? 2 : 0;
    if (text.size() < end + 4 + body) return;
    Take(fd, text);
    text.clear();
  }

  void Take(int fd, const std::string& request) {
    const std::size_t method_end = request.find(' ');
    const std::size_t target_end = request.find(' ', method_end + 1);
    const std::string body = answer_(request.substr(0, method_end),
                                     request.substr(method_end + 1, target_end - method_end - 1));
    due_.push_back({Clock::now() + latency_, fd,
                    "HTTP/1.1 " + std::string(body.empty() ? "404 -" : "200 OK") +
                        "\r\nContent-Type: application/json\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body});
  }

  void SendDue() {
    for (; !due_.empty() && due_.front().when <= Clock::now(); due_.pop_front()) {
      const Due& due = due_.front();
      for (std::size_t sent = 0; received_.contains(due.fd) && sent < due.text.size();) {
        const ssize_t count =
            send(due.fd, due.text.data() + sent, due.text.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) break;
        sent += static_cast<std::size_t>(count);
      }
    }
  }

  int listener_;
  std::chrono::microseconds latency_;
  const SlowServer::Answer& answer_;
  std::map<int, std::string> received_;  // by connection, of a request that is not complete
  std::deque<Due> due_;
};

}  // namespace

SlowServer::SlowServer(std::chrono::microseconds latency, const Answer& answer) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, any, size) != 0 || listen(listener, 64) != 0 ||
      getsockname(listener, any, &size) != 0) {
    throw std::runtime_error("cannot listen on 127.0.0.1");
  }
  port_ = ntohs(address.sin_port);
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Loop(listener, latency, answer).Run();
  }
  close(listener);
}

SlowServer::~SlowServer() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

}  // namespace bench
