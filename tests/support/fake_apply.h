#pragma once

#include <memory>
#include <string>

#include "kube/json/json.h"
#include "tests/support/fake_api.h"

namespace test_support {

/// A server-side apply.
struct FakeApplied {
  /// The object behind it, with managedFields; the null pointer: others own what would change.
  std::shared_ptr<kube::json::Document> object;
  FakeAnswer conflict{};  ///< of the null pointer
};

/// What an apply of `body` by `manager` makes of `stored` (the null pointer: it is made anew). A
/// list is one field. Fields that an earlier apply of that manager had and this one has not are
/// gone, unless others own them. Entries of managedFields have no time, and are told apart by their
/// manager alone.
FakeApplied ApplyFake(const kube::json::Value* stored, const kube::json::Value& body,
                      const std::string& manager, bool force);

}  // namespace test_support
