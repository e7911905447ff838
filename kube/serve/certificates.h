#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What OpenSSL does here: certificates of servers, made and looked at, and SHA-256.
namespace kube::serve {

using TimePoint = std::chrono::system_clock::time_point;

/// A server's certificate and key with the certificate of the authority that signed it, PEM each.
/// Holds a secret: never print it.
struct SelfSigned {
  std::string ca_certificate_pem;  ///< for a webhook configuration's caBundle
  std::string certificate_pem, key_pem;
};

/// Makes an authority, has it sign a certificate for a server of these names, and forgets the
/// authority's key: nothing else will ever be signed by it.
///
/// `names` are those of hosts, and IP addresses. An address goes in as an address and, for clients
/// that compare texts, as a name of a host; 0.0.0.0 and :: are addresses of nobody and left out.
/// Both certificates are valid from five minutes before `now`, as clocks differ, until `validity`
/// behind it, and have serial numbers of chance.
///
/// The keys are ECDSA P-256: as good as RSA of 3072 bits to all API servers, and a handshake costs
/// the server a tenth of one with RSA of 2048 bits, which counts in a flood of connections.
///
/// Throws kube::base::Error if no name is left, or if one cannot stand in a certificate.
SelfSigned MakeSelfSigned(const std::vector<std::string>& names, TimePoint now,
                          std::chrono::seconds validity);

/// The subject or the issuer of a certificate.
struct CertificateName {
  std::string text;         ///< all of it, as RFC 2253 writes it: "CN=minikube,O=system"
  std::string common_name;  ///< of several the last; may be empty
  std::vector<std::string> organizations;  ///< in their order
};

/// What a certificate says of itself.
struct CertificateFacts {
  CertificateName subject, issuer;
  std::string serial_number;  ///< hexadecimal, two digits a byte: "0AF3"; "-0AF3" below zero
  std::chrono::sys_seconds valid_from, valid_until;  ///< of any year: TimePoint ends in 2262
  // The subject's alternative names, each kind in its order; other kinds are left out.
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;  ///< as text: "10.0.0.1", "::1"
  std::vector<std::string> uris;          ///< "spiffe://cluster.local/ns/shop/sa/cart"
  std::vector<std::string> email_addresses;
};

/// Reads the first certificate of a PEM text; absent if it has none that can be read. What the
/// certificate says is not proven by that, nor free of bytes that steer a terminal.
std::optional<CertificateFacts> ReadCertificate(std::string_view pem);

/// Why whoever trusts `authorities` (PEM; empty: any authority will do) refuses a server's
/// certificate at `now`, as Go's crypto/x509 verifies: "it expired at 2026-11-28T09:00:00Z". Empty:
/// no reason is known here. `certificate` is as TlsMaterial::certificate_pem; of the names in it
/// nothing is said. One that will be valid within five minutes is, as clocks differ.
std::string WhyRefused(std::string_view certificate, std::string_view authorities, TimePoint now);

/// The 32 bytes of SHA-256 (FIPS 180-4).
std::string Sha256(std::string_view bytes);

}  // namespace kube::serve
