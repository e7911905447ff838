#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "kube/schema/pattern_checks.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/crd_names.h"
#include "migrate/check/object_mutation.h"
#include "migrate/check/object_schemas.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/pager.h"

namespace migrate::check {

/// An object before and after it is pruned, or written. Borrows from the object and from the arena
/// that it was made with, and from the PruningPreview.
struct ObjectChange {
  std::string_view group, version, kind;
  std::string_view namespace_;  ///< empty for an object of a resource without namespaces
  std::string_view name;
  kube::json::Value now, after;  ///< null: there is none
  bool differs;                  ///< something is changed
};

struct PreviewOptions {
  /// In which version objects are shown, and by whose schema they are pruned; empty: in the storage
  /// version.
  std::string version{};
  bool show_managed_fields = false;  ///< else metadata.managedFields is left out
  /// Is applied before objects are pruned; the null pointer: there is none.
  std::shared_ptr<const ObjectMutation> mutation{};
  /// Whether Refusal() is to be asked. The check has to keep its manifest then.
  bool foretells_refusals = false;
};

/// What pruning by the schema of one version leaves of the objects of a CRD.
///
/// Not changed after construction: can be used by several threads.
class PruningPreview {
 public:
  /// `check` must outlive the result, and be made without CrdCheckOptions::as_is. The error is for
  /// people: the CRD has no such version (it lists those that there are), or no schema to prune by
  /// can be made of the version's. Of a CRD that is not structural otherwise it shows what its
  /// schemas would leave, though the API server prunes nothing by them yet.
  static kube::base::Result<PruningPreview, std::string> Make(const CrdCheck& check,
                                                              const PreviewOptions& options);

  const std::string& version() const { return version_; }

  /// What the API server shows of `object` now, and what once pruning is on and the object was
  /// rewritten, mutated before where there is a mutation: unknown fields removed, nulls dropped,
  /// defaults added. Numbers are as the server stores them. `object` may be in any version of the
  /// CRD, and is changed. The error is the API server's, of an object that it would not store,
  /// CustomResourceServer::WebhookError or that of ObjectMutation::Apply.
  kube::base::Result<ObjectChange, std::string> Preview(kube::json::Value& object,
                                                        kube::json::Arena& arena) const;

  /// Why the API server would refuse the next write of the object of `change` once it is pruned, as
  /// ObjectSchemas::Refusal. Empty: it would not, or nobody can tell.
  std::string Refusal(const ObjectChange& change, kube::schema::PatternChecks& patterns) const;

 private:
  PruningPreview(const CrdCheck& check, const PreviewOptions& options, bool is_servable);

  std::optional<std::string> Prune(kube::json::Value& object, kube::json::Arena& arena) const;

  const CrdCheck* check_;
  std::string version_, api_version_;
  bool is_storage_version_;
  bool is_servable_;  // schemas can be made of all versions, else the version's alone counts
  bool show_managed_fields_;
  std::shared_ptr<const ObjectMutation> mutation_;
  std::shared_ptr<const ObjectSchemas> schemas_;  // the null pointer: no refusals are told
};

/// What the API server would refuse of the objects of a CRD, for several threads.
class RefusedObjects {
 public:
  /// Of the `number`-th object of a list. Does nothing where `refusal` is empty.
  void Add(std::uint64_t number, const std::string& object, const std::string& refusal);
  /// What a person is to be told, a line for all objects with the same refusal: the first 20 in the
  /// order of the list, and how many objects more there are. `crd` is its name.
  std::vector<std::string> Notes(const std::string& crd) const;

 private:
  struct Alike {
    std::uint64_t number = 0;  ///< of the first
    std::string object{};      ///< the same
    std::uint64_t count = 0;
  };

  std::mutex mutex_;  // guards the rest
  std::map<std::string, Alike> alike_;
  std::uint64_t others_ = 0;  // beyond those
};

// What pruning changes in each object.

/// A CRD, or one of its objects, as the command line names it.
struct DiffTarget {
  std::string crd;     ///< in any form kubectl knows
  std::string object;  ///< its name, in whatever namespace; empty: all objects
};

/// Takes objects.
class ChangeTaker {
 public:
  virtual ~ChangeTaker() = default;
  /// Is called for every object, whether it differs or not, by all workers at once. What comes of
  /// one object a second time counts in place of the first.
  virtual void Take(const ObjectChange& change) = 0;
};

struct DiffReport {
  std::uint64_t objects = 0;          ///< that were compared
  std::vector<std::string> errors{};  ///< why something could not be compared
  std::vector<std::string> notes{};   ///< what else is to be known
  bool is_stopped = false;            ///< not everything was read
};

/// What `diff` compares, and how: of a cluster, or of files.
struct DiffOptions {
  std::vector<DiffTarget> targets{};     ///< empty: the objects of all CRDs, or of those of -f
  PreviewOptions preview{};              ///< how objects are compared
  std::string crd_selector{};            ///< only CRDs with these labels
  std::vector<std::string> filenames{};  ///< -f: CRDs that take the place of those of the cluster
  bool recursive = false;
  cluster::ObjectSelection objects{};
  /// Is called once the files are read and before the server is asked. May be empty.
  std::function<void()> on_files_read{};
  cluster::ProgressFunction on_progress{};
};

/// Compares the custom resources of a cluster with what pruning leaves of them. Only reads.
///
/// Objects are read of CRDs that still preserve unknown fields, or for which files propose another:
/// of others the API shows the objects pruned, which is a note. What is wrong with one CRD or
/// object is an error of the report; the others are compared all the same.
///
/// Throws kube::base::Error as CheckCluster does.
DiffReport DiffCluster(const DiffOptions& options, const kube::client::Session& session,
                       ChangeTaker& taker);

/// The same with CRDs and objects of files, in the order of reading; several CRDs of one name: the
/// last counts. Throws kube::base::Error for a path that does not exist and for a name that does
/// not fit one CRD.
DiffReport DiffFiles(const DiffOptions& options, ChangeTaker& taker);

// What DiffCluster and DiffFiles have in common.

/// The CRDs that `targets` name, each once.
std::vector<std::string> CrdNamesOf(const std::vector<DiffTarget>& targets);

/// The names of the objects of `crd` that `targets` name; empty: all of its objects.
std::set<std::string> ObjectNamesOf(const CrdIdentity& crd, const std::vector<DiffTarget>& targets);

/// What a person is to be told of a CRD whose objects are compared: that the API server would
/// refuse it all the same. Empty if it would not.
std::string RefusalNote(const CrdCheck& check);
/// That of several CRDs of one name the last counts.
std::string GivenTwiceNote(const std::string& crd);

/// Of an object of which it is not known how the API server would store it, or that it would not.
std::string LeftOutError(const CrdCheck& check, const std::string& object, const std::string& why);

}  // namespace migrate::check
