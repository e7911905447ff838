#include "migrate/populate/object_apply.h"

#include <algorithm>
#include <span>
#include <utility>

#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/client.h"
#include "kube/json/json.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/stale_entries.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/keys.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::populate {
namespace {

using kube::json::Value;

// Masker in kubectl pkg/cmd/diff/diff.go
constexpr std::string_view kMask = "***";
constexpr std::string_view kMaskBefore = "*** (before)";
constexpr std::string_view kMaskAfter = "*** (after)";

constexpr char kLastApplied[] = "kubectl.kubernetes.io/last-applied-configuration";

// The null pointer: there is none on that side.
void MaskValue(Value* now, Value* after) {
  const bool changes = now != nullptr && after != nullptr && !kube::json::Equal(*now, *after);
  if (now != nullptr) *now = Value::String(changes ? kMaskBefore : kMask);
  if (after != nullptr) *after = Value::String(changes ? kMaskAfter : kMask);
}

Value* FindIn(Value* object, std::string_view key) {
  return object == nullptr ? nullptr : object->Find(key);
}

void MaskSecret(Value& now, Value& after) {
  Value* data = now.Find("data");
  Value* data_after = after.Find("data");
  if (data != nullptr) {
    for (auto& [key, value] : data->members()) MaskValue(&value, FindIn(data_after, key.text()));
  }
  if (data_after != nullptr) {
    for (auto& [key, value] : data_after->members()) {
      if (FindIn(data, key.text()) == nullptr) MaskValue(nullptr, &value);
    }
  }
  MaskValue(FindIn(FindIn(now.Find("metadata"), "annotations"), kLastApplied),
            FindIn(FindIn(after.Find("metadata"), "annotations"), kLastApplied));
}

// Both were parsed before.
Value& ReadShown(const std::string& text, kube::json::Document& document) {
  const bool is_there = !text.empty() && !document.Parse(text);
  Value* metadata = is_there ? document.root().Find("metadata") : nullptr;
  if (metadata != nullptr) metadata->Erase("managedFields");
  return document.root();
}

}  // namespace

void ShowStates(const ObjectStates& states, const ServedKind& kind, std::string_view namespace_,
                std::string_view name, check::ChangeTaker& taker) {
  kube::json::Document now_document, after_document;
  Value& now = ReadShown(states.now, now_document);
  Value& after = ReadShown(states.after, after_document);
  // Of whatever group, as kubectl has it.
  if (kind.version == "v1" && kind.type.kind == "Secret") MaskSecret(now, after);
  taker.Take({.group = kind.type.group,
              .version = kind.version,
              .kind = kind.type.kind,
              .namespace_ = namespace_,
              .name = name,
              .now = now,
              .after = after,
              .differs = !kube::json::Equal(now, after)});
}

namespace {

using kube::client::ApiStatus;
using kube::client::Meaning;
using report::PopulationClass;
using rewrite::BrokenAnswer;

// Of fields that were set back so many are told.
constexpr std::size_t kCausesShown = 3;
// How often an object is read that others keep writing, as kubectl diff has it.
constexpr int kMostReadings = 4;

// NewApplyConflict (apimachinery pkg/util/managedfields/internal/conflict.go). Other conflicts are
// those of two writers at the same time.
bool IsOwnershipConflict(const ApiStatus& status) {
  return MeaningOf(status) == Meaning::kConflict && status.message.starts_with("Apply failed with");
}

// A cause is ".metadata.labels.KEY: conflict with "MANAGER" ...".
const std::string* FindOtherApplySet(const ApiStatus& status) {
  const std::string label = std::string(".metadata.labels.") + kApplySetPartOfLabel + ":";
  const auto found = std::ranges::find_if(
      status.causes, [&label](const std::string& cause) { return cause.starts_with(label); });
  return found == status.causes.end() ? nullptr : &*found;
}

std::string TextOf(const std::vector<std::string>& causes) {
  const std::size_t shown = std::min(causes.size(), kCausesShown);
  std::string text = kube::base::Join(std::span(causes).first(shown), ", ");
  if (shown < causes.size()) {
    text += " and " + kube::base::Count(causes.size() - shown, "more field");
  }
  return text;
}

// The first one that is not us; empty: nobody else has written it.
std::string_view OtherManager(const Value& object) {
  for (const Value& entry : cluster::EntriesOf(object)) {
    const std::string_view manager = entry.FindText("manager");
    if (manager != kFieldManager) return manager;
  }
  return "";
}

}  // namespace

kube::client::ApiRequest ObjectApply::Request() const {
  kube::client::ApiRequest request;
  request.target = object_.kind.ObjectPath(object_.namespace_, object_.key.name);
  request.retry = false;
  if (asks_ == Asks::kObject) return request;
  request.method = "PATCH";
  request.target += std::string("?fieldManager=") + kFieldManager;
  if (is_forced_) request.target += "&force=true";
  if (mode_ != WriteMode::kStore) request.target += "&dryRun=All";
  if (mode_ != WriteMode::kShow) request.accept = rewrite::kMetadataAccept;
  // JSON is YAML, and takes the server less time.
  request.content_type = "application/apply-patch+yaml";
  request.body = object_.body;
  return request;
}

ObjectApply::Step ObjectApply::OnAnswer(std::string_view body,
                                        const std::optional<kube::client::CallError>& error,
                                        kube::json::Document& document,
                                        kube::base::Clock::TimePoint now) {
  was_slowdown_ = false;
  retry_after_.reset();
  is_unanswered_ = error && !error->status;
  if (error && error->status && !is_forced_ && IsOwnershipConflict(*error->status)) {
    return OnConflict(*error->status);
  }
  const bool is_read = asks_ == Asks::kObject;
  if (error && is_read && MeaningOf(*error) == Meaning::kNotFound) return OnRead("", "");
  if (error) {
    if (error->status) retry_after_ = error->status->retry_after;
    return Fail(rewrite::ClassifyAnswer(*error), kube::client::ServerMessage(*error), now);
  }
  const bool is_json = !document.Parse(body);
  if (is_json && cluster::MetadataText(document.root(), "name") == object_.key.name) {
    if (!is_read) return OnApplied(body, document.root());
    return OnRead(body, std::string(cluster::MetadataText(document.root(), "resourceVersion")));
  }
  const bool is_cut_short = !is_json && (body.empty() || body.front() == '{');
  return Fail(ClassifyAnswer(is_cut_short ? BrokenAnswer::kCutShort : BrokenAnswer::kNotObject),
              is_cut_short ? "the server's answer ends in the middle"
              : is_read    ? "the server's answer is not the object that was asked for"
                           : "the server's answer is not the object that was applied",
              now);
}

ObjectApply::Step ObjectApply::OnRead(std::string_view body, std::string resource_version) {
  states_.now = body;
  read_version_ = std::move(resource_version);
  asks_ = Asks::kApply;
  return Step::kSend;
}

ObjectApply::Step ObjectApply::ReadAgain() {
  asks_ = Asks::kObject;
  is_forced_ = false;
  set_back_.clear();
  return Step::kSend;
}

ObjectApply::Step ObjectApply::OnApplied(std::string_view body, const Value& metadata) {
  uid_ = cluster::MetadataText(metadata, "uid");
  resource_version_ = cluster::MetadataText(metadata, "resourceVersion");
  if (mode_ == WriteMode::kShow) {
    // A dry run stores nothing, and so moves no resourceVersion; what it would make has none.
    const bool has_changed = resource_version_ != read_version_;
    if (has_changed && ++readings_ < kMostReadings) return ReadAgain();
    states_.after = body;
  }
  const bool is_unchanged = mode_ == WriteMode::kStore && !resource_version_.empty() &&
                            resource_version_ == object_.known_version;
  result_ = is_unchanged ? PopulationClass::kUnchanged : PopulationClass::kApplied;
  message_.clear();
  const std::string_view other = OtherManager(metadata);
  if (object_.known_version.empty() && !other.empty()) {
    message_ = "was there already, by " + std::string(other) +
               "; it belongs to the template now, and goes with it";
  } else if (!set_back_.empty()) {
    message_ = "set back what others had changed: " + set_back_;
  }
  return Step::kDone;
}

ObjectApply::Step ObjectApply::OnConflict(const ApiStatus& status) {
  if (const std::string* cause = FindOtherApplySet(status)) {
    result_ = PopulationClass::kFailed;
    message_ = "it belongs to another ApplySet, which would lose it: " + *cause;
    return Step::kDone;
  }
  set_back_ = TextOf(status.causes);
  is_forced_ = true;
  return Step::kSend;
}

ObjectApply::Step ObjectApply::Fail(const rewrite::AnswerVerdict& verdict, std::string message,
                                    kube::base::Clock::TimePoint now) {
  was_slowdown_ = verdict.is_slowdown;
  if (const auto pause = budget_.Next(verdict, retry_after_, now)) {
    due_ = now + *pause;
    // Whose the fields are is old by then.
    is_forced_ = false;
    return Step::kPause;
  }
  result_ = PopulationClass::kFailed;
  message_ = std::move(message);
  return Step::kDone;
}

NamespaceApply::NamespaceApply(std::vector<ObjectToApply> objects, WriteMode mode,
                               kube::base::Clock::Duration patience, bool gives_up, OnDone on_done)
    : objects_(std::move(objects)),
      mode_(mode),
      patience_(patience),
      gives_up_(gives_up),
      on_done_(std::move(on_done)) {
  BeginNext();
}

void NamespaceApply::BeginNext() {
  current_ = std::make_unique<ObjectApply>(std::move(objects_[next_++]), mode_, patience_);
}

NamespaceApply::Step NamespaceApply::OnAnswer(std::string_view body,
                                              const std::optional<kube::client::CallError>& error,
                                              kube::json::Document& document,
                                              kube::base::Clock::TimePoint now) {
  const Step step = current_->OnAnswer(body, error, document, now);
  was_slowdown_ = current_->was_slowdown();
  retry_after_ = current_->retry_after();
  due_ = current_->due();
  if (step != Step::kDone) return step;
  on_done_(*current_);
  if (gives_up_ && current_->is_unanswered()) GiveUpRest(current_->object().key.ToString());
  if (next_ == objects_.size()) return Step::kDone;
  BeginNext();
  return Step::kSend;
}

void NamespaceApply::GiveUpRest(const std::string& key) {
  while (next_ < objects_.size()) {
    BeginNext();
    current_->GiveUp("it was not sent, as there was no answer for " + key);
    on_done_(*current_);
  }
}

}  // namespace migrate::populate
