#pragma once

#include <string>
#include <string_view>

namespace migrate::migration {

/// Where the Leases of all runs are, unless they are told otherwise: a place that does not depend
/// on who runs them, that no cluster can be without, and in which a right to Leases
/// is none over the cluster itself.
inline constexpr std::string_view kLeaseNamespace = "default";

/// What runs over one CRD share in the cluster is of this name:
/// "kubectl-prune-widgets.demo.example.com-UID", a DNS subdomain. A CRD that was deleted and made
/// anew has another one. Of a long name of a CRD the end is left out.
std::string NameOfCrd(const std::string& crd_name, const std::string& crd_uid);

}  // namespace migrate::migration
