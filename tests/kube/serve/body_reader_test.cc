#include <catch2/catch.hpp>

#include "kube/serve/request_reader.h"

namespace kube::serve {
namespace {

constexpr BodyReader::Limits kSmall{.body_bytes = 10, .line_bytes = 20};

/// What is read of bytes that come in pieces, then how it ends, then what is left behind it.
std::string ReadBody(BodyReader reader, std::string_view bytes, std::size_t piece) {
  std::string kept;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    kept.append(bytes.substr(0, piece));
    kept.erase(0, reader.Take(kept));
  }
  const char* ends[] = {" more ", " done ", " too large ", " malformed "};
  return reader.body() + ends[static_cast<std::size_t>(reader.state())] + kept;
}

TEST_CASE("A body of a length ends where it says", "[kube][serve]") {
  const std::size_t piece = GENERATE(1u, 2u, 100u);
  CHECK(ReadBody({3, kSmall}, "abcGET", piece) == "abc done GET");
  CHECK(ReadBody({10, kSmall}, "0123456789", piece) == "0123456789 done ");
  CHECK(ReadBody({0, kSmall}, "GET", piece) == " done GET");
  CHECK(ReadBody({4, kSmall}, "abc", piece) == "abc more ");
}

TEST_CASE("A body that will be too large is not begun with", "[kube][serve]") {
  CHECK(ReadBody({11, kSmall}, "a", 1) == " too large a");
  CHECK(ReadBody({UINT64_MAX, kSmall}, "a", 1) == " too large a");
}

TEST_CASE("Chunks are put together, without what is said about them", "[kube][serve]") {
  const std::size_t piece = GENERATE(1u, 2u, 3u, 100u);
  const auto [bytes, result] = GENERATE(table<std::string, std::string>({
      {"0\r\n\r\nGET", " done GET"},
      {"3\r\nabc\r\n02 \r\nde\r\n0\r\n\r\n", "abcde done "},
      {"A\r\n0123456789\r\n0\r\n\r\n", "0123456789 done "},
      {"1;x=\"y\"\r\na\r\n0;z\r\n\r\n", "a done "},
      {"0\r\nX: a\r\nY: b\r\n\r\nGET", " done GET"},
      {"2\r\n\r\n\r\n0\r\n\r\n", "\r\n done "},
  }));
  CAPTURE(bytes, piece);
  CHECK(ReadBody({std::nullopt, kSmall}, bytes, piece) == result);
}

TEST_CASE("Chunks that are none, or have no end, are malformed", "[kube][serve]") {
  const std::size_t piece = GENERATE(1u, 3u, 100u);
  const std::string bytes = GENERATE(
      "\r\n", "x\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", " 1\r\n", "1x\r\na", "11112222333344445\r\n",
      "0\n\r\n", "0\r\nX\n\r\n", "2\r\nabc", "2\r\nab\rc", "1;345678901234567890",
      "0\r\nX: 345678901234567890", "0\r\nX: 34567890\r\nX: 34567890\r\n");
  CAPTURE(bytes, piece);
  CHECK_THAT(ReadBody({std::nullopt, kSmall}, bytes, piece), Catch::Contains(" malformed "));
}

TEST_CASE("Chunks that are too large together are refused before they come", "[kube][serve]") {
  const std::string bytes = GENERATE("b\r\n", "ffffffffffffffff\r\n", "9\r\n012345678\r\n2\r\n");
  CHECK_THAT(ReadBody({std::nullopt, kSmall}, bytes, 1), Catch::Contains(" too large "));
}

}  // namespace
}  // namespace kube::serve
