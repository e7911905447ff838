#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kube::client {

/// The PEM blocks of certificates in `text`, as views, as Go's AppendCertsFromPEM takes them: other
/// blocks are left out, those with headers, and those that hold no ASN.1 sequence. Whether that is
/// a certificate is for the TLS library to say.
std::vector<std::string_view> FindCertificates(std::string_view text);

/// The same as one text, a line break behind each. Empty: there is none.
std::string UsableCertificates(std::string_view text);

/// Why nobody can be identified by these two PEM texts, in the words of Go's tls.X509KeyPair. What
/// is in a block is not looked at.
std::optional<std::string> KeyPairProblem(std::string_view certificate, std::string_view key);

/// Reads the certificates of authorities to trust from a file, whole; an empty file has none.
/// Throws kube::base::Error where it cannot be read or holds something else.
std::string ReadCertificates(const std::string& path);

}  // namespace kube::client
