#include "migrate/check/gitops_owner.h"

#include <catch2/catch.hpp>
#include <tuple>

namespace migrate::check {
namespace gitops_owner_test {

TEST_CASE("A tool that keeps a CRD is known by what it leaves in the metadata",
          "[migrate][gitops_owner]") {
  const auto [metadata, owner] = GENERATE(table<std::string, std::string>({
      {R"({"annotations":{"argocd.argoproj.io/tracking-id":"a:b"}})",
       "Argo CD (annotation argocd.argoproj.io/tracking-id)"},
      {R"({"labels":{"argocd.argoproj.io/instance":"a"}})",
       "Argo CD (label argocd.argoproj.io/instance)"},
      {R"({"labels":{"app.kubernetes.io/instance":"a"},
           "annotations":{"argocd.argoproj.io/sync-wave":"1"}})",
       "Argo CD (label app.kubernetes.io/instance)"},
      {R"({"labels":{"app.kubernetes.io/instance":"a"},"annotations":{"b":"c"}})", ""},
      {R"({"labels":{"kustomize.toolkit.fluxcd.io/name":"a"}})",
       "Flux (label kustomize.toolkit.fluxcd.io/name)"},
      {R"({"labels":{"helm.toolkit.fluxcd.io/name":"a"},
           "annotations":{"meta.helm.sh/release-name":"b"}})",
       "Flux (label helm.toolkit.fluxcd.io/name)"},
      {R"({"annotations":{"meta.helm.sh/release-name":"b"}})",
       "Helm (annotation meta.helm.sh/release-name)"},
      {R"({"managedFields":[{"manager":"kubectl"},{"manager":"kustomize-controller"}]})",
       "Flux (field manager kustomize-controller)"},
      {R"({"managedFields":[{"manager":"kubectl-client-side-apply"}],"labels":{"a":"b"}})", ""},
      {"{}", ""},
      {"3", ""},
  }));
  CAPTURE(metadata);
  kube::json::Document crd;
  REQUIRE_FALSE(crd.Parse("{\"metadata\":" + metadata + "}"));
  CHECK(FindGitOpsOwner(crd.root()) == owner);
}

}  // namespace gitops_owner_test
}  // namespace migrate::check
