#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "migrate/cluster/list_reader.h"

namespace migrate::cluster {

/// Is told how far the reading of "CRDs" or "objects" has come.
using ProgressFunction = std::function<void(const std::string& what, const ListProgress&)>;

/// Reads lists of one cluster, each time with the same options.
class ClusterReader {
 public:
  /// All must outlive it. `on_progress` may be empty; that of `options` is not used.
  ClusterReader(const kube::client::Session& session, const ListReaderOptions& options,
                const ProgressFunction& on_progress)
      : session_(session), options_(options), on_progress_(on_progress) {}

  kube::client::Client& client() { return session_.client; }
  std::size_t workers() const { return options_.workers; }
  bool is_stopped() const { return session_.is_stopped(); }

  /// ReadLists; `what` is for the progress, of which nothing is told if it is empty.
  void Read(std::vector<ListJob>& jobs, const std::string& what = "");

 private:
  const kube::client::Session session_;
  ListReaderOptions options_;
  const ProgressFunction& on_progress_;
};

}  // namespace migrate::cluster
