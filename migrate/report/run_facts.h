#pragma once

#include <chrono>
#include <string>

namespace migrate::report {

/// Where, when and by what a report was made. What is empty is not known, and not printed.
struct RunFacts {
  std::string cluster;  ///< the server's URL, without user and password; empty: none was asked
  std::string context;  ///< of the kubeconfig
  std::string time;     ///< RFC 3339, UTC
  std::string version;  ///< of this program, "v0.1.0"

  bool operator==(const RunFacts&) const = default;
};

}  // namespace migrate::report
