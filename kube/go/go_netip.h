#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube::go {

/// Why `text` is no IP address, in the words of netip.ParseAddr (Go 1.26), e.g. `ParseAddr("::%"):
/// zone must be a non-empty string`; absent where it is one. An IPv6 address may have a zone.
std::optional<std::string> IpAddressProblem(std::string_view text);

}  // namespace kube::go
