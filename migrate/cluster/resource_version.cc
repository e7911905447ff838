#include "migrate/cluster/resource_version.h"

#include <charconv>
#include <system_error>

namespace migrate::cluster {

std::uint64_t NumberOf(std::string_view resource_version) {
  std::uint64_t number = 0;
  const char* end = resource_version.data() + resource_version.size();
  const auto read = std::from_chars(resource_version.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? number : 0;
}

}  // namespace migrate::cluster
