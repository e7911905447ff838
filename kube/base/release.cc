#include "kube/base/release.h"

#include <charconv>

namespace kube::base {
namespace {

// The number that `text` begins with, which is taken from it.
std::optional<int> TakeNumber(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::string Release::ToString() const {
  return std::to_string(major) + "." + std::to_string(minor);
}

std::optional<Release> ParseRelease(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const auto major = TakeNumber(text);
  if (!major || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const auto minor = TakeNumber(text);
  const bool ends_well =
      text.empty() || text.starts_with('.') || text.starts_with('+') || text.starts_with('-');
  if (!minor || !ends_well) return std::nullopt;
  return Release{*major, *minor};
}

}  // namespace kube::base
