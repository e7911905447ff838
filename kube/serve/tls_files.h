#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kube/serve/tls_material.h"

namespace kube::serve {

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
