#include "kube/go/go_netip.h"

#include "kube/base/ascii.h"
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

}  // namespace kube::go
