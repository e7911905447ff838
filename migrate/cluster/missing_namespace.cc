#include "migrate/cluster/missing_namespace.h"

#include <utility>

#include "kube/client/answer_meaning.h"

namespace migrate::cluster {

std::string DescribeMissingNamespace(const std::string& name, kube::client::Client& client) {
  kube::client::ApiRequest request;
  request.target = "/api/v1/namespaces/" + kube::client::UrlEscape(name);
  request.retry = false;  // only a warning depends on it
  const auto found = client.Send(std::move(request));
  if (found || !found.error().status) return "";
  const kube::client::ApiStatus& status = *found.error().status;
  // A 404 of something in between is about the address.
  const std::string missing = "namespaces \"" + name + "\" not found";
  const bool is_missing = kube::client::MeaningOf(status) == kube::client::Meaning::kNotFound &&
                          status.message == missing;
  return is_missing ? missing : "";
}

}  // namespace migrate::cluster
