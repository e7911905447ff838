#include <catch2/catch.hpp>
#include <string>

#include "migrate/rewrite/sweep.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace previous_objects_test {

struct World {
  explicit World(int count) {
    cluster::Spool spool(folder.path(), "before", "test");
    for (int i = 0; i < count; ++i) spool.Add({"n", "w" + std::to_string(i), "u", "1", 1});
    spool.EndPage("");
    // Answers are in no order.
    for (int i = count - 1; i >= 0; --i) spool.Answer(static_cast<std::uint64_t>(i), Answer(i));
    spool.Flush();
  }
  static cluster::ObjectAnswer Answer(int number) {
    if (number % 3 == 2) return {.object_class = report::ObjectClass::kInvalid, .code = 422};
    return {.object_class =
                number % 3 == 0 ? report::ObjectClass::kRewritten : report::ObjectClass::kUnchanged,
            .uid = number == 4 ? "another" : "",
            .resource_version = "2" + std::to_string(number),
            .generation = number};
  }
  std::string Read(cluster::Spool& spool, const std::set<report::ObjectClass>& classes) {
    const cluster::Spool before(folder.path(), "before");
    PreviousObjects objects(before, classes, spool);
    while (!objects.is_done()) objects.Advance();
    std::string text;
    while (const auto next = spool.Next()) {
      const cluster::ListedObject& object = next->object;
      text += object.name + " " + object.uid + " " + object.resource_version + " " +
              std::to_string(object.generation) + "; ";
    }
    return text;
  }

  test_support::TempFolder folder;
};

TEST_CASE("Objects come with what they answered", "[migrate][previous_objects]") {
  World world(6);
  cluster::Spool spool(world.folder.path(), "again", "test");
  CHECK(world.Read(spool, {report::ObjectClass::kRewritten, report::ObjectClass::kUnchanged}) ==
        "w0 u 20 0; w1 u 21 1; w3 u 23 3; w4 another 24 4; ");
}

TEST_CASE("A failure answered nothing, so it comes as it was listed",
          "[migrate][previous_objects]") {
  World world(6);
  cluster::Spool spool(world.folder.path(), "again", "test");
  CHECK(world.Read(spool, {report::ObjectClass::kNotTried}) == "w2 u 1 1; w5 u 1 1; ");
}

TEST_CASE("Earlier objects go on where the spool ends", "[migrate][previous_objects]") {
  World world(5000);
  {
    cluster::Spool spool(world.folder.path(), "again", "test");
    const cluster::Spool before(world.folder.path(), "before");
    PreviousObjects objects(before, {report::ObjectClass::kUnchanged}, spool);
    CHECK(objects.remaining() == 1667);
    objects.Advance();
    CHECK_FALSE(objects.is_done());
    CHECK(objects.remaining() == 1667 - spool.listed());
  }
  cluster::Spool spool(world.folder.path(), "again", "test");
  CHECK(spool.listed() == 1000);
  const std::string text = world.Read(spool, {report::ObjectClass::kUnchanged});
  CHECK(spool.listed() == 1667);
  CHECK(text.starts_with("w1 u 21 1; w4 another 24 4; w7 u 27 7; "));
  CHECK(text.find("w2998 u 22998 2998; w3001 u 23001 3001; ") != std::string::npos);
  CHECK(text.ends_with("w4999 u 24999 4999; "));
}

TEST_CASE("A sweep that was never there has no objects", "[migrate][previous_objects]") {
  World world(0);
  cluster::Spool spool(world.folder.path(), "again", "test");
  const cluster::Spool none(world.folder.path(), "none");
  PreviousObjects objects(none, {report::ObjectClass::kUnchanged}, spool);
  objects.Advance();
  CHECK(objects.is_done());
  CHECK(spool.listed() == 0);
}

}  // namespace previous_objects_test
}  // namespace migrate::rewrite
