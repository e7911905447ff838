#include "plugin/output.h"

#include <catch2/catch.hpp>

namespace plugin {
namespace {

using kube::json::Value;

TEST_CASE("O4: JSON holds no bytes that steer a terminal", "[plugin][output]") {
  const std::string text =
      "\x1B[2J\x7F\xC2\x9B"
      "31m\xC3\xA9";
  CHECK(PrintValue(Value::String(text), OutputFormat::kJson) ==
        "\"\\u001b[2J\\u007f\\u009b31m\xC3\xA9\"\n");
}

TEST_CASE("O4: YAML holds no bytes that steer a terminal", "[plugin][output]") {
  const std::string text =
      "\x1B[2J\x7F\xC2\x9B"
      "31m\xC3\xA9";
  const std::string out = PrintValue(Value::String(text), OutputFormat::kYaml);
  CHECK(out.find_first_of("\x1B\x7F") == std::string::npos);
  CHECK(out.find("\xC2\x9B") == std::string::npos);
}

TEST_CASE("O5: A dumb terminal has no line that can be written over", "[plugin][output]") {
  CHECK(CanRewriteLines("xterm-256color"));
  CHECK_FALSE(CanRewriteLines("dumb"));
  CHECK_FALSE(CanRewriteLines(""));
  CHECK_FALSE(CanRewriteLines(nullptr));
}

}  // namespace
}  // namespace plugin
