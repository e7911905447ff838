#include "kube/serve/server.h"

// ThreadSanitizer knows no fences. Nothing rests on Asio's: what passes between threads goes
// through its queues, which are locked.
#ifdef __SANITIZE_THREAD__
#define BOOST_ASIO_DISABLE_FENCED_BLOCK
#endif

#include <pthread.h>
#include <signal.h>

#include <algorithm>
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
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "kube/serve/message.h"
#include "kube/serve/session.h"
#include "kube/serve/tls_context.h"
#include "kube/serve/tls_files.h"

namespace kube::serve {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
// Named executors cost nothing; Asio's default one is a virtual call and an allocation.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Timer = asio::basic_waitable_timer<Steady, asio::wait_traits<Steady>, Executor>;

constexpr int kReceiveBuffer = 128 * 1024;

// A session keeps what is filled or written, so that views of it will do.
asio::mutable_buffer BufferOf(std::span<char> piece) {
  return asio::buffer(piece.data(), piece.size());
}
asio::const_buffer BufferOf(std::string_view bytes) {
  return asio::buffer(bytes.data(), bytes.size());
}

/// What Asio calls when an operation is done.
auto Handler(Wire::Done done) {
  return [done = std::move(done)](const error_code& error, std::size_t count = 0) {
    done(static_cast<bool>(error), count);
  };
}

/// What is the same with TLS and without.
class SocketWire : public Wire {
 public:
  void Drain(std::span<char> piece, Done done) override {
    socket().async_read_some(BufferOf(piece), Handler(std::move(done)));
  }
  void Close() override {
    error_code ignored;
    socket().close(ignored);
  }

 protected:
  virtual Socket& socket() = 0;

  void CloseSending() {
    error_code ignored;
    socket().shutdown(tcp::socket::shutdown_send, ignored);
  }
};

class PlainWire : public SocketWire {
 public:
  explicit PlainWire(Socket socket) : socket_(std::move(socket)) {}

  void Open(Done done) override { done(false, 0); }
  void Read(std::span<char> piece, Done done) override {
    socket_.async_read_some(BufferOf(piece), Handler(std::move(done)));
  }
  void Write(std::string_view bytes, Done done) override {
    asio::async_write(socket_, BufferOf(bytes), Handler(std::move(done)));
  }
  void Leave(Done done) override {
    CloseSending();
    done(false, 0);
  }

 private:
  Socket& socket() override { return socket_; }

  Socket socket_;
};

class TlsWire : public SocketWire {
 public:
  TlsWire(Socket socket, ssl::context& context) : stream_(std::move(socket), context) {}

  // As for Leave.
  void Open(Done done) override {
    const auto open = [this, done = std::move(done)](const error_code& error) {
      const bool is_of_tls = error.category() == asio::error::get_ssl_category();
      if (is_of_tls) failure_ = FailureOf(static_cast<unsigned long>(error.value()));
      done(static_cast<bool>(error), 0);
    };
    stream_.async_handshake(ssl::stream_base::server, open);
  }
  HandshakeFailure failure() const override { return failure_; }
  void Read(std::span<char> piece, Done done) override {
    stream_.async_read_some(BufferOf(piece), Handler(std::move(done)));
  }
  void Write(std::string_view bytes, Done done) override {
    asio::async_write(stream_, BufferOf(bytes), Handler(std::move(done)));
  }
  // The session, and with it this, lives until `done` was called.
  void Leave(Done done) override {
    stream_.async_shutdown([this, done = std::move(done)](const error_code& error) {
      if (socket().is_open()) CloseSending();
      done(static_cast<bool>(error), 0);
    });
  }
  std::shared_ptr<const CertificateFacts> peer() override {
    return PeerOf(stream_.native_handle());
  }

 private:
  Socket& socket() override { return stream_.next_layer(); }

  ssl::stream<Socket> stream_;
  HandshakeFailure failure_ = HandshakeFailure::kOther;
};

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

class Server::Impl : private ConnectionRegistry {
 public:
  Impl(ServerOptions server_options, Answerer answerer)
      : ConnectionRegistry(std::move(server_options)), answerer_(std::move(answerer)) {
    if (options.tls) context_ = MakeContext(*options.tls);
    Listen();
    AcceptNext();
    AwaitTick();
    const SignalsBlocked blocked;
    pool_.emplace(std::max<std::size_t>(options.threads, 1));
    pages_.emplace(std::max<std::size_t>(options.threads, 1));
    mover_ = std::thread([this] { MoveBytes(); });
  }

  ~Impl() override { Stop({}); }

  std::uint16_t port() const { return port_; }

  void UseTls(const TlsMaterial& material) {
    if (!options.tls) throw base::Error("cannot use a certificate: the server has no TLS");
    asio::post(io_, [this, next = MakeContext(material)] { context_ = next; });
  }

  std::size_t Stop(Duration grace) {
    if (!mover_.joinable()) return 0;
    asio::post(io_, [this, grace] { BeginToStop(grace); });
    mover_.join();
    pool_->join();
    pages_->join();
    // What Answerers said meanwhile, to connections that are gone.
    io_.restart();
    io_.poll();
    return lost_requests_;
  }

  ServerCounts counts() const {
    ServerCounts counts{.connections = connections,
                        .requests = requests,
                        .accepted = accepted,
                        .answered = answered,
                        .refused = refused,
                        .cut_off = cut_off,
                        .evicted = evicted};
    std::ranges::copy(handshake_failures, counts.handshake_failures.begin());
    std::ranges::copy(turned_away, counts.turned_away.begin());
    return counts;
  }

 private:
  void Listen();
  void Open(tcp::endpoint& where);
  void MoveBytes();
  void AcceptNext();
  void OnAccept(const error_code& error, Socket socket);
  void LetArrivedIn();
  void Welcome(Socket socket);
  void MakeRoom();
  bool CanAccept() const;
  std::shared_ptr<Session> FindSlow() const;
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

  const Answerer answerer_;
  asio::io_context io_{1};
  Acceptor acceptor_{io_.get_executor()};
  Timer timer_{io_.get_executor()};
  std::optional<Socket> arrived_;          // and waits until it may become a session
  std::shared_ptr<ssl::context> context_;  // null pointer: without TLS
  std::uint16_t port_ = 0;
  bool is_accepting_ = false;
  bool is_ticking_ = false;
  bool is_exhausted_ = false;  // the system gives no descriptor; the next tick tries again
  Steady::time_point end_ = Steady::time_point::max();  // of the grace
  std::size_t lost_requests_ = 0;
  std::optional<asio::thread_pool> pool_, pages_;  // for requests with a body, and for others
  std::thread mover_;
};

// Where a machine has no IPv6, all of its addresses are those of IPv4.
void Server::Impl::Open(tcp::endpoint& where) {
  error_code error;
  acceptor_.open(where.protocol(), error);
  if (error && options.address.empty()) {
    where = {tcp::v4(), options.port};
    acceptor_.open(where.protocol(), error);
  }
  if (error) FailToListen(where, error);
}

void Server::Impl::Listen() {
  tcp::endpoint where = EndpointOf(options);
  Open(where);
  error_code error;
  acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (where.address().is_v6()) acceptor_.set_option(asio::ip::v6_only(false), error);
  // Connections have it from here. The system would let it grow to megabytes for each.
  acceptor_.set_option(tcp::acceptor::receive_buffer_size(kReceiveBuffer), error);
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
         (connections < options.most_connections || !fresh.empty() || !waiting.empty() ||
          FindSlow() != nullptr);
}

// Those in `busy` are in the order in which their phases began.
std::shared_ptr<Session> Server::Impl::FindSlow() const {
  const Steady::time_point now = Steady::now();
  const auto slow =
      std::ranges::find_if(busy, [now](const auto& session) { return session->IsSlow(now); });
  return slow == busy.end() ? nullptr : *slow;
}

// Not at once: the session that calls may be the one that makes room.
void Server::Impl::OnRoom() {
  if (arrived_) asio::post(io_, [this] { LetArrivedIn(); });
  AcceptNext();
  if (IsDone()) timer_.cancel();
}

void Server::Impl::AcceptNext() {
  if (is_accepting_ || arrived_ || !CanAccept()) return;
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
  arrived_ = std::move(socket);
  LetArrivedIn();
  if (!is_ticking_) AwaitTick();  // it came in the moment of the end
}

// A flood is of connections that never ask for anything, or not to the end, and those that have are
// kept from it; but they leave some places for whoever comes.
void Server::Impl::MakeRoom() {
  const bool takes_fresh = waiting.empty() || fresh.size() > options.most_connections / 4;
  const Sessions& from = takes_fresh ? fresh : waiting;
  std::shared_ptr<Session> one = FindSlow();
  if (one == nullptr && !from.empty()) one = from.front();
  if (one != nullptr) one->Evict();
}

// Where nobody makes room it waits, and all behind it do.
void Server::Impl::LetArrivedIn() {
  if (arrived_ && connections >= options.most_connections) MakeRoom();
  if (!arrived_ || connections >= options.most_connections) return;
  Welcome(*std::exchange(arrived_, std::nullopt));
  AcceptNext();
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
  const auto session = std::make_shared<Session>(static_cast<ConnectionRegistry&>(*this),
                                                 std::move(wire), TextOf(remote));
  ++accepted;
  ++connections;
  session->Start();
}

// One timer for all connections: their deadlines change far more often than they are reached.
void Server::Impl::AwaitTick() {
  constexpr Duration kShortest{5}, kLongest{1000};
  const Duration least = std::min(
      {options.patience, options.idle, options.drain_timeout, options.turn, options.hurry});
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
  end_of_waiting = std::min(end_, now + options.drain_timeout);
  for (const auto& session : AllSessions()) session->HurryUp();
  timer_.cancel();  // which ticks
}

// To whoever has connected already a closed door would look like a lost request.
void Server::Impl::AcceptPending() {
  error_code error;
  acceptor_.cancel(error);
  acceptor_.non_blocking(true, error);
  LetArrivedIn();
  while (!error && connections < options.most_connections) {
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
  asio::thread_pool& pool = request.body.empty() ? *pages_ : *pool_;
  asio::post(pool, [this, session = std::move(session), request = std::move(request)]() mutable {
    auto share = request.share;
    Response response = Answer(std::exchange(request, {}));
    // Not before the request and the answer are gone, or held elsewhere, is its memory given back.
    asio::post(io_, [this, session = std::move(session), response = std::move(response),
                     share = std::move(share)]() mutable {
      --requests;
      session->Respond(std::move(response));
      share.reset();
      LetQueuesIn();
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
  if (!options.report) return;
  options.report("cannot answer " + request.method + " " + std::string(request.path()) + ": " +
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
