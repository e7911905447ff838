#include "migrate/cluster/spool_line.h"

#include <catch2/catch.hpp>
#include <string>

namespace migrate::cluster {
namespace {

std::string_view WithoutBreak(const std::string& line) {
  return std::string_view(line).substr(0, line.size() - 1);
}

TEST_CASE("An object is one line", "[migrate][spool_line]") {
  const std::string line = ObjectLine({"shop", "w1", "u-1", "42", 7});
  CHECK(line == "object\tshop\tw1\tu-1\t42\t7\tnone\n");
  const auto object = ReadObjectLine(WithoutBreak(line));
  REQUIRE(object);
  CHECK(object->namespace_ == "shop");
  CHECK(object->name == "w1");
  CHECK(object->uid == "u-1");
  CHECK(object->resource_version == "42");
  CHECK(object->generation == 7);
}

TEST_CASE("A page ends with its checksum and the continue token", "[migrate][spool_line]") {
  CHECK(PageEndLine({"abc=", 12}) == "page\t12\tabc=\n");
  const auto end = ReadPageEndLine("page\t18446744073709551615\t");
  REQUIRE(end);
  CHECK(end->checksum == ~std::uint64_t{0});
  CHECK(end->continue_token.empty());
}

TEST_CASE("An answer is one line", "[migrate][spool_line]") {
  CHECK(AnswerLine(3, {.object_class = report::ObjectClass::kRewritten,
                       .resource_version = "43",
                       .generation = 2,
                       .generation_moved = true}) ==
        "3\trewritten\t\t43\t2\t1\t0\t\t\tnone\t0\t0\n");
  const std::string line = AnswerLine(4, {.object_class = report::ObjectClass::kTooLarge,
                                          .code = 413,
                                          .reason = "R",
                                          .message = "M\n\t\\"});
  CHECK(line == "4\ttoo-large\t\t\t0\t0\t413\tR\tM\\n\\t\\\\\tnone\t0\t0\n");
  const auto read = ReadAnswerLine(WithoutBreak(line));
  REQUIRE(read);
  CHECK(read->number == 4);
  CHECK(read->answer.object_class == report::ObjectClass::kTooLarge);
  CHECK(read->answer.code == 413);
  CHECK(read->answer.reason == "R");
  CHECK(read->answer.message == "M\n\t\\");
  CHECK_FALSE(read->answer.generation_moved);
}

TEST_CASE("What is known of managedFields is kept", "[migrate][spool_line]") {
  const std::string object = ObjectLine({"", "w1", "u-1", "42", 7, EntryState::kStale});
  CHECK(object == "object\t\tw1\tu-1\t42\t7\tstale\n");
  CHECK(ReadObjectLine(WithoutBreak(object))->entries == EntryState::kStale);
  const std::string answer = AnswerLine(3, {.object_class = report::ObjectClass::kRewritten,
                                            .entries = EntryState::kSome,
                                            .entries_cleaned = 2,
                                            .are_entries_emptied = true});
  const auto read = ReadAnswerLine(WithoutBreak(answer));
  REQUIRE(read);
  CHECK(read->answer.entries == EntryState::kSome);
  CHECK(read->answer.entries_cleaned == 2);
  CHECK(read->answer.are_entries_emptied);
}

TEST_CASE("Lines of before tell nothing of managedFields", "[migrate][spool_line]") {
  const auto object = ReadObjectLine("object\tshop\tw1\tu-1\t42\t7");
  REQUIRE(object);
  CHECK(object->entries == EntryState::kNone);
  const auto answer = ReadAnswerLine("3\trewritten\t\t43\t2\t1\t0\t\t");
  REQUIRE(answer);
  CHECK(answer->answer.entries == EntryState::kNone);
  CHECK_FALSE(ReadObjectLine("object\tshop\tw1\tu-1\t42\t7\tfew"));
  CHECK_FALSE(ReadAnswerLine("3\trewritten\t\t43\t2\t1\t0\t\t\tsome"));
}

TEST_CASE("Any text is kept as it is", "[migrate][spool_line]") {
  const std::string hostile("\t\n\\t\r\0\x1b\xff", 8);
  const std::string line = ObjectLine({"", hostile, hostile, hostile, 0});
  CHECK(line.find('\n') == line.size() - 1);
  const auto object = ReadObjectLine(WithoutBreak(line));
  REQUIRE(object);
  CHECK(object->name == hostile);
  CHECK(object->resource_version == hostile);
}

TEST_CASE("What is none of our lines is absent", "[migrate][spool_line]") {
  const std::string line =
      GENERATE("", "object", "object\ta\tb\tc\td", "object\ta\tb\tc\td\t", "object\ta\tb\tc\td\t1x",
               "object\ta\tb\tc\td\t1\t", "object\ta\tb\\x\tc\td\t1", "object\ta\tb\\\tc\td\t1",
               "page", "page\t1", "page\tx\ty", "page\t-1\ty", "page\t1\ty\t", "1", "1\trewritten",
               "1\trewrote\t\t43\t2\t1\t0\t\t", "x\trewritten\t\t43\t2\t1\t0\t\t",
               "1\trewritten\t\t43\t2\t1\t0\t",
               "99999999999999999999\trewritten\t\t43\t2\t1\t0\t\t", "\t\t\t\t\t\t\t\t");
  CAPTURE(line);
  CHECK_FALSE(ReadObjectLine(line));
  CHECK_FALSE(ReadPageEndLine(line));
  CHECK_FALSE(ReadAnswerLine(line));
}

TEST_CASE("A checksum goes on where it was, and sees every byte", "[migrate][spool_line]") {
  CHECK(Checksum("a") == 0xaf63dc4c8601ec8c);  // a published value of FNV-1a
  CHECK(Checksum("foobar") == 0x85944171f73967e8);
  CHECK(Checksum("bar", Checksum("foo")) == Checksum("foobar"));
}

}  // namespace
}  // namespace migrate::cluster
