#include "kube/json/member_index.h"

#include <algorithm>

namespace kube::json {

const Value* MemberIndex::Find(const Value& object, std::string_view key) {
  constexpr int kOften = 8;
  if (object.size() <= kNarrow) return object.Find(key);
  Wide& wide = wide_[object.members().data()];
  if (++wide.asked < kOften) return object.Find(key);
  if (wide.members.empty()) {
    wide.members.reserve(object.size());
    for (const auto& member : object.members()) {
      wide.members.emplace_back(member.key.text(), &member.value);
    }
    std::ranges::sort(wide.members);
  }
  const auto found = std::ranges::lower_bound(wide.members, key, {}, &NamedValue::first);
  return found != wide.members.end() && found->first == key ? found->second : nullptr;
}

}  // namespace kube::json
