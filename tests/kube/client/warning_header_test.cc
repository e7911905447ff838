#include <catch2/catch.hpp>

#include "kube/client/response_head.h"

namespace kube::client {
namespace warning_header_test {

using Texts = std::vector<std::string>;

Texts TextsOf(const std::string& header) {
  ResponseHead head;
  head.headers = {{"Warning", header}};
  return WarningTexts(head);
}

// What ParseWarningHeaders of apimachinery pkg/util/net takes.
TEST_CASE("O6: Warnings are read as apimachinery reads them", "[kube][warning]") {
  const auto [header, want] = GENERATE(table<std::string, Texts>({
      {R"(299 - "v1beta1 is deprecated")", {"v1beta1 is deprecated"}},
      {R"(  299 - "a")", {"a"}},
      {R"(299 - "a \"b\" \\ \c")", {R"(a "b" \ c)"}},
      {R"(299 - "a" "Tue, 15 Nov 1994 08:12:31 GMT")", {"a"}},
      {R"(299 - "a", 299 agent "b" "date" , 299 - "c")", {"a", "b", "c"}},
      {R"(199 - "a", 299 - "b")", {"b"}},
      {R"(299 - "")", {""}},
      {"299 - \"gr\xC3\xBC\xC3\x9F\"", {"gr\xC3\xBC\xC3\x9F"}},
      {"", {}},
      {"299", {}},
      {"299 -", {}},
      {R"(299  "a")", {}},
      {R"(29 - "a")", {}},
      {R"(2999 - "a")", {}},
      {R"(abc - "a")", {}},
      {R"(299 - a)", {}},
      {R"(299 - "a)", {}},
      {R"(299 - "a\)", {}},
      {R"(299 - "a" x)", {}},
      {R"(299 - "a" "date)", {}},
      {R"(299 - "a", nonsense, 299 - "b")", {"a"}},
      {"299 - \"a\x1b[31m\"", {}},
      {"299 - \"a\xC2\x9B\"", {}},
      {"299 - \"a\xFF\"", {}},
  }));
  CAPTURE(header);
  CHECK(TextsOf(header) == want);
}

TEST_CASE("Every Warning header counts, a bad one ends only itself", "[kube][warning]") {
  ResponseHead head;
  head.headers = {
      {"Warning", R"(299 - "a")"}, {"X", "y"}, {"warning", "bad"}, {"WARNING", R"(299 - "a")"}};
  CHECK(WarningTexts(head) == Texts{"a", "a"});
}

}  // namespace warning_header_test
}  // namespace kube::client
