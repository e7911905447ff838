#include "kube/admission/configuration.h"

#include <catch2/catch.hpp>
#include <tuple>

namespace kube::admission {
namespace configuration_test {

using Texts = std::vector<std::string>;

Verdict Nothing(const Review&, Reply&) { return Allowed(); }
Verdict NoChange(const Review&, Reply&, ObjectDraft&) { return Allowed(); }

Handlers SomeHandlers() {
  Handlers handlers;
  handlers.Add(Validate("say_hello", {.resources = {{"kopf.dev", "v1", "examples"}}}, Nothing));
  HandlerOptions options{
      .resources = {{"", "v1", "pods"}, AnyResource()},
      .operations = {Operation::kCreate, Operation::kDelete},
      .subresource = "*",
      .object = {.labels = {LabelExists("watched"), LabelIn("tier", {"a", "b"})}},
      .namespace_labels = {LabelDoesNotExist("free")}};
  options.side_effects = true;
  options.ignore_failures = true;
  options.timeout = std::chrono::seconds(3);
  handlers.Add(Mutate("fn/spec.a", options, NoChange));
  return handlers;
}

// The fields and their defaults are those of FIELD: matchPolicy Equivalent, 30 s, Fail, None, both
// review versions, scope *, operations *; "Y2VydA==" is "cert".
TEST_CASE("Handlers are printed as configurations for kubectl apply", "[kube][admission]") {
  const Handlers handlers = SomeHandlers();
  const Reach reach{.url = "https://host.k3d.internal:9443/", .ca_bundle = "cert"};
  CHECK(PrintConfigurations(handlers, "auto.kopf.dev", reach) ==
        R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: auto.kopf.dev
webhooks:
- admissionReviewVersions:
  - v1
  - v1beta1
  clientConfig:
    caBundle: Y2VydA==
    url: https://host.k3d.internal:9443/say_hello
  failurePolicy: Fail
  matchPolicy: Equivalent
  name: say-hello.auto.kopf.dev
  rules:
  - apiGroups:
    - kopf.dev
    apiVersions:
    - v1
    operations:
    - '*'
    resources:
    - examples
    scope: '*'
  sideEffects: None
  timeoutSeconds: 30
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: auto.kopf.dev
webhooks:
- admissionReviewVersions:
  - v1
  - v1beta1
  clientConfig:
    caBundle: Y2VydA==
    url: https://host.k3d.internal:9443/fn/spec.a
  failurePolicy: Ignore
  matchPolicy: Equivalent
  name: fn.spec.a.auto.kopf.dev
  namespaceSelector:
    matchExpressions:
    - key: free
      operator: DoesNotExist
  objectSelector:
    matchExpressions:
    - key: watched
      operator: Exists
    - key: tier
      operator: In
      values:
      - a
      - b
  rules:
  - apiGroups:
    - ""
    apiVersions:
    - v1
    operations:
    - CREATE
    - DELETE
    resources:
    - pods/*
    scope: '*'
  - apiGroups:
    - '*'
    apiVersions:
    - '*'
    operations:
    - CREATE
    - DELETE
    resources:
    - '*/*'
    scope: '*'
  sideEffects: NoneOnDryRun
  timeoutSeconds: 3
)");
}

TEST_CASE("A rule may be for what is in a namespace alone", "[kube][admission]") {
  Handlers handlers;
  handlers.Add(Validate("a", {.resources = {AnyResource()}, .namespaced_only = true}, Nothing));
  CHECK_THAT(PrintConfigurations(handlers, "a.dev", {.url = "https://a"}),
             Catch::Contains("    scope: Namespaced\n"));
}

TEST_CASE("Only what mutates can be asked once more", "[kube][admission]") {
  Handlers handlers;
  handlers.Add(Validate("a", {.resources = {AnyResource()}, .is_reinvoked = true}, Nothing));
  CHECK_THAT(PrintConfigurations(handlers, "a.dev", {.url = "https://a"}),
             !Catch::Contains("reinvocationPolicy"));
  handlers.Add(Mutate("b", {.resources = {AnyResource()}, .is_reinvoked = true}, NoChange));
  CHECK_THAT(PrintConfigurations(handlers, "a.dev", {.url = "https://a"}),
             Catch::Contains("  name: b.a.dev\n  reinvocationPolicy: IfNeeded\n"));
}

TEST_CASE("A service is asked below its path, in hyphens", "[kube][admission]") {
  Handlers handlers;
  handlers.Add(Validate("say_hello", {.resources = {AnyResource()}}, Nothing));
  const auto [path, expected] = GENERATE(table<std::string, std::string>({
      {"", "/say-hello"},
      {"/", "/say-hello"},
      {"/hooks", "/hooks/say-hello"},
  }));
  const Reach reach{
      .service = ServiceReference{.namespace_ = "ns", .name = "guard", .path = path, .port = 8443}};
  json::Arena arena;
  const json::Value webhooks =
      MakeWebhooks(handlers, ConfigurationKind::kValidating, "a.dev", reach, arena);
  REQUIRE(webhooks.size() == 1);
  CHECK(json::Print(*webhooks.elements()[0].Find("clientConfig")) ==
        R"({"service":{"name":"guard","namespace":"ns","path":")" + expected +
            R"(","port":8443}})");
  CHECK(MakeWebhooks(handlers, ConfigurationKind::kMutating, "a.dev", reach, arena).empty());
}

TEST_CASE("Older servers have v1beta1, and a kind without handlers is left out",
          "[kube][admission]") {
  Handlers handlers;
  handlers.Add(Mutate("a", {.resources = {AnyResource()}}, NoChange));
  const std::string text = PrintConfigurations(handlers, "a.dev", {.url = "https://a"}, "v1beta1");
  CHECK_THAT(text, Catch::StartsWith("apiVersion: admissionregistration.k8s.io/v1beta1\n"
                                     "kind: MutatingWebhookConfiguration\n"));
  CHECK_THAT(text, !Catch::Contains("---"));
  CHECK(PrintConfigurations({}, "a.dev", {.url = "https://a"}).empty());
}

// apiserver pkg/util/webhook/validation.go.
TEST_CASE("What the API server would refuse is told", "[kube][admission]") {
  Handlers handlers;
  handlers.Add(Validate("a", {.resources = {AnyResource()}}, Nothing));
  constexpr char kForm[] = "; desired format: https://host[/path]";
  const ServiceReference service{.namespace_ = "ns", .name = "guard"};
  const auto with_path = [&](const std::string& path) {
    ServiceReference changed = service;
    changed.path = path;
    return Reach{.service = changed};
  };
  CHECK(ConfigurationProblems(handlers, "b.c", {.url = "https://a:9443/b"}).empty());
  CHECK(ConfigurationProblems(handlers, "b.c", {.service = service}).empty());
  CHECK(ConfigurationProblems(handlers, "b.c", with_path("/hooks/a/")).empty());

  const auto [reach, problem] = GENERATE_COPY(table<Reach, std::string>({
      {Reach{}, "exactly one of url or service is required"},
      {{.url = "https://a", .service = service}, "exactly one of url or service is required"},
      {{.url = "http://a"},
       std::string("url \"http://a\": 'https' is the only allowed URL scheme") + kForm},
      {{.url = "https:///a"}, std::string("url \"https:///a\": host must be specified") + kForm},
      {{.url = "https://me@a"},
       "url \"https://me@a\": user information is not permitted in the URL"},
      {{.url = "https://a?b=c"},
       "url \"https://a?b=c\": query parameters are not permitted in the URL"},
      {{.url = "https://a#b"}, "url \"https://a#b\": fragments are not permitted in the URL"},
      {with_path("hooks"), "service: path \"hooks\": must start with a '/'"},
      {{.service = ServiceReference{"ns", "guard", "", 0}},
       "service: port is not valid: must be between 1 and 65535, inclusive"},
      {{.service = ServiceReference{"", "guard"}}, "service: the namespace is missing"},
      {{.service = ServiceReference{"ns", ""}}, "service: the name is missing"},
  }));
  CHECK(ConfigurationProblems(handlers, "b.c", reach) == Texts{problem});
}

TEST_CASE("A path of a service is of DNS names", "[kube][admission]") {
  const Reach reach{.service = ServiceReference{"ns", "guard", "/a_b//c"}};
  CHECK(ConfigurationProblems({}, "b.c", reach).size() == 2);
}

TEST_CASE("A name that makes no webhook's name is told", "[kube][admission]") {
  Handlers handlers;
  handlers.Add(Validate("say_hello", {.resources = {AnyResource()}}, Nothing));
  CHECK(ConfigurationProblems(handlers, "guard", {.url = "https://a"}) ==
        Texts{"webhook name \"say-hello.guard\": should be a domain with at least three segments "
              "separated by dots"});
}

}  // namespace configuration_test
}  // namespace kube::admission
