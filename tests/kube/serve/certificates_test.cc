#include "kube/serve/certificates.h"
#include "kube/serve/tls_context.h"

#include <catch2/catch.hpp>
#include <ctime>

#include "kube/base/result.h"
#include "kube/serve/tls_files.h"
#include "tests/support/test_certificates.h"

namespace kube::serve {
namespace {

using Texts = std::vector<std::string>;

constexpr std::chrono::hours kYear{365 * 24};
const TimePoint kNow{std::chrono::seconds(1'700'000'000)};

TlsMaterial MaterialOf(const std::string& certificate, const std::string& key) {
  TlsMaterial material;
  material.certificate_pem = certificate;
  material.key_pem = key;
  return material;
}

/// As `openssl x509 -dateopt iso_8601`.
std::string TimeText(std::chrono::sys_seconds time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", std::gmtime(&seconds))};
}

TEST_CASE("A certificate is made for names and addresses, but not those of nobody",
          "[kube][serve]") {
  const SelfSigned made =
      MakeSelfSigned({"guard.default.svc", "10.0.0.1", "0.0.0.0", "::", "::1"}, kNow, kYear);
  const auto facts = ReadCertificate(made.certificate_pem);
  REQUIRE(facts);
  CHECK(facts->dns_names == Texts{"guard.default.svc", "10.0.0.1", "::1"});
  CHECK(facts->ip_addresses == Texts{"10.0.0.1", "::1"});
  CHECK(facts->subject.text == "CN=kubectl-prune,O=kubectl-prune");
  CHECK(facts->issuer.text == "CN=kubectl-prune CA,O=kubectl-prune");
  const auto authority = ReadCertificate(made.ca_certificate_pem);
  REQUIRE(authority);
  CHECK(authority->subject.text == facts->issuer.text);
  CHECK(authority->issuer.text == facts->issuer.text);
}

TEST_CASE("A certificate is valid as long as it was said", "[kube][serve]") {
  const auto facts = ReadCertificate(MakeSelfSigned({"a"}, kNow, kYear).certificate_pem);
  REQUIRE(facts);
  CHECK(facts->valid_from == kNow - std::chrono::minutes(5));
  CHECK(facts->valid_until == kNow + kYear);
  // Beyond 2049 a certificate writes years in another way.
  const auto late = ReadCertificate(MakeSelfSigned({"a"}, kNow, 100 * kYear).certificate_pem);
  REQUIRE(late);
  CHECK(late->valid_until == kNow + 100 * kYear);
}

TEST_CASE("No certificate is like another", "[kube][serve]") {
  const SelfSigned one = MakeSelfSigned({"a"}, kNow, kYear);
  const SelfSigned other = MakeSelfSigned({"a"}, kNow, kYear);
  CHECK(one.key_pem != other.key_pem);
  CHECK(one.ca_certificate_pem != other.ca_certificate_pem);
  CHECK_THROWS_WITH(CheckTls(MaterialOf(one.certificate_pem, other.key_pem)),
                    "cannot use the key: it is not that of the certificate");
}

TEST_CASE("Without a name, or with one that is none, no certificate is made", "[kube][serve]") {
  CHECK_THROWS_WITH(MakeSelfSigned({}, kNow, kYear),
                    "cannot make a certificate: there is no name for it");
  CHECK_THROWS_WITH(MakeSelfSigned({"0.0.0.0", "::"}, kNow, kYear),
                    "cannot make a certificate: there is no name for it");
  const std::string name = GENERATE(std::string(), std::string("a b"), std::string("a\n"),
                                    std::string("\xC3\xA4"), std::string(254, 'a'));
  CHECK_THROWS_AS(MakeSelfSigned({"a", name}, kNow, kYear), base::Error);
}

TEST_CASE("A certificate tells whose it is and who signed it", "[kube][serve]") {
  const auto facts = ReadCertificate(test_support::kRsa);
  REQUIRE(facts);
  CHECK(facts->subject.common_name == "k3s,server");
  CHECK(facts->subject.organizations == Texts{"k3s"});
  CHECK(facts->subject.text == "CN=k3s\\,server,O=k3s");
  CHECK(facts->issuer.common_name == "k3s,server");
  CHECK(facts->dns_names == Texts{"localhost"});
  CHECK(facts->ip_addresses == Texts{"127.0.0.1", "::1"});
  const auto client = ReadCertificate(test_support::kClient);
  REQUIRE(client);
  CHECK(client->subject.organizations == Texts{"system:masters", "more"});
  CHECK(client->issuer.common_name == "client CA");
  CHECK(client->dns_names.empty());
}

// The expected texts are those of `openssl x509 -nameopt RFC2253 -serial -subject -issuer -dates
// -ext subjectAltName`, addresses but for the way IPv6 is shortened.
TEST_CASE("A certificate tells all that it says of itself", "[kube][serve]") {
  const auto facts = ReadCertificate(test_support::kMesh);
  REQUIRE(facts);
  CHECK(facts->subject.text == "serialNumber=7,CN=cart,OU=carts,O=shop");
  CHECK(facts->issuer.text == R"(CN=mesh CA,O=Mesh\, Inc.)");
  CHECK(facts->serial_number == "AB0C7F01");
  CHECK(TimeText(facts->valid_from) == "2026-11-28 13:22:25Z");
  CHECK(TimeText(facts->valid_until) == "2126-11-04 13:22:25Z");
  CHECK(facts->uris == Texts{"spiffe://cluster.local/ns/shop/sa/cart"});
  CHECK(facts->dns_names == Texts{"cart.shop.svc", "cart"});
  CHECK(facts->ip_addresses == Texts{"10.1.2.3", "fd00::7"});
  CHECK(facts->email_addresses == Texts{"cart@example.com"});
  const auto serial = [](const char* pem) { return ReadCertificate(pem)->serial_number; };
  CHECK(serial(test_support::kClient) == "21D75EFA99AF78FFD4A4DAE47A8B7D7DB5F2F222");
  CHECK(serial(test_support::kNegativeSerial) == "-0AF3");
}

TEST_CASE("Why a certificate is refused is told", "[kube][serve]") {
  const TimePoint now{std::chrono::seconds(1'800'000'000)};
  const SelfSigned made = MakeSelfSigned({"a"}, now, std::chrono::hours(1));
  const SelfSigned other = MakeSelfSigned({"a"}, now, std::chrono::hours(1));
  const auto why = [&](TimePoint when, const std::string& authorities) {
    return WhyRefused(made.certificate_pem, authorities, when);
  };
  CHECK(why(now, "").empty());
  CHECK(why(now, made.ca_certificate_pem).empty());
  CHECK(why(now, other.ca_certificate_pem + made.ca_certificate_pem).empty());
  // A certificate may be its own authority, as Go has it.
  CHECK(why(now, made.certificate_pem).empty());
  CHECK_THAT(why(now, other.ca_certificate_pem), Catch::Contains("have not signed it"));
  CHECK_THAT(why(now, "no PEM"), Catch::Contains("have not signed it"));
  const std::string broken =
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" + made.ca_certificate_pem;
  CHECK(why(now, other.ca_certificate_pem + broken).empty());
  CHECK(why(now + std::chrono::hours(2), made.ca_certificate_pem) ==
        "it expired at 2027-01-15T09:00:00Z");
  CHECK(why(now - std::chrono::hours(1), "") == "it is not valid before 2027-01-15T07:55:00Z");
  CHECK(why(now - std::chrono::minutes(9), made.ca_certificate_pem).empty());
  CHECK_FALSE(WhyRefused("no PEM", "", now).empty());
  // One that clients show is none of a server.
  CHECK_THAT(WhyRefused(test_support::kClient, test_support::kClientCa,
                        ReadCertificate(test_support::kClient)->valid_from + std::chrono::hours(1)),
             Catch::Contains("not for servers"));
}

TEST_CASE("A certificate may be valid for ever", "[kube][serve]") {
  const TimePoint now{std::chrono::seconds(1'800'000'000)};
  for (const char* pem : {test_support::kWithoutEnd, test_support::kUntil2300}) {
    CHECK(WhyRefused(pem, pem, now).empty());
  }
  const auto facts = ReadCertificate(test_support::kWithoutEnd);
  REQUIRE(facts);
  CHECK(facts->valid_until.time_since_epoch().count() == 253402300799);  // 99991231235959Z
}

// Of the older one the name is the same, and the key another.
TEST_CASE("Of authorities of one name each is tried", "[kube][serve]") {
  const std::string old_one = test_support::kOldRoot, new_one = test_support::kNewRoot;
  const TimePoint now{std::chrono::seconds(1'800'000'000)};
  CHECK(WhyRefused(test_support::kOfNewRoot, old_one + new_one, now).empty());
  CHECK(WhyRefused(test_support::kOfNewRoot, new_one + old_one, now).empty());
  CHECK_FALSE(WhyRefused(test_support::kOfNewRoot, old_one, now).empty());
}

TEST_CASE("What is no certificate tells nothing", "[kube][serve]") {
  const std::string pem =
      GENERATE(std::string(), std::string("x"), std::string(test_support::kRsaKey),
               std::string("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
  CHECK_FALSE(ReadCertificate(pem));
}

TEST_CASE("A pair fits, with a key of either kind", "[kube][serve]") {
  CHECK_NOTHROW(CheckTls(MaterialOf(test_support::kRsa, test_support::kRsaKey)));
  const SelfSigned made = MakeSelfSigned({"a"}, kNow, kYear);
  // With the chain behind it.
  CHECK_NOTHROW(CheckTls(MaterialOf(made.certificate_pem + made.ca_certificate_pem, made.key_pem)));
}

TEST_CASE("An encrypted key opens with its password alone, which nobody is told", "[kube][serve]") {
  const std::string key =
      GENERATE(test_support::kRsaKeyEncrypted, test_support::kRsaKeyEncryptedOldWay);
  TlsMaterial material = MaterialOf(test_support::kRsa, key);
  material.key_file = "tls.key";
  CHECK_THROWS_WITH(CheckTls(material),
                    "cannot use the key \"tls.key\": it is encrypted: give its password");
  material.key_password = "hunter2";
  CHECK_THROWS_WITH(
      CheckTls(material),
      "cannot use the key \"tls.key\": it is encrypted, and the password does not fit");
  material.key_password = test_support::kPassword;
  CHECK_NOTHROW(CheckTls(material));
  material.key_password = std::string(5000, 'x');
  CHECK_THROWS_AS(CheckTls(material), base::Error);
}

TEST_CASE("What cannot be served with is named", "[kube][serve]") {
  TlsMaterial material = MaterialOf(test_support::kRsa, test_support::kRsaKey);
  material.certificate_file = "tls.crt";
  material.key_file = "tls.key";
  const auto message = [&material]() -> std::string {
    try {
      CheckTls(material);
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  };
  SECTION("no certificate") {
    material.certificate_pem = GENERATE("", "x", test_support::kRsaKey);
    CHECK(message() ==
          "cannot use the certificate \"tls.crt\": there is no certificate in it, as PEM");
  }
  SECTION("a certificate that is broken") {
    material.certificate_pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    CHECK_THAT(message(), Catch::StartsWith("cannot use the certificate \"tls.crt\": "));
  }
  SECTION("a chain that is broken") {
    material.certificate_pem += "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    CHECK_THAT(message(), Catch::StartsWith("cannot use the certificate \"tls.crt\": "));
  }
  SECTION("no key") {
    material.key_pem = GENERATE("", "x", test_support::kRsa);
    CHECK(message() == "cannot use the key \"tls.key\": there is no private key in it, as PEM");
  }
  SECTION("a key of another certificate") {
    material.key_pem = test_support::kClientKey;
    CHECK(message() ==
          "cannot use the key \"tls.key\": it is not that of the certificate \"tls.crt\"");
  }
  SECTION("no authority of clients") {
    material.client_certificates = ClientCertificates::kRequired;
    material.client_ca_file = "ca.crt";
    CHECK(message() ==
          "cannot use the certificate of the authority of clients \"ca.crt\": there is no "
          "certificate in it, as PEM");
  }
}

TEST_CASE("SHA-256 of a text is that of FIPS 180-4", "[kube][serve]") {
  constexpr std::string_view kHash(
      "\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23"
      "\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad",
      32);
  CHECK(Sha256("abc") == kHash);
}

}  // namespace
}  // namespace kube::serve
