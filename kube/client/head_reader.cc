#include "kube/client/head_reader.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace kube::client {

bool HeadReader::Take(std::string_view line) {
  bytes_ += line.size();
  if (complete_ || is_too_long()) return false;
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return complete_ = head_.status >= 200;
  if (line.starts_with("HTTP/")) {
    ReadStatus(line);
  } else {
    ReadHeader(line);
  }
  return false;
}

void HeadReader::ReadStatus(std::string_view line) {
  head_ = {};
  line.remove_prefix(std::min(line.find(' '), line.size()));
  while (line.starts_with(' ')) line.remove_prefix(1);
  std::from_chars(line.data(), line.data() + line.size(), head_.status);
}

void HeadReader::ReadHeader(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return;
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
  while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
  head_.headers.push_back({std::string(line.substr(0, colon)), std::string(value)});
}

}  // namespace kube::client
