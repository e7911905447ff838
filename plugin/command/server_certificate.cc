#include "plugin/command/server_certificate.h"

#include <chrono>
#include <utility>

#include "kube/base/error.h"
#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "migrate/cluster/private_file.h"

namespace plugin::command {
namespace {

using kube::serve::ClientCertificates;
using kube::serve::TlsMaterial;

// Longer than any run: to renew it would mean that two authorities hold for a while.
constexpr std::chrono::hours kValidity(24 * 3650);

/// By what the certificate is verified that API servers see.
std::string_view AuthorityFlag(const ServingOptions& options) {
  return options.url.empty() ? "--ca-file" : "--ca-bundle-file";
}

// The error says what is wrong with the file.
kube::base::Result<std::string, std::string> ReadCertificates(const std::string& path) {
  auto text = kube::base::ReadFileText(path);
  if (!text) return kube::base::Unexpected(text.error().message);
  if (!kube::serve::ReadCertificate(*text)) {
    return kube::base::Unexpected("there is no certificate in \"" + path + "\"");
  }
  return *std::move(text);
}

std::string Problem(std::string_view flag, const std::string& why) {
  return "cannot read the authorities of " + std::string(flag) + ": " + why;
}

std::string RequireCertificates(std::string_view flag, const std::string& path) {
  auto text = ReadCertificates(path);
  if (!text) throw kube::base::Error(Problem(flag, text.error()));
  return *std::move(text);
}

ClientCertificates ClientsOf(const ServingOptions& options) {
  return options.client_ca_file.empty() ? ClientCertificates::kNone : ClientCertificates::kRequired;
}

}  // namespace

ServerCertificate::ServerCertificate(const ServingOptions& options,
                                     const std::vector<std::string>& names,
                                     kube::serve::TimePoint now)
    : ca_flag_(AuthorityFlag(options)),
      ca_file_(options.url.empty() ? options.ca_file : options.ca_bundle_file) {
  if (!options.cert_file.empty()) {
    files_ = std::make_unique<kube::serve::TlsFiles>(
        kube::serve::TlsPaths{.certificate = options.cert_file,
                              .key = options.key_file,
                              .key_password = options.key_password,
                              .client_certificates = ClientsOf(options),
                              .client_ca = options.client_ca_file});
    material_ = files_->material();
  } else if (!options.insecure) {
    MakeSelfSigned(options, names, now);
  }
  if (!ca_file_.empty()) ca_bundle_ = RequireCertificates(ca_flag_, ca_file_);
}

void ServerCertificate::MakeSelfSigned(const ServingOptions& options,
                                       const std::vector<std::string>& names,
                                       kube::serve::TimePoint now) {
  kube::serve::SelfSigned made = kube::serve::MakeSelfSigned(names, now, kValidity);
  TlsMaterial& material = material_.emplace();
  material.certificate_pem = std::move(made.certificate_pem);
  material.key_pem = std::move(made.key_pem);
  material.client_certificates = ClientsOf(options);
  if (!options.client_ca_file.empty()) {
    material.client_ca_pem = RequireCertificates("--client-ca-file", options.client_ca_file);
    material.client_ca_file = options.client_ca_file;
  }
  // Who verifies another certificate, a tunnel's, has no use for it.
  if (options.url.empty()) ca_bundle_ = made.ca_certificate_pem;
  if (!options.ca_dump.empty()) {
    migrate::cluster::ReplacePrivateFileIn(options.ca_dump, made.ca_certificate_pem);
  }
}

ServerCertificate::Change ServerCertificate::ReadChanges(const ReportFunction& report) {
  Change change;
  if (files_ != nullptr) {
    if (auto read = files_->ReadChanges(report)) {
      material_ = *std::move(read);
      change.material = true;
    }
  }
  if (ca_file_.empty()) return change;
  auto text = ReadCertificates(ca_file_);
  if (!text) {
    if (ca_problem_ != text.error()) report(Problem(ca_flag_, text.error()));
    ca_problem_ = text.error();
    return change;
  }
  ca_problem_.clear();
  change.ca_bundle = *text != ca_bundle_;
  ca_bundle_ = *std::move(text);
  return change;
}

}  // namespace plugin::command
