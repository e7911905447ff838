#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/client/connection.h"
#include "kube/client/exec_credentials.h"

namespace kube::client {

/// True if `value` can stand in a header: a line break there would begin another one.
bool FitsHeader(std::string_view value);

/// What to say where it does not, of a value that is called `what`. The value is not in it.
std::string HeaderMisfit(const std::string& what);

/// Makes the credentials that `config` describes, as client-go does (transport/round_trippers.go):
/// the token of `token_file`, else `token`; else user name and password; else those of a credential
/// plugin; and whom to impersonate.
///
/// Tokens are sent over TLS only. A user name goes to a server with an http URL too, as in kubectl:
/// LoadConnection leaves only that of the URL then. A client certificate is the transport's matter.
///
/// The file is read again when what was read is 50 s old; while it cannot be read, what was read
/// last counts, at first `token`. Throws kube::base::Error where there is neither, where a value
/// cannot stand in a header, and where a plugin cannot be used. The plugin is run before the first
/// request. `clock` must outlive the result.
std::unique_ptr<Credentials> MakeCredentials(const ConnectionConfig& config,
                                             const base::Clock& clock,
                                             ExecOptions exec_options = {});

}  // namespace kube::client
