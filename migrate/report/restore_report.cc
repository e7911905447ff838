#include "migrate/report/restore_report.h"

#include <algorithm>
#include <initializer_list>

#include "kube/base/text.h"
#include "kube/meta/object_path.h"

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

std::string JoinPaths(const std::vector<std::string>& paths, std::uint64_t count) {
  std::vector<std::string> shown;
  for (const std::string& path : paths) shown.push_back(kube::meta::WithLeadingDot(path));
  const std::string text = kube::base::Join(shown, ", ");
  return count <= paths.size() ? text
                               : text + " and " + std::to_string(count - paths.size()) + " more";
}

std::vector<std::string> AdviceOf(const CrdRestore& crd) {
  const auto has = [&crd](auto is_it) { return std::ranges::any_of(crd.failures, is_it); };
  const auto has_class = [&](std::initializer_list<RestoreClass> classes) {
    return has([&](const RestoreFailure& failure) {
      return std::ranges::find(classes, failure.restore_class) != classes.end();
    });
  };
  std::vector<std::string> advice;
  if (has([](const RestoreFailure& failure) {
        return failure.restore_class == RestoreClass::kGone && !failure.is_namesake;
      })) {
    advice.emplace_back("--recreate makes anew what was deleted, with another uid");
  }
  if (has(&RestoreFailure::is_namesake)) {
    advice.emplace_back(
        "of what others created under a name of the backup nothing is written; what it is to have "
        "of "
        "the old one stands in its line of the backup");
  }
  if (has_class({RestoreClass::kConflict})) {
    advice.emplace_back(
        "of an object in conflict nothing is written; look at its line of the backup, or leave the "
        "lists out by --fields");
  }
  if (has_class({RestoreClass::kInvalid})) {
    advice.emplace_back(
        "what is invalid the schema refuses: fix the schema where a message names what comes "
        "back, "
        "the object where it names another field, or leave the field out by --fields; then run the "
        "same command again");
  }
  if (has_class({RestoreClass::kDenied, RestoreClass::kWebhookUnavailable, RestoreClass::kForbidden,
                 RestoreClass::kTooLarge, RestoreClass::kFailed})) {
    advice.emplace_back("fix what the messages name, then run the same command again");
  }
  return advice;
}

std::string ReadBackText(const RestoreVerification& verification) {
  const auto& [read, as_restored, changed] = verification;
  if (read == 0) return "";
  std::string text = std::to_string(read) + " read back";
  text += as_restored == read ? " and found" : ", " + std::to_string(as_restored);
  text += " as restored";
  if (changed > 0) text += ", " + std::to_string(changed) + " changed by others since";
  return text;
}

}  // namespace migrate::report
