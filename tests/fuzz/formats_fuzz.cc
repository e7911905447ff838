#include <string>

#include "kube/schema/formats.h"
#include "kube/schema/go_time.h"
#include "kube/schema/go_url.h"
#include "kube/schema/names.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace schema = kube::schema;
using fuzz::Require;

constexpr const char* kFormats[] = {
    "bsonobjectid", "byte",     "cidr",     "creditcard",  "date",         "date-time",
    "duration",     "email",    "hexcolor", "hostname",    "ipv4",         "ipv6",
    "isbn",         "isbn10",   "isbn13",   "k8slongname", "k8sshortname", "mac",
    "password",     "rgbcolor", "ssn",      "uri",         "uuid",         "uuid3",
    "uuid4",        "uuid5"};

// Time and URL are also read by themselves.
void RequireSameTime(std::string_view text) {
  const auto time = schema::ParseGoTime(text);
  if (!time) return Require(time.error().starts_with("parsing time "));
  const auto again = schema::ParseGoTime(schema::FormatGoTime(*time));
  // An offset can lead out of the years that can be read.
  Require(!again || again->unix_seconds == time->unix_seconds);
}

}  // namespace

// Any text is of a format or not, and of the general one where it is of a special one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::Text(data, size);
  const auto matches = [text](std::string_view name) { return schema::MatchesFormat(name, text); };
  for (const char* format : kFormats) {
    Require(schema::IsKnownFormat(format));
    matches(format);
  }
  for (const char* uuid : {"uuid3", "uuid4", "uuid5"}) Require(!matches(uuid) || matches("uuid"));
  Require(matches("isbn") == (matches("isbn10") || matches("isbn13")));
  Require(!matches("k8s-short-name") || schema::Dns1123LabelProblems(text).empty());
  Require(!matches("k8s-long-name") || schema::Dns1123SubdomainProblems(text).empty());
  RequireSameTime(text);
  if (const auto url = schema::ParseUrl(text); !url) Require(!url.error().empty());
  return 0;
}
