#include "tests/support/loopback_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace test_support {
namespace {

std::size_t ContentLength(const std::string& head) {
  const std::size_t at = head.find("Content-Length: ");
  return at == head.npos ? 0 : std::stoul(head.substr(at + 16));
}

int Bind() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot bind to 127.0.0.1");
  }
  return listener;
}

int PortOf(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace

std::string LoopbackConnection::ReadRequest() {
  std::size_t end = received_.npos;
  while ((end = received_.find("\r\n\r\n")) == received_.npos) {
    if (!Receive()) return "";
  }
  const std::size_t size = end + 4 + ContentLength(received_.substr(0, end));
  while (received_.size() < size) {
    if (!Receive()) return "";
  }
  std::string request = received_.substr(0, size);
  received_.erase(0, size);
  return request;
}

bool LoopbackConnection::Receive() {
  char buffer[4096];
  const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
  if (count <= 0) return false;
  received_.append(buffer, static_cast<std::size_t>(count));
  return true;
}

void LoopbackConnection::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;  // the client has gone
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void LoopbackConnection::AwaitEnd() {
  while (Receive()) {
  }
}

void LoopbackConnection::Reset() {
  const linger at_once{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

struct LoopbackServer::Served {
  int socket = -1;  // -1 once closed
  std::thread thread;
};

LoopbackServer::LoopbackServer(Handler handler)
    : handler_(std::move(handler)), socket_(Bind()), port_(PortOf(socket_)) {
  listen(socket_, 64);
  acceptor_ = std::thread([this] { Accept(); });
}

LoopbackServer::~LoopbackServer() {
  shutdown(socket_, SHUT_RDWR);  // wakes the acceptor
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& served : served_) {
      if (served->socket >= 0) shutdown(served->socket, SHUT_RDWR);
    }
  }
  for (const auto& served : served_) served->thread.join();
  close(socket_);
}

int LoopbackServer::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

void LoopbackServer::Accept() {
  for (;;) {
    const int socket = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    served_.push_back(std::make_unique<Served>());
    Served& served = *served_.back();
    served.socket = socket;
    served.thread = std::thread(
        [this, &served, socket, number = ++connections_] { Serve(served, socket, number); });
  }
}

void LoopbackServer::Serve(Served& served, int socket, int number) {
  LoopbackConnection connection(socket);
  handler_(connection, number);
  const std::lock_guard lock(mutex_);
  close(socket);
  served.socket = -1;
}

int UnusedPort() {
  const int listener = Bind();
  const int port = PortOf(listener);
  close(listener);
  return port;
}

}  // namespace test_support
