#include "migrate/restore/restore_patch.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kube/json/json_patch.h"
#include "migrate/check/member_index.h"
#include "migrate/restore/list_elements.h"

namespace migrate::restore {
namespace {

using kube::json::Member;
using kube::json::Value;

// An API server takes 10,000 operations at most (apiserver endpoints/handlers/patch.go).
constexpr std::size_t kMostOperations = 5000;

/// A value that is new, and the keys on the way to it.
struct Edit {
  std::vector<std::string_view> keys;
  const Value* value;
};

class EditFinder {
 public:
  explicit EditFinder(std::size_t deepest) : deepest_(deepest) {}

  std::vector<Edit> Find(const Value& live, const Value& restored, PatchPart part) {
    for (const Member& member : restored.members()) {
      const bool is_status = member.key.text() == "status";
      if (part != PatchPart::kAll && is_status != (part == PatchPart::kStatus)) continue;
      AddMember(live, member);
    }
    return std::move(edits_);
  }

 private:
  void AddMember(const Value& live, const Member& member) {
    const Value* there = index_.Find(live, member.key.text());
    keys_.push_back(member.key.text());
    if (there == nullptr) {
      edits_.push_back({keys_, &member.value});
    } else if (there->is_object() && member.value.is_object() && keys_.size() < deepest_) {
      for (const Member& below : member.value.members()) AddMember(*there, below);
    } else if (!kube::json::Equal(*there, member.value)) {
      edits_.push_back({keys_, &member.value});
    }
    keys_.pop_back();
  }

  const std::size_t deepest_;
  check::MemberIndex index_;
  std::vector<std::string_view> keys_;
  std::vector<Edit> edits_;
};

// A merge patch removes by null; API servers (github.com/evanphx/json-patch pruneAryNils) drop
// nulls from lists too.
bool HasNull(const Value& value) {
  return value.is_null() ||
         std::ranges::any_of(value.members(),
                             [](const Member& member) { return HasNull(member.value); }) ||
         std::ranges::any_of(value.elements(), HasNull);
}

std::string Quoted(std::string_view text) { return kube::json::Print(Value::String(text)); }

std::string PointerTo(const std::vector<std::string_view>& keys) {
  std::string pointer;
  for (const std::string_view key : keys) kube::json::AppendPointerToken(pointer, key);
  return pointer;
}

// "add" replaces what is there. A resourceVersion is a precondition, as in a merge patch.
std::string PrintJsonPatch(const std::vector<Edit>& edits, std::string_view resource_version) {
  std::string text = R"([{"op":"add","path":"/metadata/resourceVersion","value":)" +
                     Quoted(resource_version) + "}";
  for (const Edit& edit : edits) {
    text += R"(,{"op":"add","path":)" + Quoted(PointerTo(edit.keys)) + R"(,"value":)";
    kube::json::PrintTo(text, *edit.value);
    text += "}";
  }
  return text + "]";
}

/// Edits come in the order of a walk, so that those below one key follow each other.
class MergePatchPrinter {
 public:
  std::string Print(const std::vector<Edit>& edits, std::string_view resource_version) {
    text_ = R"({"metadata":{"resourceVersion":)" + Quoted(resource_version) + "}";
    for (const Edit& edit : edits) Add(edit);
    CloseTo(0);
    return text_ + "}";
  }

 private:
  void Add(const Edit& edit) {
    std::size_t common = 0;
    while (common < open_.size() && open_[common] == edit.keys[common]) ++common;
    CloseTo(common);
    bool is_first = false;
    for (std::size_t i = common; i + 1 < edit.keys.size(); ++i) {
      text_ += (is_first ? "" : ",") + Quoted(edit.keys[i]) + ":{";
      open_.push_back(edit.keys[i]);
      is_first = true;
    }
    text_ += (is_first ? "" : ",") + Quoted(edit.keys.back()) + ":";
    kube::json::PrintTo(text_, *edit.value);
  }

  void CloseTo(std::size_t depth) {
    text_.append(open_.size() - depth, '}');
    open_.resize(depth);
  }

  std::string text_;
  std::vector<std::string_view> open_;
};

}  // namespace

std::optional<PatchBody> MakePatch(const Value& live, const Value& restored,
                                   std::string_view resource_version, PatchPart part) {
  std::vector<Edit> edits = EditFinder(kDeepest).Find(live, restored, part);
  if (edits.empty()) return std::nullopt;
  const bool has_null =
      std::ranges::any_of(edits, [](const Edit& edit) { return HasNull(*edit.value); });
  if (!has_null) {
    return PatchBody{"application/merge-patch+json",
                     MergePatchPrinter().Print(edits, resource_version)};
  }
  if (edits.size() > kMostOperations) edits = EditFinder(1).Find(live, restored, part);
  return PatchBody{"application/json-patch+json", PrintJsonPatch(edits, resource_version)};
}

}  // namespace migrate::restore
