#include "migrate/populate/population_webhooks.h"
#include "tests/migrate/populate/webhooks/webhook_world.h"

namespace migrate::populate {
namespace template_use_test {

using webhooks_test::AllowedAnswer;
using webhooks_test::FakeAccess;
using webhooks_test::kRequiresPermission;
using webhooks_test::Labels;
using webhooks_test::NamespaceReview;
using webhooks_test::NamespaceText;
using webhooks_test::ReadText;
using webhooks_test::Strings;
using webhooks_test::TemplateFor;
using webhooks_test::Told;
using webhooks_test::ToldPopulation;
using webhooks_test::UnknownAnswer;

/// "open" and "strict" are for tenants, "tested" for a stage; who uses the latter two needs the
/// permission.
struct World {
  World() {
    known.Replace({}, {});
    known.Put(TemplateFor("open", R"("tenant":"team")"));
    known.Put(TemplateFor("strict", R"("tenant":"team")", kRequiresPermission));
    known.Put(TemplateFor("tested", R"("stage":"test")", kRequiresPermission));
  }
  std::string Check(const std::string& object, const std::string& old_object = "null") {
    return Told(
        CheckTemplateUse(ReadText(NamespaceReview(object, old_object)).review, known, access));
  }

  ToldPopulation known;
  FakeAccess access;
};

const std::string kPlain = NamespaceText();
const std::string kTenant = NamespaceText(Labels(R"("tenant":"team")"));
const std::string kBoth = NamespaceText(Labels(R"("tenant":"team","stage":"test")"));

TEST_CASE("Who makes a namespace may use each template that needs permission",
          "[migrate][populate][webhooks]") {
  World world;
  CHECK(world.Check(kTenant) ==
        "403 the namespace would be selected by templates that need permission: User \"jo\" cannot "
        "use resource \"namespacetemplates\" in API group \"policy.kubectl-prune.dev\" at the "
        "cluster scope: \"strict\"");
  CHECK(world.access.asked == Strings{"jo use strict"});
  world.access.answers["jo use strict"] = AllowedAnswer();
  CHECK(world.Check(kTenant).empty());
}

TEST_CASE("A refusal names every template that is missing", "[migrate][populate][webhooks]") {
  World world;
  CHECK(world.Check(kBoth).ends_with(": \"strict\", \"tested\""));
  world.access.answers["jo use strict"] = AllowedAnswer();
  CHECK(world.Check(kBoth).ends_with(": \"tested\""));
}

TEST_CASE("Changed labels need the permission for what selects the namespace anew",
          "[migrate][populate][webhooks]") {
  const auto [object, old_object, asked] = GENERATE(table<std::string, std::string, Strings>({
      {kTenant, kPlain, {"jo use strict"}},
      {kBoth, kTenant, {"jo use tested"}},
      {kTenant, kTenant, {}},
      {kTenant, kBoth, {}},
      {kPlain, kBoth, {}},
      {NamespaceText(Labels(R"("tenant":"team","a":"b")")), kTenant, {}},
  }));
  CAPTURE(object, old_object);
  World world;
  CHECK(world.Check(object, old_object).empty() == asked.empty());
  CHECK(world.access.asked == asked);
}

TEST_CASE("Without a template that needs permission nobody is asked",
          "[migrate][populate][webhooks]") {
  World world;
  CHECK(world.Check(kPlain).empty());
  world.known.RemoveTemplate("strict");
  CHECK(world.Check(kTenant).empty());
  CHECK(world.access.asked.empty());
}

TEST_CASE("A disabled template needs its permission too", "[migrate][populate][webhooks]") {
  World world;
  world.known.Put(TemplateFor(
      "strict", R"("tenant":"team")",
      kRequiresPermission + R"(,"labels":{"policy/namespace-template-apply":"disable"})"));
  CHECK_FALSE(world.Check(kTenant).empty());
}

TEST_CASE("A namespace that opts out needs permission when it ends to",
          "[migrate][populate][webhooks]") {
  const std::string opted_out =
      NamespaceText(Labels(R"("tenant":"team","policy/namespace-template-opt-out":"true")"));
  World world;
  CHECK(world.Check(opted_out).empty());
  CHECK(world.access.asked.empty());
  CHECK_FALSE(world.Check(kTenant, opted_out).empty());
}

TEST_CASE("kube-system is selected by nothing", "[migrate][populate][webhooks]") {
  World world;
  CHECK(world.Check(R"({"metadata":{"name":"kube-system","labels":{"tenant":"team"}}})").empty());
}

TEST_CASE("A template selects namespaces by their names too", "[migrate][populate][webhooks]") {
  World world;
  world.known.Put(
      TemplateFor("named", R"("kubernetes.io/metadata.name":"shop")", kRequiresPermission));
  CHECK(world.Check(kPlain).ends_with(": \"named\""));
  CHECK(world.Check(R"({"metadata":{"name":"other"}})").empty());
}

TEST_CASE("What could not be asked is refused with the reason", "[migrate][populate][webhooks]") {
  World world;
  world.access.answers["jo use strict"] = UnknownAnswer("no answer");
  CHECK(world.Check(kTenant) ==
        "503 the namespace would be selected by templates that need permission: it could not be "
        "asked whether User \"jo\" can use resource \"namespacetemplates\" in API group "
        "\"policy.kubectl-prune.dev\" at the cluster scope: \"strict\" (no answer)");
  const std::string both = world.Check(kBoth);
  CHECK(both.starts_with("403 "));
  CHECK_THAT(both, Catch::Contains("at the cluster scope: \"tested\"; it could not be asked"));
  CHECK(both.ends_with("\"strict\" (no answer)"));
}

TEST_CASE("As long as templates are not known no namespace is made",
          "[migrate][populate][webhooks]") {
  const KnownPopulation unknown;
  FakeAccess access;
  CHECK(Told(CheckTemplateUse(ReadText(NamespaceReview(kPlain)).review, unknown, access)) ==
        "503 the NamespaceTemplates of the cluster are not known yet");
}

TEST_CASE("Labels of a wrong type select nothing", "[migrate][populate][webhooks]") {
  const std::string object =
      GENERATE(as<std::string>(), "{}", R"({"metadata":5})", R"({"metadata":{"labels":[]}})",
               R"({"metadata":{"labels":{"tenant":["team"]}}})");
  World world;
  CHECK(world.Check(object).empty());
  CHECK(world.Check(object, kTenant).empty());
}

}  // namespace template_use_test
}  // namespace migrate::populate
