#include <catch2/catch.hpp>

#include "migrate/cluster/object_metadata.h"

namespace migrate::cluster {
namespace {

TEST_CASE("A resource version that is a decimal number is read as one",
          "[migrate][resource_version]") {
  CHECK(NumberOf("1") == 1);
  CHECK(NumberOf("18446744073709551615") == 18446744073709551615U);
  for (const char* none : {"", "0", "-1", "1a", " 1", "0x1", "18446744073709551616"}) {
    CHECK(NumberOf(none) == 0);
  }
}

}  // namespace
}  // namespace migrate::cluster
