#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "kube/serve/message.h"
#include "kube/serve/tls_material.h"

namespace kube::serve {

/// The bytes of a connection, with TLS or without: the seam between a session and its socket. One
/// operation at a time, but for Close; whoever asks keeps what is to be filled, or written, until
/// it is done.
class Wire {
 public:
  /// Is told whether it failed, which is for good, and how many bytes there were. Never by the call
  /// that it was given to, but for an operation that has nothing to do.
  using Done = std::function<void(bool has_failed, std::size_t count)>;

  virtual ~Wire() = default;
  /// The handshake.
  virtual void Open(Done done) = 0;
  /// Reads what comes next, one byte at least.
  virtual void Read(std::span<char> piece, Done done) = 0;
  /// Writes all of it.
  virtual void Write(std::string_view bytes, Done done) = 0;
  /// Tells the other end that no more is coming, and what failed of that matters to nobody.
  virtual void Leave(Done done) = 0;
  /// After Leave: reads bytes that mean nothing any more.
  virtual void Drain(std::span<char> piece, Done done) = 0;
  /// What is under way fails.
  virtual void Close() = 0;
  /// After an Open that has failed: why.
  virtual HandshakeFailure failure() const { return HandshakeFailure::kOther; }
  /// After Open: the certificate of the other end, as Request::peer.
  virtual std::shared_ptr<const CertificateFacts> peer() { return nullptr; }
};

}  // namespace kube::serve
