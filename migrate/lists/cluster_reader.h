#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/system/clock.h"
#include "migrate/lists/list_reader.h"

namespace migrate::lists {

/// Is told how far the reading of "CRDs" or "objects" has come.
using ProgressFunction = std::function<void(const std::string& what, const ListProgress&)>;

/// Reads lists of one cluster, each time with the same options.
class ClusterReader {
 public:
  /// All must outlive it. `on_progress` may be empty; that of `options` is not used.
  ClusterReader(kube::client::Client& client, const kube::system::Clock& clock,
                const ListReaderOptions& options, const ProgressFunction& on_progress)
      : client_(client), clock_(clock), options_(options), on_progress_(on_progress) {}

  kube::client::Client& client() { return client_; }
  std::size_t workers() const { return options_.workers; }
  bool is_stopped() const { return options_.stop != nullptr && *options_.stop; }

  /// ReadLists; `what` is for the progress, of which nothing is told if it is empty.
  void Read(std::vector<ListJob>& jobs, const std::string& what = "");

 private:
  kube::client::Client& client_;
  const kube::system::Clock& clock_;
  ListReaderOptions options_;
  const ProgressFunction& on_progress_;
};

}  // namespace migrate::lists
