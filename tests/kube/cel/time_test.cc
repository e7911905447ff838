#include "kube/cel/time.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "kube/cel/program.h"

namespace kube::cel {
namespace {

std::string Run(std::string_view expression) {
  const Environment environment({1, 35});
  const auto checked = Compile(environment, expression);
  if (!checked) return checked.error();
  const auto program = Program::Make(environment, **checked);
  if (!program) return program.error();
  json::Arena arena;
  return Describe(program->Evaluate({}, arena).value);
}

std::string Offset(std::string_view zone, std::int64_t seconds) {
  const auto offset = ZoneOffset(zone, seconds);
  return offset ? std::to_string(*offset) : offset.error();
}

constexpr std::int64_t kJanuary2024 = 1704067200;
constexpr std::int64_t kJuly2024 = 1719792000;
// Behind the last change that zone files write down.
constexpr std::int64_t kJanuary2100 = 4102444800;
constexpr std::int64_t kJuly2100 = 4118083200;

bool HasZones() {
  struct stat status {};
  return stat("/usr/share/zoneinfo/Europe", &status) == 0;
}

}  // namespace

TEST_CASE("Zones have the offsets of tzdata", "[cel]") {
  if (!HasZones()) {
    WARN("skipped: no /usr/share/zoneinfo (install tzdata)");
    return;
  }
  CHECK(Offset("Europe/Berlin", kJanuary2024) == "3600");
  CHECK(Offset("Europe/Berlin", kJuly2024) == "7200");
  CHECK(Offset("Europe/Berlin", kJanuary2100) == "3600");
  CHECK(Offset("Europe/Berlin", kJuly2100) == "7200");
  CHECK(Offset("Australia/Sydney", kJanuary2100) == "39600");
  CHECK(Offset("Australia/Sydney", kJuly2100) == "36000");
  CHECK(Offset("America/Argentina/Buenos_Aires", kJuly2024) == "-10800");
  CHECK(Offset("Etc/GMT+1", kJuly2024) == "-3600");
  CHECK(Offset("Asia/Kathmandu", kJuly2024) == "20700");
}

TEST_CASE("Offsets and the names of UTC need no tzdata", "[cel]") {
  CHECK(Offset("", kJuly2024) == "0");
  CHECK(Offset("UTC", kJuly2024) == "0");
  CHECK(Offset("05:30", kJuly2024) == "19800");
  CHECK(Offset("-01:30", kJuly2024) == "-5400");
  CHECK(Offset("24:00", kJuly2024) == "timezone offset hours out of range [-23, 23]: 24:00");
}

TEST_CASE("No name of a zone leads out of tzdata", "[cel]") {
  CHECK(Offset("../../../etc/passwd", kJuly2024) == "time: invalid location name");
  CHECK(Offset("Europe/../Europe/Berlin", kJuly2024) == "time: invalid location name");
  CHECK(Offset("/etc/localtime", kJuly2024) == "time: invalid location name");
  if (!HasZones()) {
    WARN("skipped: no /usr/share/zoneinfo (install tzdata)");
    return;
  }
  // The texts of a server of 1.36, which has Go's.
  const std::string slashes = "Europe" + std::string(60, '/') + "Berlin";
  CHECK(Offset("Europe", kJuly2024) == "is a directory");
  CHECK(Offset("Europe/Berlin/", kJuly2024) == "not a directory");
  CHECK(Offset("Europe/Nowhere", kJuly2024) == "unknown time zone Europe/Nowhere");
  CHECK(Offset("europe/berlin", kJuly2024) == "unknown time zone europe/berlin");
  CHECK(Offset("Europe/Ber lin", kJuly2024) == "unknown time zone Europe/Ber lin");
  CHECK(Offset("zone.tab", kJuly2024) == "malformed time zone information");
  CHECK(Offset(std::string_view("Europe/Berlin\0", 14), kJuly2024) == "invalid argument");
  CHECK(Offset(std::string(5000, 'a'), kJuly2024) == "file name too long");
  CHECK(Offset("./Europe/Berlin", kJuly2024) == "7200");
  CHECK(Offset(slashes, kJuly2024) == "7200");
}

// cel-go's common/types/overflow.go.
TEST_CASE("Arithmetic of times ends in errors where they end", "[cel]") {
  const std::string last = "timestamp('9999-12-31T23:59:59.999999999Z')";
  const std::string first = "timestamp('0001-01-01T00:00:00Z')";
  const std::string longest = "duration('9223372036.854775807s')";
  const std::string shortest = "duration('-9223372036.854775808s')";
  CHECK(Run(last + " + duration('1ns')") == "timestamp overflow");
  CHECK(Run("duration('1ns') + " + last) == "timestamp overflow");
  CHECK(Run(first + " - duration('1ns')") == "timestamp overflow");
  CHECK(Run(first + " + " + shortest) == "timestamp overflow");
  CHECK(Run(first + " - " + shortest) == "integer overflow");
  CHECK(Run(last + " - " + first) == "integer overflow");
  CHECK(Run(longest + " + duration('1ns')") == "integer overflow");
  CHECK(Run(shortest + " - duration('1ns')") == "integer overflow");
  CHECK(Run(last + " + duration('0s') == " + last) == "true");
}

// What durationpb's AsDuration and timestamppb's AsTime make of fields.
TEST_CASE("Messages of times take what protobuf takes", "[cel]") {
  const std::string duration = "google.protobuf.Duration{";
  const std::string timestamp = "google.protobuf.Timestamp{";
  CHECK(Run(duration + "seconds: 90, nanos: 500000000}") == "1m30.5s");
  CHECK(Run(duration + "seconds: 9223372036, nanos: 854775807} == "
                       "duration('9223372036.854775807s')") == "true");
  CHECK(Run(duration + "seconds: 9223372037} == duration('9223372036.854775807s')") == "true");
  CHECK(Run(duration + "seconds: -9223372037} == duration('-9223372036.854775808s')") == "true");
  CHECK(Run(duration + "nanos: 2147483648}") == "integer overflow");
  CHECK(Run(timestamp + "seconds: 1, nanos: -1}") == "1970-01-01T00:00:00.999999999Z");
  CHECK(Run(timestamp + "nanos: 1500000000}") == "1970-01-01T00:00:01.5Z");
  CHECK(Run(timestamp + "seconds: 9223372036854775807} + duration('1s')") == "integer overflow");
  CHECK(Run(timestamp + "seconds: 9223372036854775807}.getSeconds() >= 0") == "true");
  CHECK_THAT(Run("google.protobuf.Any{type_url: dyn(timestamp('2024-01-01T00:00:00.5Z'))}"),
             Catch::StartsWith("unsupported conversion to ref.Val"));
}

}  // namespace kube::cel
