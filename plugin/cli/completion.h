#pragma once

#include <span>
#include <string>
#include <vector>

#include "plugin/cli/command_line.h"

/// What may be typed next, as shells ask for it. Nothing is read or contacted here.
namespace plugin::cli {

struct Candidate {
  std::string text;
  std::string description;  ///< may be empty
};

/// What the last word of a command line may become.
struct Completion {
  CandidateSource source = CandidateSource::kNone;
  std::vector<Candidate> fixed;    ///< those that fit already
  std::string before;              ///< what comes before each candidate, such as "blocked,"
  std::string typed;               ///< what each candidate starts with, `before` not included
  std::vector<std::string> taken;  ///< candidates that are there already

  // How the cluster is to be reached:
  const CommandRow* command = nullptr;      ///< the null pointer: none yet, or none of ours
  std::vector<std::string> words_before{};  ///< flags and arguments of `command`
};

/// Takes apart the command line of one of `commands` whose last word is to be completed (empty
/// where it is new). A word "--flag=" completes to values alone, without the flag, as
/// github.com/spf13/cobra does.
Completion Complete(CommandRows commands, std::span<const std::string> words);

/// True if `text` can be put on a command line as it is: no blank, and nothing that a shell would
/// act upon.
bool IsPlainWord(const std::string& text);

}  // namespace plugin::cli
