#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/type_meta.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/crd_names.h"
#include "migrate/cluster/manifest_reader.h"
#include "migrate/report/check_report.h"
#include "migrate/report/field_tally.h"

namespace migrate::check {

/// The CRDs of a run, found by the group and kind of an object. May be used by several threads.
class CrdSet {
 public:
  struct Entry {
    report::Place place;  ///< decides which comes first
    std::unique_ptr<CrdCheck> check;
    CrdIdentity identity;
    bool selected = true;  ///< false: left out of the report, its objects are passed over
  };

  /// Adds a CRD.
  void Add(const report::Place& place, std::unique_ptr<CrdCheck> check, CrdIdentity identity);

  /// The CRDs for objects of this group and kind, in the order of reading; empty if there is none.
  std::vector<const Entry*> Find(std::string_view group, std::string_view kind) const;

  /// Leaves out all but the CRDs that `names` name and none that `ignored` does (IsNamed). Throws
  /// kube::base::Error for a name of `names` that fits no CRD or CRDs of different names.
  void Select(const std::vector<std::string>& names, const std::vector<std::string>& ignored);

  /// All entries, by name of the CRD, then in the order of reading.
  std::vector<const Entry*> Sorted() const;

 private:
  mutable std::shared_mutex mutex_;
  std::deque<Entry> entries_;  // entries do not move
  std::map<std::string, std::vector<Entry*>, std::less<>> by_kind_;
};

/// Objects that wait for a CRD which may still come, outside of memory.
class DeferredObjects {
 public:
  /// Keeps a copy. May be called by several threads. Throws kube::base::Error if the disk is full.
  void Add(const kube::json::Value& object, const report::Place& place);

  /// Hands out every object, in the order of adding, for the length of the call. Throws
  /// kube::base::Error if one cannot be read back.
  void ForEach(
      const std::function<void(kube::json::Value& object, const report::Place& place)>& take);

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::unique_ptr<std::FILE, CloseFile> spill_;  // a file without a name, gone when it is closed
};

/// True if the metadata of `object` is of a form that ObjectMeta surely takes: the common case,
/// told at a fraction of the cost of reading it. False says nothing.
bool HasPlainMetadata(const kube::json::Value& object);

/// A custom resource of a file, with the CRDs for its kind, during the call that hands it out.
struct FileObject {
  kube::json::Value& value;                       ///< may be changed
  report::Place place;                            ///< decides which comes first
  std::string_view source;                        ///< the file
  const std::vector<const CrdSet::Entry*>& crds;  ///< at least one
  bool may_hold_nulls;                            ///< as Document::may_hold_nulls
};

/// Reads the CRDs and custom resources of files and brings them together.
///
/// CRDs may stand anywhere: small files are looked through for CRDs first; where an object comes
/// before its CRD all the same (in a large file, on the standard input), it waits on disk until the
/// end of the input and is handed out last.
class FileRun {
 public:
  /// Is called with the number of the worker, by all workers at once.
  using Handler = std::function<void(std::size_t worker, FileObject& object)>;

  /// With one worker objects are handed out in the order of reading, but for those that waited.
  FileRun(std::vector<cluster::ManifestFile> files, std::size_t workers,
          const CrdCheckOptions& options);

  /// Looks through the small files for CRDs. To be called first.
  void CollectCrds();
  /// True if a CRD may still come: there are large files, or such as can be read only once.
  bool crds_may_come_late() const { return crds_may_come_late_; }
  /// Hands out every custom resource that has a CRD; those that came before their CRD last. Throws
  /// kube::base::Error if a temporary file cannot be written.
  void ReadObjects(const Handler& handler);

  CrdSet& crds() { return crds_; }

  // After ReadObjects:

  /// CRDs that could not be read, each with its error, in the order of reading.
  std::vector<report::CrdReport> TakeBrokenCrds();
  /// Objects without a CRD, by apiVersion and kind.
  std::vector<report::UnknownKind> UnknownKinds() const;
  /// What could not be read, in the order of reading.
  std::vector<std::string> TakeErrors();
  /// What is read otherwise than it looks, in the order of reading (ManifestReader::TakeHints).
  std::vector<std::string> TakeHints() { return reader_.TakeHints(); }

 private:
  void HandleCrd(const cluster::ManifestObject& object);
  void HandleLateCrd(const cluster::ManifestObject& object);
  void Take(std::size_t worker, cluster::ManifestObject& object, const Handler& handler);
  using Crds = std::vector<const CrdSet::Entry*>;
  void HandOut(std::size_t worker, kube::json::Value& value, const report::Place& place,
               const kube::meta::GroupVersionKind& type, const Crds& crds, bool may_hold_nulls,
               const Handler& handler);

  cluster::ManifestReader reader_;
  CrdCheckOptions options_;
  bool crds_may_come_late_ = false;
  std::set<report::Place> taken_;  // CRDs of small files
  CrdSet crds_;
  DeferredObjects deferred_;
  std::vector<std::map<std::pair<std::string, std::string>, std::uint64_t>> unknown_kinds_;
  std::mutex mutex_;  // guards the next and taken_
  std::vector<std::pair<report::Place, report::CrdReport>> broken_crds_;
};

}  // namespace migrate::check
