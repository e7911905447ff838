#include "kube/meta/label_match.h"

#include <catch2/catch.hpp>

namespace kube::meta {
namespace label_match_test {

using Errors = std::vector<std::string>;
using Operator = LabelRequirement::Operator;

base::Result<LabelSelector, std::vector<FieldError>> Read(std::string_view text) {
  json::Document document;
  REQUIRE_FALSE(document.Parse(text));
  return ReadLabelSelector(document.root(), "spec.selector");
}

Errors ErrorsOf(std::string_view text) {
  const auto selector = Read(text);
  Errors errors;
  if (selector) return errors;
  for (const FieldError& error : selector.error()) errors.push_back(error.ToString());
  return errors;
}

// LabelSelectorAsSelector of apimachinery's pkg/apis/meta/v1; "Labels and Selectors" of its
// documentation.
TEST_CASE("A selector of an object matches labels as in Kubernetes", "[kube][meta]") {
  const auto [selector, labels, matches] = GENERATE(table<std::string, Labels, bool>({
      {"{}", {}, true},
      {"{}", {{"a", "b"}}, true},
      {R"({"matchLabels":{},"matchExpressions":[]})", {}, true},
      {R"({"matchLabels":null})", {}, true},
      {R"({"matchLabels":{"a":"b"}})", {{"a", "b"}, {"c", "d"}}, true},
      {R"({"matchLabels":{"a":"b"}})", {{"a", "c"}}, false},
      {R"({"matchLabels":{"a":"b"}})", {}, false},
      {R"({"matchLabels":{"a":""}})", {}, false},
      {R"({"matchLabels":{"a":""}})", {{"a", ""}}, true},
      {R"({"matchLabels":{"a":"b","c":"d"}})", {{"a", "b"}}, false},
      {R"({"matchExpressions":[{"key":"a","operator":"In","values":["b","c"]}]})",
       {{"a", "c"}},
       true},
      {R"({"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]})", {}, false},
      {R"({"matchExpressions":[{"key":"a","operator":"NotIn","values":["b"]}]})",
       {{"a", "b"}},
       false},
      {R"({"matchExpressions":[{"key":"a","operator":"NotIn","values":["b"]}]})", {}, true},
      {R"({"matchExpressions":[{"key":"a","operator":"Exists"}]})", {{"a", ""}}, true},
      {R"({"matchExpressions":[{"key":"a","operator":"Exists"}]})", {{"b", ""}}, false},
      {R"({"matchExpressions":[{"key":"a","operator":"DoesNotExist","values":[]}]})", {}, true},
      {R"({"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]})", {{"a", "b"}}, false},
      {R"({"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"Exists"}]})",
       {{"a", "b"}},
       false},
      {R"({"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"Exists"}]})",
       {{"a", "b"}, {"c", ""}},
       true},
  }));
  CAPTURE(selector);
  const auto read = Read(selector);
  REQUIRE(read);
  CHECK(Matches(*read, labels) == matches);
}

TEST_CASE("Labels to match come first, by key", "[kube][meta]") {
  const auto selector =
      Read(R"({"matchExpressions":[{"key":"c","operator":"NotIn","values":["x","y"]}],
               "matchLabels":{"b":"2","a":"1"}})");
  REQUIRE(selector);
  CHECK(*selector == LabelSelector{{"a", Operator::kIn, {"1"}},
                                   {"b", Operator::kIn, {"2"}},
                                   {"c", Operator::kNotIn, {"x", "y"}}});
}

// ValidateLabelSelector of apimachinery's pkg/apis/meta/v1/validation.
TEST_CASE("What is no selector is said as the API server says it", "[kube][meta]") {
  CHECK(ErrorsOf(R"({"matchExpressions":[{"key":"a","operator":"In"},
                                         {"key":"a","operator":"NotIn","values":[]}]})") ==
        Errors{"spec.selector.matchExpressions[0].values: Required value: must be specified when "
               "`operator` is 'In' or 'NotIn'",
               "spec.selector.matchExpressions[1].values: Required value: must be specified when "
               "`operator` is 'In' or 'NotIn'"});
  CHECK(ErrorsOf(R"({"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]})") ==
        Errors{"spec.selector.matchExpressions[0].values: Forbidden: may not be specified when "
               "`operator` is 'Exists' or 'DoesNotExist'"});
  CHECK(ErrorsOf(R"({"matchExpressions":[{"key":"a","operator":"Equals","values":["b"]}]})") ==
        Errors{"spec.selector.matchExpressions[0].operator: Invalid value: \"Equals\": not a valid "
               "selector operator"});
  CHECK(ErrorsOf(R"({"matchExpressions":[{"operator":"Exists"}]})").front() ==
        "spec.selector.matchExpressions[0].key: Invalid value: \"\": name part must be non-empty");
}

TEST_CASE("Keys and values of a selector are those of labels", "[kube][meta]") {
  const Errors labels = ErrorsOf(R"({"matchLabels":{"a b":"c","d":"e f"}})");
  REQUIRE(labels.size() == 2);
  CHECK(labels[0].starts_with("spec.selector.matchLabels: Invalid value: \"a b\": name part must"));
  CHECK(labels[1].starts_with("spec.selector.matchLabels: Invalid value: \"e f\": a valid label"));
  const Errors values =
      ErrorsOf(R"({"matchExpressions":[{"key":"a","operator":"In","values":["b","c d"]}]})");
  REQUIRE(values.size() == 1);
  CHECK(values[0].starts_with(
      "spec.selector.matchExpressions[0].values[1]: Invalid value: \"c d\": a valid label"));
}

}  // namespace label_match_test
}  // namespace kube::meta
