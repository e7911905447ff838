#pragma once

#include <string>
#include <vector>

#include "kube/json/json.h"
#include "plugin/flags/command.h"
#include "plugin/flags/options.h"

namespace plugin::command {

struct VersionOptions {
  flags::CommonOptions common;
  bool client = false;                                       ///< ask no server
  flags::OutputFormat output = flags::OutputFormat::kTable;  ///< kTable, kJson or kYaml
};

/// Prints the version of this program, and that of the server unless only the client's is asked
/// for. Fails, after the client's version is printed, where the server does not tell its own.
class VersionCommand final : public flags::CommandWith<VersionOptions> {
 public:
  void AddFlags(flags::FlagSet& flag_set, flags::RawValues& raw) override;
  void TakeArguments(std::vector<std::string> arguments) override;
  void Finish(const flags::FlagSet& flag_set, const flags::RawValues& raw) override;
  int Run() override;
};

/// What VersionCommand prints for a program of `version`, e.g. "v0.1.0". `server` is what the
/// server answers for /version; the null pointer where it is not known.
std::string PrintVersion(const std::string& version, const kube::json::Value* server,
                         flags::OutputFormat format);

}  // namespace plugin::command
