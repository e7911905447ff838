#pragma once

#include <cstdint>
#include <string_view>

namespace migrate::cluster {

/// A resource version as a number; 0 where it is none. Those that are decimal numbers grow with
/// each write of the cluster (KEP-5504 says so of all servers; etcd's revision always did).
std::uint64_t NumberOf(std::string_view resource_version);

}  // namespace migrate::cluster
