#include "migrate/check/crd_names.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "kube/base/result.h"
#include "kube/base/suggestions.h"
#include "kube/base/text.h"

namespace migrate::check {
namespace {

/// Resources that no server has by a CustomResourceDefinition, by the names that kubectl takes.
struct BuiltIn {
  std::string_view plural, singular, shortcut;
};

constexpr BuiltIn kBuiltIn[] = {
    {"clusterrolebindings", "clusterrolebinding", ""},
    {"clusterroles", "clusterrole", ""},
    {"configmaps", "configmap", "cm"},
    {"cronjobs", "cronjob", "cj"},
    {"customresourcedefinitions", "customresourcedefinition", "crd"},
    {"daemonsets", "daemonset", "ds"},
    {"deployments", "deployment", "deploy"},
    {"endpoints", "endpoint", "ep"},
    {"events", "event", "ev"},
    {"horizontalpodautoscalers", "horizontalpodautoscaler", "hpa"},
    {"ingresses", "ingress", "ing"},
    {"jobs", "job", ""},
    {"leases", "lease", ""},
    {"namespaces", "namespace", "ns"},
    {"networkpolicies", "networkpolicy", "netpol"},
    {"nodes", "node", "no"},
    {"persistentvolumeclaims", "persistentvolumeclaim", "pvc"},
    {"persistentvolumes", "persistentvolume", "pv"},
    {"poddisruptionbudgets", "poddisruptionbudget", "pdb"},
    {"pods", "pod", "po"},
    {"replicasets", "replicaset", "rs"},
    {"rolebindings", "rolebinding", ""},
    {"roles", "role", ""},
    {"secrets", "secret", ""},
    {"serviceaccounts", "serviceaccount", "sa"},
    {"services", "service", "svc"},
    {"statefulsets", "statefulset", "sts"},
    {"storageclasses", "storageclass", "sc"},
};

/// "; pods are built into Kubernetes, ..." for one of these, with or without its group; else "".
std::string BuiltInText(const std::string& argument) {
  const std::string whole = CrdNameOf(argument);
  const std::size_t dot = whole.find('.');
  const std::string name = whole.substr(0, dot);
  const std::string group = dot == std::string::npos ? "" : whole.substr(dot + 1);
  const bool is_own = group.empty() || group.ends_with(".k8s.io") || group == "apps" ||
                      group == "autoscaling" || group == "batch" || group == "policy";
  if (!is_own || name.empty()) return "";
  const auto found = std::ranges::find_if(kBuiltIn, [&name](const BuiltIn& one) {
    return name == one.plural || name == one.singular || name == one.shortcut;
  });
  if (found == std::end(kBuiltIn)) return "";
  return "; " + std::string(found->plural) +
         " are built into Kubernetes, where unknown fields are never kept";
}

std::set<std::string> NamesOf(const std::string& argument, const std::vector<CrdIdentity>& crds) {
  std::set<std::string> found;
  for (const CrdIdentity& crd : crds) {
    if (IsNamed(crd, argument)) found.insert(crd.name);
  }
  return found;
}

void RequireNotTwo(const std::string& argument, const std::set<std::string>& names) {
  if (names.size() <= 1) return;
  throw kube::base::Error("\"" + argument +
                          "\" is ambiguous; name one of: " + kube::base::Join(names, ", "));
}

// By all that a CRD can be named by.
bool MayBeMeant(const CrdIdentity& crd, const std::string& name) {
  std::vector<std::string> words = {crd.name, crd.names.plural, crd.names.singular,
                                    kube::base::ToLower(crd.names.kind),
                                    crd.names.singular + "." + crd.group};
  const std::vector<std::string_view> known(words.begin(), words.end());
  return !kube::base::Suggest(name, known).empty();
}

std::string WhatWasMeant(const std::string& argument, const std::vector<CrdIdentity>& crds) {
  // What is shorter is two letters off from anything.
  constexpr std::size_t kShortest = 4, kMost = 5;
  const std::string name = CrdNameOf(argument);
  if (name.size() < kShortest) return "";
  std::set<std::string> meant;
  for (const CrdIdentity& crd : crds) {
    if (MayBeMeant(crd, name)) meant.insert(crd.name);
  }
  return kube::base::DidYouMean(std::vector<std::string>(meant.begin(), meant.end()), kMost);
}

}  // namespace

CrdIdentity IdentityOf(const kube::crd::Crd& crd) {
  CrdIdentity identity{crd.name, crd.group, crd.names};
  for (const kube::crd::CrdVersion& version : crd.versions) {
    if (version.served) identity.served_versions.push_back(version.name);
  }
  return identity;
}

// kubectl takes a type before the name: crd/NAME.
std::string_view WithoutCrdType(std::string_view argument) {
  const std::string lower = kube::base::ToLower(argument);
  for (const std::string_view type :
       {"crd/", "crds/", "customresourcedefinition/", "customresourcedefinitions/",
        "customresourcedefinition.apiextensions.k8s.io/",
        "customresourcedefinitions.apiextensions.k8s.io/"}) {
    if (lower.starts_with(type)) return argument.substr(type.size());
  }
  return argument;
}

std::string CrdNameOf(std::string_view argument) {
  return kube::base::ToLower(WithoutCrdType(argument));
}

bool IsNamed(const CrdIdentity& crd, std::string_view argument) {
  const std::string name = CrdNameOf(argument);
  if (name == crd.name) return true;
  const std::string group = "." + crd.group;
  const auto fits = [&](const std::string& word) {
    const std::string lower = kube::base::ToLower(word);
    if (lower.empty() || !name.starts_with(lower)) return false;
    const std::string rest = name.substr(lower.size());
    return rest.empty() || rest == group ||
           std::ranges::any_of(crd.served_versions,
                               [&](const auto& version) { return rest == "." + version + group; });
  };
  const kube::crd::CrdNames& names = crd.names;
  return fits(names.plural) || fits(names.singular) || fits(names.kind) ||
         std::any_of(names.short_names.begin(), names.short_names.end(), fits);
}

bool IsNamedByAny(const CrdIdentity& crd, const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [&crd](const std::string& argument) { return IsNamed(crd, argument); });
}

void RequireNoneNamesTwo(const std::vector<std::string>& arguments,
                         const std::vector<CrdIdentity>& crds) {
  for (const std::string& argument : arguments) RequireNotTwo(argument, NamesOf(argument, crds));
}

void RequireEachNamesOne(const std::vector<std::string>& arguments,
                         const std::vector<CrdIdentity>& crds, const std::string& where) {
  for (const std::string& argument : arguments) {
    const std::set<std::string> found = NamesOf(argument, crds);
    if (found.empty()) {
      const std::string built_in = BuiltInText(argument);
      throw kube::base::Error(kNoCrd + ("\"" + argument + "\"") + where +
                              (built_in.empty() ? WhatWasMeant(argument, crds) : built_in));
    }
    RequireNotTwo(argument, found);
  }
}

}  // namespace migrate::check
