#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/meta/object_path.h"
#include "kube/meta/path_text.h"

namespace kube::meta {

/// Which fields are meant, as a flag names them: `.spec.legacyMode`, `spec.ports[*].proto` or
/// `.metadata.*`, as the tables of check and restore show paths. Immutable.
class FieldChoice {
 public:
  /// All fields.
  FieldChoice() = default;
  /// Those at and below `paths`; none are all. An index is that of any element. The error names the
  /// path that is none, and why. Of a list that was taken as a whole no part can be chosen.
  static base::Result<FieldChoice, std::string> Parse(const std::vector<std::string>& paths);

  /// As they were given.
  const std::vector<std::string>& paths() const { return paths_; }
  /// Whether `object` has something at `paths()[number]`.
  bool IsIn(std::size_t number, const json::Value& object) const;

  enum class Part {
    kNone,
    kSome,  ///< something below it
    kAll,
  };
  /// How much of the value at `path` is chosen. The null pointer is the whole object.
  Part Of(const PathStep* path) const;
  /// Whether a path that was given has `*` in the place of the name of the last step of `path`.
  bool NamesAnyKeyOf(const PathStep* path) const;

 private:
  using Steps = std::vector<WrittenStep>;

  static bool Fits(const WrittenStep& chosen, const PathStep& step);
  static bool FitAsFarAsBoth(const Steps& chosen, const std::vector<const PathStep*>& steps);

  static bool LeadsTo(const json::Value& value, std::span<const WrittenStep> steps);

  std::vector<std::string> paths_;
  std::vector<Steps> chosen_;  // of `paths_`
};

}  // namespace kube::meta
