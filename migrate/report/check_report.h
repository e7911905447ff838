#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/text.h"
#include "kube/crd/crd_condition.h"
#include "migrate/report/migration_time.h"
#include "migrate/report/program_name.h"

namespace migrate::report {

/// A path that somebody writes though pruning removes it: one user by one field manager.
struct WriterUse {
  std::string crd{};      ///< "crontabs.stable.example.com"
  std::string user{};     ///< as the API server authenticated it; what is very long ends in "..."
  std::string manager{};  ///< the field manager; empty if it is not known
  std::string path{};     ///< as FieldUse::path; what is very long ends in "..."
  std::string version{};  ///< whose schema lacks it: that of the request, else the storage version
  std::uint64_t requests = 0;  ///< that had it
  std::uint64_t added = 0;     ///< of these, which brought more of it than the object had before
  std::uint64_t denied = 0;    ///< of these, which were refused
  std::uint64_t moved = 0;     ///< of these, in which the mutation left nothing of it
  std::string first_seen{}, last_seen{};  ///< RFC 3339, UTC
  std::string example_object{};           ///< "namespace/name" of the request seen last
  std::string example_path{};             ///< where it was there: "spec.rules[1].host"

  bool operator==(const WriterUse&) const = default;
};

/// A CRD whose requests are looked at.
struct GuardedUse {
  std::string name{};
  std::string source{};                  ///< the file of the schemas; empty: they are the cluster's
  bool preserve_unknown_fields = false;  ///< in the cluster
  std::vector<std::string> unusable_versions{};  ///< by whose schemas nothing can be pruned, sorted

  bool operator==(const GuardedUse&) const = default;
};

/// What requests were seen since a guard was started, and who wrote what is going to be lost.
struct GuardReport {
  RunFacts run{};
  std::string action{};        ///< "warn" or "deny"
  std::string since{};         ///< RFC 3339, UTC
  std::uint64_t requests = 0;  ///< to create or change objects of these CRDs
  std::uint64_t requests_losing_fields = 0;
  std::uint64_t requests_denied = 0;
  std::vector<GuardedUse> crds{};    ///< by name
  std::vector<WriterUse> writers{};  ///< by CRD, path, user and manager
  /// Fields of requests that there was no room for among the writers.
  std::uint64_t left_out = 0;
};

// What a run found or did, as plain structs. The plugin prints them; docs/REPORTS.md has the
// contract of the printed form.

enum class Verdict { kUnknown, kBlocked, kLosesFields, kInvalid, kReady, kPruning };

/// A finding in a CRD, in the API server's own words, with a hint how to fix it.
struct Problem {
  std::string version;  ///< empty where the whole CRD is meant
  std::string field;    ///< the path alone; empty for a conversion error
  std::string message;  ///< the server's whole string, path included
  std::string hint;     ///< one line
};

/// A path in objects, indices folded to [*] and keys of maps to .*, without a leading dot; names as
/// kube::meta::AppendPathName has them.
struct FieldUse {
  std::string path;
  std::uint64_t objects = 0;
  std::vector<std::string> types;     ///< JSON types, sorted
  std::vector<std::string> managers;  ///< who writes it (managedFields), sorted
  std::string last_written;           ///< RFC 3339, UTC; empty if unknown
  std::vector<std::string> examples;  ///< "namespace/name", the first ones found
  /// Only of CrdReport::maybe_in_etcd: versions whose reads may show it, in the order of the CRD.
  std::vector<std::string> shown_in{};
};

/// What the server would say of objects at their next write, of one path in the same words.
struct InvalidUse {
  std::string path;     ///< as that of a FieldUse; empty for the whole object
  std::string message;  ///< the server's whole string, of the first object
  std::uint64_t objects = 0;
  std::vector<std::string> managers{};  ///< who writes it (managedFields), sorted
  std::vector<std::string> examples{};  ///< "namespace/name", the first ones found
  bool since_proposal = false;          ///< the server's CRD finds nothing wrong with it
  /// A server that ratchets (KEP-4008) lets it be where the value stays as it is.
  bool tolerated = false;
  std::string from_release{};  ///< "1.36": only servers from that one on say so; empty: this one

  bool operator==(const InvalidUse&) const = default;
};

/// An object and what each version would prune of it, paths as the server records them.
struct ObjectPaths {
  std::string namespace_;  ///< empty if cluster-scoped
  std::string name;
  std::string source;  ///< the file it came from; empty for a live object
  std::map<std::string, std::vector<std::string>> pruned_paths;  ///< by version, each sorted
  /// Of those that people would read as others: with the names quoted that need it.
  std::map<std::string, std::string> quoted_paths{};
  /// How many more there are, by version; only where they would take more than 1 MiB.
  std::map<std::string, std::uint64_t> paths_left_out{};
  /// Why the server would refuse its next write in the storage version, sorted; of very many some.
  std::vector<std::string> invalid{};
};

/// Objects that the server would refuse at their next write in a version.
struct ValidityReport {
  /// But for those of which the server tolerates all errors, or is too old to see them.
  std::uint64_t objects = 0;
  std::vector<InvalidUse> fields;  ///< sorted by path, then words; tolerated ones, too
  bool server_tolerates = false;   ///< what is tolerated counts for nothing

  /// Whether the server refuses a write for it.
  bool Refuses(const InvalidUse& use) const {
    return use.from_release.empty() && !(use.tolerated && server_tolerates);
  }
  bool operator==(const ValidityReport&) const = default;
};

struct VersionReport {
  std::string name;
  bool served = false;
  bool storage = false;
  bool structural = false;
  std::optional<std::uint64_t> objects;  ///< absent where the dry run is impossible or was skipped
  bool is_left_out = false;  ///< the objects were not looked at in this version, as none has it
  std::uint64_t objects_losing_fields = 0;
  std::vector<FieldUse> pruned_fields;   ///< sorted by path, bytewise; so are the next two
  std::vector<FieldUse> added_defaults;  ///< path and objects only
  std::vector<FieldUse> dropped_nulls;   ///< path and objects only
  /// Objects that are valid as long as they keep all of their fields, and not once they are pruned:
  /// the server would refuse updates of them in this version. Absent where nobody looked.
  std::optional<std::uint64_t> objects_invalid_once_pruned;
  std::vector<std::string> invalid_once_pruned;  ///< "namespace/name: why", the first ones
  std::optional<ValidityReport> validity{};      ///< absent where nobody looked
};

/// What a proposal changes in the CRD of a cluster (kube/crd/change.h).
struct ChangeUse {
  std::string version;  ///< empty where the whole CRD is meant
  std::string path;     ///< as that of a FieldUse; empty where no field is meant
  std::string kind;     ///< "fieldRemoved"
  std::string from, to;
  bool breaking = false;
  bool brings_transition_rules = false;
  std::optional<std::uint64_t> objects{};  ///< that it touches; absent where nobody can tell

  bool operator==(const ChangeUse&) const = default;
};

struct ChangesReport {
  std::vector<ChangeUse> changes{};  ///< by version, path and kind
  std::uint64_t left_out = 0;        ///< how many there are beside them, at least
  bool is_partial = false;           ///< the schemas are too large to be compared whole
};

/// Entries of metadata.managedFields of one manager, version and operation.
struct StaleEntry {
  std::string api_version, manager, operation;
  std::string subresource;  ///< empty: none
  std::uint64_t objects = 0;
  std::vector<std::string> examples{};  ///< "namespace/name", the first ones found
};

/// What was cleaned of managedFields, or would be: how many objects and entries.
struct ManagedFieldsCleaned {
  std::uint64_t objects = 0;
  std::uint64_t entries = 0;

  ManagedFieldsCleaned& operator+=(const ManagedFieldsCleaned& other) {
    objects += other.objects;
    entries += other.entries;
    return *this;
  }
};

struct StorageMigrationReport {
  std::uint64_t objects_losing_fields = 0;
  std::vector<FieldUse> pruned_fields;
};

/// A pass over all objects of a CRD that prunes, after which etcd held of them only what the
/// schemas specify.
struct Verified {
  std::string time;  ///< "2026-11-23T10:00:00Z"
  std::uint64_t objects = 0;
  /// The CRD's annotation kubectl-prune/verified says so, which whoever may write the CRD can
  /// write.
  bool is_by_annotation = false;

  /// "verified 2026-11-23 by a pass over 412 objects"
  std::string Words() const {
    return "verified " + time.substr(0, time.find('T')) + " by a pass over " +
           kube::base::Count(objects, "object") +
           (is_by_annotation ? ", according to the annotation kubectl-prune/verified" : "");
  }
};

/// What `kubectl apply` of a proposed CRD would be answered.
struct ApplyReport {
  bool accepted = false;
  bool is_unchanged = false;  ///< the server has it as it is in the file, as kubectl says then
  std::string message{};  ///< why it is refused, as kubectl prints it; empty where it is accepted
  /// Why the server was not asked, so that accepted and message are what our own rules say; empty:
  /// the server itself has answered a dry run.
  std::string not_asked_because{};
  bool preserves_unknown_fields = false;  ///< the CRD that it would leave
  std::vector<std::string> causes{};  ///< of a refusal, "field: why"; empty where none are known
  /// Who applies it server-side, where that was asked for; empty: client-side.
  std::string server_side_manager{};

  /// Whether a cause is gone once pruning is on.
  static bool IsAboutPruning(const std::string& cause) {
    return (cause.starts_with("spec.preserveUnknownFields: ") &&
            cause.find("must be false") != std::string::npos) ||
           WantsNoWebhook(cause);
  }
  /// The server has no conversion webhook while unknown fields are preserved.
  static bool WantsNoWebhook(const std::string& cause) {
    return cause.find("must be None if spec.preserveUnknownFields is true") != std::string::npos;
  }
  /// What it says of client-side apply, whose annotation holds the whole manifest (apimachinery
  /// pkg/api/validation ValidateAnnotationsSize).
  static bool IsAboutLength(const std::string& text) {
    return text.find("metadata.annotations: Too long") != std::string::npos;
  }
};

/// The custom resources that are in the files beside their CRD, by its storage version, as objects
/// that are created.
struct FileObjectsReport {
  std::uint64_t objects = 0, objects_losing_fields = 0;
  std::vector<FieldUse> pruned_fields{};
  ValidityReport validity{};
  std::vector<std::string> errors{};  ///< as CrdReport::object_errors
};

/// The CRD of the cluster that a proposal would replace.
struct ReplacedCrd {
  bool preserve_unknown_fields = false;
  std::string storage_version{};
  std::vector<std::string> versions{}, served_versions{};
  bool converts_by_webhook = false;
  bool has_last_applied = false;  ///< the annotation of client-side apply
  /// What keeps it as some repository or chart says, and may undo a change: "Argo CD (annotation
  /// argocd.argoproj.io/tracking-id)"; empty: there is no sign of any.
  std::string gitops_owner{};
};

/// A limit that the schema of a version is to have, so that its rules cost no more than the server
/// lets them.
struct CostLimit {
  std::string version;
  std::string path;                    ///< as that of a FieldUse
  std::string pointer;                 ///< of the schema in the CRD in v1 form (RFC 6901)
  std::string keyword;                 ///< "maxItems", "maxLength" or "maxProperties"
  std::int64_t most = 0;               ///< the largest that it may be
  std::optional<std::int64_t> was{};   ///< what the schema says until now
  std::optional<std::int64_t> held{};  ///< the most that objects have; absent: none were looked at
};

struct CrdReport {
  std::string name, group, kind, scope;
  std::string source;  ///< the file it came from; empty for a live CRD
  bool preserve_unknown_fields = false;
  std::string storage_version;
  std::vector<std::string> served_versions, stored_versions;
  Verdict verdict = Verdict::kUnknown;
  bool migration_needed = false;
  std::optional<ApplyReport> apply;                 ///< only of what is proposed for a cluster
  std::optional<FileObjectsReport> file_objects{};  ///< where it is proposed beside objects
  bool is_v1beta1 = false, converts_by_webhook = false;
  std::optional<ReplacedCrd> replaced;  ///< absent: it is no proposal, or the cluster has none
  std::optional<kube::crd::CrdCondition> condition;
  std::vector<Problem> problems;
  std::vector<Problem> admission_problems;
  std::vector<CostLimit> cost_limits{};  ///< where its rules cost too much; by version
  std::vector<VersionReport> versions;   ///< in the order of the CRD
  std::optional<StorageMigrationReport> storage_migration;
  std::optional<ChangesReport> changes{};  ///< of a proposal whose CRD the cluster has
  std::vector<FieldUse> maybe_in_etcd;     ///< path, objects, managers and shown_in only
  /// Of these, what a proposal's schema has and that of the cluster has not: it comes back.
  std::vector<std::string> returning_fields{};
  std::optional<Verified> verified;  ///< it still holds for what is not in maybe_in_etcd
  /// Those that name a version which the CRD does not have; by version, manager, operation.
  std::vector<StaleEntry> stale_managed_fields{};
  /// Those of versions that lack fields which their objects have in the storage version, once they
  /// are pruned and defaulted by it: a server empties managedFields of such an object with any
  /// write in the storage version. Sorted as the others.
  std::vector<StaleEntry> unfit_managed_fields{};
  ManagedFieldsCleaned managed_fields_to_clean{};  ///< objects with entries of either kind
  /// Who a guard has seen to write what will be lost; by path, user and manager.
  std::vector<WriterUse> guard_writers{};
  std::vector<ObjectPaths> objects;  ///< with --show-objects; sorted by namespace and name
  /// Objects that the server could not read or would refuse, "namespace/name: why"; the first ones.
  std::vector<std::string> object_errors;
  std::uint64_t object_count = 0;           ///< objects looked at
  std::uint64_t object_bytes = 0;           ///< of their JSON, as a cluster's list has it
  std::uint64_t objects_losing_fields = 0;  ///< in any version
  bool objects_skipped = false;             ///< --skip-objects, or not read by default
  std::string note;                         ///< what the report cannot vouch for; may be empty
  std::string error;                        ///< verdict unknown
  bool is_interrupted = false;              ///< that is all there is to the error
  bool is_file_error = false;               ///< CheckReport::file_errors tell of it too

  /// True if `kubectl apply` would be refused, as pruning has to be on before: for defaults, or for
  /// a conversion webhook. What is too long for client-side apply as well has its own way.
  bool IsRefusedUntilPruning() const {
    return apply && !apply->accepted &&
           std::ranges::any_of(apply->causes, ApplyReport::IsAboutPruning) &&
           std::ranges::all_of(apply->causes, [](const std::string& cause) {
             return ApplyReport::IsAboutPruning(cause) || ApplyReport::IsAboutLength(cause);
           });
  }

  /// True if the webhook goes that converts objects which may be stored in another version: as the
  /// new one they would show, and keep, only what both schemas have under the same names.
  bool DropsConversion() const {
    return replaced && replaced->converts_by_webhook && !converts_by_webhook && migration_needed;
  }

  /// True if there are objects that pruning makes invalid.
  bool MakesInvalid() const {
    return std::ranges::any_of(versions, [](const VersionReport& version) {
      return version.objects_invalid_once_pruned.value_or(0) > 0;
    });
  }

  /// True if the server would refuse the next write of some object, whether or not it is pruned.
  bool HasInvalid() const {
    return std::ranges::any_of(versions, [](const VersionReport& version) {
      return version.validity && version.validity->objects > 0;
    });
  }

  /// All versions whose reads may show something of maybe_in_etcd.
  std::set<std::string> VersionsThatShow() const {
    std::set<std::string> all;
    for (const FieldUse& use : maybe_in_etcd) all.insert(use.shown_in.begin(), use.shown_in.end());
    return all;
  }

  /// The resource in a version, as kubectl takes it: "widgets.v1.demo.example.com".
  std::string ResourceIn(const std::string& version) const {
    const std::size_t dot = std::min(name.find('.'), name.size());
    return name.substr(0, dot) + "." + version + name.substr(dot);
  }

  void AddNote(std::string_view text) {
    if (!note.empty() && !text.empty()) note += "; ";
    note += text;
  }
};

/// Objects that no CRD is known for.
struct UnknownKind {
  std::string api_version, kind;
  std::uint64_t objects = 0;
};

/// What is said of a manifest that looks like a template which nobody has rendered.
inline constexpr std::string_view kTemplateHint =
    "it looks like a Helm template: check what \"helm template\" prints";

/// A step of an upgrade.
struct UpgradeStep {
  std::string title;
  std::string command;   ///< for a POSIX shell; one line
  std::string reason;    ///< why it has to be, and why here; may be empty
  std::string needs{};   ///< what has to be so before: "the webhook answers"; may be empty
  std::string effect{};  ///< "rewrites 4000 objects"; empty: it changes nothing in the cluster
  std::optional<double> seconds{};  ///< how long it takes; absent: a moment, or not known

  /// "rewrites 4000 objects, about 12 s"; empty where it changes nothing.
  std::string EffectWords() const {
    return seconds ? effect + ", about " + DurationText(*seconds) : effect;
  }
};

/// A step of an upgrade that the cluster shows to be done.
struct DoneStep {
  std::string title;
  std::string proof;  ///< how it shows
};

struct CheckReport {
  RunFacts run{};
  std::vector<CrdReport> crds;             ///< by name, then source
  std::vector<UnknownKind> unknown_kinds;  ///< by apiVersion and kind
  /// "file:line:column: why", in the order of reading; or that there is no CRD in the files.
  std::vector<std::string> file_errors;
  /// "file:line: why", in the order of reading: what is read otherwise than it looks.
  std::vector<std::string> file_hints;
  /// Custom resources in files that were passed over, as no CRD is with them.
  std::uint64_t file_objects = 0;
  /// Of the cluster: CRDs that no file has, of groups that the files have CRDs of; sorted.
  std::vector<std::string> crds_beside{};
  bool has_others_in_files = false;  ///< beside CRDs: what kubectl apply does with it is not known
  /// Which objects were read, if not all: `namespace "shop", label selector "app=x"`.
  std::string object_filter;
  bool not_all_crds_read = false;  ///< the check was stopped before
  /// The order in which what is proposed is brought into the cluster; empty where nothing is.
  std::vector<UpgradeStep> steps{};
  std::vector<DoneStep> steps_done{};  ///< before these; empty where there are none
};

}  // namespace migrate::report
