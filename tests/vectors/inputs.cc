#include "tests/vectors/inputs.h"

namespace vectors {
namespace {

using kube::crd::Crd;
namespace schema = kube::schema;

/// True where the input is to be used: both took it.
bool BothTookIt(const Vector& vector, const std::string* our_error, Mismatches& mismatches) {
  const auto their_error = FindString(vector.expected, "inputError");
  if (our_error && !their_error) mismatches.Add("input", "accepted", *our_error);
  if (their_error && !our_error) mismatches.Add("input", *their_error, "accepted");
  return !our_error && !their_error;
}

std::optional<Crd> ParseCrd(const std::string& text, const Vector& vector, Mismatches& mismatches) {
  auto document = std::make_unique<kube::json::Document>();
  if (auto error = document->Parse(text)) {
    BothTookIt(vector, &error->message, mismatches);
    return std::nullopt;
  }
  auto crd = kube::crd::ReadCrd(std::move(document));
  if (!BothTookIt(vector, crd ? nullptr : &crd.error(), mismatches)) return std::nullopt;
  return *std::move(crd);
}

std::string Quote(std::string_view text) {
  return kube::json::Print(kube::json::Value::String(text));
}

std::string CrdText(const kube::meta::GroupVersionKind& type,
                    const kube::json::Value& schema_value) {
  const std::string group(type.group_version.group);
  return R"({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": )" +
         Quote("foos." + group) + R"(}, "spec": {"group": )" + Quote(group) +
         R"(, "scope": "Cluster", "names": {"plural": "foos", "kind": )" + Quote(type.kind) +
         R"(}, "versions": [{"name": )" + Quote(type.group_version.version) +
         R"(, "served": true, "storage": true, "schema": {"openAPIV3Schema": )" +
         kube::json::Print(schema_value, kube::json::KeyOrder::kAsWritten) + "}}]}}";
}

}  // namespace

kube::meta::GroupVersionKind BareType(const Vector& vector) {
  const kube::json::Value* object = vector.input.Find("object");
  kube::meta::GroupVersionKind type;
  if (object) type = kube::meta::TypeOf(*object);
  if (type.group_version.group.empty()) type.group_version = {"example.com", "v1"};
  if (type.kind.empty()) type.kind = "Foo";
  return type;
}

std::optional<kube::schema::SchemaProps> ReadSchema(const Vector& vector, Mismatches& mismatches) {
  auto props = kube::schema::ReadSchemaProps(Get(vector.input, "schema"));
  if (!BothTookIt(vector, props ? nullptr : &props.error(), mismatches)) return std::nullopt;
  return *std::move(props);
}

std::optional<kube::schema::StructuralSchema> ReadStructural(const Vector& vector,
                                                             kube::json::Arena& arena,
                                                             Mismatches& mismatches) {
  auto props = ReadSchema(vector, mismatches);
  if (!props) return std::nullopt;
  if (auto error = kube::schema::ConversionError(*props)) {
    mismatches.Add("input", "a structural schema", *error);
    return std::nullopt;
  }
  return kube::schema::MakeStructural(*props, arena);
}

std::optional<Crd> ReadCrd(const kube::json::Value& crd, const Vector& vector,
                           Mismatches& mismatches) {
  return ParseCrd(kube::json::Print(crd, kube::json::KeyOrder::kAsWritten), vector, mismatches);
}

std::optional<Crd> ReadCrdOrSchema(const Vector& vector, Mismatches& mismatches) {
  if (const kube::json::Value* crd = vector.input.Find("crd"))
    return ReadCrd(*crd, vector, mismatches);
  return ParseCrd(CrdText(BareType(vector), Get(vector.input, "schema")), vector, mismatches);
}

}  // namespace vectors
