#include "migrate/metadata_list.h"

#include <utility>

#include "migrate/object_metadata.h"
#include "migrate/sweep_paths.h"

namespace migrate {
namespace {

using kube::CallError;
using kube::ListSplitter;

// Far above any that a server gives; the lines of the spool have an end.
constexpr std::size_t kMaxToken = 256 * 1024;

CallError Unreadable(const std::string& why) {
  return {.status = std::nullopt,
          .transport = std::nullopt,
          .message = "the server's answer is no list of objects (" + why +
                     "); is there a proxy or a login page in between?"};
}

}  // namespace

MetadataList::MetadataList(const SweepTarget& target, std::int64_t chunk_size, Spool& spool,
                           kube::Client& client, const kube::Clock& clock)
    : target_(target),
      chunk_size_(chunk_size),
      spool_(spool),
      client_(client),
      clock_(clock),
      is_done_(spool.is_complete()) {
  if (spool_.continue_token().empty()) return;
  pager_.OnPage(spool_.continue_token());
  last_key_ = spool_.last_key();
  skips_known_ = true;
}

void MetadataList::Advance() {
  if (is_done_ || call_ || clock_.Now() < not_before_) return;
  splitter_ = std::make_unique<ListSplitter>(static_cast<ListSplitter::Sink&>(*this));
  fault_.clear();
  is_complete_ = false;
  page_last_key_.clear();
  continue_token_.clear();
  page_remaining_.reset();
  kube::ApiRequest request;
  request.target = PagePath();
  request.accept = kMetadataListAccept;
  request.always_compress = true;  // managedFields, mostly, which resemble each other
  request.retry = false;
  call_ = client_.Start(std::move(request), *this);
}

void MetadataList::Stop() {
  if (call_) client_.Cancel(*call_);
  call_.reset();
  is_done_ = true;
}

kube::Clock::TimePoint MetadataList::next_event() const {
  return is_done_ || call_ ? kube::Clock::TimePoint::max() : not_before_;
}

std::string MetadataList::PagePath() const {
  std::string path = ListPath(target_);
  const auto add = [&path](const char* key, const std::string& value) {
    path += path.find('?') == path.npos ? '?' : '&';
    path += key + value;
  };
  if (chunk_size_ > 0) add("limit=", std::to_string(chunk_size_));
  const std::string& token = pager_.page().continue_token;
  if (!token.empty()) add("continue=", kube::UrlEscape(token));
  return path;
}

void MetadataList::OnBytes(std::string_view bytes) {
  if (!fault_.empty()) return;
  if (const auto error = splitter_->Push(bytes)) fault_ = error->message;
}

void MetadataList::OnObject(ListSplitter::Kind kind, std::string_view text,
                            const kube::TextPosition&) {
  if (!fault_.empty()) return;
  kind == ListSplitter::Kind::kItem ? TakeItem(text) : TakeListMetadata(text);
}

void MetadataList::TakeItem(std::string_view text) {
  if (item_.Parse(text)) {
    fault_ = "an item is no JSON";
    return;
  }
  auto object = ReadObjectMetadata(item_.root());
  if (!object || object->namespace_.empty() == target_.is_namespaced) {
    fault_ = "an item has no metadata of an object";
    return;
  }
  page_last_key_ = ObjectKey(*object);
  if (skips_known_ && page_last_key_ <= spool_.last_key()) return;
  spool_.Add(*object);
}

void MetadataList::TakeListMetadata(std::string_view text) {
  kube::json::Document list;
  if (list.Parse(text)) return;
  is_complete_ = list.root().FindText("kind").ends_with("List");
  const kube::json::Value* metadata = list.root().Find("metadata");
  if (metadata == nullptr) return;
  continue_token_ = metadata->FindText("continue");
  if (const auto* count = metadata->Find("remainingItemCount", kube::json::Type::kNumber)) {
    const std::int64_t number = kube::json::AsInt64(*count).value_or(-1);
    if (number >= 0) page_remaining_ = static_cast<std::uint64_t>(number);
  }
}

void MetadataList::OnEnd(const std::optional<CallError>& error) {
  call_.reset();
  if (error) {
    spool_.DropPage();
    if (error->status && error->status->IsExpired()) return OnExpired(*error);
    return OnFailure(Judge(*error), *error);
  }
  if (!fault_.empty()) {
    spool_.DropPage();
    return Fail(Unreadable(fault_));
  }
  if (splitter_->Finish() || !is_complete_) {
    spool_.DropPage();
    return OnFailure(Judge(BrokenAnswer::kCutShort), Unreadable("it ends in the middle"));
  }
  TakePage();
}

// A list that goes on has to come on: tokens that lead in a circle would have us read for ever, and
// count objects twice.
bool MetadataList::LeadsNowhere() const {
  if (continue_token_.empty()) return false;
  return page_last_key_ <= last_key_ || continue_token_ == pager_.page().continue_token ||
         continue_token_.size() > kMaxToken;
}

void MetadataList::TakePage() {
  if (LeadsNowhere()) {
    spool_.DropPage();
    return Fail(Unreadable("its continue token leads nowhere"));
  }
  spool_.EndPage(continue_token_);
  last_key_ = page_last_key_;
  remaining_ = page_remaining_;
  budget_ = RetryBudget();
  if (pager_.OnPage(std::move(continue_token_)) == Pager::Step::kDone) {
    is_done_ = true;
    return;
  }
  Advance();
}

void MetadataList::OnFailure(const AnswerVerdict& verdict, const CallError& error) {
  const auto retry_after = error.status ? error.status->retry_after : std::nullopt;
  const auto pause = budget_.Next(verdict, retry_after, clock_.Now());
  if (!pause) return Fail(error);
  not_before_ = clock_.Now() + *pause;
}

void MetadataList::OnExpired(const CallError& error) {
  skips_known_ = true;
  const Pager::Step step = pager_.OnError(error, 0);
  if (step == Pager::Step::kFailed) return Fail(error);
  if (step == Pager::Step::kRestart) last_key_.clear();
  not_before_ = clock_.Now() + pager_.pause();
}

void MetadataList::Fail(CallError error) {
  is_done_ = true;
  error_ = std::move(error);
}

}  // namespace migrate
