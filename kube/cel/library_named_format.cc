// format.dns1123Label() and the other named formats (apiserver/pkg/cel/library/format.go). Some are
// string formats of schemas.
#include <array>
#include <memory>

#include "kube/cel/function.h"
#include "kube/cel/opaque.h"
#include "kube/go/format_checks.h"
#include "kube/go/go_url.h"
#include "kube/meta/names.h"

namespace kube::cel {
namespace {

using Problems = std::vector<std::string>;

constexpr base::Release kNamedFormatsSince{1, 31};
constexpr double kLargestPattern = 128;

/// A prefix may end in a dash, as more will follow.
template <Problems (*check)(std::string_view)>
Problems AsPrefix(std::string_view text) {
  if (text.size() > 1 && text.ends_with('-')) {
    return check(std::string(text.substr(0, text.size() - 2)) + "a");
  }
  return check(text);
}

Problems UriProblems(std::string_view text) {
  const auto url = go::ParseRequestUri(text);
  return url ? Problems() : Problems{url.error()};
}
Problems UuidProblems(std::string_view text) {
  return go::IsUuid(text) ? Problems() : Problems{"does not match the UUID format"};
}
Problems ByteProblems(std::string_view text) {
  return go::IsByte(text) ? Problems() : Problems{"invalid base64"};
}
Problems DateProblems(std::string_view text) {
  return go::IsDate(text) ? Problems() : Problems{"invalid date"};
}
Problems DateTimeProblems(std::string_view text) {
  return go::IsDateTime(text) ? Problems() : Problems{"invalid datetime"};
}

constexpr NamedFormat kFormats[] = {
    {"dns1123Label", "DNS1123Label", 30, meta::Dns1123LabelProblems},
    {"dns1123Subdomain", "DNS1123Subdomain", 60, meta::Dns1123SubdomainProblems},
    {"dns1035Label", "DNS1035Label", 30, meta::Dns1035LabelProblems},
    {"qualifiedName", "QualifiedName", 60, meta::LabelKeyProblems},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", 30, AsPrefix<meta::Dns1123LabelProblems>},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60,
     AsPrefix<meta::Dns1123SubdomainProblems>},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", 30, AsPrefix<meta::Dns1035LabelProblems>},
    {"labelValue", "LabelValue", 40, meta::LabelValueProblems},
    {"uri", "URI", 1103, UriProblems},
    {"uuid", "uuid", 70, UuidProblems},
    {"byte", "byte", 84, ByteProblems},
    {"date", "date", 71, DateProblems},
    {"datetime", "datetime", 71, DateTimeProblems},
};

Value MakeFormat(Memory& memory, const NamedFormat& format) {
  auto* value = memory.Take<FormatValue>();
  value->kind = Opaque::Kind::kFormat;
  value->format = &format;
  return memory.OfOpaque(value);
}

template <std::size_t index>
Value ConstantFormat(Memory& memory, Args /*args*/) {
  return MakeFormat(memory, kFormats[index]);
}

Value Named(Memory& memory, Args args) {
  for (const NamedFormat& format : kFormats) {
    if (format.function == args[0].text()) return memory.Optional(MakeFormat(memory, format));
  }
  return memory.NoOptional();
}

const NamedFormat& FormatOf(const Value& value) {
  return *static_cast<const FormatValue&>(*value.opaque).format;
}

Value Validate(Memory& memory, Args args) {
  const Problems problems = FormatOf(args[0]).validate(args[1].text());
  if (problems.empty()) return memory.NoOptional();
  const Value list = memory.NewList();
  for (const std::string& problem : problems) memory.Append(list, memory.String(problem));
  return memory.Optional(list);
}

std::optional<CallEstimate> EstimateValidate(const EstimatedCall& call) {
  return CallEstimate{
      call.Size(call.args[0]).Scale(kStringFactor).Scale(kLargestPattern * kPatternFactor),
      std::nullopt};
}

std::uint64_t CostValidate(Memory& /*memory*/, Args args, const Value& /*result*/) {
  if (args[0].kind != Value::Kind::kOpaque || args[0].opaque->kind != Opaque::Kind::kFormat) {
    return 1;
  }
  return MultiplyCost(ScaleCost(AddCost(CostSize(args[1]), 1), kStringFactor),
                      ScaleCost(FormatOf(args[0]).pattern_size, kPatternFactor));
}

template <std::size_t... index>
std::vector<Overload> ConstantRows(std::index_sequence<index...> /*indices*/) {
  static const std::array<std::string, sizeof...(index)> names = {
      "format." + std::string(kFormats[index].function)...};
  return {Overload{names[index], names[index], false, "", "kubernetes.NamedFormat",
                   ConstantFormat<index>, nullptr, nullptr, false, Dispatch::kTyped,
                   kNamedFormatsSince}...};
}

std::vector<Overload> MakeFormatRows() {
  std::vector<Overload> rows = ConstantRows(std::make_index_sequence<std::size(kFormats)>());
  rows.push_back({"validate", "format-validate", true, "kubernetes.NamedFormat, string",
                  "optional(list(string))", Validate, EstimateValidate, CostValidate, true,
                  Dispatch::kTyped, kNamedFormatsSince});
  rows.push_back({"format.named", "format-named", false, "string",
                  "optional(kubernetes.NamedFormat)", Named, nullptr, nullptr, false,
                  Dispatch::kTyped, kNamedFormatsSince});
  return rows;
}

}  // namespace

std::span<const Overload> NamedFormatLibrary() {
  static const std::vector<Overload> rows = MakeFormatRows();
  return rows;
}

}  // namespace kube::cel
