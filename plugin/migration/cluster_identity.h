#pragma once

#include <string>

#include "kube/config/kubeconfig_file.h"

namespace plugin::migration {

/// By what a cluster is known from others.
struct ClusterIdentity {
  std::string uid{};      ///< of the namespace kube-system; empty: it may not be read
  std::string address{};  ///< where it is, and by which way: no two clusters have the same

  /// Two that are known by their uids are told apart by these alone: one cluster may have many
  /// addresses. Where one of them is not, the address counts.
  bool IsSameAs(const ClusterIdentity& other) const;
};

/// The address to which `context` of the kubeconfig leads; empty where it leads nowhere.
std::string AddressOf(const std::string& context, const kube::config::Kubeconfig& kubeconfig);

}  // namespace plugin::migration
