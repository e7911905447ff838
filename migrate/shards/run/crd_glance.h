#pragma once

#include <optional>
#include <string>
#include <utility>

#include "kube/base/result.h"
#include "kube/client/client.h"
#include "migrate/shards/shard_changes.h"

namespace migrate::shards::run {

/// A CRD that is looked at every few seconds, as shards do. Of one that has the generation that was
/// seen before only the metadata is read.
class CrdGlance {
 public:
  /// `target` is that of the CRD. `client` must outlive it.
  CrdGlance(std::string target, kube::client::Client& client)
      : target_(std::move(target)), client_(client) {}

  /// The error is for people.
  kube::base::Result<SeenCrd, std::string> Look();

 private:
  bool IsAsSeen();

  const std::string target_;
  kube::client::Client& client_;
  std::optional<SeenCrd> seen_;
};

}  // namespace migrate::shards::run
