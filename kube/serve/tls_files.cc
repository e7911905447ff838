#include "kube/serve/tls_files.h"

#include <utility>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/serve/tls_context.h"

namespace kube::serve {
namespace {

std::string ReadPem(const char* thing, const std::string& path) {
  auto text = base::ReadFileText(path);
  if (text) return *std::move(text);
  throw base::Error(std::string("cannot read ") + thing + " \"" + path +
                    "\": " + text.error().message);
}

TlsMaterial ReadAll(const TlsPaths& paths) {
  TlsMaterial material;
  material.certificate_file = paths.certificate;
  material.key_file = paths.key;
  material.client_ca_file = paths.client_ca;
  material.certificate_pem = ReadPem("the certificate", paths.certificate);
  material.key_pem = ReadPem("the key", paths.key);
  material.key_password = paths.key_password;
  material.client_certificates = paths.client_certificates;
  if (paths.client_certificates != ClientCertificates::kNone) {
    material.client_ca_pem =
        ReadPem("the certificate of the authority of clients", paths.client_ca);
  }
  return material;
}

}  // namespace

TlsFiles::TlsFiles(TlsPaths paths) : paths_(std::move(paths)), material_(ReadAll(paths_)) {
  CheckTls(material_);
}

std::optional<TlsMaterial> TlsFiles::ReadChanges(
    const std::function<void(const std::string&)>& report) {
  try {
    TlsMaterial now = ReadAll(paths_);
    if (now != material_) {
      CheckTls(now);
      material_ = std::move(now);
      reported_.clear();
      return material_;
    }
    reported_.clear();
  } catch (const base::Error& error) {
    if (error.what() != reported_) {
      reported_ = error.what();
      report(reported_ + "; the one before it stays in use");
    }
  }
  return std::nullopt;
}

}  // namespace kube::serve
