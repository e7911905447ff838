#include "kube/meta/typed_reader.h"

#include <catch2/catch.hpp>

namespace kube::meta {
namespace {

/// A reader on its way to spec.names, about to read `value` into `field`.
template <typename T>
std::string ErrorOfReading(const json::Value& value, T& out) {
  TypedReader reader("v1");
  const TypedReader::Step spec(reader, "Root", "spec");
  const TypedReader::Step names(reader, "Spec", "names");
  reader.Read(value, out);
  return reader.error() ? reader.error()->path + " | " + reader.error()->message : "";
}

TEST_CASE("null leaves a field as it is", "[schema][typed_reader]") {
  std::string text = "before";
  std::optional<bool> flag;
  CHECK(ErrorOfReading(json::Value(), text).empty());
  CHECK(ErrorOfReading(json::Value(), flag).empty());
  CHECK(text == "before");
  CHECK(!flag);
}

TEST_CASE("A wrong type names the struct and the way to it", "[schema][typed_reader]") {
  bool flag = false;
  CHECK(ErrorOfReading(json::Value::String("true"), flag) ==
        "spec.names | json: cannot unmarshal string into Go struct field Spec.spec.names of type "
        "bool");
}

TEST_CASE("Integers are written without point or exponent and fit", "[schema][typed_reader]") {
  std::int32_t number = 0;
  CHECK(ErrorOfReading(json::Value::Number("-2147483648"), number).empty());
  CHECK(number == -2147483648);
  const std::string text = GENERATE("2147483648", "1.0", "1e0");
  CHECK(ErrorOfReading(json::Value::Number(text), number) ==
        "spec.names | json: cannot unmarshal number " + text +
            " into Go struct field Spec.spec.names of type int32");
}

TEST_CASE("Keys and indices are in the path but not in Go's message", "[schema][typed_reader]") {
  TypedReader reader("v1");
  const TypedReader::Step field(reader, "Root", "versions");
  const TypedReader::Step index(reader, 2);
  const TypedReader::Step key(reader, "a.b");
  reader.NoteMismatch(json::Value::Array(), GoType::Api("Thing", "[]"));
  CHECK(reader.error()->path == "versions[2][a.b]");
  CHECK(reader.error()->message ==
        "json: cannot unmarshal array into Go struct field Root.versions of type []v1.Thing");
}

TEST_CASE("An error inside an unmarshaler wins and ends the reading", "[schema][typed_reader]") {
  TypedReader reader("v1");
  const TypedReader::Step outer(reader, "Root", "outer");
  reader.NoteMismatch(json::Value::Bool(true), "string");
  {
    const TypedReader::Unmarshaler unmarshaler(reader);
    const TypedReader::Step inner(reader, "Inner", "inner");
    reader.NoteMismatch(json::Value::Bool(true), "int64");
  }
  CHECK(reader.ended());
  CHECK(reader.error()->path == "outer.inner");
  CHECK(reader.error()->message ==
        "json: cannot unmarshal bool into Go struct field Root.outer of type int64");
}

TEST_CASE("An unmarshaler without an error brings an earlier one back", "[schema][typed_reader]") {
  TypedReader reader("v1");
  reader.NoteMismatch(json::Value::Bool(true), "string");
  { const TypedReader::Unmarshaler unmarshaler(reader); }
  CHECK(!reader.ended());
  CHECK(reader.error()->message == "json: cannot unmarshal bool into Go value of type string");
}

}  // namespace
}  // namespace kube::meta
