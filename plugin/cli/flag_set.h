#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/cli/flag_syntax.h"

namespace plugin::cli {

/// A command line that cannot run. what() is the text after "error: ", the pointer to the help of
/// the command included.
class UsageError : public std::runtime_error {
 public:
  /// `command` is what the help is asked for: "", "check", "migrate" ...
  UsageError(std::string_view command, const std::string& message);
};

/// The table of the flags of a command: how each is spelled, what takes its value, how that is read
/// further, and what help and completion say of it.
///
/// First Parse sets variables, in the order of the words; then Finish reads further what needs all
/// of them, and checks what may go together, in the order of the table.
class FlagSet {
 public:
  /// `command` is whose help errors point to.
  explicit FlagSet(std::string_view command);
  FlagSet(const FlagSet&) = delete;
  FlagSet& operator=(const FlagSet&) = delete;
  ~FlagSet();

  // Each declares a flag by its name, "all", or also its shorthand, "filename,f". `help` is
  // Flag::help. A variable keeps its value where its flag is not given, and help shows it as the
  // default. It must live until Finish. The result is valid until the next flag.
  Flag& Bool(std::string_view name, bool& target, std::string_view help = "");
  Flag& Int(std::string_view name, int& target, std::string_view help = "");
  Flag& Int64(std::string_view name, std::int64_t& target, std::string_view help = "");
  Flag& String(std::string_view name, std::string& target, std::string_view help = "") {
    return String(name, target, CandidateSource::kNone, help);
  }
  Flag& String(std::string_view name, std::string& target, CandidateSource source,
               std::string_view help);
  /// Of a folder; an empty one is none.
  Flag& Path(std::string_view name, std::filesystem::path& target, std::string_view help);
  /// Comma separated, and adding up when repeated.
  Flag& Strings(std::string_view name, std::vector<std::string>& target, std::string_view help) {
    return Strings(name, target, CandidateSource::kNone, help);
  }
  Flag& Strings(std::string_view name, std::vector<std::string>& target, CandidateSource source,
                std::string_view help);
  /// Adding up when repeated, each value as it is.
  Flag& Array(std::string_view name, std::vector<std::string>& target, std::string_view help) {
    return Array(name, target, CandidateSource::kNone, help);
  }
  Flag& Array(std::string_view name, std::vector<std::string>& target, CandidateSource source,
              std::string_view help);

  /// A flag whose value Finish hands to `read`, if it is given. `default_text` is for help.
  using ReadText = std::function<void(const std::string& text)>;
  Flag& Text(std::string_view name, std::string default_text, ReadText read,
             std::string_view help = "", FlagKind kind = FlagKind::kString);
  /// The same of a list: kStrings or kArray.
  using ReadList = std::function<void(const std::vector<std::string>& list)>;
  Flag& List(std::string_view name, FlagKind kind, ReadList read, std::string_view help = "");
  /// As Go reads it; never negative. An empty one is none.
  Flag& Duration(std::string_view name, std::chrono::nanoseconds& target,
                 std::string_view help = "");
  /// The same, and not zero.
  Flag& Timeout(std::string_view name, std::chrono::nanoseconds& target,
                std::string_view help = "");
  /// One of `names`; another one is invalid, and `why`. Completion offers the first `offered`.
  template <typename T>
  Flag& Choice(std::string_view name, T& target, std::vector<std::pair<std::string_view, T>> names,
               std::size_t offered, std::string why, std::string_view help = "") {
    std::vector<std::string_view> values;
    std::string standard;
    for (const auto& [known, value] : names) {
      if (values.size() < offered) values.push_back(known);
      if (standard.empty() && value == target) standard = "'" + std::string(known) + "'";
    }
    const auto read = [this, flag = "--" + std::string(name), &target, names = std::move(names),
                       why = std::move(why)](const std::string& text) {
      for (const auto& [known, value] : names) {
        if (known == text) return void(target = value);
      }
      Invalid(flag, text, why);
    };
    Flag& flag = Text(name, std::move(standard), read, help);
    flag.values = std::move(values);
    return flag;
  }

  /// Another help for a flag that is there already: what it means to this command.
  void Describe(std::string_view name, std::string help);
  /// Takes the arguments ahead of all that Finish does; without it they are ignored.
  void Arguments(std::function<void(std::vector<std::string>)> take) { take_ = std::move(take); }
  void Arguments(std::vector<std::string>& target) {
    take_ = [&target](std::vector<std::string> arguments) { target = std::move(arguments); };
  }
  /// To be done by Finish in its turn.
  void Check(std::function<void()> check) { checks_.push_back(std::move(check)); }

  /// Sets the variables and returns the arguments. Throws UsageError.
  std::vector<std::string> Parse(std::span<const std::string> words);
  /// Reads `arguments` and all else further. Throws UsageError.
  void Finish(std::vector<std::string> arguments);
  /// The same of the flags that every command has, which are those until EndCommon.
  void FinishCommon();
  void EndCommon();

  const std::vector<Flag>& flags() const { return flags_; }
  /// True for a flag that Parse found, whatever its value.
  bool IsGiven(const std::string& name) const { return given_.contains(name); }
  /// The value of a flag of Text(); empty where it is not given.
  std::string TextOf(const std::string& name) const { return IsGiven(name) ? texts_.at(name) : ""; }

  // Each throws UsageError:
  [[noreturn]] void Refuse(const std::string& message) const;
  /// A value that a flag cannot have, in pflag's words. `flag` as it names it: "-l, --selector".
  [[noreturn]] void Invalid(std::string_view flag, const std::string& value,
                            const std::string& why) const;
  /// Two flags by their names, and whether each was given: not both.
  void RefuseBoth(bool a, std::string_view a_name, bool b, std::string_view b_name) const;
  /// A duration as Go reads it, which is not negative; `flag` is named as in Invalid.
  std::chrono::nanoseconds ParseDuration(std::string_view flag, const std::string& text) const;

 private:
  struct Description;

  template <typename T>
  Flag& Add(std::string_view name, FlagKind kind, std::string default_text, std::string_view help,
            std::function<void(const T&)> set);

  const std::string command_;
  std::unique_ptr<Description> description_;
  std::vector<Flag> flags_;
  std::set<std::string> given_;
  std::map<std::string, std::string> texts_;  // of Text
  std::function<void(std::vector<std::string>)> take_;
  std::vector<std::function<void()>> checks_;
  std::size_t common_checks_ = 0;
};

}  // namespace plugin::cli
