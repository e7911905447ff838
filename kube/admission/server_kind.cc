#include "kube/admission/server_kind.h"

#include <algorithm>
#include <initializer_list>

#include "kube/base/text.h"

namespace kube::admission {
namespace {

/// True if `word` is in `text`, not within a longer word: "CN=k3s-server-ca@1" has k3s.
bool HasWord(std::string_view text, std::string_view word) {
  const auto goes_on = [&](std::size_t at) {
    return at < text.size() && (base::IsLetter(text[at]) || base::IsDigit(text[at]));
  };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !goes_on(at - 1)) && !goes_on(at + word.size())) return true;
  }
  return false;
}

bool HasAnyWord(const ServerCertificate& certificate,
                std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&certificate](std::string_view word) {
    return HasWord(certificate.subject, word) || HasWord(certificate.issuer, word) ||
           std::ranges::find(certificate.alternative_names, word) !=
               certificate.alternative_names.end();
  });
}

}  // namespace

ServerKind KindOfServer(const ServerCertificate& certificate, std::string_view version) {
  if (HasAnyWord(certificate, {"k3s"}) || version.find("+k3s") != version.npos) {
    return ServerKind::kK3d;
  }
  if (HasAnyWord(certificate, {"minikube", "minikubeCA"})) return ServerKind::kMinikube;
  if (HasAnyWord(certificate, {"docker-for-desktop"})) return ServerKind::kDockerDesktop;
  return ServerKind::kOther;
}

std::string_view HostForServer(ServerKind kind) {
  switch (kind) {
    case ServerKind::kK3d:
      return "host.k3d.internal";
    case ServerKind::kMinikube:
      return "host.minikube.internal";
    case ServerKind::kDockerDesktop:
      return "host.docker.internal";
    case ServerKind::kOther:
      return "";
  }
  return "";
}

}  // namespace kube::admission
