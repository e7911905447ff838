#include <catch2/catch.hpp>

#include "kube/client/credentials.h"

namespace kube::client {
namespace {

TEST_CASE("What cannot stand in a header is told apart", "[kube][credentials]") {
  CHECK(FitsHeader(""));
  CHECK(FitsHeader("a b\tc \xC3\xBC"));
  for (const std::string_view value : {"a\n", "a\r\nX: 1", "\x1B[1m", "\x7F"}) {
    CHECK_FALSE(FitsHeader(value));
  }
  CHECK(HeaderMisfit("the token") == "the token has control characters, which no header can carry");
}

}  // namespace
}  // namespace kube::client
