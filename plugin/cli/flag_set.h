#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/cli/flag_syntax.h"

namespace plugin::cli {

/// The flags of a command, and the variables that take their values.
class FlagSet {
 public:
  FlagSet();
  ~FlagSet();

  // Each declares a flag; `shorthand` is 0 where there is none. A variable keeps its value where
  // its flag is not given, and must live until Parse.
  void Bool(std::string name, char shorthand, bool& target);
  void Int(std::string name, char shorthand, int& target);
  /// Absent where the flag is not given.
  void IntIfGiven(std::string name, std::optional<int>& target);
  void Int64(std::string name, char shorthand, std::int64_t& target);
  void String(std::string name, char shorthand, std::string& target);
  /// `value_of_bare` as Flag::value_of_bare.
  void OptionalString(std::string name, std::string& target, std::string value_of_bare);
  /// Comma separated, and adding up when repeated.
  void Strings(std::string name, char shorthand, std::vector<std::string>& target);
  /// Adding up when repeated, each value as it is.
  void Array(std::string name, char shorthand, std::vector<std::string>& target);

  /// Sets the variables and returns the arguments. Throws UsageError of `command`.
  std::vector<std::string> Parse(std::string_view command, std::span<const std::string> words);

  const std::vector<Flag>& flags() const { return flags_; }
  /// True for a flag that Parse found, whatever its value.
  bool IsGiven(const std::string& name) const { return given_.contains(name); }

 private:
  struct Description;

  template <typename T>
  void Add(std::string name, char shorthand, FlagKind kind, T& target);

  std::unique_ptr<Description> description_;
  std::vector<Flag> flags_;
  std::set<std::string> given_;
};

}  // namespace plugin::cli
