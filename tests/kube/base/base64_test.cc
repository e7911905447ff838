#include "kube/base/base64.h"

#include <catch2/catch.hpp>

namespace kube::base {
namespace {

std::string Decode(std::string_view text) {
  const auto decoded = DecodeBase64(text);
  return decoded ? "ok: " + *decoded : decoded.error();
}

// What Go's base64.StdEncoding says.
TEST_CASE("Base64 is decoded as Go decodes it", "[base64]") {
  const auto [text, want] = GENERATE(table<std::string, std::string>({
      {"", "ok: "},
      {"YQ==", "ok: a"},
      {"YWI=", "ok: ab"},
      {"YWJj", "ok: abc"},
      {"YW\nJj\r\n", "ok: abc"},
      {"YQ=\n=", "ok: a"},
      {"YWJjZA==", "ok: abcd"},
      {"YQ", "illegal base64 data at input byte 0"},
      {"YWJjYQ", "illegal base64 data at input byte 4"},
      {"Y", "illegal base64 data at input byte 0"},
      {"YWJj!", "illegal base64 data at input byte 4"},
      {"Y===", "illegal base64 data at input byte 1"},
      {"=", "illegal base64 data at input byte 0"},
      {"YQ=", "illegal base64 data at input byte 3"},
      {"YQ=a", "illegal base64 data at input byte 2"},
      {"YQ=\nx", "illegal base64 data at input byte 3"},
      {"YQ==\n\nx", "illegal base64 data at input byte 6"},
      {"YWJjYQ\n", "illegal base64 data at input byte 5"},
      {"YQ==YQ==", "illegal base64 data at input byte 4"},
      {"-_8=", "illegal base64 data at input byte 0"},
  }));
  CAPTURE(text);
  CHECK(Decode(text) == want);
}

TEST_CASE("Base64 for URLs is read with its signs alone", "[base64]") {
  using kube::base::Base64Alphabet;
  CHECK(*kube::base::DecodeBase64("_-A=", Base64Alphabet::kUrl) == "\xff\xe0");
  CHECK(kube::base::DecodeBase64("/wA=", Base64Alphabet::kUrl).error() ==
        "illegal base64 data at input byte 0");
  CHECK(kube::base::DecodeBase64("AAA+", Base64Alphabet::kUrl).error() ==
        "illegal base64 data at input byte 3");
  CHECK(kube::base::DecodeBase64("_-A=").error() == "illegal base64 data at input byte 0");
}

// What Go's base64.RawURLEncoding makes of it.
TEST_CASE("Base64 for URLs has other signs and no padding", "[base64]") {
  const auto [bytes, want] = GENERATE(table<std::string, std::string>({
      {"", ""},
      {"a", "YQ"},
      {"ab", "YWI"},
      {"abc", "YWJj"},
      {"\xff", "_w"},
      {"\xfb\xf0", "-_A"},
      {"\xfb\xff\xfe", "-__-"},
  }));
  CHECK(EncodeBase64Url(bytes) == want);
}

}  // namespace
}  // namespace kube::base
