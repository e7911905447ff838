#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "kube/crd/crd.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::migration {

/// What a server makes of managedFields that name versions to which a webhook converts.
struct EntryAnswers {
  /// Versions whose entries are to be cleaned: the server was seen to empty managedFields that name
  /// them, or nobody knows whether it would.
  std::set<std::string> unfit{};
  std::vector<std::string> lines{};  ///< for people
};

struct EntryQuestion {
  const kube::crd::Crd& crd;
  const rewrite::SweepTarget& target;  ///< its objects, and the version to write them in
  bool may_ask = true;                 ///< by dry runs
  std::int64_t chunk_size = 500;
};

/// Finds out what a write does to managedFields of the objects of a CRD whose versions a webhook
/// converts. No schema tells: the server converts the object to each version that an entry names,
/// and empties managedFields where the webhook does not answer, or makes what the schema of that
/// version does not specify.
///
/// The objects are grouped by the versions that their entries name. For each group one object is
/// written by a dry run, sixteen groups at most. Where the server refuses dry runs, or may not be
/// asked, the versions of the group are unfit. Nothing is asked, and nothing told, of a CRD without
/// a webhook.
EntryAnswers AskAboutEntries(const EntryQuestion& question, const kube::client::Session& session);

}  // namespace migrate::migration
