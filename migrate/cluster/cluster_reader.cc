#include "migrate/cluster/cluster_reader.h"

namespace migrate::cluster {

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
