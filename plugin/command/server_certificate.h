#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/serve/certificates.h"
#include "kube/serve/tls_files.h"
#include "kube/serve/tls_material.h"
#include "plugin/command/serving_options.h"

namespace plugin::command {

/// The certificate that a server shows, and how an API server verifies it: from files, which may be
/// renewed at any time, or a self-signed one. For one thread.
class ServerCertificate {
 public:
  using ReportFunction = std::function<void(const std::string&)>;

  /// Reads the files, or makes a certificate for `names`. Writes what --ca-dump asks for. Throws
  /// kube::base::Error, which names the file.
  ServerCertificate(const ServingOptions& options, const std::vector<std::string>& names,
                    kube::serve::TimePoint now);

  /// What to serve with; absent with --insecure.
  const std::optional<kube::serve::TlsMaterial>& material() const { return material_; }
  /// For the caBundle of configurations; empty: it is signed by an authority that API servers
  /// trust, or nobody has said by which.
  const std::string& ca_bundle() const { return ca_bundle_; }

  struct Change {
    bool material = false, ca_bundle = false;
  };
  /// Reads the files anew, and says what has changed. To be called about once a second. What cannot
  /// be used is told to `report` once while it lasts, and what was there stays.
  Change ReadChanges(const ReportFunction& report);

 private:
  void MakeSelfSigned(const ServingOptions& options, const std::vector<std::string>& names,
                      kube::serve::TimePoint now);

  std::string_view ca_flag_;  // that gives the next
  std::string ca_file_;       // of the bundle; empty: none
  std::string ca_problem_;
  std::unique_ptr<kube::serve::TlsFiles> files_;  // or the null pointer
  std::optional<kube::serve::TlsMaterial> material_;
  std::string ca_bundle_;
};

}  // namespace plugin::command
