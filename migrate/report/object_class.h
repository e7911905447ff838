#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "migrate/report/counts_by.h"

namespace migrate::report {

/// What became of an object that a migration listed: each ends in exactly one of these.
enum class ObjectClass : std::uint8_t {
  kRewritten,           ///< stored anew since it was listed, by us or by another writer
  kMutated,             ///< changed by a mutation, and so stored anew
  kUnchanged,           ///< was stored as it should be
  kAccepted,            ///< dry run by the server only: a write would have been taken
  kGone,                ///< deleted meanwhile
  kInvalid,             ///< 422
  kDenied,              ///< by an admission webhook or plugin
  kWebhookUnavailable,  ///< an admission or conversion webhook did not answer
  kForbidden,
  kTooLarge,
  kConflict,
  kFailed,    ///< anything else
  kHeld,      ///< not written, as the backup does not have it
  kNotTried,  ///< the run was stopped before
};
inline constexpr std::size_t kObjectClasses = 14;

/// As MigrationReport spells a class of `failures`: "webhook-unavailable".
std::string_view ClassName(ObjectClass object_class);
/// As MigrationReport spells it as a key of `counts`: "webhookUnavailable".
std::string_view ClassKey(ObjectClass object_class);
/// True for what makes the exit code 1 and keeps storedVersions from being trimmed.
bool IsFailure(ObjectClass object_class);

/// How many of the objects that were listed are of each class.
using ClassCounts = CountsBy<ObjectClass, kObjectClasses>;

/// An object that was not migrated, and why.
struct ObjectFailure {
  std::string namespace_;  ///< empty if cluster-scoped
  std::string name;
  ObjectClass object_class = ObjectClass::kFailed;
  int code = 0;         ///< HTTP status; 0 if there was no answer
  std::string reason;   ///< the server's; may be empty
  std::string message;  ///< the server's, or why there was no answer
};

}  // namespace migrate::report
