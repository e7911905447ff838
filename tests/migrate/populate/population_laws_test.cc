#include <algorithm>
#include <random>

#include "migrate/populate/cluster_kinds.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/substitution.h"
#include "tests/migrate/populate/template_text.h"

// Laws of expansion, over generated templates and namespaces.
namespace migrate::populate {
namespace population_laws_test {

using populate_test::ReadTemplate;
using Random = std::mt19937;
using Templates = std::vector<NamespaceTemplate>;

constexpr int kRounds = 300;

std::string OneOf(Random& random, std::initializer_list<const char*> texts) {
  return texts.begin()[random() % texts.size()];
}

// Of few names, so that objects meet.
std::string GenerateObject(Random& random) {
  return R"({"apiVersion":")" + OneOf(random, {"v1", "example.com/v1", "example.com/v2"}) +
         R"(","kind":")" + OneOf(random, {"Secret", "Role", "Namespace"}) +
         R"(","metadata":{"name":")" + OneOf(random, {"x", "y", "$(NAMESPACE)", "$(CREATOR)"}) +
         "\"" + OneOf(random, {"", R"(,"namespace":"n")", R"(,"namespace":"m")"}) +
         R"(},"data":")" + std::to_string(random() % 3) + "$(NAMESPACE)\"}";
}

NamespaceTemplate GenerateTemplate(Random& random, const std::string& name) {
  std::string objects;
  for (auto count = random() % 5; count > 0; --count) {
    objects += (objects.empty() ? "" : ",") + GenerateObject(random);
  }
  const std::string labels = OneOf(random, {"{}", "{}",
                                            "{\"policy/namespace-template-apply\":"
                                            "\"disable\"}"});
  const std::string selector =
      OneOf(random, {"{}", R"({"matchLabels":{"a":"b"}})",
                     R"({"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]})"});
  return ReadTemplate(
      R"({"name":")" + name + R"(","labels":)" + labels + "}",
      R"({"namespaces":{"labelSelector":)" + selector + R"(},"templates":[)" + objects + "]}");
}

Templates GenerateTemplates(Random& random) {
  Templates templates;
  for (const char* name : {"a", "b", "c", "d"}) templates.push_back(GenerateTemplate(random, name));
  return templates;
}

TargetNamespace GenerateNamespace(Random& random) {
  TargetNamespace target = NamespaceNamed("n");
  if (random() % 2 == 0) target.labels["a"] = OneOf(random, {"b", "c"});
  if (random() % 2 == 0) target.creator = "jo";
  return target;
}

std::string Print(const Expansion& expansion) {
  std::string text;
  for (const auto& object : expansion.objects) {
    text +=
        object.template_name + " " + object.key.ToString() + kube::json::Print(object.value) + "\n";
  }
  for (const auto& [key, name, why] : expansion.refused) text += key.ToString() + name + why + "\n";
  for (const auto& [key, name, by] : expansion.replaced) text += key.ToString() + name + by + "\n";
  for (const HeldObject& each : expansion.held) {
    text += each.key.ToString() + each.template_name + each.by + "\n";
  }
  for (const std::string& name : expansion.templates) text += name + " ";
  for (const std::string& name : expansion.left_alone) text += "-" + name;
  return text;
}

std::string ExpandToText(const TargetNamespace& target, const Templates& templates) {
  kube::json::Arena arena;
  return Print(Expand(target, templates, IsKnownClusterScoped, arena));
}

TEST_CASE("The order in which templates are given changes nothing", "[migrate][populate]") {
  Random random(1);
  for (int i = 0; i < kRounds; ++i) {
    const TargetNamespace target = GenerateNamespace(random);
    Templates templates = GenerateTemplates(random);
    const std::string expected = ExpandToText(target, templates);
    std::ranges::shuffle(templates, random);
    CHECK(ExpandToText(target, templates) == expected);
  }
}

TEST_CASE("Every object is wanted, refused, replaced or held, and none twice",
          "[migrate][populate]") {
  Random random(2);
  std::size_t wanted = 0, refused = 0, replaced = 0;
  for (int i = 0; i < kRounds; ++i) {
    const TargetNamespace target = GenerateNamespace(random);
    const Templates templates = GenerateTemplates(random);
    kube::json::Arena arena;
    const Expansion expansion = Expand(target, templates, IsKnownClusterScoped, arena);
    std::size_t objects = 0;
    for (const NamespaceTemplate& each : templates) {
      if (std::ranges::find(expansion.templates, each.name) == expansion.templates.end()) continue;
      objects += each.objects.size();
    }
    CHECK(objects == expansion.objects.size() + expansion.refused.size() +
                         expansion.replaced.size() + expansion.held.size());
    std::vector<ObjectKey> keys;
    for (const WantedObject& object : expansion.objects) keys.push_back(object.key);
    std::ranges::sort(keys);
    CHECK(std::ranges::adjacent_find(keys) == keys.end());
    wanted += expansion.objects.size();
    refused += expansion.refused.size();
    replaced += expansion.replaced.size();
  }
  CHECK(wanted > kRounds);
  CHECK(refused > kRounds);
  CHECK(replaced > kRounds / 10);
}

TEST_CASE("Substitution twice is substitution once where nothing is escaped",
          "[migrate][populate]") {
  Random random(3);
  const Variables variables{.namespace_ = "team-a", .creator = "jo@example.com"};
  int changed = 0;
  for (int i = 0; i < 20 * kRounds; ++i) {
    std::string text;
    for (auto count = random() % 8; count > 0; --count) {
      text += OneOf(random, {"$", "$(", "NAMESPACE", "CREATOR", "OTHER", ")", "(", "a",
                             "$(NAMESPACE)", "$(CREATOR)"});
    }
    if (text.find("$$") != std::string::npos) continue;
    CAPTURE(text);
    const std::string once = Substitution(variables).Expand(text);
    CHECK(Substitution(variables).Expand(once) == once);
    changed += once != text;
  }
  CHECK(changed > kRounds);
}

}  // namespace population_laws_test
}  // namespace migrate::populate
