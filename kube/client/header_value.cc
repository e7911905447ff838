#include "kube/client/header_value.h"

#include <algorithm>

namespace kube::client {

bool FitsHeader(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7F';
  });
}

std::string HeaderMisfit(const std::string& what) {
  return what + " has control characters, which no header can carry";
}

}  // namespace kube::client
