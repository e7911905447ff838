#include "migrate/report/restore_report.h"

#include <numeric>

namespace migrate::report {
namespace {

struct RestoreClassRow {
  std::string_view name, key;
  bool is_failure;
};

// In the order of RestoreClass.
constexpr RestoreClassRow kRestoreRows[kRestoreClasses] = {
    {"restored", "restored", false},
    {"unchanged", "unchanged", false},
    {"recreated", "recreated", false},
    {"accepted", "accepted", false},
    {"conflict", "conflict", true},
    {"gone", "gone", true},
    {"invalid", "invalid", true},
    {"denied", "denied", true},
    {"webhook-unavailable", "webhookUnavailable", true},
    {"forbidden", "forbidden", true},
    {"too-large", "tooLarge", true},
    {"failed", "failed", true},
    {"not-tried", "notTried", true},
    {"not-chosen", "notChosen", false},
};

const RestoreClassRow& RowOf(RestoreClass restore_class) {
  return kRestoreRows[static_cast<std::size_t>(restore_class)];
}

}  // namespace

std::string_view ClassName(RestoreClass restore_class) { return RowOf(restore_class).name; }

std::string_view ClassKey(RestoreClass restore_class) { return RowOf(restore_class).key; }

bool IsFailure(RestoreClass restore_class) { return RowOf(restore_class).is_failure; }

RestoreClass ClassOfFailure(ObjectClass object_class) {
  switch (object_class) {
    case ObjectClass::kGone:
      return RestoreClass::kGone;
    case ObjectClass::kInvalid:
      return RestoreClass::kInvalid;
    case ObjectClass::kDenied:
      return RestoreClass::kDenied;
    case ObjectClass::kWebhookUnavailable:
      return RestoreClass::kWebhookUnavailable;
    case ObjectClass::kForbidden:
      return RestoreClass::kForbidden;
    case ObjectClass::kTooLarge:
      return RestoreClass::kTooLarge;
    case ObjectClass::kConflict:
      return RestoreClass::kConflict;
    default:
      return RestoreClass::kFailed;
  }
}

RestoreCounts& RestoreCounts::operator+=(const RestoreCounts& other) {
  for (std::size_t i = 0; i < kRestoreClasses; ++i) counts_[i] += other.counts_[i];
  return *this;
}

std::uint64_t RestoreCounts::Total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t RestoreCounts::Failures() const {
  std::uint64_t failures = 0;
  for (std::size_t i = 0; i < kRestoreClasses; ++i) {
    if (kRestoreRows[i].is_failure) failures += counts_[i];
  }
  return failures;
}

}  // namespace migrate::report
