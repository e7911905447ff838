#include "kube/serve/request_reader.h"

#include <algorithm>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <charconv>
#include <optional>
#include <utility>

#include "kube/base/text.h"
#include "kube/serve/message.h"

namespace kube::serve {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

/// The size that the line before a chunk tells; absent: it is no such line.
std::optional<std::uint64_t> SizeIn(std::string_view line) {
  constexpr int kHexadecimal = 16;
  std::uint64_t size = 0;
  const char* const end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data(), end, size, kHexadecimal);
  const bool is_size = error == std::errc() && base::IsHexDigit(line[0]);
  const bool is_followed = rest == end || *rest == ';' || *rest == ' ' || *rest == '\t';
  if (!is_size || !is_followed) return std::nullopt;
  return size;
}

}  // namespace

BodyReader::BodyReader(std::optional<std::uint64_t> length, Limits limits)
    : limits_(limits),
      is_chunked_(!length),
      part_(length ? Part::kData : Part::kSizeLine),
      left_(length.value_or(0)) {
  if (is_chunked_) return;
  if (left_ == 0) state_ = State::kDone;
  if (left_ > limits_.body_bytes) {
    state_ = State::kTooLarge;
  } else {
    body_.reserve(static_cast<std::size_t>(left_));
  }
}

std::size_t BodyReader::Take(std::string_view bytes) {
  std::size_t done = 0;
  while (state_ == State::kMore && done < bytes.size()) {
    const std::string_view rest = bytes.substr(done);
    std::size_t taken = 0;
    if (part_ == Part::kData) {
      taken = TakeData(rest);
    } else if (part_ == Part::kEndOfChunk) {
      taken = TakeEndOfChunk(rest);
    } else {
      taken = TakeLine(rest);
    }
    if (taken == 0) break;
    done += taken;
  }
  return done;
}

std::size_t BodyReader::TakeData(std::string_view bytes) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  body_.append(bytes.substr(0, taken));
  left_ -= taken;
  if (left_ == 0 && is_chunked_) part_ = Part::kEndOfChunk;
  if (left_ == 0 && !is_chunked_) state_ = State::kDone;
  return taken;
}

std::size_t BodyReader::TakeEndOfChunk(std::string_view bytes) {
  if (!bytes.starts_with(kLineEnd.substr(0, bytes.size()))) state_ = State::kMalformed;
  if (state_ == State::kMalformed || bytes.size() < kLineEnd.size()) return 0;
  part_ = Part::kSizeLine;
  return kLineEnd.size();
}

// A line is looked at as a whole, so that it means the same in whatever pieces it comes.
std::size_t BodyReader::TakeLine(std::string_view bytes) {
  const std::string_view piece = bytes.substr(0, limits_.line_bytes);
  const std::size_t end = piece.find('\n');
  if (end == piece.npos) {
    if (piece.size() == limits_.line_bytes) state_ = State::kMalformed;
    return 0;
  }
  if (end == 0 || piece[end - 1] != '\r') {
    state_ = State::kMalformed;
    return 0;
  }
  const std::string_view line = piece.substr(0, end - 1);
  if (line.find('\r') != line.npos) {
    state_ = State::kMalformed;
    return 0;
  }
  part_ == Part::kTrailers ? EndTrailer(line) : BeginChunk(line);
  return end + 1;
}

void BodyReader::BeginChunk(std::string_view line) {
  const auto size = SizeIn(line);
  if (!size) {
    state_ = State::kMalformed;
  } else if (*size > limits_.body_bytes - body_.size()) {
    state_ = State::kTooLarge;
  } else {
    left_ = *size;
    part_ = left_ == 0 ? Part::kTrailers : Part::kData;
  }
}

void BodyReader::EndTrailer(std::string_view line) {
  trailer_bytes_ += line.size();
  if (line.empty()) state_ = State::kDone;
  if (trailer_bytes_ > limits_.line_bytes) state_ = State::kMalformed;
}

namespace {

namespace beast_http = boost::beast::http;
using Parser = beast_http::request_parser<beast_http::empty_body>;
using boost::beast::error_code;

constexpr std::string_view kEndOfHead = "\r\n\r\n";

std::string TextOf(boost::beast::string_view view) { return {view.data(), view.size()}; }

struct Refusal {
  int status;
  std::string line;
};

// Where a line ends in the byte LF alone; npos: nowhere.
std::size_t FindBareLineFeed(std::string_view text) {
  std::size_t at = text.find('\n');
  while (at != text.npos && at > 0 && text[at - 1] == '\r') at = text.find('\n', at + 1);
  return at;
}

std::size_t CountLines(std::string_view head) {
  return static_cast<std::size_t>(std::ranges::count(head, '\n'));
}

// CR within a line, or a line that goes on in the next one (RFC 9112, 2.2 and 5.2), on which
// recipients do not agree. `head` ends in an empty line.
bool HasOddLine(std::string_view head) {
  for (std::size_t at = head.find('\r'); at != head.npos; at = head.find('\r', at + 1)) {
    const std::string_view behind = head.substr(at + 1, 2);
    if (!behind.starts_with('\n') || behind.ends_with(' ') || behind.ends_with('\t')) return true;
  }
  return false;
}

// Of a name and a port, or an address in brackets (RFC 3986, 3.2.2); it may be empty. Without the
// comma, by which two headers may have been joined.
bool IsHost(boost::beast::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return base::IsLetter(c) || base::IsDigit(c) ||
           std::string_view("-._~%!$&'()*+;=:[]").find(c) != std::string_view::npos;
  });
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
    request.method = std::move(method_);
    request.target = TextOf(parser_->get().target());
    request.headers = std::move(headers_);
    if (body_) request.body = std::move(body_->body());
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
  std::size_t body_bytes() const { return body_ ? body_->body().size() : 0; }
  std::size_t expected_body_memory() const {
    return body_ ? static_cast<std::size_t>(body_->expected_memory()) : 0;
  }
  Response refusal() const { return PlainAnswer(refusal_.status, refusal_.line); }

 private:
  void Begin() {
    parser_.emplace();
    parser_->skip(true);  // bodies are read by us
    // We have seen where the head ends before the parser sees it.
    parser_->header_limit(static_cast<std::uint32_t>(limits_.head_bytes));
    body_.reset();
    state_ = State::kIdle;
    expects_ = false;
    method_.clear();
    headers_.clear();
  }

  // Returns how many of the bytes are done with.
  std::size_t Parse(std::string_view bytes) {
    std::size_t done = 0;
    if (state_ == State::kIdle || state_ == State::kHead) done = ParseHead(bytes);
    if (state_ == State::kBody) done += ParseBody(bytes.substr(done));
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
    if (HasOddLine(head)) {
      Refuse({400, "the request is not HTTP/1.1: a line is folded, or has CR within"});
      return head.size();
    }
    error_code error;
    parser_->put({head.data(), head.size()}, error);
    if (error) {
      Refuse({400, "the request is not HTTP/1.1: " + error.message()});
    } else {
      FinishHead();
    }
    return head.size();
  }

  // What is no request is refused at once rather than when it has ended, which may be never: TLS,
  // lines that end in LF alone.
  bool IsPlausible(std::string_view head) {
    if (!base::IsLetter(head[0])) {
      Refuse({400, "the request is not HTTP/1.1: it does not begin with a method"});
    } else if (FindBareLineFeed(head.substr(0, limits_.head_bytes)) != head.npos) {
      Refuse({400, "the request is not HTTP/1.1: a line does not end in CRLF"});
    } else if (head.size() > limits_.head_bytes) {
      Refuse({431, "the head is larger than " + std::to_string(limits_.head_bytes) + " bytes"});
    } else if (CountLines(head) > limits_.head_lines) {
      // A header of one byte takes a hundred times as much.
      Refuse({431, "the head has more than " + std::to_string(limits_.head_lines) + " lines"});
    }
    return state_ != State::kRefused;
  }

  void FinishHead() {
    const auto& message = parser_->get();
    method_ = TextOf(message.method_string());
    for (const auto& field : message) {
      headers_.emplace_back(TextOf(field.name_string()), TextOf(field.value()));
    }
    state_ = State::kBody;
    CheckHost();
    if (state_ == State::kBody) CheckFraming();
    if (state_ == State::kBody) CheckExpectation(message[beast_http::field::expect]);
    if (state_ == State::kBody) BeginBody();
  }

  // RFC 9112, 3.2.
  void CheckHost() {
    const auto& message = parser_->get();
    const std::size_t hosts = message.count(beast_http::field::host);
    if (message.version() >= 11 && hosts == 0) {
      return Refuse({400, "the request has no Host header"});
    }
    if (hosts > 1) return Refuse({400, "the request has more than one Host header"});
    if (!IsHost(message[beast_http::field::host])) {
      Refuse({400, "the request's Host header is no host"});
    }
  }

  // RFC 9112, 6: where two recipients could read another length, what follows is another request
  // to each of them.
  void CheckFraming() {
    const auto& message = parser_->get();
    const std::size_t codings = message.count(beast_http::field::transfer_encoding);
    const std::size_t lengths = message.count(beast_http::field::content_length);
    if (codings > 1 || lengths > 1 || (codings > 0 && lengths > 0)) {
      return Refuse({400, "the request says more than once how long its body is"});
    }
    const std::string length = TextOf(message[beast_http::field::content_length]);
    if (lengths > 0 && (length.empty() || !base::AreDigits(length))) {
      return Refuse({400, "the request's Content-Length is no number"});
    }
    if (codings == 0) return;
    if (message.version() < 11) {
      return Refuse({400, "the request is HTTP/1.0, which has no Transfer-Encoding"});
    }
    const boost::beast::string_view coding = message[beast_http::field::transfer_encoding];
    if (coding.empty()) return Refuse({400, "the request's Transfer-Encoding is empty"});
    if (boost::beast::iequals(coding, "chunked")) return;
    Refuse({501, "the only transfer encoding known here is chunked"});
  }

  void BeginBody() {
    const auto length = parser_->content_length();
    std::optional<std::uint64_t> bytes = length ? *length : 0;
    if (parser_->chunked()) bytes.reset();
    body_.emplace(bytes, BodyReader::Limits{limits_.body_bytes, limits_.head_bytes});
    LookAtBody();
  }

  void CheckExpectation(boost::beast::string_view expectation) {
    if (expectation.empty()) return;
    expects_ = boost::beast::iequals(expectation, "100-continue");
    if (!expects_) Refuse({417, "the only expectation known here is 100-continue"});
  }

  std::size_t ParseBody(std::string_view bytes) {
    const std::size_t done = body_->Take(bytes);
    LookAtBody();
    return done;
  }

  void LookAtBody() {
    switch (body_->state()) {
      case BodyReader::State::kMore:
        return;
      case BodyReader::State::kDone:
        state_ = State::kComplete;
        return;
      case BodyReader::State::kTooLarge:
        return Refuse(
            {413, "the body is larger than " + std::to_string(limits_.body_bytes) + " bytes"});
      case BodyReader::State::kMalformed:
        return Refuse({400, "the request is not HTTP/1.1: its chunked body is malformed"});
    }
  }

  void Refuse(Refusal refusal) {
    refusal_ = std::move(refusal);
    state_ = State::kRefused;
  }

  const RequestLimits limits_;
  std::optional<Parser> parser_;    // of the head
  std::optional<BodyReader> body_;  // once the head is complete
  State state_ = State::kIdle;
  std::string kept_;  // what has come and is not parsed yet
  bool expects_ = false;
  std::string method_;
  std::vector<std::pair<std::string, std::string>> headers_;
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
std::size_t RequestReader::expected_body_memory() const { return impl_->expected_body_memory(); }
Response RequestReader::refusal() const { return impl_->refusal(); }

}  // namespace kube::serve
