#include "migrate/guard/writer.h"

#include <algorithm>
#include <span>

namespace migrate::guard {
namespace {

using kube::json::Arena;
using kube::json::Member;
using kube::json::Value;

// The start of our User-Agent, which the API server takes for the manager of who names none
// (apiserver pkg/endpoints/handlers managerOrUserAgent).
constexpr std::string_view kOwnManager = "kubectl-prune";
// As many entries are looked at as OwnerFinder does.
constexpr std::size_t kMostEntries = 200;

std::span<const Value> ManagedFields(const Value* object) {
  const Value* metadata = object == nullptr ? nullptr : object->Find("metadata");
  const Value* entries = metadata == nullptr ? nullptr : metadata->Find("managedFields");
  if (entries == nullptr) return {};
  return entries->elements().first(std::min(kMostEntries, entries->elements().size()));
}

// The entry of the last time among those that the old object does not have. All times are of one
// form, so that texts compare as they do. Empty: nobody, or one of several within a second.
std::string_view ManagerOfNewEntry(const Value* object, const Value* old_object) {
  const std::span<const Value> old_entries = ManagedFields(old_object);
  const Value* latest = nullptr;
  bool is_only = true;
  for (const Value& entry : ManagedFields(object)) {
    const std::string_view time = entry.FindText("time");
    if (latest != nullptr && time < latest->FindText("time")) continue;
    const bool is_old = std::ranges::any_of(old_entries, [&entry](const Value& old) {
      return old.FindText("manager") == entry.FindText("manager") &&
             old.FindText("time") == entry.FindText("time") && kube::json::Equal(entry, old);
    });
    if (is_old) continue;
    if (latest == nullptr || time > latest->FindText("time")) {
      latest = &entry;
      is_only = true;
    } else if (entry.FindText("manager") != latest->FindText("manager")) {
      is_only = false;
    }
  }
  return latest != nullptr && is_only ? latest->FindText("manager") : std::string_view();
}

Value ShallowCopy(const Value& object, Arena& arena) {
  const auto from = object.members();
  Member* members = arena.Allocate<Member>(from.size());
  std::ranges::copy(from, members);
  return Value::Object(members, from.size());
}

Value WithoutManagedFields(const Value& object, Arena& arena) {
  const Value* metadata = object.Find("metadata", kube::json::Type::kObject);
  if (metadata == nullptr) return object;
  Value copy = ShallowCopy(object, arena), kept = ShallowCopy(*metadata, arena);
  kept.Erase("managedFields");
  *copy.Find("metadata") = kept;
  return copy;
}

}  // namespace

Writer WriterOf(const kube::admission::Review& review) {
  const std::string_view given =
      review.options == nullptr ? std::string_view() : review.options->FindText("fieldManager");
  return {.user = review.user.username,
          .manager = given.empty() ? ManagerOfNewEntry(review.object, review.old_object) : given};
}

bool IsRewrite(const kube::admission::Review& review) {
  if (review.object == nullptr || review.old_object == nullptr) return false;
  Arena arena;
  return kube::json::Equal(WithoutManagedFields(*review.object, arena),
                           WithoutManagedFields(*review.old_object, arena));
}

bool IsOfMigration(const Writer& writer) { return writer.manager == kOwnManager; }

}  // namespace migrate::guard
