#include <catch2/catch.hpp>

#include "kube/client/lease_lock.h"

namespace kube::client {
namespace lease_record_test {

LeaseRecord Read(const std::string& text) {
  json::Document document;
  REQUIRE_FALSE(document.Parse(text));
  return ReadLeaseRecord(document.root());
}

std::string Print(const LeaseRecord& record) {
  json::Arena arena;
  return json::Print(MakeLeaseSpec(record, arena));
}

TEST_CASE("The spec of a Lease is read and written", "[kube][lease]") {
  const std::string text = R"({"acquireTime":"2026-01-01T00:00:00.000001Z","holderIdentity":"a_1",)"
                           R"("leaseDurationSeconds":15,"leaseTransitions":3,)"
                           R"("renewTime":"2026-01-01T02:00:00.100000+02:00"})";
  const LeaseRecord record = Read(text);
  CHECK(record == LeaseRecord{"a_1", 15, "2026-01-01T00:00:00.000001Z",
                              "2026-01-01T02:00:00.100000+02:00", 3});
  CHECK(Print(record) == text);
}

TEST_CASE("What a Lease does not say is nothing", "[kube][lease]") {
  CHECK(Read("{}") == LeaseRecord());
  CHECK(Print({}) == R"({"holderIdentity":"","leaseDurationSeconds":0,"leaseTransitions":0})");
}

TEST_CASE("What no server would store in a Lease is as if it were absent", "[kube][lease]") {
  const auto [text] = GENERATE(table<std::string>({
      {"null"},
      {"[]"},
      {R"("a")"},
      {R"({"holderIdentity":5,"leaseDurationSeconds":"15","acquireTime":0,"renewTime":{}})"},
      {R"({"holderIdentity":["a"],"leaseDurationSeconds":-15,"leaseTransitions":-1})"},
      {R"({"holderIdentity":null,"leaseDurationSeconds":15.5,"leaseTransitions":1e3})"},
      {R"({"leaseDurationSeconds":2147483648,"leaseTransitions":99999999999999999999})"},
      {R"({"acquireTime":"yesterday","renewTime":"2026-13-01T00:00:00Z"})"},
      {R"({"acquireTime":"","renewTime":"2026-01-01"})"},
      {R"({"acquireTime":"2026-01-01T00:00:00Z","renewTime":"2026-01-01T00:00:00+01:00"})"},
      {R"({"acquireTime":"2026-01-01T00:00:00.12345Z","renewTime":"2026-01-01T00:00:00.1234567Z"})"},
  }));
  CAPTURE(text);
  CHECK(Read(text) == LeaseRecord());
}

TEST_CASE("The largest numbers of a Lease are kept", "[kube][lease]") {
  CHECK(Read(R"({"leaseDurationSeconds":2147483647,"leaseTransitions":2147483647})") ==
        LeaseRecord{"", 2147483647, "", "", 2147483647});
}

TEST_CASE("A time is written with microseconds, cut", "[kube][lease]") {
  using namespace std::chrono;
  const system_clock::time_point day = sys_days(year(2026) / 2 / 28);
  CHECK(MicroTime(day) == "2026-02-28T00:00:00.000000Z");
  CHECK(MicroTime(day + hours(24) - nanoseconds(1)) == "2026-02-28T23:59:59.999999Z");
  CHECK(MicroTime(day + microseconds(1'000'042)) == "2026-02-28T00:00:01.000042Z");
  CHECK(MicroTime(system_clock::time_point() - microseconds(1)) == "1969-12-31T23:59:59.999999Z");
}

}  // namespace lease_record_test
}  // namespace kube::client
