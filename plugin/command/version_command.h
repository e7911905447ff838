#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "plugin/cli/command.h"
#include "plugin/cli/options.h"

namespace plugin::command {

/// The version of this program, e.g. "v0.1.0".
extern const std::string_view kVersion;

/// The commit that it was built from, as git writes it; empty: not known (commit.cmake).
extern const std::string_view kCommit;
/// Whether files that git knows were not as that commit has them.
extern const bool kHasUncommittedChanges;

/// The User-Agent header of its requests (kube/client/client.h).
std::string UserAgent();

struct VersionOptions {
  cli::CommonOptions common;
  bool client = false;                                             ///< ask no server
  terminal::OutputFormat output = terminal::OutputFormat::kTable;  ///< kTable, kJson or kYaml
};

/// Prints the version of this program and its commit, and the version of the server unless only the
/// client's is asked for. Fails, after the client's version is printed, where the server does not
/// tell its own.
class VersionCommand final : public cli::CommandWith<VersionOptions> {
 public:
  void AddFlags(cli::FlagSet& flag_set, cli::RawValues& raw) override;
  void SetArguments(std::vector<std::string> arguments) override;
  void Finish(const cli::FlagSet& flag_set, const cli::RawValues& raw) override;
  int Run() override;
};

/// What a program is told apart by.
struct ClientVersion {
  std::string_view version;              ///< "v0.1.0"
  std::string_view commit{};             ///< that it was built from; empty: not known
  bool has_uncommitted_changes = false;  ///< it was built from something else beside
};

/// What VersionCommand prints for such a program. `server` is what the server answers for /version;
/// the null pointer where it is not known. As JSON and YAML the client's fields have the names that
/// the server's have: gitCommit (absent where it is not known), gitTreeState (clean, dirty, or
/// unknown), gitVersion.
std::string PrintVersion(const ClientVersion& client, const kube::json::Value* server,
                         terminal::OutputFormat format);

}  // namespace plugin::command
