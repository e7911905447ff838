#pragma once

#include <stdexcept>
#include <string>

namespace kube::base {

/// Thrown when a run cannot go on and only a person can help: the text names the thing, the
/// cause comes last, and main prints it after "error: ".
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kube::base
