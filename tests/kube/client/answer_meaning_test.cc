#include "kube/client/answer_meaning.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <string>

namespace kube::client {
namespace answer_meaning_test {

using enum Meaning;
using Kind = TransportError::Kind;

CallError Answer(int code, const std::string& message = "") {
  ApiStatus status;
  status.code = code;
  status.message = message;
  return {.status = status, .transport = std::nullopt, .message = message};
}

CallError NoAnswer(Kind kind) {
  return {.status = std::nullopt, .transport = TransportError{kind, "reset"}, .message = "reset"};
}

struct Row {
  CallError error;
  Meaning meaning;
  bool is_refusal, is_server_error, is_unanswered, may_pass;
};

TEST_CASE("Whatever ends a call has one meaning", "[kube][answer]") {
  const Row row = GENERATE(Row{Answer(400), kOtherRefusal, true, false, false, false},
                           Row{Answer(401), kUnauthorized, true, false, false, false},
                           Row{Answer(403), kForbidden, true, false, false, false},
                           Row{Answer(404), kNotFound, true, false, false, false},
                           Row{Answer(405), kOtherRefusal, true, false, false, false},
                           Row{Answer(409), kConflict, true, false, false, false},
                           Row{Answer(410), kExpired, true, false, false, false},
                           Row{Answer(413), kTooLarge, true, false, false, false},
                           Row{Answer(415), kOtherRefusal, true, false, false, false},
                           Row{Answer(422), kInvalid, true, false, false, false},
                           Row{Answer(429), kTooManyRequests, true, false, false, true},
                           Row{Answer(499), kOtherRefusal, true, false, false, false},
                           Row{Answer(500), kTrouble, false, true, false, true},
                           Row{Answer(501), kServerError, false, true, false, true},
                           Row{Answer(502), kTrouble, false, true, false, true},
                           Row{Answer(503), kTrouble, false, true, false, true},
                           Row{Answer(504), kTrouble, false, true, false, true},
                           Row{Answer(520), kServerError, false, true, false, true},
                           Row{Answer(302), kRedirect, false, false, false, false},
                           Row{NoAnswer(Kind::kRefused), kUnreachable, false, false, true, true},
                           Row{NoAnswer(Kind::kConnectionLost), kLost, false, false, true, true},
                           Row{NoAnswer(Kind::kTimeout), kTimeout, false, false, true, true},
                           Row{NoAnswer(Kind::kOutOfTime), kOutOfTime, false, false, true, true},
                           Row{NoAnswer(Kind::kTooLong), kUnusable, false, false, false, false},
                           Row{NoAnswer(Kind::kTls), kNoConnection, false, false, true, true},
                           Row{NoAnswer(Kind::kOther), kNoConnection, false, false, true, true},
                           Row{CallError(), kUnusable, false, false, false, false});
  CAPTURE(row.error.status ? row.error.status->code : 0, static_cast<int>(row.meaning));
  CHECK(MeaningOf(row.error) == row.meaning);
  CHECK(IsRefusal(row.meaning) == row.is_refusal);
  CHECK(IsServerError(row.meaning) == row.is_server_error);
  CHECK(IsUnanswered(row.meaning) == row.is_unanswered);
  CHECK(MayPass(row.meaning) == row.may_pass);
}

TEST_CASE("What etcd says of too many requests counts where the code says nothing of its own",
          "[kube][answer]") {
  const std::string words = GENERATE("etcdserver: too many requests",
                                     "rpc error: code = ResourceExhausted desc = etcdserver: "
                                     "throttle: too many requests");
  CAPTURE(words);
  for (const int code : {400, 418, 501, 529}) {
    CHECK(MeaningOf(Answer(code, words)) == kTooManyRequests);
  }
  CHECK(MeaningOf(Answer(500, words)) == kTrouble);
  // What users wrote is quoted in it.
  CHECK(MeaningOf(Answer(422, "spec.a: Invalid value: \"" + words + "\"")) == kInvalid);
  CHECK(MeaningOf(Answer(403, words)) == kForbidden);
  CHECK(MeaningOf(Answer(400, "too many requests")) == kOtherRefusal);
}

TEST_CASE("Only 429 and 5xx ask to retry", "[kube][answer]") {
  const auto [code, asks] = GENERATE(table<int, bool>({{200, false},
                                                       {404, false},
                                                       {409, false},
                                                       {428, false},
                                                       {429, true},
                                                       {500, true},
                                                       {501, true},
                                                       {503, true}}));
  CallError error = Answer(code);
  CAPTURE(code);
  CHECK_FALSE(AsksToRetry(*error.status));
  error.status->retry_after = std::chrono::seconds(1);
  CHECK(AsksToRetry(*error.status) == asks);
}

TEST_CASE("A webhook may keep the server from a dry run", "[kube][answer]") {
  const std::string words = R"(admission webhook "p.example.com" does not support dry run)";
  CHECK(IsDryRunUnsupported(Answer(400, words)));
  CHECK_FALSE(IsDryRunUnsupported(Answer(422, words)));
  CHECK_FALSE(IsDryRunUnsupported(Answer(400, "Bad Request")));
  CHECK_FALSE(IsDryRunUnsupported(NoAnswer(Kind::kOther)));
}

}  // namespace answer_meaning_test
}  // namespace kube::client
