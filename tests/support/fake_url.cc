#include "tests/support/fake_url.h"

#include <algorithm>
#include <stdexcept>

namespace test_support {
namespace {

int HexDigit(char c) {
  const std::size_t at = std::string_view("0123456789abcdefABCDEF").find(c);
  if (at == std::string_view::npos) throw std::invalid_argument("not percent-encoded");
  return static_cast<int>(at < 16 ? at : at - 6);
}

std::string Unescape(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      result += static_cast<char>(HexDigit(text[at + 1]) * 16 + HexDigit(text[at + 2]));
      at += 2;
    } else {
      result += text[at] == '+' ? ' ' : text[at];
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
  }
  return parts;
}

std::vector<std::string> PathOf(std::string_view target) {
  target = target.substr(0, target.find('?'));
  target.remove_prefix(std::min<std::size_t>(1, target.size()));
  std::vector<std::string> path = Split(target, '/');
  for (std::string& part : path) part = Unescape(part);
  return path;
}

Query QueryOf(std::string_view target) {
  Query query;
  const std::size_t mark = target.find('?');
  if (mark == target.npos) return query;
  for (const std::string& part : Split(target.substr(mark + 1), '&')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    query[Unescape(part.substr(0, equals))] =
        Unescape(std::string_view(part).substr(std::min(equals + 1, part.size())));
  }
  return query;
}

std::string ValueOf(const Query& query, const std::string& key) {
  const auto found = query.find(key);
  return found == query.end() ? "" : found->second;
}

}  // namespace test_support
