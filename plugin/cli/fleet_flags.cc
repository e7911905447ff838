#include "plugin/cli/fleet_flags.h"

#include <filesystem>
#include <system_error>

#include "plugin/cli/finish_options.h"
#include "plugin/cli/usage_error.h"

namespace plugin::cli {
namespace {

void RefuseWithContexts(std::string_view command, const std::string& value, std::string_view flag) {
  RefuseBoth(command, true, "--contexts", !value.empty(), flag);
}

// A token that is meant for one server is not to be shown to others.
void RefuseSingleCluster(std::string_view command,
                         const kube::client::ConnectionFlags& connection) {
  RefuseWithContexts(command, connection.context, "--context");
  RefuseWithContexts(command, connection.cluster, "--cluster");
  RefuseWithContexts(command, connection.server, "--server");
  RefuseWithContexts(command, connection.tls_server_name, "--tls-server-name");
  RefuseWithContexts(command, connection.certificate_authority, "--certificate-authority");
  RefuseWithContexts(command, connection.user, "--user");
  RefuseWithContexts(command, connection.client_certificate, "--client-certificate");
  RefuseWithContexts(command, connection.client_key, "--client-key");
  RefuseWithContexts(command, connection.token, "--token");
  RefuseWithContexts(command, connection.username, "--username");
  RefuseWithContexts(command, connection.password, "--password");
}

bool CanBeReadOnce(const std::string& filename) {
  if (filename == "-") return true;
  std::error_code error;
  const auto type = std::filesystem::status(filename, error).type();
  using std::filesystem::file_type;
  return type == file_type::fifo || type == file_type::character || type == file_type::socket;
}

void RefuseReadOnce(std::string_view command, const std::string& what,
                    const std::string& filename) {
  if (!CanBeReadOnce(filename)) return;
  throw UsageError(command, "with --contexts every cluster reads " + what + " anew, and \"" +
                                filename + "\" can be read but once");
}

}  // namespace

void AddFleetFlags(FlagSet& flags, FleetOptions& options) {
  flags.Strings("contexts", 0, options.contexts);
  flags.Int("parallel-clusters", 0, options.parallel);
}

void FinishFleet(std::string_view command, const FleetOptions& options,
                 const kube::client::ConnectionFlags& connection, const FlagSet& flags) {
  if (options.parallel < 1) {
    throw InvalidArgument(command, "--parallel-clusters", std::to_string(options.parallel),
                          "must not be less than 1");
  }
  if (options.contexts.empty()) {
    if (flags.IsGiven("contexts")) {
      throw UsageError(command, "--contexts must name a context, or match some");
    }
    if (flags.IsGiven("parallel-clusters")) {
      throw UsageError(command, "--parallel-clusters is of no use without --contexts");
    }
    return;
  }
  RefuseSingleCluster(command, connection);
  RefuseReadOnce(command, "the kubeconfig", connection.kubeconfig);
}

void RequireFilesForMany(std::string_view command, const InputOptions& input) {
  for (const std::string& filename : input.filenames) {
    RefuseReadOnce(command, "the files of -f", filename);
  }
}

}  // namespace plugin::cli
