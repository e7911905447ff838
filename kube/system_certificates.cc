#include "kube/system_certificates.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/base64.h"
#include "kube/file_text.h"

namespace kube {
namespace {

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";

std::vector<std::string> SplitAtColons(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Whether `bytes` are one DER sequence of just this length: OpenSSL refuses a whole list of
/// certificates for one that is cut short.
bool IsSequence(std::string_view bytes) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  if (bytes.size() < 2 || byte(0) != 0x30) return false;
  std::size_t length = byte(1);
  std::size_t head = 2;
  if (length >= 0x80) {  // the number of bytes that the length takes
    head += length - 0x80;
    if (head > 5 || bytes.size() < head) return false;
    length = 0;
    for (std::size_t at = 2; at < head; ++at) length = length * 256 + byte(at);
  }
  return bytes.size() - head == length;
}

/// Collects certificates, each once.
class Certificates {
 public:
  void AddAllIn(std::string_view text) {
    std::size_t at = 0;
    while ((at = text.find(kBegin, at)) != text.npos) {
      at += kBegin.size();
      const std::size_t end = text.find(kEnd, at);
      if (end == text.npos) return;
      Add(text.substr(at, end - at));
    }
  }

  std::string Take() { return std::move(pem_); }

 private:
  void Add(std::string_view content) {
    auto bytes = DecodeBase64(content);
    if (!bytes || !IsSequence(*bytes)) return;
    if (!known_.insert(*std::move(bytes)).second) return;
    pem_.append(kBegin).append(content).append(kEnd).append("\n");
  }

  std::set<std::string> known_;
  std::string pem_;
};

void AddFirst(const std::vector<std::string>& files, Certificates& certificates) {
  for (const std::string& file : files) {
    const auto text = ReadFileText(file);
    if (!text) continue;
    return certificates.AddAllIn(*text);
  }
}

/// The files in a folder, sorted; none where it cannot be read. Links are followed; a pipe or a
/// device would block whoever reads it.
std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    std::error_code ignored;
    if (entries->is_regular_file(ignored)) files.push_back(entries->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

CertificatePlaces SystemCertificatePlaces(const Environment& environment) {
  CertificatePlaces places;
  places.files = {
      "/etc/ssl/certs/ca-certificates.crt",                 // Debian
      "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora
      "/etc/ssl/ca-bundle.pem",                             // SUSE
      "/etc/pki/tls/cacert.pem",                            // OpenELEC
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Red Hat
      "/etc/ssl/cert.pem",                                  // Alpine
  };
  places.folders = {"/etc/ssl/certs", "/etc/pki/tls/certs"};
  const std::string file = environment.variable("SSL_CERT_FILE");
  if (!file.empty()) places.files = {file};
  const std::string folders = environment.variable("SSL_CERT_DIR");
  if (!folders.empty()) places.folders = SplitAtColons(folders);
  return places;
}

std::string CertificatesIn(const CertificatePlaces& places) {
  Certificates certificates;
  AddFirst(places.files, certificates);
  for (const std::string& folder : places.folders) {
    for (const std::string& file : FilesIn(folder)) {
      const auto text = ReadFileText(file);
      if (text) certificates.AddAllIn(*text);
    }
  }
  return certificates.Take();
}

}  // namespace kube
