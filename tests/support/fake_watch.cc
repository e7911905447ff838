#include "tests/support/fake_watch.h"

#include <utility>

#include "tests/support/fake_api.h"

namespace test_support {

using kube::json::Document;
using kube::json::Value;

void FakeChanges::RecordDeleted(const std::string& resource, const Document& object, long version) {
  auto copy = std::make_shared<Document>();
  copy->root() = kube::json::DeepCopy(object.root(), copy->arena());
  const std::string_view text = copy->arena().Copy(std::to_string(version));
  copy->root().Find("metadata")->Set("resourceVersion", Value::String(text), copy->arena());
  Record({resource, "DELETED", version, std::move(copy)});
}

void FakeChanges::Forget(long version) {
  changes_.clear();
  oldest_ = version;
}

std::vector<FakeChanges::Change> FakeChanges::After(const std::string& resource,
                                                    long version) const {
  std::vector<Change> found;
  for (const Change& change : changes_) {
    if (change.resource == resource && change.version > version) found.push_back(change);
  }
  return found;
}

std::string FakeEvent(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

std::string FakeExpiredEvent(long version, long present) {
  std::string status = FakeStatus(410, "Expired",
                                  "too old resource version: " + std::to_string(version) + " (" +
                                      std::to_string(present) + ")")
                           .body;
  status.pop_back();  // its line break
  return FakeEvent("ERROR", status);
}

}  // namespace test_support
