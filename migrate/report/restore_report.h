#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/report/migration_report.h"
#include "migrate/report/object_class.h"
#include "migrate/report/program_name.h"

/// What a restore did, as plain structs. The plugin prints them; docs/REPORTS.md has the contract
/// of the printed form (kind RestoreReport).
namespace migrate::report {

/// What became of an object of a backup: each ends in exactly one of these.
enum class RestoreClass : std::uint8_t {
  kRestored,   ///< has back what pruning took from it
  kUnchanged,  ///< nothing of that is missing, or only what others have set anew or removed
  kRecreated,  ///< was deleted, and is made anew
  kAccepted,   ///< dry run by the server only: the write would have been taken
  kConflict,   ///< a list was changed since, or the object changed again and again: not written
  kGone,       ///< deleted since
  kInvalid,    ///< 422
  kDenied,     ///< by an admission webhook or plugin
  kWebhookUnavailable,
  kForbidden,
  kTooLarge,
  kFailed,     ///< anything else
  kNotTried,   ///< the run was stopped before
  kNotChosen,  ///< by -n, selectors or names
};
inline constexpr std::size_t kRestoreClasses = 14;

/// As RestoreReport spells a class of `failures`: "webhook-unavailable".
std::string_view ClassName(RestoreClass restore_class);
/// As it spells it as a key of `counts`: "webhookUnavailable".
std::string_view ClassKey(RestoreClass restore_class);
/// True for what makes the exit code 1.
bool IsFailure(RestoreClass restore_class);
/// The class of an object whose request failed so.
RestoreClass ClassOfFailure(ObjectClass object_class);

/// How many objects of the backup are of each class.
using RestoreCounts = CountsBy<RestoreClass, kRestoreClasses>;

/// A field, with indices as [*] and keys of maps as .*, and in how many objects.
struct RestoredField {
  std::string path;
  std::uint64_t objects = 0;
  std::string example;  ///< the first of them, "namespace/name"
};

/// An object that has not back what was taken from it, and why.
struct RestoreFailure {
  std::string namespace_{}, name{};  ///< the namespace is empty if cluster-scoped
  RestoreClass restore_class = RestoreClass::kFailed;
  int code = 0;                      ///< HTTP status; 0 if the server refused nothing
  std::string reason{};              ///< the server's; may be empty
  std::string message{};             ///< the server's, or ours
  std::vector<std::string> paths{};  ///< of a conflict: the lists
  bool is_namesake = false;          ///< of one that is gone: another object of its name is there
};

/// What is done to one object, where that is asked for.
struct RestoredObject {
  std::string namespace_, name;
  RestoreClass restore_class = RestoreClass::kRestored;
  std::vector<std::string> restored{}, kept{};       ///< paths; the first ones of very many
  std::uint64_t restored_count = 0, kept_count = 0;  ///< of all
};

/// What reading back has shown.
struct RestoreVerification {
  std::uint64_t read = 0;         ///< objects that were restored or made anew
  std::uint64_t as_restored = 0;  ///< of these, how many have all that was put back
  std::uint64_t changed = 0;      ///< of the others, how many somebody has changed since
};

/// Paths as people read them: ".spec.a, .spec.b and 3 more", where there are `count` in all; 0: no
/// more than these.
std::string JoinPaths(const std::vector<std::string>& paths, std::uint64_t count = 0);

/// What reading back has shown, "12 read back, all as restored"; empty where nothing was read back.
std::string ReadBackText(const RestoreVerification& verification);

/// The restore of the objects of one CRD.
struct CrdRestore {
  std::string name;
  Outcome outcome = Outcome::kDone;
  std::string error;  ///< with kError: why, and the next step
  DryRun dry_run = DryRun::kNone;
  /// The file with the CRD by which pruning was done. Empty: it is not known, and what objects lack
  /// was taken to be what pruning took.
  std::string pruned_by;
  RestoreCounts counts;
  std::vector<RestoredField> restored{};   ///< by path
  std::vector<RestoredField> kept{};       ///< what others have set anew or removed; by path
  std::vector<RestoredField> refused{};    ///< what the CRD would prune again; by path
  std::vector<RestoreFailure> failures{};  ///< by namespace and name
  std::vector<RestoredObject> objects{};   ///< the same, where asked for
  bool verified = false;  ///< all that were restored were read back, and none lacks anything
  RestoreVerification verification;
  double seconds = 0;
};

/// What to do next about the objects that were not restored: a sentence each.
std::vector<std::string> AdviceOf(const CrdRestore& crd);

struct RestoreReport {
  RunFacts run;
  std::string backup;            ///< the file
  std::vector<CrdRestore> crds;  ///< by name
  double seconds = 0;
};

}  // namespace migrate::report
