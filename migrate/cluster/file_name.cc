#include "migrate/cluster/file_name.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace migrate::cluster {

std::uint64_t StableHash(std::string_view text) {
  // FNV-1a, then the finalizer of MurmurHash3 to spread short texts.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

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
