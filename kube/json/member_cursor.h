#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "kube/base/same_text.h"
#include "kube/json/json.h"

namespace kube::json {

/// Finds members of an object by keys that come, mostly, in its order: each takes one look then,
/// where Value::Find begins at the start, which for two wide objects takes the square of it.
///
/// `M` is Member or const Member. Holds until members are added to the object, or removed.
template <typename M>
class MemberCursor {
 public:
  explicit MemberCursor(std::span<M> members) : members_(members) {}

  /// The null pointer where there is none.
  auto* Find(std::string_view key) {
    for (std::size_t looked = 0; looked < members_.size(); ++looked, ++next_) {
      if (next_ >= members_.size()) next_ = 0;
      M& member = members_[next_];
      if (!base::SameText(member.key.text(), key)) continue;
      ++next_;
      return &member.value;
    }
    return decltype(&members_[0].value){nullptr};
  }

 private:
  std::span<M> members_;
  std::size_t next_ = 0;
};

}  // namespace kube::json
