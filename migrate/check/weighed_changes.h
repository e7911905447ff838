#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kube/base/release.h"
#include "kube/crd/crd.h"
#include "kube/crd/crd_changes.h"
#include "kube/crd/custom_resource.h"
#include "kube/json/json.h"
#include "kube/meta/field_choice.h"
#include "kube/schema/pattern_checks.h"
#include "kube/schema/pruning.h"
#include "kube/schema/structural.h"
#include "migrate/check/crd_facts.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

/// Hands `take` the leaves of an unknown field that holds objects or arrays, where `opened` chooses
/// it or something below it: scalars, and what is empty. Any other field it is handed as it is.
///
/// A leaf is told as the field is: indices as [*], and as .* the keys of which `opened` says so.
void OpenField(const kube::schema::UnknownField& field, const kube::meta::FieldChoice& opened,
               const std::function<void(const kube::schema::UnknownField&)>& take);

/// In how many objects each change of a WeighedChanges was found, by one thread.
class ChangeTally {
 public:
  void Merge(const ChangeTally& other);

 private:
  friend class WeighedChanges;
  std::vector<std::uint64_t> objects_;  // as long as the last change that was found
};

/// What a proposal changes in the CRD of a cluster, weighed by the objects that are there.
/// Not changed after construction: may be used by several threads.
class WeighedChanges {
 public:
  /// Both CRDs, each with what it makes of objects; what is proposed as if pruning were on. The
  /// servers, and the JSON that the CRDs borrow from, must outlive this.
  struct Crds {
    const kube::crd::Crd& live;
    const kube::crd::CustomResourceServer& live_server;
    const kube::crd::Crd& proposed;
    const kube::crd::CustomResourceServer& server;
    kube::base::Release release = kube::base::kNewestRelease;  ///< of the API server
  };
  WeighedChanges(const Crds& crds, const CrdFacts& facts);

  /// Counts what touches `object`, which is as the cluster shows it. False if `patterns` could not
  /// tell it all.
  bool Count(const kube::json::Value& object, ChangeTally& tally,
             kube::schema::PatternChecks& patterns) const;

  /// The changes by version, path and kind; without `tally` no objects were looked at.
  report::ChangesReport Report(const ChangeTally* tally, std::uint64_t objects) const;

 private:
  struct Version {
    const kube::crd::SchemaDifference* difference = nullptr;  // or the null pointer
    // By this it is read, where it is not as it is shown.
    const kube::schema::StructuralSchema* live = nullptr;
    const kube::schema::StructuralSchema* proposed = nullptr;
  };
  std::optional<Version> FindCounted(const Crds& crds, const CrdFacts& facts, std::size_t version,
                                     const std::string& live_name) const;
  void KeepVersions(const Crds& crds, const CrdFacts& facts);
  void SortForReport(const CrdFacts& facts);
  bool IsCounted(const kube::crd::Change& change) const;

  kube::crd::CrdChanges found_;
  std::vector<std::shared_ptr<const kube::schema::SchemaProps>> schemas_;  // `found_` borrows them
  std::vector<Version> versions_;          // those of which objects tell
  std::vector<std::string> counted_;       // their names
  std::optional<std::size_t> preserving_;  // the change that turns pruning on
  std::vector<std::size_t> order_;         // of the report
};

}  // namespace migrate::check
