#include "kube/serve/server.h"

// ThreadSanitizer knows no fences. Nothing rests on Asio's: what passes between threads goes
// through its queues, which are locked.
#ifdef __SANITIZE_THREAD__
#define BOOST_ASIO_DISABLE_FENCED_BLOCK
#endif

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <exception>
#include <list>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kube/base/error.h"
#include "kube/serve/response_text.h"
#include "kube/serve/tls_context.h"

namespace kube::serve {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
using Steady = std::chrono::steady_clock;
// Named executors cost nothing; Asio's default one is a virtual call and an allocation.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Timer = asio::basic_waitable_timer<Steady, asio::wait_traits<Steady>, Executor>;
using Done = std::function<void(const error_code&, std::size_t)>;
using State = RequestReader::State;

constexpr std::size_t kPieceBytes = 16 * 1024;  // what TLS carries at once
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

/// The bytes of a connection, with TLS or without. One operation at a time.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void Open(Done done) = 0;
  virtual void Read(asio::mutable_buffer piece, Done done) = 0;
  virtual void Write(asio::const_buffer bytes, Done done) = 0;
  /// Tells the other end that no more is coming.
  virtual void Leave(Done done) = 0;
  virtual std::optional<PeerCertificate> peer() = 0;
  virtual Socket& socket() = 0;
};

class PlainWire : public Wire {
 public:
  explicit PlainWire(Socket socket) : socket_(std::move(socket)) {}

  void Open(Done done) override { done({}, 0); }
  void Read(asio::mutable_buffer piece, Done done) override {
    socket_.async_read_some(piece, std::move(done));
  }
  void Write(asio::const_buffer bytes, Done done) override {
    asio::async_write(socket_, bytes, std::move(done));
  }
  void Leave(Done done) override { done({}, 0); }
  std::optional<PeerCertificate> peer() override { return std::nullopt; }
  Socket& socket() override { return socket_; }

 private:
  Socket socket_;
};

class TlsWire : public Wire {
 public:
  TlsWire(Socket socket, ssl::context& context) : stream_(std::move(socket), context) {}

  void Open(Done done) override {
    stream_.async_handshake(ssl::stream_base::server,
                            [done = std::move(done)](const error_code& error) { done(error, 0); });
  }
  void Read(asio::mutable_buffer piece, Done done) override {
    stream_.async_read_some(piece, std::move(done));
  }
  void Write(asio::const_buffer bytes, Done done) override {
    asio::async_write(stream_, bytes, std::move(done));
  }
  void Leave(Done done) override {
    stream_.async_shutdown([done = std::move(done)](const error_code& error) { done(error, 0); });
  }
  std::optional<PeerCertificate> peer() override { return PeerOf(stream_.native_handle()); }
  Socket& socket() override { return stream_.next_layer(); }

 private:
  ssl::stream<Socket> stream_;
};

class Session;
using Sessions = std::list<std::shared_ptr<Session>>;

/// What the sessions of a server share. Like a session it is for the thread that moves bytes.
class Hall {
 public:
  explicit Hall(const ServerOptions& server_options) : options(server_options) {}
  virtual ~Hall() = default;

  /// Asks the Answerer, and calls Respond with what it says.
  virtual void Ask(std::shared_ptr<Session> session, Request request) = 0;
  /// That a session has ended, or waits, is why another connection can be taken.
  virtual void OnRoom() = 0;

  const ServerOptions& options;
  // Who waits longest comes first.
  Sessions fresh;    // for the first request; those that leave are here too, before all others
  Sessions waiting;  // for another request
  Sessions busy;
  std::size_t body_bytes = 0;  // of all requests that are here, and of what is to come of them
  std::list<std::shared_ptr<Session>> queue;  // for these; some may have ended
  bool is_stopping = false;
  Steady::time_point end_of_waiting = Steady::time_point::max();  // for all, once it is stopping

  std::atomic<std::size_t> connections{0}, requests{0};
  std::atomic<std::uint64_t> accepted{0}, answered{0}, refused{0}, cut_off{0}, evicted{0},
      failed_handshakes{0};
};

/// A connection from its handshake to its end: waits for a request, reads it, has it answered,
/// writes the answer, and begins anew.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Hall& hall, std::unique_ptr<Wire> wire, std::string remote_address)
      : hall_(hall),
        wire_(std::move(wire)),
        remote_address_(std::move(remote_address)),
        reader_(hall.options.request) {}

  void Start();
  void Respond(Response response);
  void CheckDeadline(Steady::time_point now);
  void Evict();
  void End();
  /// Not longer than the hall has its sessions wait.
  void HurryUp() {
    const bool hurries = phase_ == Phase::kOpening || phase_ == Phase::kWaiting;
    if (hurries) deadline_ = std::min(deadline_, hall_.end_of_waiting);
  }
  bool is_answering() const { return phase_ == Phase::kAnswering || phase_ == Phase::kWriting; }

 private:
  enum class Phase { kNew, kOpening, kWaiting, kReading, kAnswering, kWriting, kLeaving, kEnded };

  void Enter(Phase phase);
  Sessions& ListOf(Phase phase);
  Steady::time_point DeadlineOf(Phase phase) const;
  Done Then(void (Session::*step)(const error_code&, std::size_t));
  void Read();
  void OnOpen(const error_code& error, std::size_t);
  void OnRead(const error_code& error, std::size_t count);
  void OnContinued(const error_code& error, std::size_t);
  void OnWritten(const error_code& error, std::size_t);
  void OnLeft(const error_code& error, std::size_t);
  void OnDrained(const error_code& error, std::size_t);
  void Proceed();
  void ReadOn();
  void Ask();
  void Refuse(const Response& response);
  void Write(const Response& response);
  void Drain();
  void HoldBytes(std::size_t count);
  bool Fits() const;
  void AwaitSpace();
  void LetQueueIn();

  Hall& hall_;
  std::unique_ptr<Wire> wire_;
  std::string remote_address_;
  std::optional<PeerCertificate> peer_;
  RequestReader reader_;
  std::array<char, kPieceBytes> piece_;  // not set to anything: most of it is never touched
  Phase phase_ = Phase::kNew;
  Steady::time_point deadline_;
  Sessions::iterator place_;
  std::size_t held_bytes_ = 0;
  std::string method_;  // of the request that is being answered
  bool has_answered_ = false;
  bool is_refused_ = false;
  bool is_last_ = false;  // no request of this connection is answered behind this one
  std::string answer_;
};

Sessions& Session::ListOf(Phase phase) {
  if (phase == Phase::kOpening || phase == Phase::kLeaving) return hall_.fresh;
  if (phase == Phase::kWaiting) return has_answered_ ? hall_.waiting : hall_.fresh;
  return hall_.busy;
}

Steady::time_point Session::DeadlineOf(Phase phase) const {
  const Steady::time_point now = Steady::now();
  switch (phase) {
    case Phase::kOpening:
      return std::min(now + hall_.options.patience, hall_.end_of_waiting);
    case Phase::kReading:
    case Phase::kWriting:
      return now + hall_.options.patience;
    case Phase::kWaiting:
      return std::min(now + hall_.options.idle, hall_.end_of_waiting);
    case Phase::kLeaving:
      return now + hall_.options.farewell;
    default:
      return Steady::time_point::max();
  }
}

void Session::Enter(Phase phase) {
  if (phase == Phase::kOpening) {
    place_ = hall_.fresh.insert(hall_.fresh.end(), shared_from_this());
  } else {
    // Of those that could make room for others, who leaves anyway comes first.
    Sessions& to = ListOf(phase);
    to.splice(phase == Phase::kLeaving ? to.begin() : to.end(), ListOf(phase_), place_);
  }
  phase_ = phase;
  deadline_ = DeadlineOf(phase);
  if (&ListOf(phase) != &hall_.busy) hall_.OnRoom();
}

Done Session::Then(void (Session::*step)(const error_code&, std::size_t)) {
  return [self = shared_from_this(), step](const error_code& error, std::size_t count) {
    if (self->phase_ != Phase::kEnded) (self.get()->*step)(error, count);
  };
}

void Session::Start() {
  Enter(Phase::kOpening);
  wire_->Open(Then(&Session::OnOpen));
}

void Session::OnOpen(const error_code& error, std::size_t) {
  if (error) {
    ++hall_.failed_handshakes;
    return End();
  }
  peer_ = wire_->peer();
  Enter(Phase::kWaiting);
  Read();
}

void Session::Read() { wire_->Read(asio::buffer(piece_), Then(&Session::OnRead)); }

void Session::OnRead(const error_code& error, std::size_t count) {
  if (error) return End();
  reader_.Take({piece_.data(), count});
  Proceed();
}

void Session::Proceed() {
  if (reader_.state() == State::kIdle) {
    if (phase_ != Phase::kWaiting) Enter(Phase::kWaiting);
    return Read();
  }
  if (phase_ != Phase::kReading) Enter(Phase::kReading);
  if (reader_.state() == State::kBody && !Fits()) return AwaitSpace();
  HoldBytes(reader_.expected_body_bytes());
  if (reader_.state() == State::kComplete) return Ask();
  if (reader_.state() == State::kRefused) return Refuse(reader_.refusal());
  ReadOn();
}

// One is let through whatever its size. Of those that are complete nothing more is to come.
bool Session::Fits() const {
  const std::size_t others = hall_.body_bytes - held_bytes_;
  return others == 0 || others + reader_.expected_body_bytes() <= hall_.options.most_body_bytes;
}

// Who holds something already must not wait: others may wait for that.
void Session::AwaitSpace() {
  if (held_bytes_ > 0) {
    return Refuse(PlainAnswer(503, "too many large requests at once: try again"));
  }
  hall_.queue.push_back(shared_from_this());
}

void Session::LetQueueIn() {
  while (!hall_.queue.empty()) {
    const auto next = hall_.queue.front();
    const bool has_ended = next->phase_ == Phase::kEnded;
    if (!has_ended && !next->Fits()) return;
    hall_.queue.pop_front();
    if (has_ended) continue;
    next->Enter(Phase::kReading);  // its time begins now
    next->Proceed();
  }
}

void Session::ReadOn() {
  if (!reader_.TakeExpectation()) return Read();
  wire_->Write(asio::buffer(kContinue), Then(&Session::OnContinued));
}

void Session::OnContinued(const error_code& error, std::size_t) { error ? End() : Read(); }

void Session::Ask() {
  if (hall_.requests >= hall_.options.most_requests) {
    return Refuse(PlainAnswer(503, "too many requests at once: try again"));
  }
  is_refused_ = false;
  is_last_ = !reader_.keeps_alive();
  Request request = reader_.TakeRequest();
  method_ = request.method;
  request.peer = peer_;
  request.remote_address = remote_address_;
  Enter(Phase::kAnswering);
  hall_.Ask(shared_from_this(), std::move(request));
}

void Session::Refuse(const Response& response) {
  is_refused_ = true;
  is_last_ = true;
  method_ = reader_.method();
  Write(response);
}

void Session::Respond(Response response) {
  if (phase_ == Phase::kAnswering) Write(response);
}

void Session::Write(const Response& response) {
  Enter(Phase::kWriting);
  is_last_ = is_last_ || hall_.is_stopping;
  answer_ = ResponseText(response, method_, is_last_ ? AfterAnswer::kClose : AfterAnswer::kKeep);
  wire_->Write(asio::buffer(answer_), Then(&Session::OnWritten));
}

void Session::OnWritten(const error_code& error, std::size_t) {
  if (error) return End();
  ++(is_refused_ ? hall_.refused : hall_.answered);
  has_answered_ = true;
  answer_ = {};
  HoldBytes(0);
  if (!is_last_) return Proceed();
  Enter(Phase::kLeaving);
  wire_->Leave(Then(&Session::OnLeft));
}

// Were the socket closed while bytes are still coming, the other end might lose the answer.
void Session::OnLeft(const error_code&, std::size_t) {
  error_code ignored;
  wire_->socket().shutdown(tcp::socket::shutdown_send, ignored);
  Drain();
}

void Session::Drain() {
  wire_->socket().async_read_some(asio::buffer(piece_), Then(&Session::OnDrained));
}

void Session::OnDrained(const error_code& error, std::size_t) { error ? End() : Drain(); }

void Session::HoldBytes(std::size_t count) {
  const bool frees = count < held_bytes_;
  hall_.body_bytes += count - held_bytes_;
  held_bytes_ = count;
  if (frees) LetQueueIn();
}

void Session::CheckDeadline(Steady::time_point now) {
  if (phase_ == Phase::kEnded || now < deadline_) return;
  if (phase_ != Phase::kWaiting && phase_ != Phase::kLeaving) ++hall_.cut_off;
  End();
}

void Session::Evict() {
  ++hall_.evicted;
  End();
}

void Session::End() {
  if (phase_ == Phase::kEnded) return;
  const auto self = shared_from_this();  // the list may be the last that knows it
  ListOf(phase_).erase(place_);
  phase_ = Phase::kEnded;
  error_code ignored;
  wire_->socket().close(ignored);
  --hall_.connections;
  HoldBytes(0);
  hall_.OnRoom();
}

/// Signals of the process are for threads that know what to do with them; faults of a thread are
/// its own.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
      sigdelset(&blocked, fault);
    }
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

std::string TextOf(const tcp::endpoint& endpoint) {
  asio::ip::address address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  const std::string host = address.to_string();
  return (address.is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(endpoint.port());
}

[[noreturn]] void FailToListen(const tcp::endpoint& where, const error_code& error) {
  std::string text = "cannot listen on " + TextOf(where) + ": " + error.message();
  if (error == asio::error::address_in_use) text += "; choose another with --port";
  if (error == asio::error::access_denied) text += "; choose one above 1023 with --port";
  if (error == boost::system::errc::address_not_available) text += "; choose another with --addr";
  throw base::Error(text);
}

tcp::endpoint EndpointOf(const ServerOptions& options) {
  if (options.address.empty()) return {tcp::v6(), options.port};
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (!error) return {address, options.port};
  throw base::Error("cannot listen on \"" + options.address +
                    "\": it is no IP address; give one with --addr");
}

bool IsOutOfResources(const error_code& error) {
  namespace errc = boost::system::errc;
  return error == errc::too_many_files_open || error == errc::too_many_files_open_in_system ||
         error == errc::no_buffer_space || error == errc::not_enough_memory;
}

std::shared_ptr<ssl::context> MakeContext(const TlsMaterial& material) {
  return std::make_shared<ssl::context>(static_cast<SSL_CTX*>(MakeServerContext(material)));
}

}  // namespace

class Server::Impl : private Hall {
 public:
  Impl(ServerOptions server_options, Answerer answerer)
      : Hall(options_), options_(std::move(server_options)), answerer_(std::move(answerer)) {
    if (options_.tls) context_ = MakeContext(*options_.tls);
    Listen();
    AcceptNext();
    AwaitTick();
    const SignalsBlocked blocked;
    pool_.emplace(std::max<std::size_t>(options_.threads, 1));
    mover_ = std::thread([this] { MoveBytes(); });
  }

  ~Impl() override { Stop({}); }

  std::uint16_t port() const { return port_; }

  void UseTls(const TlsMaterial& material) {
    if (!options_.tls) throw base::Error("cannot use a certificate: the server has no TLS");
    asio::post(io_, [this, next = MakeContext(material)] { context_ = next; });
  }

  std::size_t Stop(Duration grace) {
    if (!mover_.joinable()) return 0;
    asio::post(io_, [this, grace] { BeginToStop(grace); });
    mover_.join();
    pool_->join();
    // What Answerers said meanwhile, to connections that are gone.
    io_.restart();
    io_.poll();
    return lost_requests_;
  }

  ServerCounts counts() const {
    return {connections, requests, accepted, answered,
            refused,     cut_off,  evicted,  failed_handshakes};
  }

 private:
  void Listen();
  void Open(tcp::endpoint& where);
  void MoveBytes();
  void AcceptNext();
  void OnAccept(const error_code& error, Socket socket);
  void Welcome(Socket socket);
  void MakeRoom();
  bool CanAccept() const;
  void AwaitTick();
  void OnTick();
  void BeginToStop(Duration grace);
  void AcceptPending();
  void EndAll();
  bool IsDone() const { return is_stopping && connections == 0; }
  std::vector<std::shared_ptr<Session>> AllSessions() const;
  Response Answer(const Request& request) const;
  void Report(const Request& request, const char* cause) const;

  void Ask(std::shared_ptr<Session> session, Request request) override;
  void OnRoom() override;

  const ServerOptions options_;
  const Answerer answerer_;
  asio::io_context io_{1};
  Acceptor acceptor_{io_.get_executor()};
  Timer timer_{io_.get_executor()};
  std::shared_ptr<ssl::context> context_;  // null pointer: without TLS
  std::uint16_t port_ = 0;
  bool is_accepting_ = false;
  bool is_ticking_ = false;
  bool is_exhausted_ = false;  // the system gives no descriptor; the next tick tries again
  Steady::time_point end_ = Steady::time_point::max();  // of the grace
  std::size_t lost_requests_ = 0;
  std::optional<asio::thread_pool> pool_;
  std::thread mover_;
};

// Where a machine has no IPv6, all of its addresses are those of IPv4.
void Server::Impl::Open(tcp::endpoint& where) {
  error_code error;
  acceptor_.open(where.protocol(), error);
  if (error && options_.address.empty()) {
    where = {tcp::v4(), options_.port};
    acceptor_.open(where.protocol(), error);
  }
  if (error) FailToListen(where, error);
}

void Server::Impl::Listen() {
  tcp::endpoint where = EndpointOf(options_);
  Open(where);
  error_code error;
  acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (where.address().is_v6()) acceptor_.set_option(asio::ip::v6_only(false), error);
  acceptor_.bind(where, error);
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  if (error) FailToListen(where, error);
  port_ = acceptor_.local_endpoint().port();
}

void Server::Impl::MoveBytes() {
  for (;;) {
    try {
      io_.run();
      return;
    } catch (const std::exception&) {
      // Without memory for one step of a connection, its deadline ends it.
    }
  }
}

bool Server::Impl::CanAccept() const {
  return !is_stopping && !is_exhausted_ &&
         (connections < options_.most_connections || !fresh.empty() || !waiting.empty());
}

void Server::Impl::OnRoom() {
  AcceptNext();
  if (IsDone()) timer_.cancel();
}

void Server::Impl::AcceptNext() {
  if (is_accepting_ || !CanAccept()) return;
  is_accepting_ = true;
  acceptor_.async_accept(io_.get_executor(), [this](const error_code& error, Socket socket) {
    is_accepting_ = false;
    OnAccept(error, std::move(socket));
    AcceptNext();
  });
}

void Server::Impl::OnAccept(const error_code& error, Socket socket) {
  if (IsOutOfResources(error)) {
    is_exhausted_ = true;
    return MakeRoom();
  }
  if (error) return;
  if (connections >= options_.most_connections) MakeRoom();
  Welcome(std::move(socket));
  if (!is_ticking_) AwaitTick();  // it came in the moment of the end
}

// A flood is of connections that never ask for anything, and those that have are kept from it; but
// they leave some places for whoever comes.
void Server::Impl::MakeRoom() {
  const bool takes_fresh = waiting.empty() || fresh.size() > options_.most_connections / 4;
  Sessions& from = takes_fresh ? fresh : waiting;
  if (!from.empty()) std::shared_ptr<Session>(from.front())->Evict();
}

void Server::Impl::Welcome(Socket socket) {
  error_code error;
  const tcp::endpoint remote = socket.remote_endpoint(error);
  if (error) return;  // it has gone already
  socket.set_option(tcp::no_delay(true), error);
  std::unique_ptr<Wire> wire;
  if (context_) {
    wire = std::make_unique<TlsWire>(std::move(socket), *context_);
  } else {
    wire = std::make_unique<PlainWire>(std::move(socket));
  }
  const auto session =
      std::make_shared<Session>(static_cast<Hall&>(*this), std::move(wire), TextOf(remote));
  ++accepted;
  ++connections;
  session->Start();
}

// One timer for all connections: their deadlines change far more often than they are reached.
void Server::Impl::AwaitTick() {
  constexpr Duration kShortest{5}, kLongest{1000};
  const Duration least = std::min({options_.patience, options_.idle, options_.farewell});
  timer_.expires_at(std::min(Steady::now() + std::clamp(least / 4, kShortest, kLongest), end_));
  timer_.async_wait([this](const error_code&) { OnTick(); });
  is_ticking_ = true;
}

void Server::Impl::OnTick() {
  is_ticking_ = false;
  if (IsDone()) return;
  const Steady::time_point now = Steady::now();
  if (now >= end_) EndAll();
  AwaitTick();
  for (const auto& session : AllSessions()) session->CheckDeadline(now);
  is_exhausted_ = false;
  OnRoom();
}

std::vector<std::shared_ptr<Session>> Server::Impl::AllSessions() const {
  std::vector<std::shared_ptr<Session>> all;
  for (const Sessions* some : {&fresh, &waiting, &busy}) {
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

void Server::Impl::BeginToStop(Duration grace) {
  AcceptPending();
  is_stopping = true;
  error_code ignored;
  acceptor_.close(ignored);
  const Steady::time_point now = Steady::now();
  end_ = now + grace;
  end_of_waiting = std::min(end_, now + options_.farewell);
  for (const auto& session : AllSessions()) session->HurryUp();
  timer_.cancel();  // which ticks
}

// To whoever has connected already a closed door would look like a lost request.
void Server::Impl::AcceptPending() {
  error_code error;
  acceptor_.cancel(error);
  acceptor_.non_blocking(true, error);
  while (!error && connections < options_.most_connections) {
    Socket socket = acceptor_.accept(io_.get_executor(), error);
    if (!error) Welcome(std::move(socket));
  }
}

void Server::Impl::EndAll() {
  for (const auto& session : AllSessions()) {
    if (session->is_answering()) ++lost_requests_;
    session->End();
  }
}

void Server::Impl::Ask(std::shared_ptr<Session> session, Request request) {
  ++requests;
  asio::post(*pool_, [this, session = std::move(session), request = std::move(request)]() mutable {
    Response response = Answer(request);
    request = {};
    asio::post(io_, [this, session = std::move(session), response = std::move(response)]() mutable {
      --requests;
      session->Respond(std::move(response));
    });
  });
}

Response Server::Impl::Answer(const Request& request) const {
  try {
    return answerer_(request);
  } catch (const std::exception& error) {
    Report(request, error.what());
  } catch (...) {
    Report(request, "an unknown exception");
  }
  return PlainAnswer(500, "the request could not be answered");
}

void Server::Impl::Report(const Request& request, const char* cause) const {
  if (!options_.report) return;
  options_.report("cannot answer " + request.method + " " + std::string(request.path()) + ": " +
                  cause);
}

Server::Server(ServerOptions options, Answerer answerer)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(answerer))) {}

Server::~Server() = default;

std::uint16_t Server::port() const { return impl_->port(); }
void Server::UseTls(const TlsMaterial& material) { impl_->UseTls(material); }
std::size_t Server::Stop(Duration grace) { return impl_->Stop(grace); }
ServerCounts Server::counts() const { return impl_->counts(); }

}  // namespace kube::serve
