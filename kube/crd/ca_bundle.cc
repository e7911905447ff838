#include "kube/crd/ca_bundle.h"

#include <cstdint>
#include <optional>

#include "kube/base/base64.h"
#include "kube/go/go_format.h"
#include "kube/meta/make_field_error.h"

namespace kube::crd {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "\n-----END ";
constexpr std::string_view kDashes = "-----";

struct PemBlock {
  std::string_view type;
  bool has_headers = false;
  std::string bytes;
};

struct Line {
  std::string_view text;  // without white space at its end
  std::size_t next;       // where the line after it starts
};

Line LineAt(std::string_view text, std::size_t start) {
  const std::size_t end = text.find('\n', start);
  std::string_view line = text.substr(start, end - start);
  if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return {line, end == std::string_view::npos ? text.size() : end + 1};
}

/// Finds blocks as encoding/pem's Decode does: from an END line back to the last BEGIN before it.
class PemReader {
 public:
  explicit PemReader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  /// Takes the next block; absent where there is none.
  std::optional<PemBlock> Take() {
    for (std::size_t from = 0; from <= rest_.size();) {
      const std::size_t end = rest_.find(kEnd, from);
      if (end == std::string_view::npos) return std::nullopt;
      std::size_t body = end;
      if (auto block = ReadBlock(from, end, body)) return block;
      from = end + kEnd.size();
      // Headers that swallowed the END line were the last chance.
      if (from < body) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  /// The block that ends at `end` and begins at or after `from`. `body` becomes the start of what
  /// follows its headers.
  std::optional<PemBlock> ReadBlock(std::size_t from, std::size_t end, std::size_t& body) {
    const std::size_t begin = rest_.substr(from, end - from).rfind(kBegin);
    if (begin == std::string_view::npos) return std::nullopt;
    if (begin > 0 && rest_[from + begin - 1] != '\n') return std::nullopt;
    const Line first = LineAt(rest_, from + begin + kBegin.size());
    if (!first.text.ends_with(kDashes)) return std::nullopt;
    PemBlock block;
    block.type = first.text.substr(0, first.text.size() - kDashes.size());
    body = SkipHeaders(first.next);
    block.has_headers = body != first.next;
    if (body == rest_.size() || (block.has_headers && end < body)) return std::nullopt;
    const std::size_t trailer = end + kEnd.size();
    if (!EndsBlock(rest_.substr(trailer), block.type)) return std::nullopt;
    if (end > body && !Decode(rest_.substr(body, end - body), block.bytes)) return std::nullopt;
    rest_.remove_prefix(LineAt(rest_, trailer).next);
    return block;
  }

  std::size_t SkipHeaders(std::size_t start) const {
    while (start < rest_.size()) {
      const Line line = LineAt(rest_, start);
      if (line.text.find(':') == std::string_view::npos) break;
      start = line.next;
    }
    return start;
  }

  static bool EndsBlock(std::string_view trailer, std::string_view type) {
    if (!trailer.starts_with(type)) return false;
    trailer.remove_prefix(type.size());
    return trailer.starts_with(kDashes) && LineAt(trailer, kDashes.size()).text.empty();
  }

  static bool Decode(std::string_view text, std::string& bytes) {
    std::string base64;
    for (const char c : text) {
      if (c != ' ' && c != '\t') base64 += c;
    }
    auto decoded = base::DecodeBase64(base64);
    if (!decoded) return false;
    bytes = *std::move(decoded);
    return true;
  }

  std::string_view rest_;
};

/// Takes an ASN.1 sequence from the front of `der` as cryptobyte does, which wants the shortest
/// form of a length; its content, or absent where there is none.
std::optional<std::string_view> TakeSequence(std::string_view& der) {
  constexpr char kSequence = 0x30;
  if (der.size() < 2 || der[0] != kSequence) return std::nullopt;
  std::uint64_t length = static_cast<unsigned char>(der[1]);
  std::size_t start = 2;
  if (length >= 0x80) {
    const std::size_t size = length & 0x7F;
    if (size < 1 || size > 4 || der.size() < 2 + size) return std::nullopt;
    for (length = 0; start < 2 + size; ++start) {
      length = length << 8 | static_cast<unsigned char>(der[start]);
    }
    if (length < 0x80 || length >> 8 * (size - 1) == 0) return std::nullopt;
  }
  if (der.size() - start < length) return std::nullopt;
  const std::string_view content = der.substr(start, length);
  der.remove_prefix(start + length);
  return content;
}

/// What x509.ParseCertificate says of the sequences that a certificate is made of.
std::string CertificateProblem(std::string_view der) {
  auto certificate = TakeSequence(der);
  if (!certificate) return "x509: malformed certificate";
  if (!TakeSequence(*certificate)) return "x509: malformed tbs certificate";
  return der.empty() ? "" : "x509: trailing data";
}

}  // namespace

// rootCertPool and createErrorParsingCAData of client-go transport/transport.go.
std::string CaBundleProblem(std::string_view pem) {
  constexpr const char* kStart = "unable to load root certificates: ";
  std::optional<std::string> first_problem;
  bool has_rest = false;
  for (PemReader reader(pem); !reader.at_end() && !has_rest;) {
    const auto block = reader.Take();
    has_rest = !block;
    if (!block || block->type != "CERTIFICATE" || block->has_headers) continue;
    std::string problem = CertificateProblem(block->bytes);
    if (problem.empty()) return "";
    if (!first_problem) first_problem = std::move(problem);
  }
  if (first_problem) return kStart + ("failed to parse certificate: " + *first_problem);
  return kStart + std::string(has_rest ? "unable to parse bytes as PEM block"
                                       : "no valid certificate authority data seen");
}

std::optional<meta::FieldError> CaBundleError(const Crd& crd) {
  const auto& config = crd.conversion.client_config;
  if (crd.conversion.strategy != "Webhook" || !config || config->ca_bundle.empty()) {
    return std::nullopt;
  }
  const std::string problem = CaBundleProblem(config->ca_bundle);
  if (problem.empty()) return std::nullopt;
  return meta::Invalid("spec.conversion.webhookClientConfig.caBundle",
                       go::GoQuote(base::EncodeBase64(config->ca_bundle)), problem);
}

}  // namespace kube::crd
