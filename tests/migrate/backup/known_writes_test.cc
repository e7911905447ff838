#include "migrate/rewrite/known_writes.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace {

namespace fs = std::filesystem;
using test_support::TempFolder;

constexpr std::int64_t kGeneration = 7;

cluster::ListedObject Object(const std::string& uid, const std::string& resource_version) {
  return {.namespace_ = "shop",
          .name = "one",
          .uid = uid,
          .resource_version = resource_version,
          .generation = 1};
}

std::shared_ptr<const KnownWrites> Known(const TempFolder& folder) {
  KnownWritesLog log(folder.path() + "/known", kGeneration);
  log.Add("u1", "100", false);
  log.Add("u2", "90", true);
  log.Finish();
  auto known = KnownWrites::Read(folder.path() + "/known");
  REQUIRE(known);
  return std::make_shared<KnownWrites>(*std::move(known));
}

TEST_CASE("Writes that were noted are known, as of that version only", "[migrate][known_writes]") {
  const TempFolder folder;
  const auto known = Known(folder);
  CHECK(known->generation() == kGeneration);
  CHECK(known->Contains("u1", "100"));
  CHECK(known->Contains("u2", "90"));
  CHECK_FALSE(known->Contains("u1", "90"));
  CHECK_FALSE(known->Contains("u1", "101"));
  CHECK_FALSE(known->Contains("u11", "00"));
}

TEST_CASE("Of known writes those that the backup has can be told from the others",
          "[migrate][known_writes]") {
  const TempFolder folder;
  KnownWrites known = *Known(folder);
  known.KeepBackedUp();
  CHECK(known.Contains("u2", "90"));
  CHECK_FALSE(known.Contains("u2", "91"));
  CHECK_FALSE(known.Contains("u1", "100"));
}

TEST_CASE("Known writes that are not complete are none", "[migrate][known_writes]") {
  const TempFolder folder;
  CHECK_FALSE(KnownWrites::Read(folder.path() + "/known"));
  { KnownWritesLog(folder.path() + "/known", kGeneration).Add("u1", "1", true); }
  CHECK_FALSE(KnownWrites::Read(folder.path() + "/known"));
  folder.Write("known", "torn");
  CHECK_FALSE(KnownWrites::Read(folder.path() + "/known"));
  folder.Write("known", "");
  CHECK_FALSE(KnownWrites::Read(folder.path() + "/known"));
  Known(folder);
  ForgetKnownWrites(folder.path() + "/known");
  CHECK_FALSE(KnownWrites::Read(folder.path() + "/known"));
  ForgetKnownWrites(folder.path() + "/known");
}

TEST_CASE("What is left of a run that was killed is no obstacle", "[migrate][known_writes]") {
  const TempFolder folder;
  folder.Write("known.new", "left");
  CHECK(Known(folder)->Contains("u1", "100"));
}

TEST_CASE("An unknown write is held unless it is surely newer than the flip",
          "[migrate][known_writes]") {
  const TempFolder folder;
  const auto is_held = HoldUnknown(Known(folder), "200");
  CHECK_FALSE(is_held(Object("u1", "100")));
  CHECK(is_held(Object("u1", "150")));
  CHECK(is_held(Object("new", "200")));
  CHECK_FALSE(is_held(Object("new", "201")));
  CHECK(is_held(Object("new", "x300")));
  CHECK(is_held(Object("new", "")));
  CHECK(is_held(Object("new", "99999999999999999999999")));
}

TEST_CASE("Without a comparable version of the flip every unknown write is held",
          "[migrate][known_writes]") {
  const TempFolder folder;
  const std::string flip = GENERATE("", "opaque", "-1", "0x10");
  CAPTURE(flip);
  const auto is_held = HoldUnknown(Known(folder), flip);
  CHECK(is_held(Object("new", "300")));
  CHECK_FALSE(is_held(Object("u1", "100")));
}

}  // namespace
}  // namespace migrate::rewrite
