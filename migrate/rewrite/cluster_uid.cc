#include "migrate/rewrite/cluster_uid.h"

#include "kube/client/answer_meaning.h"
#include "kube/json/json.h"

namespace migrate::rewrite {

kube::base::Result<std::string, kube::client::CallError> FindClusterUid(
    kube::client::Client& client) {
  using kube::client::Meaning;
  const auto kube_system = client.Get("/api/v1/namespaces/kube-system");
  if (!kube_system) {
    const Meaning meaning = MeaningOf(kube_system.error());
    if (meaning == Meaning::kForbidden || meaning == Meaning::kNotFound) return std::string();
    return kube::base::Unexpected(kube_system.error());
  }
  const kube::json::Value* metadata = (*kube_system)->root().Find("metadata");
  return metadata == nullptr ? std::string() : std::string(metadata->FindText("uid"));
}

}  // namespace migrate::rewrite
