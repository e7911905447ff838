#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/report/migration_report.h"

/// What populating the namespaces of a cluster did, as plain structs.
namespace migrate::report {

/// What became of an object that a namespace has by a template, is to have, or is no longer to
/// have.
enum class PopulationClass : std::uint8_t {
  kApplied,    ///< made, or brought to what it is to be; in a dry run: it would be sent
  kUnchanged,  ///< applied, and was so already
  kPruned,     ///< deleted, as nothing asks for it any more
  kGone,       ///< the same, by somebody else meanwhile
  kKept,       ///< not wanted any more, and left as it is; the message says why
  kRefused,    ///< of an object that no namespace, or not this one, can have
  kFailed,     ///< could not be applied or pruned
};
inline constexpr std::size_t kPopulationClasses = 7;

/// What it is called in metrics: "applied".
std::string_view ClassName(PopulationClass population_class);

/// True for what makes the exit code 1.
inline bool IsFailure(PopulationClass population_class) {
  return population_class == PopulationClass::kRefused ||
         population_class == PopulationClass::kFailed;
}

struct PopulatedObject {
  std::string group{}, kind{}, namespace_{}, name{};
  std::string template_name{};
  PopulationClass population_class = PopulationClass::kFailed;
  /// Why it is not as it is to be. Of what was applied: whose it was until now, or what of others
  /// was set back; empty as a rule.
  std::string message{};
};

/// What a run says beside what became of objects.
struct PopulationRemark {
  enum class Kind : std::uint8_t { kNote, kWarning, kError };

  Kind kind = Kind::kNote;
  std::string text{};
};

struct PopulationReport {
  DryRun dry_run = DryRun::kNone;
  /// By namespace, then in the order of the templates' names and of their objects; behind them what
  /// was to be pruned.
  std::vector<PopulatedObject> objects{};
  std::vector<PopulationRemark> remarks{};  ///< in their order
  /// Some template, or some namespace that was named, was left alone for an error, which is among
  /// the remarks.
  bool has_errors = false;
  bool is_interrupted = false;  ///< by a signal; run again it does the rest
};

}  // namespace migrate::report
