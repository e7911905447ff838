#include "tests/support/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

namespace test_support {
namespace {

// A socket that is connected; -1 where nobody listens.
int Connect(std::uint16_t port) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    return connection;
  }
  close(connection);
  return -1;
}

std::size_t LengthOfBody(const std::string& head) {
  const std::size_t at = head.find("Content-Length: ");
  return at == head.npos ? 0 : std::stoul(head.substr(at + 16));
}

}  // namespace

RawClient::RawClient(std::uint16_t port) : socket_(Connect(port)) {
  if (socket_ < 0) throw std::runtime_error("nobody listens");
  const timeval minute{60, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof minute);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &minute, sizeof minute);
}

RawClient::~RawClient() {
  if (socket_ >= 0) close(socket_);
}

void RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

bool RawClient::HearsWithin(std::chrono::milliseconds time) {
  pollfd heard{.fd = socket_, .events = POLLIN, .revents = 0};
  return poll(&heard, 1, static_cast<int>(time.count())) != 0;
}

bool RawClient::Receive() {
  char buffer[4096];
  const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    throw std::runtime_error("the server says nothing");
  }
  if (count > 0) received_.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

std::string RawClient::ReadAnswer() {
  std::size_t end = received_.npos;
  while ((end = received_.find("\r\n\r\n")) == received_.npos) {
    if (!Receive()) return "";
  }
  const std::size_t size = end + 4 + LengthOfBody(received_.substr(0, end));
  while (received_.size() < size) {
    if (!Receive()) return "";
  }
  std::string answer = received_.substr(0, size);
  received_.erase(0, size);
  return answer;
}

std::string RawClient::ReadToEnd() {
  while (Receive()) {
  }
  return std::exchange(received_, {});
}

void RawClient::Reset() {
  const linger at_once{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(std::exchange(socket_, -1));
}

bool Listens(std::uint16_t port) {
  const int connection = Connect(port);
  if (connection >= 0) close(connection);
  return connection >= 0;
}

}  // namespace test_support
