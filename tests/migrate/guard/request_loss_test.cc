#include "migrate/guard/request_loss.h"

#include <catch2/catch.hpp>
#include <tuple>

#include "kube/base/utf8.h"
#include "kube/crd/custom_resource.h"
#include "tests/support/test_schema.h"

namespace migrate::guard {
namespace request_loss_test {

using kube::json::Document;
using Fields = std::vector<LostField>;

// v1beta1 and v1 know spec.known, spec.rules[*].host and spec.env.*.name; v1beta1 knows spec.early
// too, v1 knows spec.late.
constexpr char kSpec[] = R"({"group":"demo.example.com","scope":"Namespaced",
    "names":{"plural":"widgets","kind":"Widget"},"preserveUnknownFields":true,"versions":[)";

std::string Version(const std::string& name, const std::string& own, bool storage) {
  return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
         R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
             "properties":{"known":{"type":"string"},")" +
         own + R"(":{"type":"string"},
             "rules":{"type":"array","items":{"type":"object",
               "properties":{"host":{"type":"string"}}}},
             "env":{"type":"object","additionalProperties":{"type":"object",
               "properties":{"name":{"type":"string"}}}}}}}}}})";
}

/// The schemas of a CRD.
struct Schemas {
  const VersionSchema v1beta1() const { return {"v1beta1", server.FindSchema("v1beta1")}; }
  const VersionSchema v1() const { return {"v1", server.FindSchema("v1")}; }

  kube::crd::Crd crd = support::TestCrd(
      "v1", kSpec + Version("v1beta1", "early", false) + "," + Version("v1", "late", true) + "]}");
  kube::crd::CustomResourceServer server{crd, false};
};

Document Widget(const std::string& spec) {
  Document document;
  REQUIRE_FALSE(document.Parse(
      R"({"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"a","x":1},"spec":)" +
      spec + "}"));
  return document;
}

/// What is lost by the schema of v1.
RequestLoss LossOf(const std::string& spec, const std::string& old_spec = "") {
  const Schemas schemas;
  const Document object = Widget(spec);
  Document old_object;
  if (!old_spec.empty()) old_object = Widget(old_spec);
  const VersionSchema v1[] = {schemas.v1()};
  return FindRequestLoss(object.root(), old_spec.empty() ? nullptr : &old_object.root(), v1);
}

TEST_CASE("What a new object loses is added by its request", "[migrate][guard]") {
  const RequestLoss loss = LossOf(
      R"({"known":"a","legacyMode":{"x":1},"rules":[{"host":"a"},{"port":1},{"port":2}],
          "env":{"a.b":{"name":"a","value":"b"}}})");
  CHECK(loss.fields == Fields{{"spec.legacyMode", "spec.legacyMode", "v1", 1, 1},
                              {"spec.rules[*].port", "spec.rules[1].port", "v1", 2, 2},
                              {"spec.env.*.value", "spec.env['a.b'].value", "v1", 1, 1}});
  CHECK(loss.left_out == 0);
  CHECK(loss.AddsFields());
  CHECK(loss.Find("spec.rules[*].port") == &loss.fields[1]);
  CHECK(loss.Find("spec.rules") == nullptr);
}

TEST_CASE("An object that the schema specifies loses nothing", "[migrate][guard]") {
  const RequestLoss loss = LossOf(R"({"known":"a","rules":[{"host":"a"}]})");
  CHECK(loss.empty());
  CHECK_FALSE(loss.AddsFields());
}

TEST_CASE("Added is what there is more of than in the old object", "[migrate][guard]") {
  const auto [old_spec, spec, count, added] =
      GENERATE(table<std::string, std::string, std::uint64_t, std::uint64_t>({
          // As a finalizer's controller sends it along.
          {R"({"legacyMode":1})", R"({"legacyMode":1})", 1, 0},
          {R"({"legacyMode":1})", R"({"legacyMode":{"more":2}})", 1, 0},
          {R"({"known":"a"})", R"({"legacyMode":1})", 1, 1},
          // In another element, of which one is new.
          {R"({"rules":[{"port":1}]})", R"({"rules":[{"host":"a"},{"port":1}]})", 1, 0},
          {R"({"rules":[{"port":1}]})", R"({"rules":[{"port":2},{"port":1}]})", 2, 1},
          {R"({"rules":[{"port":1},{"port":2}]})", R"({"rules":[{"port":2}]})", 1, 0},
          // Behind another key.
          {R"({"env":{"a":{"value":1}}})", R"({"env":{"b":{"value":1}}})", 1, 0},
          {R"({"env":{"a":{"value":1}}})", R"({"env":{"a":{"value":1},"b":{"value":1}}})", 2, 1},
          // A list in the place of what was none.
          {R"({"rules":{"port":1}})", R"({"rules":[{"port":1}]})", 1, 1},
      }));
  CAPTURE(old_spec, spec);
  const RequestLoss loss = LossOf(spec, old_spec);
  REQUIRE(loss.fields.size() == 1);
  CHECK(loss.fields[0].count == count);
  CHECK(loss.fields[0].added == added);
  CHECK(loss.AddsFields() == (added > 0));
}

TEST_CASE("The example is of a field that was not there before", "[migrate][guard]") {
  const RequestLoss loss =
      LossOf(R"({"rules":[{"port":1},{"port":2},{"port":3}]})", R"({"rules":[{"port":1}]})");
  REQUIRE(loss.fields.size() == 1);
  CHECK(loss.fields[0].example == "spec.rules[1].port");
}

TEST_CASE("What the version of the request leaves is pruned by the storage version",
          "[migrate][guard]") {
  const Schemas schemas;
  const Document object = Widget(R"({"early":"a","late":"b","gone":"c"})");
  const Document old_object = Widget(R"({"early":"a"})");
  const VersionSchema both[] = {schemas.v1beta1(), schemas.v1()};
  const RequestLoss loss = FindRequestLoss(object.root(), &old_object.root(), both);
  CHECK(loss.fields == Fields{{"spec.late", "spec.late", "v1beta1", 1, 1},
                              {"spec.gone", "spec.gone", "v1beta1", 1, 1},
                              {"spec.early", "spec.early", "v1", 1, 0}});
  CHECK(kube::json::Print(*object.root().Find("spec")) == R"({"early":"a","gone":"c","late":"b"})");
  CHECK(FindRequestLoss(object.root(), nullptr, {}).empty());
}

TEST_CASE("Where nothing is specified everything is lost but type and metadata",
          "[migrate][guard]") {
  const Document object = Widget(R"({"known":"a"})");
  const VersionSchema none[] = {{"v1", nullptr}};
  CHECK(FindRequestLoss(object.root(), nullptr, none).fields ==
        Fields{{"spec", "spec", "v1", 1, 1}});
}

TEST_CASE("However many paths there are, some are told apart", "[migrate][guard]") {
  std::string spec, old_spec;
  for (int i = 0; i < 150; ++i) {
    const std::string field = "\"x" + std::to_string(i) + "\":1,";
    spec += field;
    if (i < 140) old_spec += field;
  }
  const std::string known = R"("known":"a"})";
  const RequestLoss loss = LossOf("{" + spec + known, "{" + old_spec + known);
  CHECK(loss.fields.size() == RequestLoss::kMostPaths);
  CHECK(loss.left_out == 50);
  CHECK(loss.left_out_added == 10);
  CHECK(loss.AddsFields());
  CHECK_FALSE(LossOf("{" + spec + known, "{" + spec + known).AddsFields());
}

TEST_CASE("Very long names are cut", "[migrate][guard]") {
  const std::string name(100000, 'x');
  const RequestLoss loss = LossOf("{\"" + name + R"(":1,"env":{")" + name + R"(":{"value":1}}})");
  REQUIRE(loss.fields.size() == 2);
  CHECK(loss.fields[0].path.size() == RequestLoss::kMostPathBytes);
  CHECK(loss.fields[0].path.ends_with("xxx..."));
  CHECK(loss.fields[0].example.size() == RequestLoss::kMostPathBytes);
  CHECK(loss.fields[1].path == "spec.env.*.value");
  CHECK(loss.fields[1].example == "spec.env.*.value");
}

TEST_CASE("A text about a field is no longer than it may be", "[migrate][guard]") {
  constexpr char kWhen[] = " will be removed when pruning is turned on";
  const auto text = [&kWhen](const std::string& path, const std::string& crd,
                             const std::string& version = "v1") {
    const std::string told =
        LossText({.path = path, .example = "", .version = version}, crd, kWhen, 120);
    CHECK(kube::base::utf8::CountCharacters(told) <= 120);
    return told;
  };
  const std::string widgets = "widgets.demo.example.com", x(200, 'x');
  const std::string end = " will be removed when pruning is turned on: not in the schema of v1";
  CHECK(text("spec.legacyMode", widgets) == "spec.legacyMode of " + widgets + end);
  // The path first, as far as it still tells anything, then the name of the CRD, then all.
  CHECK(text("spec." + x + ".\u00e4nd", widgets) ==
        "spec.xxxxxx...xxxxxxx.\u00e4nd of " + widgets + end);
  CHECK(text("spec." + x + ".\u00e4nd", "w" + x + ".example.com") ==
        "spec.xxxxxx...xxxxxx.\u00e4nd of wxxxxxxxxxx...example.com" + end);
  CHECK_THAT(text("spec." + x, x, x), Catch::StartsWith("spec.xxx") && Catch::EndsWith("xxx"));
}

}  // namespace request_loss_test
}  // namespace migrate::guard
