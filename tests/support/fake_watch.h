#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/json/json.h"

namespace test_support {

/// What a watch has to tell from now on.
struct FakeWatch {
  /// The events since the last call, a line each; empty if there are none.
  std::function<std::string()> next;
  /// True once the server ends the watch.
  std::function<bool()> is_over;
};

/// Every change of the objects of a fake server, for its watches.
class FakeChanges {
 public:
  struct Change {
    std::string resource;  // "widgets.demo.example.com"
    std::string type;      // "ADDED", ...
    long version;
    std::shared_ptr<const kube::json::Document> object;
  };

  void Record(Change change) { changes_.push_back(std::move(change)); }
  /// The object as a watch shows it after it was deleted.
  void RecordDeleted(const std::string& resource, const kube::json::Document& object, long version);
  /// Forgets all that came before the present version.
  void Forget(long version);
  /// True if not all is known that came after `version`.
  bool HasForgotten(long version) const { return version < oldest_; }
  /// The changes of a resource after `version`, in their order.
  std::vector<Change> After(const std::string& resource, long version) const;

 private:
  std::vector<Change> changes_;
  long oldest_ = 0;
};

/// An event as the server prints it, with its line break. `object` is JSON.
std::string FakeEvent(const std::string& type, const std::string& object);
/// The event that tells that `version` is too old to go on from.
std::string FakeExpiredEvent(long version, long present);

}  // namespace test_support
