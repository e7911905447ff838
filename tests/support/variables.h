#pragma once

#include <map>
#include <string>
#include <utility>

#include "kube/base/environment.h"

namespace test_support {

using Variables = std::map<std::string, std::string>;

/// Surroundings with these environment variables and no others.
inline kube::base::Environment EnvironmentWith(Variables variables) {
  kube::base::Environment environment;
  environment.variable = [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
  return environment;
}

}  // namespace test_support
