#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kube::serve {

/// Whether clients show certificates. One that is shown has to be signed by the client authority,
/// also where it is optional.
enum class ClientCertificates { kNone, kOptional, kRequired };

/// What a server needs for TLS, PEM each. Holds secrets: never print it.
struct TlsMaterial {
  std::string certificate_pem;  ///< the server's own first, then those that lead to its authority
  std::string key_pem;
  std::string key_password;  ///< empty: the key is not encrypted
  ClientCertificates client_certificates = ClientCertificates::kNone;
  std::string client_ca_pem;  ///< who signs certificates of clients; empty where they show none

  /// Files that they were read from, for messages; empty: none.
  std::string certificate_file, key_file, client_ca_file;

  bool operator==(const TlsMaterial&) const = default;
};

/// Why a TLS handshake failed.
enum class HandshakeFailure : std::uint8_t {
  kRefused,              ///< the client does not take the server's certificate
  kNoClientCertificate,  ///< the client has shown none, and has to
  kClientCertificate,    ///< the client has shown one that is not taken
  kNotTls,               ///< HTTP, or a version that is not spoken here
  kOther,                ///< the client went away, among others
};
/// What they are called in metrics, in their order.
inline constexpr std::array<std::string_view, 5> kHandshakeFailureNames = {
    "certificate_refused", "no_client_certificate", "client_certificate_refused", "not_tls",
    "other"};

}  // namespace kube::serve
