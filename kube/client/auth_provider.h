#pragma once

#include <chrono>
#include <string>

#include "kube/client/kubeconfig_file.h"

namespace kube::client {

/// Throws kube::base::Error, in kubectl's words, where kubectl 1.32 has no such provider (gcp and
/// azure are gone, oidc is left) or its configuration lacks what it must have.
void CheckAuthProvider(const AuthProvider& provider);

/// The bearer token of an oidc provider: its id-token. Throws kube::base::Error where there is
/// none, or it is not valid at `now`. Unlike kubectl it asks no identity provider for a new one;
/// the text tells how to have it renewed. Never holds the token.
std::string IdToken(const AuthProvider& provider, const std::string& user_name,
                    std::chrono::sys_seconds now);

}  // namespace kube::client
