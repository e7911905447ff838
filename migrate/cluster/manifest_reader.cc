#include "migrate/cluster/manifest_reader.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "kube/base/result.h"
#include "migrate/cluster/worker_pool.h"
#include "migrate/report/check_report.h"

namespace migrate::cluster {
namespace {

constexpr std::string_view kList = "List";

void SetIfAbsent(kube::json::Value& item, std::string_view key, const std::string& text,
                 kube::json::Arena& arena) {
  if (!text.empty() && item.FindText(key).empty()) {
    item.Set(key, kube::json::Value::String(arena.Copy(text)), arena);
  }
}

}  // namespace

void ListType::ApplyTo(kube::json::Value& item, kube::json::Arena& arena) const {
  if (!item.is_object()) return;
  SetIfAbsent(item, "kind", kind, arena);
  SetIfAbsent(item, "apiVersion", api_version, arena);
}

std::shared_ptr<const ListType> ListTypeOf(const kube::json::Value& list) {
  std::string_view kind = list.FindText("kind");
  if (kind.size() <= kList.size() || !kind.ends_with(kList)) return nullptr;
  kind.remove_suffix(kList.size());
  return std::make_shared<ListType>(
      ListType{std::string(list.FindText("apiVersion")), std::string(kind)});
}

namespace {

using kube::json::Document;
using kube::json::Value;

bool Contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// JSON and YAML can write any word by escapes.
bool MayHoldWord(std::string_view text, std::string_view word) {
  return Contains(text, word) || Contains(text, "\\");
}

// A file in UTF-16 begins with one of these; nothing can be found in it as it is.
bool IsUtf16(std::string_view text) {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}

// What Helm's templates have and texts of schemas have not, which may tell of other templates.
std::string WithTemplateHint(std::string message, std::string_view text) {
  constexpr std::string_view kMarks[] = {"{{-", ".Values", ".Release.", ".Chart.", "include \""};
  const auto has = [text](std::string_view part) { return text.find(part) != text.npos; };
  if (!has("{{") || std::ranges::none_of(kMarks, has)) return message;
  return message.append(" (").append(report::kTemplateHint).append(")");
}

}  // namespace

// Gathers documents to batches.
class ManifestReader::Producer : public kube::json::ManifestSplitter::Sink {
 public:
  Producer(ManifestQueue& queue, const Wanted& wanted) : queue_(queue), wanted_(wanted) {}

  void StartFile(std::size_t file) { file_ = file; }

  void OnManifest(const kube::json::ManifestSplitter::Manifest& document) override {
    const report::Place place{file_, document.position.offset, 0};
    if (aborted_ || !wanted_(place, document)) return;
    if (batch_ == nullptr) batch_ = queue_.TakeEmpty();
    if (batch_ == nullptr) {
      aborted_ = true;
      return;
    }
    batch_->documents.push_back({batch_->text.size(), document.text.size(), document.format,
                                 document.position, file_, TypeOfItems(document.list_head)});
    batch_->text.append(document.text);
    if (batch_->text.size() >= kBatchBytes) Flush();
  }

  void Flush() {
    if (batch_ != nullptr) queue_.Put(std::move(batch_));
    batch_ = nullptr;
  }
  bool aborted() const { return aborted_; }

 private:
  // Parses the head of a list once, not for each of its items.
  std::shared_ptr<const ListType> TypeOfItems(std::string_view list_head) {
    if (list_head == list_head_) return list_type_;
    list_head_ = list_head;
    Document head;
    list_type_ = head.Parse(list_head_ + "]}") ? nullptr : ListTypeOf(head.root());
    return list_type_;
  }

  ManifestQueue& queue_;
  const Wanted& wanted_;
  std::unique_ptr<ManifestBatch> batch_;
  std::size_t file_ = 0;
  std::string list_head_;
  std::shared_ptr<const ListType> list_type_;
  bool aborted_ = false;
};

void ManifestReader::ReadMentioning(std::string_view word, const Handler& handler) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (IsSmall(i) && ReadForWord(i, word)) numbers.push_back(i);
  }
  notes_errors_ = false;
  // An item may have its kind from the list.
  const auto may_hold = [word](const report::Place&, const Manifest& document) {
    return MayHoldWord(document.text, word) || MayHoldWord(document.list_head, word);
  };
  Run(numbers, may_hold, handler);
}

void ManifestReader::ReadAll(const Handler& handler) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < files_.size(); ++i) numbers.push_back(i);
  notes_errors_ = true;
  Run(
      numbers,
      [this](const report::Place& place, const Manifest&) { return !left_out_.contains(place); },
      handler);
}

void ManifestReader::LeaveOut(const report::Place& place) {
  const std::lock_guard lock(mutex_);
  left_out_.insert(place);
}

void ManifestReader::AddError(const ManifestObject& object, std::string_view why) {
  const std::string item = object.place.item == 0
                               ? ""
                               : "object " + std::to_string(object.place.item) + " of the list: ";
  KeepError(object.place, object.position.line, object.position.column, item + std::string(why));
}

std::vector<FileError> ManifestReader::TakeErrors() {
  std::stable_sort(errors_.begin(), errors_.end(),
                   [](const FileError& a, const FileError& b) { return a.place < b.place; });
  return std::move(errors_);
}

void ManifestReader::KeepBooleanKeys(std::size_t file, std::vector<kube::yaml::BooleanKey> keys) {
  const std::lock_guard lock(mutex_);
  for (kube::yaml::BooleanKey& key : keys) {
    const auto [kept, is_new] = boolean_keys_.try_emplace({file, key.text}, key);
    if (!is_new && key.line < kept->second.line) kept->second.line = key.line;
  }
}

std::vector<std::string> ManifestReader::TakeHints() {
  using Hint = std::tuple<std::size_t, std::size_t, std::string>;  // file, line, text
  std::vector<Hint> hints;
  for (const auto& [at, key] : boolean_keys_) {
    hints.emplace_back(at.first, key.line,
                       std::string(files_[at.first].name()) + ":" + std::to_string(key.line) +
                           ": the key " + key.text + " is read as " +
                           (key.value ? "true" : "false") + "; quote it");
  }
  std::ranges::sort(hints);
  std::vector<std::string> texts;
  for (Hint& hint : hints) texts.push_back(std::move(std::get<std::string>(hint)));
  return texts;
}

// True if it may hold the word; false where the file cannot be read: ReadAll will say so.
bool ManifestReader::ReadForWord(std::size_t file, std::string_view word) {
  std::string text;
  try {
    ReadPieces(files_[file], [&text](std::string_view piece) {
      text.append(piece);
      return text.size() <= kSmallFile;
    });
  } catch (const kube::base::Error&) {
    return false;
  }
  return IsUtf16(text) || MayHoldWord(text, word);
}

void ManifestReader::Run(const std::vector<std::size_t>& files, const Wanted& wanted,
                         const Handler& handler) {
  ManifestQueue queue(workers_ * kBatchesAWorker + 1);
  const auto produce = [&] {
    try {
      Producer producer(queue, wanted);
      Produce(files, producer);
    } catch (...) {
      queue.Abort();
      throw;
    }
    queue.Close();
  };
  RunWorkers(
      workers_, [&](std::size_t worker) { Work(worker, handler, queue); }, produce);
}

void ManifestReader::Produce(const std::vector<std::size_t>& files, Producer& producer) {
  for (const std::size_t file : files) {
    producer.StartFile(file);
    ProduceFile(file, producer);
  }
  producer.Flush();
}

void ManifestReader::ProduceFile(std::size_t file, Producer& producer) {
  kube::json::ManifestSplitter splitter(producer);
  std::optional<kube::json::SplitError> error;
  try {
    ReadPieces(files_[file], [&](std::string_view piece) {
      error = splitter.Push(piece);
      return !error && !producer.aborted();
    });
    if (!error) error = splitter.Finish();
  } catch (const kube::base::Error& unreadable) {
    NoteError({file, 0, 0}, 0, 0, unreadable.what());
  }
  if (!error) return;
  const kube::json::TextPosition& at = error->position;
  NoteError({file, at.offset, 0}, at.line, at.column, error->message);
}

void ManifestReader::Work(std::size_t worker, const Handler& handler, ManifestQueue& queue) {
  Document document;
  try {
    while (std::unique_ptr<ManifestBatch> batch = queue.TakeFull()) {
      for (const ManifestBatch::Document& at : batch->documents) {
        Parse(worker, at, batch->TextOf(at), document, handler);
      }
      queue.Recycle(std::move(batch));
    }
  } catch (...) {
    queue.Abort();
    throw;
  }
}

void ManifestReader::Parse(std::size_t worker, const ManifestBatch::Document& at,
                           std::string_view text, Document& document, const Handler& handler) {
  const report::Place place{at.file, at.position.offset, 0};
  if (at.format == kube::json::ManifestSplitter::Format::kJson) {
    if (const auto error = document.Parse(text)) {
      const kube::json::TextPosition where = at.position.After(text.substr(0, error->offset));
      return NoteError(place, where.line, where.column, WithTemplateHint(error->message, text));
    }
  } else {
    std::vector<kube::yaml::BooleanKey> boolean_keys;
    if (const auto error = kube::yaml::Parse(text, at.position.line, document, &boolean_keys)) {
      return NoteError(place, error->line, error->column, WithTemplateHint(error->message, text));
    }
    if (!boolean_keys.empty()) KeepBooleanKeys(at.file, std::move(boolean_keys));
  }
  if (at.list_type != nullptr) at.list_type->ApplyTo(document.root(), document.arena());
  ManifestObject object{document, document.root(), at.position, place};
  HandOut(worker, object, handler);
}

// A list is, as for kubectl, anything with a key "items".
void ManifestReader::HandOut(std::size_t worker, ManifestObject& object, const Handler& handler) {
  Value* items = object.value.Find("items");
  if (items == nullptr) {
    // Null is nothing but a comment between two lines of dashes.
    if (!object.value.is_null()) handler(worker, object);
    return;
  }
  if (!items->is_array() && !items->is_null()) {
    return AddError(object, "cannot decode a list: its items are no array");
  }
  const std::shared_ptr<const ListType> type = ListTypeOf(object.value);
  for (Value& item : items->elements()) {
    ++object.place.item;
    if (type != nullptr) type->ApplyTo(item, object.document.arena());
    ManifestObject element{object.document, item, object.position, object.place};
    HandOut(worker, element, handler);
    object.place.item = element.place.item;
  }
}

void ManifestReader::NoteError(const report::Place& place, std::uint64_t line, std::uint64_t column,
                               std::string_view why) {
  if (notes_errors_) KeepError(place, line, column, why);
}

void ManifestReader::KeepError(const report::Place& place, std::uint64_t line, std::uint64_t column,
                               std::string_view why) {
  std::string text(files_[place.file].name());
  if (line != 0) text += ":" + std::to_string(line);
  if (line != 0 && column != 0) text += ":" + std::to_string(column);
  const std::lock_guard lock(mutex_);
  errors_.push_back({place, text + ": " + std::string(why)});
}

}  // namespace migrate::cluster
