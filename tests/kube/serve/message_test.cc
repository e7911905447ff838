#include "kube/serve/message.h"

#include <catch2/catch.hpp>

namespace kube::serve {
namespace {

TEST_CASE("A header is found by its name in any case, the first of several", "[kube][serve]") {
  Request request;
  request.headers = {{"Content-Type", "application/json"}, {"X-One", "a"}, {"x-one", "b"}};
  REQUIRE(request.FindHeader("x-ONE"));
  CHECK(*request.FindHeader("x-ONE") == "a");
  CHECK(*request.FindHeader("content-type") == "application/json");
  CHECK(request.FindHeader("X-On") == nullptr);
  CHECK(request.FindHeader("") == nullptr);
}

TEST_CASE("A path is the target without its query", "[kube][serve]") {
  const auto [target, path] = GENERATE(table<std::string, std::string>(
      {{"/warn?timeout=3s", "/warn"}, {"/warn", "/warn"}, {"/a?b?c", "/a"}, {"?", ""}, {"", ""}}));
  Request request;
  request.target = target;
  CHECK(request.path() == path);
}

}  // namespace
}  // namespace kube::serve
