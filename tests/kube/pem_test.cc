#include "kube/pem.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube {
namespace {

TEST_CASE("PEM blocks are told apart", "[kube][pem]") {
  const char* certificate = "x\n-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n";
  CHECK(HasCertificate(certificate));
  CHECK_FALSE(HasPrivateKey(certificate));
  for (const char* type : {"", "RSA ", "EC ", "ENCRYPTED "}) {
    CHECK(HasPrivateKey("-----BEGIN " + std::string(type) + "PRIVATE KEY-----\n"));
  }
  CHECK_FALSE(HasCertificate("-----BEGIN CERTIFICATE REQUEST-----"));
  CHECK_FALSE(HasPrivateKey("-----BEGIN PUBLIC KEY-----"));
}

}  // namespace
}  // namespace kube
