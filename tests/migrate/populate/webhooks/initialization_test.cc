#include "migrate/populate/population_webhooks.h"

#include "kube/base/text.h"
#include "tests/migrate/populate/webhooks/webhook_world.h"

namespace migrate::populate {
namespace initialization_test {

using std::chrono::seconds;
using webhooks_test::AllowedAnswer;
using webhooks_test::FakeAccess;
using webhooks_test::Labels;
using webhooks_test::NamespaceReview;
using webhooks_test::NamespaceText;
using webhooks_test::ReadText;
using webhooks_test::ReviewText;
using webhooks_test::Strings;
using webhooks_test::TemplateFor;
using webhooks_test::Told;
using webhooks_test::ToldPopulation;
using webhooks_test::UnknownAnswer;

constexpr TimePoint kMoment{seconds(1767225600)};
constexpr char kPopulated[] = R"("policy/namespace-template-populated":"true")";
constexpr char kTenant[] = R"("tenant":"team")";

/// An object of a user in a namespace.
ReviewText ObjectReview(const std::string& user = "jo", const std::string& namespace_ = "shop") {
  return {.group = "",
          .plural = "configmaps",
          .kind = "ConfigMap",
          .namespace_ = namespace_,
          .user = webhooks_test::UserText(user)};
}

/// A tenant's namespace "shop" that was made two seconds ago, and a template for tenants.
struct World {
  World() {
    known.Replace({}, {});
    known.Put(TemplateFor("tenants", kTenant));
    Put(kTenant);
  }
  void Put(const std::string& labels) {
    known.Put(populate_test::ParseJson(NamespaceText(Labels(labels))).root(), kMoment);
  }
  kube::admission::Verdict Ask(const ReviewText& text = ObjectReview()) {
    return guard.CheckObject(ReadText(text).review);
  }
  std::string CheckLabel(const std::string& object, const std::string& old_object = "null") {
    return Told(guard.CheckLabel(ReadText(NamespaceReview(object, old_object)).review));
  }

  TimePoint now = kMoment + seconds(2);
  ToldPopulation known;
  FakeAccess access;
  InitializationGuard guard{known, access, {.timeout = seconds(30), .now = [this] { return now; }}};
};

TEST_CASE("A namespace that was not populated yet takes no objects",
          "[migrate][populate][webhooks]") {
  World world;
  const kube::admission::Verdict verdict = world.Ask();
  REQUIRE(verdict);
  CHECK(verdict->kind == kube::admission::FailureKind::kTemporary);
  CHECK(verdict->code == 429);
  CHECK(verdict->reason == "TooManyRequests");
  CHECK(verdict->retry_after == seconds(1));
  CHECK(verdict->message ==
        "namespace \"shop\" is being populated by NamespaceTemplates; try again in a moment");
  CHECK(world.access.asked == Strings{"jo initialize"});
}

TEST_CASE("Who may initialize a namespace creates objects in it", "[migrate][populate][webhooks]") {
  World world;
  world.access.answers["jo initialize"] = AllowedAnswer();
  CHECK_FALSE(world.Ask());
  CHECK(world.Ask(ObjectReview("other")));
}

TEST_CASE("A namespace that was populated takes objects", "[migrate][populate][webhooks]") {
  World world;
  world.Put(std::string(kTenant) + "," + kPopulated);
  CHECK_FALSE(world.Ask());
  CHECK(world.access.asked.empty());
}

TEST_CASE("A namespace takes objects at a certain age", "[migrate][populate][webhooks]") {
  World world;
  world.now = kMoment + seconds(29);
  CHECK(world.Ask());
  world.now = kMoment + seconds(30);
  CHECK_FALSE(world.Ask());
}

TEST_CASE("A clock that is behind the server's keeps a namespace waiting",
          "[migrate][populate][webhooks]") {
  World world;
  world.now = kMoment - seconds(100);
  CHECK(world.Ask());
}

TEST_CASE("A namespace that nothing will be made in takes objects",
          "[migrate][populate][webhooks]") {
  World world;
  SECTION("it opts out") {
    world.Put(std::string(kTenant) + R"(,"policy/namespace-template-opt-out":"true")");
  }
  SECTION("it opts out by its annotation") {
    world.known.Put(
        populate_test::ParseJson(
            NamespaceText(R"("annotations":{"policy/namespace-template-opt-out":"true"},)" +
                          Labels(kTenant)))
            .root(),
        kMoment);
  }
  SECTION("no template selects it") { world.Put(""); }
  SECTION("the template is gone") { world.known.RemoveTemplate("tenants"); }
  SECTION("the template is disabled") {
    world.known.Put(TemplateFor("tenants", kTenant,
                                R"("labels":{"policy/namespace-template-apply":"disable"})"));
  }
  CHECK_FALSE(world.Ask());
  CHECK(world.access.asked.empty());
}

TEST_CASE("One template that selects a namespace is enough", "[migrate][populate][webhooks]") {
  World world;
  world.known.Put(TemplateFor("all", ""));
  world.Put("");
  CHECK(world.Ask());
}

TEST_CASE("The control plane is never kept waiting", "[migrate][populate][webhooks]") {
  const std::string user =
      GENERATE("system:apiserver", "system:kube-controller-manager", "system:kube-scheduler",
               "system:serviceaccount:kube-system:service-account-controller",
               "system:serviceaccount:kube-system:root-ca-cert-publisher",
               "system:serviceaccount:kube-system:replicaset-controller");
  CAPTURE(user);
  World world;
  CHECK_FALSE(world.Ask(ObjectReview(user)));
  CHECK(world.access.asked.empty());
}

TEST_CASE("Others are not taken for the control plane", "[migrate][populate][webhooks]") {
  const std::string user =
      GENERATE("system:serviceaccount:kube-system", "system:serviceaccount:kube-systems:a",
               "system:serviceaccount:shop:kube-system:a", "kube-controller-manager",
               "system:kube-controller-manager2", "system:anonymous", "");
  CAPTURE(user);
  World world;
  CHECK(world.Ask(ObjectReview(user)));
}

TEST_CASE("What is in kube-system, or in no namespace, passes", "[migrate][populate][webhooks]") {
  World world;
  world.known.Put(TemplateFor("all", ""));
  CHECK_FALSE(world.Ask(ObjectReview("jo", "kube-system")));
  CHECK_FALSE(world.Ask(ObjectReview("jo", "")));
  CHECK(world.access.asked.empty());
}

TEST_CASE("A question about rights in a namespace passes", "[migrate][populate][webhooks]") {
  World world;
  ReviewText text = ObjectReview();
  text.group = "authorization.k8s.io";
  text.plural = "localsubjectaccessreviews";
  text.kind = "LocalSubjectAccessReview";
  CHECK_FALSE(world.Ask(text));
}

TEST_CASE("A namespace that is not known yet is a new one", "[migrate][populate][webhooks]") {
  World world;
  CHECK(world.Ask(ObjectReview("jo", "newer")));
  world.known.RemoveTemplate("tenants");
  CHECK_FALSE(world.Ask(ObjectReview("jo", "newer")));
}

TEST_CASE("Where nothing is known any more new namespaces wait no longer than others",
          "[migrate][populate][webhooks]") {
  World world;
  world.known.NoteStale(kMoment);
  world.now = kMoment + seconds(29);
  CHECK(world.Ask(ObjectReview("jo", "newer")));
  world.now = kMoment + seconds(30);
  CHECK_FALSE(world.Ask(ObjectReview("jo", "newer")));
}

TEST_CASE("Before anything is known objects wait", "[migrate][populate][webhooks]") {
  const KnownPopulation unknown;
  FakeAccess access;
  const InitializationGuard guard(unknown, access, {});
  CHECK(guard.CheckObject(ReadText(ObjectReview()).review));
}

TEST_CASE("Where rights cannot be asked objects wait, with the reason",
          "[migrate][populate][webhooks]") {
  World world;
  world.access.answers["jo initialize"] = UnknownAnswer("no answer");
  const kube::admission::Verdict verdict = world.Ask();
  REQUIRE(verdict);
  CHECK(verdict->code == 429);
  CHECK(verdict->message.ends_with("; try again in a moment (no answer)"));
}

TEST_CASE("Whatever an object is, its namespace decides", "[migrate][populate][webhooks]") {
  World world;
  ReviewText text = ObjectReview();
  text.object = GENERATE(as<std::string>(), "null", "{}", R"({"metadata":5})",
                         R"({"metadata":{"namespace":"kube-system"}})");
  CHECK(world.Ask(text));
}

TEST_CASE("Who says that a namespace was populated needs the right to initialize it",
          "[migrate][populate][webhooks]") {
  const std::string plain = NamespaceText(), marked = NamespaceText(Labels(kPopulated));
  const std::string other = NamespaceText(Labels(R"("policy/namespace-template-populated":"no")"));
  const auto [object, old_object] = GENERATE_COPY(table<std::string, std::string>(
      {{marked, "null"}, {other, "null"}, {marked, plain}, {marked, other}, {other, marked}}));
  CAPTURE(object, old_object);
  World world;
  CHECK(world.CheckLabel(object, old_object) ==
        "403 the label policy/namespace-template-populated cannot be set: User \"jo\" cannot "
        "initialize resource \"namespacetemplates\" in API group \"policy.kubectl-prune.dev\" at "
        "the cluster scope");
  world.access.answers["jo initialize"] = AllowedAnswer();
  CHECK(world.CheckLabel(object, old_object).empty());
}

TEST_CASE("Whoever leaves that label alone, or removes it, needs no right",
          "[migrate][populate][webhooks]") {
  const std::string plain = NamespaceText(), marked = NamespaceText(Labels(kPopulated));
  World world;
  CHECK(world.CheckLabel(plain).empty());
  CHECK(world.CheckLabel(plain, plain).empty());
  CHECK(world.CheckLabel(marked, marked).empty());
  CHECK(world.CheckLabel(plain, marked).empty());
  CHECK(world.CheckLabel("{}", marked).empty());
  CHECK(world.access.asked.empty());
}

std::string Pending(const std::string& names) {
  return R"("annotations":{"policy/namespace-pending-initializers":")" + names + "\"}";
}

/// A cluster with an initializer of tenants, and one of all.
struct Initialized : World {
  Initialized() {
    known.PutConfigurations({{{{"tenant"}}, {"dns.example.com", "mesh.example.com"}},
                             {{}, {"dns.example.com", "all"}}});
  }
  std::string Changed(const std::string& object) {
    const ReadText read(NamespaceReview(object));
    kube::admission::ObjectDraft draft(read.review.object);
    SetPendingInitializers(read.review, *known.current(), draft);
    const kube::json::Value* names =
        draft.Find({"metadata", "annotations", kPendingInitializersAnnotation});
    return names == nullptr ? "-" : std::string(names->text());
  }
  std::string Check(const std::string& object, const std::string& old_object = "null") {
    return Told(CheckPendingInitializers(ReadText(NamespaceReview(object, old_object)).review,
                                         *known.current(), access));
  }
  void PutPending(const std::string& names, const std::string& labels = "") {
    known.Put(populate_test::ParseJson(NamespaceText(Pending(names) + "," + Labels(labels))).root(),
              kMoment);
  }
};

TEST_CASE("A new namespace names the initializers of all configurations that select it, once",
          "[migrate][populate][webhooks]") {
  Initialized world;
  CHECK(world.Changed(NamespaceText()) == "all,dns.example.com");
  CHECK(world.Changed(NamespaceText(Labels(kTenant))) == "all,dns.example.com,mesh.example.com");
  CHECK(world.Changed(NamespaceText(Pending("mine"))) == "all,dns.example.com");
  CHECK(world.Changed(NamespaceText(Labels(R"("policy/namespace-template-opt-out":"true")"))) ==
        "-");
  world.known.PutConfigurations({});
  CHECK(world.Changed(NamespaceText()) == "-");
  CHECK(world.Changed(NamespaceText(Pending("mine"))) == "-");
}

TEST_CASE("A new namespace that lacks an initializer is refused", "[migrate][populate][webhooks]") {
  Initialized world;
  CHECK(world.Check(NamespaceText(Pending("all,dns.example.com"))).empty());
  CHECK(world.Check(NamespaceText(Pending("dns.example.com,all,gone"))).empty());
  const std::string tenant = NamespaceText(Pending("all,dns.example.com") + "," + Labels(kTenant));
  CHECK(world.Check(tenant) ==
        "503 the annotation policy/namespace-pending-initializers lacks mesh.example.com: a "
        "configuration is new, or another webhook has changed the namespace; try again");
  CHECK_FALSE(world.Check(NamespaceText()).empty());
  CHECK(world.access.asked.empty());
}

TEST_CASE("An initializer takes its own name out of a namespace, and no other one",
          "[migrate][populate][webhooks]") {
  Initialized world;
  const std::string question = "jo initialize namespaceinitializers ";
  world.access.answers[question + "dns.example.com"] = AllowedAnswer();
  const std::string old = NamespaceText(Pending("all,dns.example.com"));
  CHECK(world.Check(NamespaceText(Pending("all")), old).empty());
  const auto refused = [](const std::string& name) {
    return "403 the annotation policy/namespace-pending-initializers loses names by their "
           "initializers alone: User \"jo\" cannot initialize resource "
           "\"namespaceinitializers\" in API group \"policy.kubectl-prune.dev\" at the cluster "
           "scope: \"" +
           name + "\"";
  };
  CHECK(world.Check(NamespaceText(Pending("dns.example.com")), old) == refused("all"));
  for (const std::string& none : {NamespaceText(), NamespaceText(Pending("")), std::string("{}"),
                                  NamespaceText(R"("annotations":{"policy/namespace-pending-)"
                                                R"(initializers":5})")}) {
    CAPTURE(none);
    CHECK(world.Check(none, old) == refused("all"));
  }
  // Who may do all with templates is no initializer.
  world.access.answers["jo initialize"] = AllowedAnswer();
  CHECK(world.Check(NamespaceText(), NamespaceText(Pending("all"))) == refused("all"));
}

TEST_CASE("What could not be asked takes no name out", "[migrate][populate][webhooks]") {
  Initialized world;
  world.access.answers["jo initialize namespaceinitializers all"] = UnknownAnswer("no answer");
  CHECK_THAT(world.Check(NamespaceText(), NamespaceText(Pending("all"))),
             Catch::StartsWith("503 ") && Catch::Contains("\"all\" (no answer)"));
}

TEST_CASE("However many names an annotation has, no more than a few questions are asked",
          "[migrate][populate][webhooks]") {
  Initialized world;
  Strings names;
  for (int i = 100; i < 200; ++i) names.push_back("n" + std::to_string(i));
  const std::string all = kube::base::Join(names, ",");
  CHECK(world.Check(NamespaceText(), NamespaceText(Pending(all))) ==
        "422 the annotation policy/namespace-pending-initializers loses no more than 64 names at "
        "once");
  CHECK(world.access.asked.empty());
  world.PutPending(all);
  CHECK_THAT(Told(world.Ask()), Catch::Contains(" n100, n101, ") && Catch::Contains("...; try"));
  CHECK(world.access.asked.size() == 1 + 64);
}

TEST_CASE("Nobody adds an initializer later", "[migrate][populate][webhooks]") {
  Initialized world;
  const std::string added = GENERATE("all,new", "new", "new,,new");
  CAPTURE(added);
  CHECK(world.Check(NamespaceText(Pending(added)), NamespaceText(Pending("all"))) ==
        "422 the annotation policy/namespace-pending-initializers gets no names later: new");
}

TEST_CASE("Whoever leaves the initializers as they are needs no right",
          "[migrate][populate][webhooks]") {
  Initialized world;
  CHECK(world.Check(NamespaceText(), NamespaceText()).empty());
  CHECK(world.Check(NamespaceText(Pending("a,b")), NamespaceText(Pending("b,a"))).empty());
  CHECK(world.Check(NamespaceText(Labels(kTenant)), NamespaceText()).empty());
  CHECK(world.access.asked.empty());
}

TEST_CASE("A namespace that waits for initializers takes objects of these alone",
          "[migrate][populate][webhooks]") {
  Initialized world;
  world.PutPending("a,b");
  CHECK(Told(world.Ask()) ==
        "429 namespace \"shop\" waits for its initializers a, b; try again in a moment");
  CHECK(world.access.asked == Strings{"jo initialize", "jo initialize namespaceinitializers a",
                                      "jo initialize namespaceinitializers b"});
  world.access.answers["jo initialize namespaceinitializers b"] = AllowedAnswer();
  CHECK_FALSE(world.Ask());
  CHECK(world.Ask(ObjectReview("ann")));
  world.access.answers["ann initialize"] = AllowedAnswer();
  CHECK_FALSE(world.Ask(ObjectReview("ann")));
}

TEST_CASE("A namespace is open once nothing is pending, at its time, or when it says so",
          "[migrate][populate][webhooks]") {
  Initialized world;
  world.PutPending("a");
  REQUIRE(world.Ask());
  SECTION("nothing is pending") { world.PutPending(""); }
  SECTION("at its time") { world.now = kMoment + seconds(30); }
  SECTION("it is said to be") { world.PutPending("a", kPopulated); }
  SECTION("it opts out") {
    world.known.Put(
        populate_test::ParseJson(
            NamespaceText(R"("annotations":{"policy/namespace-template-opt-out":"true",)"
                          R"("policy/namespace-pending-initializers":"a"})"))
            .root(),
        kMoment);
  }
  CHECK_FALSE(world.Ask());
}

TEST_CASE("A namespace that is not known yet may have initializers",
          "[migrate][populate][webhooks]") {
  Initialized world;
  world.known.RemoveTemplate("tenants");
  world.known.RemoveNamespace("shop");
  CHECK(world.Ask());
  world.known.PutConfigurations({});
  CHECK_FALSE(world.Ask());
}

}  // namespace initialization_test
}  // namespace migrate::populate
