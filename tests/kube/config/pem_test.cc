#include "kube/client/pem.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::client {
namespace {

// DER of a sequence that holds the number 1.
const std::string kBlock = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n";
const std::string kKey = "-----BEGIN EC PRIVATE KEY-----\nMAMCAQE=\n-----END EC PRIVATE KEY-----\n";

std::string Block(const std::string& body) {
  return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
}

TEST_CASE("K5: certificates are found among text and other blocks", "[kube][pem]") {
  CHECK(UsableCertificates(kBlock) == kBlock);
  CHECK(UsableCertificates("# ours\n" + kBlock + "# end\n" + kBlock) == kBlock + kBlock);
  CHECK(UsableCertificates(kKey + kBlock + kKey) == kBlock);
  CHECK(UsableCertificates("-----BEGIN CERTIFICATE-----\r\nMAMC\r\nAQE=\r\n"
                           "-----END CERTIFICATE-----\r\n") ==
        "-----BEGIN CERTIFICATE-----\r\nMAMC\r\nAQE=\r\n-----END CERTIFICATE-----\n");
  CHECK(UsableCertificates(Block(" MAMC\tAQE= ")) == Block(" MAMC\tAQE= "));
}

TEST_CASE("K5: what is no certificate is left out", "[kube][pem]") {
  for (const std::string& text :
       {std::string(), std::string("x"), kKey, Block(""), Block("R0FSQkFHRQ=="), Block("***"),
        Block("MAMCAQ=="), Block("MAQCAQE="), Block("MA=="), Block("MIQ="), Block("MIX/////AQ=="),
        Block("Proc-Type: 4\n\nMAMCAQE="), std::string("x-----BEGIN CERTIFICATE-----\nMAMCAQE=\n"),
        "x" + kBlock, kBlock.substr(0, kBlock.size() - 10),
        std::string("-----BEGIN CERTIFICATE REQUEST-----\nMAMCAQE=\n"
                    "-----END CERTIFICATE REQUEST-----\n")}) {
    CAPTURE(text);
    CHECK(UsableCertificates(text).empty());
    CHECK(UsableCertificates(text + "\n" + kBlock) == kBlock);
  }
}

TEST_CASE("K4: a key pair is told from what is none", "[kube][pem]") {
  for (const char* type : {"", "RSA ", "EC ", "ENCRYPTED "}) {
    CHECK_FALSE(
        KeyPairProblem("x\n" + kBlock, "-----BEGIN " + std::string(type) + "PRIVATE KEY-----\n"));
  }
  CHECK(KeyPairProblem("", kKey) == "tls: failed to find any PEM data in certificate input");
  CHECK(
      KeyPairProblem(kKey, kBlock) ==
      "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
      "PEM inputs may have been switched");
  CHECK(KeyPairProblem(kBlock, "-----BEGIN PUBLIC KEY-----") ==
        "tls: failed to find any PEM data in key input");
  CHECK(KeyPairProblem(kBlock, kBlock) ==
        "tls: found a certificate rather than a key in the PEM for the private key");
}

}  // namespace
}  // namespace kube::client
