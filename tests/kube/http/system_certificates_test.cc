#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "kube/base/base64.h"
#include "kube/client/route.h"
#include "tests/support/temp_folder.h"
#include "tests/support/variables.h"

namespace kube::client {
namespace {

using test_support::TempFolder;
using test_support::Variables;

CertificatePlaces PlacesWith(const Variables& variables) {
  return SystemCertificatePlaces(test_support::EnvironmentWith(variables));
}

/// A PEM block of a DER sequence that is filled with `letter`.
std::string Certificate(char letter) {
  const std::string der = std::string("\x30\x82\x01\x00", 4) + std::string(256, letter);
  return "-----BEGIN CERTIFICATE-----\n" + base::EncodeBase64(der) +
         "\n-----END CERTIFICATE-----\n";
}

// Expected values: Go's crypto/x509/root_linux.go.
TEST_CASE("The bundles of Debian, Red Hat, SUSE and Alpine are known",
          "[kube][system_certificates]") {
  const CertificatePlaces places = PlacesWith({});
  CHECK(places.files ==
        std::vector<std::string>{
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/ca-bundle.pem", "/etc/pki/tls/cacert.pem",
            "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem"});
  CHECK(places.folders == std::vector<std::string>{"/etc/ssl/certs", "/etc/pki/tls/certs"});
}

TEST_CASE("SSL_CERT_FILE and SSL_CERT_DIR each take the place of the system's",
          "[kube][system_certificates]") {
  const CertificatePlaces file = PlacesWith({{"SSL_CERT_FILE", "/a:b.pem"}});
  CHECK(file.files == std::vector<std::string>{"/a:b.pem"});
  CHECK(file.folders == PlacesWith({}).folders);
  const CertificatePlaces folders = PlacesWith({{"SSL_CERT_DIR", "/c:/d"}});
  CHECK(folders.files == PlacesWith({}).files);
  CHECK(folders.folders == std::vector<std::string>{"/c", "/d"});
}

TEST_CASE("The first bundle that can be read counts", "[kube][system_certificates]") {
  const TempFolder folder;
  const std::string b = folder.Write("b.pem", Certificate('b'));
  const std::string c = folder.Write("c.pem", Certificate('c'));
  CHECK(CertificatesIn({{folder.path() + "/missing", folder.path(), b, c}, {}}) ==
        Certificate('b'));
  // As in Go, a bundle without a certificate is a bundle.
  const std::string empty = folder.Write("empty.pem", "");
  CHECK(CertificatesIn({{empty, c}, {}}) == "");
}

TEST_CASE("Every file of every folder counts beside the bundle", "[kube][system_certificates]") {
  const TempFolder folder;
  const std::string bundle = folder.Write("bundle", "# A\n" + Certificate('a') + Certificate('b'));
  folder.Write("one/x.crt", Certificate('c') + Certificate('a'));
  folder.Write("one/12345678.0", Certificate('d'));
  folder.Write("one/README", "no certificate");
  folder.Write("one/sub/y.crt", Certificate('e'));
  std::filesystem::create_symlink("x.crt", folder.path() + "/one/link");
  std::filesystem::create_symlink("gone", folder.path() + "/one/dangling");
  folder.Write("two/z.pem", Certificate('f'));
  CHECK(
      CertificatesIn(
          {{bundle}, {folder.path() + "/one", folder.path() + "/none", folder.path() + "/two"}}) ==
      Certificate('a') + Certificate('b') + Certificate('d') + Certificate('c') + Certificate('f'));
}

TEST_CASE("Certificates may be short", "[kube][system_certificates]") {
  const TempFolder folder;
  const std::string pem = "-----BEGIN CERTIFICATE-----\n" +
                          base::EncodeBase64("\x30\x81\xc8" + std::string(200, 'x')) +
                          "\n-----END CERTIFICATE-----\n";
  CHECK(CertificatesIn({{folder.Write("bundle", pem)}, {}}) == pem);
}

TEST_CASE("Blanks at the ends of lines do no harm, and a block begins a line",
          "[kube][system_certificates]") {
  const TempFolder folder;
  const std::string block =
      "-----BEGIN CERTIFICATE-----\nMAMC \nAQE=\t\n-----END CERTIFICATE-----\n";
  CHECK(CertificatesIn({{folder.Write("bundle", "x" + block + block)}, {}}) == block);
}

TEST_CASE("Blocks that are no certificate do not spoil the others", "[kube][system_certificates]") {
  const TempFolder folder;
  const std::string begin = "-----BEGIN CERTIFICATE-----\n";
  const std::string end = "-----END CERTIFICATE-----\n";
  const std::string bad[] = {
      begin + "!!!!\n" + end,
      begin + "Header: 1\n\nAAAA\n" + end,
      begin + "AAAA\n" + end,
      begin + end,
      begin + "AAAA\n",
      begin + base::EncodeBase64("\x30\x82") + "\n" + end,
      begin + base::EncodeBase64(std::string("\x30\x82\x01\x01", 4) + std::string(256, 'x')) +
          "\n" + end,
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
      "-----BEGIN TRUSTED CERTIFICATE-----\nAAAA\n-----END TRUSTED CERTIFICATE-----\n",
  };
  for (const std::string& block : bad) {
    CAPTURE(block);
    const std::string file =
        folder.Write("bundle", Certificate('a') + block + Certificate('b') + begin + "AAAA");
    CHECK(CertificatesIn({{file}, {}}) == Certificate('a') + Certificate('b'));
  }
}

}  // namespace
}  // namespace kube::client
