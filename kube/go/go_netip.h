#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/result.h"

namespace kube::go {

/// Why `text` is no IP address, in the words of netip.ParseAddr (Go 1.26), e.g. `ParseAddr("::%"):
/// zone must be a non-empty string`; absent where it is one. An IPv6 address may have a zone.
std::optional<std::string> IpAddressProblem(std::string_view text);

/// An IP address without a zone.
struct IpAddress {
  bool is_v6 = false;
  std::array<std::uint8_t, 16> bytes{};  ///< the first four of an IPv4 address

  bool operator==(const IpAddress&) const = default;
  /// "10.0.0.1", "fe80::1": netip.Addr's String.
  std::string ToString() const;
  /// An IPv6 address that stands for an IPv4 one: ::ffff:1.2.3.4.
  bool IsMapped() const;
  int BitCount() const { return is_v6 ? 128 : 32; }
};

/// The address in `text`, which has no IpAddressProblem. A zone is left out.
IpAddress ParseIpAddress(std::string_view text);

struct IpPrefix {
  IpAddress address;
  int bits = 0;

  bool operator==(const IpPrefix&) const = default;
  std::string ToString() const;  ///< "10.0.0.0/8"
  IpPrefix Masked() const;
  bool Contains(const IpAddress& other) const;
  bool Overlaps(const IpPrefix& other) const;
};

/// netip.ParsePrefix (Go 1.26). The error is Go's, e.g. `netip.ParsePrefix("1.2.3.4"): no '/'`.
base::Result<IpPrefix, std::string> ParseIpPrefix(std::string_view text);

}  // namespace kube::go
