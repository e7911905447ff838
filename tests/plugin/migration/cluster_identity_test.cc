#include "plugin/migration/cluster_identity.h"

#include <catch2/catch.hpp>

namespace plugin::migration {
namespace cluster_identity_test {

TEST_CASE("Known by their uids, clusters have any address", "[plugin][cluster_identity]") {
  const ClusterIdentity one{.uid = "1", .address = "https://a"};
  CHECK(one.IsSameAs({.uid = "1", .address = "https://b"}));
  CHECK_FALSE(one.IsSameAs({.uid = "2", .address = "https://a"}));
}

TEST_CASE("Where a uid is not known the address tells", "[plugin][cluster_identity]") {
  const ClusterIdentity unknown{.address = "https://a"};
  CHECK(unknown.IsSameAs({.uid = "1", .address = "https://a"}));
  CHECK(unknown.IsSameAs({.address = "https://a"}));
  CHECK_FALSE(unknown.IsSameAs({.uid = "1", .address = "https://b"}));
  CHECK_FALSE(ClusterIdentity{}.IsSameAs({}));
}

TEST_CASE("Another way to the same URL is another address", "[plugin][cluster_identity]") {
  kube::config::Kubeconfig kubeconfig;
  for (const char* name : {"plain", "same", "proxied", "named"}) {
    kubeconfig.contexts[name].cluster = name;
    kubeconfig.clusters[name].server = "https://127.0.0.1:6443";
  }
  kubeconfig.clusters["same"].server += '/';
  kubeconfig.clusters["proxied"].proxy_url = "socks5://far";
  kubeconfig.clusters["named"].tls_server_name = "other";
  kubeconfig.contexts["nowhere"];
  const std::string plain = AddressOf("plain", kubeconfig);
  CHECK(AddressOf("same", kubeconfig) == plain);
  CHECK(AddressOf("proxied", kubeconfig) != plain);
  CHECK(AddressOf("named", kubeconfig) != plain);
  CHECK(AddressOf("nowhere", kubeconfig).empty());
  CHECK(AddressOf("unknown", kubeconfig).empty());
}

}  // namespace cluster_identity_test
}  // namespace plugin::migration
