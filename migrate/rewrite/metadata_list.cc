#include "migrate/rewrite/metadata_list.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {
namespace {

using kube::client::CallError;

// Far above any that a server gives; the lines of the spool have an end.
constexpr std::size_t kMaxToken = 256 * 1024;
// The first chunk is small, so that writes begin soon.
constexpr std::int64_t kFirstChunk = 100;
// Shorter ones are not worth a word, and of longer ones some are.
constexpr std::chrono::seconds kSilentWait{10}, kBetweenWords{60};

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
  kube::client::ApiRequest request;
  request.target = PagePath();
  request.accept = kMetadataListAccept;
  request.always_compress = true;  // managedFields, mostly, which resemble each other
  request.retry = false;
  request.most_bytes = cluster::kMostListBytes;
  call_ = session_.client.Start(std::move(request), *this);
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

}  // namespace migrate::rewrite
