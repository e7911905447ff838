#include "migrate/rewrite/metadata_list.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {

using kube::json::ListSplitter;

kube::client::CallError UnreadableList(const std::string& why) {
  return {.status = std::nullopt,
          .transport = std::nullopt,
          .message = cluster::DescribeForeignAnswer("list of objects", why)};
}

void MetadataPage::Push(std::string_view bytes) {
  if (fault_) return;
  if (const auto error = splitter_.Push(bytes)) Fail(error->message);
}

void MetadataPage::OnObject(ListSplitter::Kind kind, std::string_view text,
                            const kube::json::TextPosition&) {
  if (fault_) return;
  kind == ListSplitter::Kind::kItem ? HandleItem(text) : HandleListMetadata(text);
}

void MetadataPage::HandleItem(std::string_view text) {
  if (item_.Parse(text)) return Fail("an item is no JSON");
  const auto object = cluster::ReadObjectMetadata(item_.root(), target_.known());
  if (!object || object->namespace_.empty() == target_.is_namespaced) {
    return Fail("an item has no metadata of an object");
  }
  take_(*object);
}

void MetadataPage::HandleListMetadata(std::string_view text) {
  kube::json::Document list;
  if (list.Parse(text)) return;
  is_list_ = list.root().FindText("kind").ends_with("List");
  metadata_ = cluster::ReadPageMetadata(list.root());
}

void MetadataPage::Fail(const std::string& why) { fault_ = UnreadableList(why); }

namespace {

using kube::client::CallError;

// Far above any that a server gives; the lines of the spool have an end.
constexpr std::size_t kMaxToken = 256 * 1024;
// The first chunk is small, so that writes begin soon.
constexpr std::int64_t kFirstChunk = 100;
// Shorter ones are not worth a word, and of longer ones some are.
constexpr std::chrono::seconds kSilentWait{10}, kBetweenWords{60};

// Most of it are managedFields, which resemble each other.
kube::client::ApiRequest ListRequest(std::string target) {
  return {.target = std::move(target),
          .accept = kMetadataListAccept,
          .always_compress = true,
          .most_bytes = cluster::kMostListBytes,
          .retry = false};
}

}  // namespace

MetadataList::MetadataList(const SweepTarget& target, std::int64_t chunk_size,
                           cluster::Spool& spool, const kube::client::Session& session,
                           std::function<void(const std::string&)> on_wait,
                           std::uint64_t most_items)
    : target_(target),
      chunk_size_(chunk_size),
      most_items_(most_items),
      spool_(spool),
      session_(session),
      on_wait_(std::move(on_wait)),
      pager_(chunk_size, most_items),
      budget_(session.patience),
      is_done_(spool.is_complete()) {
  if (spool_.continue_token().empty()) return;
  pager_.OnPage(spool_.continue_token(), spool_.listed());
  last_key_ = spool_.last_key();
  skips_known_ = true;
  has_old_token_ = true;
}

void MetadataList::Advance() {
  const bool is_endless = call_ && pager_.HasNoEnd(page_objects_);
  if (is_endless || (call_ && page_->fault())) {
    session_.client.Cancel(*std::exchange(call_, std::nullopt));
    spool_.DropPage();
    return Fail(is_endless ? UnreadableList(cluster::Pager::kEndless) : *page_->fault());
  }
  if (is_done_ || call_ || session_.clock.Now() < not_before_) return;
  page_.emplace(target_, [this](const cluster::ListedObject& object) { Take(object); });
  page_last_key_.clear();
  page_objects_ = 0;
  call_ = session_.client.Start(ListRequest(PagePath()), *this);
}

void MetadataList::Stop() {
  if (call_) session_.client.Cancel(*call_);
  call_.reset();
  is_done_ = true;
}

kube::base::Clock::TimePoint MetadataList::next_event() const {
  return is_done_ || call_ ? kube::base::Clock::TimePoint::max() : not_before_;
}

std::string MetadataList::PagePath() const {
  const std::string& token = pager_.page().continue_token;
  const std::int64_t most = token.empty() ? kFirstChunk : chunk_size_;
  return cluster::WithChunk(ListPath(target_), std::min(chunk_size_, most), token);
}

void MetadataList::OnBytes(std::string_view bytes) { page_->Push(bytes); }

void MetadataList::Take(const cluster::ListedObject& object) {
  page_last_key_ = cluster::ObjectKey(object);
  ++page_objects_;
  if (skips_known_ && page_last_key_ <= spool_.last_key()) return;
  spool_.Add(object);
}

void MetadataList::OnEnd(const std::optional<CallError>& error) {
  call_.reset();
  if (error) {
    spool_.DropPage();
    if (MeaningOf(*error) == kube::client::Meaning::kExpired) return OnExpired(*error);
    return OnFailure(ClassifyAnswer(*error), *error);
  }
  if (page_->fault()) {
    spool_.DropPage();
    return Fail(*page_->fault());
  }
  if (!page_->Finish()) {
    spool_.DropPage();
    return OnFailure(ClassifyAnswer(BrokenAnswer::kCutShort),
                     UnreadableList("it ends in the middle"));
  }
  HandlePage();
}

// A list that goes on has to come on: tokens that lead in a circle would have us read for ever, and
// count objects twice.
bool MetadataList::LeadsNowhere() const {
  const std::string& token = page_->metadata().continue_token;
  if (token.empty()) return false;
  return page_last_key_ <= last_key_ || token.size() > kMaxToken;
}

void MetadataList::HandlePage() {
  if (LeadsNowhere()) {
    spool_.DropPage();
    return Fail(UnreadableList("its continue token leads nowhere"));
  }
  const cluster::Pager::Step step = pager_.OnPage(page_->metadata().continue_token, page_objects_);
  if (step == cluster::Pager::Step::kFailed) {
    spool_.DropPage();
    return Fail(UnreadableList(pager_.fault()));
  }
  has_old_token_ = false;
  failing_since_.reset();
  spool_.EndPage(page_->metadata().continue_token);
  last_key_ = page_last_key_;
  remaining_ = page_->metadata().remaining;
  budget_ = RetryBudget(session_.patience);
  is_done_ = step == cluster::Pager::Step::kDone;
}

void MetadataList::OnFailure(const AnswerVerdict& verdict, const CallError& error) {
  const auto retry_after = error.status ? error.status->retry_after : std::nullopt;
  const auto pause = budget_.Next(verdict, retry_after, session_.clock.Now());
  if (!pause && has_old_token_ && error.status) return ListFromBeginning();
  if (!pause) return Fail(error);
  not_before_ = session_.clock.Now() + *pause;
  ReportWait(error);
}

void MetadataList::ReportWait(const CallError& error) {
  const kube::base::Clock::TimePoint now = session_.clock.Now();
  if (!failing_since_) failing_since_ = now;
  if (!on_wait_ || now < *failing_since_ + kSilentWait) return;
  if (told_at_ && now < *told_at_ + kBetweenWords) return;
  told_at_ = now;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - *failing_since_);
  on_wait_("the list of the objects could not be read for " + std::to_string(seconds.count()) +
           " s: " + error.message + "; trying again");
}

// The token of an earlier run may be of a state of the cluster that it was set back from; no run
// would ever get on by it.
void MetadataList::ListFromBeginning() {
  has_old_token_ = false;
  pager_ = cluster::Pager(chunk_size_, most_items_);
  last_key_.clear();
  budget_ = RetryBudget(session_.patience);
}

void MetadataList::OnExpired(const CallError& error) {
  skips_known_ = true;
  const cluster::Pager::Step step = pager_.OnError(error, 0);
  if (step == cluster::Pager::Step::kFailed) return Fail(error);
  if (step == cluster::Pager::Step::kRestart) last_key_.clear();
  not_before_ = session_.clock.Now() + pager_.pause();
}

void MetadataList::Fail(CallError error) {
  is_done_ = true;
  error_ = std::move(error);
}

namespace {

// For the first rewrite, and between any two parts of the answer: a watch cache that is not ready
// or behind keeps a request waiting (three seconds where it is behind).
constexpr std::chrono::seconds kPatience{5};
// For all of the answer, of which a second or two is usual.
constexpr std::chrono::seconds kLongestAnswer{60};
// Of texts in metadata: ten thousand objects have two.
constexpr std::size_t kMostBytes = 32 * 1024 * 1024;

// As a table a list is a few columns: of a single object, however large, next to nothing.
constexpr char kTableAccept[] =
    "application/json;as=Table;g=meta.k8s.io;v=v1,"
    "application/json;as=Table;g=meta.k8s.io;v=v1beta1,application/json";

}  // namespace

CachedList::CachedList(const SweepTarget& target, std::uint64_t most, std::int64_t chunk_size,
                       cluster::Spool& spool, const kube::client::Session& session,
                       std::function<void(const std::string&)> on_wait)
    : target_(target),
      most_(most),
      spool_(spool),
      session_(session),
      chunks_(target, chunk_size, spool, session, std::move(on_wait)) {
  // A dry run rewrites nothing.
  if (most_ == 0 || chunk_size == 0 || target_.dry_run || spool_.listed() > 0) {
    state_ = State::kInChunks;
  }
}

void CachedList::Advance() {
  if (is_done()) return;
  if (state_ == State::kNew) Begin();
  if (state_ == State::kFirstChunk && spool_.listed() > 0 &&
      patience_end_ == kube::base::Clock::TimePoint::max()) {
    patience_end_ = session_.clock.Now() + kPatience;
  }
  if (IsInVain()) ReadInChunks();
  if (state_ == State::kInChunks || spool_.listed() == 0) chunks_.Advance();
}

// Whatever is wrong with the answer, the list in chunks will meet it again, and judge it. A table
// tells how many objects remain where a list of metadata does not yet, as of 1.20.
void CachedList::Begin() {
  state_ = State::kInChunks;
  const auto answer = session_.client.Send(
      {.target = kube::client::WithQuery(ListPath(target_), "limit=1&includeObject=None"),
       .accept = kTableAccept,
       .retry = false});
  if (!answer) return;
  const auto remaining = cluster::ReadPageMetadata((*answer)->root()).remaining;
  if (!remaining || *remaining >= most_) return;
  total_ = *remaining + 1;
  state_ = State::kFirstChunk;
}

bool CachedList::IsInVain() const {
  if (state_ == State::kFirstChunk) {
    return spool_.listed() > 0 && (spool_.is_answered() || session_.clock.Now() >= patience_end_);
  }
  return state_ == State::kInOnePiece && session_.clock.Now() >= patience_end_;
}

void CachedList::OnRewritten(const std::string& resource_version) {
  if (state_ != State::kFirstChunk || chunks_.is_done()) return;
  state_ = State::kInOnePiece;
  patience_end_ = session_.clock.Now() + kPatience;
  answer_end_ = session_.clock.Now() + kLongestAnswer;
  version_ = resource_version;
  page_.emplace(target_, [this](const cluster::ListedObject& object) { Take(object); });
  std::string target = kube::client::WithQuery(
      ListPath(target_), "resourceVersion=" + kube::client::UrlEscape(resource_version) +
                             "&resourceVersionMatch=NotOlderThan");
  call_ = session_.client.Start(ListRequest(std::move(target)), *this);
}

void CachedList::ReadInChunks() {
  if (call_) session_.client.Cancel(*call_);
  call_.reset();
  page_.reset();
  objects_ = {};
  state_ = State::kInChunks;
}

// Nothing will be rewritten any more.
void CachedList::NameOnly() {
  if (state_ == State::kFirstChunk) ReadInChunks();
}

void CachedList::Stop() {
  if (call_) session_.client.Cancel(*call_);
  call_.reset();
  chunks_.Stop();
}

std::optional<std::uint64_t> CachedList::remaining() const {
  if (state_ != State::kFirstChunk && state_ != State::kInOnePiece) return chunks_.remaining();
  return total_ - std::min(total_, spool_.listed());
}

kube::base::Clock::TimePoint CachedList::next_event() const {
  if (is_done()) return kube::base::Clock::TimePoint::max();
  if (state_ == State::kInChunks || spool_.listed() == 0) return chunks_.next_event();
  return patience_end_;
}

void CachedList::OnBytes(std::string_view bytes) {
  page_->Push(bytes);
  // Who goes on with what cannot be used is not listened to for ever.
  if (page_->fault() || !IsBounded()) return;
  patience_end_ =
      std::min<kube::base::Clock::TimePoint>(session_.clock.Now() + kPatience, answer_end_);
}

void CachedList::Take(const cluster::ListedObject& object) {
  if (!IsBounded()) return;
  bytes_ += object.namespace_.size() + object.name.size() + object.uid.size() +
            object.resource_version.size();
  knows_version_ = knows_version_ || object.resource_version == version_;
  objects_.push_back(object);
}

// Some may have been created meanwhile.
bool CachedList::IsBounded() const { return objects_.size() < 2 * most_ && bytes_ < kMostBytes; }

void CachedList::OnEnd(const std::optional<kube::client::CallError>& error) {
  call_.reset();
  std::ranges::sort(objects_, {}, cluster::ObjectKey);  // a watch cache has no order
  if (!error && FinishPage()) return HandleRest();
  ReadInChunks();
}

// True if it is whole. That it is an answer to the question shows in the object whose rewrite we
// saw, and in that there are no fewer objects than etcd had. Where such an object was written or
// deleted since, chunks cost little more.
bool CachedList::FinishPage() {
  const auto is_same = [](const cluster::ListedObject& one, const cluster::ListedObject& other) {
    return cluster::ObjectKey(one) == cluster::ObjectKey(other);
  };
  return !page_->fault() && page_->Finish() && page_->metadata().continue_token.empty() &&
         IsBounded() && knows_version_ && objects_.size() >= total_ &&
         std::ranges::adjacent_find(objects_, is_same) == objects_.end();
}

void CachedList::HandleRest() {
  const std::string last = spool_.last_key();
  for (const cluster::ListedObject& object : objects_) {
    if (cluster::ObjectKey(object) > last) spool_.Add(object);
  }
  spool_.EndPage("");
  page_.reset();
  objects_ = {};
  state_ = State::kDone;
}

}  // namespace migrate::rewrite
