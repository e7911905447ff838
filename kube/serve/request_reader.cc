#include "kube/serve/request_reader.h"

#include <algorithm>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <utility>

#include "kube/base/ascii.h"
#include "kube/serve/response_text.h"

namespace kube::serve {
namespace {

namespace beast_http = boost::beast::http;
using Parser = beast_http::request_parser<beast_http::string_body>;
using boost::beast::error_code;

constexpr std::string_view kEndOfHead = "\r\n\r\n";
// No chunked body ends in less: "0", and two line ends. Given less of one, the parser may take
// itself to be in a state that it is not in.
constexpr std::size_t kLeastOfChunked = 5;

std::string TextOf(boost::beast::string_view view) { return {view.data(), view.size()}; }

struct Refusal {
  int status;
  std::string line;
};

Refusal RefusalOf(const error_code& error, const RequestLimits& limits) {
  if (error == beast_http::error::body_limit) {
    return {413, "the body is larger than " + std::to_string(limits.body_bytes) + " bytes"};
  }
  return {400, "the request is not HTTP/1.1: " + error.message()};
}

// Where a line ends in the byte LF alone; npos: nowhere.
std::size_t FindBareLineFeed(std::string_view text) {
  std::size_t at = text.find('\n');
  while (at != text.npos && at > 0 && text[at - 1] == '\r') at = text.find('\n', at + 1);
  return at;
}

}  // namespace

class RequestReader::Impl {
 public:
  explicit Impl(RequestLimits limits) : limits_(limits) { Begin(); }

  void Take(std::string_view bytes) {
    if (state_ == State::kRefused) return;
    if (state_ == State::kComplete) {
      kept_.append(bytes);
    } else if (kept_.empty()) {
      kept_.append(bytes.substr(Parse(bytes)));
    } else {
      kept_.append(bytes);
      kept_.erase(0, Parse(kept_));
    }
    if (state_ == State::kRefused) kept_.clear();
  }

  Request TakeRequest() {
    Request request;
    beast_http::request<beast_http::string_body> message = parser_->release();
    request.method = std::move(method_);
    request.target = TextOf(message.target());
    request.headers = std::move(headers_);
    request.body = std::move(message.body());
    Begin();
    Take({});
    return request;
  }

  bool TakeExpectation() {
    return std::exchange(expects_, false) && state_ == State::kBody && kept_.empty() &&
           body_bytes() == 0;
  }

  State state() const { return state_; }
  bool keeps_alive() const { return parser_->is_header_done() && parser_->keep_alive(); }
  std::string_view method() const { return method_; }
  std::size_t body_bytes() const {
    return state_ == State::kIdle || state_ == State::kHead ? 0 : parser_->get().body().size();
  }
  Response refusal() const { return PlainAnswer(refusal_.status, refusal_.line); }

 private:
  void Begin() {
    parser_.emplace();
    parser_->eager(true);
    parser_->body_limit(limits_.body_bytes);
    // We have seen where the head ends before the parser sees it.
    parser_->header_limit(static_cast<std::uint32_t>(limits_.head_bytes));
    state_ = State::kIdle;
    expects_ = false;
    method_.clear();
    headers_.clear();
  }

  // Returns how many of the bytes are done with.
  std::size_t Parse(std::string_view bytes) {
    std::size_t done = 0;
    if (state_ == State::kIdle || state_ == State::kHead) done = ParseHead(bytes);
    while (state_ == State::kBody) {
      const std::size_t taken = ParseBody(bytes.substr(done));
      done += taken;
      if (taken == 0) break;
    }
    return done;
  }

  // The parser is given a head as a whole, so that it says the same however the bytes arrive.
  std::size_t ParseHead(std::string_view bytes) {
    if (bytes.empty()) return 0;
    state_ = State::kHead;
    const std::size_t end = bytes.find(kEndOfHead);
    const std::size_t size = end == bytes.npos ? bytes.size() : end + kEndOfHead.size();
    const std::string_view head = bytes.substr(0, size);
    if (!IsPlausible(head)) return 0;
    if (end == bytes.npos) return 0;
    error_code error;
    const std::size_t done = Put(head, error);
    // The rest of it is the body's, which may be left for later.
    if (error && error != beast_http::error::need_more) {
      Refuse(RefusalOf(error, limits_));
    } else if (!parser_->is_header_done()) {
      Refuse({400, "the request is not HTTP/1.1"});
    } else {
      FinishHead();
    }
    return done;
  }

  // What is no request is refused at once rather than when it has ended, which may be never: TLS,
  // lines that end in LF alone.
  bool IsPlausible(std::string_view head) {
    if (!base::IsLetter(head[0])) {
      Refuse({400, "the request is not HTTP/1.1: it does not begin with a method"});
    } else if (FindBareLineFeed(head) != head.npos) {
      Refuse({400, "the request is not HTTP/1.1: a line does not end in CRLF"});
    } else if (head.size() > limits_.head_bytes) {
      Refuse({431, "the head is larger than " + std::to_string(limits_.head_bytes) + " bytes"});
    }
    return state_ != State::kRefused;
  }

  void FinishHead() {
    const auto& message = parser_->get();
    method_ = TextOf(message.method_string());
    for (const auto& field : message) {
      headers_.emplace_back(TextOf(field.name_string()), TextOf(field.value()));
    }
    state_ = parser_->is_done() ? State::kComplete : State::kBody;
    if (message.version() >= 11 && message.count(beast_http::field::host) == 0) {
      return Refuse({400, "the request has no Host header"});
    }
    CheckCoding(message[beast_http::field::transfer_encoding]);
    CheckExpectation(message[beast_http::field::expect]);
  }

  void CheckCoding(boost::beast::string_view coding) {
    if (coding.empty() || boost::beast::iequals(coding, "chunked")) return;
    Refuse({501, "the only transfer encoding known here is chunked"});
  }

  void CheckExpectation(boost::beast::string_view expectation) {
    if (expectation.empty()) return;
    expects_ = boost::beast::iequals(expectation, "100-continue");
    if (!expects_) Refuse({417, "the only expectation known here is 100-continue"});
  }

  // At most as many bytes at once as a line may have: a line that does not end in them is too long.
  std::size_t ParseBody(std::string_view bytes) {
    const std::size_t least = parser_->chunked() ? kLeastOfChunked : 1;
    if (bytes.size() < least) return 0;
    const std::string_view piece = parser_->chunked() ? bytes.substr(0, limits_.head_bytes) : bytes;
    error_code error;
    const std::size_t done = Put(piece, error);
    if (error && error != beast_http::error::need_more) {
      Refuse(RefusalOf(error, limits_));
    } else if (parser_->is_done()) {
      state_ = State::kComplete;
    } else if (done == 0 && piece.size() >= limits_.head_bytes) {
      Refuse({400, "the request is not HTTP/1.1: a line of the chunked body is too long"});
    }
    return done;
  }

  std::size_t Put(std::string_view bytes, error_code& error) {
    return parser_->put({bytes.data(), bytes.size()}, error);
  }

  void Refuse(Refusal refusal) {
    refusal_ = std::move(refusal);
    state_ = State::kRefused;
  }

  RequestLimits limits_;
  std::optional<Parser> parser_;
  State state_ = State::kIdle;
  std::string kept_;  // what has come and is not parsed yet
  bool expects_ = false;
  std::string method_;
  std::vector<std::pair<std::string, std::string>> headers_;  // without trailers
  Refusal refusal_{};
};

RequestReader::RequestReader(RequestLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestReader::RequestReader(RequestReader&&) noexcept = default;
RequestReader& RequestReader::operator=(RequestReader&&) noexcept = default;
RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::Take(std::string_view bytes) {
  impl_->Take(bytes);
  return impl_->state();
}

RequestReader::State RequestReader::state() const { return impl_->state(); }
Request RequestReader::TakeRequest() { return impl_->TakeRequest(); }
bool RequestReader::TakeExpectation() { return impl_->TakeExpectation(); }
bool RequestReader::keeps_alive() const { return impl_->keeps_alive(); }
std::string_view RequestReader::method() const { return impl_->method(); }
std::size_t RequestReader::body_bytes() const { return impl_->body_bytes(); }
Response RequestReader::refusal() const { return impl_->refusal(); }

}  // namespace kube::serve
