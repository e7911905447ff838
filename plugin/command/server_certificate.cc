#include "plugin/command/server_certificate.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kube/base/file_text.h"
#include "kube/base/metrics_text.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "migrate/cluster/private_file.h"

namespace plugin::command {
namespace {

using kube::base::Count;
using kube::serve::CertificateFacts;
using kube::serve::HandshakeFailure;
using kube::serve::TimePoint;
using std::chrono::seconds;

constexpr std::chrono::hours kDay(24);
constexpr std::chrono::minutes kVerdictLasts(1);

seconds LeftOf(const CertificateFacts& facts, TimePoint now) {
  return facts.valid_until - std::chrono::floor<seconds>(now);
}

// A week, and of certificates that are made for a shorter time its last quarter: whatever renews
// them has had its time.
bool ExpiresSoon(const CertificateFacts& facts, TimePoint now) {
  const seconds validity = facts.valid_until - facts.valid_from;
  return LeftOf(facts, now) < std::min<seconds>(7 * kDay, validity / 4);
}

std::string CertificateTextOf(seconds left) {
  const auto hours = static_cast<std::uint64_t>(
      std::chrono::ceil<std::chrono::hours>(std::max(left, seconds(0))).count());
  return hours < 48 ? Count(hours, "hour") : Count((hours + 23) / 24, "day");
}

}  // namespace

std::optional<CertificateFacts> CertificateNews::NoteExpiry(
    const std::optional<kube::serve::TlsMaterial>& material, TimePoint now) {
  auto facts = material ? kube::serve::ReadCertificate(material->certificate_pem) : std::nullopt;
  has_certificate_ = facts.has_value();
  if (facts) seconds_left_ = LeftOf(*facts, now).count();
  return facts;
}

bool CertificateNews::IsTrusted(const std::optional<kube::serve::TlsMaterial>& material,
                                const std::string& authorities, TimePoint now) {
  const auto facts = NoteExpiry(material, now);
  if (!facts) return true;
  const bool is_first = !verdict_;
  const std::string& why = WhyRefused(material->certificate_pem, authorities, now);
  const bool is_new = std::exchange(suspected_, why) != why;
  if (!is_first && is_new && !why.empty()) return is_trusted_;
  is_trusted_ = why.empty();
  if (!is_trusted_) {
    Log(why,
        "Warning: nobody takes the certificate that is served: " + why +
            "; no review is answered until another one is there",
        now);
  } else if (ExpiresSoon(*facts, now)) {
    Log("soon",
        "Warning: the certificate that is served expires in " +
            CertificateTextOf(LeftOf(*facts, now)) + ", and nobody has renewed it",
        now);
  } else if (!std::exchange(told_kind_, "").empty()) {
    tell_("the certificate that is served is taken again");
  }
  return is_trusted_;
}

// What decides changes with the files, and with time.
const std::string& CertificateNews::WhyRefused(const std::string& certificate,
                                               const std::string& authorities, TimePoint now) {
  const bool is_known = verdict_ && verdict_->certificate == certificate &&
                        verdict_->authorities == authorities && now >= verdict_->time &&
                        now - verdict_->time < kVerdictLasts;
  if (!is_known) {
    verdict_ = {certificate, authorities, kube::serve::WhyRefused(certificate, authorities, now),
                now};
  }
  return verdict_->why;
}

void CertificateNews::Log(const std::string& kind, const std::string& line, TimePoint now) {
  if (kind == told_kind_ && now - told_at_ < kDay) return;
  told_kind_ = kind;
  told_at_ = now;
  tell_(line);
}

void CertificateNews::NoteHandshakes(const kube::serve::ServerCounts& counts,
                                     const std::string& host, kube::base::Clock::TimePoint now) {
  std::ranges::copy(counts.handshake_failures, failures_.begin());
  const std::uint64_t refused = counts.failed_handshakes(HandshakeFailure::kRefused);
  const std::uint64_t of_clients =
      counts.failed_handshakes(HandshakeFailure::kNoClientCertificate) +
      counts.failed_handshakes(HandshakeFailure::kClientCertificate);
  if (refused_.IsDue(refused, now)) {
    tell_("Warning: " + Count(refused, "TLS handshake") +
          " failed so far, as who asked did not take the certificate. If that is an API server, "
          "requests pass unseen, or fail: is the certificate for " +
          (host.empty() ? "the host of --url, valid, and of the authorities of --ca-bundle-file?"
                        : host + ", valid, and of the authorities that the configuration has?"));
  }
  if (of_clients_.IsDue(of_clients, now)) {
    tell_("Warning: " + Count(of_clients, "TLS handshake") +
          " failed so far, as who asked had no certificate that --client-ca-file takes: an API "
          "server shows one only if it was told to (--admission-control-config-file)");
  }
}

std::string CertificateNews::PrintMetrics() const {
  constexpr std::string_view kLeft = "admission_certificate_expiry_seconds";
  constexpr std::string_view kFailures = "admission_tls_handshake_failures_total";
  std::string out;
  if (!has_certificate_) return out;
  kube::base::AppendMetricHead(out, kLeft, "gauge",
                               "Time until the certificate that is served expires.");
  kube::base::AppendMetricSample(out, kLeft, {}, std::to_string(seconds_left_));
  kube::base::AppendMetricHead(out, kFailures, "counter", "TLS handshakes that failed, by why.");
  for (std::size_t i = 0; i < failures_.size(); ++i) {
    kube::base::AppendMetricSample(out, kFailures,
                                   {{"reason", kube::serve::kHandshakeFailureNames[i]}},
                                   std::to_string(failures_[i]));
  }
  return out;
}

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
