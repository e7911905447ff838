#pragma once

#include <memory>

#include "kube/serve/message.h"
#include "kube/serve/tls_files.h"

/// OpenSSL's objects, for the file that moves bytes: only certificates.cc knows what they are.
namespace kube::serve {

/// Makes the SSL_CTX of a server: TLS 1.2 and 1.3, HTTP/1.1 alone. Whoever calls owns it.
///
/// Throws kube::base::Error that names what cannot be used and why: no certificate, no key, a key
/// that is encrypted or that of another certificate, no authority of clients.
void* MakeServerContext(const TlsMaterial& material);

/// The same without keeping it: throws where MakeServerContext would.
void CheckTls(const TlsMaterial& material);

/// What OpenSSL's error code of a handshake means.
HandshakeFailure FailureOf(unsigned long code);

/// The certificate of the other end, behind the handshake of an SSL; the null pointer: it showed
/// none.
std::shared_ptr<const CertificateFacts> PeerOf(void* ssl);

}  // namespace kube::serve
