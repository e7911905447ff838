#include "migrate/check/gitops_owner.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace migrate::check {
namespace {

using kube::json::Value;

struct Sign {
  std::string_view tool;
  std::string_view where;  // "labels", "annotations", or "" for a field manager
  std::string_view name;
};

// The surest first.
constexpr std::array kSigns = {
    Sign{"Argo CD", "annotations", "argocd.argoproj.io/tracking-id"},
    Sign{"Argo CD", "labels", "argocd.argoproj.io/instance"},
    Sign{"Argo CD", "annotations", "argocd.argoproj.io/instance"},
    Sign{"Flux", "labels", "kustomize.toolkit.fluxcd.io/name"},
    Sign{"Flux", "labels", "helm.toolkit.fluxcd.io/name"},
    Sign{"Helm", "annotations", "meta.helm.sh/release-name"},
    Sign{"Argo CD", "", "argocd-controller"},
    Sign{"Argo CD", "", "argocd-application-controller"},
    Sign{"Flux", "", "kustomize-controller"},
    Sign{"Flux", "", "helm-controller"},
    Sign{"Helm", "", "helm"},
};

bool HasKey(const Value& metadata, std::string_view where, std::string_view name) {
  return metadata.At(where).Find(name) != nullptr;
}

bool HasManager(const Value& metadata, std::string_view manager) {
  return std::ranges::any_of(
      metadata.At("managedFields").elements(),
      [manager](const Value& entry) { return entry.FindText("manager") == manager; });
}

// Argo CD's tracking by app.kubernetes.io/instance: others set that label too, so its annotations
// (sync options and the like) have to be there as well.
bool HasArgoInstance(const Value& metadata) {
  return HasKey(metadata, "labels", "app.kubernetes.io/instance") &&
         std::ranges::any_of(metadata.At("annotations").members(), [](const auto& annotation) {
           return annotation.key.text().starts_with("argocd.argoproj.io/");
         });
}

std::string Describe(const Sign& sign) {
  const std::string_view kind = sign.where == "labels"        ? "label"
                                : sign.where == "annotations" ? "annotation"
                                                              : "field manager";
  return std::string(sign.tool) + " (" + std::string(kind) + " " + std::string(sign.name) + ")";
}

}  // namespace

std::string FindGitOpsOwner(const Value& object) {
  const Value& metadata = object.At("metadata");
  if (HasArgoInstance(metadata)) return "Argo CD (label app.kubernetes.io/instance)";
  for (const Sign& sign : kSigns) {
    const bool is_there = sign.where.empty() ? HasManager(metadata, sign.name)
                                             : HasKey(metadata, sign.where, sign.name);
    if (is_there) return Describe(sign);
  }
  return "";
}

}  // namespace migrate::check
