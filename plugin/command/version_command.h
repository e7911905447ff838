#pragma once

#include <string>

#include "kube/json/json.h"
#include "plugin/flags/options.h"

namespace plugin::command {

/// Prints the version of this program, and that of the server unless only the client's is asked
/// for; returns the exit code. Throws kube::Error, after the client's version is printed, where the
/// server does not tell its own.
int RunVersion(const flags::VersionOptions& options);

/// What RunVersion prints for a program of `version`, e.g. "v0.1.0". `server` is what the server
/// answers for /version; the null pointer where it is not known.
std::string PrintVersion(const std::string& version, const kube::json::Value* server,
                         flags::OutputFormat format);

}  // namespace plugin::command
