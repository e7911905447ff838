#include "kube/crd/cost_limits.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "kube/crd/crd_validation.h"
#include "tests/support/test_schema.h"

namespace kube::crd {
namespace cost_limits_test {

std::string CrdText(const std::string& spec) {
  return R"x({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"widgets.demo.example.com"},
      "spec":{"group":"demo.example.com","scope":"Namespaced",
              "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
              "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                  {"type":"object","properties":{"spec":)x" +
         spec + "}}}}]}}";
}

/// The schema of spec with marks such as <maxItems> where limits go: `<.spec.names>` in the text.
std::string WithLimits(std::string spec, const std::vector<SizeLimit>& limits, std::int64_t more) {
  std::map<std::string, std::string> texts;
  for (const SizeLimit& limit : limits) {
    texts["<" + limit.path + ">"] =
        ",\"" + std::string(limit.keyword) + "\":" + std::to_string(limit.most + more);
  }
  for (std::size_t at = spec.find('<'); at != std::string::npos; at = spec.find('<', at + 1)) {
    const std::size_t end = spec.find('>', at);
    const auto text = texts.find(spec.substr(at, end + 1 - at));
    spec.replace(at, end + 1 - at, text == texts.end() ? "" : text->second);
  }
  return spec;
}

bool CostsTooMuch(const std::string& spec) {
  const auto crd = support::ReadCrdText(CrdText(spec));
  REQUIRE(crd);
  return std::ranges::any_of(ValidateCrd(*crd), [](const CrdFinding& finding) {
    return IsOfRuleCost(finding.error.detail);
  });
}

std::vector<SizeLimit> Limits(const std::string& spec, const HeldSizes& held = {}) {
  const auto crd = support::ReadCrdText(CrdText(WithLimits(spec, {}, 0)));
  REQUIRE(crd);
  return FindCostLimits(*crd, nullptr, "v1", base::kNewestRelease, held);
}

std::vector<std::string> Paths(const std::vector<SizeLimit>& limits) {
  std::vector<std::string> paths;
  for (const SizeLimit& limit : limits) {
    paths.push_back(limit.path + " " + std::string(limit.keyword));
  }
  return paths;
}

const std::string kAllPairs =
    R"x({"type":"object","properties":{
        "names":{"type":"array"<spec.names>,"items":{"type":"string"<spec.names[*]>}},
        "other":{"type":"array"<spec.other>,"items":{"type":"string"}}},
        "x-kubernetes-validations":[{"rule":"self.names.all(x, self.names.all(y, x == y))"}]})x";

const std::string kInList =
    R"x({"type":"object","properties":{
        "ports":{"type":"array"<spec.ports>,"items":{"type":"object","properties":{
          "labels":{"type":"object"<spec.ports[*].labels>,"additionalProperties":
            {"type":"string"<spec.ports[*].labels.*>,"x-kubernetes-validations":[
              {"rule":"self.matches('^[a-z]+$')"}]}}}}}}})x";

const std::string kManyRules = [] {
  std::string rules;
  for (int i = 0; i < 120; ++i) {
    rules += std::string(i == 0 ? "" : ",") + R"x({"rule":"self.names.all(x, x != ')x" +
             std::to_string(i) + R"x(')"})x";
  }
  return R"x({"type":"object","properties":{"names":{"type":"array"<spec.names>,)x"
         R"x("items":{"type":"string"<spec.names[*]>}}},"x-kubernetes-validations":[)x" +
         rules + "]}";
}();

TEST_CASE("With the limits the rules fit, and with all of them one larger they do not",
          "[crd][cost_limits]") {
  const std::string spec = GENERATE(kAllPairs, kInList, kManyRules);
  REQUIRE(CostsTooMuch(WithLimits(spec, {}, 0)));
  const std::vector<SizeLimit> limits = Limits(spec);
  REQUIRE_FALSE(limits.empty());
  CHECK_FALSE(CostsTooMuch(WithLimits(spec, limits, 0)));
  CHECK(CostsTooMuch(WithLimits(spec, limits, 1)));
}

TEST_CASE("Limits are told of what the costs depend on alone", "[crd][cost_limits]") {
  CHECK(Paths(Limits(kAllPairs)) ==
        std::vector<std::string>{"spec.names maxItems", "spec.names[*] maxLength"});
  CHECK(Limits(R"x({"type":"object","x-kubernetes-validations":[{"rule":"true"}]})x").empty());
  // It is the rule that is at fault.
  CHECK(Limits(R"x({"type":"object","x-kubernetes-validations":[{"rule":"self.nope"}]})x").empty());
}

TEST_CASE("A limit that is too large is replaced", "[crd][cost_limits]") {
  const auto limits = Limits(
      R"x({"type":"object","properties":{"numbers":{"type":"array","maxItems":50000,
          "items":{"type":"integer"}}},"x-kubernetes-validations":[
          {"rule":"self.numbers.all(x, self.numbers.all(y, x == y))"}]})x");
  REQUIRE(limits.size() == 1);
  CHECK(limits[0].was == 50000);
  CHECK(limits[0].most < 50000);
}

TEST_CASE("Limits follow what objects have", "[crd][cost_limits]") {
  const auto usual = Limits(kAllPairs);
  REQUIRE(usual.size() == 2);
  const std::int64_t many = usual[0].most + 20;
  const auto limits = Limits(kAllPairs, {{"spec.names", many}, {"spec.names[*]", 8}});
  REQUIRE(limits.size() == 2);
  CHECK(limits[0].most > usual[0].most);
  CHECK(limits[1].most < usual[1].most);
}

TEST_CASE("What objects have is measured where the limit is", "[crd][cost_limits]") {
  const auto limits = Limits(kInList);
  json::Document object;
  REQUIRE_FALSE(object.Parse(R"x({"spec":{"ports":[{"labels":{"a":"xy","b":"\u00e9\u00e9\u00e9"}},
                                 {"labels":{"a":"x"}},{}]}})x"));
  std::map<std::string, std::int64_t> held;
  for (const SizeLimit& limit : limits) {
    held[limit.path] = LargestHeld(object.root(), limit);
  }
  CHECK(held == std::map<std::string, std::int64_t>{
                    {"spec.ports", 3}, {"spec.ports[*].labels", 2}, {"spec.ports[*].labels.*", 3}});
}

}  // namespace cost_limits_test
}  // namespace kube::crd
