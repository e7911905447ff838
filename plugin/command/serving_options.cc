#include "plugin/command/serving_options.h"

#include <algorithm>
#include <utility>

#include "plugin/cli/finish_options.h"
#include "plugin/cli/usage_error.h"

namespace plugin::command {
namespace {

using cli::UsageError;

constexpr std::pair<std::string_view, Reachable> kReaches[] = {
    {"auto", Reachable::kAuto},         {"k3d", Reachable::kK3d},
    {"minikube", Reachable::kMinikube}, {"plain", Reachable::kPlain},
    {"service", Reachable::kService},
};

Reachable ParseReach(std::string_view command, const std::string& text) {
  if (text.empty()) return Reachable::kAuto;
  for (const auto& [name, kind] : kReaches) {
    if (name == text) return kind;
  }
  throw UsageError(command, "invalid --reach value (" + text +
                                "), must be \"auto\", \"plain\", \"k3d\", \"minikube\" or "
                                "\"service\"");
}

// NAME.NAMESPACE.svc, as a certificate for it has to be.
bool IsServiceHost(const std::string& host) {
  return host.ends_with(".svc") && std::ranges::count(host, '.') == 2 && host.front() != '.';
}

void RequireWith(std::string_view command, const std::string& given, std::string_view name,
                 const std::string& other, std::string_view other_name) {
  if (given.empty() || !other.empty()) return;
  throw UsageError(command, std::string(name) + " needs " + std::string(other_name));
}

}  // namespace

void AddServingFlags(cli::FlagSet& flags, ServingOptions& options, std::string& reach) {
  flags.String("addr", 0, options.address);
  flags.Int("port", 0, options.port);
  flags.String("host", 0, options.host);
  flags.String("cert-file", 0, options.cert_file);
  flags.String("key-file", 0, options.key_file);
  flags.String("key-password", 0, options.key_password);
  flags.String("ca-file", 0, options.ca_file);
  flags.String("client-ca-file", 0, options.client_ca_file);
  flags.Strings("extra-san", 0, options.extra_sans);
  flags.String("ca-dump", 0, options.ca_dump);
  flags.Bool("insecure", 0, options.insecure);
  flags.String("reach", 0, reach);
  flags.String("url", 0, options.url);
  flags.String("ca-bundle-file", 0, options.ca_bundle_file);
  flags.String("managed", 0, options.managed);
}

std::vector<std::string> ServingFlagNames() {
  cli::FlagSet flags;
  ServingOptions options;
  std::string reach;
  AddServingFlags(flags, options, reach);
  std::vector<std::string> names;
  for (const cli::Flag& flag : flags.flags()) names.push_back(flag.name);
  return names;
}

void FinishServing(std::string_view command, const std::string& reach, ServingOptions& options) {
  options.reach = ParseReach(command, reach);
  if (options.port < 0 || options.port > 65535) {
    throw cli::InvalidArgument(command, "--port", std::to_string(options.port),
                               "must be between 0 and 65535");
  }
  RequireWith(command, options.cert_file, "--cert-file", options.key_file, "--key-file");
  RequireWith(command, options.key_file, "--key-file", options.cert_file, "--cert-file");
  const bool has_files = !options.cert_file.empty();
  RequireWith(command, options.ca_file, "--ca-file", options.cert_file, "--cert-file");
  RequireWith(command, options.key_password, "--key-password", options.key_file, "--key-file");
  if (!options.ca_file.empty() && !options.url.empty()) {
    throw UsageError(command,
                     "--ca-file and --url cannot be specified together: what verifies the "
                     "certificate of --url is given with --ca-bundle-file");
  }
  cli::RefuseBoth(command, has_files, "--cert-file", !options.ca_dump.empty(), "--ca-dump");
  cli::RefuseBoth(command, has_files, "--cert-file", !options.extra_sans.empty(), "--extra-san");
  cli::RefuseBoth(command, options.insecure, "--insecure", has_files, "--cert-file");
  cli::RefuseBoth(command, options.insecure, "--insecure", !options.client_ca_file.empty(),
                  "--client-ca-file");
  // What ends TLS before us, as a tunnel does, may well speak HTTP to us.
  if (options.insecure && options.url.empty() && !options.managed.empty()) {
    throw UsageError(command,
                     "--insecure and --managed cannot be specified together without --url: an API "
                     "server asks by HTTPS alone");
  }
  if (!options.url.empty() && !options.url.starts_with("https://")) {
    throw cli::InvalidArgument(command, "--url", options.url, "must begin with https://");
  }
  cli::RefuseBoth(command, !options.url.empty(), "--url", !options.host.empty(), "--host");
  cli::RefuseBoth(command, !options.url.empty(), "--url", !reach.empty(), "--reach");
  if (!options.ca_bundle_file.empty() && options.url.empty()) {
    throw UsageError(command,
                     "--ca-bundle-file needs --url: what verifies the certificate of --cert-file "
                     "is given with --ca-file");
  }
  if (options.reach == Reachable::kService && !IsServiceHost(options.host)) {
    throw UsageError(command, "--reach=service needs --host=NAME.NAMESPACE.svc");
  }
}

}  // namespace plugin::command
