#include "plugin/cli/flag_set.h"

#include <catch2/catch.hpp>

namespace plugin::cli {
namespace flag_set_test {

using Words = std::vector<std::string>;

struct Values {
  bool local = false;
  int verbosity = 3;
  std::int64_t chunk_size = 500;
  std::string context = "here", dry_run = "none";
  Words files, groups;
};

Words Parse(Values& values, const Words& words, std::string* given = nullptr) {
  FlagSet flags("check");
  flags.Bool("local", values.local);
  flags.Int("v,v", values.verbosity);
  flags.Int64("chunk-size", values.chunk_size);
  flags.String("context", values.context);
  flags.String("dry-run", values.dry_run).value_of_bare = "unchanged";
  flags.Strings("filename,f", values.files, "");
  flags.Array("as-group", values.groups, "");
  Words arguments = flags.Parse(words);
  for (const Flag& flag : flags.flags()) {
    if (given && flags.IsGiven(flag.name)) given->append(flag.name).append(" ");
  }
  return arguments;
}

TEST_CASE("G1: flags set the variables of their types", "[plugin][flag_set]") {
  Values values;
  CHECK(Parse(values, {"a", "--local", "-v=7", "--chunk-size", "5000000000", "--context=", "-fx,y",
                       "-f", "z", "--as-group=p,q", "--dry-run", "b"}) == Words{"a", "b"});
  CHECK(values.local);
  CHECK(values.verbosity == 7);
  CHECK(values.chunk_size == 5'000'000'000);
  CHECK(values.context.empty());
  CHECK(values.dry_run == "unchanged");
  CHECK(values.files == Words{"x", "y", "z"});
  CHECK(values.groups == Words{"p,q"});
}

TEST_CASE("G1: what is not given stays as it was, and is known", "[plugin][flag_set]") {
  Values values;
  std::string given;
  CHECK(Parse(values, {"--filename=", "--local=false"}, &given).empty());
  CHECK(given == "local filename ");
  CHECK(values.verbosity == 3);
  CHECK(values.context == "here");
  CHECK(values.dry_run == "none");
}

TEST_CASE("G1: a wrong flag points to the help of its command", "[plugin][flag_set]") {
  Values values;
  CHECK_THROWS_WITH(Parse(values, {"--local", "--nope"}),
                    "unknown flag: --nope\nSee 'kubectl prune check --help' for usage.");
  CHECK_FALSE(values.local);
}

}  // namespace flag_set_test
}  // namespace plugin::cli
