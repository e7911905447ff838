#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::migration {

/// The write of an object that nothing comes of: a patch {} with dryRun=All.
kube::client::ApiRequest DryRunWrite(const rewrite::SweepTarget& target,
                                     const cluster::ListedObject& object);

/// An object of a list, and how many bytes it has as JSON.
struct SizedObject {
  std::string namespace_, name;
  std::uint64_t number = 0;  ///< its place in the list
  std::uint64_t bytes = 0;
};

/// How many objects there are, how large they are, and a few of them: the first ones, and the
/// largest.
struct ObjectSizes {
  std::uint64_t objects = 0, bytes = 0;
  std::vector<SizedObject> first;
  SizedObject largest;

  /// `number` is the object's place in the list.
  void Add(const kube::json::Value& object, std::uint64_t number, std::uint64_t size);
  void Merge(ObjectSizes other);
};

/// What it takes to write an object, in seconds, where no other write is in flight and nothing of
/// it changes. Each is what an API server of 1.20 and etcd on two cores take, unless measured.
struct WriteCost {
  double object = 0.003;  ///< whatever its size
  double byte = 0.3e-6;   ///< of its JSON
  bool is_measured = false;

  /// For one pass over all.
  double SecondsFor(const ObjectSizes& sizes) const {
    return static_cast<double>(sizes.objects) * object + static_cast<double>(sizes.bytes) * byte;
  }
};

/// Measures it by a DryRunWrite of each object that `sizes` names, one after the other. Where the
/// server refuses them, or the session is stopped, it is as a rule.
WriteCost MeasureWriteCost(const ObjectSizes& sizes, const rewrite::SweepTarget& target,
                           const kube::client::Session& session);

}  // namespace migrate::migration
