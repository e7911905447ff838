#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/json/json.h"

namespace kube::json {

/// Finds members of objects by their keys: as json::Value::Find does, but where a large object is
/// asked often in the logarithm of its size. The objects must outlive it and not change.
class MemberIndex {
 public:
  /// Null pointer where `object` has no such member, or is no object.
  const Value* Find(const Value& object, std::string_view key);

  /// So many members are looked through as they are.
  static constexpr std::size_t kNarrow = 32;

 private:
  using NamedValue = std::pair<std::string_view, const Value*>;
  struct Wide {
    int asked = 0;
    std::vector<NamedValue> members;  // sorted once they have been asked for often
  };

  std::map<const void*, Wide> wide_;
};

}  // namespace kube::json
