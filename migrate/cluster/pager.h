#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "kube/client/client.h"
#include "kube/json/json.h"

/// The pages of a list: how one is asked for, what it says of itself, and which comes next.
namespace migrate::cluster {

/// What one answer to a list may have: far above all that etcd holds, for a list without chunks.
inline constexpr std::uint64_t kMostListBytes = std::uint64_t{64} * 1024 * 1024 * 1024;

/// Reads a list in chunks: which page comes next, and what to do about one that failed. No I/O.
///
/// A list has an end: an API server fills each page that is not the last, etcd bears some ten
/// million objects, and no token comes twice. Whoever sends another list is not read for ever.
///
/// An expired continue token (410) goes on by the token that the server gives with it, from a newer
/// resource version, so that a long list is not begun again (apimachinery's pager begins again).
class Pager {
 public:
  enum class Step {
    kRead,     ///< read page(), after pause()
    kRestart,  ///< the same, and forget all that was read: it cannot be told what is missing
    kDone,
    kFailed,
  };

  /// The page to read.
  struct Page {
    std::string continue_token;  ///< empty: the first page
    std::uint64_t skip = 0;      ///< how many of its items were read already, before it broke off
  };

  static constexpr std::uint64_t kMostItems = 100'000'000;
  /// Why a list is not read on where HasNoEnd().
  static constexpr char kEndless[] = "the server's list has no end";

  /// `chunk_size` is how many items a page is asked for (0: all of them), `most_items` how many a
  /// list may have.
  explicit Pager(std::int64_t chunk_size = 0, std::uint64_t most_items = kMostItems)
      : chunk_size_(chunk_size), most_items_(most_items) {}

  const Page& page() const { return page_; }
  std::chrono::seconds pause() const { return pause_; }

  /// The page was read to its end, and has so many items; `continue_token` is its
  /// metadata.continue. Fails where the list has no end that can be seen: see fault().
  Step OnPage(std::string continue_token, std::uint64_t items);
  /// The page failed or broke off after `items` of its items, counted from its start.
  Step OnError(const kube::client::CallError& error, std::uint64_t items);

  /// The pages so far, and `items` of the one that is being read, are more than any list has: to be
  /// asked while a page comes, which may have no end either.
  bool HasNoEnd(std::uint64_t items) const { return items_ + items > most_items_; }

  /// Why OnPage has failed.
  const std::string& fault() const { return fault_; }

 private:
  Step Restart();
  bool IsInCircle(const std::string& continue_token);
  std::string FindFault(const std::string& continue_token, std::uint64_t items);
  Step ReadAgain(std::uint64_t items);

  std::int64_t chunk_size_;
  std::uint64_t most_items_;
  Page page_;
  // The token is from a page of this list: reading by it twice gives the same items, as both see
  // the same resource version. Not so for the first page and by the token of a 410.
  bool is_pinned_ = false;
  int failures_ = 0;  // since a page was read
  int restarts_ = 0;
  std::chrono::seconds pause_{0};

  // Of all pages, also of those before a restart:
  std::uint64_t pages_ = 0, items_ = 0, thin_pages_ = 0;
  std::string earlier_token_;  // of a page whose number is a power of two
  std::string fault_;
};

/// Which objects of a cluster count, and how their lists are read. Selectors are of kubectl's
/// grammar; what is empty leaves nothing out.
struct ObjectSelection {
  std::string namespace_{};  ///< that of the context does not count
  std::string label_selector{}, field_selector{};
  std::int64_t chunk_size = 500;  ///< objects a request; 0: all at once

  bool has_selectors() const { return !label_selector.empty() || !field_selector.empty(); }
  /// Some objects may be left out.
  bool is_partial() const { return has_selectors() || !namespace_.empty(); }
};

/// The target of a list of the objects with these labels and fields; empty: of all.
std::string WithSelectors(std::string target, const std::string& label_selector,
                          const std::string& field_selector);
inline std::string WithSelectors(std::string target, const ObjectSelection& objects) {
  return WithSelectors(std::move(target), objects.label_selector, objects.field_selector);
}

/// The target of a list's page: at most `chunk_size` objects (0: all of them), from
/// `continue_token` on (empty: from the first).
std::string WithChunk(std::string target, std::int64_t chunk_size,
                      const std::string& continue_token);

/// What a page tells beside its items.
struct PageMetadata {
  std::string resource_version;  ///< of the list
  std::string continue_token;    ///< where the list goes on; empty: nowhere
  /// How many objects are in later pages; absent where the server does not say: with selectors, or
  /// in lists of metadata of 1.20.
  std::optional<std::uint64_t> remaining;
};

/// Of the page `list`, with its items or without; what is missing there is empty.
PageMetadata ReadPageMetadata(const kube::json::Value& list);

/// Why an answer is not the `wanted`, "list of objects" or "object", with what may be the cause.
std::string DescribeForeignAnswer(const std::string& wanted, const std::string& why);

}  // namespace migrate::cluster
