#include <catch2/catch.hpp>

#include "kube/json/json.h"
#include "migrate/populate/population_notes.h"

namespace migrate::populate {
namespace single_write_test {

using kube::client::CallError;

const PopulationEvent kEvent = {.name = "shop",
                                .uid = "u-1",
                                .is_warning = false,
                                .reason = "Populated",
                                .message = "applied \"x\""};
constexpr char kTime[] = "2026-01-01T00:00:00Z";

std::string MessageOf(const std::string& message) {
  PopulationEvent event = kEvent;
  event.message = message;
  kube::json::Document body;
  REQUIRE_FALSE(body.Parse(EventRequest(event, kTime).body));
  return std::string(body.root().FindText("message"));
}

TEST_CASE("An Event is made in the namespace that it is about", "[migrate][population]") {
  const auto request = EventRequest(kEvent, kTime);
  CHECK(request.method == "POST");
  CHECK(request.target == "/api/v1/namespaces/shop/events?fieldManager=kubectl-prune-populate");
  CHECK(request.content_type == "application/json");
  CHECK_FALSE(request.retry);
  CHECK(request.body ==
        R"({"apiVersion":"v1","count":1,"firstTimestamp":"2026-01-01T00:00:00Z",)"
        R"("involvedObject":{"apiVersion":"v1","kind":"Namespace","name":"shop",)"
        R"("namespace":"shop","uid":"u-1"},"kind":"Event",)"
        R"("lastTimestamp":"2026-01-01T00:00:00Z","message":"applied \"x\"",)"
        R"("metadata":{"generateName":"shop.","namespace":"shop"},"reason":"Populated",)"
        R"("source":{"component":"kubectl-prune-populate"},"type":"Normal"})");
}

// legacyValidateEvent (kubernetes pkg/apis/core/validation/events.go).
TEST_CASE("An Event about a template is in the namespace default", "[migrate][population]") {
  PopulationEvent event = kEvent;
  event.about = PopulationEvent::About::kTemplate;
  const auto request = EventRequest(event, kTime);
  CHECK(request.target == "/api/v1/namespaces/default/events?fieldManager=kubectl-prune-populate");
  CHECK_THAT(
      request.body,
      Catch::Contains(R"("involvedObject":{"apiVersion":"policy.kubectl-prune.dev/v1alpha1",)"
                      R"("kind":"NamespaceTemplate","name":"shop","uid":"u-1"})") &&
          Catch::Contains(R"("metadata":{"generateName":"shop.","namespace":"default"})"));
}

TEST_CASE("An Event of a problem warns", "[migrate][population]") {
  PopulationEvent event = kEvent;
  event.is_warning = true;
  CHECK_THAT(EventRequest(event, kTime).body, Catch::Contains(R"("type":"Warning")"));
}

// A server takes 1,024 bytes.
TEST_CASE("The message of an Event is cut between two characters", "[migrate][population]") {
  const std::string fits(1024, 'x');
  CHECK(MessageOf(fits) == fits);
  CHECK(MessageOf(fits + "y") == fits);
  const std::string odd(1023, 'x');
  CHECK(MessageOf(odd + "\u00e9") == odd);
  const std::string even(1022, 'x');
  CHECK(MessageOf(even + "\u00e9z") == even + "\u00e9");
}

TEST_CASE("The label is set on the namespace that was populated alone", "[migrate][population]") {
  const auto request = PopulatedLabelRequest("shop", "u-1");
  CHECK(request.method == "PATCH");
  CHECK(request.target == "/api/v1/namespaces/shop?fieldManager=kubectl-prune-populate");
  CHECK(request.content_type == "application/merge-patch+json");
  CHECK_FALSE(request.retry);
  CHECK(request.body ==
        R"({"metadata":{"labels":{"policy/namespace-template-populated":"true"},"uid":"u-1"}})");
}

TEST_CASE("Whatever is answered, a single write is done", "[migrate][population]") {
  SingleWrite write("shop", PopulatedLabelRequest("shop", "u-1"));
  CHECK(write.Request().method == "PATCH");
  kube::json::Document document;
  SECTION("it was taken") {
    CHECK(write.OnAnswer("{}", std::nullopt, document, {}) == SingleWrite::Step::kDone);
    CHECK_FALSE(write.error());
    CHECK_FALSE(write.was_slowdown());
  }
  SECTION("the server has too much to do") {
    kube::client::ApiStatus status;
    status.code = 429;
    status.reason = "TooManyRequests";
    status.message = "later";
    status.retry_after = std::chrono::seconds(3);
    CallError error;
    error.status = status;
    error.message = "later";
    CHECK(write.OnAnswer("", error, document, {}) == SingleWrite::Step::kDone);
    REQUIRE(write.error());
    CHECK(write.error()->message == "later");
    CHECK(write.was_slowdown());
    CHECK(write.retry_after() == std::chrono::seconds(3));
  }
}

}  // namespace single_write_test
}  // namespace migrate::populate
