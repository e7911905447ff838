#include "migrate/rewrite/object_patch.h"

#include <utility>

#include "kube/json/json_patch.h"

namespace migrate::rewrite {
namespace {

using kube::json::Arena;
using kube::json::Member;
using kube::json::Removals;
using kube::json::Value;

// The object without what is not of the part. Borrows from it.
Value Take(const Value& object, PatchPart part, Arena& arena) {
  if (part == PatchPart::kAll) return object;
  Value taken = Value::Object();
  for (const Member& member : object.members()) {
    const bool is_status = member.key.text() == "status";
    if (is_status == (part == PatchPart::kStatus)) {
      taken.SetNew(member.key.text(), member.value, arena);
    }
  }
  return taken;
}

// A resourceVersion in a patch is a precondition, and changes nothing.
std::string PrintMergePatch(const Value& patch, const Value& version, Arena& arena) {
  Value metadata = Value::Object();
  metadata.SetNew("resourceVersion", version, arena);
  for (const Member& member : patch.At("metadata").members()) {
    if (member.key.text() != "resourceVersion") {
      metadata.SetNew(member.key.text(), member.value, arena);
    }
  }
  Value whole = Value::Object();
  whole.SetNew("metadata", metadata, arena);
  for (const Member& member : patch.members()) {
    if (member.key.text() != "metadata") whole.SetNew(member.key.text(), member.value, arena);
  }
  return kube::json::Print(whole, kube::json::KeyOrder::kAsWritten);
}

std::string PointerTo(std::string_view key) {
  std::string pointer;
  kube::json::AppendPointerToken(pointer, key);
  return pointer;
}

// Members of the root as a whole, by "add", which replaces what is there: so no operation fails
// before the server has compared the resourceVersion, which is the last.
std::string PrintJsonPatch(const Value& live, const Value& wanted, const Value& version,
                           Removals removals, Arena& arena) {
  Value steps = Value::Array();
  for (const Member& member : wanted.members()) {
    const Value* there = live.Find(member.key.text());
    if (there != nullptr && kube::json::Equal(*there, member.value)) continue;
    kube::json::AppendPatchStep(steps, "add", PointerTo(member.key.text()), &member.value, arena);
  }
  for (const Member& member : live.members()) {
    if (removals == Removals::kLeftOut || wanted.Find(member.key.text()) != nullptr) continue;
    kube::json::AppendPatchStep(steps, "remove", PointerTo(member.key.text()), nullptr, arena);
  }
  kube::json::AppendPatchStep(steps, "add", "/metadata/resourceVersion", &version, arena);
  return kube::json::Print(steps, kube::json::KeyOrder::kAsWritten);
}

}  // namespace

std::optional<PatchBody> MakePatch(const Value& live, const Value& wanted,
                                   std::string_view resource_version, PatchPart part,
                                   Removals removals) {
  Arena arena;
  const Value from = Take(live, part, arena), to = Take(wanted, part, arena);
  const Value version = Value::String(resource_version);
  const auto patch = kube::json::MakeMergePatch(from, to, arena, removals);
  if (!patch) {
    return PatchBody{"application/json-patch+json",
                     PrintJsonPatch(from, to, version, removals, arena)};
  }
  if (patch->empty()) return std::nullopt;
  return PatchBody{"application/merge-patch+json", PrintMergePatch(*patch, version, arena)};
}

}  // namespace migrate::rewrite
