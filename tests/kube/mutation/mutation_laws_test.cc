#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>

#include "kube/json/json_patch.h"
#include "kube/mutation/mutation.h"
#include "tests/support/fake_patches.h"

// Laws of mutation trees and of differences, over generated objects and trees.
namespace kube::mutation {
namespace mutation_laws_test {

using json::Document;
using json::Value;
using Random = std::mt19937;

enum class Nulls { kNone, kSome };

std::string OneOf(Random& random, std::initializer_list<const char*> texts) {
  return texts.begin()[random() % texts.size()];
}

// A JSON text of few keys, so that they meet.
std::string Generate(Random& random, int depth, Nulls nulls) {
  const auto kind = random() % (depth == 0 ? 3 : 8);
  if (nulls == Nulls::kSome && kind == 0) return "null";
  if (kind < 3) return OneOf(random, {"1", "2.5", "true", "\"x\"", "\"\"", "\"a/b~\""});
  std::string text = kind == 3 ? "[" : "{";
  std::string keys = "abcd";
  for (auto count = random() % 4; count > 0; --count) {
    if (text.size() > 1) text += ",";
    const auto at = random() % keys.size();
    if (kind != 3) text += std::string("\"") + keys[at] + (random() % 4 == 0 ? "/~" : "") + "\":";
    keys.erase(at, 1);
    text += Generate(random, depth - 1, nulls);
  }
  return text + (kind == 3 ? "]" : "}");
}

std::string GenerateObject(Random& random, Nulls nulls) {
  for (;;) {
    std::string text = Generate(random, 4, nulls);
    if (text.front() == '{') return text;
  }
}

std::unique_ptr<Document> Parse(const std::string& text) {
  auto document = std::make_unique<Document>();
  REQUIRE_FALSE(document->Parse(text));
  return document;
}

std::string Apply(const std::string& trees, const Value& object) {
  const auto mutation = Mutation::Parse(trees);
  REQUIRE(mutation);
  json::Arena arena;
  return json::Print(mutation->Apply(object, arena));
}

constexpr int kRounds = 2000;

TEST_CASE("The empty tree changes nothing", "[kube][mutation]") {
  Random random(1);
  for (int i = 0; i < kRounds; ++i) {
    const auto object = Parse(GenerateObject(random, Nulls::kSome));
    CHECK(Apply("{}", object->root()) == json::Print(object->root()));
  }
}

TEST_CASE("An object is changed by itself in nothing", "[kube][mutation]") {
  Random random(2);
  for (int i = 0; i < kRounds; ++i) {
    const std::string text = GenerateObject(random, Nulls::kNone);
    const auto object = Parse(text);
    CHECK(Apply(text, object->root()) == json::Print(object->root()));
    CHECK(Apply(text, Value::Object()) == json::Print(object->root()));
  }
}

TEST_CASE("A tree without references changes nothing the second time", "[kube][mutation]") {
  Random random(3);
  for (int i = 0; i < kRounds; ++i) {
    const std::string tree = GenerateObject(random, Nulls::kSome);
    const auto object = Parse(GenerateObject(random, Nulls::kSome));
    CAPTURE(tree, json::Print(object->root()));
    const std::string once = Apply(tree, object->root());
    CHECK(Apply(tree, Parse(once)->root()) == once);
  }
}

TEST_CASE("Documents of one file do what files one after the other do", "[kube][mutation]") {
  Random random(4);
  int differ = 0;
  for (int i = 0; i < kRounds; ++i) {
    const std::string a = GenerateObject(random, Nulls::kSome);
    const std::string b = GenerateObject(random, Nulls::kSome);
    const auto object = Parse(GenerateObject(random, Nulls::kSome));
    const std::string both = Apply("---\n" + a + "\n---\n" + b + "\n", object->root());
    CHECK(both == Apply(b, Parse(Apply(a, object->root()))->root()));
    differ += both != Apply("---\n" + b + "\n---\n" + a + "\n", object->root());
  }
  CHECK(differ > kRounds / 10);  // the order matters
}

// A JSON merge patch is the tree of its text, as long as no key or text has a meaning of its own.
TEST_CASE("A merge patch is a tree", "[kube][mutation]") {
  Random random(5);
  for (int i = 0; i < kRounds; ++i) {
    const std::string tree = GenerateObject(random, Nulls::kSome);
    if (tree.find('[') != std::string::npos) continue;  // a null in a list stays
    const auto object = Parse(GenerateObject(random, Nulls::kSome));
    CAPTURE(tree, json::Print(object->root()));
    const auto merged =
        test_support::ApplyPatch(object->root(), "application/merge-patch+json", tree);
    CHECK(Apply(tree, object->root()) == json::Print(merged->root()));
  }
}

TEST_CASE("A difference makes the one of the other", "[kube][mutation]") {
  Random random(6);
  int merge_patches = 0;
  for (int i = 0; i < kRounds; ++i) {
    const auto from = Parse(GenerateObject(random, Nulls::kSome));
    const auto to = Parse(GenerateObject(random, Nulls::kSome));
    CAPTURE(json::Print(from->root()), json::Print(to->root()));
    json::Arena arena;
    const Value patch = json::MakeJsonPatch(from->root(), to->root(), arena);
    CHECK(patch.empty() == json::Equal(from->root(), to->root()));
    const auto made =
        test_support::ApplyPatch(from->root(), "application/json-patch+json", json::Print(patch));
    CHECK(json::Equal(made->root(), to->root()));
    const auto merge = json::MakeMergePatch(from->root(), to->root(), arena);
    if (!merge) continue;
    ++merge_patches;
    const auto patched =
        test_support::ApplyPatch(from->root(), "application/merge-patch+json", json::Print(*merge));
    CHECK(json::Equal(patched->root(), to->root()));
  }
  CHECK(merge_patches > kRounds / 10);
}

// What RFC 6902 (appendix A) adds, removes and replaces: before and after.
TEST_CASE("The cases of RFC 6902 are found again", "[kube][mutation]") {
  const auto [from, to, patch] = GENERATE(table<std::string, std::string, std::string>({
      {R"({"foo":"bar"})", R"({"foo":"bar","baz":"qux"})",
       R"([{"op":"add","path":"/baz","value":"qux"}])"},
      {R"({"foo":["bar","baz"]})", R"({"foo":["bar","qux","baz"]})",
       R"([{"op":"replace","path":"/foo","value":["bar","qux","baz"]}])"},
      {R"({"baz":"qux","foo":"bar"})", R"({"foo":"bar"})", R"([{"op":"remove","path":"/baz"}])"},
      {R"({"baz":"qux","foo":"bar"})", R"({"baz":"boo","foo":"bar"})",
       R"([{"op":"replace","path":"/baz","value":"boo"}])"},
      {R"({"foo":"bar"})", R"({"foo":"bar","child":{"grandchild":{}}})",
       R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])"},
      {R"({"/":9,"~1":10})", R"({"/":9,"~1":11})",
       R"([{"op":"replace","path":"/~01","value":11}])"},
      {R"({"foo":["bar"]})", R"({"foo":["bar",["abc","def"]]})",
       R"([{"op":"replace","path":"/foo","value":["bar",["abc","def"]]}])"},
  }));
  json::Arena arena;
  const auto a = Parse(from), b = Parse(to);
  CHECK(json::Print(json::MakeJsonPatch(a->root(), b->root(), arena), json::KeyOrder::kAsWritten) ==
        patch);
}

}  // namespace mutation_laws_test
}  // namespace kube::mutation
