#include "migrate/check/rule_explaining.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "kube/base/result.h"
#include "kube/schema/rules.h"
#include "migrate/check/object_diff.h"

namespace migrate::check {
namespace {

using kube::base::Error;
using kube::base::Release;
using kube::crd::Crd;

void RequireRules(const std::string& crd, Release release) {
  if (release >= kube::schema::kFirstRuleRelease) return;
  throw Error(crd + ": Kubernetes " + release.ToString() +
              " drops x-kubernetes-validations, and holds no object against rules (" +
              kube::schema::kFirstRuleRelease.ToString() +
              " is the first that does); to see what a later one says, use --local with "
              "a later --server-version");
}

/// The version that a rule path of the server's errors names; empty where it names none.
std::string VersionIn(const std::string& rule_path, const Crd& crd) {
  const auto index = kube::crd::VersionIndexOf(rule_path);
  if (!index) return "";
  if (*index < crd.versions.size()) return crd.versions[*index].name;
  throw Error(crd.name + " has no spec.versions[" + std::to_string(*index) +
              "], which --explain names; it has " + std::to_string(crd.versions.size()) +
              " of them, counted from 0");
}

std::string ChooseVersion(const ExplainOptions& options, const Crd& crd) {
  std::string named = VersionIn(options.rule_path, crd);
  if (!named.empty() && !options.version.empty() && named != options.version) {
    throw Error("--explain names a rule of version " + named + ", and --version is " +
                options.version + "; leave --version off, or name the rule by its field");
  }
  return options.version.empty() ? named : options.version;
}

PruningPreview PreviewOf(const CrdCheck& check, const std::string& version) {
  auto preview = PruningPreview::Make(check, {.version = version});
  if (!preview) throw Error(check.name() + ": " + preview.error());
  return *std::move(preview);
}

}  // namespace

ExplainedCrd::ExplainedCrd(const CrdCheck& check, const ExplainOptions& options, Release release)
    : check_(check), release_(release), crd_(check.ReadManifest()) {
  RequireRules(check.name(), release);
  version_ = PreviewOf(check, ChooseVersion(options, crd_)).version();
  const std::string named = check.name() + ", version " + version_ + ": ";
  const auto& versions = check.facts().report.versions;
  const auto facts = std::ranges::find(versions, version_, &report::VersionReport::name);
  if (facts == versions.end() || !facts->structural) {
    throw Error(named + "its schema is not structural, so no server asks its rules; " +
                report::CheckCommand(check.name(), check.facts().report.source) + " tells why");
  }
  const kube::crd::CrdVersion* version = crd_.FindVersion(version_);
  schema_ = version == nullptr ? nullptr : version->schema.get();
  if (schema_ == nullptr) throw Error(named + "it has no schema, so it has no rules");
  auto rules = kube::crd::ChooseRules(kube::crd::FindRules(*schema_), options.rule_path);
  if (!rules) throw Error(named + rules.error());
  rules_ = *std::move(rules);
}

ObjectExplanation ExplainedCrd::Explain(kube::json::Value& object) const {
  kube::json::Arena arena;
  const std::string name = FullName(object);
  const PruningPreview preview = PreviewOf(check_, version_);
  const auto read = preview.Preview(object, arena);
  if (!read) throw Error(LeftOutError(check_, name, read.error()));
  ObjectExplanation explanation{.crd = check_.name(),
                                .source = check_.source(),
                                .version = version_,
                                .namespace_ = std::string(read->namespace_),
                                .name = std::string(read->name),
                                .release = release_.ToString()};
  const kube::crd::RuleExplainer explainer(*schema_, release_);
  for (const kube::crd::RulePlace& rule : rules_) {
    explanation.rules.push_back(explainer.Explain(rule, read->after));
  }
  return explanation;
}

}  // namespace migrate::check
