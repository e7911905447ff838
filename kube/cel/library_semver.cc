// Semantic versions (apiserver/pkg/cel/library/semverlib.go, github.com/blang/semver).
#include <algorithm>
#include <charconv>

#include "kube/base/text.h"
#include "kube/cel/function.h"
#include "kube/cel/numbers.h"
#include "kube/cel/opaque.h"
#include "kube/go/go_format.h"

namespace kube::cel {
namespace {

constexpr base::Release kSemverSince{1, 33};

const SemverValue& Version(const Value& value) {
  return static_cast<const SemverValue&>(*value.opaque);
}

bool IsIdentifier(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return base::IsDigit(c) || base::IsLetter(c) || c == '-'; });
}

bool HasLeadingZero(std::string_view digits) { return digits.size() > 1 && digits[0] == '0'; }

using VersionProblem = std::optional<std::string>;

/// strconv.ParseUint.
VersionProblem ReadVersionNumber(std::string_view digits, std::uint64_t& number) {
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code == std::errc() && end == digits.data() + digits.size()) return std::nullopt;
  return "strconv.ParseUint: parsing " + go::GoQuote(digits) +
         (digits.empty() ? ": invalid syntax" : ": value out of range");
}

/// One of the three numbers; `name` as "Major", `lower` the same in small letters.
VersionProblem ReadPart(std::string_view digits, std::string_view name, std::string_view lower,
                        std::uint64_t& number) {
  if (!base::AreDigits(digits)) {
    return "Invalid character(s) found in " + std::string(lower) + " number " + go::GoQuote(digits);
  }
  if (HasLeadingZero(digits)) {
    return std::string(name) + " number must not contain leading zeroes " + go::GoQuote(digits);
  }
  return ReadVersionNumber(digits, number);
}

/// Runs `check` for each of the parts between dots.
template <typename Check>
VersionProblem ForEachPart(std::string_view text, Check check) {
  while (true) {
    const std::string_view part = text.substr(0, text.find('.'));
    if (VersionProblem problem = check(part)) return problem;
    if (part.size() == text.size()) return std::nullopt;
    text.remove_prefix(part.size() + 1);
  }
}

VersionProblem CheckPrerelease(std::string_view part) {
  if (part.empty()) return "Prerelease is empty";
  if (base::AreDigits(part)) {
    if (HasLeadingZero(part)) {
      return "Numeric PreRelease version must not contain leading zeroes " + go::GoQuote(part);
    }
    std::uint64_t number = 0;
    return ReadVersionNumber(part, number);
  }
  if (IsIdentifier(part)) return std::nullopt;
  return "Invalid character(s) found in prerelease " + go::GoQuote(part);
}

VersionProblem CheckBuild(std::string_view part) {
  if (part.empty()) return "Build meta data is empty";
  if (IsIdentifier(part)) return std::nullopt;
  return "Invalid character(s) found in build meta data " + go::GoQuote(part);
}

/// semver.Parse. Borrows the text.
VersionProblem ParseVersion(std::string_view text, SemverValue& version) {
  version = SemverValue();
  version.kind = Opaque::Kind::kSemver;
  if (text.empty()) return "Version string empty";
  const std::size_t first = text.find('.');
  const std::size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) return "No Major.Minor.Patch elements found";
  if (VersionProblem p = ReadPart(text.substr(0, first), "Major", "major", version.major)) return p;
  const std::string_view minor = text.substr(first + 1, second - first - 1);
  if (VersionProblem p = ReadPart(minor, "Minor", "minor", version.minor)) return p;
  std::string_view patch = text.substr(second + 1);
  const std::size_t plus = patch.find('+');
  const bool has_build = plus != std::string_view::npos;
  if (has_build) {
    version.build = patch.substr(plus + 1);
    patch = patch.substr(0, plus);
  }
  const std::size_t dash = patch.find('-');
  const bool has_prerelease = dash != std::string_view::npos;
  if (has_prerelease) {
    version.prerelease = patch.substr(dash + 1);
    patch = patch.substr(0, dash);
  }
  if (VersionProblem p = ReadPart(patch, "Patch", "patch", version.patch)) return p;
  if (has_prerelease) {
    if (VersionProblem p = ForEachPart(version.prerelease, CheckPrerelease)) return p;
  }
  return has_build ? ForEachPart(version.build, CheckBuild) : std::nullopt;
}

/// Without a v at the front and zeros before numbers, with three numbers.
VersionProblem Normalize(std::string& text) {
  std::string_view rest = text;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  std::vector<std::string> parts;
  while (parts.size() < 2) {
    const std::size_t dot = rest.find('.');
    if (dot == std::string_view::npos) break;
    parts.emplace_back(rest.substr(0, dot));
    rest.remove_prefix(dot + 1);
  }
  parts.emplace_back(rest);
  for (std::string& part : parts) {
    if (part.size() <= 1) continue;
    part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
    if (part.empty() || !base::IsDigit(part[0])) part.insert(0, 1, '0');
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) {
    return "short version cannot contain PreRelease/Build meta data";
  }
  while (parts.size() < 3) parts.emplace_back("0");
  text = parts[0] + "." + parts[1] + "." + parts[2];
  return std::nullopt;
}

/// The version that the first argument is; normalised where the second says so.
VersionProblem ReadVersion(Memory& memory, Args args, SemverValue& version) {
  std::string text(args[0].text());
  if (args.size() == 2 && args[1].boolean) {
    if (VersionProblem problem = Normalize(text)) return problem;
  }
  return ParseVersion(memory.Copy(text), version);
}

Value StringToSemver(Memory& memory, Args args) {
  auto* value = memory.Take<SemverValue>();
  if (const VersionProblem problem = ReadVersion(memory, args, *value)) {
    return memory.Error(*problem);
  }
  return memory.OfOpaque(value);
}

Value IsSemver(Memory& memory, Args args) {
  SemverValue version;
  return Value::Bool(!ReadVersion(memory, args, version));
}

Value Major(Memory& /*memory*/, Args args) {
  return Value::Int(static_cast<std::int64_t>(Version(args[0]).major));
}
Value Minor(Memory& /*memory*/, Args args) {
  return Value::Int(static_cast<std::int64_t>(Version(args[0]).minor));
}
Value Patch(Memory& /*memory*/, Args args) {
  return Value::Int(static_cast<std::int64_t>(Version(args[0]).patch));
}

int ComparePrereleaseParts(std::string_view a, std::string_view b) {
  const bool a_is_number = base::AreDigits(a);
  const bool b_is_number = base::AreDigits(b);
  if (a_is_number != b_is_number) return a_is_number ? -1 : 1;
  if (a_is_number && a.size() != b.size()) return Order(a.size(), b.size());
  return a.compare(b) < 0 ? -1 : a == b ? 0 : 1;
}

int ComparePrereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty() ? 0 : a.empty() ? 1 : -1;
  while (true) {
    const std::string_view first = a.substr(0, a.find('.'));
    const std::string_view second = b.substr(0, b.find('.'));
    if (const int order = ComparePrereleaseParts(first, second)) return order;
    const bool a_ends = first.size() == a.size();
    const bool b_ends = second.size() == b.size();
    if (a_ends || b_ends) return a_ends == b_ends ? 0 : a_ends ? -1 : 1;
    a.remove_prefix(first.size() + 1);
    b.remove_prefix(second.size() + 1);
  }
}

}  // namespace

int CompareSemvers(const SemverValue& a, const SemverValue& b) {
  if (const int order = Order(a.major, b.major)) return order;
  if (const int order = Order(a.minor, b.minor)) return order;
  if (const int order = Order(a.patch, b.patch)) return order;
  return ComparePrereleases(a.prerelease, b.prerelease);
}

std::span<const Overload> SemverLibrary() {
  constexpr std::string_view kTwo = "kubernetes.Semver, kubernetes.Semver";
  static const Overload rows[] = {
      ValueRow("semver", "string_to_semver", false, "string", "kubernetes.Semver", StringToSemver,
               kSemverSince),
      ValueRow("semver", "string_bool_to_semver", false, "string, bool", "kubernetes.Semver",
               StringToSemver, kSemverSince),
      ValueRow("isSemver", "is_semver_string", false, "string", "bool", IsSemver, kSemverSince),
      ValueRow("isSemver", "is_semver_string_bool", false, "string, bool", "bool", IsSemver,
               kSemverSince),
      ValueRow("isGreaterThan", "semver_is_greater_than", true, kTwo, "bool", IsGreaterThan,
               kSemverSince),
      ValueRow("isLessThan", "semver_is_less_than", true, kTwo, "bool", IsLessThan, kSemverSince),
      ValueRow("compareTo", "semver_compare_to", true, kTwo, "int", CompareTo, kSemverSince),
      ValueRow("major", "semver_major", true, "kubernetes.Semver", "int", Major, kSemverSince),
      ValueRow("minor", "semver_minor", true, "kubernetes.Semver", "int", Minor, kSemverSince),
      ValueRow("patch", "semver_patch", true, "kubernetes.Semver", "int", Patch, kSemverSince),
  };
  return rows;
}

}  // namespace kube::cel
