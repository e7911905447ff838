#include "kube/admission/object_draft.h"

#include "kube/json/json_patch.h"
#include "tests/kube/admission/review_text.h"

namespace kube::admission {
namespace object_draft_test {

using admission_test::ParseJson;
using json::Print;
using json::Value;

TEST_CASE("A draft is changed, and the object of the review is not", "[kube][admission]") {
  const json::Document object = ParseJson(R"({"spec":{"a":1,"b":{"c":"x"}}})");
  ObjectDraft draft(&object.root());
  draft.SetText({"spec", "b", "c"}, "y");
  draft.SetNumber({"spec", "n"}, -5);
  draft.SetBool({"status", "ok"}, true);
  draft.Remove({"spec", "a"});
  draft.Remove({"spec", "nothing", "here"});
  CHECK(Print(draft.object()) == R"({"spec":{"b":{"c":"y"},"n":-5},"status":{"ok":true}})");
  CHECK(Print(object.root()) == R"({"spec":{"a":1,"b":{"c":"x"}}})");
  CHECK(draft.Find({"spec", "b", "c"})->text() == "y");
  CHECK(draft.Find({"spec", "a"}) == nullptr);
}

TEST_CASE("Null removes, and objects are made in the place of what is none", "[kube][admission]") {
  const json::Document object = ParseJson(R"({"spec":{"a":1,"list":[1,2]}})");
  ObjectDraft draft(&object.root());
  draft.Set({"spec", "a"}, Value());
  draft.SetText({"spec", "list", "x"}, "1");
  CHECK(Print(draft.object()) == R"({"spec":{"list":{"x":"1"}}})");
}

// The test cases of RFC 7396, Appendix A, whose target and patch are objects.
TEST_CASE("A merge patch does what RFC 7396 says", "[kube][admission]") {
  const auto [original, patch, result] = GENERATE(table<std::string, std::string, std::string>({
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", "{}"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"({"e":null})", R"({"a":1})", R"({"a":1,"e":null})"},
      {"{}", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  }));
  const json::Document object = ParseJson(original);
  ObjectDraft draft(&object.root());
  draft.Merge(ParseJson(patch).root());
  CHECK(Print(draft.object()) == result);
}

TEST_CASE("Where there is no object nothing is changed", "[kube][admission]") {
  ObjectDraft draft(nullptr);
  draft.SetText({"spec", "a"}, "x");
  draft.Remove({"spec"});
  draft.Merge(ParseJson(R"({"a":1})").root());
  CHECK(draft.object().is_null());
}

std::string Applied(const std::string& from, const std::string& to, const std::string& target) {
  const json::Document before = ParseJson(from), after = ParseJson(to);
  json::Document changed = ParseJson(target);
  ApplyDifference(before.root(), after.root(), changed.root(), changed.arena());
  return Print(changed.root());
}

TEST_CASE("A difference is put on top of another one", "[kube][admission]") {
  const auto [from, to, target, result] =
      GENERATE(table<std::string, std::string, std::string, std::string>({
          {"{}", R"({"a":1})", R"({"b":2})", R"({"a":1,"b":2})"},
          {R"({"a":1})", "{}", R"({"a":5,"b":2})", R"({"b":2})"},
          {R"({"a":1})", R"({"a":2})", R"({"a":3})", R"({"a":2})"},
          {R"({"a":1})", R"({"a":1.0})", R"({"a":3})", R"({"a":3})"},
          {R"({"s":{"a":1}})", R"({"s":{"a":1,"b":1}})", R"({"s":{"a":1,"c":1}})",
           R"({"s":{"a":1,"b":1,"c":1}})"},
          // Removed by another one: it comes back only where it was changed.
          {R"({"s":{"a":1}})", R"({"s":{"a":1}})", "{}", "{}"},
          {R"({"s":{"a":1}})", R"({"s":{"a":2}})", "{}", R"({"s":{"a":2}})"},
          {R"({"l":[1]})", R"({"l":[1,2]})", R"({"l":[0,1]})", R"({"l":[1,2]})"},
      }));
  CAPTURE(from, to, target);
  CHECK(Applied(from, to, target) == result);
}

TEST_CASE("A wide object is compared member by member", "[kube][admission]") {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"k" + std::to_string(i) + "\":{},";
  text.back() = '}';
  const json::Document object = ParseJson(text);
  ObjectDraft draft(&object.root());
  draft.Remove({"k5"});
  draft.SetNumber({"k100000", "a"}, 1);
  json::Arena arena;
  Value changed = json::CopyForChange(object.root(), arena);
  ApplyDifference(object.root(), draft.object(), changed, arena);
  CHECK(Print(json::MakeJsonPatch(object.root(), changed, arena)) ==
        R"([{"op":"remove","path":"/k5"},{"op":"add","path":"/k100000/a","value":1}])");
}

TEST_CASE("An object of the deepest nesting is changed", "[kube][admission]") {
  // Two levels of JSON are the review's and one the object's.
  const int depth = static_cast<int>(json::kMaxDepth) - 3;
  const std::string key = std::string(200, 'k');
  std::string text;
  for (int i = 0; i < depth; ++i) text += "{\"" + key + "\":";
  text += "1" + std::string(static_cast<std::size_t>(depth), '}');
  const json::Document object = ParseJson(text);
  ObjectDraft draft(&object.root());
  Value* deepest = &draft.root();
  while (deepest->is_object()) deepest = deepest->Find(key);
  *deepest = Value::Number("2");
  json::Arena arena;
  Value changed = json::CopyForChange(object.root(), arena);
  ApplyDifference(object.root(), draft.object(), changed, arena);
  CHECK(json::MakeJsonPatch(object.root(), changed, arena).size() == 1);
}

}  // namespace object_draft_test
}  // namespace kube::admission
