#include <catch2/catch.hpp>
#include <tuple>

#include "kube/admission/handler.h"

namespace kube::admission {
namespace webhook_name_test {

TEST_CASE("A webhook is named by its handler and its configuration", "[kube][admission]") {
  CHECK(WebhookName("say_hello", "kopf.dev") == "say-hello.kopf.dev");
  CHECK(WebhookName("fn/spec.field_a", "auto.kopf.dev") == "fn.spec.field-a.auto.kopf.dev");
  CHECK(PathOfId("fn/spec.field_a") == "fn/spec.field-a");
}

TEST_CASE("A webhook is ours by the end of its name", "[kube][admission]") {
  const auto [name, is_ours] = GENERATE(table<std::string, bool>({
      {"warn.guard.example.com", true},
      {"a.b.guard.example.com", true},
      {"guard.example.com", false},
      {".guard.example.com", false},
      {"warnguard.example.com", false},
      {"warn.guard.example.com.other", false},
      {"", false},
  }));
  CAPTURE(name);
  CHECK(IsOurWebhook(name, "guard.example.com") == is_ours);
}

// apimachinery pkg/util/validation IsFullyQualifiedName.
TEST_CASE("The name of a webhook has three segments at least", "[kube][admission]") {
  CHECK_FALSE(WebhookNameProblem("a.b.c"));
  CHECK(WebhookNameProblem("a.b") ==
        "should be a domain with at least three segments separated by dots");
  CHECK_THAT(*WebhookNameProblem("A.b.c"), Catch::Contains("a lowercase RFC 1123 subdomain"));
  CHECK(WebhookNameProblem(""));
  CHECK_THAT(*WebhookNameProblem(std::string(250, 'a') + ".b.c"),
             Catch::Contains("must be no more than 253"));
}

}  // namespace webhook_name_test
}  // namespace kube::admission
