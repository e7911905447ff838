#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "kube/base/text.h"

namespace migrate::report {

/// How many objects are of each class: `Class` is an enum of `kClasses` values, for which
/// ClassName and IsFailure tell what they are.
template <typename Class, std::size_t kClasses>
class CountsBy {
 public:
  std::uint64_t& operator[](Class c) { return counts_[static_cast<std::size_t>(c)]; }
  std::uint64_t operator[](Class c) const { return counts_[static_cast<std::size_t>(c)]; }

  CountsBy& operator+=(const CountsBy& other) {
    for (std::size_t i = 0; i < kClasses; ++i) counts_[i] += other.counts_[i];
    return *this;
  }

  /// All classes together: the number of objects.
  std::uint64_t Total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }

  std::uint64_t Failures() const {
    std::uint64_t failures = 0;
    ForEach([&](Class c, std::uint64_t count) { failures += IsFailure(c) ? count : 0; });
    return failures;
  }

  /// Calls `take(class, count)` for each class that has objects, in their order.
  template <typename Take>
  void ForEach(Take take) const {
    for (std::size_t i = 0; i < kClasses; ++i) {
      if (counts_[i] > 0) take(static_cast<Class>(i), counts_[i]);
    }
  }

 private:
  std::array<std::uint64_t, kClasses> counts_{};
};

/// "2000 objects: 1874 rewritten, 126 unchanged"
template <typename Class, std::size_t kClasses>
std::string CountsText(const CountsBy<Class, kClasses>& counts) {
  std::string text = kube::base::Count(counts.Total(), "object");
  std::string separator = ": ";
  counts.ForEach([&](Class c, std::uint64_t count) {
    text.append(separator).append(std::to_string(count)).append(" ").append(ClassName(c));
    separator = ", ";
  });
  return text;
}

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
