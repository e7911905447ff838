#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kube/base/clock.h"
#include "kube/serve/certificates.h"
#include "kube/serve/server.h"
#include "kube/serve/tls_material.h"
#include "plugin/command/serving_news.h"

namespace plugin::command {

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

  /// Notes when the certificate expires, for metrics. Returns what it says of itself; absent:
  /// without TLS.
  std::optional<kube::serve::CertificateFacts> NoteExpiry(
      const std::optional<kube::serve::TlsMaterial>& material, kube::serve::TimePoint now);

  /// Notes that, too, and whether it will be taken, which it returns: true without TLS.
  /// `authorities` are those by which it is verified, PEM, empty where these are not known.
  ///
  /// Why not, and that it expires soon, is told when it begins, and once a day while it lasts; that
  /// it is taken again, once. A problem counts from the second look on, but for the first look of
  /// all: files may be renewed one after the other.
  bool IsTrusted(const std::optional<kube::serve::TlsMaterial>& material,
                 const std::string& authorities, kube::serve::TimePoint now);

  /// Looks at the handshakes. Of those that failed by a certificate it tells, every ten minutes at
  /// most. `host` is whom the certificate has to be for; empty: that of --url.
  void NoteHandshakes(const kube::serve::ServerCounts& counts, const std::string& host,
                      kube::base::Clock::TimePoint now);

  /// As of the last look, in Prometheus's text format; nothing without TLS:
  ///
  ///     admission_certificate_expiry_seconds 7776000
  ///     admission_tls_handshake_failures_total{reason="certificate_refused"} 3
  ///
  /// The first is what is left, negative once it has expired.
  std::string PrintMetrics() const;

 private:
  struct Verdict {
    std::string certificate, authorities;  // PEM
    std::string why;                       // it is refused; empty: it is not
    kube::serve::TimePoint time{};
  };

  const std::string& WhyRefused(const std::string& certificate, const std::string& authorities,
                                kube::serve::TimePoint now);
  void Tell(const std::string& kind, const std::string& line, kube::serve::TimePoint now);

  const TellFunction tell_;
  std::optional<Verdict> verdict_;
  std::string suspected_;  // why it is refused, as the last look had it
  bool is_trusted_ = true;
  std::string told_kind_;  // of the problem that was told last; empty: none
  kube::serve::TimePoint told_at_{};
  NewsOfCount refused_, of_clients_;
  std::atomic<bool> has_certificate_ = false;
  std::atomic<std::int64_t> seconds_left_ = 0;
  std::array<std::atomic<std::uint64_t>, kube::serve::kHandshakeFailureNames.size()> failures_{};
};

}  // namespace plugin::command
