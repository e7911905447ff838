#include "kube/admission/reply.h"

#include <catch2/catch.hpp>
#include <tuple>

#include "kube/base/utf8.h"

namespace kube::admission {
namespace reply_test {

using Texts = std::vector<std::string>;

std::string Repeated(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

TEST_CASE("A warning is one line of at most 120 characters", "[kube][admission]") {
  const auto [text, line] = GENERATE(table<std::string, std::string>({
      {"spec.a will be pruned", "spec.a will be pruned"},
      {"two\nlines\r\n and\t\x1B[31mmore ", "two lines and [31mmore"},
      {"not \xFF UTF-8", "not \uFFFD UTF-8"},
      {"C1 \u0085 too", "C1 too"},
      {" \n", ""},
      {Repeated("a", 120), Repeated("a", 120)},
      {Repeated("a", 121), Repeated("a", 117) + "..."},
      {Repeated("\u00FC", 120), Repeated("\u00FC", 120)},
      {Repeated("\U0001F600", 121), Repeated("\U0001F600", 117) + "..."},
      {Repeated(" ", 100'000) + "far away", "..."},
  }));
  CHECK(WarningLine(text) == line);
}

TEST_CASE("An empty warning is none", "[kube][admission]") {
  Reply reply;
  reply.AddWarning("");
  reply.AddWarning("\n");
  reply.AddWarning("a");
  CHECK(reply.warnings() == Texts{"a"});
}

TEST_CASE("A warning is sent once", "[kube][admission]") {
  CHECK(WarningsWithin({"a", "b", "a"}) == Texts{"a", "b"});
  CHECK(WarningsWithin({}).empty());
}

std::size_t CharactersOf(const Texts& texts) {
  std::size_t count = 0;
  for (const std::string& text : texts) {
    count += static_cast<std::size_t>(base::utf8::CountCharacters(text));
  }
  return count;
}

// apiserver pkg/endpoints/filters/warning.go: truncateAtTotalRunes is 4 * 1024.
TEST_CASE("All warnings together fit what the API server hands on", "[kube][admission]") {
  Texts warnings;
  for (int i = 0; i < 32; ++i)
    warnings.push_back(Repeated("\u00FC", 125) + std::to_string(100 + i));
  REQUIRE(CharactersOf(warnings) == 4096);
  CHECK(WarningsWithin(warnings) == warnings);

  warnings.emplace_back("b");
  Texts some(warnings.begin(), warnings.begin() + 31);
  some.emplace_back("2 more warnings");
  CHECK(WarningsWithin(warnings) == some);
}

}  // namespace reply_test
}  // namespace kube::admission
