#include <tuple>

#include "kube/admission/endpoint.h"
#include "tests/kube/admission/review_text.h"

namespace kube::admission {
namespace matching_test {

using admission_test::ReadText;
using admission_test::ReviewText;
using Operations = std::vector<Operation>;

Handler Asked(HandlerOptions options) {
  return Validate("a", std::move(options), [](const Review&, Reply&) { return Allowed(); });
}

Handler Changing(HandlerOptions options) {
  return Mutate("a", std::move(options),
                [](const Review&, Reply&, ObjectDraft&) { return Allowed(); });
}

TEST_CASE("A handler is for its resources", "[kube][admission]") {
  const auto [resource, matches] = GENERATE(table<Resource, bool>({
      {{"kopf.dev", "v1", "examples"}, true},
      {{"*", "v1", "examples"}, true},
      {{"kopf.dev", "*", "*"}, true},
      {AnyResource(), true},
      {{"", "v1", "examples"}, false},
      {{"kopf.dev", "v2", "examples"}, false},
      {{"kopf.dev", "v1", "others"}, false},
  }));
  CAPTURE(resource.group, resource.version, resource.plural);
  const ReadText read{ReviewText()};
  CHECK(Matches(Asked({.resources = {resource}}), read.review) == matches);
  CHECK(Matches(Asked({.resources = {{"x", "v1", "y"}, resource}}), read.review) == matches);
}

// apiserver pkg/admission/plugin/webhook/predicates/rules: widgets/* has the empty subresource too.
TEST_CASE("A handler is for the object, a subresource, or all", "[kube][admission]") {
  const auto [wanted, asked, matches] = GENERATE(table<std::string, std::string, bool>({
      {"", "", true},
      {"", "status", false},
      {"status", "status", true},
      {"status", "scale", false},
      {"status", "", false},
      {"*", "", true},
      {"*", "status", true},
  }));
  CAPTURE(wanted, asked);
  ReviewText text;
  text.subresource = asked;
  const ReadText read(text);
  CHECK(Matches(Asked({.resources = {AnyResource()}, .subresource = wanted}), read.review) ==
        matches);
}

// The same, scope: the attributes of a Namespace have its name as namespace.
TEST_CASE("A handler may be for what is in a namespace alone", "[kube][admission]") {
  const auto [group, plural, namespace_, matches] =
      GENERATE(table<std::string, std::string, std::string, bool>({
          {"kopf.dev", "examples", "shop", true},
          {"kopf.dev", "examples", "", false},
          {"", "namespaces", "shop", false},
          {"kopf.dev", "namespaces", "shop", true},
      }));
  CAPTURE(group, plural, namespace_);
  ReadText read{ReviewText{.group = group, .plural = plural}};
  read.review.namespace_ = namespace_;
  CHECK(Matches(Asked({.resources = {AnyResource()}, .namespaced_only = true}), read.review) ==
        matches);
  CHECK(Matches(Asked({.resources = {AnyResource()}}), read.review));
}

TEST_CASE("What mutates is asked about DELETE only if it is for nothing else",
          "[kube][admission]") {
  const auto [operations, operation, validates, mutates] =
      GENERATE(table<Operations, std::string, bool, bool>({
          {{}, "CREATE", true, true},
          {{}, "DELETE", true, false},
          {{Operation::kDelete}, "DELETE", true, true},
          {{Operation::kDelete}, "UPDATE", false, false},
          {{Operation::kDelete, Operation::kUpdate}, "DELETE", true, false},
          {{Operation::kDelete, Operation::kUpdate}, "UPDATE", true, true},
          {{Operation::kConnect}, "CONNECT", true, true},
      }));
  CAPTURE(operations.size(), operation);
  ReviewText text;
  text.operation = operation;
  const ReadText read(text);
  const HandlerOptions options{.resources = {AnyResource()}, .operations = operations};
  CHECK(Matches(Asked(options), read.review) == validates);
  CHECK(Matches(Changing(options), read.review) == mutates);
}

TEST_CASE("Labels are those of the object or of the old one", "[kube][admission]") {
  const std::string with = R"({"metadata":{"labels":{"a":"b"}}})", without = "{}";
  const auto [object, old_object, matches] = GENERATE_COPY(table<std::string, std::string, bool>({
      {with, "null", true},
      {without, "null", false},
      {without, with, true},
      {with, without, true},
      {"null", with, true},
      {"null", "null", false},
  }));
  CAPTURE(object, old_object);
  ReviewText text;
  text.object = object;
  text.old_object = old_object;
  const ReadText read(text);
  const HandlerOptions options{.resources = {AnyResource()},
                               .object = {.labels = {LabelExists("a")}}};
  CHECK(Matches(Asked(options), read.review) == matches);
}

TEST_CASE("Annotations and fields are those of the object or of the old one, all of one",
          "[kube][admission]") {
  const std::string both = R"({"metadata":{"annotations":{"a":""}},"spec":{"mode":"fast"}})";
  const std::string annotated = R"({"metadata":{"annotations":{"a":""}}})";
  const std::string fast = R"({"spec":{"mode":"fast"}})";
  const auto [object, old_object, matches] = GENERATE_COPY(table<std::string, std::string, bool>({
      {both, "null", true},
      {"null", both, true},
      {both, annotated, true},
      {fast, both, true},
      {fast, annotated, false},
      {annotated, "null", false},
      {"null", "null", false},
  }));
  CAPTURE(object, old_object);
  ReviewText text;
  text.object = object;
  text.old_object = old_object;
  const ReadText read(text);
  const HandlerOptions options{.resources = {AnyResource()},
                               .object = {.annotations = {AnnotationExists("a")},
                                          .fields = {FieldIs({"spec", "mode"}, "fast")}}};
  CHECK(Matches(Asked(options), read.review) == matches);
}

TEST_CASE("A resource without its version is that of the handlers", "[kube][admission]") {
  Handlers handlers;
  const auto add = [&](const std::string& id, const Resource& resource) {
    Handler handler = Asked({.resources = {resource}});
    handler.id = id;
    handlers.Add(handler);
  };
  add("a", {"kopf.dev", "v1", "examples"});
  add("b", {"kopf.dev", "v1", "examples"});
  add("c", {"kopf.dev", "v1", "others"});
  ReadText read{ReviewText()};
  Review& review = read.review;

  SECTION("one") {
    review.resource = {"", "", "examples"};
    CHECK(IdentifyResource(handlers, review) == ResourceIdentity::kClear);
    CHECK(review.resource == ReviewedResource{"kopf.dev", "v1", "examples"});
  }
  SECTION("several") {
    add("d", {"other.dev", "v1", "examples"});
    review.resource = {"", "", "examples"};
    CHECK(IdentifyResource(handlers, review) == ResourceIdentity::kAmbiguous);
    review.resource = {"other.dev", "", "examples"};
    CHECK(IdentifyResource(handlers, review) == ResourceIdentity::kClear);
    CHECK(review.resource == ReviewedResource{"other.dev", "v1", "examples"});
  }
  SECTION("none") {
    review.resource = {"", "", "unknown"};
    CHECK(IdentifyResource(handlers, review) == ResourceIdentity::kClear);
    CHECK(review.resource == ReviewedResource{"", "", "unknown"});
  }
  SECTION("the API server gives all, and the core group is empty") {
    review.resource = {"", "v1", "examples"};
    CHECK(IdentifyResource(handlers, review) == ResourceIdentity::kClear);
    CHECK(review.resource == ReviewedResource{"", "v1", "examples"});
  }
}

}  // namespace matching_test
}  // namespace kube::admission
