#include "kube/schema/formats.h"

#include <algorithm>
#include <string>

#include "kube/go/format_checks.h"
#include "kube/go/go_url.h"
#include "kube/meta/names.h"

namespace kube::schema {
namespace {

struct Format {
  std::string_view name;
  bool (*matches)(std::string_view text);
};

bool IsAnything(std::string_view) { return true; }
bool IsUri(std::string_view text) { return go::ParseRequestUri(text).has_value(); }
bool IsIsbn(std::string_view text) { return go::IsIsbn10(text) || go::IsIsbn13(text); }

// k8s-short-name and k8s-long-name, since 1.34.
bool IsShortName(std::string_view text) {
  return text.size() <= 63 && meta::LooksLikeDns1123Label(text);
}
bool IsLongName(std::string_view text) {
  return text.size() <= 253 && meta::LooksLikeDns1123Subdomain(text);
}

constexpr Format kFormats[] = {
    {"bsonobjectid", go::IsBsonObjectId},
    {"byte", go::IsByte},
    {"cidr", go::IsCidr},
    {"creditcard", go::IsCreditCard},
    {"date", go::IsDate},
    {"datetime", go::IsDateTime},
    {"duration", go::IsDuration},
    {"email", go::IsEmail},
    {"hexcolor", go::IsHexColor},
    {"hostname", go::IsHostname},
    {"ipv4", go::IsIpv4},
    {"ipv6", go::IsIpv6},
    {"isbn", IsIsbn},
    {"isbn10", go::IsIsbn10},
    {"isbn13", go::IsIsbn13},
    {"k8slongname", IsLongName},
    {"k8sshortname", IsShortName},
    {"mac", go::IsMac},
    {"password", IsAnything},
    {"rgbcolor", go::IsRgbColor},
    {"ssn", go::IsSsn},
    {"uri", IsUri},
    {"uuid", go::IsUuid},
    {"uuid3", go::IsUuid3},
    {"uuid4", go::IsUuid4},
    {"uuid5", go::IsUuid5},
};

const Format* FindFormat(std::string_view format) {
  std::string name(format);
  std::erase(name, '-');
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&name](const Format& known) { return known.name == name; });
  return found != std::end(kFormats) ? found : nullptr;
}

}  // namespace

bool IsKnownFormat(std::string_view format) { return FindFormat(format) != nullptr; }

bool MatchesFormat(std::string_view format, std::string_view text) {
  const Format* known = FindFormat(format);
  return known == nullptr || known->matches(text);
}

}  // namespace kube::schema
