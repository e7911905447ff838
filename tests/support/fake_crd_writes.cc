#include "tests/support/fake_crd_writes.h"

#include <stdexcept>
#include <string_view>

#include "tests/support/fake_place.h"

namespace test_support {
namespace {

using kube::json::Arena;
using kube::json::Document;
using kube::json::Type;
using kube::json::Value;

std::string Text(const Value& object, std::string_view key) {
  return std::string(object.FindText(key));
}

std::string Details(const std::string& name, const std::string& causes) {
  return R"({"name":")" + name +
         R"(","group":"apiextensions.k8s.io","kind":"CustomResourceDefinition")" +
         (causes.empty() ? "" : ",\"causes\":[" + causes + "]") + "}";
}

FakeAnswer Conflict(const std::string& name) {
  return FakeStatus(409, "Conflict",
                    std::string("Operation cannot be fulfilled on ") + kCrds + " \"" + name +
                        "\": the object has been modified; please apply your changes to the "
                        "latest version and try again",
                    Details(name, ""));
}

// apiextensions pkg/apis/apiextensions/validation of 1.20, word for word.
FakeAnswer CannotPreserve(const std::string& name) {
  const std::string why =
      "Invalid value: true: cannot set to true, set x-preserve-unknown-fields to true in "
      "spec.versions[*].schema instead";
  return FakeStatus(422, "Invalid",
                    "CustomResourceDefinition.apiextensions.k8s.io \"" + name +
                        "\" is invalid: spec.preserveUnknownFields: " + why,
                    Details(name, R"({"reason":"FieldValueInvalid","message":")" + why +
                                      R"(","field":"spec.preserveUnknownFields"})"));
}

bool IsTrue(const Value* value) { return value != nullptr && value->is_bool() && value->AsBool(); }

/// A merge patch without null in what it adds; true if that changes something.
bool Merge(Value& object, const Value& patch, Arena& arena) {
  bool is_changed = false;
  for (const auto& [key, value] : patch.members()) {
    const Value* old = object.Find(key.text());
    if (value.is_null()) {
      is_changed |= object.Erase(key.text());
      continue;
    }
    if (old != nullptr && old->is_object() && value.is_object()) {
      is_changed |= Merge(*object.Find(key.text()), value, arena);
      continue;
    }
    if (old != nullptr && kube::json::Equal(*old, value)) continue;
    object.Set(arena.Copy(key.text()), kube::json::DeepCopy(value, arena), arena);
    is_changed = true;
  }
  return is_changed;
}

void MoveGeneration(Value& metadata, Arena& arena) {
  const Value* generation = metadata.Find("generation", Type::kNumber);
  const std::int64_t now = generation ? kube::json::AsInt64(*generation).value_or(1) : 1;
  metadata.Set("generation", Value::Number(now + 1, arena), arena);
}

}  // namespace

kube::base::Result<std::shared_ptr<Document>, FakeAnswer> PatchFakeCrd(const Value& stored,
                                                                       const Value& patch,
                                                                       const std::string& version,
                                                                       bool is_status) {
  auto crd = std::make_shared<Document>();
  crd->root() = kube::json::DeepCopy(stored, crd->arena());
  Value& metadata = *crd->root().Find("metadata");
  const std::string name = Text(metadata, "name");
  const Value* guard = patch.Find("metadata");
  const std::string wanted = guard ? Text(*guard, "resourceVersion") : "";
  if (!wanted.empty() && wanted != Text(metadata, "resourceVersion")) {
    return kube::base::Unexpected(Conflict(name));
  }
  const std::string_view part = is_status ? "status" : "spec";
  const Value* changes = patch.Find(part, Type::kObject);
  if (changes == nullptr) return crd;
  Value& spec = *crd->root().Find("spec");
  const bool preserved = IsTrue(spec.Find("preserveUnknownFields"));
  const bool is_changed = Merge(*crd->root().Find(part), *changes, crd->arena());
  if (version == "v1" && !preserved && IsTrue(spec.Find("preserveUnknownFields"))) {
    return kube::base::Unexpected(CannotPreserve(name));
  }
  if (is_changed && !is_status) MoveGeneration(metadata, crd->arena());
  return crd;
}

std::string AnswerReview(const Value& review, bool is_allowed) {
  const Value* spec = review.Find("spec");
  if (spec == nullptr) throw std::invalid_argument("a review without spec");
  return R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1",)"
         R"("metadata":{"creationTimestamp":null},"spec":)" +
         kube::json::Print(*spec) + R"(,"status":{"allowed":)" + (is_allowed ? "true" : "false") +
         "}}\n";
}

std::string DeniedKey(const Value& review) {
  const Value* spec = review.Find("spec");
  const Value* attributes = spec ? spec->Find("resourceAttributes") : nullptr;
  if (attributes == nullptr) throw std::invalid_argument("a review of no resource");
  const std::string subresource = Text(*attributes, "subresource");
  return Text(*attributes, "verb") + " " + Text(*attributes, "resource") + "." +
         Text(*attributes, "group") + (subresource.empty() ? "" : "/" + subresource);
}

}  // namespace test_support
