#pragma once

#include <cstdint>
#include <string_view>

namespace migrate::cluster {

/// A hash of a text, the same on every machine and in every version: files and state hold it.
std::uint64_t StableHash(std::string_view text);

}  // namespace migrate::cluster
