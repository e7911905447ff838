#include "migrate/rewrite/object_patch.h"

#include <catch2/catch.hpp>
#include <string>

#include "kube/json/json.h"

namespace migrate::rewrite {
namespace object_patch_test {

struct Body {
  std::string type, text;

  bool operator==(const Body&) const = default;
};

using kube::json::Removals;

Body PatchOf(std::string_view live, std::string_view wanted, PatchPart part = PatchPart::kAll,
             Removals removals = Removals::kLeftOut) {
  kube::json::Document from, to;
  REQUIRE(!from.Parse(live));
  REQUIRE(!to.Parse(wanted));
  const auto patch = MakePatch(from.root(), to.root(), "7", part, removals);
  return patch ? Body{patch->content_type, patch->body} : Body{};
}

constexpr char kMerge[] = "application/merge-patch+json", kJson[] = "application/json-patch+json";

TEST_CASE("A merge patch has what is new, and the resource version", "[migrate][object_patch]") {
  CHECK(PatchOf(R"({"spec":{"a":1,"m":{"x":1}},"b":[1]})",
                R"({"spec":{"a":1,"m":{"x":1,"y":2},"o":{"p":[4]}},"b":[1],"n":3})") ==
        Body{kMerge,
             R"({"metadata":{"resourceVersion":"7"},"spec":{"m":{"y":2},"o":{"p":[4]}},"n":3})"});
}

TEST_CASE("Lists are sent as a whole", "[migrate][object_patch]") {
  CHECK(PatchOf(R"({"s":{"l":[{"a":1},{"a":2}]}})", R"({"s":{"l":[{"a":1,"o":1},{"a":2}]}})") ==
        Body{kMerge, R"({"metadata":{"resourceVersion":"7"},"s":{"l":[{"a":1,"o":1},{"a":2}]}})"});
}

TEST_CASE("Nothing that differs is no patch", "[migrate][object_patch]") {
  CHECK(PatchOf(R"({"a":1,"l":[1.0]})", R"({"l":[1],"a":1})") == Body{});
}

TEST_CASE("The status has a patch of its own", "[migrate][object_patch]") {
  const std::string live = R"({"spec":{},"status":{}})";
  const std::string restored = R"({"spec":{"o":1},"status":{"p":2}})";
  CHECK(PatchOf(live, restored, PatchPart::kAllButStatus).text ==
        R"({"metadata":{"resourceVersion":"7"},"spec":{"o":1}})");
  CHECK(PatchOf(live, restored, PatchPart::kStatus).text ==
        R"({"metadata":{"resourceVersion":"7"},"status":{"p":2}})");
  CHECK(PatchOf(live, R"({"spec":{},"status":{"p":2}})", PatchPart::kAllButStatus) == Body{});
}

TEST_CASE("A null comes by a JSON patch of whole members of the root", "[migrate][object_patch]") {
  CHECK(PatchOf(R"({"spec":{"a":{}},"k":1})", R"({"spec":{"a":{"n":null}},"k":1,"c~/":1})") ==
        Body{kJson, R"([{"op":"add","path":"/spec","value":{"a":{"n":null}}},)"
                    R"({"op":"add","path":"/c~0~1","value":1},)"
                    R"({"op":"add","path":"/metadata/resourceVersion","value":"7"}])"});
}

TEST_CASE("A null in a list does not survive a merge patch either", "[migrate][object_patch]") {
  CHECK(PatchOf("{}", R"({"l":[1,null]})").type == kJson);
  CHECK(PatchOf("{}", R"({"l":[{"a":{"b":null}}]})").type == kJson);
}

TEST_CASE("What is removed is sent where that is asked for", "[migrate][object_patch]") {
  const std::string live =
      R"({"metadata":{"labels":{"a":"b"},"resourceVersion":"7"},"s":{"o":1},"g":1})";
  const std::string wanted = R"({"metadata":{"labels":{},"resourceVersion":"7"},"s":{"n":1}})";
  CHECK(PatchOf(live, wanted, PatchPart::kAll, Removals::kSent) ==
        Body{kMerge, R"({"metadata":{"resourceVersion":"7","labels":{"a":null}},)"
                     R"("s":{"n":1,"o":null},"g":null})"});
  CHECK(
      PatchOf(R"({"s":{"o":1},"g":1})", R"({"s":{"n":null}})", PatchPart::kAll, Removals::kSent) ==
      Body{kJson, R"([{"op":"add","path":"/s","value":{"n":null}},{"op":"remove","path":"/g"},)"
                  R"({"op":"add","path":"/metadata/resourceVersion","value":"7"}])"});
}

}  // namespace object_patch_test
}  // namespace migrate::rewrite
