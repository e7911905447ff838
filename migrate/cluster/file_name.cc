#include "migrate/cluster/file_name.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "migrate/cluster/stable_hash.h"

namespace migrate::cluster {
namespace {

bool IsPlain(char c) { return c > ' ' && c < '\x7F' && c != '/'; }

}  // namespace

std::string FileName(std::string name, std::size_t longest) {
  if (name.size() <= longest && std::ranges::all_of(name, IsPlain)) return name;
  const std::string number = "." + std::to_string(StableHash(name));
  std::ranges::replace_if(
      name, [](char c) { return !IsPlain(c); }, '_');
  name.resize(std::min(name.size(), longest - number.size()));
  return name + number;
}

}  // namespace migrate::cluster
