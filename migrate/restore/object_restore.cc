#include "migrate/restore/object_restore.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/meta/object_path.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::restore {
namespace {

using kube::json::Value;
using report::RestoreClass;
using rewrite::AnswerVerdict;
using rewrite::BrokenAnswer;
using rewrite::ClassifyAnswer;
using rewrite::PatchPart;

// `restored` lacks nothing that `live` has, as Compare makes it.
std::optional<rewrite::PatchBody> MakeAddingPatch(const Value& live, const Value& restored,
                                                  std::string_view version, PatchPart part) {
  return rewrite::MakePatch(live, restored, version, part, kube::json::Removals::kLeftOut);
}

constexpr std::string_view kDryRunQuery = "dryRun=All";

// What a server sets, or what holds for an object that is no more
// (apimachinery pkg/apis/meta/v1 ObjectMeta). Owners stay: whether they are there is for the
// garbage collector to find out.
constexpr std::string_view kSetByServer[] = {
    "uid",      "resourceVersion",   "generation",    "creationTimestamp",
    "selfLink", "deletionTimestamp", "managedFields", "deletionGracePeriodSeconds"};

constexpr char kNotShown[] =
    "the server took the write, and does not show what it brought: it still prunes by an older "
    "schema, or a webhook takes it away";

// Pruning took all of an object that is made anew.
const Value& Nothing() {
  static const Value kNothing = Value::Object();
  return kNothing;
}

kube::client::CallError NoObject(bool is_cut_short) {
  return {.status = std::nullopt,
          .transport = std::nullopt,
          .message = is_cut_short ? "the server's answer ends in the middle"
                                  : "the server's answer is not the object that was asked for"};
}

std::string NamesOf(const Paths& paths) { return report::JoinPaths(paths.first, paths.count); }

}  // namespace

ObjectRestore::ObjectRestore(const CrdTarget& target, const kube::crd::CrdVersion& version,
                             const RestoreSettings& settings, BackupObject object,
                             kube::base::Clock::Duration patience)
    : target_(&target),
      version_(&version),
      settings_(&settings),
      object_(std::move(object)),
      paths_(target.PathsOf(version)),
      budget_(patience) {
  place_.namespace_ = object_.namespace_;
  place_.name = object_.name;
}

kube::client::ApiRequest ObjectRestore::Request() const {
  kube::client::ApiRequest request;
  request.retry = false;
  request.target = ObjectPath(paths_, place_);
  if (asks_ == Asks::kObject) return request;
  request.writes = rewrite::WarnedOf(paths_, place_);
  if (asks_ == Asks::kCreation) {
    request.method = "POST";
    request.target.resize(request.target.rfind('/'));
    request.content_type = "application/json";
    request.body = CreationBody();
  } else {
    const bool is_status = asks_ == Asks::kStatusPatch;
    const rewrite::PatchBody& patch = is_status ? *status_patch_ : *patch_;
    request.method = "PATCH";
    if (is_status) request.target += "/status";
    request.content_type = patch.content_type;
    request.body = patch.body;
  }
  if (settings_->dry_run == report::DryRun::kServer) {
    request.target = kube::client::WithQuery(request.target, kDryRunQuery);
  }
  return request;
}

std::string ObjectRestore::CreationBody() const {
  kube::json::Arena arena;
  Value body = kube::json::CopyForChange(object_.value(), arena);
  if (Value* metadata = body.Find("metadata")) {
    for (const std::string_view key : kSetByServer) metadata->Erase(key);
  }
  const std::string api_version = target_->crd().group + "/" + version_->name;
  body.Set("apiVersion", Value::String(api_version), arena);
  return kube::json::Print(body);
}

rewrite::Exchange::Step ObjectRestore::OnAnswer(std::string_view body,
                                                const std::optional<kube::client::CallError>& error,
                                                kube::json::Document& document,
                                                kube::base::Clock::TimePoint now) {
  was_slowdown_ = false;
  retry_after_.reset();
  if (error) return Fail(*error, now);
  const bool is_json = !document.Parse(body);
  const Value& live = document.root();
  const bool was_write = asks_ != Asks::kObject;
  const bool was_tried = was_write && settings_->dry_run == report::DryRun::kServer;
  // What a dry run would create has none.
  const bool has_version = !cluster::MetadataText(live, "resourceVersion").empty() || was_tried;
  if (!is_json || cluster::MetadataText(live, "name") != object_.name || !has_version) {
    const bool is_cut_short = !is_json && (body.empty() || body.front() == '{');
    const auto broken = is_cut_short ? BrokenAnswer::kCutShort : BrokenAnswer::kNotObject;
    outcome_.message = NoObject(is_cut_short).message;
    if (asks_ == Asks::kCreation) may_be_created_ = true;
    return Retry(ClassifyAnswer(broken), now);
  }
  if (was_tried) return OnDryRunTaken(live, now);
  if (was_write) is_written_ = true;
  if (asks_ == Asks::kCreation) {
    may_be_created_ = true;
    object_.was_recreated = true;
  }
  return OnObject(live, now);
}

rewrite::Exchange::Step ObjectRestore::OnDryRunTaken(const Value& answer,
                                                     kube::base::Clock::TimePoint now) {
  if (!Shows(answer)) {
    outcome_.message = kNotShown;
    return Retry({.object_class = report::ObjectClass::kFailed, .may_pass = true}, now);
  }
  if (asks_ == Asks::kPatch && status_patch_) {
    asks_ = Asks::kStatusPatch;
    return Step::kSend;
  }
  return End(RestoreClass::kAccepted);
}

// What the other request is about the answer cannot have: a dry run stores nothing.
bool ObjectRestore::Shows(const Value& answer) const {
  kube::json::Arena arena;
  const bool is_creation = asks_ == Asks::kCreation;
  const Comparison missing = is_creation ? CompareAsNew(answer, arena) : CompareWith(answer, arena);
  if (!missing.restored || target_->AreStoredAlike(answer, *missing.restored, *version_))
    return true;
  const PatchPart part = asks_ == Asks::kStatusPatch ? PatchPart::kStatus
                         : has_status()              ? PatchPart::kAllButStatus
                                                     : PatchPart::kAll;
  return !MakeAddingPatch(answer, *missing.restored, "", part);
}

rewrite::Exchange::Step ObjectRestore::OnObject(const Value& live,
                                                kube::base::Clock::TimePoint now) {
  outcome_.resource_version = cluster::MetadataText(live, "resourceVersion");
  const bool is_same = object_.uid.empty() || cluster::MetadataText(live, "uid") == object_.uid;
  return is_same || object_.was_recreated ? Decide(live, now) : OnNamesake(live, now);
}

rewrite::Exchange::Step ObjectRestore::OnNamesake(const Value& live,
                                                  kube::base::Clock::TimePoint now) {
  kube::json::Arena arena;
  Comparison missing = CompareAsNew(live, arena);
  const bool has_all = missing.kept.empty() && missing.conflicts.empty();
  if (has_all && !missing.restored) return EndUnchanged();
  const bool lacks_status_alone =
      has_all && !MakeAddingPatch(live, *missing.restored, "", PatchPart::kAllButStatus);
  if (lacks_status_alone && settings_->recreate && has_status()) {
    object_.was_recreated = true;
    return Decide(live, now);
  }
  outcome_.is_namesake = true;
  return End(RestoreClass::kGone,
             "it was deleted since the backup, and another object of its name was created, which "
             "stays as it is");
}

// What the server would not keep of it is not missing either.
Comparison ObjectRestore::CompareAsNew(const Value& live, kube::json::Arena& arena) const {
  const Value whole = target_->Received(object_.value(), *version_, arena);
  return Compare({whole, &Nothing(), live, CrdTarget::SchemaOf(*version_)}, {}, arena);
}

Comparison ObjectRestore::CompareWith(const Value& live, kube::json::Arena& arena) const {
  const kube::schema::SchemaProps* schema = CrdTarget::SchemaOf(*version_);
  if (object_.was_recreated) return CompareAsNew(live, arena);
  const std::optional<Value> left = target_->LeftOf(object_.value(), arena);
  return Compare({object_.value(), left ? &*left : nullptr, live, schema}, settings_->compare,
                 arena);
}

rewrite::Exchange::Step ObjectRestore::Decide(const Value& live, kube::base::Clock::TimePoint now) {
  kube::json::Arena arena;
  Comparison comparison = CompareWith(live, arena);
  if (!is_written_) outcome_.taken = std::move(comparison.taken);
  outcome_.kept = std::move(comparison.kept);
  outcome_.conflicts = std::move(comparison.conflicts);
  if (!outcome_.conflicts.empty()) {
    return End(RestoreClass::kConflict,
               "which elements lost what is not known, as these lists were changed since: " +
                   NamesOf(outcome_.conflicts));
  }
  if (!comparison.whole_lists.empty()) {
    outcome_.conflicts = std::move(comparison.whole_lists);
    return End(RestoreClass::kConflict,
               "of lists that pruning took as a whole no part comes back alone: choose all of them "
               "by --fields: " +
                   NamesOf(outcome_.conflicts));
  }
  // What the server drops as soon as it has it, such as a null, cannot be put back.
  if (!comparison.restored || target_->AreStoredAlike(live, *comparison.restored, *version_)) {
    return EndUnchanged();
  }
  return SendOrEnd(live, *comparison.restored, now);
}

rewrite::Exchange::Step ObjectRestore::EndUnchanged() {
  if (!is_written_) outcome_.taken = {};
  if (!may_be_created_)
    return End(is_written_ ? RestoreClass::kRestored : RestoreClass::kUnchanged);
  return End(RestoreClass::kRecreated);
}

rewrite::Exchange::Step ObjectRestore::SendOrEnd(const Value& live, const Value& restored,
                                                 kube::base::Clock::TimePoint now) {
  if (settings_->reads_back) {
    return End(RestoreClass::kFailed, "what was put back is missing again");
  }
  if (settings_->dry_run == report::DryRun::kClient) {
    if (settings_->changes != nullptr) ShowChange(live, restored);
    return Foretell(restored, &live, RestoreClass::kRestored);
  }
  const std::string_view version = outcome_.resource_version;
  const Asks answered = asks_;
  kube::json::Arena arena;
  patch_ = MakeAddingPatch(live, WithOwners(live, restored, arena), version,
                           has_status() ? PatchPart::kAllButStatus : PatchPart::kAll);
  status_patch_.reset();
  if (has_status()) status_patch_ = MakeAddingPatch(live, restored, version, PatchPart::kStatus);
  // Behind a write only the status may be left to be written.
  if (answered != Asks::kObject && (patch_ || answered == Asks::kStatusPatch)) {
    outcome_.message = kNotShown;
    return Retry({.object_class = report::ObjectClass::kFailed, .may_pass = true}, now);
  }
  asks_ = patch_ ? Asks::kPatch : Asks::kStatusPatch;
  return Step::kSend;
}

// With the entries of managedFields cleaned, where the write would empty them otherwise.
Value ObjectRestore::WithOwners(const Value& live, const Value& restored,
                                kube::json::Arena& arena) const {
  const auto cleaned = target_->CleanerFor(*version_).Clean(live, arena, &restored);
  if (!cleaned) return restored;
  Value owned = kube::json::CopyForChange(restored, arena);
  if (Value* metadata = owned.Find("metadata")) {
    metadata->Set("managedFields", cleaned->entries, arena);
  }
  return owned;
}

void ObjectRestore::ShowChange(const Value& live, const Value& restored) const {
  kube::json::Arena arena;
  Value now = kube::json::CopyForChange(live, arena);
  Value after = kube::json::CopyForChange(restored, arena);
  for (Value* shown : {&now, &after}) {
    if (Value* metadata = shown->Find("metadata")) metadata->Erase("managedFields");
  }
  settings_->changes->Take({.group = target_->crd().group,
                            .version = version_->name,
                            .kind = live.FindText("kind"),
                            .namespace_ = object_.namespace_,
                            .name = object_.name,
                            .now = now,
                            .after = after,
                            .differs = true});
}

rewrite::Exchange::Step ObjectRestore::OnGone() {
  const bool makes_anew = settings_->recreate && !settings_->reads_back;
  if (!makes_anew) return End(RestoreClass::kGone, "it was deleted since the backup");
  const std::vector<std::string> pruned = target_->PrunedOfNew(object_.value(), *version_);
  if (!pruned.empty()) {
    return End(RestoreClass::kFailed,
               "it was deleted since the backup, and the server would prune this of a new one: " +
                   report::JoinPaths(pruned) +
                   "; specify these fields in the schema first. It was not made anew");
  }
  if (settings_->dry_run == report::DryRun::kClient)
    return Foretell(object_.value(), nullptr, RestoreClass::kRecreated);
  asks_ = Asks::kCreation;
  return Step::kSend;
}

// What the server would say, as Fail has it.
rewrite::Exchange::Step ObjectRestore::Foretell(const Value& restored, const Value* live,
                                                RestoreClass restore_class) {
  kube::json::Arena arena;
  std::string refusal =
      target_->Refusal(target_->Received(restored, *version_, arena), live, *version_);
  if (refusal.empty()) return End(restore_class);
  outcome_.code = 422;
  outcome_.reason = "Invalid";
  return End(RestoreClass::kInvalid, std::move(refusal));
}

rewrite::Exchange::Step ObjectRestore::End(RestoreClass restore_class, std::string message) {
  outcome_.restore_class = restore_class;
  outcome_.message = std::move(message);
  return Step::kDone;
}

rewrite::Exchange::Step ObjectRestore::Fail(const kube::client::CallError& error,
                                            kube::base::Clock::TimePoint now) {
  const AnswerVerdict verdict = ClassifyAnswer(error, ObjectText(paths_, place_));
  was_slowdown_ = verdict.is_slowdown;
  if (error.status) retry_after_ = error.status->retry_after;
  if (verdict.object_class == report::ObjectClass::kGone && asks_ != Asks::kCreation)
    return OnGone();
  if (asks_ == Asks::kCreation && !IsRefusal(MeaningOf(error))) may_be_created_ = true;
  outcome_.code = error.status ? error.status->code : 0;
  outcome_.reason = error.status ? error.status->reason : "";
  outcome_.message = error.status ? error.status->message : error.message;
  return Retry(verdict, now);
}

// Whatever was asked for: what is known of the object is old by then.
rewrite::Exchange::Step ObjectRestore::Retry(const AnswerVerdict& verdict,
                                             kube::base::Clock::TimePoint now) {
  if (const auto pause = budget_.Next(verdict, retry_after_, now)) {
    due_ = now + *pause;
    asks_ = Asks::kObject;
    outcome_.code = 0;
    outcome_.reason.clear();
    return Step::kPause;
  }
  outcome_.restore_class = report::ClassOfFailure(verdict.object_class);
  return Step::kDone;
}

}  // namespace migrate::restore
