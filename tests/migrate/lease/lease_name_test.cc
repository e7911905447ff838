#include <catch2/catch.hpp>

#include "kube/meta/names.h"
#include "migrate/migration/crd_lease.h"

namespace migrate::migration {
namespace lease_name_test {

const std::string kUid = "0d5e3f8a-1111-2222-3333-444455556666";

TEST_CASE("What runs over a CRD share has its name and uid", "[migrate][lease]") {
  CHECK(NameOfCrd("widgets.demo.example.com", kUid) ==
        "kubectl-prune-widgets.demo.example.com-" + kUid);
}

TEST_CASE("A long name is cut so that it stays a name, and keeps its end", "[migrate][lease]") {
  // Wherever it is cut: in a label, behind one, or in a run of dashes.
  const auto label = static_cast<std::size_t>(GENERATE(range(1, 60)));
  std::string crd_name(label, 'a');
  while (crd_name.size() < 253) crd_name += ".b--" + std::string(40, '-') + "c";
  crd_name.resize(253);
  const std::string name = NameOfCrd(crd_name, kUid);
  CAPTURE(name);
  CHECK(name.size() <= 253);
  CHECK(kube::meta::Dns1123SubdomainProblems(name).empty());
  CHECK(name.ends_with(kUid));
}

}  // namespace lease_name_test
}  // namespace migrate::migration
