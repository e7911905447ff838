#include "tests/support/fake_writes.h"

#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace test_support {
namespace {

using kube::json::Document;
using kube::json::KeyOrder;
using kube::json::Type;
using kube::json::Value;

// The fields of Go's metav1.ObjectMeta and ManagedFieldsEntry, in their order.
constexpr std::string_view kObjectMeta[] = {
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
};
constexpr std::string_view kManagedFieldsEntry[] = {"manager",    "operation", "apiVersion", "time",
                                                    "fieldsType", "fieldsV1",  "subresource"};

kube::crd::Crd Read(const Value& crd) {
  auto document = std::make_unique<Document>();
  document->root() = kube::json::DeepCopy(crd, document->arena());
  auto read = kube::crd::ReadCrd(std::move(document));
  if (!read) throw std::invalid_argument(read.error());
  return *std::move(read);
}

std::shared_ptr<Document> Copy(const Value& value) {
  auto document = std::make_shared<Document>();
  document->root() = kube::json::DeepCopy(value, document->arena());
  return document;
}

Value* MetadataOf(Document& object) { return object.root().Find("metadata"); }

void SetGeneration(Document& object) {
  Value* metadata = MetadataOf(object);
  if (metadata == nullptr || metadata->Find("generation") != nullptr) return;
  metadata->Set("generation", Value::Number("1"), object.arena());
}

void RaiseGeneration(Document& object) {
  Value* generation = MetadataOf(object)->Find("generation");
  *generation = Value::Number(kube::json::AsInt64(*generation).value_or(0) + 1, object.arena());
}

/// True if only the metadata differs, or what a subresource holds.
bool HaveSameContent(const Value& a, const Value& b, bool has_status) {
  const auto content = [has_status](const Value& object) {
    const auto copy = Copy(object);
    copy->root().Erase("metadata");
    if (has_status) copy->root().Erase("status");
    return kube::json::Print(copy->root());
  };
  return content(a) == content(b);
}

template <std::size_t n>
std::string PrintInOrder(const Value& object, const std::string_view (&keys)[n]) {
  std::string text;
  for (const std::string_view key : keys) {
    const Value* value = object.Find(key);
    if (value == nullptr || ((value->is_object() || value->is_array()) && value->empty())) continue;
    text += text.empty() ? "{" : ",";
    text += kube::json::Print(Value::String(key)) + ":";
    if (key != "managedFields") {
      text += kube::json::Print(*value);
      continue;
    }
    text += "[";
    for (const Value& entry : value->elements()) {
      text += text.ends_with('[') ? "" : ",";
      text += PrintInOrder(entry, kManagedFieldsEntry);
    }
    text += "]";
  }
  return text.empty() ? "{}" : text + "}";
}

}  // namespace

FakeStorage::FakeStorage(const Value& crd)
    : crd_(Read(crd)), server_(crd_, crd_.preserve_unknown_fields) {}

std::shared_ptr<Document> FakeStorage::Show(const Value& stored, const std::string& version) const {
  auto shown = Copy(stored);
  SetGeneration(*shown);
  if (const auto error = server_.OnRead(shown->root(), version, shown->arena())) {
    throw std::invalid_argument(*error);
  }
  return shown;
}

std::shared_ptr<Document> FakeStorage::Store(const Value& stored, const Value& body,
                                             const std::string& version) const {
  auto object = Copy(body);
  kube::json::Arena& arena = object->arena();
  const auto before = Show(stored, version);
  // What only the server sets (registry/rest/update.go, strategy.PrepareForUpdate).
  for (const char* key : {"uid", "creationTimestamp", "generation"}) {
    const Value* value = MetadataOf(*before)->Find(key);
    if (value) MetadataOf(*object)->Set(key, kube::json::DeepCopy(*value, arena), arena);
  }
  auto error = server_.OnRequest(object->root(), version, arena);
  const bool has_status = HasStatus(version);
  if (!error && !HaveSameContent(before->root(), object->root(), has_status)) {
    RaiseGeneration(*object);
  }
  if (!error) error = server_.OnWrite(object->root(), arena);
  if (error) throw std::invalid_argument(*error);
  return object;
}

std::shared_ptr<Document> FakeStorage::StoreNew(const Value& body,
                                                const std::string& version) const {
  auto object = Copy(body);
  if (HasStatus(version)) object->root().Erase("status");
  SetGeneration(*object);
  auto error = server_.OnRequest(object->root(), version, object->arena());
  if (!error) error = server_.OnWrite(object->root(), object->arena());
  if (error) throw std::invalid_argument(*error);
  return object;
}

bool FakeStorage::HasStatus(const std::string& version) const {
  const kube::crd::CrdVersion* found = crd_.FindVersion(version);
  return found != nullptr && found->has_status_subresource();
}

void FakeStorage::KeepOtherPart(Document& body, const Value& stored, const std::string& version,
                                bool is_status) const {
  if (!HasStatus(version)) return;
  const auto before = Show(stored, version);
  Document& whole = is_status ? *before : body;
  const Value* status = (is_status ? body : *before).root().Find("status");
  kube::json::Arena& arena = body.arena();
  Value kept = kube::json::DeepCopy(whole.root(), arena);
  kept.Erase("status");
  if (status != nullptr) kept.Set("status", kube::json::DeepCopy(*status, arena), arena);
  if (is_status) {
    const Value* version_given = MetadataOf(body)->Find("resourceVersion");
    if (version_given) kept.Find("metadata")->Set("resourceVersion", *version_given, arena);
  }
  body.root() = kept;
}

void FakeStorage::EmptyManagedFields(Document& object) const {
  const Value* entries = MetadataOf(object)->Find("managedFields", Type::kArray);
  for (const Value& entry : entries ? entries->elements() : std::span<const Value>()) {
    const std::string_view version = entry.FindText("apiVersion");
    const std::size_t slash = version.find('/');
    const bool is_of_group = slash != version.npos && version.substr(0, slash) == crd_.group;
    if (is_of_group && crd_.FindVersion(version.substr(slash + 1)) != nullptr) continue;
    MetadataOf(object)->Erase("managedFields");
    return;
  }
}

bool IsStoredAlike(const Value& stored, const Value& anew) {
  const auto text = [](const Value& value) {
    const auto object = Copy(value);
    SetGeneration(*object);
    if (Value* metadata = MetadataOf(*object)) metadata->Erase("resourceVersion");
    return kube::json::Print(object->root());
  };
  return text(stored) == text(anew);
}

std::string PartialObjectMetadata(const Value& object, const std::string& version) {
  const auto copy = Copy(object);
  SetGeneration(*copy);
  return R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)" + version +
         R"(","metadata":)" + PrintInOrder(*MetadataOf(*copy), kObjectMeta) + "}";
}

std::optional<std::string> MetadataVersion(const std::string& accept, const std::string& kind) {
  const std::string first = accept.substr(0, accept.find(','));
  const std::string wanted = "application/json;as=" + kind + ";g=meta.k8s.io;v=";
  if (!first.starts_with(wanted)) return std::nullopt;
  return first.substr(wanted.size());
}

}  // namespace test_support
