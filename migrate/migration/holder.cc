#include "migrate/migration/holder.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>

#include "kube/base/utf8.h"
#include "kube/go/go_format.h"

namespace migrate::migration {
namespace {

constexpr std::size_t kMostOfAName = 100;
constexpr std::size_t kMostOfAnIdentity = 253;
constexpr std::size_t kDigits = 16;

std::string PlainName(std::string_view name) {
  std::string plain(name.substr(0, kMostOfAName));
  for (char& c : plain) {
    if (c <= ' ' || c > '~' || c == '@' || c == '/') c = '_';
  }
  return plain.empty() ? "_" : plain;
}

template <typename Number>
std::optional<Number> ReadNumber(std::string_view text, int base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Takes what stands before `separator` from `rest`; absent where that is not there.
std::optional<std::string_view> TakeUpTo(char separator, std::string_view& rest) {
  const std::size_t end = rest.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return taken;
}

}  // namespace

std::string IdentityOf(const Holder& holder) {
  std::array<char, kDigits + 1> number{};
  (void)std::snprintf(number.data(), number.size(), "%016llx",
                      static_cast<unsigned long long>(holder.number));
  return PlainName(holder.user) + "@" + PlainName(holder.host) + "/" +
         std::to_string(holder.process) + "/" + number.data();
}

std::optional<Holder> ReadHolder(std::string_view identity) {
  const auto user = TakeUpTo('@', identity);
  const auto host = TakeUpTo('/', identity);
  const auto process = TakeUpTo('/', identity);
  if (!user || !host || !process || identity.size() != kDigits) return std::nullopt;
  if (PlainName(*user) != *user || PlainName(*host) != *host) return std::nullopt;
  const auto process_number = ReadNumber<std::int64_t>(*process, 10);
  const auto number = ReadNumber<std::uint64_t>(identity, 16);
  if (!process_number || !number) return std::nullopt;
  return Holder{std::string(*user), std::string(*host), *process_number, *number};
}

std::string DescribeHolder(std::string_view identity) {
  const auto holder = ReadHolder(identity);
  if (!holder) {
    return kube::go::GoQuote(kube::base::utf8::Shortened(std::string(identity), kMostOfAnIdentity));
  }
  return holder->user + "@" + holder->host + " (process " + std::to_string(holder->process) + ")";
}

}  // namespace migrate::migration
