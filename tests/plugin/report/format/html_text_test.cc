#include <catch2/catch.hpp>

#include "plugin/report/renderers.h"

TEST_CASE("Text is neither markup nor the end of an attribute", "[plugin][page]") {
  CHECK(plugin::report::Html("<script>alert('x')</script>") ==
        "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
  CHECK(plugin::report::Html("\" onload=\"x") == "&quot; onload=&quot;x");
  CHECK(plugin::report::Html("&lt;") == "&amp;lt;");
}

TEST_CASE("What turns the writing around or steers a terminal is shown", "[plugin][page]") {
  CHECK(plugin::report::Html("a\xE2\x80\xAE"
                             "b") == "a\\u202eb");
  CHECK(plugin::report::Html("\x1B[31m") == "^[[31m");
  CHECK(plugin::report::Html("a\nb") == "a\\nb");
  CHECK(plugin::report::Html("\xFF") == "\xEF\xBF\xBD");
}

TEST_CASE("JSON in a page cannot end its element, and is the same value", "[plugin][page]") {
  kube::json::Arena arena;
  kube::json::Value value = kube::json::Value::Object();
  const std::string hostile = "</script><!--&\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAE\x7F";
  value.Set("a", kube::json::Value::String(hostile), arena);
  const std::string json = plugin::report::ScriptJson(value);
  CHECK(json == "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028\\u2029\\u202e\\u007f\"}");
  kube::json::Document read;
  REQUIRE_FALSE(read.Parse(json));
  CHECK(read.root().FindText("a") == hostile);
}
