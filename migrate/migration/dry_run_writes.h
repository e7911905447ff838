#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/client/session.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/report/migration_time.h"
#include "migrate/rewrite/sweep_target.h"

/// What dry runs of writes tell before anything is written.
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

/// Measures what a write takes by a DryRunWrite of each object that `sizes` names, one after the
/// other. Where the server refuses them, or the session is stopped, it is as a rule.
report::WriteCost MeasureWriteCost(const ObjectSizes& sizes, const rewrite::SweepTarget& target,
                                   const kube::client::Session& session);

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
