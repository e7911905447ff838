#include "migrate/rewrite/sweep_target.h"

#include "kube/client/client.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/spool.h"

namespace migrate::rewrite {
namespace {

std::string ResourcePath(const SweepTarget& target, const std::string& namespace_) {
  std::string path = "/apis/" + kube::client::UrlEscape(target.group) + "/" +
                     kube::client::UrlEscape(target.version);
  if (target.is_namespaced && !namespace_.empty()) {
    path += "/namespaces/" + kube::client::UrlEscape(namespace_);
  }
  return path + "/" + kube::client::UrlEscape(target.plural);
}

}  // namespace

std::string ListPath(const SweepTarget& target) {
  return cluster::WithSelectors(ResourcePath(target, target.namespace_), target.label_selector,
                                target.field_selector);
}

std::string ObjectText(const SweepTarget& target, const cluster::ListedObject& object) {
  return target.plural + "." + target.group + " \"" + object.name + "\"";
}

kube::client::WrittenObject WarnedOf(const SweepTarget& target,
                                     const cluster::ListedObject& object) {
  return {.resource = target.plural + "." + target.group, .name = cluster::ObjectKey(object)};
}

std::string ObjectPath(const SweepTarget& target, const cluster::ListedObject& object) {
  return ResourcePath(target, object.namespace_) + "/" + kube::client::UrlEscape(object.name);
}

}  // namespace migrate::rewrite
