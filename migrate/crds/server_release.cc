#include "migrate/crds/server_release.h"

#include <string>

namespace migrate::crds {

std::optional<kube::base::Release> AskRelease(kube::client::Client& client) {
  const auto version = client.Get("/version");
  if (!version) return std::nullopt;
  const kube::json::Value& root = (*version)->root();
  return kube::base::ParseRelease(std::string(root.FindText("major")) + "." +
                                  std::string(root.FindText("minor")));
}

bool Ratchets(const std::optional<kube::base::Release>& release) {
  return release && *release >= kube::base::Release{1, 30};
}

}  // namespace migrate::crds
