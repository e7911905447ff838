#include <catch2/catch.hpp>

#include "migrate/migration/lease_keeper.h"

namespace migrate::migration {
namespace holder_test {

TEST_CASE("A holder is named by user, host, process and a number", "[migrate][lease]") {
  const Holder alice{"alice", "bastion", 4711, 0x75bcd15};
  CHECK(IdentityOf(alice) == "alice@bastion/4711/00000000075bcd15");
  CHECK(ReadHolder(IdentityOf(alice)) == alice);
  CHECK(DescribeHolder(IdentityOf(alice)) == "alice@bastion (process 4711)");
}

TEST_CASE("What would part a name otherwise does not stay in it", "[migrate][lease]") {
  const std::string identity = IdentityOf({"a@b/c\n\x1b", "", 1, ~std::uint64_t{0}});
  CHECK(identity == "a_b_c__@_/1/ffffffffffffffff");
  CHECK(ReadHolder(identity) == Holder{"a_b_c__", "_", 1, ~std::uint64_t{0}});
  CHECK(IdentityOf({std::string(300, 'x'), "h", 1, 0}) ==
        std::string(100, 'x') + "@h/1/0000000000000000");
}

TEST_CASE("The holder of another program is quoted as it is", "[migrate][lease]") {
  const std::string identity =
      GENERATE("", "b", "alice@bastion", "alice@bastion/4711", "alice@bastion/4711/75bcd15",
               "alice@bastion/x/00000000075bcd15", "alice@bastion/4711/00000000075bcd1g");
  CAPTURE(identity);
  CHECK_FALSE(ReadHolder(identity));
  CHECK(DescribeHolder(identity) == "\"" + identity + "\"");
}

TEST_CASE("Whoever holds a Lease steers no terminal", "[migrate][lease]") {
  const std::string identity = "a\x1b[2J@bastion/4711/00000000075bcd15";
  CHECK_FALSE(ReadHolder(identity));
  CHECK(DescribeHolder(identity) == R"("a\x1b[2J@bastion/4711/00000000075bcd15")");
}

}  // namespace holder_test
}  // namespace migrate::migration
