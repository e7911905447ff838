#include "kube/serve/tls_files.h"

#include <catch2/catch.hpp>

#include "kube/serve/certificates.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_certificates.h"

namespace kube::serve {
namespace {

using test_support::TempFolder;

/// Writes a pair that fits.
TlsPaths WritePair(const TempFolder& folder) {
  TlsPaths paths;
  paths.certificate = folder.Write("tls.crt", test_support::kRsa);
  paths.key = folder.Write("tls.key", test_support::kRsaKey);
  return paths;
}

/// Files that are renewed, and what is reported of them.
struct RenewedFiles {
  RenewedFiles() : files(WritePair(folder)) {}

  void Renew() const {
    const SelfSigned made = MakeSelfSigned({"a"}, {}, std::chrono::hours(1));
    folder.Write("tls.crt", made.certificate_pem);
    folder.Write("tls.key", made.key_pem);
  }
  std::optional<TlsMaterial> ReadChanges() {
    return files.ReadChanges([this](const std::string& line) { reports.push_back(line); });
  }

  TempFolder folder;
  TlsFiles files;
  std::vector<std::string> reports;
};

TEST_CASE("Files that stay as they are bring nothing new", "[kube][serve]") {
  RenewedFiles renewed;
  CHECK_FALSE(renewed.ReadChanges());
  WritePair(renewed.folder);  // the same anew
  CHECK_FALSE(renewed.ReadChanges());
  CHECK(renewed.reports.empty());
}

TEST_CASE("A renewed pair is given once", "[kube][serve]") {
  RenewedFiles renewed;
  renewed.Renew();
  const auto material = renewed.ReadChanges();
  REQUIRE(material);
  CHECK(material->certificate_pem == renewed.folder.Read("tls.crt"));
  CHECK(renewed.files.material() == *material);
  CHECK_FALSE(renewed.ReadChanges());
  CHECK(renewed.reports.empty());
}

TEST_CASE("A broken new pair is told once, and the one before it stays", "[kube][serve]") {
  RenewedFiles renewed;
  const std::string file = renewed.folder.path() + "/tls.key";
  renewed.folder.Write("tls.key", "half of a ke");
  CHECK_FALSE(renewed.ReadChanges());
  CHECK_FALSE(renewed.ReadChanges());
  CHECK(renewed.reports ==
        std::vector<std::string>{"cannot use the key \"" + file +
                                 "\": there is no private key in it, as PEM; the one before it "
                                 "stays in use"});
  CHECK(renewed.files.material().key_pem == test_support::kRsaKey);
  SECTION("until it is whole") {
    renewed.Renew();
    CHECK(renewed.ReadChanges());
  }
  SECTION("told again if it breaks again") {
    WritePair(renewed.folder);
    CHECK_FALSE(renewed.ReadChanges());
    renewed.folder.Write("tls.key", "half of a ke");
    CHECK_FALSE(renewed.ReadChanges());
    CHECK(renewed.reports.size() == 2);
  }
}

TEST_CASE("A pair of which one half is new so far is not used", "[kube][serve]") {
  RenewedFiles renewed;
  renewed.Renew();
  const std::string key = renewed.folder.Read("tls.key");
  renewed.folder.Write("tls.key", test_support::kRsaKey);
  CHECK_FALSE(renewed.ReadChanges());
  CHECK(renewed.reports.size() == 1);
  renewed.folder.Write("tls.key", key);
  CHECK(renewed.ReadChanges());
}

TEST_CASE("A file that is gone is told, and what it held stays", "[kube][serve]") {
  RenewedFiles renewed;
  std::filesystem::remove(renewed.folder.path() + "/tls.crt");
  CHECK_FALSE(renewed.ReadChanges());
  REQUIRE(renewed.reports.size() == 1);
  CHECK_THAT(renewed.reports[0], Catch::StartsWith("cannot read the certificate \""));
}

TEST_CASE("Files that cannot be used at the start are an error", "[kube][serve]") {
  const TempFolder folder;
  TlsPaths paths;
  paths.certificate = folder.path() + "/x.crt";
  paths.key = folder.path() + "/x.key";
  CHECK_THROWS_WITH(TlsFiles(paths), "cannot read the certificate \"" + paths.certificate +
                                         "\": open " + paths.certificate +
                                         ": no such file or directory");
  folder.Write("x.crt", test_support::kRsa);
  folder.Write("x.key", test_support::kRsaKeyEncrypted);
  CHECK_THROWS_WITH(TlsFiles(paths), Catch::EndsWith("it is encrypted: give its password"));
  paths.key_password = test_support::kPassword;
  CHECK_NOTHROW(TlsFiles(paths));
}

TEST_CASE("The authority of clients is read, and renewed, where they show certificates",
          "[kube][serve]") {
  const TempFolder folder;
  TlsPaths paths = WritePair(folder);
  paths.client_certificates = ClientCertificates::kOptional;
  paths.client_ca = folder.Write("ca.crt", test_support::kClientCa);
  TlsFiles files(paths);
  CHECK(files.material().client_ca_pem == test_support::kClientCa);
  folder.Write("ca.crt", test_support::kRsa);
  const auto changes = files.ReadChanges([](const std::string&) {});
  REQUIRE(changes);
  CHECK(changes->client_ca_pem == test_support::kRsa);
}

}  // namespace
}  // namespace kube::serve
