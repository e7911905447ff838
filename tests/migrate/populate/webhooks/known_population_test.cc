#include "migrate/populate/known_population.h"

#include "tests/migrate/populate/webhooks/webhook_world.h"

namespace migrate::populate {
namespace known_population_test {

using populate_test::ParseJson;
using webhooks_test::Labels;
using webhooks_test::NamespaceText;
using webhooks_test::TemplateFor;
using webhooks_test::ToldPopulation;

constexpr TimePoint kMoment{std::chrono::seconds(1767225600)};

TEST_CASE("A Namespace was populated by one value of its label", "[migrate][populate][webhooks]") {
  const auto [value, is_populated] =
      GENERATE(table<std::string, bool>({{"true", true}, {"", false}, {"false", false}}));
  const auto view = [](const std::string& text) { return ViewNamespace(&ParseJson(text).root()); };
  CHECK(view(NamespaceText(Labels(R"("policy/namespace-template-populated":")" + value + "\"")))
            .IsPopulated() == is_populated);
  CHECK_FALSE(view(NamespaceText()).IsPopulated());
}

TEST_CASE("What is known stays as it is for whoever has it", "[migrate][populate][webhooks]") {
  ToldPopulation known;
  CHECK_FALSE(known.current());
  known.Replace({}, {});
  known.Put(TemplateFor("a", ""));
  known.Put(ParseJson(NamespaceText()).root());
  const Population before = *known.current();
  known.RemoveTemplate("a");
  known.RemoveNamespace("shop");
  known.RemoveNamespace("shop");
  CHECK(before.templates->size() == 1);
  CHECK(before.FindNamespace("shop") != nullptr);
  CHECK(known.current()->templates->empty());
  CHECK(known.current()->FindNamespace("shop") == nullptr);
}

TEST_CASE("What changes takes the place of what was there", "[migrate][populate][webhooks]") {
  ToldPopulation known;
  known.Replace({}, {});
  known.Put(TemplateFor("a", ""));
  known.Put(TemplateFor("a", R"("b":"c")"));
  CHECK(known.current()->templates->at("a")->selector.size() == 1);
  known.Put(ParseJson(NamespaceText()).root());
  known.Put(ParseJson(NamespaceText(Labels(R"("b":"c")"))).root());
  CHECK(known.current()->FindNamespace("shop")->target.labels.contains("b"));
}

TEST_CASE("What is known is stale from the first time that this is said",
          "[migrate][populate][webhooks]") {
  ToldPopulation known;
  known.NoteStale(kMoment);
  known.Replace({}, {});
  CHECK_FALSE(known.current()->stale_since);
  known.NoteStale(kMoment);
  known.NoteStale(kMoment + std::chrono::seconds(5));
  known.Put(ParseJson(NamespaceText()).root());
  CHECK(known.current()->stale_since == kMoment);
  known.Replace({}, {});
  CHECK_FALSE(known.current()->stale_since);
}

TEST_CASE("What is known is current again once that is said", "[migrate][populate][webhooks]") {
  ToldPopulation known;
  known.NoteCurrent();
  CHECK_FALSE(known.current());
  known.Replace({}, {});
  known.Put(TemplateFor("a", ""));
  known.NoteStale(kMoment);
  known.NoteCurrent();
  CHECK_FALSE(known.current()->stale_since);
  CHECK(known.current()->templates->contains("a"));
  known.NoteStale(kMoment + std::chrono::seconds(5));
  CHECK(known.current()->stale_since == kMoment + std::chrono::seconds(5));
}

TEST_CASE("Many changes are made at once", "[migrate][populate][webhooks]") {
  ToldPopulation known;
  known.Replace({}, {});
  known.Put(TemplateFor("a", ""));
  known.NoteStale(kMoment);
  const Population before = *known.current();
  known.Change([](Population::Templates& templates, Population::Namespaces& namespaces) {
    templates.erase("a");
    templates["b"] = std::make_shared<const NamespaceTemplate>(TemplateFor("b", ""));
    namespaces["shop"] = std::make_shared<const KnownNamespace>();
  });
  const Population after = *known.current();
  CHECK(after.templates->size() == 1);
  CHECK(after.templates->contains("b"));
  CHECK(after.FindNamespace("shop") != nullptr);
  // They tell nothing of what is not known.
  CHECK(after.stale_since == kMoment);
  CHECK(before.templates->contains("a"));
  CHECK(before.namespaces->empty());
}

}  // namespace known_population_test
}  // namespace migrate::populate
