#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/serve/message.h"

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

/// Where a server's certificate and key are, as cert-manager or a mounted Secret keeps them.
struct TlsPaths {
  std::string certificate, key;
  std::string key_password;  ///< empty: the key is not encrypted. A secret: never print it
  ClientCertificates client_certificates = ClientCertificates::kNone;
  std::string client_ca;  ///< whose certificates of clients count; empty where they show none
};

/// Reads them, and sees when somebody has renewed them. No clock and no thread: whoever owns it
/// asks, once a second or so. For one thread.
class TlsFiles {
 public:
  /// Reads the files. Throws kube::base::Error where one cannot be read or a server could not serve
  /// with them; the text names the file.
  explicit TlsFiles(TlsPaths paths);

  /// What was read last and can be served with.
  const TlsMaterial& material() const { return material_; }

  /// Reads the files anew. Returns what they hold if that has changed and can be served with, which
  /// material() is from then on.
  ///
  /// What cannot be served with is told to `report`, a line without a line break, once while it
  /// lasts: it may be a pair of which one half was written so far.
  std::optional<TlsMaterial> ReadChanges(const std::function<void(const std::string&)>& report);

 private:
  TlsPaths paths_;
  TlsMaterial material_;
  std::string reported_;  // the last problem that was told, while it lasts
};

}  // namespace kube::serve
