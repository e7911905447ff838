#include "kube/cel/opaque.h"

#include "kube/cel/function.h"

namespace kube::cel {
namespace {

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

int CompareOpaque(const Opaque& a, const Opaque& b) {
  return a.kind == Opaque::Kind::kQuantity
             ? CompareQuantities(As<QuantityValue>(a), As<QuantityValue>(b))
             : CompareSemvers(As<SemverValue>(a), As<SemverValue>(b));
}

bool EqualOpaque(const Opaque& a, const Opaque& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Opaque::Kind::kQuantity:
    case Opaque::Kind::kSemver:
      return CompareOpaque(a, b) == 0;
    case Opaque::Kind::kIp:
      return As<IpValue>(a).address == As<IpValue>(b).address;
    case Opaque::Kind::kCidr:
      return As<CidrValue>(a).prefix == As<CidrValue>(b).prefix;
    case Opaque::Kind::kUrl:
      return As<UrlValue>(a).text == As<UrlValue>(b).text;
    case Opaque::Kind::kFormat:
      return As<FormatValue>(a).format == As<FormatValue>(b).format;
  }
  return false;
}

std::string DescribeOpaque(const Opaque& opaque) {
  switch (opaque.kind) {
    case Opaque::Kind::kQuantity: {
      const auto& quantity = As<QuantityValue>(opaque);
      return (quantity.is_negative ? "-" : "") + std::string(quantity.digits) + "e" +
             std::to_string(quantity.scale);
    }
    case Opaque::Kind::kIp:
      return As<IpValue>(opaque).address.ToString();
    case Opaque::Kind::kCidr:
      return As<CidrValue>(opaque).prefix.ToString();
    case Opaque::Kind::kUrl:
      return std::string(As<UrlValue>(opaque).text);
    case Opaque::Kind::kSemver:
      return DescribeSemver(As<SemverValue>(opaque));
    case Opaque::Kind::kFormat:
      return std::string(As<FormatValue>(opaque).format->name);
  }
  return "";
}

std::size_t OpaqueTextSize(const Opaque& opaque) {
  switch (opaque.kind) {
    case Opaque::Kind::kQuantity:
      return As<QuantityValue>(opaque).digits.size();
    case Opaque::Kind::kUrl:
      return As<UrlValue>(opaque).text.size();
    case Opaque::Kind::kSemver:
      return As<SemverValue>(opaque).prerelease.size() + As<SemverValue>(opaque).build.size();
    default:
      return 0;
  }
}

std::uint64_t OpaqueCostSize(const Opaque& opaque) {
  if (opaque.kind == Opaque::Kind::kIp) return As<IpValue>(opaque).address.is_v6 ? 16 : 4;
  if (opaque.kind == Opaque::Kind::kCidr) {
    return static_cast<std::uint64_t>(As<CidrValue>(opaque).prefix.bits + 7) / 8;
  }
  return 1;
}

Overload ValueRow(std::string_view function, std::string_view id, bool is_member,
                  std::string_view args, std::string_view result, Implementation run,
                  base::Release since) {
  const bool reads_text = args == "string" || args == "string, bool";
  return {function,
          id,
          is_member,
          args,
          result,
          run,
          reads_text ? EstimateTraversal : EstimateOne,
          reads_text ? CostTraversal : CostOne,
          true,
          Dispatch::kTyped,
          since};
}

Value IsGreaterThan(Memory& /*memory*/, Args args) {
  return Value::Bool(CompareOpaque(*args[0].opaque, *args[1].opaque) > 0);
}
Value IsLessThan(Memory& /*memory*/, Args args) {
  return Value::Bool(CompareOpaque(*args[0].opaque, *args[1].opaque) < 0);
}
Value CompareTo(Memory& /*memory*/, Args args) {
  return Value::Int(CompareOpaque(*args[0].opaque, *args[1].opaque));
}

}  // namespace kube::cel
