#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "migrate/cluster/spool.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

/// What is proven of the objects of a CRD that prunes, though no read shows it.
struct ObjectProof {
  /// What it rests on; absent: the CRD has changed since.
  std::optional<report::Verified> verified;
  bool is_somebodys_word = false;  ///< by an annotation of the CRD
  /// True if etcd has of `object`, as the server shows it, nothing that the schemas of then did not
  /// specify. May be called by several threads.
  std::function<bool(const kube::json::Value& object)> covers;
  /// Whether these schemas, where the CRD has changed since, specified a folded path. May be empty:
  /// they are those of now, which do not.
  std::function<bool(std::string_view path)> may_keep{};
};

// What a verified migration has proven of the objects in etcd, remembered for later runs.

/// A pass over all objects of a CRD that prunes, which rewrote none any more.
struct Proof {
  std::string crd_uid;
  std::int64_t generation = 0;  ///< of the CRD: each change of its spec ends the proof
  std::string storage_version;
  /// kube::client::Session::address; empty: that of nobody who asks. Not told by the annotation.
  std::string address;
  /// By which it was pruned: openAPIV3Schema of the storage version, as JSON; empty: unknown.
  std::string schema;
  /// Resource version of a moment when every server pruned already: what was written behind it was
  /// stored pruned. 0: unknown.
  std::uint64_t pruned_since = 0;
  report::Verified verified;
  /// Hashes of uid and resource version of the objects that the pass has seen, sorted; not known
  /// from the CRD's annotation, by which all are taken for seen that are no newer than the proof.
  std::optional<std::vector<std::uint64_t>> seen;
};

/// Verified::time of a moment.
std::string TimeText(std::chrono::system_clock::time_point time);

/// The annotation of a CRD by which a proof is told to others.
inline constexpr std::string_view kAnnotation = "kubectl-prune/verified";

/// The objects that `pass`, a spool whose objects are all answered, has seen, for Proof::seen.
std::vector<std::uint64_t> SeenBy(const cluster::Spool& pass);

/// Remembers it in `state_dir` (a file of mode 0600, which replaces that of the same CRD). Throws
/// kube::base::Error where it cannot be written.
void Save(const Proof& proof, const std::filesystem::path& state_dir);

/// The merge patch that writes it into the CRD.
std::string AnnotationPatch(const Proof& proof);

/// What holds of the objects of `crd` as it is, in the cluster at `address`: by what is remembered
/// in `state_dir` (empty: there is none), else by its annotation. The null pointer where nothing is
/// proven: nothing is noted, or it cannot be read, or the CRD is another, or does not prune. Where
/// the CRD was changed since, what is remembered still holds for objects that were not: only what
/// the schema of then specified may be in etcd. By the annotation, which whoever may write the CRD
/// can write, no object is covered.
std::shared_ptr<const ObjectProof> Find(const kube::crd::Crd& crd,
                                        const std::filesystem::path& state_dir,
                                        const std::string& address);

}  // namespace migrate::check
