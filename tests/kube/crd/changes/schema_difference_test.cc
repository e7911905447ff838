#include "kube/crd/schema_difference.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/test_schema.h"

namespace kube::crd {
namespace schema_difference_test {

using Strings = std::vector<std::string>;

// "path kind from -> to", a "!" before what may break somebody; sorted.
Strings Compare(std::string_view live, std::string_view proposed, bool is_all_preserved = false) {
  const support::TestSchema before(live), after(proposed);
  ChangeList list;
  const auto difference = CompareSchemas({before.props, after.props, is_all_preserved}, "v1", list);
  Strings found;
  for (const Change& change : list.changes()) {
    CHECK(change.version == "v1");
    found.push_back((change.breaking ? "!" : "") + change.path + " " +
                    std::string(NameOf(change.kind)) + " " + change.from + " -> " + change.to);
  }
  CHECK((difference == nullptr) == found.empty());
  std::ranges::sort(found);
  return found;
}

struct Row {
  std::string_view live, proposed;
  Strings changes;
};

TEST_CASE("Changes are found wherever a schema has others in it", "[crd][changes]") {
  const Row row = GENERATE(values<Row>({
      {R"({"properties":{"a":{"type":"string"}}})", "{}", {"!a fieldRemoved string -> "}},
      // What comes beside the others breaks nobody, unless it is required.
      {"{}", R"({"properties":{"a":{"type":"string"}}})", {}},
      {"{}",
       R"({"required":["a"],"properties":{"a":{"type":"string"}}})",
       {"!a required optional -> required"}},
      {R"({"required":["a"],"properties":{"a":{}}})",
       R"({"properties":{"a":{}}})",
       {"a required required -> optional"}},
      {"{}", R"({"properties":{"a":{"default":1}}})", {"a default  -> 1"}},
      {R"({"properties":{"a":{}}})",
       R"({"properties":{"a":{"default":{"b":1}}}})",
       {R"(!a default  -> {"b":1})"}},
      {R"({"properties":{"a":{"default":1}}})",
       R"({"properties":{"a":{"default":2}}})",
       {"!a default 1 -> 2"}},
      {R"({"properties":{"a":{"default":1}}})", R"({"properties":{"a":{}}})", {"!a default 1 -> "}},
      {R"({"properties":{"l":{"items":{"properties":{"a":{"type":"string"}}}}}})",
       R"({"properties":{"l":{"items":{"properties":{"a":{"type":"integer"}}}}}})",
       {"!l[*].a type string -> integer"}},
      {R"({"properties":{"m":{"additionalProperties":{"properties":{"a":{"maxLength":2}}}}}})",
       R"({"properties":{"m":{"additionalProperties":{"properties":{"a":{"maxLength":1}}}}}})",
       {"!m.*.a maxLength 2 -> 1"}},
      // A name takes a key out of the map, and puts one back.
      {R"({"additionalProperties":{"type":"string"}})",
       R"({"properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"string"}})",
       {"!a type string -> integer"}},
      {R"({"properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"string"}})",
       R"({"additionalProperties":{"type":"string"}})",
       {"!a type integer -> string"}},
      {R"({"additionalProperties":{"type":"string"}})",
       "{}",
       {"!* additionalProperties schema -> "}},
      {"{}",
       R"({"additionalProperties":{"type":"string"}})",
       {"* additionalProperties  -> schema"}},
      {R"({"additionalProperties":true})",
       R"({"additionalProperties":{"type":"string"}})",
       {"!* additionalProperties true -> schema"}},
      {R"({"additionalProperties":{"type":"string"}})",
       R"({"additionalProperties":false})",
       {"!* additionalProperties schema -> false"}},
      {R"({"additionalProperties":false})",
       R"({"additionalProperties":{"type":"string"}})",
       {"* additionalProperties false -> schema"}},
      {R"({"additionalProperties":{"type":"string"}})",
       R"({"x-kubernetes-preserve-unknown-fields":true})",
       {" preserveUnknownFields false -> true", "* additionalProperties schema -> "}},
      {R"({"x-kubernetes-preserve-unknown-fields":true})",
       "{}",
       {"! preserveUnknownFields true -> false"}},
      {R"({"x-kubernetes-preserve-unknown-fields":true})",
       R"({"x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}})",
       {"!a fieldAdded  -> string"}},
      {R"({"x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}})",
       R"({"x-kubernetes-preserve-unknown-fields":true})",
       {"a fieldRemoved string -> "}},
      // An array that preserves does so in its elements.
      {R"({"properties":{"l":{"x-kubernetes-preserve-unknown-fields":true,"items":{}}}})",
       R"({"properties":{"l":{"items":{}}}})",
       {"!l[*] preserveUnknownFields true -> false"}},
      {R"({"properties":{"l":{"x-kubernetes-preserve-unknown-fields":true,"items":{}}}})",
       R"({"properties":{"l":{"items":{"x-kubernetes-preserve-unknown-fields":true}}}})",
       {}},
      // These the server keeps and specifies itself.
      {R"({"properties":{"metadata":{"properties":{"name":{"maxLength":9}}},"kind":{}}})",
       "{}",
       {"kind fieldRemoved any -> ", "metadata fieldRemoved any -> "}},
      {R"({"properties":{"metadata":{"properties":{"name":{"maxLength":9}}}}})",
       R"({"properties":{"metadata":{}}})",
       {"metadata.name fieldRemoved any -> "}},
      // Below another type nothing compares.
      {R"({"properties":{"a":{"type":"object","properties":{"b":{}}}}})",
       R"({"properties":{"a":{"type":"string"}}})",
       {"!a type object -> string"}},
      {R"({"properties":{"a.b":{"minimum":1}}})",
       R"({"properties":{"a.b":{}}})",
       {"['a.b'] minimum >= 1 -> "}},
  }));
  INFO(row.live << " " << row.proposed);
  Strings expected = row.changes;
  std::ranges::sort(expected);
  CHECK(Compare(row.live, row.proposed) == expected);
  CHECK(Compare(row.live, row.live).empty());
}

TEST_CASE("Where a CRD preserves all, what it does not specify may be there", "[crd][changes]") {
  const std::string_view proposed = R"({"properties":{"a":{"type":"string"}}})";
  CHECK(Compare("{}", proposed, true) == Strings{"!a fieldAdded  -> string"});
  // Its flag is told of the whole CRD, once.
  CHECK(Compare("{}", "{}", true).empty());
  CHECK(Compare(R"({"x-kubernetes-preserve-unknown-fields":true})", "{}", true) ==
        Strings{"! preserveUnknownFields true -> false"});
}

std::string Properties(std::size_t count, std::string_view schema) {
  std::string text = R"({"properties":{)";
  for (std::size_t i = 0; i < count; ++i) {
    text.append(i == 0 ? "" : ",").append("\"p").append(std::to_string(i)).append("\":");
    text += schema;
  }
  return text + "}}";
}

TEST_CASE("Of very many changes the first are kept, of harmless and of breaking ones",
          "[crd][changes]") {
  const support::TestSchema before(Properties(1500, R"({"minimum":1})"));
  const support::TestSchema after(Properties(1500, R"({"minimum":2,"nullable":true})"));
  ChangeList list;
  CompareSchemas({before.props, after.props}, "v1", list);
  CHECK(list.changes().size() == 2000);
  CHECK(list.left_out() == 1000);
  CHECK(std::ranges::count(list.changes(), true, &Change::breaking) == 1000);
}

TEST_CASE("Names of any length have an end", "[crd][changes]") {
  const std::string name(30'000, 'n');
  const support::TestSchema before(R"({"properties":{")" + name +
                                   "\":" + Properties(900, R"({"minimum":1})") + "}}");
  const support::TestSchema after(R"({"properties":{")" + name + "\":" + Properties(900, "{}") +
                                  "}}");
  ChangeList list;
  CompareSchemas({before.props, after.props}, "v1", list);
  CHECK(list.changes().size() + list.left_out() == 900);
  CHECK(list.changes().size() < 150);
}

TEST_CASE("The work of a comparison has an end", "[crd][changes]") {
  // Each name of one side is held against the same large schema of the other.
  const support::TestSchema before(Properties(3000, Properties(1, "{}")));
  const support::TestSchema after(R"({"additionalProperties":)" + Properties(3000, "{}") + "}");
  ChangeList list;
  CompareSchemas({before.props, after.props}, "v1", list);
  CHECK(list.is_partial());
}

}  // namespace schema_difference_test
}  // namespace kube::crd
