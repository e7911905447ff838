#pragma once

#include <cstdint>
#include <string>

#include "kube/client/session.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/crd_shape.h"

namespace migrate::migration {

/// A CRD as it is when it is about to be written with pruning on.
struct PruningTarget {
  std::string target;  ///< of the CRD: ".../v1/customresourcedefinitions/widgets.demo.example.com"
  check::CrdShape shape;
  std::string patch = check::kTurnPruningOn;  ///< that turns pruning on
  std::uint64_t schemas = 0;  ///< as CrdShape::schemas, of the CRD with pruning on; 0: they stay
};

/// How the request to turn pruning on ended.
struct PruningWrite {
  enum class Step {
    kDone,     ///< pruning is on
    kRefused,  ///< it is not, or not by us: `error` says why
    kUnknown,  ///< it was asked for, and what came of it could not be seen, or not before a stop
    kInterrupted,  ///< by Session::stop, before it was asked for
  };
  Step step = Step::kRefused;
  std::string error;
  /// With kDone, of the CRD: writes with a greater one are surely newer than the write that turns
  /// pruning on. That of a dry run says nothing.
  std::string resource_version;
  std::int64_t generation = 0;  ///< of the CRD, with pruning on
};

/// Turns spec.preserveUnknownFields off, if the CRD is still the one of `target`: by its
/// resourceVersion, which is read again where only status or metadata have changed meanwhile.
///
/// Where the answer is lost, the CRD tells whether it was done: with pruning on, a generation
/// one higher and the schemas that it was to have, and the present resourceVersion counts as that
/// of the write that turns pruning on, which it is not before. Tries five times in all.
///
/// With `dry_run` nothing is changed: kDone says that the server would do it.
PruningWrite RequestPruning(const PruningTarget& target, bool dry_run,
                            const kube::client::Session& session);

}  // namespace migrate::migration
