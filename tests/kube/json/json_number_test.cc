#include <catch2/catch.hpp>
#include <limits>

#include "kube/json/json.h"

namespace kube::json {
namespace json_number_test {

// All expected texts are what Go prints.

TEST_CASE("Floats are printed as by encoding/json", "[json]") {
  const auto [value, text] = GENERATE(table<double, std::string>({
      {0.0, "0"},
      {-0.0, "-0"},
      {1.0, "1"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {0.000001, "0.000001"},
      {9.99e-7, "9.99e-7"},
      {1e-7, "1e-7"},
      {-2.5e-10, "-2.5e-10"},
      {1e20, "100000000000000000000"},
      {1e21, "1e+21"},
      {12345678901234567890.0, "12345678901234567000"},
      {-9.223372036854776e18, "-9223372036854776000"},
      {999999999999999900000.0, "999999999999999900000"},
      {1.2345678901234568e+22, "1.2345678901234568e+22"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {123456.789, "123456.789"},
  }));
  CHECK(FormatFloat(value) == text);
}

TEST_CASE("Floats are printed as by %v", "[json]") {
  const auto [value, text] = GENERATE(table<double, std::string>({
      {0.0, "0"},
      {-0.0, "-0"},
      {100000.0, "100000"},
      {1e6, "1e+06"},
      {123456789.0, "1.23456789e+08"},
      {100000.5, "100000.5"},
      {1234567.5, "1.2345675e+06"},
      {0.0001, "0.0001"},
      {0.00001, "1e-05"},
      {1e21, "1e+21"},
      {1e100, "1e+100"},
  }));
  CHECK(FormatFloatG(value) == text);
  CHECK(FormatFloatG(std::numeric_limits<double>::infinity()) == "+Inf");
  CHECK(FormatFloatG(-std::numeric_limits<double>::infinity()) == "-Inf");
  CHECK(FormatFloatG(std::numeric_limits<double>::quiet_NaN()) == "NaN");
}

// strconv.FormatFloat(value, 'f', -1, 64), as the vectors of cel_formats.jsonl have it.
TEST_CASE("Floats are printed without an exponent, in the shortest digits", "[json]") {
  const auto [value, text] = GENERATE(table<double, std::string>({
      {0.0, "0"},
      {-0.4, "-0.4"},
      {1.5e-7, "0.00000015"},
      {123456.789, "123456.789"},
      {1e23, "100000000000000000000000"},
      {123456789012345678901.0, "123456789012345680000"},
  }));
  CHECK(FormatFloatF(value) == text);
}

}  // namespace json_number_test
}  // namespace kube::json
