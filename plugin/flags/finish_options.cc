#include "plugin/flags/finish_options.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "kube/client/field_selector.h"
#include "kube/client/label_selector.h"
#include "kube/go/go_duration.h"
#include "kube/go/go_format.h"
#include "kube/meta/field_errors.h"
#include "kube/meta/names.h"
#include "plugin/flags/output_format.h"
#include "plugin/flags/usage_error.h"

namespace plugin::flags {
namespace {

using kube::go::GoQuote;

UsageError InvalidFailOn(const std::string& word) {
  return UsageError("check", "invalid --fail-on value (" + word +
                                 "), must be \"blocked\", \"loses-fields\", "
                                 "\"migration-needed\" or \"none\"");
}

FailOn ParseFailOn(const std::vector<std::string>& words) {
  FailOn result{.blocked = false, .loses_fields = false, .migration_needed = false};
  for (const std::string& word : words) {
    if (word == "blocked") {
      result.blocked = true;
    } else if (word == "loses-fields") {
      result.loses_fields = true;
    } else if (word == "migration-needed") {
      result.migration_needed = true;
    } else if (word != "none") {
      throw InvalidFailOn(word);
    } else if (words.size() > 1) {
      throw UsageError("check", "--fail-on=none cannot be combined with other values");
    }
  }
  return result;
}

void RequireFiles(std::string_view command, const InputOptions& input, const RawValues& raw) {
  if (raw.has_filename && input.filenames.empty()) {
    throw UsageError(command, "-f must name a file or folder, or be - for the standard input");
  }
  if (!input.local || !input.filenames.empty()) return;
  throw UsageError(command,
                   "--local contacts no server, so CRDs and objects must be given with -f FILE");
}

void RefuseBoth(std::string_view command, bool a, std::string_view a_name, bool b,
                std::string_view b_name) {
  if (!a || !b) return;
  throw UsageError(command, std::string(a_name).append(" and ").append(b_name) +
                                " cannot be specified together");
}

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

void ValidateLabelSelector(std::string_view command, std::string_view flag,
                           const std::string& selector) {
  const auto problem = kube::client::LabelSelectorProblem(selector);
  if (problem) throw InvalidArgument(command, flag, selector, *problem);
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
                                kube::meta::Join(problems, " ") + "]");
}

// -A goes before -n, and no page is asked for by a size below 1, as in kubectl.
void Finish(std::string_view command, ObjectOptions& options,
            const kube::config::ConnectionFlags& connection, const RawValues& raw) {
  ValidateLabelSelector(command, "-l, --selector", options.selector);
  ValidateFieldSelector(command, "--field-selector", options.field_selector);
  if (!raw.all_namespaces) options.namespace_ = connection.namespace_;
  ValidateNamespace(command, options.namespace_);
  options.chunk_size = std::max<std::int64_t>(options.chunk_size, 0);
  options.chunk_size_is_given = raw.has_chunk_size;
}

// In files there is nothing to choose among: all their objects count.
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
}  // namespace

void Finish(std::string_view command, CommonOptions& options, const RawValues& raw) {
  kube::config::ConnectionFlags& connection = options.connection;
  RefuseProfile(command, raw.profile);
  const std::string& flush = raw.ignored.log_flush_frequency;
  if (!flush.empty() && !kube::go::ParseGoDuration(flush)) {
    throw InvalidArgument(command, "--log-flush-frequency", flush,
                          "time: invalid duration " + GoQuote(flush));
  }
  if (!raw.request_timeout.empty()) {
    connection.request_timeout = ParseTimeout(command, raw.request_timeout);
  }
  connection.as_user_extra = ParseUserExtra(command, raw.as_user_extra);
}

void Finish(CheckOptions& options, const RawValues& raw) {
  Finish("check", options.objects, options.common.connection, raw);
  ValidateLabelSelector("check", "--crd-selector", options.crd_selector);
  options.output = ParseCheckOutput(raw.output);
  if (options.output == OutputFormat::kTemplate) {
    options.output_template = ParseTemplate("check", raw.output, raw.allow_missing_keys);
  }
  if (raw.has_fail_on && raw.fail_on.empty()) throw InvalidFailOn("");
  if (raw.has_fail_on) options.fail_on = ParseFailOn(raw.fail_on);
  RefuseBoth("check", options.skip_objects, "--skip-objects", options.all_objects, "--all-objects");
  RefuseBoth("check", options.skip_objects, "--skip-objects", options.show_objects,
             "--show-objects");
  RefuseIfLocal("check", options.input, options.objects, options.crd_selector);
  RefuseBoth("check", options.input.local, "--local", options.all_objects, "--all-objects");
  RequireFiles("check", options.input, raw);
}

void Finish(DiffOptions& options, const RawValues& raw) {
  Finish("diff", options.objects, options.common.connection, raw);
  ValidateLabelSelector("diff", "--crd-selector", options.crd_selector);
  const bool names_object = std::ranges::any_of(
      options.targets,
      [](const migrate::inspect::DiffTarget& target) { return !target.object.empty(); });
  if (names_object && !(options.objects.selector + options.objects.field_selector).empty()) {
    throw UsageError("diff",
                     "selectors and the all flag cannot be used when passing resource/name "
                     "arguments");
  }
  RefuseIfLocal("diff", options.input, options.objects, options.crd_selector);
  RequireFiles("diff", options.input, raw);
}

void Finish(MigrateOptions& options, const RawValues& raw) {
  options.output = ParseMigrateOutput(raw.output, options.input.local);
  if (options.output == OutputFormat::kTemplate) {
    options.output_template = ParseTemplate("migrate", raw.output, raw.allow_missing_keys);
  }
  RequireFiles("migrate", options.input, raw);
  Finish("migrate", options.objects, options.common.connection, raw);
  ValidateLabelSelector("migrate", "--crd-selector", options.crd_selector);
  FinishMigrateOptions(options, raw.migrate);
}

void Finish(VersionOptions& options, const RawValues& raw) {
  options.output = ParseVersionOutput(raw.output);
}

void Finish(CompletionOptions&, const RawValues&) {}

}  // namespace plugin::flags
