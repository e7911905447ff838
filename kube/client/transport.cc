#include "kube/client/transport.h"

#include <algorithm>

namespace kube::client {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

const std::string* ResponseHead::Find(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const HttpHeader& h) { return SameName(h.name, name); });
  return found == headers.end() ? nullptr : &found->value;
}

std::vector<std::string_view> ResponseHead::FindAll(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const HttpHeader& header : headers) {
    if (SameName(header.name, name)) values.push_back(header.value);
  }
  return values;
}

}  // namespace kube::client
