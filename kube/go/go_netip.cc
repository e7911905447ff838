#include "kube/go/go_netip.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "kube/base/text.h"
#include "kube/go/go_format.h"

namespace kube::go {
namespace {

using kube::base::IsDigit;
using kube::base::IsHexDigit;

struct Problem {
  std::string_view message;
  std::string_view at = {};  ///< what is left from there on; empty where the message does not tell
};

using MaybeProblem = std::optional<Problem>;

/// parseIPv4Fields.
MaybeProblem Ipv4Problem(std::string_view text) {
  int dots = 0;
  int value = 0;
  std::size_t digits = 0;  // of the present field
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (IsDigit(c)) {
      if (digits == 1 && value == 0) return Problem{"IPv4 field has octet with leading zero"};
      value = value * 10 + (c - '0');
      ++digits;
      if (value > 255) return Problem{"IPv4 field has value >255"};
    } else if (c != '.') {
      return Problem{"unexpected character", rest};
    } else if (digits == 0 || rest.size() == 1) {
      return Problem{"IPv4 field must have at least one digit", rest};
    } else {
      if (++dots > 3) return Problem{"IPv4 address too long"};
      value = 0;
      digits = 0;
    }
  }
  if (dots < 3) return Problem{"IPv4 address too short"};
  return std::nullopt;
}

/// parseIPv6, but for the zone.
class Ipv6Parser {
 public:
  explicit Ipv6Parser(std::string_view text) : rest_(text) {}

  MaybeProblem Parse() {
    if (rest_.starts_with("::")) {
      has_ellipsis_ = true;
      rest_.remove_prefix(2);
      if (rest_.empty()) return std::nullopt;
    }
    while (bytes_ < kBytes && !at_end_) {
      if (const MaybeProblem problem = TakeGroup()) return problem;
    }
    if (!rest_.empty()) return Problem{"trailing garbage after address", rest_};
    if (bytes_ < kBytes && !has_ellipsis_) return Problem{"address string too short"};
    if (bytes_ == kBytes && has_ellipsis_) {
      return Problem{"the :: must expand to at least one field of zeros"};
    }
    return std::nullopt;
  }

 private:
  static constexpr int kBytes = 16;

  MaybeProblem TakeGroup() {
    std::size_t digits = 0;
    while (digits < rest_.size() && IsHexDigit(rest_[digits])) {
      if (++digits > 4) return Problem{"each group must have 4 or less digits", rest_};
    }
    if (digits == 0) {
      return Problem{"each colon-separated field must have at least one digit", rest_};
    }
    if (rest_.substr(digits).starts_with('.')) return TakeIpv4();
    bytes_ += 2;
    rest_.remove_prefix(digits);
    return TakeColons();
  }

  MaybeProblem TakeIpv4() {
    if (!has_ellipsis_ && bytes_ != kBytes - 4) {
      return Problem{"embedded IPv4 address must replace the final 2 fields of the address", rest_};
    }
    if (bytes_ + 4 > kBytes) {
      return Problem{"too many hex fields to fit an embedded IPv4 at the end of the address",
                     rest_};
    }
    const MaybeProblem problem = Ipv4Problem(rest_);
    rest_ = {};
    bytes_ += 4;
    at_end_ = true;
    return problem;
  }

  MaybeProblem TakeColons() {
    at_end_ = rest_.empty();
    if (at_end_) return std::nullopt;
    if (rest_.front() != ':') return Problem{"unexpected character, want colon", rest_};
    if (rest_.size() == 1) return Problem{"colon must be followed by more characters", rest_};
    rest_.remove_prefix(1);
    if (rest_.front() != ':') return std::nullopt;
    if (has_ellipsis_) return Problem{"multiple :: in address", rest_};
    has_ellipsis_ = true;
    rest_.remove_prefix(1);
    at_end_ = rest_.empty();
    return std::nullopt;
  }

  std::string_view rest_;
  int bytes_ = 0;  // of the address so far, without those that :: stands for
  bool has_ellipsis_ = false;
  bool at_end_ = false;
};

MaybeProblem Ipv6Problem(std::string_view text) {
  const std::size_t percent = text.find('%');
  if (percent == text.size() - 1) return Problem{"zone must be a non-empty string"};
  return Ipv6Parser(text.substr(0, percent)).Parse();
}

MaybeProblem AddressProblem(std::string_view text) {
  const std::size_t mark = text.find_first_of(".:%");
  if (mark == std::string_view::npos) return Problem{"unable to parse IP"};
  if (text[mark] == '%') return Problem{"missing IPv6 address"};
  return text[mark] == '.' ? Ipv4Problem(text) : Ipv6Problem(text);
}

}  // namespace

std::optional<std::string> IpAddressProblem(std::string_view text) {
  const MaybeProblem problem = AddressProblem(text);
  if (!problem) return std::nullopt;
  std::string printed = "ParseAddr(" + GoQuote(text) + "): ";
  printed += problem->message;
  if (!problem->at.empty()) printed += " (at " + GoQuote(problem->at) + ")";
  return printed;
}

namespace {

/// Writes the four bytes of "1.2.3.4" to `bytes`.
void ReadIpv4(std::string_view text, std::uint8_t* bytes) {
  int value = 0;
  for (const char c : text) {
    if (c == '.') {
      *bytes++ = static_cast<std::uint8_t>(value);
      value = 0;
    } else {
      value = value * 10 + (c - '0');
    }
  }
  *bytes = static_cast<std::uint8_t>(value);
}

/// The groups of one side of "::". Returns how many bytes they take.
std::size_t ReadGroups(std::string_view text, std::uint8_t* bytes) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::string_view group = text.substr(0, text.find(':'));
    if (group.find('.') != std::string_view::npos) {
      ReadIpv4(group, bytes + count);
      return count + 4;
    }
    int value = 0;
    for (const char c : group) value = value * 16 + base::HexDigitValue(c);
    bytes[count++] = static_cast<std::uint8_t>(value >> 8);
    bytes[count++] = static_cast<std::uint8_t>(value & 0xFF);
    text.remove_prefix(std::min(group.size() + 1, text.size()));
  }
  return count;
}

std::string PrintIpv6(const std::array<std::uint8_t, 16>& bytes) {
  std::array<int, 8> groups{};
  for (std::size_t i = 0; i < 8; ++i) groups[i] = bytes[2 * i] << 8 | bytes[2 * i + 1];
  // The first of the longest runs of two zeros and more is left out.
  std::size_t start = 8;
  std::size_t length = 1;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i > length) {
      start = i;
      length = end - i;
    }
    if (end > i) i = end - 1;
  }
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == start) {
      out += "::";
      i += length;
      if (i >= 8) break;
    } else if (i > 0) {
      out += ':';
    }
    char text[8];
    std::snprintf(text, sizeof text, "%x", static_cast<unsigned>(groups[i]));
    out += text;
  }
  return out;
}

}  // namespace

std::string IpAddress::ToString() const {
  if (is_v6 && IsMapped()) {
    IpAddress inner;
    std::copy(bytes.begin() + 12, bytes.end(), inner.bytes.begin());
    return "::ffff:" + inner.ToString();
  }
  if (is_v6) return PrintIpv6(bytes);
  std::string out;
  for (std::size_t i = 0; i < 4; ++i) {
    if (i > 0) out += '.';
    out += std::to_string(bytes[i]);
  }
  return out;
}

bool IpAddress::IsMapped() const {
  return is_v6 && std::all_of(bytes.begin(), bytes.begin() + 10, [](int b) { return b == 0; }) &&
         bytes[10] == 0xFF && bytes[11] == 0xFF;
}

IpAddress ParseIpAddress(std::string_view text) {
  IpAddress address;
  text = text.substr(0, text.find('%'));
  address.is_v6 = text.find(':') != std::string_view::npos;
  if (!address.is_v6) {
    ReadIpv4(text, address.bytes.data());
    return address;
  }
  const std::size_t ellipsis = text.find("::");
  ReadGroups(text.substr(0, ellipsis), address.bytes.data());
  if (ellipsis == std::string_view::npos) return address;
  std::array<std::uint8_t, 16> tail{};
  const std::size_t count = ReadGroups(text.substr(ellipsis + 2), tail.data());
  std::copy_n(tail.begin(), count, address.bytes.end() - static_cast<std::ptrdiff_t>(count));
  return address;
}

std::string IpPrefix::ToString() const { return address.ToString() + "/" + std::to_string(bits); }

IpPrefix IpPrefix::Masked() const {
  IpPrefix masked = *this;
  for (int i = 0; i < 16; ++i) {
    const int kept = std::clamp(bits - 8 * i, 0, 8);
    masked.address.bytes[static_cast<std::size_t>(i)] &=
        static_cast<std::uint8_t>(0xFF00 >> kept & 0xFF);
  }
  return masked;
}

bool IpPrefix::Contains(const IpAddress& other) const {
  if (address.is_v6 != other.is_v6) return false;
  return IpPrefix{other, bits}.Masked().address == Masked().address;
}

bool IpPrefix::Overlaps(const IpPrefix& other) const {
  return bits <= other.bits ? Contains(other.address) : other.Contains(address);
}

base::Result<IpPrefix, std::string> ParseIpPrefix(std::string_view text) {
  const auto fail = [&](const std::string& message) {
    return base::Unexpected("netip.ParsePrefix(" + GoQuote(text) + "): " + message);
  };
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return fail("no '/'");
  const std::string_view address = text.substr(0, slash);
  if (auto problem = IpAddressProblem(address)) return fail(*problem);
  IpPrefix prefix;
  prefix.address = ParseIpAddress(address);
  if (prefix.address.is_v6 && address.find('%') != std::string_view::npos) {
    return fail("IPv6 zones cannot be present in a prefix");
  }
  const std::string_view digits = text.substr(slash + 1);
  if (digits.size() > 1 && (digits[0] < '1' || digits[0] > '9')) {
    return fail("bad bits after slash: " + GoQuote(digits));
  }
  std::string_view unsigned_digits = digits;
  const auto [end, code] = std::from_chars(
      unsigned_digits.data(), unsigned_digits.data() + unsigned_digits.size(), prefix.bits);
  if (code != std::errc() || end != unsigned_digits.data() + unsigned_digits.size()) {
    return fail("bad bits after slash: " + GoQuote(digits));
  }
  if (prefix.bits < 0 || prefix.bits > prefix.address.BitCount()) {
    return fail("prefix length out of range");
  }
  return prefix;
}

}  // namespace kube::go
