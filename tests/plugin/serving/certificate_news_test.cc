#include <catch2/catch.hpp>
#include <vector>

#include "plugin/command/server_certificate.h"

namespace plugin::command {
namespace certificate_news_test {

using Catch::Matchers::Contains;
using kube::serve::HandshakeFailure;
using kube::serve::TimePoint;
using std::chrono::hours;

const TimePoint kNow{std::chrono::seconds(1'800'000'000)};

struct World {
  std::vector<std::string> lines;
  CertificateNews news{[this](const std::string& line) { lines.push_back(line); }};
  kube::serve::SelfSigned made = kube::serve::MakeSelfSigned({"a"}, kNow, hours(24 * 90));
  std::optional<kube::serve::TlsMaterial> material =
      kube::serve::TlsMaterial{.certificate_pem = made.certificate_pem};

  bool IsTrusted(TimePoint now) { return news.IsTrusted(material, made.ca_certificate_pem, now); }
};

TEST_CASE("A certificate that expires is told in time, and once a day", "[plugin][serving]") {
  World world;
  CHECK(world.IsTrusted(kNow));
  CHECK(world.IsTrusted(kNow + hours(24 * 82)));
  CHECK(world.lines.empty());
  CHECK(world.IsTrusted(kNow + hours(24 * 83 + 1)));
  CHECK(world.IsTrusted(kNow + hours(24 * 83 + 20)));
  REQUIRE(world.lines.size() == 1);
  CHECK_THAT(world.lines[0], Contains("expires in 7 days, and nobody"));
  CHECK(world.IsTrusted(kNow + hours(24 * 84 + 2)));
  CHECK(world.lines.size() == 2);
  world.IsTrusted(kNow + hours(24 * 90 + 1));
  CHECK_FALSE(world.IsTrusted(kNow + hours(24 * 90 + 2)));
  REQUIRE(world.lines.size() == 3);
  CHECK_THAT(world.lines[2], Contains("it expired at ") && Contains("no review is answered"));
  CHECK_THAT(world.news.PrintMetrics(), Contains("\nadmission_certificate_expiry_seconds -7200\n"));
}

TEST_CASE("A certificate of another authority is told, and so is the next problem",
          "[plugin][serving]") {
  World world;
  const auto other = kube::serve::MakeSelfSigned({"a"}, kNow, hours(24)).ca_certificate_pem;
  // What begins wrong is wrong; later one half of what is renewed may have been read.
  CHECK_FALSE(world.news.IsTrusted(world.material, other, kNow));
  CHECK_FALSE(world.news.IsTrusted(world.material, other, kNow));
  REQUIRE(world.lines.size() == 1);
  CHECK_THAT(world.lines[0], Contains("have not signed it"));
  CHECK(world.IsTrusted(kNow));
  CHECK(world.news.IsTrusted(world.material, other, kNow));
  CHECK(world.IsTrusted(kNow));
  REQUIRE(world.lines.size() == 2);
  CHECK_THAT(world.lines[1], Contains("taken again"));
  CHECK(world.news.IsTrusted(world.material, other, kNow));
  CHECK_FALSE(world.news.IsTrusted(world.material, other, kNow));
  CHECK(world.lines.size() == 3);
  CHECK_THAT(world.news.PrintMetrics(), Contains("admission_certificate_expiry_seconds 7776000\n"));
}

TEST_CASE("Where somebody else's certificate is verified, when ours expires is noted alone",
          "[plugin][serving]") {
  World world;
  world.news.NoteExpiry(world.material, kNow + hours(24 * 91));
  CHECK(world.lines.empty());
  CHECK_THAT(world.news.PrintMetrics(),
             Contains("\nadmission_certificate_expiry_seconds -86400\n"));
}

TEST_CASE("Without TLS there is nothing to say of a certificate", "[plugin][serving]") {
  World world;
  CHECK(world.news.IsTrusted(std::nullopt, "", kNow));
  CHECK(world.lines.empty());
  CHECK(world.news.PrintMetrics().empty());
}

TEST_CASE("Handshakes that fail by a certificate are told, whoever else is answered",
          "[plugin][serving]") {
  World world;
  world.IsTrusted(kNow);
  kube::serve::ServerCounts counts;
  counts.answered = 100;  // health probes verify nothing
  const auto fail = [&counts](HandshakeFailure why) {
    ++counts.handshake_failures[static_cast<std::size_t>(why)];
  };
  kube::base::Clock::TimePoint now{};
  fail(HandshakeFailure::kOther);
  fail(HandshakeFailure::kNotTls);
  world.news.NoteHandshakes(counts, "a.b.svc", now);
  CHECK(world.lines.empty());
  fail(HandshakeFailure::kRefused);
  world.news.NoteHandshakes(counts, "a.b.svc", now);
  REQUIRE(world.lines.size() == 1);
  CHECK_THAT(world.lines[0], Contains("1 TLS handshake failed so far") &&
                                 Contains("is the certificate for a.b.svc, valid,"));
  fail(HandshakeFailure::kRefused);
  world.news.NoteHandshakes(counts, "a.b.svc", now + std::chrono::minutes(9));
  CHECK(world.lines.size() == 1);
  world.news.NoteHandshakes(counts, "a.b.svc", now + std::chrono::minutes(10));
  CHECK(world.lines.size() == 2);
  world.news.NoteHandshakes(counts, "a.b.svc", now + std::chrono::minutes(30));
  CHECK(world.lines.size() == 2);
  fail(HandshakeFailure::kRefused);
  world.news.NoteHandshakes(counts, "", now + std::chrono::minutes(30));
  REQUIRE(world.lines.size() == 3);
  CHECK_THAT(world.lines[2], Contains("for the host of --url, valid, and of the authorities of "
                                      "--ca-bundle-file?"));
  fail(HandshakeFailure::kNoClientCertificate);
  world.news.NoteHandshakes(counts, "a.b.svc", now + std::chrono::minutes(31));
  REQUIRE(world.lines.size() == 4);
  CHECK_THAT(world.lines[3], Contains("--client-ca-file"));
  CHECK_THAT(
      world.news.PrintMetrics(),
      Contains("admission_tls_handshake_failures_total{reason=\"certificate_refused\"} 3\n") &&
          Contains("{reason=\"no_client_certificate\"} 1\n") &&
          Contains("{reason=\"client_certificate_refused\"} 0\n") &&
          Contains("{reason=\"not_tls\"} 1\n") && Contains("{reason=\"other\"} 1\n"));
}

}  // namespace certificate_news_test
}  // namespace plugin::command
