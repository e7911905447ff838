#include "migrate/cluster/spool.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace migrate::cluster {
namespace {

ListedObject Object(int number) {
  const std::string text = std::to_string(number);
  return {"shop", "w" + text, "uid-" + text, "1" + text, 1};
}

ObjectAnswer Rewritten() {
  return {
      .object_class = report::ObjectClass::kRewritten, .resource_version = "99", .generation = 1};
}

ObjectAnswer Denied(const std::string& message) {
  return {.object_class = report::ObjectClass::kDenied,
          .code = 403,
          .reason = "Forbidden",
          .message = message};
}

struct Folder : test_support::TempFolder {
  Spool Open(const std::string& purpose = "test") const { return {path(), "run", purpose}; }
  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path() + "/" + name, std::ios::binary).rdbuf();
    return text.str();
  }
  /// Pages of two objects: 0 and 1, 2 and 3.
  void List(Spool& spool) const {
    for (int i = 0; i < 4; ++i) {
      spool.Add(Object(i));
      if (i % 2 == 1) spool.EndPage(i == 3 ? "" : "token");
    }
  }
};

std::string NextName(Spool& spool) {
  const auto next = spool.Next();
  return next ? std::to_string(next->number) + next->object.name : "none";
}

TEST_CASE("Objects come out once their page is safe, in their order", "[migrate][spool]") {
  const Folder folder;
  Spool spool = folder.Open();
  CHECK_FALSE(spool.is_complete());
  CHECK(NextName(spool) == "none");
  spool.Add(Object(0));
  CHECK(NextName(spool) == "none");
  CHECK(spool.listed() == 0);
  spool.EndPage("token");
  CHECK(spool.listed() == 1);
  CHECK(spool.continue_token() == "token");
  CHECK(spool.last_key() == "shop/w0");
  CHECK(NextName(spool) == "0w0");
  CHECK(NextName(spool) == "none");
  spool.Add(Object(1));
  spool.EndPage("");
  CHECK(spool.is_complete());
  CHECK(NextName(spool) == "1w1");
}

TEST_CASE("A page that is dropped was never there", "[migrate][spool]") {
  const Folder folder;
  Spool spool = folder.Open();
  spool.Add(Object(0));
  spool.EndPage("token");
  spool.Add(Object(7));
  spool.DropPage();
  spool.Add(Object(1));
  spool.EndPage("");
  CHECK(spool.listed() == 2);
  CHECK(NextName(spool) == "0w0");
  CHECK(NextName(spool) == "1w1");
  CHECK(folder.Read("run.listed").find("w7") == std::string::npos);
}

TEST_CASE("Answers are counted, and the rest was not tried", "[migrate][spool]") {
  const Folder folder;
  Spool spool = folder.Open();
  folder.List(spool);
  spool.Answer(0, Rewritten());
  spool.Answer(3, Denied("no"));
  spool.Answer(2, Denied("never"));
  CHECK(spool.counts()[report::ObjectClass::kRewritten] == 1);
  CHECK(spool.counts()[report::ObjectClass::kDenied] == 2);
  CHECK(spool.counts()[report::ObjectClass::kNotTried] == 1);
  CHECK(spool.counts().Total() == 4);
  CHECK_FALSE(spool.is_answered());
  const auto failures = spool.Failures();
  REQUIRE(failures.size() == 2);
  CHECK(failures[0].namespace_ == "shop");
  CHECK(failures[0].name == "w2");
  CHECK(failures[0].message == "never");
  CHECK(failures[1].name == "w3");
  CHECK(failures[1].object_class == report::ObjectClass::kDenied);
  CHECK(failures[1].code == 403);
  CHECK(failures[1].reason == "Forbidden");
}

TEST_CASE("Another run goes on where the first was", "[migrate][spool]") {
  const Folder folder;
  {
    Spool spool = folder.Open();
    folder.List(spool);
    ObjectAnswer moved = Rewritten();
    moved.generation_moved = true;
    spool.Answer(1, moved);
    spool.Answer(2, Denied("no"));
    spool.Flush();
  }
  Spool spool = folder.Open();
  CHECK(spool.is_complete());
  CHECK(spool.listed() == 4);
  CHECK(spool.last_key() == "shop/w3");
  CHECK(spool.counts()[report::ObjectClass::kRewritten] == 1);
  CHECK(spool.generations_moved() == 1);
  // What failed is tried again.
  CHECK(spool.Failures().empty());
  CHECK(NextName(spool) == "0w0");
  CHECK(NextName(spool) == "2w2");
  CHECK(NextName(spool) == "3w3");
  CHECK(NextName(spool) == "none");
}

TEST_CASE("What was held is asked for again", "[migrate][spool]") {
  const Folder folder;
  {
    Spool spool = folder.Open();
    folder.List(spool);
    spool.Answer(1, {.object_class = report::ObjectClass::kHeld});
    CHECK(spool.counts()[report::ObjectClass::kHeld] == 1);
    spool.Flush();
  }
  Spool spool = folder.Open();
  CHECK(spool.counts()[report::ObjectClass::kHeld] == 0);
  spool.Answer(1, Rewritten());
  spool.Flush();
  CHECK(folder.Open().counts()[report::ObjectClass::kRewritten] == 1);
}

TEST_CASE("A spool for something else is not taken up", "[migrate][spool]") {
  const Folder folder;
  {
    Spool spool = folder.Open("one");
    folder.List(spool);
    spool.Answer(0, Rewritten());
    spool.Flush();
  }
  Spool spool = folder.Open("other");
  CHECK(spool.listed() == 0);
  CHECK(folder.Read("run.answered").empty());
  CHECK(Spool(folder.path(), "run").listed() == 0);
}

TEST_CASE("A spool is read whatever it was for", "[migrate][spool]") {
  const Folder folder;
  {
    Spool spool = folder.Open("one");
    folder.List(spool);
  }
  CHECK(Spool(folder.path(), "run").listed() == 4);
}

TEST_CASE("Files that end anywhere are taken up to their last good place", "[migrate][spool]") {
  const Folder folder;
  {
    Spool spool = folder.Open();
    folder.List(spool);
    for (const int i : {1, 0, 3, 2}) spool.Answer(static_cast<std::uint64_t>(i), Rewritten());
    spool.Flush();
  }
  const std::string listed = folder.Read("run.listed"), answered = folder.Read("run.answered");
  const std::size_t first_page = listed.find("page"), second_page = listed.rfind("page");
  const std::size_t first_end = listed.find('\n', first_page) + 1;
  for (std::size_t size = 0; size <= listed.size(); ++size) {
    CAPTURE(size);
    folder.Write("run.listed", listed.substr(0, size));
    folder.Write("run.answered", answered);
    Spool spool = folder.Open();
    CHECK(spool.listed() == (size < first_end ? 0u : size < listed.size() ? 2u : 4u));
    CHECK(spool.continue_token() == (spool.listed() == 2 ? "token" : ""));
    CHECK(spool.is_complete() == (size == listed.size()));
    CHECK(spool.counts().Total() == spool.listed());
    CHECK(spool.counts()[report::ObjectClass::kRewritten] == spool.listed());
  }
  CHECK(second_page > first_end);
  folder.Write("run.listed", listed);
  for (std::size_t size = 0; size <= answered.size(); ++size) {
    CAPTURE(size);
    folder.Write("run.answered", answered.substr(0, size));
    const auto lines =
        std::count(answered.begin(), answered.begin() + static_cast<long>(size), '\n');
    CHECK(folder.Open().counts()[report::ObjectClass::kRewritten] ==
          static_cast<std::uint64_t>(lines));
    CHECK(folder.Open().listed() == 4);
  }
}

TEST_CASE("A changed byte in a page makes it absent, and all behind it", "[migrate][spool]") {
  const Folder folder;
  {
    Spool spool = folder.Open();
    folder.List(spool);
    spool.Answer(3, Rewritten());
    spool.Flush();
  }
  std::string listed = folder.Read("run.listed");
  listed[listed.find("w2")] = 'v';
  folder.Write("run.listed", listed);
  Spool spool = folder.Open();
  CHECK(spool.listed() == 2);
  // The answer was to an object that is to be listed anew, maybe under another number.
  CHECK(spool.counts()[report::ObjectClass::kNotTried] == 2);
  spool.Add(Object(2));
  spool.Add(Object(3));
  spool.EndPage("");
  CHECK(spool.counts()[report::ObjectClass::kNotTried] == 4);
  CHECK(NextName(spool) == "0w0");
}

TEST_CASE("Garbage among the answers ends them", "[migrate][spool]") {
  const std::string garbage =
      GENERATE("\n", "x\n", "9\trewritten\t\t1\t1\t0\t0\t\t\n", "0\trewritten\t\t1\t1\t0\t0\t\t\n",
               "1\tnot-tried\t\t1\t1\t0\t0\t\t\n");
  const Folder folder;
  {
    Spool spool = folder.Open();
    folder.List(spool);
    spool.Answer(0, Rewritten());
    spool.Flush();
  }
  const std::string answered = folder.Read("run.answered");
  folder.Write("run.answered", answered + garbage + "2\trewritten\t\t1\t1\t0\t0\t\t\n");
  Spool spool = folder.Open();
  CHECK(spool.counts()[report::ObjectClass::kRewritten] == 1);
  spool.Answer(1, Rewritten());
  spool.Flush();
  CHECK(folder.Open().counts()[report::ObjectClass::kRewritten] == 2);
}

TEST_CASE("A file that changes under a run is noticed", "[migrate][spool]") {
  const Folder folder;
  Spool spool = folder.Open();
  folder.List(spool);
  folder.Write("run.listed", "gone");
  CHECK_THROWS_AS(spool.Next(), kube::base::Error);
}

TEST_CASE("Keys have etcd's order", "[migrate][spool]") {
  // "-" comes before "/", so the namespace a-b before all of a.
  CHECK(ObjectKey({"a-b", "x", "", "", 0}) < ObjectKey({"a", "x", "", "", 0}));
  CHECK(ObjectKey({"", "x", "", "", 0}) == "x");
}

}  // namespace
}  // namespace migrate::cluster
