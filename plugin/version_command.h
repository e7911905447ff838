#pragma once

#include <string>

#include "plugin/options.h"

namespace plugin {

/// Prints the version of this program; returns the exit code.
int RunVersion(const VersionOptions& options);

/// What RunVersion prints for a program of `version`, e.g. "v0.1.0".
std::string PrintVersion(const std::string& version, OutputFormat format);

}  // namespace plugin
