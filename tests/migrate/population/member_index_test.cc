#include "migrate/populate/member_index.h"

#include "tests/migrate/population/population_world.h"

namespace migrate::populate {
namespace member_index_test {

using namespace population_test;

const GroupKind kWidget = {"demo.example.com", "Kindwidgets"};
const GroupKind kGadget = {"demo.example.com", "Kindgadgets"};

Member MemberOf(const std::string& namespace_, const std::string& name,
                const std::string& template_name = "every", const std::string& version = "1",
                const std::string& kind_version = "v1") {
  return {.kind = std::make_shared<const ServedKind>(
              ServedKind{.type = kWidget, .version = kind_version, .plural = "widgets"}),
          .namespace_ = namespace_,
          .name = name,
          .uid = "u",
          .resource_version = version,
          .membership = {.template_name = template_name, .is_proven = true}};
}

Names NamesIn(const MemberIndex& index, const std::string& namespace_) {
  Names names;
  for (const auto& [key, member] : index.Of(namespace_)) names.push_back(key.name);
  return names;
}

/// The namespaces a and b have a widget w and a gadget g each, by the template "every".
struct Listed : World {
  Listed() {
    PutTemplate("every", {Widget("w"), Widget("g", "x", "gadgets")});
    World::Run();
    kinds = *ClusterKinds::Read({"demo.example.com"}, cluster.session());
  }
  /// What it asks for: "a/widgets".
  Names Read(const std::set<GroupKind>& types, const Names& namespaces = {}) {
    first_request = cluster.server.requests().size();
    index.Read(types, kinds, namespaces, cluster.session());
    Names places;
    for (const std::string& line : Requests("GET")) {
      const std::size_t begin = line.find("/v1/") + 4;
      places.push_back(line.substr(begin, line.find('?') - begin));
    }
    return places;
  }
  void Refuse(const std::string& target, int times) {
    cluster.server.AddFault(
        {.target = target, .times = times, .answer = FakeStatus(403, "Forbidden", "not you")});
  }

  ClusterKinds kinds;
  MemberIndex index;
};

TEST_CASE("Each kind is listed once", "[migrate][population]") {
  Listed listed;
  CHECK(listed.Read({kWidget}) == Names{"widgets"});
  CHECK(NamesIn(listed.index, "a") == Names{"w"});
  CHECK(NamesIn(listed.index, "b") == Names{"w"});
  CHECK(listed.Read({kWidget, kGadget}) == Names{"gadgets"});
  CHECK(NamesIn(listed.index, "a") == Names{"g", "w"});
  CHECK(listed.Read({kWidget, kGadget}).empty());
  CHECK(listed.index.unlisted().empty());
  const Member* member = listed.index.Find("a", {kWidget, "w"});
  REQUIRE(member != nullptr);
  CHECK(member->membership.template_name == "every");
  CHECK(member->membership.is_proven);
  CHECK(member->uid == listed.MetadataOf(kWidgets, "a/w", "uid"));
  CHECK(member->resource_version == listed.MetadataOf(kWidgets, "a/w", "resourceVersion"));
}

TEST_CASE("Listed anew, what is gone is not known any more", "[migrate][population]") {
  Listed listed;
  listed.Read({kWidget, kGadget});
  listed.cluster.server.Delete(kWidgets, "a/w");
  listed.index.ListAnew();
  CHECK(NamesIn(listed.index, "a") == Names{"g", "w"});
  CHECK(listed.Read({kWidget}) == Names{"widgets"});
  CHECK(NamesIn(listed.index, "a") == Names{"g"});
  CHECK(NamesIn(listed.index, "b") == Names{"g", "w"});
}

TEST_CASE("Members of some namespaces are listed there alone", "[migrate][population]") {
  Listed listed;
  CHECK(listed.Read({kWidget}, {"b"}) == Names{"namespaces/b/widgets"});
  CHECK(listed.index.Of("a").empty());
  CHECK(NamesIn(listed.index, "b") == Names{"w"});
}

TEST_CASE("A kind that cannot be listed is tried again, and what was known stays",
          "[migrate][population]") {
  Listed listed;
  listed.Read({kWidget});
  listed.index.ListAnew();
  listed.Refuse("/widgets?", 1);
  listed.Read({kWidget, kGadget});
  REQUIRE(listed.index.unlisted().size() == 1);
  CHECK(listed.index.unlisted().at(kWidget) == "not you");
  CHECK(NamesIn(listed.index, "a") == Names{"g", "w"});
  CHECK(listed.Read({kWidget, kGadget}) == Names{"widgets"});
  CHECK(listed.index.unlisted().empty());
}

TEST_CASE("A kind that the cluster does not have has no members", "[migrate][population]") {
  Listed listed;
  CHECK(
      listed.Read({{"demo.example.com", "Kindnothings"}, {"other.example.com", "Other"}}).empty());
  CHECK(listed.index.unlisted().empty());
}

TEST_CASE("Of a kind that the cluster does not tell of nothing is known", "[migrate][population]") {
  Listed listed;
  listed.Refuse("/apis/demo.example.com/", 0);
  listed.kinds = *ClusterKinds::Read({"demo.example.com"}, listed.cluster.session());
  CHECK(listed.Read({kWidget}).empty());
  REQUIRE(listed.index.unlisted().size() == 1);
  CHECK_THAT(listed.index.unlisted().at(kWidget), Catch::Contains("not you"));
}

TEST_CASE("A list that was stopped tells nothing", "[migrate][population]") {
  Listed listed;
  const std::atomic<bool> stop = true;
  listed.cluster.run_stop = &stop;
  listed.Read({kWidget});
  CHECK(listed.index.Of("a").empty());
  listed.cluster.run_stop = nullptr;
  CHECK(listed.Read({kWidget}) == Names{"widgets"});
  CHECK(NamesIn(listed.index, "a") == Names{"w"});
}

TEST_CASE("What was made and deleted since is noted", "[migrate][population]") {
  MemberIndex index;
  CHECK(index.Of("a").empty());
  CHECK(index.Find("a", {kWidget, "w"}) == nullptr);
  index.Put(MemberOf("a", "w"));
  index.Put(MemberOf("b", "w", "other"));
  index.Put(MemberOf("a", "w", "every", "2"));
  CHECK(NamesIn(index, "a") == Names{"w"});
  CHECK(index.Find("a", {kWidget, "w"})->resource_version == "2");
  CHECK(index.HasAny("a", "every"));
  CHECK_FALSE(index.HasAny("a", "other"));
  CHECK(index.HasAny("b", "other"));
  CHECK_FALSE(index.HasAny("c", "every"));

  index.Remove("a", {kGadget, "w"});
  index.Remove("c", {kWidget, "w"});
  CHECK(index.HasAny("a", "every"));
  index.Remove("a", {kWidget, "w"});
  CHECK_FALSE(index.HasAny("a", "every"));
  index.RemoveNamespace("b");
  index.RemoveNamespace("b");
  CHECK(index.Of("b").empty());
}

TEST_CASE("A member is the same one in whatever version it is", "[migrate][population]") {
  CHECK(KeyOf(MemberOf("a", "w", "every", "1", "v1beta1")) == ObjectKey{kWidget, "w"});
  CHECK(KeyOf(MemberOf("a", "w", "every", "1", "v1")) == ObjectKey{kWidget, "w"});
}

TEST_CASE("Where members are is known once, unless a kind has moved to another version",
          "[migrate][population]") {
  MemberIndex index;
  index.Put(MemberOf("a", "w"));
  index.Put(MemberOf("b", "w"));
  index.Put(MemberOf("c", "w", "every", "1", "v2"));
  const auto kind_in = [&index](const char* namespace_) {
    return index.Find(namespace_, {kWidget, "w"})->kind;
  };
  CHECK(kind_in("a") == kind_in("b"));
  CHECK(kind_in("b")->version == "v1");
  CHECK(kind_in("c")->version == "v2");
}

}  // namespace member_index_test
}  // namespace migrate::populate
