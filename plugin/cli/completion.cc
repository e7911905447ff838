#include "plugin/cli/completion.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "plugin/cli/completion_script.h"
#include "plugin/cli/flag_syntax.h"
#include "plugin/cli/help.h"

namespace plugin::cli {
namespace {

using Words = std::vector<std::string>;

// The first sentence of Flag::help, whose lines stand behind eight blanks.
std::string DescriptionOf(const Flag& flag) {
  std::string text;
  for (const char c : Usage(flag.help)) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  return text.substr(0, std::min({text.find(". "), text.find("; "), text.size()}));
}

void AddIfFits(Completion& completion, std::string text, std::string description = "") {
  if (!text.starts_with(completion.typed)) return;
  completion.fixed.push_back({std::move(text), std::move(description)});
}

void AddAll(Completion& completion, std::span<const std::string_view> texts) {
  for (const std::string_view text : texts) AddIfFits(completion, std::string(text));
}

void CompleteCommand(Completion& completion, CommandRows commands) {
  std::vector<CommandRow> sorted(commands.begin(), commands.end());
  std::ranges::sort(sorted, {}, &CommandRow::name);
  for (const CommandRow& row : sorted) {
    AddIfFits(completion, std::string(row.name), std::string(row.summary));
  }
}

bool IsGiven(const Flag& flag, const Words& words) {
  if (flag.kind == FlagKind::kStrings || flag.kind == FlagKind::kArray) return false;
  return std::ranges::any_of(words, [&](const std::string& word) {
    return word == "--" + flag.name || word.starts_with("--" + flag.name + "=");
  });
}

void CompleteFlagName(Completion& completion, const Words& before) {
  std::vector<Flag> flags = FlagsOf(completion.command);
  std::ranges::sort(flags, {}, &Flag::name);
  const bool can_run = completion.command && completion.command->make;
  for (const Flag& flag : flags) {
    if (IsGiven(flag, before)) continue;
    const std::string description = can_run || flag.is_global ? DescriptionOf(flag) : "";
    AddIfFits(completion, "--" + flag.name, description);
    if (flag.shorthand) AddIfFits(completion, std::string("-") + flag.shorthand, description);
  }
}

// Of "a,b" only b is completed, and a is not offered again.
void SplitList(Completion& completion) {
  std::size_t comma = completion.typed.rfind(',');
  if (comma == std::string::npos) return;
  completion.before = completion.typed.substr(0, comma + 1);
  completion.typed.erase(0, comma + 1);
  for (std::size_t start = 0; start < completion.before.size(); start = comma + 1) {
    comma = completion.before.find(',', start);
    completion.taken.push_back(completion.before.substr(start, comma - start));
  }
}

void CompleteValue(Completion& completion, const Flag& flag) {
  if (flag.kind == FlagKind::kStrings) SplitList(completion);
  completion.source = flag.source;
  AddAll(completion, flag.values);
}

// The flag in "--flag=..." or "-f=...".
const Flag* FlagWithValue(const std::string& word, std::span<const Flag> flags) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || !word.starts_with('-')) return nullptr;
  const std::string name = word.substr(0, equals);
  const auto found = std::ranges::find_if(flags, [&](const Flag& flag) {
    return name == "--" + flag.name ||
           (flag.shorthand && name == std::string("-") + flag.shorthand);
  });
  return found == flags.end() ? nullptr : &*found;
}

void CompleteArgument(Completion& completion, CommandRows commands, Words arguments) {
  completion.taken = std::move(arguments);
  const bool is_first = completion.taken.empty();
  switch (completion.command->arguments) {
    case ArgumentKind::kNone:
      return;
    case ArgumentKind::kCrd:
      completion.source = CandidateSource::kCrds;
      return;
    case ArgumentKind::kCrdOrObject:
      completion.source = CandidateSource::kCrdsOrObjects;
      return;
    case ArgumentKind::kFileThenCrdOrObject:
      completion.source = is_first ? CandidateSource::kFiles : CandidateSource::kCrdsOrObjects;
      return;
    case ArgumentKind::kNamespace:
      completion.source = CandidateSource::kNamespaces;
      return;
    case ArgumentKind::kCommand:
      if (is_first) CompleteCommand(completion, commands);
      return;
    case ArgumentKind::kShell:
      if (is_first) AddAll(completion, kShells);
      return;
  }
}

Words Arguments(const Words& words, std::span<const Flag> flags) {
  auto parsed = ParseFlags(words, flags);
  return parsed ? std::move(parsed->arguments) : Words();
}

void DropTaken(Completion& completion) {
  std::erase_if(completion.fixed, [&](const Candidate& candidate) {
    return std::ranges::find(completion.taken, candidate.text) != completion.taken.end();
  });
}

}  // namespace

Completion Complete(CommandRows commands, std::span<const std::string> words) {
  Completion completion;
  if (words.empty()) return completion;
  completion.typed = words.back();
  Words before(words.begin(), words.end() - 1);
  const std::size_t place = FindFirstArgument(before, AllFlags(commands));
  const bool has_command = place < before.size();
  if (has_command) {
    completion.command = FindCommand(commands, before[place]);
    before.erase(before.begin() + static_cast<std::ptrdiff_t>(place));
  }
  const std::vector<Flag> flags = FlagsOf(completion.command);
  const OpenEnd end = EndOf(before, flags);
  const Flag* with_value = end.flags_ended ? nullptr : FlagWithValue(completion.typed, flags);
  if (end.awaiting_value) {
    before.pop_back();
    CompleteValue(completion, *end.awaiting_value);
  } else if (with_value) {
    completion.typed.erase(0, completion.typed.find('=') + 1);
    CompleteValue(completion, *with_value);
  } else if (completion.typed.starts_with('-') && !end.flags_ended) {
    CompleteFlagName(completion, before);
  } else if (!has_command) {
    CompleteCommand(completion, commands);
  } else if (completion.command) {
    CompleteArgument(completion, commands, Arguments(before, flags));
  }
  DropTaken(completion);
  completion.words_before = std::move(before);
  return completion;
}

bool IsPlainWord(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 &&
           (std::isalnum(byte) || std::string_view("._:/@+=,%-").find(c) != std::string_view::npos);
  });
}

}  // namespace plugin::cli
