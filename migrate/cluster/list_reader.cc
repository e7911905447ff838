#include "migrate/cluster/list_reader.h"

#include <algorithm>
#include <mutex>
#include <string_view>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "kube/go/go_format.h"
#include "kube/json/list_splitter.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/pause.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::cluster {

std::string DescribeMissingNamespace(const std::string& name, kube::client::Client& client) {
  // Only a warning depends on it.
  const auto found = client.Send(
      {.target = "/api/v1/namespaces/" + kube::client::UrlEscape(name), .retry = false});
  if (found || !found.error().status) return "";
  const kube::client::ApiStatus& status = *found.error().status;
  // A 404 of something in between is about the address.
  const std::string missing = "namespaces \"" + name + "\" not found";
  const bool is_missing = kube::client::MeaningOf(status) == kube::client::Meaning::kNotFound &&
                          status.message == missing;
  return is_missing ? missing : "";
}

namespace {

using kube::client::CallError;
using kube::client::Meaning;
using kube::json::ListSplitter;

constexpr char kInterrupted[] = "interrupted";
constexpr std::ptrdiff_t kMostUnanswered = 8;  // in a row
// A server that does not know the first form answers in the second.
constexpr char kMetadataOnly[] =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

CallError NoAnswer(std::string message) {
  return {.status = std::nullopt, .transport = std::nullopt, .message = std::move(message)};
}

CallError BrokenOff() {
  const char* why = "the answer ends in the middle";
  return {
      .status = std::nullopt,
      .transport =
          kube::client::TransportError{kube::client::TransportError::Kind::kConnectionLost, why},
      .message = why};
}

struct FunctionTaker : ItemTaker {
  explicit FunctionTaker(std::function<void(kube::json::Document&)> f) : function(std::move(f)) {}
  void Handle(std::size_t, kube::json::Document& item, std::uint64_t) override { function(item); }

  std::function<void(kube::json::Document&)> function;
};

/// One reading of a list from its beginning.
struct Attempt {
  explicit Attempt(std::shared_ptr<ItemTaker> t) : taker(std::move(t)) {}

  std::shared_ptr<ItemTaker> taker;
  std::mutex mutex;   // guards what follows
  std::string error;  // of the first item that is no JSON
};

/// Items on their way to the workers.
struct ItemBatch {
  struct Item {
    std::size_t offset, size;
  };

  std::string text;
  std::vector<Item> items;
  std::uint64_t first_number = 0;
  std::shared_ptr<Attempt> attempt;

  void Clear() {
    constexpr std::size_t kKeptBytes = 2 * 1024 * 1024;
    if (text.capacity() > kKeptBytes) *this = ItemBatch();
    text.clear();
    items.clear();
    attempt = nullptr;
  }
};

using ItemQueue = BatchQueue<ItemBatch>;

void ParseItems(std::size_t worker, const ItemBatch& batch, kube::json::Document& document) {
  std::uint64_t number = batch.first_number;
  for (const ItemBatch::Item& item : batch.items) {
    const auto text = std::string_view(batch.text).substr(item.offset, item.size);
    if (const auto error = document.Parse(text)) {
      const std::lock_guard lock(batch.attempt->mutex);
      if (batch.attempt->error.empty()) batch.attempt->error = error->message;
    } else {
      batch.attempt->taker->Handle(worker, document, number);
    }
    ++number;
  }
}

void Work(std::size_t worker, ItemQueue& queue) {
  kube::json::Document document;
  try {
    while (std::unique_ptr<ItemBatch> batch = queue.TakeFull()) {
      ParseItems(worker, *batch, document);
      queue.Recycle(std::move(batch));
    }
  } catch (...) {
    queue.Abort();
    throw;
  }
}

/// Reads one list, page by page.
class ListRun : public kube::client::ResultSink, private ListSplitter::Sink {
 public:
  ListRun(ListJob& job, const kube::client::Session& session, ItemQueue& queue,
          const ListReaderOptions& options)
      : job_(job),
        session_(session),
        queue_(queue),
        chunk_size_(options.chunk_size),
        pager_(options.chunk_size, options.most_items) {
    BeginAttempt();
  }

  /// Asks for the page that is due, if any.
  void Advance() {
    if (is_waiting_ && refusal_) return GiveUp(*refusal_);
    if (is_done_ || is_waiting_ || session_.clock.Now() < not_before_) return;
    is_waiting_ = true;
    splitter_ = std::make_unique<ListSplitter>(static_cast<ListSplitter::Sink&>(*this));
    refusal_.reset();
    continue_token_.clear();
    page_items_ = 0;
    has_bytes_ = is_complete_ = false;
    kube::client::ApiRequest request;
    request.target = Target();
    if (job_.metadata_only) request.accept = kMetadataOnly;
    if (job_.is_list) request.most_bytes = kMostListBytes;
    call_ = session_.client.Start(std::move(request), *this);
  }
  /// Not an error if it is done.
  void Leave(const std::string& why) {
    if (!is_done_) GiveUp(why);
  }

  bool is_done() const { return is_done_; }
  bool is_unanswered() const { return job_.error && IsUnanswered(MeaningOf(*job_.error)); }
  std::uint64_t items() const { return items_; }
  std::uint64_t items_known() const { return std::max(items_, items_known_); }
  kube::base::Clock::TimePoint not_before() const { return not_before_; }
  bool is_waiting() const { return is_waiting_; }
  /// To be called once the workers are done: what is wrong with an item is found by them.
  void AddItemError() {
    if (job_.error) return;
    const std::string fault = attempt_->error.empty()
                                  ? attempt_->taker->Fault()
                                  : "the server's answer cannot be read: " + attempt_->error;
    if (!fault.empty()) job_.error = NoAnswer(fault);
  }

  void OnBytes(std::string_view bytes) override {
    has_bytes_ = true;
    if (refusal_) return;
    if (const auto error = splitter_->Push(bytes)) {
      Refuse(DescribeForeignAnswer(job_.is_list ? "list of objects" : "object", error->message));
    }
  }
  void OnEnd(const std::optional<CallError>& error) override {
    is_waiting_ = false;
    Flush();
    if (is_aborted_) return Finish(NoAnswer(kInterrupted));
    if (refusal_) return Finish(NoAnswer(*refusal_));
    // The client has tried for long what brought no byte.
    const bool is_given_up = error && !has_bytes_ && MeaningOf(*error) == Meaning::kLost;
    if (is_given_up) return Take(Pager::Step::kFailed, error);
    if (error) return Take(pager_.OnError(*error, page_items_), error);
    // Cut short without a word about it.
    if (splitter_->Finish() || !is_complete_)
      return Take(pager_.OnError(BrokenOff(), page_items_), BrokenOff());
    const Pager::Step step = pager_.OnPage(std::move(continue_token_), page_items_);
    Take(step, NoAnswer(pager_.fault()));
  }

 private:
  using Clock = kube::base::Clock;

  void BeginAttempt() {
    attempt_ = std::make_shared<Attempt>(job_.make_taker());
    items_ = items_known_ = 0;
    job_.resource_version.clear();
  }

  std::string Target() const {
    if (!job_.is_list) return job_.target;
    return WithChunk(job_.target, chunk_size_, pager_.page().continue_token);
  }

  void OnObject(ListSplitter::Kind kind, std::string_view text,
                const kube::json::TextPosition&) override {
    if (refusal_) return;
    if (is_complete_) return Refuse("the server's answer is more than one JSON value");
    if (!job_.is_list) return TakeOne(kind, text);
    if (kind == ListSplitter::Kind::kItem) return AddItem(text);
    ReadList(kind, text);
  }

  void TakeOne(ListSplitter::Kind kind, std::string_view text) {
    if (kind != ListSplitter::Kind::kObject || text.starts_with('[')) {
      return Refuse("the server's answer is a list in the place of one object");
    }
    is_complete_ = true;
    AddItem(text);
  }

  void AddItem(std::string_view text) {
    if (page_items_++ < pager_.page().skip) return;
    if (pager_.HasNoEnd(page_items_)) return Refuse(Pager::kEndless);
    if (batch_ == nullptr) batch_ = queue_.TakeEmpty();
    if (batch_ == nullptr) {
      is_aborted_ = true;
      return;
    }
    if (batch_->items.empty()) {
      batch_->first_number = items_;
      batch_->attempt = attempt_;
    }
    batch_->items.push_back({batch_->text.size(), text.size()});
    batch_->text.append(text);
    ++items_;
    if (batch_->text.size() >= kBatchBytes) Flush();
  }

  void Flush() {
    if (batch_ != nullptr) queue_.Put(std::move(batch_));
    batch_ = nullptr;
  }

  void ReadList(ListSplitter::Kind kind, std::string_view text) {
    kube::json::Document document;
    if (const auto error = document.Parse(text)) {
      return Refuse("the server's answer cannot be read: " + error->message);
    }
    const kube::json::Value& list = document.root();
    // A list with "items": null comes as an object too. Its kind may be any word: listKind is free.
    const kube::json::Value* items = list.Find("items");
    if (kind == ListSplitter::Kind::kObject && (items == nullptr || !items->is_null())) {
      return Refuse("the server's answer is no list" + DescribeKind(list));
    }
    is_complete_ = true;
    TakeMetadata(ReadPageMetadata(list));
  }

  void TakeMetadata(PageMetadata metadata) {
    continue_token_ = std::move(metadata.continue_token);
    // Later pages may be newer, where the list went on behind an expired token.
    if (job_.resource_version.empty()) {
      job_.resource_version = std::move(metadata.resource_version);
    }
    items_known_ = items_ + metadata.remaining.value_or(0);
  }

  static std::string DescribeKind(const kube::json::Value& object) {
    constexpr std::size_t kMostBytes = 100;  // a kind has 63 at most
    const std::string_view kind = object.FindText("kind").substr(0, kMostBytes);
    return kind.empty() ? "" : " (kind " + kube::go::GoQuote(kind) + ")";
  }

  // The first reason counts. The call is given up as soon as it may be.
  void Refuse(std::string why) {
    if (!refusal_) refusal_ = std::move(why);
  }

  void GiveUp(const std::string& why) {
    if (is_waiting_) session_.client.Cancel(call_);
    is_waiting_ = false;
    Finish(NoAnswer(why));
  }

  void Take(Pager::Step step, const std::optional<CallError>& error) {
    not_before_ = session_.clock.Now() + pager_.pause();
    switch (step) {
      case Pager::Step::kRead:
        return Advance();
      case Pager::Step::kRestart:
        BeginAttempt();
        return Advance();
      case Pager::Step::kDone:
        return Finish(std::nullopt);
      case Pager::Step::kFailed:
        return Finish(error);
    }
  }

  void Finish(std::optional<CallError> error) {
    is_done_ = true;
    Flush();
    items_known_ = 0;
    job_.error = std::move(error);
  }

  ListJob& job_;
  const kube::client::Session session_;
  ItemQueue& queue_;
  std::int64_t chunk_size_;

  Pager pager_;
  std::shared_ptr<Attempt> attempt_;
  std::unique_ptr<ItemBatch> batch_;
  std::uint64_t items_ = 0, items_known_ = 0;
  bool is_done_ = false, is_waiting_ = false;
  Clock::TimePoint not_before_{};

  // Of the page that is being read:
  kube::client::Client::CallId call_ = 0;
  std::unique_ptr<ListSplitter> splitter_;
  std::optional<std::string> refusal_;  // why it is not what was asked for
  std::string continue_token_;
  std::uint64_t page_items_ = 0;
  bool has_bytes_ = false;    // some of it came
  bool is_complete_ = false;  // its end was there
  bool is_aborted_ = false;   // a worker cannot go on
};

/// Keeps several lists going until all are read.
class ListReader {
 public:
  ListReader(std::vector<ListJob>& jobs, const kube::client::Session& session,
             const ListReaderOptions& options)
      : jobs_(jobs),
        session_(session),
        options_(options),
        queue_(options.workers * kBatchesAWorker + options.lists_at_once) {}

  void Run() {
    RunWorkers(
        options_.workers, [this](std::size_t worker) { Work(worker, queue_); },
        [this] { Produce(); });
    for (const auto& run : runs_) run->AddItemError();
  }

 private:
  void Produce() {
    try {
      while (Advance()) {
        session_.Poll(NextEvent());
        if (options_.on_progress) options_.on_progress(CountProgress());
      }
    } catch (...) {
      queue_.Abort();
      throw;
    }
    queue_.Close();
  }

  // Begins what can begin; false when all is done.
  bool Advance() {
    const bool stopped = session_.is_stopped();
    std::size_t running = 0;
    for (const auto& run : runs_) {
      stopped ? run->Leave(kInterrupted) : run->Advance();
      running += run->is_done() ? 0 : 1;
    }
    const std::string why = stopped ? kInterrupted : WhyNoMore();
    while (runs_.size() < jobs_.size() && (!why.empty() || running < options_.lists_at_once)) {
      Begin();
      if (!why.empty()) {
        runs_.back()->Leave(why);
      } else {
        runs_.back()->Advance();
        ++running;
      }
    }
    return running > 0;
  }

  // Empty: the next list may begin.
  std::string WhyNoMore() const {
    std::ptrdiff_t unanswered = 0;
    for (auto run = runs_.rbegin(); run != runs_.rend() && unanswered < kMostUnanswered; ++run) {
      if (!(*run)->is_done()) continue;
      if (!(*run)->is_unanswered()) return "";
      ++unanswered;
    }
    if (unanswered < kMostUnanswered) return "";
    return "not asked for, as the server did not answer the last " +
           std::to_string(kMostUnanswered) + " lists before it";
  }

  void Begin() {
    runs_.push_back(std::make_unique<ListRun>(jobs_[runs_.size()], session_, queue_, options_));
  }

  kube::base::Clock::TimePoint NextEvent() const {
    kube::base::Clock::TimePoint next = session_.clock.Now() + kTick;
    for (const auto& run : runs_) {
      if (!run->is_done() && !run->is_waiting()) next = std::min(next, run->not_before());
    }
    return next;
  }

  ListProgress CountProgress() const {
    ListProgress progress{.lists = jobs_.size()};
    for (const auto& run : runs_) {
      progress.lists_done += run->is_done() ? 1 : 0;
      progress.items += run->items();
      progress.items_known += run->items_known();
    }
    return progress;
  }

  std::vector<ListJob>& jobs_;
  const kube::client::Session session_;
  const ListReaderOptions& options_;
  ItemQueue queue_;
  std::vector<std::unique_ptr<ListRun>> runs_;
};

}  // namespace

TakerMaker HandleEach(std::function<void(kube::json::Document&)> handle) {
  return [handle = std::move(handle)] { return std::make_shared<FunctionTaker>(handle); };
}

void ReadLists(std::vector<ListJob>& jobs, const kube::client::Session& session,
               const ListReaderOptions& options) {
  ListReader(jobs, session, options).Run();
}

void ClusterReader::Read(std::vector<ListJob>& jobs, const std::string& what) {
  if (jobs.empty()) return;
  options_.on_progress = nullptr;
  if (on_progress_ && !what.empty()) {
    options_.on_progress = [this, &what](const ListProgress& progress) {
      on_progress_(what, progress);
    };
  }
  ReadLists(jobs, session_, options_);
}

}  // namespace migrate::cluster
