#include "plugin/command/server_certificate.h"

#include <catch2/catch.hpp>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace plugin::command {
namespace server_certificate_test {

using test_support::TempFolder;
using Strings = std::vector<std::string>;

const kube::serve::TimePoint kNow{std::chrono::seconds(1'800'000'000)};

kube::serve::SelfSigned Made(const std::string& name) {
  return kube::serve::MakeSelfSigned({name}, kNow, std::chrono::hours(24));
}

TEST_CASE("Without files a certificate is made that its authority has signed",
          "[plugin][serving]") {
  const TempFolder folder;
  const std::string dump = folder.path() + "/ca.crt";
  ServerCertificate certificate({.ca_dump = dump}, {"me.example.com", "10.0.0.7"}, kNow);
  REQUIRE(certificate.material());
  const auto facts = kube::serve::ReadCertificate(certificate.material()->certificate_pem);
  REQUIRE(facts);
  CHECK(facts->dns_names == Strings{"me.example.com", "10.0.0.7"});
  CHECK(certificate.ca_bundle() == *kube::base::ReadFileText(dump));
  const ServerCertificate::Change change = certificate.ReadChanges([](const std::string&) {});
  CHECK_FALSE(change.material);
  CHECK_FALSE(change.ca_bundle);
}

TEST_CASE("Files are read again when they change", "[plugin][serving]") {
  const TempFolder folder;
  kube::serve::SelfSigned made = Made("a");
  ServingOptions options;
  const auto write = [&] {
    options.cert_file = folder.Write("tls.crt", made.certificate_pem);
    options.key_file = folder.Write("tls.key", made.key_pem);
    options.ca_file = folder.Write("ca.crt", made.ca_certificate_pem);
  };
  write();
  ServerCertificate certificate(options, {"unused"}, kNow);
  CHECK(certificate.material()->certificate_pem == made.certificate_pem);
  CHECK(certificate.ca_bundle() == made.ca_certificate_pem);
  Strings lines;
  const auto report = [&lines](const std::string& line) { lines.push_back(line); };
  CHECK_FALSE(certificate.ReadChanges(report).material);
  made = Made("b");
  write();
  const ServerCertificate::Change change = certificate.ReadChanges(report);
  CHECK(change.material);
  CHECK(change.ca_bundle);
  CHECK(certificate.material()->certificate_pem == made.certificate_pem);
  CHECK(lines.empty());

  folder.Write("ca.crt", "half a certif");
  for (int i = 0; i < 3; ++i) CHECK_FALSE(certificate.ReadChanges(report).ca_bundle);
  CHECK(lines == Strings{"cannot read the authorities of --ca-file: there is no certificate in \"" +
                         options.ca_file + "\""});
  CHECK(certificate.ca_bundle() == made.ca_certificate_pem);
}

TEST_CASE("The authority of a tunnel is its own", "[plugin][serving]") {
  const TempFolder folder;
  const std::string tunnel = Made("tunnel").ca_certificate_pem;
  const std::string url = "https://tunnel.example.com";
  const ServerCertificate with({.url = url, .ca_bundle_file = folder.Write("tunnel.crt", tunnel)},
                               {"localhost"}, kNow);
  CHECK(with.ca_bundle() == tunnel);
  CHECK(ServerCertificate({.url = url}, {"localhost"}, kNow).ca_bundle().empty());
}

TEST_CASE("Without TLS there is no certificate", "[plugin][serving]") {
  const ServerCertificate certificate({.insecure = true}, {"localhost"}, kNow);
  CHECK_FALSE(certificate.material());
  CHECK(certificate.ca_bundle().empty());
}

TEST_CASE("What cannot be read is an error at the beginning", "[plugin][serving]") {
  CHECK_THROWS_AS(ServerCertificate({.cert_file = "/no/a", .key_file = "/no/b"}, {"x"}, kNow),
                  kube::base::Error);
  CHECK_THROWS_WITH(ServerCertificate({.client_ca_file = "/no/a"}, {"x"}, kNow),
                    Catch::StartsWith("cannot read the authorities of --client-ca-file: "));
  CHECK_THROWS_WITH(ServerCertificate({.url = "https://x", .ca_bundle_file = "/no/a"}, {"x"}, kNow),
                    Catch::StartsWith("cannot read the authorities of --ca-bundle-file: "));
}

}  // namespace server_certificate_test
}  // namespace plugin::command
