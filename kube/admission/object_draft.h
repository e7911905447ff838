#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "kube/json/json.h"

namespace kube::admission {

/// The object of a review, to be changed: what a mutating handler makes of it goes back to the API
/// server as the difference. The object of the review itself stays as it is.
class ObjectDraft {
 public:
  using Path = std::initializer_list<std::string_view>;

  /// `object`, which must outlive the draft, is the null pointer where a request has none, as
  /// DELETE: all changes come to nothing then, as the API server takes none.
  explicit ObjectDraft(const json::Value* object);
  ObjectDraft(const ObjectDraft&) = delete;
  ObjectDraft& operator=(const ObjectDraft&) = delete;

  /// As it is with all changes so far; null where there is none.
  const json::Value& object() const { return root_; }
  /// The value at a path of members; the null pointer where there is none.
  const json::Value* Find(Path path) const;

  /// Puts a copy of `value` at a path of members; makes objects on the way, also in the place of
  /// what is none. Null removes.
  void Set(Path path, const json::Value& value);
  void SetText(Path path, std::string_view text);
  void SetNumber(Path path, std::int64_t number);
  void SetBool(Path path, bool value);
  /// Not an error if there is nothing.
  void Remove(Path path);
  /// Does what a JSON Merge Patch (RFC 7396) says: members of objects are merged, null removes,
  /// all else replaces.
  void Merge(const json::Value& patch);

  /// For changes that nothing of the above makes, with memory for them. The root stays an object.
  json::Value& root() { return root_; }
  json::Arena& arena() { return arena_; }

 private:
  json::Arena arena_;
  json::Value root_;
};

/// Does to `target` what made `to` of `from`: members that were added, changed or removed, however
/// deep; an array that is not the same is one change. For differences that several made of the same
/// object. Borrows from `to`.
void ApplyDifference(const json::Value& from, const json::Value& to, json::Value& target,
                     json::Arena& arena);

}  // namespace kube::admission
