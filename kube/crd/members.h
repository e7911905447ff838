#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "kube/json/json.h"

namespace kube::crd {

/// The members of an object by name, for about so many look-ups: a table where a search for each
/// would take long. Borrows from the object; a value that is none has no members.
class Members {
 public:
  Members(const json::Value& object, std::size_t look_ups) : object_(object) {
    constexpr std::size_t kFewSteps = 4096;
    if (object.size() * look_ups <= kFewSteps) return;
    for (const json::Member& member : object.members()) {
      table_.emplace(member.key.text(), &member.value);
    }
  }

  /// The null pointer where there is none.
  const json::Value* Find(std::string_view name) const {
    if (table_.empty()) return object_.Find(name);
    const auto found = table_.find(name);
    return found == table_.end() ? nullptr : found->second;
  }

 private:
  const json::Value& object_;
  std::unordered_map<std::string_view, const json::Value*> table_;
};

}  // namespace kube::crd
