#include "kube/client/system_certificates.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/base/file_text.h"
#include "kube/client/pem.h"

namespace kube::client {
namespace {

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

/// Collects certificates, each once.
class Certificates {
 public:
  void AddAllIn(std::string_view text) {
    for (const std::string_view block : FindCertificates(text)) {
      if (known_.emplace(block).second) pem_.append(block).append("\n");
    }
  }

  std::string Take() { return std::move(pem_); }

 private:
  std::set<std::string> known_;
  std::string pem_;
};

void AddFirst(const std::vector<std::string>& files, Certificates& certificates) {
  for (const std::string& file : files) {
    const auto text = base::ReadFileText(file);
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

CertificatePlaces SystemCertificatePlaces(const base::Environment& environment) {
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
      const auto text = base::ReadFileText(file);
      if (text) certificates.AddAllIn(*text);
    }
  }
  return certificates.Take();
}

}  // namespace kube::client
