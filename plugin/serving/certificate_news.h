#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kube/serve/certificates.h"
#include "kube/serve/server.h"
#include "kube/serve/tls_material.h"
#include "kube/system/clock.h"

namespace plugin::serving {

/// Whether whoever asks can be expected to take the certificate that is served, and what became of
/// handshakes: for people, for readiness and for metrics. Health probes prove nothing of it, as
/// they verify nothing.
///
/// One thread looks, about once a second; several may print metrics at once.
class CertificateNews {
 public:
  using TellFunction = std::function<void(const std::string&)>;

  /// `tell` takes a line for people.
  explicit CertificateNews(TellFunction tell) : tell_(std::move(tell)) {}

  /// Looks at the certificate; `authorities` are those by which it is verified, PEM, empty where
  /// these are not known. Returns whether it will be taken. Why not, and that it expires soon, is
  /// told when it begins, and once a day while it lasts. Without TLS there is nothing to say.
  bool IsTrusted(const std::optional<kube::serve::TlsMaterial>& material,
                 const std::string& authorities, kube::serve::TimePoint now);

  /// Looks at the handshakes. Of those that failed by a certificate it tells, every ten minutes at
  /// most. `host` is whom the certificate has to be for.
  void NoteHandshakes(const kube::serve::ServerCounts& counts, const std::string& host,
                      kube::system::Clock::TimePoint now);

  /// As of the last look, in Prometheus's text format:
  ///
  ///     admission_certificate_expiry_seconds 7776000
  ///     admission_tls_handshake_failures_total{reason="certificate_refused"} 3
  ///
  /// The first is what is left, negative once it has expired; absent without TLS.
  std::string PrintMetrics() const;

 private:
  void Tell(const std::string& problem, kube::serve::TimePoint now);

  const TellFunction tell_;
  std::string problem_;  // that was told last; empty: none
  kube::serve::TimePoint told_at_{};
  std::uint64_t told_failures_ = 0;
  std::optional<kube::system::Clock::TimePoint> failures_told_at_;
  std::atomic<bool> has_certificate_ = false;
  std::atomic<std::int64_t> seconds_left_ = 0;
  std::array<std::atomic<std::uint64_t>, kube::serve::kHandshakeFailureNames.size()> failures_{};
};

}  // namespace plugin::serving
