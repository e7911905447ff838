#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/json/json.h"
#include "kube/json/manifest_splitter.h"
#include "kube/yaml/yaml.h"
#include "migrate/cluster/manifest_files.h"
#include "migrate/cluster/worker_pool.h"
#include "migrate/report/field_tally.h"

namespace migrate::cluster {

/// What the items of a list are where they do not say so themselves: a WidgetList of
/// demo.example.com/v1 holds Widgets of demo.example.com/v1 (Unstructured of k8s.io/apimachinery).
struct ListType {
  std::string api_version, kind;

  /// Sets kind and apiVersion of `item` where it has none. Copies into `arena`.
  void ApplyTo(kube::json::Value& item, kube::json::Arena& arena) const;
};

/// The type of the items of `list`; null pointer where its kind is not that of a typed list ("List"
/// itself is not).
std::shared_ptr<const ListType> ListTypeOf(const kube::json::Value& list);

/// Documents of manifest files, not yet parsed, on their way to whoever parses them.
struct ManifestBatch {
  struct Document {
    std::size_t offset, size;  ///< in `text`
    kube::json::ManifestSplitter::Format format;
    kube::json::TextPosition position;          ///< in the file
    std::size_t file;                           ///< number of the file
    std::shared_ptr<const ListType> list_type;  ///< of the list that it is an item of
  };

  std::string text;
  std::vector<Document> documents;

  std::string_view TextOf(const Document& document) const {
    return std::string_view(text).substr(document.offset, document.size);
  }
  void Clear() {
    // One huge object must not hold its memory for the rest of the run.
    constexpr std::size_t kKeptBytes = 2 * 1024 * 1024;
    if (text.capacity() > kKeptBytes) *this = ManifestBatch();
    text.clear();
    documents.clear();
  }
};

/// An object of a manifest file, during the call that hands it out.
struct ManifestObject {
  kube::json::Document& document;  ///< its memory
  kube::json::Value& value;
  kube::json::TextPosition position;  ///< of the document that the object stands in
  report::Place place;
};

/// "file:line:column: why", and where it belongs in the order of reading.
struct FileError {
  report::Place place;
  std::string text;
};

/// Reads the objects of manifest files, in several threads: one splits files into documents, the
/// others parse them. Lists are taken apart, at any depth.
///
/// What cannot be read is noted with file, line and column, and the rest is still read.
class ManifestReader {
 public:
  /// Is called with the number of the worker, by all workers at once.
  using Handler = std::function<void(std::size_t worker, ManifestObject& object)>;

  /// A file above this size, and one that can be read only once, is not looked into beforehand.
  static constexpr std::uint64_t kSmallFile = 8 * 1024 * 1024;

  ManifestReader(std::vector<ManifestFile> files, std::size_t workers)
      : files_(std::move(files)), workers_(workers) {}

  const std::vector<ManifestFile>& files() const { return files_; }
  /// The file that the place is in, as the user named it.
  std::string_view SourceOf(const report::Place& place) const { return files_[place.file].name(); }
  std::size_t workers() const { return workers_; }
  /// True if ReadMentioning looks into the file.
  bool IsSmall(std::size_t file) const {
    return files_[file].is_regular && files_[file].size <= kSmallFile;
  }

  /// Hands out the objects of those documents of small files that may hold `word`: it stands there,
  /// or there are escapes, by which it may be written. Notes no errors but those of AddError.
  void ReadMentioning(std::string_view word, const Handler& handler);
  /// Hands out every object, but for documents that were left out by LeaveOut. Notes errors.
  void ReadAll(const Handler& handler);

  /// Leaves the document at this place out of ReadAll. May be called by handlers of ReadMentioning.
  void LeaveOut(const report::Place& place);
  /// Notes that an object cannot be read. May be called by handlers.
  void AddError(const ManifestObject& object, std::string_view why);
  /// What could not be read, in the order of reading.
  std::vector<FileError> TakeErrors();
  /// "file:line: the key n is read as false; quote it": the keys that YAML 1.1 takes for true or
  /// false, in the order of reading, each key once a file.
  std::vector<std::string> TakeHints();

 private:
  using Manifest = kube::json::ManifestSplitter::Manifest;
  using Wanted = std::function<bool(const report::Place& place, const Manifest& document)>;
  using ManifestQueue = BatchQueue<ManifestBatch>;
  class Producer;

  void Run(const std::vector<std::size_t>& files, const Wanted& wanted, const Handler& handler);
  void Produce(const std::vector<std::size_t>& files, Producer& producer);
  void ProduceFile(std::size_t file, Producer& producer);
  void Work(std::size_t worker, const Handler& handler, ManifestQueue& queue);
  void Parse(std::size_t worker, const ManifestBatch::Document& at, std::string_view text,
             kube::json::Document& document, const Handler& handler);
  void HandOut(std::size_t worker, ManifestObject& object, const Handler& handler);
  void NoteError(const report::Place& place, std::uint64_t line, std::uint64_t column,
                 std::string_view why);
  void KeepError(const report::Place& place, std::uint64_t line, std::uint64_t column,
                 std::string_view why);
  void KeepBooleanKeys(std::size_t file, std::vector<kube::yaml::BooleanKey> keys);
  bool ReadForWord(std::size_t file, std::string_view word);

  std::vector<ManifestFile> files_;
  std::size_t workers_;
  bool notes_errors_ = false;  // set between runs only, as is what LeaveOut says
  std::mutex mutex_;           // guards what follows while a run goes on
  std::set<report::Place> left_out_;
  std::vector<FileError> errors_;
  // By file and key: where it stands first.
  std::map<std::pair<std::size_t, std::string>, kube::yaml::BooleanKey> boolean_keys_;
};

}  // namespace migrate::cluster
