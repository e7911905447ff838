#include "migrate/rewrite/object_write.h"

#include <utility>

#include "migrate/cluster/object_metadata.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {
namespace {

using kube::client::Meaning;

constexpr char kMergePatch[] = "application/merge-patch+json";

/// What a text that does not parse is, by its first and last characters: a server's answer begins
/// with { and ends with }.
BrokenAnswer Diagnose(std::string_view body) {
  return body.empty() || body.front() == '{' ? BrokenAnswer::kCutShort : BrokenAnswer::kNotObject;
}

kube::client::CallError Describe(BrokenAnswer broken) {
  return {.status = std::nullopt,
          .transport = std::nullopt,
          .message = broken == BrokenAnswer::kCutShort
                         ? "the server's answer ends in the middle"
                         : "the server's answer is no object of its; is there a proxy or a login "
                           "page in between?"};
}

// For an object as it was read; the null pointer leaves its entries as they are.
PatchBody EntriesPatch(kube::json::Document& read, const kube::json::Value* entries) {
  kube::json::Value metadata = kube::json::Value::Object();
  const std::string_view version = cluster::MetadataText(read.root(), "resourceVersion");
  metadata.SetNew("resourceVersion", kube::json::Value::String(version), read.arena());
  if (entries != nullptr) metadata.SetNew("managedFields", *entries, read.arena());
  kube::json::Value patch = kube::json::Value::Object();
  patch.SetNew("metadata", metadata, read.arena());
  return {kMergePatch, kube::json::Print(patch)};
}

}  // namespace

kube::client::ApiRequest ObjectWrite::Request() const {
  kube::client::ApiRequest request;
  request.target = ObjectPath(*target_, object_.object);
  request.retry = false;
  const bool reads_metadata_alone =
      ReadsMetadata() || (ReadsToClean() && !target_->cleaner->needs_objects());
  if (reads_metadata_alone) request.accept = kMetadataAccept;
  if (ReadsMetadata() || ReadsToClean() || ReadsWhole()) return request;
  if (target_->dry_run) request.target += "?dryRun=All";
  request.writes = WarnedOf(*target_, object_.object);
  request.accept = kMetadataAccept;
  request.method = target_->by_update ? "PUT" : "PATCH";
  PatchBody patch = target_->by_update ? PatchBody{"application/json", read_} : Patch();
  request.content_type = std::move(patch.content_type);
  request.body = std::move(patch.body);
  return request;
}

// A resourceVersion in a patch is a precondition, and changes nothing.
PatchBody ObjectWrite::Patch() const {
  if (patch_) return *patch_;
  std::string body = "{}";
  if (TakesOthersWrites()) {
    body = R"({"metadata":{"resourceVersion":)" +
           kube::json::Print(kube::json::Value::String(object_.object.resource_version)) + "}}";
  }
  return {kMergePatch, std::move(body)};
}

ObjectWrite::Step ObjectWrite::OnAnswer(std::string_view body,
                                        const std::optional<kube::client::CallError>& error,
                                        kube::json::Document& document,
                                        kube::base::Clock::TimePoint now) {
  was_slowdown_ = false;
  retry_after_.reset();
  if (!error) return OnObject(body, document, now);
  return Fail(ClassifyAnswer(*error, ObjectText(*target_, object_.object)), *error, now);
}

ObjectWrite::Step ObjectWrite::OnObject(std::string_view body, kube::json::Document& document,
                                        kube::base::Clock::TimePoint now) {
  if (document.Parse(body)) {
    const BrokenAnswer broken = Diagnose(body);
    return Fail(ClassifyAnswer(broken), Describe(broken), now);
  }
  auto stored = cluster::ReadObjectMetadata(document.root(), target_->known());
  if (!stored || stored->name != object_.object.name) {
    return Fail(ClassifyAnswer(BrokenAnswer::kNotObject), Describe(BrokenAnswer::kNotObject), now);
  }
  if (ReadsMetadata()) {
    object_.object = *std::move(stored);
    return Step::kSend;
  }
  const bool reads_to_clean = ReadsToClean();
  if (!reads_to_clean && !ReadsWhole()) {
    if (!DropOwnEntry(document)) return Succeed(*std::move(stored));
    written_ = std::move(stored);
    return Step::kSend;
  }
  if (reads_to_clean) {
    TakeToClean(document);
  } else if (auto error = TakeWhole(body, document)) {
    answer_.object_class = report::ObjectClass::kFailed;
    answer_.message = *std::move(error);
    return Step::kDone;
  }
  // What a write without a clear answer has emptied was there before.
  const bool may_be_emptied = may_be_written_ && stored->entries == cluster::EntryState::kNone;
  if (!may_be_emptied) object_.object.entries = stored->entries;
  if (TakesOthersWrites()) object_.object = *std::move(stored);
  return Step::kSend;
}

// The error is why it cannot be changed as it is to be.
std::optional<std::string> ObjectWrite::TakeWhole(std::string_view body,
                                                  kube::json::Document& document) {
  read_ = body;
  patch_.reset();
  is_mutated_ = false;
  return TakeChanged(document);
}

std::optional<std::string> ObjectWrite::TakeChanged(kube::json::Document& document) {
  using kube::json::Value;
  kube::json::Arena& arena = document.arena();
  const Value& read = document.root();
  std::optional<Value> changed;
  if (target_->mutation) {
    auto mutated = target_->mutation->Apply(read, arena);
    if (!mutated) return std::move(mutated).error();
    changed = *mutated;
  }
  is_mutated_ = changed.has_value();
  if (const auto cleaned = CleanEntries(read, arena, changed ? &*changed : nullptr)) {
    if (!changed) changed = kube::json::CopyForChange(read, arena);
    changed->Find("metadata")->Set("managedFields", cleaned->entries, arena);
  }
  if (!changed) return std::nullopt;
  if (is_mutated_ && target_->on_mutation) target_->on_mutation(read);
  if (target_->by_update) {
    read_ = kube::json::Print(*changed);
  } else {
    patch_ = MakePatch(read, *changed, cluster::MetadataText(read, "resourceVersion"),
                       PatchPart::kAll, kube::json::Removals::kSent);
  }
  return std::nullopt;
}

// Where nothing is to be cleaned, the patch changes nothing.
void ObjectWrite::TakeToClean(kube::json::Document& document) {
  const auto cleaned = CleanEntries(document.root(), document.arena(), nullptr);
  patch_ = EntriesPatch(document, cleaned ? &cleaned->entries : nullptr);
  may_own_entry_ = !target_->dry_run && !cluster::HasOwnEntry(document.root());
}

bool ObjectWrite::DropOwnEntry(kube::json::Document& answer) {
  if (!std::exchange(may_own_entry_, false)) return false;
  const auto others = cluster::WithoutOwnEntry(answer.root(), answer.arena());
  if (others) patch_ = EntriesPatch(answer, &*others);
  return others.has_value();
}

std::optional<cluster::CleanedEntries> ObjectWrite::CleanEntries(const kube::json::Value& read,
                                                                 kube::json::Arena& arena,
                                                                 const kube::json::Value* changed) {
  auto cleaned = target_->cleaner ? target_->cleaner->Clean(read, arena, changed) : std::nullopt;
  are_entries_judged_ = target_->cleaner != nullptr;
  entries_cleaned_ = cleaned ? cleaned->changed : 0;
  drops_all_entries_ = cleaned && cleaned->entries.empty();
  return cleaned;
}

ObjectWrite::Step ObjectWrite::Succeed(cluster::ListedObject stored) {
  const cluster::ListedObject& listed = object_.object;
  const bool is_same = stored.uid == listed.uid;
  answer_.are_entries_emptied =
      is_same && !drops_all_entries_ && cluster::WereEmptied(listed.entries, stored.entries);
  const bool is_known_to_fit =
      are_entries_judged_ && stored.entries == cluster::EntryState::kDoubtful;
  answer_.entries = is_known_to_fit ? cluster::EntryState::kSome : stored.entries;
  answer_.entries_cleaned = entries_cleaned_;
  if (target_->dry_run) {
    answer_.object_class = report::ObjectClass::kAccepted;
  } else if (is_same && stored.resource_version == listed.resource_version) {
    answer_.object_class = report::ObjectClass::kUnchanged;
  } else {
    answer_.object_class =
        is_mutated_ ? report::ObjectClass::kMutated : report::ObjectClass::kRewritten;
  }
  // A generation of 0 is one that the server repairs.
  answer_.generation_moved =
      !is_mutated_ && is_same && listed.generation != 0 && stored.generation != listed.generation;
  if (stored.uid != spooled_uid_) answer_.uid = std::move(stored.uid);
  answer_.resource_version = std::move(stored.resource_version);
  answer_.generation = stored.generation;
  return Step::kDone;
}

ObjectWrite::Step ObjectWrite::Fail(const AnswerVerdict& verdict,
                                    const kube::client::CallError& error,
                                    kube::base::Clock::TimePoint now) {
  was_slowdown_ = verdict.is_slowdown;
  if (error.status) retry_after_ = error.status->retry_after;
  const Meaning meaning = MeaningOf(error);
  if (!written_) OnFailedTry(meaning);
  const bool is_over = written_ && meaning == Meaning::kConflict;
  const auto pause = is_over ? std::nullopt : budget_.Next(verdict, retry_after_, now);
  if (pause) {
    due_ = now + *pause;
    return Step::kPause;
  }
  if (written_) return Succeed(*std::move(written_));
  answer_.object_class = verdict.object_class;
  answer_.code = error.status ? error.status->code : 0;
  answer_.reason = error.status ? error.status->reason : "";
  answer_.message = error.status ? error.status->message : error.message;
  return Step::kDone;
}

void ObjectWrite::OnFailedTry(Meaning meaning) {
  const bool was_write = !ReadsMetadata() && !ReadsToClean() && !ReadsWhole();
  // What was read is old by the next try.
  read_.clear();
  patch_.reset();
  are_entries_judged_ = may_own_entry_ = false;
  if (!was_write) return;
  if (meaning == Meaning::kConflict && TakesOthersWrites()) object_.object.resource_version.clear();
  if (!IsRefusal(meaning)) may_be_written_ = true;
}

}  // namespace migrate::rewrite
