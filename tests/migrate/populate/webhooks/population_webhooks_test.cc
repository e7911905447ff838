#include "migrate/populate/population_webhooks.h"

#include "kube/admission/configuration.h"
#include "kube/admission/endpoint.h"
#include "migrate/populate/access_reviewer.h"
#include "migrate/populate/creator.h"
#include "migrate/populate/refusal.h"
#include "tests/migrate/populate/webhooks/webhook_world.h"
#include "tests/support/fake_clock.h"

namespace migrate::populate {
namespace population_webhooks_test {

using kube::admission::Answer;
using kube::admission::Handler;
using kube::admission::Operation;
using kube::admission::Resource;
using std::chrono::seconds;
using webhooks_test::FakeAccess;
using webhooks_test::kRequiresPermission;
using webhooks_test::Labels;
using webhooks_test::NamespaceReview;
using webhooks_test::NamespaceText;
using webhooks_test::ReadText;
using webhooks_test::ReviewText;
using webhooks_test::Strings;
using webhooks_test::TemplateFor;
using webhooks_test::Told;
using webhooks_test::ToldPopulation;

constexpr char kAccount[] = "system:serviceaccount:fleet:agent";

/// All webhooks, where one template, which needs permission, is for all namespaces.
struct World {
  explicit World(WebhookOptions options = {.opt_out_users = {kAccount}})
      : webhooks(known, access, std::move(options)), handlers(webhooks.MakeHandlers()) {
    known.Replace({}, {});
    known.Put(TemplateFor("all", "", kRequiresPermission));
  }
  Strings Ids() const {
    Strings ids;
    for (const Handler& handler : handlers.all()) ids.push_back(handler.id);
    return ids;
  }
  Answer Ask(const std::string& id, const ReviewText& text) {
    const ReadText read(text);
    auto answer = dispatcher.Dispatch(id, read.review);
    REQUIRE(answer);
    return *std::move(answer);
  }

  ToldPopulation known;
  FakeAccess access;
  PopulationWebhooks webhooks;
  kube::admission::Handlers handlers;
  test_support::FakeClock clock;
  kube::admission::Metrics metrics;
  kube::admission::Dispatcher dispatcher{handlers, clock, metrics};
};

TEST_CASE("Each webhook can be left out", "[migrate][populate][webhooks]") {
  CHECK(World().Ids() == Strings{"creator", "creator/check", "opt-out", "opt-out/check", "use",
                                 "initializers", "initialization", "initialization/check"});
  CHECK(World(WebhookOptions{}).Ids() == Strings{"creator", "creator/check", "opt-out/check", "use",
                                                 "initializers", "initialization",
                                                 "initialization/check"});
  WebhookOptions options{.opt_out_users = {kAccount}};
  SECTION("creator") {
    options.creator.is_wanted = false;
    CHECK(World(options).Ids() == Strings{"opt-out", "opt-out/check", "use", "initializers",
                                          "initialization", "initialization/check"});
  }
  SECTION("opt-out") {
    options.opt_out.is_wanted = false;
    CHECK(World(options).Ids() == Strings{"creator", "creator/check", "use", "initializers",
                                          "initialization", "initialization/check"});
  }
  SECTION("use") {
    options.use.is_wanted = false;
    CHECK(World(options).Ids() == Strings{"creator", "creator/check", "opt-out", "opt-out/check",
                                          "initializers", "initialization",
                                          "initialization/check"});
  }
  SECTION("initialization") {
    options.initialization.is_wanted = false;
    CHECK(World(options).Ids() ==
          Strings{"creator", "creator/check", "opt-out", "opt-out/check", "use"});
  }
}

TEST_CASE("Each asks about what it has to know", "[migrate][populate][webhooks]") {
  World world;
  using Operations = std::vector<Operation>;
  const std::vector<Resource> namespaces = {{"", "v1", "namespaces"}};
  const Operations create = {Operation::kCreate};
  const Operations change = {Operation::kCreate, Operation::kUpdate};
  for (const char* id : {"creator", "opt-out", "initializers"}) {
    CAPTURE(id);
    const Handler* handler = world.handlers.Find(id);
    CHECK(handler->is_mutating());
    CHECK(handler->options.resources == namespaces);
    CHECK(handler->options.operations == create);
    CHECK(handler->options.subresource.empty());
  }
  for (const char* id : {"creator/check", "opt-out/check", "use", "initialization/check"}) {
    CAPTURE(id);
    const Handler* handler = world.handlers.Find(id);
    CHECK_FALSE(handler->is_mutating());
    CHECK(handler->options.resources == namespaces);
    CHECK(handler->options.operations == change);
    CHECK(handler->options.subresource == "*");
  }
  const Handler* objects = world.handlers.Find("initialization");
  CHECK_FALSE(objects->is_mutating());
  CHECK(objects->options.resources == std::vector<Resource>{kube::admission::AnyResource()});
  CHECK(objects->options.operations == create);
  CHECK(objects->options.subresource.empty());
  CHECK(objects->options.namespaced_only);
}

TEST_CASE("Who populates namespaces is in nobody's way without an answer, permissions are",
          "[migrate][populate][webhooks]") {
  World world;
  for (const Handler& handler : world.handlers.all()) {
    CAPTURE(handler.id);
    CHECK(handler.options.ignore_failures == handler.id.starts_with("initiali"));
    CHECK(handler.options.timeout == seconds(10));
    CHECK_FALSE(handler.options.persistent);
    CHECK_FALSE(handler.options.side_effects);
  }
}

TEST_CASE("What becomes of requests without an answer can be chosen",
          "[migrate][populate][webhooks]") {
  World world(WebhookOptions{.creator = {.ignore_failures = true},
                             .initialization = {.ignore_failures = false},
                             .persistent = true});
  CHECK(world.handlers.Find("creator")->options.ignore_failures);
  CHECK(world.handlers.Find("creator/check")->options.ignore_failures);
  CHECK_FALSE(world.handlers.Find("use")->options.ignore_failures);
  CHECK_FALSE(world.handlers.Find("initialization")->options.ignore_failures);
  for (const Handler& handler : world.handlers.all()) CHECK(handler.options.persistent);
}

TEST_CASE("An API server takes the configurations", "[migrate][populate][webhooks]") {
  World world;
  const kube::admission::Reach reach{.url = "https://host.example.com:9443"};
  CHECK(kube::admission::ConfigurationProblems(world.handlers, "populate.kubectl-prune.dev", reach)
            .empty());
  const std::string text =
      kube::admission::PrintConfigurations(world.handlers, "populate.kubectl-prune.dev", reach);
  CHECK_THAT(text, Catch::Contains("  failurePolicy: Ignore\n"
                                   "  matchPolicy: Equivalent\n"
                                   "  name: initialization.populate.kubectl-prune.dev\n"
                                   "  namespaceSelector:\n"
                                   "    matchExpressions:\n"
                                   "    - key: policy/namespace-template-populated\n"
                                   "      operator: NotIn\n"
                                   "      values:\n"
                                   "      - \"true\"\n"
                                   "    - key: policy/namespace-template-opt-out\n"
                                   "      operator: NotIn\n"
                                   "      values:\n"
                                   "      - \"true\"\n"
                                   "    - key: kubernetes.io/metadata.name\n"
                                   "      operator: NotIn\n"
                                   "      values:\n"
                                   "      - kube-system\n"));
  // Annotations are asked about too, which no selector sees.
  CHECK_THAT(text, Catch::Contains("  name: opt-out.check.populate.kubectl-prune.dev\n"
                                   "  rules:\n"));
  CHECK_THAT(text, Catch::Contains("    scope: Namespaced\n"));
  CHECK_THAT(text, Catch::Contains("  name: initializers.populate.kubectl-prune.dev\n"
                                   "  reinvocationPolicy: IfNeeded\n"));
}

TEST_CASE("The configuration that is made proves that creators are guarded",
          "[migrate][populate][webhooks]") {
  WebhookOptions options;
  const kube::admission::Reach reach{.url = "https://host.example.com:9443"};
  const auto why = [&](const WebhookOptions& chosen) {
    World world(chosen);
    kube::json::Arena arena;
    const auto kind = kube::admission::ConfigurationKind::kValidating;
    const kube::json::Value webhooks =
        kube::admission::MakeWebhooks(world.handlers, kind, "a.b.c", reach, arena);
    kube::json::Value items = kube::json::Value::Array(), list = kube::json::Value::Object();
    items.Append(kube::admission::MakeConfiguration(kind, "v1", "a.b.c", webhooks, arena), arena);
    list.Set("items", items, arena);
    return WhyCreatorUnguarded(list);
  };
  CHECK(why(options).empty());
  options.creator.ignore_failures = true;
  CHECK(why(options) == R"(the webhook "creator.check.a.b.c" lets pass while nobody answers)");
  options.creator.is_wanted = false;
  CHECK(why(options) == "the cluster does not have the webhook creator of kubectl prune populate");
}

TEST_CASE("A new namespace has its creator, whoever that is, in a dry run too",
          "[migrate][populate][webhooks]") {
  World world;
  std::string user = GENERATE("jo", "system:apiserver");
  const ReadText read([&user] {
    std::string text = NamespaceReview(NamespaceText(), "null", user).Print();
    text.replace(text.find(R"("dryRun":false)"), 14, R"("dryRun":true)");
    return text;
  }());
  const auto answer = world.dispatcher.Dispatch("creator", read.review);
  REQUIRE(answer);
  CHECK_FALSE(answer->verdict);
  CHECK(answer->patch ==
        R"([{"op":"add","path":"/metadata/annotations","value":{"authorization.k8s.io/creator":")" +
            user + R"("}}])");
}

TEST_CASE("Handlers say what their rules say", "[migrate][populate][webhooks]") {
  World world;
  const ReviewText plain = NamespaceReview(NamespaceText());
  CHECK_THAT(Told(world.Ask("use", plain).verdict), Catch::StartsWith("403 "));
  const ReviewText opted_out =
      NamespaceReview(NamespaceText(Labels(R"("policy/namespace-template-opt-out":"true")")));
  CHECK_FALSE(world.Ask("use", opted_out).verdict);
  CHECK_THAT(Told(world.Ask("opt-out/check", opted_out).verdict), Catch::StartsWith("403 "));
  const ReviewText populated =
      NamespaceReview(NamespaceText(Labels(R"("policy/namespace-template-populated":"true")")));
  CHECK_THAT(Told(world.Ask("initialization/check", populated).verdict), Catch::StartsWith("403 "));
  const ReviewText forged =
      NamespaceReview(NamespaceText(R"("annotations":{"authorization.k8s.io/creator":"admin"})"));
  CHECK_THAT(Told(world.Ask("creator/check", forged).verdict), Catch::StartsWith("422 "));
  const ReviewText object{.group = "apps", .plural = "deployments", .kind = "Deployment"};
  CHECK_THAT(Told(world.Ask("initialization", object).verdict), Catch::StartsWith("429 "));
  CHECK_THAT(world.Ask("opt-out", NamespaceReview(NamespaceText(), "null", kAccount)).patch,
             Catch::Contains("opt-out"));
}

TEST_CASE("Labels and annotations cannot be changed by a subresource either",
          "[migrate][populate][webhooks]") {
  World world;
  ReviewText text =
      NamespaceReview(NamespaceText(R"("annotations":{"authorization.k8s.io/creator":"admin"},)" +
                                    Labels(R"("policy/namespace-template-opt-out":"true")")),
                      NamespaceText());
  text.subresource = GENERATE("status", "finalize");
  CHECK(world.Ask("creator/check", text).verdict);
  CHECK(world.Ask("opt-out/check", text).verdict);
}

TEST_CASE("Namespaces themselves wait for nobody", "[migrate][populate][webhooks]") {
  World world;
  CHECK_FALSE(world.Ask("initialization", NamespaceReview(NamespaceText())).verdict);
}

TEST_CASE("What is asked without a Namespace is refused", "[migrate][populate][webhooks]") {
  World world;
  for (const char* id : {"creator/check", "use"}) {
    CHECK(Told(world.Ask(id, NamespaceReview("null")).verdict) == "400 request.object is missing");
  }
  CHECK(world.Ask("creator", NamespaceReview("null")).patch.empty());
}

TEST_CASE("What is of another kind passes", "[migrate][populate][webhooks]") {
  World world;
  ReviewText text = NamespaceReview(NamespaceText());
  text.kind = "Scale";
  for (const char* id : {"creator/check", "use"}) CHECK_FALSE(world.Ask(id, text).verdict);
}

TEST_CASE("A webhook waits longer than its questions may take", "[migrate][populate][webhooks]") {
  CHECK(WebhookOptions().timeout > ClusterAccessReviewer::kPatience);
}

}  // namespace population_webhooks_test
}  // namespace migrate::populate
