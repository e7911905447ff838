#include <string>

#include "kube/go/go_time.h"
#include "kube/go/go_url.h"
#include "kube/meta/names.h"
#include "kube/schema/formats.h"
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
  const auto time = kube::go::ParseGoTime(text);
  if (!time) return Require(time.error().starts_with("parsing time "));
  const std::string printed = kube::go::FormatGoTime(*time);
  // An offset can lead out of the years that can be read.
  if (printed.size() != std::string_view("2020-01-02T03:04:05Z").size()) return;
  const auto again = kube::go::ParseGoTime(printed);
  Require(again && again->unix_seconds == time->unix_seconds);
}

}  // namespace

// Any text is of a format or not; names are as names elsewhere are, and a time prints as what it
// is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::Text(data, size);
  const auto matches = [text](std::string_view name) {
    return kube::schema::MatchesFormat(name, text);
  };
  for (const char* format : kFormats) {
    Require(kube::schema::IsKnownFormat(format));
    matches(format);
  }
  Require(matches("k8s-short-name") == kube::meta::Dns1123LabelProblems(text).empty());
  Require(matches("k8s-long-name") == kube::meta::Dns1123SubdomainProblems(text).empty());
  RequireSameTime(text);
  if (const auto url = kube::go::ParseUrl(text); !url) Require(!url.error().empty());
  return 0;
}
