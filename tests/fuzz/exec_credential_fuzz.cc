#include <string>

#include "kube/base/utf8.h"
#include "kube/client/exec_credentials.h"
#include "tests/fuzz/fuzz.h"

namespace {

// A credential says who we are: by a token, or by a certificate with its key.
bool IsComplete(const kube::client::ExecCredential& credential) {
  const auto& [certificate, key] = credential.certificate;
  return certificate.empty() == key.empty() && !(credential.token.empty() && key.empty());
}

// Nothing in it may steer a terminal.
bool IsHarmless(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_space = text[i] >= '\t' && text[i] <= '\r';
    if (!is_space && kube::base::utf8::ControlLength(std::string_view(text).substr(i)) > 0)
      return false;
  }
  return true;
}

}  // namespace

// Any output of a plugin is a complete credential or an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::Text(data, size));
  for (const char* version :
       {"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"}) {
    const auto credential = kube::client::ReadExecCredential(text, version);
    fuzz::Require(credential ? IsComplete(*credential) : !credential.error().empty());
  }
  fuzz::Require(IsHarmless(kube::client::PrintableHint(text)));
  return 0;
}
