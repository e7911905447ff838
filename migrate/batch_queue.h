#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kube/manifest_splitter.h"
#include "migrate/list_type.h"

namespace migrate {

/// Documents of manifest files, not yet parsed, on their way to whoever parses them.
struct Batch {
  struct Document {
    std::size_t offset, size;  ///< in `text`
    kube::ManifestSplitter::Format format;
    kube::TextPosition position;                ///< in the file
    std::size_t file;                           ///< number of the file
    std::shared_ptr<const ListType> list_type;  ///< of the list that it is an item of
  };

  std::string text;
  std::vector<Document> documents;

  std::string_view TextOf(const Document& document) const {
    return std::string_view(text).substr(document.offset, document.size);
  }
};

/// Hands batches from one producer to several workers. Holds a fixed number of batches, so that a
/// producer that is ahead waits: memory stays small whatever the size of the input.
class BatchQueue {
 public:
  explicit BatchQueue(std::size_t capacity);

  /// For the producer: an empty batch; waits for one. Null pointer after Abort().
  std::unique_ptr<Batch> TakeEmpty();
  void Put(std::unique_ptr<Batch> batch);
  /// Says that nothing more will be put.
  void Close();

  /// For workers: a batch that was put, in the order of putting; waits for one. Null pointer when
  /// there will be none.
  std::unique_ptr<Batch> TakeFull();
  /// Gives a batch back for the producer to fill.
  void Recycle(std::unique_ptr<Batch> batch);
  /// Ends the run for both sides: one of them cannot go on. What is put from then on is dropped.
  void Abort();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Batch>> empty_;
  std::deque<std::unique_ptr<Batch>> full_;
  bool closed_ = false, aborted_ = false;
};

}  // namespace migrate
