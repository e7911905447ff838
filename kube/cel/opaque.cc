#include "kube/cel/opaque.h"

namespace kube::cel {
namespace {

using Kind = Opaque::Kind;

template <typename T>
const T& As(const Opaque& opaque) {
  return static_cast<const T&>(opaque);
}

std::string DescribeSemver(const SemverValue& version) {
  std::string out = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                    std::to_string(version.patch);
  if (!version.prerelease.empty()) out.append("-").append(version.prerelease);
  if (!version.build.empty()) out.append("+").append(version.build);
  return out;
}

}  // namespace

TypeRef OpaqueType(const Opaque& opaque) {
  static TypePool pool;
  static const TypeRef types[] = {pool.Struct("kubernetes.Quantity"),
                                  pool.Opaque("net.IP"),
                                  pool.Opaque("net.CIDR"),
                                  pool.Struct("kubernetes.URL"),
                                  pool.Struct("kubernetes.Semver"),
                                  pool.Struct("kubernetes.NamedFormat")};
  return types[static_cast<std::size_t>(opaque.kind)];
}

bool EqualOpaque(const Opaque& a, const Opaque& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kQuantity:
      return CompareQuantities(As<QuantityValue>(a), As<QuantityValue>(b)) == 0;
    case Kind::kIp:
      return As<IpValue>(a).address == As<IpValue>(b).address;
    case Kind::kCidr:
      return As<CidrValue>(a).prefix == As<CidrValue>(b).prefix;
    case Kind::kUrl:
      return As<UrlValue>(a).text == As<UrlValue>(b).text;
    case Kind::kSemver:
      return CompareSemvers(As<SemverValue>(a), As<SemverValue>(b)) == 0;
    case Kind::kFormat:
      return As<FormatValue>(a).format == As<FormatValue>(b).format;
  }
  return false;
}

std::string DescribeOpaque(const Opaque& opaque) {
  switch (opaque.kind) {
    case Kind::kQuantity: {
      const auto& quantity = As<QuantityValue>(opaque);
      return (quantity.is_negative ? "-" : "") + std::string(quantity.digits) + "e" +
             std::to_string(quantity.scale);
    }
    case Kind::kIp:
      return As<IpValue>(opaque).address.ToString();
    case Kind::kCidr:
      return As<CidrValue>(opaque).prefix.ToString();
    case Kind::kUrl:
      return std::string(As<UrlValue>(opaque).text);
    case Kind::kSemver:
      return DescribeSemver(As<SemverValue>(opaque));
    case Kind::kFormat:
      return std::string(As<FormatValue>(opaque).format->name);
  }
  return "";
}

std::uint64_t OpaqueCostSize(const Opaque& opaque) {
  if (opaque.kind == Kind::kIp) return As<IpValue>(opaque).address.is_v6 ? 16 : 4;
  if (opaque.kind == Kind::kCidr) {
    return static_cast<std::uint64_t>(As<CidrValue>(opaque).prefix.bits + 7) / 8;
  }
  return 1;
}

}  // namespace kube::cel
