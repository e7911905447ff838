#include "migrate/populate/target_namespace.h"
#include "tests/migrate/populate/webhooks/webhook_world.h"

namespace migrate::populate {
namespace namespace_view_test {

using kube::meta::Labels;
using populate_test::ParseJson;
using webhooks_test::ReadText;
using webhooks_test::ReviewText;

TargetNamespace View(const std::string& text) {
  const kube::json::Document document = ParseJson(text);
  return ViewNamespace(&document.root());
}

TEST_CASE("A Namespace of a review has its labels and its creator",
          "[migrate][populate][webhooks]") {
  const TargetNamespace view = View(R"({"metadata":{"name":"a","labels":{"tenant":"team"},
      "annotations":{"authorization.k8s.io/creator":"jo"}}})");
  CHECK(view.name == "a");
  CHECK(view.labels == Labels{{"kubernetes.io/metadata.name", "a"}, {"tenant", "team"}});
  CHECK(view.creator == "jo");
}

TEST_CASE("A Namespace that has no name yet has no label of it", "[migrate][populate][webhooks]") {
  const TargetNamespace view = View(R"({"metadata":{"generateName":"a-","labels":{"b":"c"}}})");
  CHECK(view.name.empty());
  CHECK(view.labels == Labels{{"b", "c"}});
}

TEST_CASE("What is of a wrong type in a Namespace is passed over",
          "[migrate][populate][webhooks]") {
  const std::string text = GENERATE(
      as<std::string>(), "5", "null", "[]", "{}", R"({"metadata":null})", R"({"metadata":"a"})",
      R"({"metadata":[{"name":"a"}]})", R"({"metadata":{"name":5,"labels":["a"]}})",
      R"({"metadata":{"labels":{"a":5,"b":null,"c":{}},"annotations":7}})",
      R"({"metadata":{"annotations":{"authorization.k8s.io/creator":["jo"]}}})");
  CAPTURE(text);
  const TargetNamespace view = View(text);
  CHECK(view.name.empty());
  CHECK(view.labels.empty());
  CHECK_FALSE(view.creator);
  CHECK(ViewNamespace(nullptr).labels.empty());
}

TEST_CASE("Very many labels are read", "[migrate][populate][webhooks]") {
  std::string labels = R"("x":")" + std::string(100'000, 'x') + "\"";
  for (int i = 0; i < 10'000; ++i) labels += ",\"l" + std::to_string(i) + R"(":"v")";
  CHECK(View(R"({"metadata":{"labels":{)" + labels + "}}}").labels.size() == 10'001);
}

TEST_CASE("Reviews of Namespaces, and of their subresources, are told from others",
          "[migrate][populate][webhooks]") {
  ReviewText text = webhooks_test::NamespaceReview("{}");
  text.subresource = GENERATE("", "status", "finalize");
  CHECK(IsOfNamespace(ReadText(text).review));
  SECTION("another resource") { text.plural = "pods"; }
  SECTION("another group") { text.group = "kopf.dev"; }
  SECTION("another kind") { text.kind = "Scale"; }
  CHECK_FALSE(IsOfNamespace(ReadText(text).review));
}

TEST_CASE("An entry is the same where both are absent, or equal", "[migrate][populate][webhooks]") {
  const auto document = ParseJson(R"({"metadata":{"labels":{"a":"b","c":"b","d":"e","f":null}}})");
  const kube::json::Value* object = &document.root();
  const auto label = [object](const char* key) { return FindLabel(object, key); };
  CHECK(IsSame(label("a"), label("c")));
  CHECK(IsSame(label("f"), label("x")));
  CHECK_FALSE(IsSame(label("a"), label("d")));
  CHECK_FALSE(IsSame(label("a"), label("x")));
  CHECK_FALSE(IsSame(label("x"), label("a")));
  CHECK(FindAnnotation(object, "a") == nullptr);
  CHECK(FindLabel(nullptr, "a") == nullptr);
}

TEST_CASE("Which namespaces a template is for", "[migrate][populate][webhooks]") {
  const NamespaceTemplate each = webhooks_test::TemplateFor("t", R"("tenant":"team")");
  const auto [metadata, is_selected] = GENERATE(table<std::string, bool>({
      {R"("name":"a","labels":{"tenant":"team"})", true},
      {R"("name":"a","labels":{"tenant":"other"})", false},
      {R"("name":"a")", false},
      {R"("name":"kube-system","labels":{"tenant":"team"})", false},
      {R"("labels":{"tenant":"team","policy/namespace-template-opt-out":"true"})", false},
      {R"("labels":{"tenant":"team","policy/namespace-template-opt-out":"no"})", true},
  }));
  CAPTURE(metadata);
  CHECK(IsSelectedBy(View(R"({"metadata":{)" + metadata + "}}"), each.selector) == is_selected);
}

}  // namespace namespace_view_test
}  // namespace migrate::populate
