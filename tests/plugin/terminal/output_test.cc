#include "plugin/terminal/output.h"

#include <catch2/catch.hpp>

namespace plugin::terminal {
namespace {

using kube::json::Value;

// Clears the screen, DEL, CSI as one C1 control, a letter, and the words behind turned around.
const std::string kHostile =
    "\x1B[2J\x7F\xC2\x9B"
    "31m\xC3\xA9\xE2\x80\xAEx\xD8\x9C\xE2\x82\xAC";

TEST_CASE("O4: JSON holds no bytes that steer a terminal", "[plugin][output]") {
  CHECK(PrintValue(Value::String(kHostile), OutputFormat::kJson) ==
        "\"\\u001b[2J\\u007f\\u009b31m\xC3\xA9\\u202ex\\u061c\xE2\x82\xAC\"\n");
}

TEST_CASE("O4: YAML holds no bytes that steer a terminal", "[plugin][output]") {
  CHECK(PrintValue(Value::String(kHostile), OutputFormat::kYaml) ==
        "\"\\e[2J\\x7F\\x9B31m\xC3\xA9\\u202Ex\\u061C\xE2\x82\xAC\"\n");
}

TEST_CASE("O5: A dumb terminal has no line that can be written over", "[plugin][output]") {
  CHECK(CanColour("xterm", nullptr));
  CHECK(CanColour("xterm", ""));
  CHECK_FALSE(CanColour("xterm", "1"));
  CHECK_FALSE(CanColour("dumb", nullptr));
  CHECK(CanRewriteLines("xterm-256color"));
  CHECK_FALSE(CanRewriteLines("dumb"));
  CHECK_FALSE(CanRewriteLines(""));
  CHECK_FALSE(CanRewriteLines(nullptr));
}

}  // namespace
}  // namespace plugin::terminal
