#pragma once

#include <string>
#include <string_view>

namespace kube {

/// True if there is a PEM block with a certificate in `text`. What is in the block is not looked
/// at.
bool HasCertificate(std::string_view text);
/// True if there is a PEM block with a private key in `text`.
bool HasPrivateKey(std::string_view text);

/// Reads the certificates of authorities to trust from a file; an empty file has none. Throws
/// kube::Error where it cannot be read or holds something else.
std::string ReadCertificates(const std::string& path);

}  // namespace kube
