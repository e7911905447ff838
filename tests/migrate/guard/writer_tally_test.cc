#include "migrate/guard/writer_tally.h"

#include <catch2/catch.hpp>
#include <thread>

namespace migrate::guard {
namespace writer_tally_test {

using namespace std::chrono_literals;

// 2026-01-01T00:00:00Z
constexpr TimePoint kTime{1767225600s};

LosingRequest Request(std::string_view user, TimePoint time = kTime) {
  return {.crd = "widgets.demo.example.com",
          .object = "shop/a",
          .writer = {user, "kubectl-edit"},
          .time = time};
}

LostField Field(const std::string& path, std::uint64_t added = 0) {
  return {.path = path, .example = path, .version = "v1", .count = 1, .added = added};
}

TEST_CASE("Each writer and path is counted, with its first and last time", "[migrate][guard]") {
  WriterTally tally;
  CHECK(tally.NoteLoss(Request("ann", kTime + 1min), Field("spec.b", 1), LossOutcome::kPassed));
  CHECK_FALSE(tally.NoteLoss(Request("ann", kTime), Field("spec.b"), LossOutcome::kPassed));
  CHECK_FALSE(tally.NoteLoss(Request("ann", kTime + 2h), Field("spec.b", 1), LossOutcome::kDenied));
  CHECK(tally.NoteLoss(Request("ann"), Field("spec.a", 1), LossOutcome::kMoved));
  // What an object had already is no sign of a writer.
  CHECK_FALSE(tally.NoteLoss(Request("bob"), Field("spec.b"), LossOutcome::kPassed));
  CHECK(tally.NoteLoss(Request("bob"), Field("spec.b", 1), LossOutcome::kPassed));
  const report::GuardReport report = tally.Report();
  REQUIRE(report.writers.size() == 3);
  CHECK(report.writers[0].path == "spec.a");
  CHECK(report.writers[0].moved == 1);
  CHECK(report.writers[1] == report::WriterUse{.crd = "widgets.demo.example.com",
                                               .user = "ann",
                                               .manager = "kubectl-edit",
                                               .path = "spec.b",
                                               .version = "v1",
                                               .requests = 3,
                                               .added = 2,
                                               .denied = 1,
                                               .moved = 0,
                                               .first_seen = "2026-01-01T00:00:00Z",
                                               .last_seen = "2026-01-01T02:00:00Z",
                                               .example_object = "shop/a",
                                               .example_path = "spec.b"});
  CHECK(report.writers[2].user == "bob");
}

TEST_CASE("Requests are counted once, whatever they lose", "[migrate][guard]") {
  WriterTally tally;
  for (int i = 0; i < 5; ++i) tally.NoteRequest();
  tally.NoteLosingRequest(false);
  tally.NoteLosingRequest(true);
  tally.NoteLeftOut(7);
  const report::GuardReport report = tally.Report();
  CHECK(report.requests == 5);
  CHECK(report.requests_losing_fields == 2);
  CHECK(report.requests_denied == 1);
  CHECK(report.left_out == 7);
  CHECK(report.writers.empty());
}

TEST_CASE("One writer cannot take the places of others", "[migrate][guard]") {
  constexpr std::size_t kHalf = WriterTally::kMostEntries / 2;
  WriterTally tally;
  for (std::size_t i = 0; i < kHalf + 50; ++i) {
    tally.NoteLoss(Request("flood"), Field("spec.x" + std::to_string(i)), LossOutcome::kPassed);
  }
  CHECK(tally.left_out() == 50);
  for (std::size_t i = 0; i < kHalf; ++i) {
    tally.NoteLoss(Request("other"), Field("spec.x" + std::to_string(i)), LossOutcome::kPassed);
  }
  CHECK(tally.NoteLoss(Request("ann"), Field("spec.a", 1), LossOutcome::kPassed));
  const report::GuardReport report = tally.Report();
  CHECK(report.writers.size() == kHalf + WriterTally::kMostEntries / 10 + 1);
  CHECK(report.left_out == 50 + kHalf - WriterTally::kMostEntries / 10);
}

TEST_CASE("Any number of writers takes a bounded memory", "[migrate][guard]") {
  WriterTally tally;
  const std::string long_name(1000, 'x');
  for (std::size_t i = 0; i < WriterTally::kMostEntries + 10; ++i) {
    tally.NoteLoss(Request(std::to_string(i) + long_name), Field("spec.a"), LossOutcome::kPassed);
  }
  const report::GuardReport report = tally.Report();
  CHECK(report.writers.size() == WriterTally::kMostEntries);
  CHECK(report.writers[0].user.size() == WriterTally::kMostNameBytes);
  CHECK(report.left_out == 10);
  // Those that are known are still counted.
  CHECK_FALSE(tally.NoteLoss(Request("0" + long_name), Field("spec.a"), LossOutcome::kPassed));
  CHECK(tally.Report().left_out == 10);
}

TEST_CASE("Metrics name the writers", "[migrate][guard]") {
  WriterTally tally;
  tally.NoteRequest();
  tally.NoteLosingRequest(false);
  CHECK_THAT(tally.PrintMetrics(), !Catch::Contains("guard_lost_fields_total"));
  tally.NoteLoss(Request("a\"b\\c\nd"), Field("spec.a"), LossOutcome::kPassed);
  CHECK(tally.PrintMetrics() ==
        "# HELP guard_requests_total Requests to create or change objects that are guarded.\n"
        "# TYPE guard_requests_total counter\n"
        "guard_requests_total 1\n"
        "# HELP guard_requests_losing_fields_total Of these, which have fields that pruning would "
        "remove.\n"
        "# TYPE guard_requests_losing_fields_total counter\n"
        "guard_requests_losing_fields_total 1\n"
        "# HELP guard_requests_denied_total Of these, which were refused.\n"
        "# TYPE guard_requests_denied_total counter\n"
        "guard_requests_denied_total 0\n"
        "# HELP guard_lost_fields_total Requests with a field that pruning would remove, by "
        "writer.\n"
        "# TYPE guard_lost_fields_total counter\n"
        "guard_lost_fields_total{crd=\"widgets.demo.example.com\",path=\"spec.a\","
        "user=\"a\\\"b\\\\c\\nd\",manager=\"kubectl-edit\"} 1\n");
}

TEST_CASE("Several threads count at once", "[migrate][guard]") {
  WriterTally tally;
  const auto count = [&tally] {
    for (int i = 0; i < 1000; ++i) {
      tally.NoteRequest();
      tally.NoteLoss(Request("ann"), Field("spec.a"), LossOutcome::kPassed);
    }
  };
  { const std::jthread one(count), other(count); }
  CHECK(tally.Report().requests == 2000);
  CHECK(tally.Report().writers[0].requests == 2000);
}

}  // namespace writer_tally_test
}  // namespace migrate::guard
