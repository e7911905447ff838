#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace kube::base {

/// A release of Kubernetes, without its patches.
struct Release {
  int major = 1;
  int minor = 0;

  auto operator<=>(const Release&) const = default;
  std::string ToString() const;  ///< "1.36"
};

/// The newest whose rules are known here.
inline constexpr Release kNewestRelease{1, 36};

/// Of "1.36", "v1.36.4", "1.30+", "v1.27.3-gke.100"; absent for what is no release.
std::optional<Release> ParseRelease(std::string_view text);

}  // namespace kube::base
