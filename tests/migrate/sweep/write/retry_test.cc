#include "migrate/rewrite/retry.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <string>
#include <tuple>

namespace migrate::rewrite {
namespace retry_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = kube::client::TransportError::Kind;

kube::client::CallError Status(int code, const std::string& message) {
  kube::client::ApiStatus status;
  status.code = code;
  status.message = message;
  return {.status = status, .transport = std::nullopt, .message = "Error from server: " + message};
}

kube::client::CallError Lost(Kind kind) {
  return {.status = std::nullopt,
          .transport = kube::client::TransportError{kind, "reset"},
          .message = "reset"};
}

struct Row {
  int code;
  const char* message;
  report::ObjectClass object_class;
  bool may_pass, is_slowdown;
};

using enum report::ObjectClass;

TEST_CASE("An answer of the server has one class and one action", "[migrate][retry]") {
  const Row row = GENERATE(
      Row{403, R"(admission webhook "policy.example.com" denied the request: no)", kDenied, false,
          false},
      Row{400, R"(admission webhook "policy.example.com" denied the request without explanation)",
          kDenied, false, false},
      Row{500, R"(admission webhook "policy.example.com" denied the request: broken)", kDenied,
          false, false},
      Row{409, R"(admission webhook "validation.gatekeeper.sh" denied the request: [x] y)", kDenied,
          false, false},
      Row{429, R"(admission webhook "policy.example.com" denied the request: later)", kDenied,
          false, false},
      Row{400, R"(admission webhook "policy.example.com" does not support dry run)", kDenied, false,
          false},
      Row{422,
          R"(widgets.demo.example.com "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding )"
          R"('b' denied request: failed expression: false)",
          kDenied, false, false},
      Row{403, R"(widgets.demo.example.com "a" is forbidden: exceeded quota: q)", kDenied, false,
          false},
      Row{403,
          R"(widgets.demo.example.com "a" is forbidden: User "alice" cannot patch resource )"
          R"("widgets" in API group "demo.example.com" in the namespace "shop")",
          kForbidden, false, false},
      Row{403, "Access denied by the gateway", kForbidden, false, false},
      Row{500, "request to convert CR from an invalid group/version: demo.example.com/v1beta1",
          kFailed, false, false},
      Row{500,
          R"(Internal error occurred: failed calling webhook "policy.example.com": Post )"
          R"("https://policy.shop.svc:443/v?timeout=10s": dial tcp 10.0.0.1:443: connect: )"
          R"(connection refused)",
          kWebhookUnavailable, true, true},
      Row{500,
          R"(Internal error occurred: failed calling webhook "p": failed to call webhook: Post )"
          R"("https://p.shop.svc:443/v": x509: certificate has expired or is not yet valid)",
          kWebhookUnavailable, true, true},
      Row{504, R"(failed calling webhook "p": context deadline exceeded)", kWebhookUnavailable,
          true, true},
      Row{500, R"(Internal error occurred: failed calling admission webhook "p": EOF)",
          kWebhookUnavailable, true, true},
      Row{500,
          R"(conversion webhook for demo.example.com/v1, Kind=Widget failed: Post )"
          R"("https://c.shop.svc:443/convert?timeout=30s": EOF)",
          kWebhookUnavailable, true, true},
      Row{500,
          "failed to create typed patch object (shop/a; /v1, Kind=ConfigMap): .dataa: field not "
          "declared in schema",
          kInvalid, false, false},
      Row{500, "failed to convert new object (shop/a; /v1, Kind=ResourceQuota) to typed: x",
          kInvalid, false, false},
      Row{500, "etcdserver: request is too large", kTooLarge, false, false},
      Row{500,
          "rpc error: code = ResourceExhausted desc = trying to send message larger than max "
          "(2097200 vs. 2097152)",
          kTooLarge, false, false},
      Row{413, "Request entity too large: limit is 3145728", kTooLarge, false, false},
      Row{413, "the server responded with the status code 413 but did not return more information",
          kTooLarge, false, false},
      Row{404, R"(widgets.demo.example.com "a" not found)", kGone, false, false},
      // It is stored, and answers GETs: its namespace was removed from under it.
      Row{404, R"(namespaces "ghost" not found)", kFailed, false, false},
      Row{404, R"(namespaces "a" not found)", kFailed, false, false},
      Row{404, R"(widgets.demo.example.com "b" not found)", kFailed, false, false},
      Row{404, R"(gizmos.demo.example.com "a" not found)", kFailed, false, false},
      Row{404, R"(serviceaccounts "a" not found)", kFailed, false, false},
      Row{404, R"(no: widgets.demo.example.com "a" not found)", kFailed, false, false},
      Row{404, R"(widgets.demo.example.com "a" not found in the cache)", kFailed, false, false},
      Row{404, "the server could not find the requested resource", kFailed, false, false},
      Row{404, "404 page not found", kFailed, false, false},
      Row{409,
          R"(Operation cannot be fulfilled on widgets.demo.example.com "a": the object has been )"
          R"(modified; please apply your changes to the latest version and try again)",
          kConflict, true, false},
      Row{422, R"(Widget.demo.example.com "a" is invalid: spec.a: Invalid value: "x": no)",
          kInvalid, false, false},
      // What users wrote is quoted in it.
      Row{422,
          R"(Widget.demo.example.com "a" is invalid: spec.a: Invalid value: )"
          R"("failed calling webhook": no)",
          kInvalid, false, false},
      Row{429, "Too many requests, please try again later.", kFailed, true, true},
      Row{400, "etcdserver: throttle: too many requests", kFailed, true, true},
      Row{501, "etcdserver: too many requests", kFailed, true, true},
      Row{500, "an error on the server has prevented the request from succeeding", kFailed, true,
          true},
      Row{502, "", kFailed, true, true}, Row{503, "", kFailed, true, true},
      Row{504, "Timeout: request did not complete within requested timeout", kFailed, true, true},
      Row{501, "", kFailed, false, false}, Row{400, "Bad Request", kFailed, false, false},
      Row{401, "Unauthorized", kFailed, false, false}, Row{405, "", kFailed, false, false},
      Row{406, "", kFailed, false, false}, Row{410, "", kFailed, false, false},
      Row{415, "", kFailed, false, false}, Row{302, "", kFailed, false, false});
  CAPTURE(row.code, row.message);
  const AnswerVerdict verdict =
      ClassifyAnswer(Status(row.code, row.message), R"(widgets.demo.example.com "a")");
  CHECK(verdict.object_class == row.object_class);
  CHECK(verdict.may_pass == row.may_pass);
  CHECK(verdict.is_slowdown == row.is_slowdown);
}

TEST_CASE("Where no object is asked for none is gone", "[migrate][retry]") {
  CHECK(ClassifyAnswer(Status(404, R"(widgets.demo.example.com "a" not found)")).object_class ==
        kFailed);
  CHECK(ClassifyAnswer(Status(404, " not found")).object_class == kFailed);
}

TEST_CASE("An unknown code with Retry-After may pass, as the server says so", "[migrate][retry]") {
  kube::client::CallError error = Status(520, "");
  CHECK_FALSE(ClassifyAnswer(error).may_pass);
  error.status->retry_after = seconds(1);
  CHECK(ClassifyAnswer(error).may_pass);
  CHECK(ClassifyAnswer(error).is_slowdown);
}

TEST_CASE("Without an answer it depends on the reason", "[migrate][retry]") {
  const auto [kind, may_pass, is_slowdown] =
      GENERATE(table<Kind, bool, bool>({{Kind::kRefused, true, true},
                                        {Kind::kConnectionLost, true, true},
                                        {Kind::kTimeout, true, true},
                                        {Kind::kOutOfTime, false, true},
                                        {Kind::kTooLong, false, false},
                                        {Kind::kTls, false, false},
                                        {Kind::kOther, false, false}}));
  const AnswerVerdict verdict = ClassifyAnswer(Lost(kind));
  CAPTURE(static_cast<int>(kind));
  CHECK(verdict.object_class == kFailed);
  CHECK(verdict.may_pass == may_pass);
  CHECK(verdict.is_slowdown == is_slowdown);
}

TEST_CASE("An answer that is cut short may pass, one of another kind does not",
          "[migrate][retry]") {
  CHECK(ClassifyAnswer(BrokenAnswer::kCutShort).may_pass);
  CHECK(ClassifyAnswer(BrokenAnswer::kCutShort).object_class == kFailed);
  CHECK_FALSE(ClassifyAnswer(BrokenAnswer::kNotObject).may_pass);
  CHECK(ClassifyAnswer(BrokenAnswer::kNotObject).object_class == kFailed);
  CHECK_FALSE(ClassifyAnswer(kube::client::CallError()).may_pass);
}

/// Tries until there is no more, each try failing `latency` after it began.
struct Attempts {
  Attempts(const AnswerVerdict& verdict, std::optional<seconds> retry_after, milliseconds latency,
           RetryBudget budget = RetryBudget()) {
    kube::base::Clock::TimePoint now{std::chrono::hours(1)};
    for (;;) {
      ++tries;
      now += latency;
      const auto pause = budget.Next(verdict, retry_after, now);
      if (!pause) return;
      pauses.push_back(std::chrono::duration_cast<milliseconds>(*pause).count());
      now += *pause;
    }
  }
  int tries = 0;
  std::vector<std::int64_t> pauses;
};

TEST_CASE("What may pass is tried ten times, with pauses that double up to a limit",
          "[migrate][retry]") {
  const Attempts attempts({kFailed, true, true}, std::nullopt, milliseconds(0));
  CHECK(attempts.tries == 10);
  CHECK(attempts.pauses ==
        std::vector<std::int64_t>{500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000});
}

TEST_CASE("A conflict is tried again sooner", "[migrate][retry]") {
  const Attempts attempts({kConflict, true, false}, std::nullopt, milliseconds(0));
  CHECK(attempts.tries == 10);
  CHECK(attempts.pauses ==
        std::vector<std::int64_t>{50, 100, 200, 400, 800, 1600, 3200, 6400, 12800});
}

TEST_CASE("After three minutes nothing is tried again", "[migrate][retry]") {
  // A webhook that needs 30 seconds to time out: first failure at 0, then 30.5, 61.5, ...
  const Attempts attempts({kWebhookUnavailable, true, true}, std::nullopt, seconds(30));
  CHECK(attempts.tries == 6);
}

TEST_CASE("Retry-After is obeyed, but not for longer than an object is worth", "[migrate][retry]") {
  const Attempts some({kFailed, true, true}, seconds(7), milliseconds(0));
  CHECK(some.pauses ==
        std::vector<std::int64_t>{7000, 7000, 7000, 7000, 8000, 16000, 30000, 30000, 30000});
  CHECK(Attempts({kFailed, true, true}, seconds(60), milliseconds(0)).tries == 4);
  CHECK(Attempts({kFailed, true, true}, seconds(181), milliseconds(0)).tries == 1);
}

TEST_CASE("Patience is kept, whether there is more or less of it", "[migrate][retry]") {
  const RetryBudget none{kube::base::Clock::Duration::zero()};
  const RetryBudget much{std::chrono::minutes(10)};
  const AnswerVerdict trouble{kFailed, true, true}, conflict{kConflict, true, false};
  CHECK(Attempts(trouble, std::nullopt, milliseconds(0), none).tries == 1);
  // As kubectl, which obeys the server, too.
  CHECK(Attempts(trouble, seconds(7), milliseconds(0), none).tries == 10);
  CHECK(Attempts(conflict, std::nullopt, milliseconds(0), none).tries == 10);
  const Attempts long_one(trouble, std::nullopt, milliseconds(0), much);
  CHECK(std::accumulate(long_one.pauses.begin(), long_one.pauses.end(), std::int64_t{0}) > 570'000);
}

TEST_CASE("What cannot pass is not tried again", "[migrate][retry]") {
  CHECK(Attempts({kInvalid, false, false}, seconds(1), milliseconds(0)).tries == 1);
}

}  // namespace retry_test
}  // namespace migrate::rewrite
