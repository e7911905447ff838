#include "migrate/migration/lease_name.h"

#include <cstddef>

namespace migrate::migration {
namespace {

constexpr char kPrefix[] = "kubectl-prune-";
// Of a DNS subdomain (apimachinery pkg/util/validation).
constexpr std::size_t kLongestLeaseName = 253;

std::string NameWithEnd(const std::string& crd_name, const std::string& end) {
  std::string name = (kPrefix + crd_name).substr(0, kLongestLeaseName - end.size());
  while (name.ends_with('.') || name.ends_with('-')) name.pop_back();
  return name + end;
}

}  // namespace

std::string NameOfCrd(const std::string& crd_name, const std::string& crd_uid) {
  return NameWithEnd(crd_name, "-" + crd_uid);
}

}  // namespace migrate::migration
