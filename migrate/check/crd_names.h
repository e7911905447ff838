#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"

/// CRDs as they are named on the command line.
namespace migrate::check {

/// What a CRD can be named by.
struct CrdIdentity {
  std::string name, group;
  kube::crd::CrdNames names;
  std::vector<std::string> served_versions{};
};

CrdIdentity IdentityOf(const kube::crd::Crd& crd);

/// True if `argument` names the CRD as kubectl names resources, in any case of letters:
/// plural.group, plural, singular, kind or short name, with or without the group, and before that a
/// served version; with or without "crd/" before it all.
bool IsNamed(const CrdIdentity& crd, std::string_view argument);
bool IsNamedByAny(const CrdIdentity& crd, const std::vector<std::string>& arguments);

/// The argument without the "crd/", in any case of letters, that kubectl takes before a name.
std::string_view WithoutCrdType(std::string_view argument);

/// The argument without "crd/" and the like before it, in lower case.
std::string CrdNameOf(std::string_view argument);

/// Checks that none of `arguments` names CRDs of different names. Throws kube::base::Error, which
/// lists them.
void RequireNoneNamesTwo(const std::vector<std::string>& arguments,
                         const std::vector<CrdIdentity>& crds);

/// How the message begins that no CRD has a name.
inline constexpr char kNoCrd[] = "no CustomResourceDefinition named ";

/// Checks that each of `arguments` names one CRD of `crds`; namesakes count as one. Throws
/// kube::base::Error for an argument that names none, with those that may have been meant, or that
/// it is built into Kubernetes; or CRDs of different names, which it lists.
/// `where` tells, behind the name, which CRDs these are.
void RequireEachNamesOne(const std::vector<std::string>& arguments,
                         const std::vector<CrdIdentity>& crds, const std::string& where = "");

}  // namespace migrate::check
