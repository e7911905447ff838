#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kube/admission/endpoint.h"
#include "kube/admission/handler.h"
#include "kube/client/session.h"
#include "plugin/command/serving_options.h"

namespace plugin::command {

/// What is served.
struct Webhooks {
  kube::admission::Endpoint& endpoint;
  /// The handlers as configurations have them; may be others each time.
  std::function<kube::admission::Handlers()> configured;
  /// Becomes another number when `configured` gives others.
  std::function<std::uint64_t()> revision;
  /// Is called several times a second, by the thread that serves.
  std::function<void()> advance;
  /// Gives the API server's certificate, PEM; empty if it is not known.
  std::function<std::string()> server_certificate;
  /// What configurations that are printed are called: two words of a DNS name at least.
  std::string printed_name;
};

/// Takes a line for people, without a line break; called by several threads at once.
using TellFunction = std::function<void(const std::string&)>;

/// Serves webhooks until the session is stopped, and then ends in this order: no more requests are
/// taken, those under way are answered, and webhooks of ours that are not persistent are removed
/// from the configurations of --managed.
///
/// Once for an endpoint, to which it adds metrics. It is ready while its certificate is one that
/// whoever verifies it can be expected to take.
///
/// Without --managed the configurations are printed, once they can be answered, by `print`.
///
/// Files of certificates are read again about once a second. Managed configurations are brought to
/// what they should be when handlers or the authority change, and every five seconds beside: a
/// replica that ended has taken them away, or somebody else has. What fails of that is told, and
/// tried again, but for the first time: then, and where the server cannot listen or a certificate
/// cannot be used, it throws kube::base::Error.
void ServeWebhooks(const ServingOptions& options, const Webhooks& webhooks,
                   const kube::client::Session& session, const TellFunction& tell,
                   const std::function<void(const std::string&)>& print);

}  // namespace plugin::command
