#include "plugin/serving/certificate_news.h"

#include <algorithm>

#include "kube/base/metrics_text.h"
#include "kube/base/text.h"

namespace plugin::serving {
namespace {

using kube::serve::HandshakeFailure;
using kube::serve::TimePoint;

constexpr std::chrono::hours kDay(24);
constexpr std::chrono::minutes kHandshakePause(10);

// A week, and of certificates that are made for a shorter time its last quarter: whatever renews
// them has had its time.
bool ExpiresSoon(const kube::serve::CertificateFacts& facts, TimePoint now) {
  const TimePoint::duration validity = facts.valid_until - facts.valid_from;
  return facts.valid_until - now < std::min<TimePoint::duration>(7 * kDay, validity / 4);
}

std::string TimeLeft(TimePoint::duration left) {
  const auto hours = std::chrono::duration_cast<std::chrono::hours>(left).count();
  return hours < 48 ? kube::base::Count(static_cast<std::uint64_t>(hours), "hour")
                    : kube::base::Count(static_cast<std::uint64_t>(hours / 24), "day");
}

}  // namespace

bool CertificateNews::IsTrusted(const std::optional<kube::serve::TlsMaterial>& material,
                                const std::string& authorities, TimePoint now) {
  const auto facts =
      material ? kube::serve::ReadCertificate(material->certificate_pem) : std::nullopt;
  has_certificate_ = facts.has_value();
  if (!facts) return true;
  const TimePoint::duration left = facts->valid_until - now;
  seconds_left_ = std::chrono::duration_cast<std::chrono::seconds>(left).count();
  const std::string why = kube::serve::WhyRefused(material->certificate_pem, authorities, now);
  if (!why.empty()) {
    Tell("Warning: nobody takes the certificate that is served: " + why +
             "; no review is answered until another one is there",
         now);
  } else if (ExpiresSoon(*facts, now)) {
    Tell("Warning: the certificate that is served expires in less than " +
             TimeLeft(left + std::chrono::hours(1)) + ", and nobody has renewed it",
         now);
  } else {
    problem_.clear();
  }
  return why.empty();
}

// The same problem has another number of hours in its text.
void CertificateNews::Tell(const std::string& problem, TimePoint now) {
  const std::string kind = problem.substr(0, problem.find(" expires in "));
  if (kind == problem_ && now - told_at_ < kDay) return;
  problem_ = kind;
  told_at_ = now;
  tell_(problem);
}

void CertificateNews::NoteHandshakes(const kube::serve::ServerCounts& counts,
                                     const std::string& host, kube::system::Clock::TimePoint now) {
  std::ranges::copy(counts.handshake_failures, failures_.begin());
  const std::uint64_t refused = counts.failed_handshakes(HandshakeFailure::kRefused);
  const std::uint64_t of_clients =
      counts.failed_handshakes(HandshakeFailure::kNoClientCertificate) +
      counts.failed_handshakes(HandshakeFailure::kClientCertificate);
  if (refused + of_clients == told_failures_) return;
  if (failures_told_at_ && now - *failures_told_at_ < kHandshakePause) return;
  told_failures_ = refused + of_clients;
  failures_told_at_ = now;
  if (refused > 0) {
    tell_("Warning: " + kube::base::Count(refused, "TLS handshake") +
          " failed, as who asked did not take the certificate: is it for " +
          (host.empty() ? "the URL" : host) +
          ", valid, and of the authorities that the configuration has? Requests pass unseen, or "
          "fail, meanwhile");
  }
  if (of_clients > 0) {
    tell_("Warning: " + kube::base::Count(of_clients, "TLS handshake") +
          " failed, as who asked had no certificate that --client-ca-file takes: an API server "
          "shows one only if it was told to (--admission-control-config-file)");
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

}  // namespace plugin::serving
