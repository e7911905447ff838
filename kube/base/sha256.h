#pragma once

#include <string>
#include <string_view>

namespace kube::base {

/// The 32 bytes of SHA-256 (FIPS 180-4).
std::string Sha256(std::string_view bytes);

}  // namespace kube::base
