#include "kube/client/curl_transport.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <exception>
#include <map>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "kube/base/environment.h"
#include "kube/base/result.h"
#include "kube/client/response_head.h"
#include "kube/client/route.h"

namespace kube::client {
namespace {

constexpr long kConnectTimeoutSeconds = 30;
constexpr long kHttpPort = 80;  // of a proxy that names none; libcurl would take 1080
constexpr long kBufferBytes = 256 * 1024;
// Together they are what Go's HTTP/2 transport does with pings: 30 s idle, then 15 s to answer.
constexpr long kKeepAliveIdleSeconds = 30;
constexpr long kKeepAliveIntervalSeconds = 15;
constexpr int kSilenceMilliseconds = 45'000;
constexpr std::size_t kMaxIdleHandles = 64;
// Whenever libcurl is run it looks at the socket once for each transfer. With so many of a bulk
// under way a run that brought nothing is followed by so long a rest, and the next one takes what
// has come for several of them.
constexpr std::ptrdiff_t kManyInBulk = 8;
constexpr std::chrono::milliseconds kRest{3};
// A server closes its idle HTTP/2 connections after 90 s; in that moment requests fail.
constexpr long kMaxIdleSeconds = 60;

/// libcurl's own state for the whole program, made once and never given back.
void InitializeCurl() {
  static const CURLcode result = [] {
    // Set for a browser, libcurl would write our sessions' secrets to that file as well.
    unsetenv("SSLKEYLOGFILE");
    return curl_global_init(CURL_GLOBAL_DEFAULT);
  }();
  if (result != CURLE_OK) {
    throw base::Error(std::string("cannot use libcurl: ") + curl_easy_strerror(result));
  }
}

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;
using List = std::unique_ptr<curl_slist, ListDeleter>;

void Append(List& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  (void)list.release();
  list.reset(longer);
}

/// A setting that libcurl refuses would be left at its default, and the default may be unsafe.
template <typename T>
void Set(CURL* easy, CURLoption option, T value) {
  const CURLcode result = curl_easy_setopt(easy, option, value);
  if (result != CURLE_OK) {
    throw base::Error(std::string("cannot set up a connection: ") + curl_easy_strerror(result));
  }
}

/// PEM text that libcurl reads in place.
void SetPem(CURL* easy, CURLoption option, const std::string& pem) {
  if (pem.empty()) return;
  curl_blob blob{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_NOCOPY};
  Set(easy, option, &blob);
}

/// PEM text that libcurl copies, so that another may come in its place; none if it is empty.
void SetPemCopy(CURL* easy, CURLoption option, const std::string& pem) {
  if (pem.empty()) return Set(easy, option, static_cast<curl_blob*>(nullptr));
  curl_blob blob{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_COPY};
  Set(easy, option, &blob);
}

/// Go asks a socks5 proxy to look names up; in libcurl that is another scheme.
std::string ProxyForCurl(const std::string& url) {
  constexpr std::string_view kSocks = "socks5://";
  return url.starts_with(kSocks) ? "socks5h://" + url.substr(kSocks.size()) : url;
}

int LimitSilence(void*, curl_socket_t socket, curlsocktype) {
  // With it TCP also gives up a connection whose keep-alive probes go unanswered.
  const int milliseconds = kSilenceMilliseconds;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
  return CURL_SOCKOPT_OK;
}

bool IsTlsFault(CURLcode code) {
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
      return true;
    default:
      return false;
  }
}

bool IsLostConnection(CURLcode code) {
  switch (code) {
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

/// In a TLS handshake, as of a load balancer without a server behind it. Where libcurl knows a
/// cause, it words that in the place of SSL_ERROR_SYSCALL.
bool IsClosedInHandshake(CURLcode code, const std::string& message) {
  return code == CURLE_SSL_CONNECT_ERROR && (message.find("SSL_ERROR_SYSCALL") != message.npos ||
                                             message.find("unexpected eof") != message.npos);
}

/// What a proxy answers instead of a tunnel will not pass by itself, but for trouble of its own.
bool IsRefusedByProxy(long connect_code) {
  constexpr long kSuccesses = 300, kServerErrors = 500;
  return connect_code >= kSuccesses && connect_code < kServerErrors;
}

TransportError::Kind KindOf(CURLcode code, int system_error, const std::string& message) {
  using Kind = TransportError::Kind;
  if (IsClosedInHandshake(code, message)) return Kind::kConnectionLost;
  if (code == CURLE_OPERATION_TIMEDOUT) return Kind::kTimeout;
  if (code == CURLE_COULDNT_CONNECT) {
    return system_error == ECONNREFUSED ? Kind::kRefused : Kind::kOther;
  }
  // Under TLS 1.3 a server refuses our certificate only once we read.
  const bool alert = message.find(" alert ") != message.npos;
  if (IsLostConnection(code)) return alert ? Kind::kTls : Kind::kConnectionLost;
  if (!IsTlsFault(code)) return Kind::kOther;
  const bool cut = system_error == ECONNRESET || system_error == EPIPE;
  return code == CURLE_SSL_CONNECT_ERROR && cut ? Kind::kConnectionLost : Kind::kTls;
}

/// "Couldn't" becomes "couldn't", "SSL" stays.
std::string LowerFirst(std::string text) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (text.size() > 1 && is_upper(text[0]) && !is_upper(text[1])) {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

std::string MessageOf(CURLcode code, int system_error, const std::string& detail) {
  // libcurl would quote the proxy's URL, which may hold a password.
  if (detail.starts_with("Unsupported proxy")) return "the URL of the proxy cannot be used";
  if (detail.starts_with("unable to set private key")) {
    return "tls: the client key cannot be used: it is encrypted, or not that of the certificate";
  }
  std::string message = LowerFirst(detail.empty() ? curl_easy_strerror(code) : detail);
  if (code == CURLE_PEER_FAILED_VERIFICATION) {
    return "tls: failed to verify certificate: " + message;
  }
  // Go's word for it.
  if (code == CURLE_GOT_NOTHING || IsClosedInHandshake(code, detail)) return "EOF";
  if (code == CURLE_COULDNT_CONNECT && system_error != 0) {
    message += ": " + std::generic_category().message(system_error);
  }
  return message;
}

/// The first certificate of those that a server has shown, which is its own.
std::string FirstCertificate(CURL* easy) {
  constexpr std::string_view kLabel = "Cert:";
  curl_certinfo* shown = nullptr;
  curl_easy_getinfo(easy, CURLINFO_CERTINFO, &shown);
  if (shown == nullptr || shown->num_of_certs == 0) return "";
  for (const curl_slist* line = shown->certinfo[0]; line != nullptr; line = line->next) {
    const std::string_view text(line->data);
    if (text.starts_with(kLabel)) return std::string(text.substr(kLabel.size()));
  }
  return "";
}

/// None where it is zero.
void SetTimeout(CURL* easy, base::Clock::Duration timeout) {
  using Milliseconds = std::chrono::duration<long, std::milli>;
  const auto positive = std::max(timeout, base::Clock::Duration::zero());
  Set(easy, CURLOPT_TIMEOUT_MS, std::chrono::ceil<Milliseconds>(positive).count());
}

}  // namespace

class CurlTransport::Impl {
 public:
  explicit Impl(const ConnectionConfig& config)
      : config_(config),
        route_(RouteTo(config, base::ProcessEnvironment())),
        certificate_{config.client_certificate_pem, config.client_key_pem} {
    InitializeCurl();
    multi_.reset(curl_multi_init());
    if (!multi_) throw std::bad_alloc();
    curl_multi_setopt(multi_.get(), CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAX_HOST_CONNECTIONS,
                      static_cast<long>(kMostConnections));
    proxy_ = ProxyForCurl(route_.proxy);
    if (!route_.connect_to.empty()) Append(connect_to_, "::" + route_.connect_to);
  }

  ~Impl() {
    for (const auto& [id, transfer] : transfers_) Detach(*transfer);
  }

  void UseCertificate(ClientCertificate certificate) { certificate_ = std::move(certificate); }

  std::string ServerCertificate(base::Clock::Duration timeout);

  RequestId Start(HttpRequest request, base::Clock::Duration timeout, ResponseSink& sink) {
    const RequestId id = next_id_++;
    auto transfer = std::make_unique<Transfer>(*this, sink);
    transfer->request = std::move(request);
    transfer->timeout = timeout;
    transfers_[id] = std::move(transfer);
    new_.push_back(id);
    return id;
  }

  void Cancel(RequestId id) {
    const auto found = transfers_.find(id);
    if (found == transfers_.end()) return;
    found->second->sink = nullptr;
    // libcurl does not let go of a handle while it is calling us.
    cancelled_.push_back(id);
  }

  void Wake();

  void Poll(base::Clock::TimePoint deadline) {
    happened_ = false;
    for (;;) {
      DropCancelled();
      AddNew();
      const base::Clock::TimePoint performed_at = std::chrono::steady_clock::now();
      Perform();
      DeliverEnds();
      const bool is_over = std::chrono::steady_clock::now() >= deadline;
      if (happened_ || is_woken_.exchange(false) || is_over) return;
      if (HasBulk()) std::this_thread::sleep_until(std::min(deadline, performed_at + kRest));
      Wait(deadline);
    }
  }

 private:
  struct Transfer {
    Transfer(Impl& impl, ResponseSink& response_sink) : owner(impl), sink(&response_sink) {}

    Impl& owner;
    ResponseSink* sink;  // null pointer once cancelled
    HttpRequest request;
    base::Clock::Duration timeout{};
    Easy easy;
    List headers;
    HeadReader head;
    char error[CURL_ERROR_SIZE] = "";
  };

  void DropCancelled();
  void AddNew();
  void Add(Transfer& transfer);
  void SpreadOverConnections();
  Easy TakeHandle();
  Easy MakeHandle();
  void SetTls(CURL* easy);
  void SetCertificate(CURL* easy);
  void SetProxy(CURL* easy);
  void SetProxyTls(CURL* easy);
  void SetLimits(CURL* easy);
  void SetRequest(Transfer& transfer);
  void SetHeaders(Transfer& transfer);
  void SetMethod(Transfer& transfer);
  void SetCallbacks(Transfer& transfer);
  void Perform();
  bool HasBulk() const;
  void Wait(base::Clock::TimePoint deadline);
  void DeliverEnds();
  void DeliverEnd(CURL* easy, CURLcode code);
  std::optional<TransportError> ErrorOf(const Transfer& transfer, CURLcode code) const;
  void Detach(Transfer& transfer);

  template <typename Action>
  std::size_t Guard(Transfer& transfer, std::size_t size, Action action);
  static std::size_t OnHeader(char* data, std::size_t unit, std::size_t count, void* user);
  static std::size_t OnBody(char* data, std::size_t unit, std::size_t count, void* user);

  const ConnectionConfig config_;
  const Route route_;
  ClientCertificate certificate_;  // of requests that are added from now on
  List connect_to_;                // absent: to the URL's host
  std::string proxy_;              // empty: none
  std::unique_ptr<CURLM, MultiDeleter> multi_;
  std::map<RequestId, std::unique_ptr<Transfer>> transfers_;
  std::map<CURL*, RequestId> by_handle_;
  std::vector<RequestId> new_, cancelled_;
  std::vector<Easy> idle_;
  RequestId next_id_ = 1;
  bool happened_ = false;
  std::atomic<bool> is_woken_ = false;  // by any thread
  std::exception_ptr failure_;          // of a sink that libcurl called
};

void CurlTransport::Impl::DropCancelled() {
  for (const RequestId id : std::exchange(cancelled_, {})) {
    const auto found = transfers_.find(id);
    if (found == transfers_.end()) continue;
    Detach(*found->second);
    transfers_.erase(found);
  }
}

void CurlTransport::Impl::AddNew() {
  for (const RequestId id : std::exchange(new_, {})) {
    const auto found = transfers_.find(id);
    if (found == transfers_.end()) continue;
    Add(*found->second);
    by_handle_[found->second->easy.get()] = id;
  }
}

void CurlTransport::Impl::Add(Transfer& transfer) {
  transfer.easy = TakeHandle();
  SetRequest(transfer);
  SetCertificate(transfer.easy.get());
  SetHeaders(transfer);
  SetMethod(transfer);
  SetCallbacks(transfer);
  SpreadOverConnections();
  const CURLMcode result = curl_multi_add_handle(multi_.get(), transfer.easy.get());
  if (result != CURLM_OK)
    throw base::Error(std::string("cannot connect: ") + curl_multi_strerror(result));
}

// libcurl fills one connection before it takes another, so each is given its part of what is in
// flight and no more.
void CurlTransport::Impl::SpreadOverConnections() {
  if (config_.connections <= 1) return;
  const auto connections = static_cast<std::size_t>(config_.connections);
  const std::size_t in_flight = by_handle_.size() + 1;
  curl_multi_setopt(multi_.get(), CURLMOPT_MAX_CONCURRENT_STREAMS,
                    static_cast<long>((in_flight + connections - 1) / connections));
}

Easy CurlTransport::Impl::TakeHandle() {
  if (idle_.empty()) return MakeHandle();
  Easy easy = std::move(idle_.back());
  idle_.pop_back();
  return easy;
}

// What is the same for all requests is set once. A handle is not reset between them: libcurl may
// keep its buffer from one transfer to the next, and refuses another size of it then.
Easy CurlTransport::Impl::MakeHandle() {
  Easy easy(curl_easy_init());
  if (!easy) throw std::bad_alloc();
  Set(easy.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  Set(easy.get(), CURLOPT_PATH_AS_IS, 1L);
  Set(easy.get(), CURLOPT_FOLLOWLOCATION, 0L);
  // Without TLS there is no HTTP/2 to agree on. The variable is client-go's.
  const bool is_disabled = !base::ProcessEnvironment().variable("DISABLE_HTTP2").empty();
  Set(easy.get(), CURLOPT_HTTP_VERSION,
      static_cast<long>(is_disabled ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
  Set(easy.get(), CURLOPT_PIPEWAIT, 1L);
  Set(easy.get(), CURLOPT_CONNECT_TO, connect_to_.get());
  SetTls(easy.get());
  SetProxy(easy.get());
  SetLimits(easy.get());
  return easy;
}

std::string CurlTransport::Impl::ServerCertificate(base::Clock::Duration timeout) {
  if (!route_.url.is_tls()) return "";
  const Easy easy = MakeHandle();
  char error[CURL_ERROR_SIZE] = "";
  Set(easy.get(), CURLOPT_ERRORBUFFER, static_cast<char*>(error));
  Set(easy.get(), CURLOPT_URL, route_.base.c_str());
  Set(easy.get(), CURLOPT_CONNECT_ONLY, 1L);
  Set(easy.get(), CURLOPT_CERTINFO, 1L);
  SetTimeout(easy.get(), timeout);
  SetCertificate(easy.get());
  const CURLcode code = curl_easy_perform(easy.get());
  if (code != CURLE_OK) {
    long number = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_OS_ERRNO, &number);
    throw base::Error("cannot see the certificate of " + config_.server + ": " +
                      MessageOf(code, static_cast<int>(number), error));
  }
  return FirstCertificate(easy.get());
}

void CurlTransport::Impl::SetTls(CURL* easy) {
  const bool verify = !config_.insecure_skip_tls_verify;
  Set(easy, CURLOPT_SSL_VERIFYPEER, verify ? 1L : 0L);
  Set(easy, CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
  Set(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  // Without it OpenSSL would ask the terminal for the password of an encrypted key.
  Set(easy, CURLOPT_KEYPASSWD, "");
  // Those that libcurl was built with would be trusted beside ours, or where we have none.
  Set(easy, CURLOPT_CAINFO, static_cast<char*>(nullptr));
  Set(easy, CURLOPT_CAPATH, static_cast<char*>(nullptr));
  SetPem(easy, CURLOPT_CAINFO_BLOB, route_.authorities);
}

// A connection is used again only by requests with the same certificate: libcurl compares them.
void CurlTransport::Impl::SetCertificate(CURL* easy) {
  SetPemCopy(easy, CURLOPT_SSLCERT_BLOB, certificate_.certificate_pem);
  SetPemCopy(easy, CURLOPT_SSLKEY_BLOB, certificate_.key_pem);
}

void CurlTransport::Impl::SetProxy(CURL* easy) {
  Set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  // Both are always set: libcurl would look at the environment in its own way.
  Set(easy, CURLOPT_PROXY, proxy_.c_str());
  Set(easy, CURLOPT_NOPROXY, "");
  if (proxy_.starts_with("http://")) Set(easy, CURLOPT_PROXYPORT, kHttpPort);
  SetProxyTls(easy);
}

// Go has one TLS configuration for the server and for an https proxy before it.
void CurlTransport::Impl::SetProxyTls(CURL* easy) {
  const bool verify = !config_.insecure_skip_tls_verify;
  Set(easy, CURLOPT_PROXY_SSL_VERIFYPEER, verify ? 1L : 0L);
  Set(easy, CURLOPT_PROXY_SSL_VERIFYHOST, verify ? 2L : 0L);
  Set(easy, CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  SetPem(easy, CURLOPT_PROXY_SSLCERT_BLOB, config_.client_certificate_pem);
  SetPem(easy, CURLOPT_PROXY_SSLKEY_BLOB, config_.client_key_pem);
  Set(easy, CURLOPT_PROXY_KEYPASSWD, "");
  Set(easy, CURLOPT_PROXY_CAINFO, static_cast<char*>(nullptr));
  Set(easy, CURLOPT_PROXY_CAPATH, static_cast<char*>(nullptr));
  SetPem(easy, CURLOPT_PROXY_CAINFO_BLOB, route_.authorities);
}

void CurlTransport::Impl::SetLimits(CURL* easy) {
  Set(easy, CURLOPT_NOSIGNAL, 1L);
  Set(easy, CURLOPT_CONNECTTIMEOUT, kConnectTimeoutSeconds);
  Set(easy, CURLOPT_MAXAGE_CONN, kMaxIdleSeconds);
  // Else the end of a request would wait for the system's resolver.
  Set(easy, CURLOPT_QUICK_EXIT, 1L);
  Set(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  Set(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(std::chrono::seconds(kStalled).count()));
  Set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  Set(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  Set(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  Set(easy, CURLOPT_SOCKOPTFUNCTION, &LimitSilence);
  Set(easy, CURLOPT_BUFFERSIZE, kBufferBytes);
}

void CurlTransport::Impl::SetRequest(Transfer& transfer) {
  CURL* easy = transfer.easy.get();
  Set(easy, CURLOPT_URL, (route_.base + transfer.request.target).c_str());
  const bool compresses = !config_.disable_compression &&
                          (transfer.request.always_compress || !route_.url.is_loopback());
  Set(easy, CURLOPT_ACCEPT_ENCODING, compresses ? "gzip" : nullptr);
  const long fresh = transfer.request.fresh_connection ? 1 : 0;
  Set(easy, CURLOPT_FRESH_CONNECT, fresh);
  Set(easy, CURLOPT_FORBID_REUSE, fresh);
  SetTimeout(easy, transfer.timeout);
}

void CurlTransport::Impl::SetHeaders(Transfer& transfer) {
  CURL* easy = transfer.easy.get();
  for (const HttpHeader& header : transfer.request.headers) {
    // A header without a value is written with a semicolon, or libcurl would leave it out.
    Append(transfer.headers,
           header.name + (header.value.empty() ? std::string(";") : ": " + header.value));
  }
  if (!route_.host_header.empty()) Append(transfer.headers, "Host: " + route_.host_header);
  // The server is not asked whether it wants the body.
  Append(transfer.headers, "Expect:");
  Set(easy, CURLOPT_HTTPHEADER, transfer.headers.get());
}

void CurlTransport::Impl::SetMethod(Transfer& transfer) {
  CURL* easy = transfer.easy.get();
  const HttpRequest& request = transfer.request;
  Set(easy, CURLOPT_HTTPGET, 1L);  // also undoes what an earlier request set
  if (!request.body.empty() || request.method == "POST") {
    Set(easy, CURLOPT_POST, 1L);
    Set(easy, CURLOPT_POSTFIELDS, request.body.data());
    Set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
  if (request.method == "HEAD") Set(easy, CURLOPT_NOBODY, 1L);
  Set(easy, CURLOPT_CUSTOMREQUEST, request.method == "GET" ? nullptr : request.method.c_str());
}

void CurlTransport::Impl::SetCallbacks(Transfer& transfer) {
  CURL* easy = transfer.easy.get();
  Set(easy, CURLOPT_ERRORBUFFER, static_cast<char*>(transfer.error));
  Set(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
  Set(easy, CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  Set(easy, CURLOPT_WRITEFUNCTION, &OnBody);
  Set(easy, CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
}

/// Runs `action`, keeping what it throws away from libcurl. Any count but `size` ends the transfer.
template <typename Action>
std::size_t CurlTransport::Impl::Guard(Transfer& transfer, std::size_t size, Action action) {
  if (transfer.sink == nullptr || failure_) return size + 1;
  try {
    action(*transfer.sink);
    return size;
  } catch (...) {
    failure_ = std::current_exception();
    transfer.sink = nullptr;
    return size + 1;
  }
}

std::size_t CurlTransport::Impl::OnHeader(char* data, std::size_t unit, std::size_t count,
                                          void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(data, unit * count);
  const std::size_t taken = transfer.owner.Guard(transfer, line.size(), [&](ResponseSink& sink) {
    if (!transfer.head.Take(line)) return;
    transfer.owner.happened_ = true;
    sink.OnHead(transfer.head.head());
  });
  return transfer.head.is_too_long() ? line.size() + 1 : taken;
}

std::size_t CurlTransport::Impl::OnBody(char* data, std::size_t unit, std::size_t count,
                                        void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view bytes(data, unit * count);
  // As after a 101 that nobody asked for.
  if (!transfer.head.complete()) return bytes.size() + 1;
  return transfer.owner.Guard(transfer, bytes.size(), [&](ResponseSink& sink) {
    transfer.owner.happened_ = true;
    sink.OnBytes(bytes);
  });
}

void CurlTransport::Impl::Perform() {
  int running = 0;
  const CURLMcode result = curl_multi_perform(multi_.get(), &running);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (result != CURLM_OK) {
    throw base::Error(std::string("cannot talk to the server: ") + curl_multi_strerror(result));
  }
}

bool CurlTransport::Impl::HasBulk() const {
  const auto is_in_bulk = [](const auto& entry) { return entry.second->request.in_bulk; };
  return std::ranges::count_if(transfers_, is_in_bulk) >= kManyInBulk;
}

void CurlTransport::Impl::Wait(base::Clock::TimePoint deadline) {
  using std::chrono::milliseconds;
  const base::Clock::Duration left =
      deadline - std::min(deadline, std::chrono::steady_clock::now());
  const auto wait =
      std::chrono::ceil<milliseconds>(std::min<base::Clock::Duration>(left, std::chrono::hours(1)));
  curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(wait.count()), nullptr);
}

void CurlTransport::Impl::Wake() {
  is_woken_ = true;
  curl_multi_wakeup(multi_.get());
}

void CurlTransport::Impl::DeliverEnds() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg == CURLMSG_DONE) DeliverEnd(message->easy_handle, message->data.result);
  }
}

void CurlTransport::Impl::DeliverEnd(CURL* easy, CURLcode code) {
  const auto handle = by_handle_.find(easy);
  if (handle == by_handle_.end()) return;
  const auto node = transfers_.extract(handle->second);
  Transfer& transfer = *node.mapped();
  const auto error = ErrorOf(transfer, code);
  Detach(transfer);
  if (transfer.sink == nullptr) return;
  happened_ = true;
  transfer.sink->OnEnd(error);
}

std::optional<TransportError> CurlTransport::Impl::ErrorOf(const Transfer& transfer,
                                                           CURLcode code) const {
  using Kind = TransportError::Kind;
  // CURLE_OUT_OF_MEMORY is libcurl's word for a line of it that is longer than it takes.
  if (transfer.head.is_too_long() || code == CURLE_OUT_OF_MEMORY) {
    return TransportError{Kind::kTooLong, "the head of the answer has no end"};
  }
  // CURLE_WRITE_ERROR: OnBody did not take what came in the place of a body.
  if (!transfer.head.complete() && (code == CURLE_OK || code == CURLE_WRITE_ERROR)) {
    return TransportError{Kind::kOther, "the answer is not HTTP"};
  }
  if (code == CURLE_OK) return std::nullopt;
  long system_error = 0;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_OS_ERRNO, &system_error);
  long connect_code = 0;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_HTTP_CONNECTCODE, &connect_code);
  if (IsRefusedByProxy(connect_code)) {
    return TransportError{Kind::kOther, "the proxy refuses to connect to the server (status code " +
                                            std::to_string(connect_code) + ")"};
  }
  const int number = static_cast<int>(system_error);
  const std::string detail(transfer.error);
  return TransportError{KindOf(code, number, detail), MessageOf(code, number, detail)};
}

void CurlTransport::Impl::Detach(Transfer& transfer) {
  if (!transfer.easy) return;
  by_handle_.erase(transfer.easy.get());
  curl_multi_remove_handle(multi_.get(), transfer.easy.get());
  if (idle_.size() < kMaxIdleHandles) idle_.push_back(std::move(transfer.easy));
  transfer.easy.reset();
}

void CurlTransport::PrepareForThreads() { InitializeCurl(); }

CurlTransport::CurlTransport(const ConnectionConfig& config)
    : impl_(std::make_unique<Impl>(config)) {}

CurlTransport::~CurlTransport() = default;

void CurlTransport::UseCertificate(ClientCertificate certificate) {
  impl_->UseCertificate(std::move(certificate));
}

std::string CurlTransport::ServerCertificate(base::Clock::Duration timeout) {
  return impl_->ServerCertificate(timeout);
}

CurlTransport::RequestId CurlTransport::Start(HttpRequest request, base::Clock::Duration timeout,
                                              ResponseSink& sink) {
  return impl_->Start(std::move(request), timeout, sink);
}

void CurlTransport::Cancel(RequestId id) { impl_->Cancel(id); }

void CurlTransport::Poll(base::Clock::TimePoint deadline) { impl_->Poll(deadline); }

void CurlTransport::Wake() { impl_->Wake(); }

}  // namespace kube::client
