#include "migrate/rewrite/cached_list.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "migrate/cluster/pager.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {
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
  kube::client::ApiRequest request;
  request.target = kube::client::WithQuery(ListPath(target_), "limit=1&includeObject=None");
  request.accept = kTableAccept;
  request.retry = false;
  const auto answer = session_.client.Send(std::move(request));
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
  kube::client::ApiRequest request;
  request.target = kube::client::WithQuery(
      ListPath(target_), "resourceVersion=" + kube::client::UrlEscape(resource_version) +
                             "&resourceVersionMatch=NotOlderThan");
  request.accept = kMetadataListAccept;
  request.always_compress = true;
  request.retry = false;
  request.most_bytes = cluster::kMostListBytes;  // its time has an end
  call_ = session_.client.Start(std::move(request), *this);
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
