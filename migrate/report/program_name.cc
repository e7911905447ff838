#include "migrate/report/program_name.h"

#include <errno.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace migrate::report {
namespace {

constexpr std::string_view kPrefix = "kubectl-";

// Other characters would have to be quoted where a shell or a terminal reads the name.
bool IsPlain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

bool IsPluginFile(std::string_view file) {
  return file.starts_with(kPrefix) && file.size() > kPrefix.size() &&
         std::ranges::all_of(file, IsPlain) && !file.ends_with('-') &&
         file.find("--") == std::string_view::npos;
}

std::string& FlagsOfRun() {
  static std::string flags;
  return flags;
}

thread_local const std::string* flags_of_thread = nullptr;

}  // namespace

ProgramName ParseProgramName(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  if (!IsPluginFile(file)) return {"kubectl-prune", "kubectl prune"};
  std::string command(file);
  std::ranges::replace(command, '-', ' ');
  std::ranges::replace(command, '_', '-');
  return {std::string(file), command};
}

const ProgramName& OwnProgramName() {
  static const ProgramName name = ParseProgramName(program_invocation_name);
  return name;
}

std::string OwnCommand(std::string_view words) {
  return OwnProgramName().command + " " + std::string(words);
}

const std::string& ClusterFlags() {
  return flags_of_thread == nullptr ? FlagsOfRun() : *flags_of_thread;
}

void SetClusterFlags(std::string flags) { FlagsOfRun() = std::move(flags); }

ClusterFlagsOfThread::ClusterFlagsOfThread(std::string flags)
    : flags_(std::move(flags)), outer_(std::exchange(flags_of_thread, &flags_)) {}

ClusterFlagsOfThread::~ClusterFlagsOfThread() { flags_of_thread = outer_; }

std::string OwnClusterCommand(std::string_view words) { return OwnCommand(words) + ClusterFlags(); }

std::string CheckCommand(const std::string& crd_name, const std::string& source) {
  return source.empty() ? "\"" + OwnClusterCommand("check " + crd_name) + "\""
                        : "\"" + OwnCommand("check --local") + "\" with these files";
}

}  // namespace migrate::report
