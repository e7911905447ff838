#include "migrate/cluster/pager.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "kube/client/answer_meaning.h"

namespace migrate::cluster {
namespace {

using kube::client::Meaning;

// With pauses that double up to 16 seconds these are two minutes.
constexpr int kMostFailures = 12;
constexpr int kMostDoublings = 4;
constexpr int kMostRestarts = 3;
// Some proxies leave out of a page what is not for the user.
constexpr std::uint64_t kMostThinPages = 1000;

std::optional<std::uint64_t> RemainingItemCount(const kube::json::Value& metadata) {
  const std::int64_t number = kube::json::AsInt64(metadata.At("remainingItemCount")).value_or(-1);
  if (number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

}  // namespace

// By Brent's algorithm: whatever circle the tokens come to, sooner or later one that is kept is in
// it.
bool Pager::IsInCircle(const std::string& continue_token) {
  if (continue_token == page_.continue_token || continue_token == earlier_token_) return true;
  if (std::has_single_bit(pages_)) earlier_token_ = continue_token;
  return false;
}

// Empty: none.
std::string Pager::FindFault(const std::string& continue_token, std::uint64_t items) {
  if (IsInCircle(continue_token)) return "the server gives the same continue token again and again";
  const bool is_thin = items == 0 || 2 * items < static_cast<std::uint64_t>(chunk_size_);
  if (is_thin && ++thin_pages_ > kMostThinPages) {
    return "the server gives page after page with next to nothing in it";
  }
  return HasNoEnd(0) ? kEndless : "";
}

Pager::Step Pager::OnPage(std::string continue_token, std::uint64_t items) {
  ++pages_;
  items_ += items;
  if (!continue_token.empty()) fault_ = FindFault(continue_token, items);
  if (!fault_.empty()) return Step::kFailed;
  failures_ = 0;
  pause_ = std::chrono::seconds(0);
  is_pinned_ = true;
  page_ = {std::move(continue_token), 0};
  return page_.continue_token.empty() ? Step::kDone : Step::kRead;
}

Pager::Step Pager::OnError(const kube::client::CallError& error, std::uint64_t items) {
  if (++failures_ > kMostFailures) return Step::kFailed;
  pause_ = std::chrono::seconds(failures_ == 1 ? 0 : 1 << std::min(failures_ - 2, kMostDoublings));
  const Meaning meaning = kube::client::MeaningOf(error);
  if (meaning == Meaning::kExpired) {
    // Without a token in the request there is nothing to expire.
    if (page_.continue_token.empty()) return Step::kFailed;
    // A new token starts where this page does, and what it will bring of the items that were read
    // already cannot be told.
    if (error.status->continue_token.empty() || page_.skip > 0) return Restart();
    page_ = {error.status->continue_token, 0};
    is_pinned_ = false;
    return Step::kRead;
  }
  return meaning == Meaning::kLost ? ReadAgain(items) : Step::kFailed;
}

Pager::Step Pager::Restart() {
  if (++restarts_ > kMostRestarts) return Step::kFailed;
  page_ = {};
  is_pinned_ = false;
  earlier_token_.clear();
  return Step::kRestart;
}

Pager::Step Pager::ReadAgain(std::uint64_t items) {
  if (items > 0 && page_.continue_token.empty() && !is_pinned_) return Step::kRestart;
  if (items > 0 && !is_pinned_) return Restart();
  // The page may break off sooner than the time before.
  page_.skip = std::max(page_.skip, items);
  return Step::kRead;
}

std::string WithSelectors(std::string target, const std::string& label_selector,
                          const std::string& field_selector) {
  const auto add = [&target](const char* key, const std::string& value) {
    if (!value.empty())
      target = kube::client::WithQuery(std::move(target), key + kube::client::UrlEscape(value));
  };
  add("labelSelector=", label_selector);
  add("fieldSelector=", field_selector);
  return target;
}

std::string WithChunk(std::string target, std::int64_t chunk_size,
                      const std::string& continue_token) {
  if (chunk_size > 0) {
    target = kube::client::WithQuery(std::move(target), "limit=" + std::to_string(chunk_size));
  }
  if (continue_token.empty()) return target;
  return kube::client::WithQuery(std::move(target),
                                 "continue=" + kube::client::UrlEscape(continue_token));
}

PageMetadata ReadPageMetadata(const kube::json::Value& list) {
  const kube::json::Value& metadata = list.At("metadata");
  return {.resource_version = std::string(metadata.FindText("resourceVersion")),
          .continue_token = std::string(metadata.FindText("continue")),
          .remaining = RemainingItemCount(metadata)};
}

std::string DescribeForeignAnswer(const std::string& wanted, const std::string& why) {
  return "the server's answer is no " + wanted + " (" + why +
         "); is there a proxy or a login page in between?";
}

}  // namespace migrate::cluster
