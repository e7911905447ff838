#include "kube/client/pem.h"

#include <algorithm>

#include "kube/base/base64.h"
#include "kube/base/file_text.h"
#include "kube/base/result.h"

namespace kube::client {
namespace {

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";

bool HasCertificate(std::string_view text) { return text.find(kBegin) != std::string_view::npos; }

// PKCS #1, SEC 1 and PKCS #8 have a word more or less before it.
bool HasPrivateKey(std::string_view text) {
  return text.find("PRIVATE KEY-----") != std::string_view::npos;
}

// The place of `mark` at the start of a line, from `from` on.
std::size_t FindLine(std::string_view text, std::string_view mark, std::size_t from) {
  std::size_t at = text.find(mark, from);
  while (at != std::string_view::npos && at != 0 && text[at - 1] != '\n') {
    at = text.find(mark, at + 1);
  }
  return at;
}

// DER: a tag, a length of one byte, or of as many bytes as its lower bits say, and as much content.
bool IsSequence(std::string_view der) {
  constexpr char kSequence = 0x30;
  if (der.size() < 2 || der[0] != kSequence) return false;
  std::size_t length = static_cast<unsigned char>(der[1]);
  std::size_t start = 2;
  if (length >= 0x80) {
    const std::size_t bytes = length & 0x7F;
    if (bytes > 4 || der.size() < 2 + bytes) return false;
    for (length = 0; start < 2 + bytes; ++start) {
      length = length << 8 | static_cast<unsigned char>(der[start]);
    }
  }
  return der.size() - start == length;
}

// What stands between the lines of a block. Headers, as of an encrypted key, are no base64.
bool IsCertificate(std::string_view body) {
  std::string base64;
  for (const char c : body) {
    if (c != ' ' && c != '\t') base64 += c;
  }
  const auto der = base::DecodeBase64(base64);
  return der && IsSequence(*der);
}

}  // namespace

std::vector<std::string_view> FindCertificates(std::string_view text) {
  std::vector<std::string_view> found;
  text.remove_prefix(std::min(FindLine(text, kBegin, 0), text.size()));
  while (!text.empty()) {
    // A block that was cut off is followed by another one, of whatever type.
    const std::string_view block = text.substr(0, FindLine(text, "-----BEGIN ", kBegin.size()));
    const std::size_t end = FindLine(block, kEnd, kBegin.size());
    if (end != std::string_view::npos &&
        IsCertificate(block.substr(kBegin.size(), end - kBegin.size()))) {
      found.push_back(block.substr(0, end + kEnd.size()));
    }
    text.remove_prefix(block.size());
    text.remove_prefix(std::min(FindLine(text, kBegin, 0), text.size()));
  }
  return found;
}

std::string UsableCertificates(std::string_view text) {
  std::string usable;
  for (const std::string_view block : FindCertificates(text)) usable.append(block).append("\n");
  return usable;
}

std::optional<std::string> KeyPairProblem(std::string_view certificate, std::string_view key) {
  if (!HasCertificate(certificate)) {
    return HasPrivateKey(certificate)
               ? "tls: failed to find certificate PEM data in certificate input, but did find a "
                 "private key; PEM inputs may have been switched"
               : "tls: failed to find any PEM data in certificate input";
  }
  if (HasPrivateKey(key)) return std::nullopt;
  return HasCertificate(key) ? "tls: found a certificate rather than a key in the PEM for the "
                               "private key"
                             : "tls: failed to find any PEM data in key input";
}

std::string ReadCertificates(const std::string& path) {
  auto text = base::ReadFileText(path);
  if (!text) throw base::Error("unable to read certificate-authority: " + text.error().message);
  if (!text->empty() && UsableCertificates(*text).empty()) {
    throw base::Error("unable to load root certificates from " + path +
                      ": unable to parse bytes as PEM block");
  }
  return *std::move(text);
}

}  // namespace kube::client
