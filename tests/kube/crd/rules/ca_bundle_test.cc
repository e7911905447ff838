#include "kube/crd/ca_bundle.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::crd {
namespace {

constexpr const char* kStart = "unable to load root certificates: ";
// Of Ed25519, self-signed.
constexpr const char* kBody =
    "MIIBLjCB4aADAgECAhQs4uiMP6ZqTjjKn7wMhqfuwJEXozAFBgMrZXAwDDEKMAgGA1UEAwwBYTAg"
    "Fw0yNjExMjIxNDQ1MjhaGA8yMTI2MTAyOTE0NDUyOFowDDEKMAgGA1UEAwwBYTAqMAUGAytlcAMh"
    "AGUcwZMeBBELmBxZVYiJau0Bzcutcb8jpVizEMJ/r9Vfo1MwUTAdBgNVHQ4EFgQUKZ0JZHZ1hDnI"
    "/YkRItLmDeX/IHwwHwYDVR0jBBgwFoAUKZ0JZHZ1hDnI/YkRItLmDeX/IHwwDwYDVR0TAQH/BAUw"
    "AwEB/zAFBgMrZXADQQCnDEwn+1UIMNxGJXbiDKArCSMCQzzwsWXqdiycIa772TYSvTUDdAHMQHxx"
    "IWkWz+3JhUygUKSNxtrfyC6j5OAE";
constexpr const char* kKey = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n";
constexpr const char* kNoPem = "unable to parse bytes as PEM block";

std::string Block(const std::string& body) {
  return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
}

// The texts are those of createErrorParsingCAData (client-go transport/transport.go) and
// x509.ParseCertificate; what is a block, encoding/pem's Decode says.

TEST_CASE("A CA bundle needs one certificate", "[ca_bundle]") {
  const std::string certificate = Block(kBody);
  CHECK(CaBundleProblem(certificate).empty());
  CHECK(CaBundleProblem("text before\n" + std::string(kKey) + certificate + "rest").empty());
  CHECK(CaBundleProblem(Block("!") + Block("MAA=") + certificate).empty());
  CHECK(CaBundleProblem(Block(std::string(" ") + kBody + "\t\r\n")).empty());
}

TEST_CASE("A CA bundle without PEM is none", "[ca_bundle]") {
  for (const std::string_view pem : {
           "hi",
           "\n",
           "xx-----BEGIN y",
           "-----BEGIN CERTIFICATE-----\nMAIwAA==\n",
           "x-----BEGIN CERTIFICATE-----\nMAIwAA==\n-----END CERTIFICATE-----\n",
           "-----BEGIN CERTIFICATE-----\nMAIwAA==\n-----END PRIVATE KEY-----\n",
           "-----BEGIN CERTIFICATE-----\nMAIwAA==\n-----END CERTIFICATE----- x\n",
           "-----BEGIN CERTIFICATE\nMAIwAA==\n-----END CERTIFICATE-----\n",
           "-----BEGIN CERTIFICATE-----\na: b\n-----END CERTIFICATE-----\n",
           "-----BEGIN CERTIFICATE-----\na: b\n-----END c: d",
       }) {
    CAPTURE(pem);
    CHECK(CaBundleProblem(pem) == kStart + std::string(kNoPem));
  }
  CHECK(CaBundleProblem(Block("MAIwAA=")) == kStart + std::string(kNoPem));
  CHECK(CaBundleProblem(std::string(kKey) + "rest") == kStart + std::string(kNoPem));
}

TEST_CASE("A CA bundle of other blocks has no authority", "[ca_bundle]") {
  const std::string problem = kStart + std::string("no valid certificate authority data seen");
  CHECK(CaBundleProblem(kKey) == problem);
  CHECK(CaBundleProblem(Block("a: b\n\nMAIwAA==")) == problem);
}

TEST_CASE("The first certificate that cannot be parsed is named", "[ca_bundle]") {
  const std::string start = kStart + std::string("failed to parse certificate: x509: ");
  CHECK(CaBundleProblem(Block("aGVsbG8=")) == start + "malformed certificate");
  CHECK(CaBundleProblem(Block("")) == start + "malformed certificate");
  CHECK(CaBundleProblem("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----") ==
        start + "malformed certificate");
  // A length that is too long, not in its shortest form, and indefinite.
  CHECK(CaBundleProblem(Block("MAMwAA==")) == start + "malformed certificate");
  CHECK(CaBundleProblem(Block("MIECMAA=")) == start + "malformed certificate");
  CHECK(CaBundleProblem(Block("MIAwAA==")) == start + "malformed certificate");
  CHECK(CaBundleProblem(Block("MAA=") + Block("aGk=")) == start + "malformed tbs certificate");
  const std::string body = kBody;
  CHECK(CaBundleProblem(Block(body.substr(0, 100))) == start + "malformed certificate");
  CHECK(CaBundleProblem(Block(body + "AA==")) == start + "trailing data");
  CHECK(CaBundleProblem(Block("aGk=") + "rest") == start + "malformed certificate");
}

}  // namespace
}  // namespace kube::crd
