#include "kube/admission/server_kind.h"

#include <catch2/catch.hpp>
#include <tuple>

namespace kube::admission {
namespace server_kind_test {

// What such servers' certificates say, as openssl prints it.
TEST_CASE("A cluster on a person's machine is known by its certificate", "[kube][admission]") {
  const auto [subject, issuer, name, version, kind] =
      GENERATE(table<std::string, std::string, std::string, std::string, ServerKind>({
          {"O=k3s, CN=k3s", "CN=k3s-server-ca@1700000000", "", "", ServerKind::kK3d},
          {"CN = k3s", "CN = other", "", "", ServerKind::kK3d},
          {"CN=a", "CN=k3s-server-ca@1700000000", "", "", ServerKind::kK3d},
          {"CN=a", "CN=b", "", "v1.29.4+k3s1", ServerKind::kK3d},
          {"O=system:masters, CN=minikube", "CN=minikubeCA", "", "v1.30.0", ServerKind::kMinikube},
          {"CN=kube-apiserver", "CN=minikubeCA", "", "", ServerKind::kMinikube},
          {"CN=kube-apiserver", "CN=kubernetes", "docker-for-desktop", "v1.30.0",
           ServerKind::kDockerDesktop},
          {"CN=docker-for-desktop", "CN=kubernetes", "", "", ServerKind::kDockerDesktop},
          {"CN=kube-apiserver", "CN=kubernetes", "kubernetes.default", "v1.30.0",
           ServerKind::kOther},
          {"CN=thek3sfans, O=minikubes", "CN=b", "docker-for-desktop.example.com", "v1.30.0+k0s",
           ServerKind::kOther},
          {"", "", "", "", ServerKind::kOther},
      }));
  CAPTURE(subject, issuer, name, version);
  CHECK(KindOfServer({subject, issuer, {"10.0.0.1", name}}, version) == kind);
}

TEST_CASE("Each has its name for the machine", "[kube][admission]") {
  CHECK(HostForServer(ServerKind::kK3d) == "host.k3d.internal");
  CHECK(HostForServer(ServerKind::kMinikube) == "host.minikube.internal");
  CHECK(HostForServer(ServerKind::kDockerDesktop) == "host.docker.internal");
  CHECK(HostForServer(ServerKind::kOther).empty());
}

}  // namespace server_kind_test
}  // namespace kube::admission
