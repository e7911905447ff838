#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "migrate/report/check_report.h"

/// Why somebody has to look at a CRD, in the few words that a screen has room for.
namespace plugin::report {

/// What can be lost comes first, then what blocks most.
enum class Need {
  kLosesFields,
  kLosesConversion,
  kInvalidOncePruned,
  kBlocked,
  kUnread,
  kInvalid,
  kFileObjects,
  kChanges,
  kWriters,
  kMigration,
  kManagedFields,
  kUnchecked,
  kReady,
  kFinding,  ///< anything else that counts for the exit code
  kNothing
};
inline constexpr std::size_t kNeeds = static_cast<std::size_t>(Need::kNothing);

/// The first that fits. What IsFinding counts, by any --fail-on, never needs nothing.
Need NeedOf(const migrate::report::CheckReport& report, const migrate::report::CrdReport& crd);

/// How many objects of `crd` the need is about.
std::uint64_t ObjectsOf(const migrate::report::CrdReport& crd, Need need);

/// What is the matter; `subject` is how these objects are told: "3", "3 of 7 objects". Not
/// printable where versions are not.
std::string WhatOf(const migrate::report::CrdReport& crd, Need need, const std::string& subject);

/// The command of this program that comes next: "suggest".
std::string_view NextOf(const migrate::report::CrdReport& crd, Need need);

/// Of so many CRDs, as a part of a sentence: "3 are blocked".
std::string CountOf(Need need, std::uint64_t crds);

}  // namespace plugin::report
