#pragma once

#include <map>
#include <mutex>
#include <string>

#include "kube/json/json.h"
#include "migrate/check/object_diff.h"

namespace test_support {

/// Keeps of each object that differs what it is now and after: "JSON -> JSON" of spec, by
/// "version kind namespace/name".
class ChangeRecorder : public migrate::check::ChangeTaker {
 public:
  void Take(const migrate::check::ObjectChange& change) override {
    const std::lock_guard lock(mutex_);
    std::string key(change.version);
    key.append(" ").append(change.kind).append(" ").append(change.namespace_);
    key.append("/").append(change.name);
    changes.erase(key);
    if (change.differs) changes[key] = SpecOf(change.now) + " -> " + SpecOf(change.after);
  }

  std::map<std::string, std::string> changes;

 private:
  static std::string SpecOf(const kube::json::Value& object) {
    const kube::json::Value* spec = object.Find("spec");
    return spec == nullptr ? "" : kube::json::Print(*spec);
  }

  std::mutex mutex_;
};

}  // namespace test_support
