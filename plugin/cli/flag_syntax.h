#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"

/// How kubectl spells flags (github.com/spf13/pflag).
namespace plugin::cli {

enum class FlagKind {
  kBool,     ///< `--flag`, `--flag=false`; never takes the next word
  kInt,      ///< a whole number of 32 bits
  kInt64,    ///< a whole number of 64 bits
  kString,   ///< the last one given counts
  kStrings,  ///< comma separated, and adding up when repeated
  kArray,    ///< adding up when repeated, each value as it is
};

/// Where completion finds what a word may become.
enum class CandidateSource {
  kNone,   ///< nothing, or what is known beforehand
  kFiles,  ///< the shell knows them
  kFolders,
  kContexts,  ///< of the kubeconfig, as the next two
  kClusters,
  kUsers,
  kNamespaces,  ///< of the cluster, as the rest
  kCrds,
  kCrdsOrObjects,  ///< CRD, or CRD/NAME
};

struct Flag {
  std::string name;
  char shorthand;  ///< 0 where there is none
  FlagKind kind;
  /// The value where none is given by "="; it never takes the next word then. Empty: it does.
  std::string value_of_bare{};

  // Of its values, for completion:
  std::vector<std::string_view> values{};
  CandidateSource source = CandidateSource::kNone;

  // For help:
  std::string default_text{};  ///< as it stands behind "="
  std::string help{};          ///< lines, each behind a line break and eight blanks
  bool is_global = false;      ///< told by the help of all commands at once
};

struct FlagValue {
  std::string name;  ///< without dashes
  std::string
      value;  ///< kBool: "true" or "false"; kInt, kInt64: decimal digits; kStrings: one element
};

/// A command line in one form, whichever way it was spelled.
struct FlagsAndArguments {
  /// Each scalar flag at most once, each list as often as it has elements, in the order given.
  std::vector<FlagValue> flags;
  std::vector<std::string> arguments;
  std::set<std::string> given;  ///< names of all flags, of lists without an element (-f "") too
};

/// Takes `words` apart: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-n=value`, grouped
/// shorthands (`-Rf x`); flags and arguments in any order, `--` ends the flags. Values are checked
/// against the kind of their flag. The error is pflag's, for the first wrong word, e.g. `unknown
/// flag: --x`; of a long flag with those behind it that may have been meant, where they are few.
kube::base::Result<FlagsAndArguments, std::string> ParseFlags(std::span<const std::string> words,
                                                              std::span<const Flag> flags);

/// The place of the first argument in `words`; words.size() where there are only flags. Flags that
/// are not in `flags` are taken to have no value of their own.
std::size_t FindFirstArgument(std::span<const std::string> words, std::span<const Flag> flags);

/// What may follow a command line that is still being typed.
struct OpenEnd {
  const Flag* awaiting_value = nullptr;  ///< of `flags`; the next word is its value
  bool flags_ended = false;              ///< "--" was there: the next word is an argument
};

/// How `words` end. Flags that are not in `flags` are taken to have no value of their own.
OpenEnd EndOf(std::span<const std::string> words, std::span<const Flag> flags);

}  // namespace plugin::cli
