#include "migrate/restore/restore_patch.h"

#include <catch2/catch.hpp>
#include <string>

#include "kube/json/json.h"

namespace migrate::restore {
namespace restore_patch_test {

struct Body {
  std::string type, text;

  bool operator==(const Body&) const = default;
};

Body PatchOf(std::string_view live, std::string_view restored, PatchPart part = PatchPart::kAll) {
  kube::json::Document from, to;
  REQUIRE(!from.Parse(live));
  REQUIRE(!to.Parse(restored));
  const auto patch = MakePatch(from.root(), to.root(), "7", part);
  return patch ? Body{patch->content_type, patch->body} : Body{};
}

constexpr char kMerge[] = "application/merge-patch+json", kJson[] = "application/json-patch+json";

TEST_CASE("A merge patch has what is new, and the resource version", "[migrate][restore_patch]") {
  CHECK(PatchOf(R"({"spec":{"a":1,"m":{"x":1}},"b":[1]})",
                R"({"spec":{"a":1,"m":{"x":1,"y":2},"o":{"p":[4]}},"b":[1],"n":3})") ==
        Body{kMerge,
             R"({"metadata":{"resourceVersion":"7"},"spec":{"m":{"y":2},"o":{"p":[4]}},"n":3})"});
}

TEST_CASE("Lists are sent as a whole", "[migrate][restore_patch]") {
  CHECK(PatchOf(R"({"s":{"l":[{"a":1},{"a":2}]}})", R"({"s":{"l":[{"a":1,"o":1},{"a":2}]}})") ==
        Body{kMerge, R"({"metadata":{"resourceVersion":"7"},"s":{"l":[{"a":1,"o":1},{"a":2}]}})"});
}

TEST_CASE("Nothing that differs is no patch", "[migrate][restore_patch]") {
  CHECK(PatchOf(R"({"a":1,"l":[1.0]})", R"({"l":[1],"a":1})") == Body{});
}

TEST_CASE("The status has a patch of its own", "[migrate][restore_patch]") {
  const std::string live = R"({"spec":{},"status":{}})";
  const std::string restored = R"({"spec":{"o":1},"status":{"p":2}})";
  CHECK(PatchOf(live, restored, PatchPart::kAllButStatus).text ==
        R"({"metadata":{"resourceVersion":"7"},"spec":{"o":1}})");
  CHECK(PatchOf(live, restored, PatchPart::kStatus).text ==
        R"({"metadata":{"resourceVersion":"7"},"status":{"p":2}})");
  CHECK(PatchOf(live, R"({"spec":{},"status":{"p":2}})", PatchPart::kAllButStatus) == Body{});
}

TEST_CASE("A null comes back by a JSON patch", "[migrate][restore_patch]") {
  CHECK(PatchOf(R"({"spec":{"a/b":{"c~d":{}}}})", R"({"spec":{"a/b":{"c~d":{"n":null}},"x":1}})") ==
        Body{kJson, R"([{"op":"add","path":"/metadata/resourceVersion","value":"7"},)"
                    R"({"op":"add","path":"/spec/a~1b/c~0d/n","value":null},)"
                    R"({"op":"add","path":"/spec/x","value":1}])"});
}

TEST_CASE("A null in a list does not survive a merge patch either", "[migrate][restore_patch]") {
  CHECK(PatchOf("{}", R"({"l":[1,null]})").type == kJson);
  CHECK(PatchOf("{}", R"({"l":[{"a":{"b":null}}]})").type == kJson);
}

TEST_CASE("A JSON patch has no more operations than a server takes", "[migrate][restore_patch]") {
  std::string restored = R"({"spec":{"n":null)";
  for (int i = 0; i < 6000; ++i) restored += ",\"f" + std::to_string(i) + "\":1";
  restored += "}}";
  const Body patch = PatchOf(R"({"spec":{}})", restored);
  CHECK(patch.type == kJson);
  CHECK(patch.text.find("\"path\":\"/spec\"") != std::string::npos);
  CHECK(patch.text.find("\"/spec/") == std::string::npos);
}

}  // namespace restore_patch_test
}  // namespace migrate::restore
