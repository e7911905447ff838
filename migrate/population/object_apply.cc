#include "migrate/population/object_apply.h"

#include <algorithm>
#include <span>
#include <utility>

#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/keys.h"
#include "migrate/population/call_words.h"
#include "migrate/spool/object_metadata.h"
#include "migrate/sweep/write/sweep_paths.h"

namespace migrate::population {
namespace {

using kube::client::ApiStatus;
using kube::client::Meaning;
using kube::json::Value;
using report::PopulationClass;
using sweep::write::BrokenAnswer;

// Of fields that were set back so many are told.
constexpr std::size_t kCausesShown = 3;

// NewApplyConflict (apimachinery pkg/util/managedfields/internal/conflict.go). Other conflicts are
// those of two writers at the same time.
bool IsOwnershipConflict(const ApiStatus& status) {
  return MeaningOf(status) == Meaning::kConflict && status.message.starts_with("Apply failed with");
}

// A cause is ".metadata.labels.KEY: conflict with "MANAGER" ...".
const std::string* FindOtherApplySet(const ApiStatus& status) {
  const std::string label = std::string(".metadata.labels.") + populate::kApplySetPartOfLabel + ":";
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
  const Value* metadata = object.Find("metadata");
  const Value* entries = metadata == nullptr ? nullptr : metadata->Find("managedFields");
  if (entries == nullptr) return "";
  for (const Value& entry : entries->elements()) {
    const std::string_view manager = entry.FindText("manager");
    if (manager != populate::kFieldManager) return manager;
  }
  return "";
}

}  // namespace

kube::client::ApiRequest ObjectApply::Request() const {
  kube::client::ApiRequest request;
  request.method = "PATCH";
  request.target = object_.kind.ObjectPath(object_.namespace_, object_.key.name) +
                   "?fieldManager=" + populate::kFieldManager;
  if (is_forced_) request.target += "&force=true";
  if (is_dry_run_) request.target += "&dryRun=All";
  request.accept = sweep::write::kMetadataAccept;
  // JSON is YAML, and takes the server less time.
  request.content_type = "application/apply-patch+yaml";
  request.body = object_.body;
  request.retry = false;
  return request;
}

ObjectApply::Step ObjectApply::OnAnswer(std::string_view body,
                                        const std::optional<kube::client::CallError>& error,
                                        kube::json::Document& document,
                                        kube::system::Clock::TimePoint now) {
  was_slowdown_ = false;
  retry_after_.reset();
  is_unanswered_ = error && !error->status;
  if (error && error->status && !is_forced_ && IsOwnershipConflict(*error->status)) {
    return OnConflict(*error->status);
  }
  if (error) {
    if (error->status) retry_after_ = error->status->retry_after;
    return Fail(sweep::write::ClassifyAnswer(*error), WordsOf(*error), now);
  }
  const bool is_json = !document.Parse(body);
  if (is_json && spool::MetadataText(document.root(), "name") == object_.key.name) {
    return OnObject(document.root());
  }
  const bool is_cut_short = !is_json && (body.empty() || body.front() == '{');
  return Fail(ClassifyAnswer(is_cut_short ? BrokenAnswer::kCutShort : BrokenAnswer::kNotObject),
              is_cut_short ? "the server's answer ends in the middle"
                           : "the server's answer is not the object that was applied",
              now);
}

// A dry run stores nothing, and so moves no resourceVersion.
ObjectApply::Step ObjectApply::OnObject(const Value& metadata) {
  uid_ = spool::MetadataText(metadata, "uid");
  resource_version_ = spool::MetadataText(metadata, "resourceVersion");
  const bool is_unchanged =
      !is_dry_run_ && !resource_version_.empty() && resource_version_ == object_.known_version;
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

ObjectApply::Step ObjectApply::Fail(const sweep::write::AnswerVerdict& verdict, std::string message,
                                    kube::system::Clock::TimePoint now) {
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

NamespaceApply::NamespaceApply(std::vector<ObjectToApply> objects, bool is_dry_run,
                               kube::system::Clock::Duration patience, bool gives_up,
                               OnDone on_done)
    : objects_(std::move(objects)),
      is_dry_run_(is_dry_run),
      patience_(patience),
      gives_up_(gives_up),
      on_done_(std::move(on_done)) {
  BeginNext();
}

void NamespaceApply::BeginNext() {
  current_ = std::make_unique<ObjectApply>(std::move(objects_[next_++]), is_dry_run_, patience_);
}

NamespaceApply::Step NamespaceApply::OnAnswer(std::string_view body,
                                              const std::optional<kube::client::CallError>& error,
                                              kube::json::Document& document,
                                              kube::system::Clock::TimePoint now) {
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

}  // namespace migrate::population
