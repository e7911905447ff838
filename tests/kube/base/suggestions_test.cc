#include "kube/base/suggestions.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::base {
namespace suggestions_test {

using Names = std::vector<std::string_view>;

TEST_CASE("A command is suggested for what is close to it", "[kube][suggestions]") {
  const Names known = {"check", "help", "migrate", "version"};
  CHECK(Suggest("chek", known) == Names{"check"});
  CHECK(Suggest("hcekx", known) == Names{});
  CHECK(Suggest("mig", known) == Names{"migrate"});
  CHECK(Suggest("versoin", known) == Names{"version"});
  CHECK(Suggest("he", known) == Names{"help"});
  CHECK(Suggest("halb", known) == Names{});
  CHECK(Suggest("halp", known) == Names{"help"});
  CHECK(Suggest("hepl", known) == Names{"help"});
  CHECK(Suggest("diff", known) == Names{});
  CHECK(Suggest("", known) == Names{});
  CHECK(Suggest(std::string(1000, 'x'), known) == Names{});
}

}  // namespace suggestions_test
}  // namespace kube::base
