// IP addresses and networks (apiserver/pkg/cel/library/ip.go, cidr.go).
#include "kube/cel/function.h"
#include "kube/cel/opaque.h"
#include "kube/go/go_format.h"

namespace kube::cel {
namespace {

constexpr base::Release kNetSince{1, 30};
constexpr double kAddressFactor = kStringFactor;

const go::IpAddress& Ip(const Value& value) {
  return static_cast<const IpValue&>(*value.opaque).address;
}
const go::IpPrefix& Cidr(const Value& value) {
  return static_cast<const CidrValue&>(*value.opaque).prefix;
}

Value MakeIp(Memory& memory, const go::IpAddress& address) {
  auto* value = memory.Take<IpValue>();
  value->kind = Opaque::Kind::kIp;
  value->address = address;
  return memory.OfOpaque(value);
}

Value MakeCidr(Memory& memory, const go::IpPrefix& prefix) {
  auto* value = memory.Take<CidrValue>();
  value->kind = Opaque::Kind::kCidr;
  value->prefix = prefix;
  return memory.OfOpaque(value);
}

base::Result<go::IpAddress, std::string> ParseIp(std::string_view text) {
  if (const auto problem = go::IpAddressProblem(text)) {
    return base::Unexpected("IP Address " + go::GoQuote(text) +
                            " parse error during conversion from string: " + *problem);
  }
  if (text.find('%') != std::string_view::npos) {
    return base::Unexpected("IP address " + go::GoQuote(text) + " with zone value is not allowed");
  }
  const go::IpAddress address = go::ParseIpAddress(text);
  if (address.IsMapped()) {
    return base::Unexpected("IPv4-mapped IPv6 address " + go::GoQuote(text) + " is not allowed");
  }
  return address;
}

base::Result<go::IpPrefix, std::string> ParseCidr(std::string_view text) {
  auto prefix = go::ParseIpPrefix(text);
  if (!prefix) {
    return base::Unexpected("network address parse error during conversion from string: " +
                            prefix.error());
  }
  if (prefix->address.IsMapped()) {
    return base::Unexpected("IPv4-mapped IPv6 address " + go::GoQuote(text) + " is not allowed");
  }
  return prefix;
}

Value StringToIp(Memory& memory, Args args) {
  const auto address = ParseIp(args[0].text());
  return address ? MakeIp(memory, *address) : memory.Error(address.error());
}

Value StringToCidr(Memory& memory, Args args) {
  const auto prefix = ParseCidr(args[0].text());
  if (prefix) return MakeCidr(memory, *prefix);
  // The server says it twice.
  return memory.Error("network address parse error during conversion from string: " +
                      prefix.error());
}

Value IsIp(Memory& /*memory*/, Args args) {
  return Value::Bool(ParseIp(args[0].text()).has_value());
}
Value IsCidr(Memory& /*memory*/, Args args) {
  return Value::Bool(ParseCidr(args[0].text()).has_value());
}

Value IsCanonical(Memory& memory, Args args) {
  const auto address = ParseIp(args[0].text());
  if (!address) return memory.Error(address.error());
  return Value::Bool(address->ToString() == args[0].text());
}

Value Family(Memory& /*memory*/, Args args) { return Value::Int(Ip(args[0]).is_v6 ? 6 : 4); }

/// True if the address is in a network.
bool IsIn(const go::IpAddress& address, std::string_view network) {
  return go::ParseIpPrefix(network)->Contains(address);
}

bool IsUnspecifiedAddress(const go::IpAddress& a) { return a.bytes == go::IpAddress().bytes; }
bool IsLoopbackAddress(const go::IpAddress& a) {
  return IsIn(a, a.is_v6 ? "::1/128" : "127.0.0.0/8");
}
bool IsLocalMulticast(const go::IpAddress& a) {
  return a.is_v6 ? a.bytes[0] == 0xFF && (a.bytes[1] & 0x0F) == 0x02 : IsIn(a, "224.0.0.0/24");
}
bool IsLocalUnicast(const go::IpAddress& a) {
  return IsIn(a, a.is_v6 ? "fe80::/10" : "169.254.0.0/16");
}
bool IsMulticast(const go::IpAddress& a) { return IsIn(a, a.is_v6 ? "ff00::/8" : "224.0.0.0/4"); }
bool IsGlobal(const go::IpAddress& a) {
  const bool is_broadcast = !a.is_v6 && IsIn(a, "255.255.255.255/32");
  return !is_broadcast && !IsUnspecifiedAddress(a) && !IsLoopbackAddress(a) && !IsMulticast(a) &&
         !IsLocalUnicast(a);
}

template <bool (*test)(const go::IpAddress&)>
Value Test(Memory& /*memory*/, Args args) {
  return Value::Bool(test(Ip(args[0])));
}

Value ContainsIp(Memory& /*memory*/, Args args) {
  if (!args[1].is_string()) return Value::Bool(Cidr(args[0]).Contains(Ip(args[1])));
  const auto address = ParseIp(args[1].text());
  return address ? Value::Bool(Cidr(args[0]).Contains(*address)) : Value::Error(kNoOverload);
}

Value ContainsCidr(Memory& memory, Args args) {
  go::IpPrefix other;
  if (args[1].is_string()) {
    const Value parsed = StringToCidr(memory, args.subspan(1));
    if (parsed.is_error()) return parsed;
    other = Cidr(parsed);
  } else {
    other = Cidr(args[1]);
  }
  const go::IpPrefix& network = Cidr(args[0]);
  return Value::Bool(network.Overlaps(other) && network.bits <= other.bits);
}

Value CidrToIp(Memory& memory, Args args) { return MakeIp(memory, Cidr(args[0]).address); }
Value PrefixLength(Memory& /*memory*/, Args args) { return Value::Int(Cidr(args[0]).bits); }
Value Masked(Memory& memory, Args args) { return MakeCidr(memory, Cidr(args[0]).Masked()); }

// ---- Costs: an address has 4 to 16 bytes.

constexpr Range kAddressSize{4, 16};

template <bool is_text>
std::optional<CallEstimate> EstimateContainsIp(const EstimatedCall& call) {
  Range cost = (kAddressSize + kAddressSize).Scale(kAddressFactor);
  if (is_text) cost = cost + call.Size(call.args[0]).Scale(kStringFactor);
  return CallEstimate{cost, std::nullopt};
}

template <bool is_text>
std::optional<CallEstimate> EstimateContainsCidr(const EstimatedCall& call) {
  Range cost = (kAddressSize + kAddressSize).Scale(kAddressFactor) +
               kAddressSize.Scale(kAddressFactor) + Range::Fixed(1);
  if (is_text) cost = cost + call.Size(call.args[0]).Scale(kStringFactor);
  return CallEstimate{cost, std::nullopt};
}

template <bool is_text>
std::uint64_t CostContainsIp(Memory& /*memory*/, Args args, const Value& /*result*/) {
  const std::uint64_t cost = ScaleCost(2 * CostSize(args[0]), kAddressFactor);
  return is_text ? AddCost(cost, ScaleCost(CostSize(args[1]), kStringFactor)) : cost;
}

template <bool is_text>
std::uint64_t CostContainsCidr(Memory& memory, Args args, const Value& result) {
  return AddCost(CostContainsIp<is_text>(memory, args, result),
                 ScaleCost(CostSize(args[0]), kAddressFactor) + 1);
}

std::optional<CallEstimate> EstimateCanonical(const EstimatedCall& call) {
  return CallEstimate{call.Size(call.args[0]).Scale(2 * kStringFactor), std::nullopt};
}

Overload NetRow(std::string_view function, std::string_view id, bool is_member,
                std::string_view args, std::string_view result, Implementation run,
                EstimateRule estimate = nullptr, CostRule cost = nullptr) {
  return {function,         id,       is_member, args, result, run, estimate, cost, cost != nullptr,
          Dispatch::kTyped, kNetSince};
}

/// Reading the text costs only where it is known that it is one.
Overload OfKnownText(Overload row) {
  row.cost_by_name = false;
  return row;
}

}  // namespace

std::span<const Overload> NetLibrary() {
  static const Overload rows[] = {
      NetRow("ip", "string_to_ip", false, "string", "net.IP", StringToIp, EstimateTraversal,
             CostTraversal),
      NetRow("ip", "cidr_ip", true, "net.CIDR", "net.IP", CidrToIp),
      NetRow("isIP", "is_ip", false, "string", "bool", IsIp, EstimateTraversal, CostTraversal),
      NetRow("ip.isCanonical", "ip_is_canonical", false, "string", "bool", IsCanonical,
             EstimateCanonical, CostDoubleTraversal),
      NetRow("family", "ip_family", true, "net.IP", "int", Family),
      NetRow("isUnspecified", "ip_is_unspecified", true, "net.IP", "bool",
             Test<IsUnspecifiedAddress>),
      NetRow("isLoopback", "ip_is_loopback", true, "net.IP", "bool", Test<IsLoopbackAddress>),
      NetRow("isLinkLocalMulticast", "ip_is_link_local_multicast", true, "net.IP", "bool",
             Test<IsLocalMulticast>),
      NetRow("isLinkLocalUnicast", "ip_is_link_local_unicast", true, "net.IP", "bool",
             Test<IsLocalUnicast>),
      NetRow("isGlobalUnicast", "ip_is_global_unicast", true, "net.IP", "bool", Test<IsGlobal>),
      NetRow("cidr", "string_to_cidr", false, "string", "net.CIDR", StringToCidr, EstimateTraversal,
             CostTraversal),
      NetRow("isCIDR", "is_cidr", false, "string", "bool", IsCidr, EstimateTraversal,
             CostTraversal),
      OfKnownText(NetRow("containsIP", "cidr_contains_ip_string", true, "net.CIDR, string", "bool",
                         ContainsIp, EstimateContainsIp<true>, CostContainsIp<true>)),
      NetRow("containsIP", "cidr_contains_ip_ip", true, "net.CIDR, net.IP", "bool", ContainsIp,
             EstimateContainsIp<false>, CostContainsIp<false>),
      OfKnownText(NetRow("containsCIDR", "cidr_contains_cidr_string", true, "net.CIDR, string",
                         "bool", ContainsCidr, EstimateContainsCidr<true>, CostContainsCidr<true>)),
      NetRow("containsCIDR", "cidr_contains_cidr", true, "net.CIDR, net.CIDR", "bool", ContainsCidr,
             EstimateContainsCidr<false>, CostContainsCidr<false>),
      NetRow("prefixLength", "cidr_prefix_length", true, "net.CIDR", "int", PrefixLength),
      NetRow("masked", "cidr_masked", true, "net.CIDR", "net.CIDR", Masked),
  };
  return rows;
}

}  // namespace kube::cel
