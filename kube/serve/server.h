#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/serve/memory.h"
#include "kube/serve/message.h"
#include "kube/serve/request_reader.h"
#include "kube/serve/tls_files.h"

namespace kube::serve {

/// What a server is. The limits fit a webhook that the API servers of one cluster call.
struct ServerOptions {
  using Duration = std::chrono::milliseconds;

  std::string address;     ///< an IP address of this machine; empty: all, IPv6 as well as IPv4
  std::uint16_t port = 0;  ///< 0: any free one, see Server::port()
  std::optional<TlsMaterial> tls;  ///< absent: without TLS

  RequestLimits request;
  /// Of all requests together. One that takes more than others have left waits for its turn, the
  /// smallest first, and gets 429 after `turn`, or at once where it has memory that others may wait
  /// for: a chunked body that grows. One that takes more than there is gets 413. Answers do not
  /// wait: whoever has not read one for longest is cut off.
  MemoryLimits memory;
  /// Foretells what the answer to a request takes beside the body, in bytes. Called by the thread
  /// that moves bytes; must not throw. Empty: nothing.
  std::function<std::size_t(const Request&)> weigh;
  /// A connection more closes one that has been sending a request, or reading an answer, for longer
  /// than `hurry`. Where there is none, one that waits for a request: of those that have sent none
  /// yet, if they are more than a quarter, else of the others, whichever waits longest. Where none
  /// waits either, it is accepted once another one is done.
  std::size_t most_connections = 256;
  /// Requests that are answered, or wait for a thread; one more gets 429.
  std::size_t most_requests = 256;
  /// That answer requests with a body. As many answer those without: health and metrics are told
  /// while all others are at work. One more moves the bytes.
  std::size_t threads = 4;

  /// For a TLS handshake, for a request from its first byte to its last, and for an answer.
  Duration patience{10'000};
  /// For memory. An API server that is told to ask again can do so within its timeout.
  Duration turn{1'000};
  /// For a body whose memory others wait for: behind it the connection is cut off.
  Duration hurry{1'000};
  /// For the next request. Longer than the 90 s for which Go's clients keep a connection: where the
  /// server were to close it, a request might be on its way.
  Duration idle{120'000};
  /// For a connection to end on both sides; at the end of the server, for requests that were on
  /// their way.
  Duration drain_timeout{500};

  /// Takes a line, without a line break, when an Answerer throws. Called by several threads at
  /// once. Empty: nobody is told.
  std::function<void(const std::string&)> report;
};

/// Why a request that may have been a good one was turned away.
enum class TurnedAway : std::uint8_t {
  kBusy,      ///< others had the memory, or the threads
  kTooLarge,  ///< its body, or what an answer takes
  kTooSlow,   ///< it did not arrive in time, or its answer was not read
};
/// What they are called in metrics, in their order.
inline constexpr std::array<std::string_view, 3> kTurnedAwayNames = {"busy", "too_large",
                                                                     "too_slow"};

/// How a server fares. All but the first two are counted from its start.
struct ServerCounts {
  std::size_t connections = 0;  ///< that are open
  std::size_t requests = 0;     ///< that are being answered, or wait for a thread
  std::uint64_t accepted = 0;   ///< connections
  std::uint64_t answered = 0;   ///< requests that an Answerer was asked, written to their end
  std::uint64_t refused = 0;    ///< requests that no Answerer was asked: 400, 413, 429 and the like
  std::uint64_t cut_off = 0;    ///< connections closed as they took too long
  std::uint64_t evicted = 0;    ///< connections closed to make room for another one
  std::array<std::uint64_t, kHandshakeFailureNames.size()> handshake_failures{};  ///< by why
  std::array<std::uint64_t, kTurnedAwayNames.size()> turned_away{};  ///< requests, by why

  std::uint64_t failed_handshakes(HandshakeFailure why) const {
    return handshake_failures[static_cast<std::size_t>(why)];
  }
  std::uint64_t turned_away_as(TurnedAway why) const {
    return turned_away[static_cast<std::size_t>(why)];
  }
};

/// Serves HTTP/1.1 with TLS or without: connections are kept and may be pipelined, one request of a
/// connection is answered at a time, and in their order.
///
/// - Threads of its own do all of it; signals of the process are left to the others.
/// - What is no HTTP, too large or too slow never reaches the Answerer. A slow client, or any
///   number of connections, costs others nothing but their place in the queue.
/// - Whatever an Answerer throws becomes a 500.
/// - Nobody is told the name of the program or its version.
class Server {
 public:
  using Duration = ServerOptions::Duration;

  /// Listens, and serves from then on. Throws kube::base::Error where it cannot listen there, or
  /// not with this TLS material.
  Server(ServerOptions options, Answerer answerer);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  /// Stop({}), if it was not stopped.
  ~Server();

  std::uint16_t port() const;

  /// Connections that are made from now on are served with it; those that are there stay as they
  /// are. Throws kube::base::Error where it cannot be used, or the server has no TLS at all: what
  /// was there stays in use.
  void UseTls(const TlsMaterial& material);

  /// Ends gracefully: takes no more connections, answers what is under way and what comes on open
  /// connections within the drain timeout, each with "Connection: close". What has not ended after
  /// `grace` is cut off. Returns how many requests that were.
  ///
  /// Answerers that still run then are waited for: they need an end of their own. Not to be called
  /// by one of them. Calls after the first do nothing.
  std::size_t Stop(Duration grace);

  ServerCounts counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube::serve
