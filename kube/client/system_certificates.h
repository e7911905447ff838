#pragma once

#include <string>
#include <vector>

#include "kube/base/environment.h"

namespace kube::client {

/// Where certificates of trusted authorities are looked for.
struct CertificatePlaces {
  std::vector<std::string> files;    ///< the first that can be read counts
  std::vector<std::string> folders;  ///< every file in each of them counts
};

/// The bundles and folders of Debian, Red Hat, SUSE and Alpine; in their place what $SSL_CERT_FILE
/// and $SSL_CERT_DIR (folders with a colon between them) name.
///
/// As Go's crypto/x509/root_linux.go and root_unix.go, which kubectl asks.
CertificatePlaces SystemCertificatePlaces(const base::Environment& environment);

/// The certificates in these places as PEM blocks, each once; empty where there are none. What
/// cannot be read, and what is no certificate, is passed over.
std::string CertificatesIn(const CertificatePlaces& places);

}  // namespace kube::client
