#include "plugin/terminal/wording.h"

#include <algorithm>

#include "plugin/terminal/terminal.h"

namespace plugin::terminal {
namespace {

// Whether a proposal changes what there are objects for.
bool BreaksObjects(const migrate::report::CrdReport& crd) {
  return crd.changes && std::ranges::any_of(crd.changes->changes, [](const auto& change) {
           return change.breaking && change.objects.value_or(0) > 0;
         });
}

}  // namespace

std::string_view VerdictName(migrate::report::Verdict verdict) {
  switch (verdict) {
    case migrate::report::Verdict::kUnknown:
      return "unknown";
    case migrate::report::Verdict::kBlocked:
      return "blocked";
    case migrate::report::Verdict::kInvalid:
      return "invalid";
    case migrate::report::Verdict::kLosesFields:
      return "loses-fields";
    case migrate::report::Verdict::kReady:
      return "ready";
    case migrate::report::Verdict::kPruning:
      return "pruning";
  }
  return "unknown";
}

std::string_view DryRunSuffix(migrate::report::DryRun dry_run) {
  switch (dry_run) {
    case migrate::report::DryRun::kNone:
      return "";
    case migrate::report::DryRun::kClient:
      return " (dry run)";
    case migrate::report::DryRun::kServer:
      return " (server dry run)";
  }
  return "";
}

std::string ErrorText(const std::string& what) {
  for (const std::string_view start : {"Error from server", "The connection to the server ",
                                       "Unable to connect to the server: "}) {
    if (what.starts_with(start)) return what;
  }
  return "error: " + what;
}

std::string FileArgument(const std::string& source) {
  return source == "<stdin>" ? "FILE" : Printable(source);
}

std::string ShellWord(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) c == '\'' ? word += "'\\''" : word += c;
  return word + "'";
}

bool IsQuiet(const migrate::report::CrdReport& crd) {
  return crd.verdict == migrate::report::Verdict::kPruning && !crd.migration_needed &&
         crd.problems.empty() && crd.admission_problems.empty() && !crd.storage_migration &&
         crd.maybe_in_etcd.empty() && crd.object_errors.empty() && crd.objects_losing_fields == 0 &&
         !crd.MakesInvalid() && !BreaksObjects(crd);
}

}  // namespace plugin::terminal
