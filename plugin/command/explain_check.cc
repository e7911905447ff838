#include "plugin/command/explain_check.h"

#include <algorithm>

#include "kube/base/clock.h"
#include "migrate/check/rule_explaining.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/report/report_forms.h"
#include "plugin/report/rule_explanation_json.h"
#include "plugin/report/rule_explanation_text.h"
#include "plugin/terminal/output.h"

namespace plugin::command {
namespace {

using kube::crd::RuleExplanation;
using migrate::check::ExplainOptions;
using migrate::check::ObjectExplanation;
using terminal::OutputFormat;

/// Takes "NAMESPACE/NAME" or "NAME" apart.
void ReadObject(const cli::FlagSet& flags, const std::string& text, ExplainOptions& explain) {
  const std::size_t slash = text.find('/');
  if (slash != text.npos) explain.namespace_ = text.substr(0, slash);
  explain.object_name = slash == text.npos ? text : text.substr(slash + 1);
  const bool is_whole = !explain.object_name.empty() && slash != 0 &&
                        explain.object_name.find('/') == std::string::npos;
  if (!is_whole) flags.Invalid("--object", text, "must be NAME or NAMESPACE/NAME");
}

void RequireAlone(const cli::FlagSet& flags, const CheckOptions& options) {
  const migrate::check::CheckOptions& check = options.check;
  const auto refuse = [&flags](bool is_given, std::string_view name) {
    flags.RefuseBoth(true, "--explain", is_given, name);
  };
  refuse(!options.fleet.contexts.empty(), "--contexts");
  refuse(options.print_transitional, "--print-transitional");
  refuse(!options.guard_reports.empty(), "--guard-report");
  refuse(check.skip_objects, "--skip-objects");
  refuse(check.all_objects, "--all-objects");
  refuse(check.show_objects, "--show-objects");
  refuse(check.opened.has_value(), "--expand");
  refuse(!check.ignored_crds.empty(), "--ignore");
  refuse(!check.crd_selector.empty(), "--crd-selector");
  refuse(check.objects.has_selectors(), "a selector");
}

void RequireOutput(const cli::FlagSet& flags, OutputFormat output) {
  constexpr OutputFormat kFormats[] = {OutputFormat::kTable, OutputFormat::kWide,
                                       OutputFormat::kJson, OutputFormat::kYaml,
                                       OutputFormat::kTemplate};
  if (std::ranges::find(kFormats, output) != std::end(kFormats)) return;
  flags.Refuse("--explain prints a table, json, yaml or a template of jsonpath");
}

/// What the other flags of check say goes to `explain`.
void FinishExplain(const cli::FlagSet& flags, CheckOptions& options) {
  ExplainOptions& explain = options.explain;
  if (!Explains(options)) {
    if (flags.IsGiven("explain"))
      flags.Refuse("--explain needs the place of a rule, as '.spec[0]'");
    if (!explain.object_name.empty()) flags.Refuse("--object needs a rule by --explain");
    if (!explain.version.empty()) flags.Refuse("--version needs a rule by --explain");
    return;
  }
  if (explain.object_name.empty()) {
    flags.Refuse("--explain needs an object by --object, as NAMESPACE/NAME or NAME");
  }
  RequireAlone(flags, options);
  RequireOutput(flags, options.output);
  const migrate::check::CheckOptions& check = options.check;
  if (check.crd_names.size() > 1 || (check.crd_names.empty() && check.filenames.empty())) {
    flags.Refuse("--explain needs one CRD");
  }
  const std::string& chosen = check.objects.namespace_;
  if (!chosen.empty() && !explain.namespace_.empty() && chosen != explain.namespace_) {
    flags.Refuse("--object names the namespace " + explain.namespace_ + ", and --namespace is " +
                 chosen);
  }
  if (explain.namespace_.empty()) explain.namespace_ = chosen;
  if (!check.crd_names.empty()) explain.crd_name = check.crd_names.front();
  explain.filenames = check.filenames;
  explain.recursive = check.recursive;
  explain.release = check.release;
}

ObjectExplanation ExplainLive(const CheckOptions& options) {
  const kube::base::SystemClock clock;
  ClusterAccess cluster(options.common, ClusterAccess::Right::kRead, clock,
                        [](const std::string& line) { terminal::WriteStderr(line + "\n"); });
  CatchStopSignals();
  ObjectExplanation explanation =
      migrate::check::ExplainInCluster(options.explain, cluster.session());
  explanation.run = cluster.FactsAt(TimeOfDay());
  return explanation;
}

ObjectExplanation ExplainLocal(const CheckOptions& options) {
  ObjectExplanation explanation = migrate::check::ExplainInFiles(options.explain);
  explanation.run = LocalFactsAt(TimeOfDay());
  return explanation;
}

bool IsFinding(const RuleExplanation& rule, const report::FailOn& fail_on) {
  return rule.compile_error.empty() ? fail_on.invalid && !rule.holds() : fail_on.blocked;
}

}  // namespace

bool Explains(const CheckOptions& options) { return !options.explain.rule_path.empty(); }

void AddExplainFlags(cli::FlagSet& flags, CheckOptions& options) {
  ExplainOptions& explain = options.explain;
  flags.String("explain", explain.rule_path, R"(
        Instead of a report, evaluate a rule of x-kubernetes-validations on an object, and show each
        step. Give the rule's path as the API server's errors have it, or its field and index, e.g.
        '.spec[0]'. A field without an index, e.g. '.spec.items[*]', means all of its rules.)");
  const auto read = [&flags, &explain](const std::string& text) {
    ReadObject(flags, text, explain);
  };
  flags.Text("object", "", read, R"(
        With --explain, the object, as NAMESPACE/NAME or NAME.)");
  flags.String("version", explain.version, R"(
        With --explain, read the object by the schema of this version. Empty: the version in the
        path given to --explain, if any, else the storage version.)");
  flags.Check([&flags, &options] { FinishExplain(flags, options); });
}

int RunExplain(const CheckOptions& options) {
  const ObjectExplanation explanation =
      options.local ? ExplainLocal(options) : ExplainLive(options);
  if (const int stopped = StopExitCode(); stopped != 0) return stopped;
  const report::ReportForms forms = {
      .json = [&](kube::json::Arena& arena) { return report::ToJson(explanation, arena); },
      .page = {},
      .names = {},
      .table = [&] { return report::PrintExplanation(explanation); }};
  terminal::WriteStdout(report::PrintForm(forms, options.output, options.output_template));
  const bool has_finding = std::ranges::any_of(
      explanation.rules,
      [&options](const RuleExplanation& rule) { return IsFinding(rule, options.fail_on); });
  return has_finding ? 1 : 0;
}

}  // namespace plugin::command
