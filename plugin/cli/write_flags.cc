#include "plugin/cli/write_flags.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "kube/base/text.h"
#include "kube/client/connection.h"
#include "kube/go/go_duration.h"
#include "kube/go/go_format.h"
#include "kube/meta/names.h"
#include "plugin/cli/usage_error.h"

namespace plugin::cli {
namespace {

using migrate::report::DryRun;

struct DryRunForm {
  DryRun strategy;
  std::string replacement;  // of a deprecated form
};

// cmdutil.GetDryRunStrategy
std::optional<DryRunForm> FindDryRunForm(const std::string& value) {
  if (value == "none") return DryRunForm{DryRun::kNone, ""};
  if (value == "client") return DryRunForm{DryRun::kClient, ""};
  if (value == "server") return DryRunForm{DryRun::kServer, ""};
  if (value == kBareDryRun) return DryRunForm{DryRun::kClient, "client"};
  for (const char* yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (value == yes) return DryRunForm{DryRun::kClient, "client"};
  }
  for (const char* no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (value == no) return DryRunForm{DryRun::kNone, "none"};
  }
  return std::nullopt;
}

}  // namespace

DryRunChoice ParseDryRun(std::string_view command, const std::string& value) {
  const std::optional<DryRunForm> form = FindDryRunForm(value);
  if (!form) {
    throw UsageError(command, "Invalid dry-run value (" + value +
                                  R"(). Must be "none", "server", or "client".)");
  }
  DryRunChoice choice{.strategy = form->strategy, .warning = ""};
  if (form->replacement.empty()) return choice;
  const bool is_bare = value == kBareDryRun;
  choice.warning =
      is_bare ? "--dry-run is deprecated" : "--dry-run=" + value + " is deprecated (boolean value)";
  choice.warning += " and can be replaced with --dry-run=" + form->replacement + ".";
  return choice;
}

double ParseMaxRate(std::string_view command, const std::string& value) {
  double rate = 0;
  if (value.empty()) return rate;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, rate);
  if (error == std::errc() && rest == end && std::isfinite(rate) && rate >= 0) return rate;
  throw InvalidArgument(command, "--max-rate", value,
                        "must be a number of objects a second, 0 for no limit");
}

// Zero is not to wait at all.
void FinishLeaseFlags(std::string_view command, const std::string& lease_namespace,
                      const std::string& value, std::chrono::nanoseconds& timeout) {
  const auto problems = kube::meta::Dns1123LabelProblems(lease_namespace);
  if (!problems.empty()) {
    throw InvalidArgument(command, "--lease-namespace", lease_namespace,
                          kube::base::Join(problems, " "));
  }
  if (value.empty()) return;
  const std::string flag = "--lease-timeout";
  const auto read = kube::go::ParseGoDuration(value);
  if (!read) {
    throw InvalidArgument(command, flag, value,
                          "time: invalid duration " + kube::go::GoQuote(value));
  }
  if (*read < std::chrono::nanoseconds::zero()) {
    throw InvalidArgument(command, flag, value, "must not be less than 0");
  }
  timeout = *read;
}

void RequireConcurrency(std::string_view command, std::optional<int> concurrency) {
  if (!concurrency || *concurrency >= 1) return;
  throw InvalidArgument(command, "--concurrency", std::to_string(*concurrency),
                        "must be at least 1");
}

void RequireConnections(std::string_view command, int connections) {
  constexpr int kMost = kube::client::kMostConnections;
  if (connections >= 1 && connections <= kMost) return;
  throw InvalidArgument(command, "--connections", std::to_string(connections),
                        "must be between 1 and " + std::to_string(kMost));
}

}  // namespace plugin::cli
