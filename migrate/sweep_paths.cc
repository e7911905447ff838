#include "migrate/sweep_paths.h"

#include <utility>

#include "kube/client.h"

namespace migrate {
namespace {

std::string ResourcePath(const SweepTarget& target, const std::string& namespace_) {
  std::string path =
      "/apis/" + kube::UrlEscape(target.group) + "/" + kube::UrlEscape(target.version);
  if (target.is_namespaced && !namespace_.empty()) {
    path += "/namespaces/" + kube::UrlEscape(namespace_);
  }
  return path + "/" + kube::UrlEscape(target.plural);
}

}  // namespace

std::string ListPath(const SweepTarget& target) {
  std::string path = ResourcePath(target, target.namespace_);
  const auto add = [&path](const char* key, const std::string& value) {
    if (!value.empty()) path = kube::WithQuery(std::move(path), key + kube::UrlEscape(value));
  };
  add("labelSelector=", target.label_selector);
  add("fieldSelector=", target.field_selector);
  return path;
}

std::string ObjectPath(const SweepTarget& target, const ListedObject& object) {
  return ResourcePath(target, object.namespace_) + "/" + kube::UrlEscape(object.name);
}

}  // namespace migrate
