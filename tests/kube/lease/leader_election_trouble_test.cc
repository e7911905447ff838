#include <catch2/catch.hpp>

#include "tests/kube/lease/election_world.h"

namespace kube::client {
namespace lease_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test_support::FakeText;

const std::string kNoLonger = "no longer leading: the Lease \"shop/boss\" ";

Texts From(const Texts& texts, std::size_t first) {
  return {texts.begin() + static_cast<std::ptrdiff_t>(first), texts.end()};
}

/// One that leads, and renews without trouble.
struct Leading : World {
  Leading() { Run(3s); }
  /// What it has sent since it was made.
  Texts Sent() const { return From(a.line.requests, sent); }

  Candidate& a = Add("a");
  std::size_t sent = 3;  // GET, POST, PUT
};

FakeAnswer Busy() { return FakeStatus(500, "InternalError", "etcdserver: request timed out"); }

TEST_CASE("Who is overtaken between a look and a write looks again later", "[kube][lease]") {
  World world;
  const bool exists = GENERATE(false, true);
  if (exists) world.Put(SpecText("", "00:00:00"));
  world.server.AddFault(
      {.target = kList, .first = 2, .before = [&world] { world.Put(SpecText("b", "00:00:00")); }});
  Candidate& a = world.Add("a");
  world.Run(1s);
  CHECK(a.line.requests == Texts{"GET " + kLease, exists ? "PUT " + kLease : "POST " + kList});
  CHECK_FALSE(a.election.is_leader());
  world.Run(5s);
  CHECK(world.Holder() == "b");
  CHECK(a.told == Texts{"the leader is \"b\", which holds the Lease \"shop/boss\""});
}

TEST_CASE("A leader whose Lease was changed by the way reads it and renews it", "[kube][lease]") {
  Leading world;
  world.Put(world.Spec(), R"(,"annotations":{"x":"y"})");
  world.Run(1500ms);
  CHECK(world.Sent() == Texts{"PUT " + kLease, "GET " + kLease, "PUT " + kLease});
  CHECK(world.a.election.is_leader());
  CHECK(world.Stored().Find("metadata")->Find("annotations")->FindText("x") == "y");
  CHECK(world.a.told.size() == 1);
}

TEST_CASE("A leader whose Lease was deleted makes it anew", "[kube][lease]") {
  Leading world;
  world.server.Delete("leases.coordination.k8s.io", "shop/boss");
  world.Run(1500ms);
  CHECK(world.Sent() == Texts{"PUT " + kLease, "GET " + kLease, "POST " + kList});
  CHECK(world.a.election.is_leader());
  CHECK(world.a.told.size() == 1);
}

TEST_CASE("A leader whose Lease names another one is none any more", "[kube][lease]") {
  Leading world;
  world.Put(SpecText("b", "00:00:03"));
  world.Run(1500ms);
  CHECK_FALSE(world.a.election.is_leader());
  CHECK(world.a.election.holder() == "b");
  CHECK(world.Holder() == "b");
  CHECK(From(world.a.told, 1) == Texts{kNoLonger + "is held by \"b\""});
}

TEST_CASE("A server that fails past the renew deadline ends leadership, once", "[kube][lease]") {
  Leading world;
  world.a.line.answer = Busy();
  world.Run(8500ms);  // last renewed after 2 s
  CHECK(world.a.election.is_leader());
  world.Run(600ms);
  CHECK_FALSE(world.a.election.is_leader());
  world.Run(60s);
  CHECK(world.a.election.holder() == "a");  // as far as known
  CHECK_THAT(world.a.told.at(1),
             StartsWith(kNoLonger + "was not renewed for 10 s: cannot ") &&
                 Contains(" leases.coordination.k8s.io \"boss\" in the namespace \"shop\": ") &&
                 Contains("etcdserver: request timed out"));
  for (const std::string& line : From(world.a.told, 2)) CHECK_THAT(line, StartsWith("cannot "));
  CHECK(world.a.told.size() <= 4);  // get, update
  const std::size_t told = world.a.told.size();

  world.a.line.answer.reset();
  world.Run(5s);
  CHECK(world.a.election.is_leader());
  CHECK_THAT(world.a.told.back(), StartsWith("leading now"));
  CHECK(world.a.told.size() == told + 1);
  CHECK(world.Stored().Find("spec")->FindText("acquireTime") == "2026-01-01T00:00:00.000000Z");
}

TEST_CASE("A moment's trouble is not told, and ends nothing", "[kube][lease]") {
  Leading world;
  SECTION("of the server") { world.a.line.answer = Busy(); }
  SECTION("of the line") { world.a.line.is_cut = true; }
  SECTION("of what is in between") {
    world.a.line.answer = FakeText(200, "text/html", "<html>log in</html>");
  }
  for (int i = 0; i < 20; ++i) {
    world.Run(100ms);
    CHECK(world.a.election.is_leader());
  }
  world.a.line.answer.reset();
  world.a.line.is_cut = false;
  for (int i = 0; i < 200; ++i) {
    world.Run(100ms);
    CHECK(world.a.election.is_leader());
  }
  CHECK(world.a.told.size() == 1);
}

TEST_CASE("A call that hangs is given up, and none is made beside it", "[kube][lease]") {
  Leading world;
  world.a.line.is_cut = true;
  world.Run(8900ms);
  CHECK(world.a.election.is_leader());
  world.Run(200ms);
  CHECK_FALSE(world.a.election.is_leader());
  world.Run(20s);
  CHECK(world.a.line.most_under_way == 1);
  // It hangs for half of the renew deadline, and the next one takes another connection.
  CHECK(From(world.Sent(), 0).size() >= 4);
  CHECK(From(world.Sent(), 0).size() <= 8);
  CHECK_FALSE(world.a.line.fresh[3]);
  CHECK(world.a.line.fresh[4]);
  CHECK(From(world.a.told, 1).size() <= 3);
  world.a.line.is_cut = false;
  world.Run(12s);
  CHECK(world.a.election.is_leader());
  CHECK_FALSE(world.a.line.fresh.back());
}

TEST_CASE("A renewal that is heard of late leads anew, and says so", "[kube][lease]") {
  Leading world;
  FakeFault slept;
  slept.target = kLease;
  // Renewed after 2 s, and then after 4.
  slept.before = [&world] { world.clock.Advance(12500ms - world.clock.passed()); };
  world.server.AddFault(slept);
  while (world.Seconds() < 12) {
    world.a.election.Advance();
    world.a.client.Poll(world.clock.Now() + 100ms);
  }
  for (int i = 0; i < 10; ++i) world.a.client.Poll(world.clock.Now());
  CHECK(world.Seconds() > 12.4);
  CHECK(world.a.election.is_leader());
  CHECK(From(world.a.told, 1) ==
        Texts{kNoLonger + "was not renewed for 10 s: no answer came", world.a.told[0]});
}

TEST_CASE("A Lease that was taken though the answer was lost is ours", "[kube][lease]") {
  World world;
  world.Put(SpecText("", "00:00:00", "00:00:00", 1, 3));
  world.server.AddFault({.target = kList, .first = 2, .lost = true});
  Candidate& a = world.Add("a");
  world.Run(1s);
  CHECK(world.Holder() == "a");
  CHECK_FALSE(a.election.is_leader());
  world.Run(5s);
  CHECK(a.election.is_leader());
  CHECK(world.Stored().Find("spec")->FindText("acquireTime") == "2026-01-01T00:00:00.000000Z");
  CHECK(*json::AsInt64(*world.Stored().Find("spec")->Find("leaseTransitions")) == 4);
  CHECK(a.told.size() == 1);
}

TEST_CASE("A right that is missing is told once, with what to do", "[kube][lease]") {
  World world;
  const std::string verb = GENERATE("get", "create", "update");
  if (verb == "update") world.Put(SpecText("", "00:00:00"));
  world.server.Deny(verb, "leases.coordination.k8s.io");
  Candidate& a = world.Add("a");
  world.Run(60s);
  CHECK_FALSE(a.election.is_leader());
  const std::string named = verb == "create" ? "" : " \"boss\"";
  CHECK(a.told ==
        Texts{"cannot " + verb +
              " leases.coordination.k8s.io \"boss\" in the namespace \"shop\": Error from server "
              "(Forbidden): leases.coordination.k8s.io" +
              named + " is forbidden: User \"alice\" cannot " + verb +
              " resource \"leases\" in API group \"coordination.k8s.io\" in the namespace "
              "\"shop\"; have a Role in that namespace allow get, create and update of "
              "leases.coordination.k8s.io"});
  CHECK(a.line.requests.size() >= 12);
}

TEST_CASE("A right that comes makes a leader, and is told anew where it goes", "[kube][lease]") {
  World world;
  Candidate& a = world.Add("a");
  const FakeAnswer forbidden = FakeStatus(403, "Forbidden", "no");
  a.line.answer = forbidden;
  world.Run(10s);
  CHECK(a.told.size() == 1);
  a.line.answer.reset();
  world.Run(5s);
  CHECK(a.election.is_leader());
  a.line.answer = forbidden;
  world.Run(5s);
  CHECK(a.election.is_leader());
  world.Run(30s);
  CHECK_FALSE(a.election.is_leader());
  CHECK_THAT(a.told.at(1), StartsWith("leading now"));
  CHECK_THAT(a.told.at(2), StartsWith("cannot update "));
  CHECK_THAT(a.told.at(3), StartsWith("cannot get "));
  CHECK_THAT(a.told.at(4), StartsWith(kNoLonger));
  CHECK(a.told.size() == 5);
}

TEST_CASE("What keeps a try from ending well is known until one does", "[kube][lease]") {
  Leading world;
  CHECK(world.a.election.problem().empty());
  CHECK_FALSE(world.a.election.problem_meaning());
  world.a.line.answer = Busy();
  world.Run(3s);
  CHECK_THAT(world.a.election.problem(), Contains("etcdserver: request timed out"));
  CHECK(world.a.election.problem_meaning() == Meaning::kTrouble);
  world.a.line.answer.reset();
  world.Run(3s);
  CHECK(world.a.election.problem().empty());
  CHECK_FALSE(world.a.election.problem_meaning());
}

TEST_CASE("That somebody else was faster is no problem", "[kube][lease]") {
  Leading world;
  world.Put(SpecText("b", "00:00:03"));
  world.Run(1500ms);
  CHECK_FALSE(world.a.election.problem_meaning());
  CHECK(world.a.election.observed().holder_identity == "b");
}

TEST_CASE("A namespace that does not exist is told once", "[kube][lease]") {
  World world;
  world.server.AddFault({.target = kList,
                         .times = 0,
                         .answer = FakeStatus(404, "NotFound", "namespaces \"shop\" not found",
                                              R"({"name":"shop","kind":"namespaces"})")});
  Candidate& a = world.Add("a");
  world.Run(60s);
  CHECK(a.told == Texts{"cannot create leases.coordination.k8s.io \"boss\" in the namespace "
                        "\"shop\", which does not exist: kubectl create namespace shop"});
  CHECK(a.line.requests.size() >= 24);
}

TEST_CASE("A server that does not know Leases is told once", "[kube][lease]") {
  World world;
  Candidate& a = world.Add("a");
  a.line.answer = FakeText(404, "text/plain", "404 page not found\n");
  world.Run(60s);
  CHECK(a.told.size() == 1);
  CHECK_THAT(a.told[0], StartsWith("cannot create leases.coordination.k8s.io \"boss\" in the "
                                   "namespace \"shop\": "));
}

TEST_CASE("A candidate says once that it has not got through for a while", "[kube][lease]") {
  World world;
  Candidate& a = world.Add("a");
  a.line.is_cut = true;
  world.Run(9s);
  CHECK(a.told.empty());
  world.Run(60s);
  CHECK(a.told == Texts{"cannot get leases.coordination.k8s.io \"boss\" in the namespace "
                        "\"shop\": no answer within 5 s"});
}

TEST_CASE("A Lease that says nonsense is free", "[kube][lease]") {
  World world;
  const auto [spec] = GENERATE(table<std::string>({
      {"null"},
      {"[]"},
      {R"("b")"},
      {R"({"holderIdentity":5,"leaseDurationSeconds":"15"})"},
      {R"({"holderIdentity":["b"],"leaseDurationSeconds":15,"leaseTransitions":-7})"},
      {R"({"holderIdentity":{"b":1},"renewTime":[]})"},
      {R"({"holderIdentity":"b","leaseDurationSeconds":-15})"},
      {R"({"holderIdentity":"b","leaseDurationSeconds":1.5})"},
  }));
  CAPTURE(spec);
  world.Put(spec);
  Candidate& a = world.Add("a");
  world.Run(1s);
  CHECK(world.Spec() == SpecText("a", "00:00:00", "00:00:00", 15, 1));
  CHECK(a.told.size() == 1);
}

TEST_CASE("A time that is none does not stay in the Lease", "[kube][lease]") {
  World world;
  world.Put(R"({"acquireTime":"yesterday","holderIdentity":"a","leaseDurationSeconds":15})");
  world.Add("a");
  world.Run(1s);
  CHECK(world.Spec() == SpecText("a", "00:00:00"));
}

TEST_CASE("Transitions are not counted beyond what a Lease can hold", "[kube][lease]") {
  World world;
  world.Put(SpecText("", "00:00:00", "00:00:00", 15, 2147483647));
  world.Add("a");
  world.Run(1s);
  CHECK(world.Spec() == SpecText("a", "00:00:00", "00:00:00", 15, 2147483647));
}

TEST_CASE("A holder's name steers no terminal", "[kube][lease]") {
  World world;
  world.Put(SpecText(R"(b\u001b[31m\n)" + std::string(5000, 'x'), "00:00:00"));
  Candidate& a = world.Add("a");
  world.Run(1s);
  CHECK_FALSE(a.election.is_leader());
  REQUIRE(a.told.size() == 1);
  CHECK_THAT(a.told[0], StartsWith(R"(the leader is "b\x1b[31m\nxxx)"));
  CHECK(a.told[0].size() < 400);
}

TEST_CASE("An answer that is no Lease makes no leader", "[kube][lease]") {
  World world;
  const bool is_written = GENERATE(false, true);
  if (is_written) world.Put(SpecText("", "00:00:00"));
  world.server.AddFault(
      {.target = kList,
       .first = is_written ? 2 : 1,
       .answer = FakeText(200, "application/json", R"({"kind":"Status","status":"Success"})")});
  Candidate& a = world.Add("a");
  world.Run(1s);
  CHECK_FALSE(a.election.is_leader());
  CHECK(a.told == Texts{is_written ? "cannot update leases.coordination.k8s.io \"boss\" in the "
                                     "namespace \"shop\": the server's answer to PUT " +
                                         kLease + " is no Lease"
                                   : "cannot get leases.coordination.k8s.io \"boss\" in the "
                                     "namespace \"shop\": the server's answer to GET " +
                                         kLease + " is no Lease"});
}

// client-go's ReleaseOnCancel.

TEST_CASE("Who gives the Lease back lets another one lead at its next look", "[kube][lease]") {
  Leading world;
  Candidate& b = world.Add("b");
  world.Run(10s);
  world.a.stop = GENERATE(false, true);
  world.a.election.Release();
  CHECK_FALSE(world.a.election.is_leader());
  CHECK(world.a.election.holder().empty());
  const json::Value& spec = *world.Stored().Find("spec");
  CHECK(spec.FindText("holderIdentity").empty());
  CHECK(*json::AsInt64(*spec.Find("leaseDurationSeconds")) == 1);
  CHECK(*json::AsInt64(*spec.Find("leaseTransitions")) == 0);
  CHECK(spec.FindText("acquireTime") == spec.FindText("renewTime"));
  CHECK(spec.FindText("renewTime") > "2026-01-01T00:00:12");
  CHECK(From(world.a.told, 1) == Texts{kNoLonger + "is given back"});
  const std::size_t sent = world.a.line.requests.size();
  world.Run(5s);
  CHECK(b.election.is_leader());
  CHECK(*json::AsInt64(*world.Stored().Find("spec")->Find("leaseTransitions")) == 1);
  world.a.election.Release();
  CHECK(world.a.line.requests.size() == sent);
}

TEST_CASE("Who does not lead has nothing to give back", "[kube][lease]") {
  World world;
  world.Put(SpecText("b", "00:00:00"));
  Candidate& a = world.Add("a");
  world.Run(5s);
  const std::size_t sent = a.line.requests.size();
  const std::string spec = world.Spec();
  a.election.Release();
  CHECK(a.line.requests.size() == sent);
  CHECK(world.Spec() == spec);
}

TEST_CASE("The Lease of another one is not given back", "[kube][lease]") {
  Leading world;
  const std::string spec = SpecText("b", "00:00:03");
  world.Put(spec);
  world.a.election.Release();
  CHECK(world.Sent() == Texts{"GET " + kLease});
  CHECK(world.Spec() == spec);
  CHECK(From(world.a.told, 1) == Texts{kNoLonger + "is held by \"b\""});
}

TEST_CASE("A renewal that came between is no reason to keep the Lease", "[kube][lease]") {
  Leading world;
  world.server.AddFault(
      {.target = kList, .first = 2, .before = [&world] { world.Put(SpecText("a", "00:00:04")); }});
  world.a.election.Release();
  CHECK(world.Sent() == Texts{"GET " + kLease, "PUT " + kLease, "GET " + kLease, "PUT " + kLease});
  CHECK(world.Holder().empty());
}

TEST_CASE("What is under way when the Lease is given back is forgotten", "[kube][lease]") {
  Leading world;
  world.a.line.is_cut = true;
  world.Run(2s);
  world.a.line.is_cut = false;
  world.a.election.Release();
  CHECK(world.a.line.most_under_way == 1);
  CHECK(world.Holder().empty());
}

TEST_CASE("A Lease that cannot be given back keeps nobody for long", "[kube][lease]") {
  Leading world;
  const double begin = world.Seconds();
  std::string why;
  SECTION("as nobody answers") {
    world.a.line.is_cut = true;
    why = "no answer within 5 s";
  }
  SECTION("as the server does not") {
    world.a.line.answer = Busy();
    why = "etcdserver: request timed out";
  }
  world.a.stop = GENERATE(false, true);
  world.a.election.Release();
  CHECK(world.Seconds() - begin <= 5.001);
  CHECK(world.Holder() == "a");
  REQUIRE(world.a.told.size() == 2);
  CHECK_THAT(
      world.a.told[1],
      StartsWith(kNoLonger + "is not given back, and expires: cannot get ") && Contains(why));
}

TEST_CASE("A Lease that is gone need not be given back", "[kube][lease]") {
  Leading world;
  world.server.Delete("leases.coordination.k8s.io", "shop/boss");
  world.a.election.Release();
  CHECK(world.Sent() == Texts{"GET " + kLease});
  CHECK(From(world.a.told, 1) == Texts{kNoLonger + "is gone"});
}

}  // namespace lease_test
}  // namespace kube::client
