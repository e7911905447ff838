#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/cli/flag_set.h"

/// What commands have in common that answer the webhooks of an API server.
namespace plugin::command {

/// How the API server is told to reach us.
enum class Reachable : std::uint8_t {
  kAuto,      ///< by what the server is, where no host is given
  kPlain,     ///< at the host that is given, or this machine's
  kK3d,       ///< host.k3d.internal
  kMinikube,  ///< host.minikube.internal
  kService,   ///< by a Service: the host is NAME.NAMESPACE.svc
};

struct ServingOptions {
  std::string address{};  ///< to listen at; empty: all of this machine
  int port = 9443;        ///< 0: any free one
  std::string host{};     ///< what the API server calls us; empty: see Reachable
  /// The certificate and its key, PEM; empty: a self-signed one is made.
  std::string cert_file{}, key_file{};
  std::string key_password{};             ///< a secret: never print it
  std::string ca_file{};                  ///< by which the API server verifies the certificate
  std::string client_ca_file{};           ///< whose certificates clients have to show; empty: none
  std::vector<std::string> extra_sans{};  ///< further names in a self-signed certificate
  std::string ca_dump{};  ///< where a self-signed certificate's authority is written; may be empty
  bool insecure = false;  ///< HTTP; no API server asks there
  Reachable reach = Reachable::kAuto;
  std::string url{};             ///< where the API server asks, of a tunnel; empty: by the above
  std::string ca_bundle_file{};  ///< by which that URL's certificate is verified
  std::string managed{};  ///< the name of the configurations to keep; empty: they are printed
};

/// Declares the flags. They set `options`, which FinishServing completes. How we are reached is
/// --reach, as --server is the API server's address.
void AddServingFlags(cli::FlagSet& flags, ServingOptions& options);

/// The names of these flags.
std::vector<std::string> ServingFlagNames();

/// Reads --reach and validates them all. Throws UsageError.
void FinishServing(const cli::FlagSet& flags, ServingOptions& options);

}  // namespace plugin::command
