#include "plugin/cli/usage.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace plugin::cli {
namespace {

using Replacements = std::vector<std::pair<std::string_view, std::string>>;

// A shell function may not have every character that a file has.
std::string Identifier(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return text;
}

std::string WithoutKubectl(const std::string& text) {
  return text.substr(std::string_view("kubectl-").size());
}

// The first that fits at a place counts. Folders stay the same: another name for the same program
// must find what it left there.
Replacements ReplacementsFor(const migrate::report::ProgramName& name) {
  const std::string completion = "kubectl_complete-" + WithoutKubectl(name.file);
  return {{"kubectl-prune-backup", "kubectl-prune-backup"},
          {"/kubectl-prune", "/kubectl-prune"},
          {"kubectl-prune", name.file},
          {"kubectl_complete-prune", completion},
          {"kubectl_prune", Identifier(name.file)},
          {"kubectl prune", name.command},
          {"\"prune\"", "\"" + WithoutKubectl(name.command) + "\""}};
}

}  // namespace

std::string Renamed(std::string_view text, const migrate::report::ProgramName& name) {
  const Replacements replacements = ReplacementsFor(name);
  std::string result;
  while (!text.empty()) {
    const auto fits = std::ranges::find_if(
        replacements, [&](const auto& replacement) { return text.starts_with(replacement.first); });
    const bool is_found = fits != replacements.end();
    result += is_found ? std::string_view(fits->second) : text.substr(0, 1);
    text.remove_prefix(is_found ? fits->first.size() : 1);
  }
  return result;
}

std::string Usage(std::string_view text) {
  return Renamed(text, migrate::report::OwnProgramName());
}

}  // namespace plugin::cli
