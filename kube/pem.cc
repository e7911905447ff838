#include "kube/pem.h"

#include "kube/error.h"
#include "kube/file_text.h"

namespace kube {

bool HasCertificate(std::string_view text) {
  return text.find("-----BEGIN CERTIFICATE-----") != std::string_view::npos;
}

// PKCS #1, SEC 1 and PKCS #8 have a word more or less before it.
bool HasPrivateKey(std::string_view text) {
  return text.find("PRIVATE KEY-----") != std::string_view::npos;
}

std::string ReadCertificates(const std::string& path) {
  auto text = ReadFileText(path);
  if (!text) throw Error("unable to read certificate-authority: " + text.error().message);
  if (!text->empty() && !HasCertificate(*text)) {
    throw Error("unable to load root certificates from " + path +
                ": unable to parse bytes as PEM block");
  }
  return *std::move(text);
}

}  // namespace kube
