#include "kube/schema/format/formats.h"

#include <algorithm>
#include <string>

#include "kube/go/go_url.h"
#include "kube/meta/names.h"
#include "kube/schema/format/format_checks.h"

namespace kube::schema::format {
namespace {

struct Format {
  std::string_view name;
  bool (*matches)(std::string_view text);
};

bool IsAnything(std::string_view) { return true; }
bool IsUri(std::string_view text) { return go::ParseRequestUri(text).has_value(); }
bool IsIsbn(std::string_view text) { return IsIsbn10(text) || IsIsbn13(text); }

// k8s-short-name and k8s-long-name, since 1.34.
bool IsShortName(std::string_view text) {
  return text.size() <= 63 && meta::LooksLikeDns1123Label(text);
}
bool IsLongName(std::string_view text) {
  return text.size() <= 253 && meta::LooksLikeDns1123Subdomain(text);
}

constexpr Format kFormats[] = {
    {"bsonobjectid", IsBsonObjectId},
    {"byte", IsByte},
    {"cidr", IsCidr},
    {"creditcard", IsCreditCard},
    {"date", IsDate},
    {"datetime", IsDateTime},
    {"duration", IsDuration},
    {"email", IsEmail},
    {"hexcolor", IsHexColor},
    {"hostname", IsHostname},
    {"ipv4", IsIpv4},
    {"ipv6", IsIpv6},
    {"isbn", IsIsbn},
    {"isbn10", IsIsbn10},
    {"isbn13", IsIsbn13},
    {"k8slongname", IsLongName},
    {"k8sshortname", IsShortName},
    {"mac", IsMac},
    {"password", IsAnything},
    {"rgbcolor", IsRgbColor},
    {"ssn", IsSsn},
    {"uri", IsUri},
    {"uuid", IsUuid},
    {"uuid3", IsUuid3},
    {"uuid4", IsUuid4},
    {"uuid5", IsUuid5},
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

}  // namespace kube::schema::format
