#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "kube/serve/certificates.h"
#include "kube/serve/server.h"
#include "kube/serve/tls_files.h"
#include "plugin/command/serving_news.h"
#include "plugin/command/serving_options.h"

namespace plugin::command {

/// Whether whoever asks can be expected to take the certificate that is served, and what became of
/// handshakes: for people, for readiness and for metrics. Health probes prove nothing of it, as
/// they verify nothing.
///
/// One thread looks, about once a second; several may print metrics at once.
class CertificateNews {
 public:
  using LogFunction = std::function<void(const std::string&)>;

  /// `tell` takes a line for people.
  explicit CertificateNews(LogFunction tell) : tell_(std::move(tell)) {}

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
  void Log(const std::string& kind, const std::string& line, kube::serve::TimePoint now);

  const LogFunction tell_;
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

/// The certificate that a server shows, and how an API server verifies it: from files, which may be
/// renewed at any time, or a self-signed one. For one thread.
class ServerCertificate {
 public:
  using ReportFunction = std::function<void(const std::string&)>;

  /// Reads the files, or makes a certificate for `names`. Writes what --ca-dump asks for. Throws
  /// kube::base::Error, which names the file.
  ServerCertificate(const ServingOptions& options, const std::vector<std::string>& names,
                    kube::serve::TimePoint now);

  /// What to serve with; absent with --insecure.
  const std::optional<kube::serve::TlsMaterial>& material() const { return material_; }
  /// For the caBundle of configurations; empty: it is signed by an authority that API servers
  /// trust, or nobody has said by which.
  const std::string& ca_bundle() const { return ca_bundle_; }

  struct Change {
    bool material = false, ca_bundle = false;
  };
  /// Reads the files anew, and says what has changed. To be called about once a second. What cannot
  /// be used is told to `report` once while it lasts, and what was there stays.
  Change ReadChanges(const ReportFunction& report);

 private:
  void MakeSelfSigned(const ServingOptions& options, const std::vector<std::string>& names,
                      kube::serve::TimePoint now);

  std::string_view ca_flag_;  // that gives the next
  std::string ca_file_;       // of the bundle; empty: none
  std::string ca_problem_;
  std::unique_ptr<kube::serve::TlsFiles> files_;  // or the null pointer
  std::optional<kube::serve::TlsMaterial> material_;
  std::string ca_bundle_;
};

}  // namespace plugin::command
