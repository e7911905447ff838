#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "migrate/report/check_report.h"
#include "migrate/report/fleet_report.h"

/// What counts as a finding, and what a report says of all CRDs together, as whole lines.
namespace plugin::report {

/// Which findings make the exit code 1.
struct FailOn {
  bool blocked = true;
  bool loses_fields = true;
  bool invalid = true;
  bool migration_needed = false;
};

/// The server would refuse the CRD with pruning on, or refuses it in kubectl apply.
bool IsBlocked(const migrate::report::CrdReport& crd, const FailOn& fail_on);
/// Also of the objects in files.
bool IsFinding(const migrate::report::CrdReport& crd, const FailOn& fail_on);

/// What the server would refuse with pruning on, without that the flag must not be true: that is
/// what the whole check is about, and gone with pruning on.
std::vector<migrate::report::Problem> AdmissionFindings(const migrate::report::CrdReport& crd);

/// False where the dry run of some version did not read its objects.
bool IsDryRunComplete(const migrate::report::CrdReport& crd);

/// True where all objects of `crd` were looked at; not where a file has none beside it.
bool WasCheckedWithObjects(const migrate::report::CheckReport& report,
                           const migrate::report::CrdReport& crd);

/// What a report says where files or CRDs could not be read.
inline constexpr const char* kIncompleteNote =
    "Some of the input could not be read (see the errors): what was not read may lose fields\n";

/// The objects that the server would refuse; one that is invalid in two versions counts once.
std::uint64_t ObjectsInvalid(const migrate::report::CrdReport& crd);

/// How many CRDs and objects there are.
struct Totals {
  std::map<migrate::report::Verdict, std::uint64_t> crds{}, losing_by_verdict{};
  std::uint64_t all = 0, migrations = 0;               ///< CRDs
  std::uint64_t objects = 0, losing = 0, invalid = 0;  ///< objects

  void Add(const migrate::report::CheckReport& report);
  std::uint64_t CountOf(migrate::report::Verdict verdict) const;
};
Totals TotalsOf(const migrate::report::CheckReport& report);
Totals TotalsOf(const migrate::report::FleetReport& report);

/// "300 CRDs: 12 blocked, 4 would lose fields (1874 of 52000 objects), 284 already pruning".
std::string Summary(const migrate::report::CheckReport& report);
/// The same of all clusters, behind what became of these: "20 clusters, 4 of which could not be
/// checked; 32 CRDs: 16 would lose fields (32 of 64 objects), 16 ready".
std::string Summary(const migrate::report::FleetReport& report);

/// The steps of an upgrade, numbered; empty where there are none.
std::string Steps(const migrate::report::CheckReport& report);

/// Which CRDs lose nothing when pruning is turned on, and the command that does it; empty where
/// there is none.
std::string ReadyNote(const migrate::report::CheckReport& report);

/// What the report cannot vouch for, a line each: a note of a CRD, which objects were read if not
/// all, the kinds of objects that no CRD is known for (the first ones or `all`), and that custom
/// resources in files were passed over. Empty where there is nothing of that.
std::string Notes(const migrate::report::CheckReport& report, bool all);

/// The same without the notes of CRDs.
std::string RunNotes(const migrate::report::CheckReport& report, bool all);

/// Which CRDs and objects could not be checked, and why, a line each, for what shows no sections:
/// names, rows, JSON. Without those that CheckReport::file_errors tell of.
std::string IncompleteErrors(const migrate::report::CheckReport& report);

/// How many CRDs a signal kept from being looked at.
std::string InterruptedNote(const migrate::report::CheckReport& report);
}  // namespace plugin::report
