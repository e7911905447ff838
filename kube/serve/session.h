#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kube/serve/memory.h"
#include "kube/serve/message.h"
#include "kube/serve/request_reader.h"
#include "kube/serve/server.h"
#include "kube/serve/tls_files.h"

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

// The connections of a server, one by one and as far as they know of each other. No sockets, no
// threads: one thread calls all of it.

using Steady = std::chrono::steady_clock;

class Session;
using Sessions = std::list<std::shared_ptr<Session>>;
/// Who waits for memory, by how much that is.
using Queue = std::multimap<std::size_t, std::shared_ptr<Session>>;

/// What the sessions of a server share. Like a session it is for the thread that moves bytes.
class ConnectionRegistry {
 public:
  explicit ConnectionRegistry(ServerOptions server_options)
      : options(std::move(server_options)),
        bodies(options.memory.bodies),
        work(options.memory.work),
        answers(options.memory.answers) {}
  virtual ~ConnectionRegistry() = default;

  /// Asks the Answerer, and calls Respond with what it says.
  virtual void Ask(std::shared_ptr<Session> session, Request request) = 0;
  /// That a session has ended, or waits, is why another connection can be taken.
  virtual void OnRoom() = 0;
  /// Whoever can have the memory that it waits for goes on. To be called where some was given back.
  void LetQueuesIn();
  /// Makes room for an answer of that size: cuts off those that are being sent theirs, the longest
  /// first. Where that is not enough, it is sent all the same.
  void MakeRoomForAnswer(std::size_t bytes);

  const ServerOptions options;
  // Who waits longest comes first.
  Sessions fresh;    // for the first request; those that leave are here too, before all others
  Sessions waiting;  // for another request
  Sessions busy;
  MemoryPool bodies;  // that are here, and what is to come of them
  MemoryPool work, answers;
  Queue body_queue, work_queue;
  bool is_stopping = false;
  Steady::time_point end_of_waiting = Steady::time_point::max();  // for all, once it is stopping

  std::atomic<std::size_t> connections{0}, requests{0};
  std::atomic<std::uint64_t> accepted{0}, answered{0}, refused{0}, cut_off{0}, evicted{0};
  std::array<std::atomic<std::uint64_t>, kHandshakeFailureNames.size()> handshake_failures{};
  std::array<std::atomic<std::uint64_t>, kTurnedAwayNames.size()> turned_away{};
};

/// A connection from its handshake to its end: waits for a request, reads it, has it answered,
/// writes the answer, and begins anew.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(ConnectionRegistry& hall, std::unique_ptr<Wire> wire, std::string remote_address)
      : hall_(hall),
        wire_(std::move(wire)),
        remote_address_(std::move(remote_address)),
        reader_(hall.options.request) {}

  /// Begins with the handshake, and finds its place in the hall.
  void Start();
  /// To what ConnectionRegistry::Ask was given; does nothing where it has ended meanwhile.
  void Respond(Response response);
  /// Goes on if it can have the memory that it waits for; false: it still waits.
  bool TryTurn();
  /// Ends it, or turns it away, if it takes too long.
  void CheckDeadline(Steady::time_point now);
  /// Ends it to make room for another one.
  void Evict();
  void End();
  /// Not longer than the hall has its sessions wait.
  void HurryUp() {
    const bool hurries = phase_ == Phase::kOpening || phase_ == Phase::kWaiting;
    if (hurries) deadline_ = std::min(deadline_, hall_.end_of_waiting);
  }
  /// Whether the other end has taken longer than the hall's hurry, with a request or an answer.
  bool IsSlow(Steady::time_point now) const {
    return (phase_ == Phase::kReading || is_writing()) && now - since_ >= hall_.options.hurry;
  }
  bool is_writing() const { return phase_ == Phase::kWriting; }
  /// Whether a request is here that has not got its whole answer.
  bool is_answering() const {
    return phase_ == Phase::kAnswering || phase_ == Phase::kWriting || awaits_work();
  }

 private:
  static constexpr std::size_t kPieceBytes = 16 * 1024;  // what TLS carries at once

  using Step = void (Session::*)(bool has_failed, std::size_t count);
  enum class Phase {
    kNew,
    kOpening,
    kWaiting,
    kReading,
    kQueueing,  // for memory
    kAnswering,
    kWriting,
    kLeaving,
    kEnded
  };

  void Enter(Phase phase);
  Sessions& ListOf(Phase phase);
  Steady::time_point DeadlineOf(Phase phase) const;
  Wire::Done Then(Step step);
  void Read();
  void OnOpen(bool has_failed, std::size_t);
  void OnRead(bool has_failed, std::size_t count);
  void OnContinued(bool has_failed, std::size_t);
  void OnWritten(bool has_failed, std::size_t);
  void OnLeft(bool, std::size_t);
  void OnDrained(bool has_failed, std::size_t);
  void Proceed();
  void ReadOn();
  void AwaitBody(std::size_t memory);
  void Weigh();
  void Ask();
  void AwaitTurn(Queue& queue, std::size_t memory);
  void LeaveQueue();
  void Refuse(Response response);
  void TurnAway(std::string_view text);
  bool awaits_work() const { return queue_ != nullptr && queue_ == &hall_.work_queue; }
  bool is_sending() const { return phase_ == Phase::kReading && held_body_ > 0; }
  /// Where it is ended as the other end is slow: notes the request that is lost, if there is one.
  void NoteSlow();
  void Note(TurnedAway why) { ++hall_.turned_away[static_cast<std::size_t>(why)]; }
  void Write(Response response);
  void Drain();
  void HoldBody(std::size_t memory);
  void HoldAnswer(std::string text);

  ConnectionRegistry& hall_;
  std::unique_ptr<Wire> wire_;
  std::string remote_address_;
  std::shared_ptr<const CertificateFacts> peer_;
  RequestReader reader_;
  std::array<char, kPieceBytes> piece_;  // not set to anything: most of it is never touched
  Phase phase_ = Phase::kNew;
  Steady::time_point since_, deadline_;  // of the phase
  Sessions::iterator place_;
  Queue* queue_ = nullptr;  // the null pointer: it waits for no memory
  Queue::iterator turn_;
  std::size_t held_body_ = 0;
  Request request_;     // that waits for its turn
  std::string method_;  // of the request that is being answered
  bool has_answered_ = false;
  bool is_refused_ = false;
  bool is_last_ = false;  // no request of this connection is answered behind this one
  std::string answer_;
};

}  // namespace kube::serve
