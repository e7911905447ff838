#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/cel/type.h"
#include "kube/cel/value.h"
#include "kube/go/go_netip.h"

/// Values of the libraries. They live in the arena of an evaluation.
namespace kube::cel {

struct Opaque {
  enum class Kind : std::uint8_t { kQuantity, kIp, kCidr, kUrl, kSemver, kFormat };
  Kind kind;
};

/// digits * 10^scale, negative or not. As resource.Quantity it is an int64 as long as that holds
/// it, and then a decimal of any length.
struct QuantityValue : Opaque {
  bool is_decimal;
  bool is_negative;
  std::int32_t scale;
  std::string_view digits;  ///< no zeros at the front; "0" for zero
};

struct IpValue : Opaque {
  go::IpAddress address;
};

struct CidrValue : Opaque {
  go::IpPrefix prefix;
};

struct UrlValue : Opaque {
  std::string_view text;  ///< what tells two of them apart: all its parts
  std::string_view scheme;
  std::string_view host;
  std::string_view escaped_path;
  std::string_view query;
};

struct SemverValue : Opaque {
  std::uint64_t major;
  std::uint64_t minor;
  std::uint64_t patch;
  std::string_view prerelease;  ///< with dots
  std::string_view build;
};

/// A format that format.named() knows.
struct NamedFormat {
  std::string_view function;  ///< format.<function>()
  std::string_view name;
  std::uint64_t pattern_size;  ///< of the regular expression that it is, for costs
  std::vector<std::string> (*validate)(std::string_view text);  ///< what is wrong
};

struct FormatValue : Opaque {
  const NamedFormat* format;
};

int CompareQuantities(const QuantityValue& a, const QuantityValue& b);
int CompareSemvers(const SemverValue& a, const SemverValue& b);
/// -1, 0 or 1: two quantities or two versions.
int CompareOpaque(const Opaque& a, const Opaque& b);

TypeRef OpaqueType(const Opaque& opaque);
bool EqualOpaque(const Opaque& a, const Opaque& b);
std::string DescribeOpaque(const Opaque& opaque);
/// The bytes that it takes to look at all of it.
std::size_t OpaqueTextSize(const Opaque& opaque);
/// What size() in costs sees of it; 1 for most.
std::uint64_t OpaqueCostSize(const Opaque& opaque);

}  // namespace kube::cel
