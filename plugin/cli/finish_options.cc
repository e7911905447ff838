#include "plugin/cli/finish_options.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "kube/base/text.h"
#include "kube/client/label_selector.h"
#include "kube/go/go_duration.h"
#include "kube/go/go_format.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"
#include "plugin/cli/usage_error.h"

namespace plugin::cli {
namespace {

using kube::go::GoQuote;

std::chrono::nanoseconds ParseTimeout(std::string_view command, const std::string& text) {
  const auto timeout = kube::go::ParseRequestTimeout(text);
  if (timeout) return *timeout;
  throw UsageError(command,
                   "Invalid timeout value. Timeout must be a single integer in seconds, or an "
                   "integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)");
}

// "key=value" each; a key may have several values.
std::map<std::string, std::vector<std::string>> ParseUserExtra(
    std::string_view command, const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<std::string>> extra;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw InvalidArgument(command, "--as-user-extra", text, "must be of the form key=value");
    }
    extra[text.substr(0, equals)].push_back(text.substr(equals + 1));
  }
  return extra;
}

// A profile of kubectl is one of Go's runtime: there is none here, and who asks for one should
// know.
void RefuseProfile(std::string_view command, const std::string& name) {
  if (name == "none") return;
  for (const char* known : {"cpu", "heap", "goroutine", "threadcreate", "block", "mutex"}) {
    if (name == known) {
      throw UsageError(command, "--profile=" + name +
                                    " asks for a profile of Go's runtime, which " +
                                    "this program does not have; leave --profile out");
    }
  }
  throw UsageError(command, "unknown profile '" + name + "'");
}

void ValidateFieldSelector(std::string_view command, std::string_view flag,
                           const std::string& selector) {
  const auto problem = kube::client::FieldSelectorProblem(selector);
  if (problem) throw InvalidArgument(command, flag, selector, *problem);
}

// What client-go takes as a segment of a path (rest.Request.Namespace); whether a namespace can
// have the name is for the server to say.
void ValidateNamespace(std::string_view command, const std::string& name) {
  const auto problems = kube::meta::PathSegmentProblems(name, /*is_prefix=*/false);
  if (problems.empty()) return;
  throw UsageError(command, "invalid namespace " + GoQuote(name) + ": [" +
                                kube::base::Join(problems, " ") + "]");
}

}  // namespace

void Finish(std::string_view command, CommonOptions& options, const RawValues& raw) {
  kube::client::ConnectionFlags& connection = options.connection;
  RefuseProfile(command, raw.profile);
  const std::string& flush = raw.ignored.log_flush_frequency;
  if (!flush.empty() && !kube::go::ParseGoDuration(flush)) {
    throw InvalidArgument(command, "--log-flush-frequency", flush,
                          "time: invalid duration " + GoQuote(flush));
  }
  if (!raw.request_timeout.empty()) {
    connection.request_timeout = ParseTimeout(command, raw.request_timeout);
  }
  if (!raw.patience.empty()) options.patience = ParseDuration(command, "--patience", raw.patience);
  connection.as_user_extra = ParseUserExtra(command, raw.as_user_extra);
}

void RequireFiles(std::string_view command, const InputOptions& input, const FlagSet& flags) {
  if (flags.IsGiven("filename") && input.filenames.empty()) {
    throw UsageError(command, "-f must name a file or folder, or be - for the standard input");
  }
  if (!input.local || !input.filenames.empty()) return;
  throw UsageError(command,
                   "--local contacts no server, so CRDs and objects must be given with -f FILE");
}

std::chrono::nanoseconds ParseDuration(std::string_view command, std::string_view flag,
                                       const std::string& text) {
  const auto duration = kube::go::ParseGoDuration(text);
  if (!duration) {
    throw InvalidArgument(command, flag, text, "time: invalid duration " + GoQuote(text));
  }
  if (*duration >= std::chrono::nanoseconds::zero()) return *duration;
  throw InvalidArgument(command, flag, text, "must not be less than 0");
}

void RefuseBoth(std::string_view command, bool a, std::string_view a_name, bool b,
                std::string_view b_name) {
  if (!a || !b) return;
  throw UsageError(command, std::string(a_name).append(" and ").append(b_name) +
                                " cannot be specified together");
}

void ValidateLabelSelector(std::string_view command, std::string_view flag,
                           const std::string& selector) {
  const auto problem = kube::client::LabelSelectorProblem(selector);
  if (problem) throw InvalidArgument(command, flag, selector, *problem);
}

void Finish(std::string_view command, ObjectOptions& options,
            const kube::client::ConnectionFlags& connection, const FlagSet& flags,
            const RawValues& raw) {
  ValidateLabelSelector(command, "-l, --selector", options.selector);
  ValidateFieldSelector(command, "--field-selector", options.field_selector);
  if (!raw.all_namespaces) options.namespace_ = connection.namespace_;
  ValidateNamespace(command, options.namespace_);
  options.chunk_size = std::max<std::int64_t>(options.chunk_size, 0);
  options.chunk_size_is_given = flags.IsGiven("chunk-size");
}

void RefuseIfLocal(std::string_view command, const InputOptions& input,
                   const ObjectOptions& objects, const std::string& crd_selector) {
  const auto refuse = [&](const std::string& value, std::string_view name) {
    RefuseBoth(command, input.local, "--local", !value.empty(), name);
  };
  refuse(objects.namespace_, "--namespace");
  refuse(objects.selector, "--selector");
  refuse(objects.field_selector, "--field-selector");
  refuse(crd_selector, "--crd-selector");
}

}  // namespace plugin::cli
