#include <catch2/catch.hpp>

#include "migrate/cluster/private_file.h"

namespace migrate::cluster {
namespace {

TEST_CASE("A name that a file may have is kept", "[migrate][file_name]") {
  CHECK(FileName("widgets.demo.example.com") == "widgets.demo.example.com");
  CHECK(FileName("a:b_C-1") == "a:b_C-1");
}

TEST_CASE("A name that no file should have is replaced, and told apart", "[migrate][file_name]") {
  const std::string name = GENERATE(as<std::string>(), "../../etc/cron.d/x", "/etc/passwd", "a b",
                                    "a\nb", "\x1B[2J", "caf\xC3\xA9", "\x7F");
  const std::string file = FileName(name);
  CAPTURE(name, file);
  CHECK(file.find_first_of("/ \n\x1B\x7F\xC3") == std::string::npos);
  CHECK(file == FileName(name));
  CHECK(file != FileName(name + "/"));
}

TEST_CASE("A name that is too long is cut, and told apart", "[migrate][file_name]") {
  const std::string longest(300, 'a');
  CHECK(FileName(longest + "1").size() == kLongestFileName);
  CHECK(FileName(longest + "1") != FileName(longest + "2"));
  CHECK(FileName(longest, 60).size() == 60);
}

}  // namespace
}  // namespace migrate::cluster
