#pragma once

#include <string>

#include "kube/base/result.h"

namespace kube::base {

struct FileError {
  bool missing;         ///< there is no such file; false for all other reasons
  std::string message;  ///< as Go words it: "open a/b: no such file or directory"
};

/// Reads a whole file, or pipe, of at most 64 MiB.
Result<std::string, FileError> ReadFileText(const std::string& path);

/// What opening `path` for reading says; empty where it can be opened.
std::string OpenProblem(const std::string& path);

}  // namespace kube::base
