#include "tests/support/fake_object.h"

#include <span>
#include <stdexcept>

namespace test_support {

using kube::json::Document;
using kube::json::Type;
using kube::json::Value;

std::string Quote(std::string_view text) { return kube::json::Print(Value::String(text)); }

std::shared_ptr<Document> Parse(std::string_view json) {
  auto document = std::make_shared<Document>();
  if (const auto error = document->Parse(json)) throw std::invalid_argument(error->message);
  return document;
}

std::string_view MetadataText(const Value& object, std::string_view key) {
  const Value* metadata = object.Find("metadata");
  return metadata ? metadata->FindText(key) : std::string_view();
}

std::string_view SpecText(const Value& object, std::string_view key) {
  const Value* spec = object.Find("spec");
  return spec ? spec->FindText(key) : std::string_view();
}

std::string_view NameText(const Value& crd, std::string_view key) {
  const Value* spec = crd.Find("spec");
  const Value* names = spec ? spec->Find("names") : nullptr;
  return names ? names->FindText(key) : std::string_view();
}

const Value* ServedVersion(const Value& crd, const std::string& name) {
  const Value* spec = crd.Find("spec");
  const Value* versions = spec ? spec->Find("versions") : nullptr;
  for (const Value& version : versions ? versions->elements() : std::span<const Value>()) {
    const Value* served = version.Find("served", Type::kBool);
    if (version.FindText("name") == name && served && served->AsBool()) return &version;
  }
  return nullptr;
}

}  // namespace test_support
