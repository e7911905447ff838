#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/manifest_splitter.h"
#include "migrate/cluster/list_type.h"

namespace migrate::cluster {

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

}  // namespace migrate::cluster
