// The op on objects of real CRDs with rules: validate-cel.
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "kube/crd/crd_validation.h"
#include "kube/schema/object_validation.h"
#include "kube/yaml/yaml.h"
#include "tests/support/corpus.h"
#include "tests/vectors/ops.h"

namespace vectors {
namespace {

std::filesystem::path& Corpus() {
  static std::filesystem::path folder = test_support::CorpusFolder() / "modern";
  return folder;
}

/// A version of a CRD, with all that its objects are held against.
struct Version {
  kube::json::Document document;
  kube::json::Arena arena;
  std::optional<kube::schema::SchemaProps> props;
  std::optional<kube::schema::StructuralSchema> structural;
  std::unique_ptr<kube::schema::RuleValidator> rules;
};

const kube::json::Value& SchemaOf(const kube::json::Value& crd, std::string_view version) {
  for (const kube::json::Value& candidate : Get(Get(crd, "spec"), "versions").elements()) {
    if (candidate.FindText("name") == version) {
      return Get(Get(candidate, "schema"), "openAPIV3Schema");
    }
  }
  throw BadVector("no version " + std::string(version));
}

std::unique_ptr<Version> MakeVersion(std::unique_ptr<Version> version, const std::string& name,
                                     const kube::json::Value& schema) {
  auto props = kube::schema::ReadSchemaProps(schema);
  if (!props) throw BadVector(name + ": " + props.error());
  version->props = *std::move(props);
  version->structural = kube::schema::MakeStructural(*version->props, version->arena);
  version->rules = kube::schema::RuleValidator::Make(*version->props, true);
  return version;
}

std::unique_ptr<Version> ReadVersion(const std::string& path, std::string_view name) {
  if (!std::filesystem::is_directory(Corpus())) {
    throw BadVector("skipped: no corpus at " + Corpus().string());
  }
  std::ifstream file(Corpus() / path);
  std::stringstream text;
  text << file.rdbuf();
  auto version = std::make_unique<Version>();
  if (!file || kube::yaml::Parse(text.str(), 1, version->document)) {
    throw BadVector("cannot read " + path);
  }
  const kube::json::Value& schema = SchemaOf(version->document.root(), name);
  return MakeVersion(std::move(version), path, schema);
}

/// The line of a vector is gone while the version is still asked.
std::unique_ptr<Version> ParseSchema(const std::string& text) {
  auto version = std::make_unique<Version>();
  if (version->document.Parse(text)) throw BadVector("cannot read the schema");
  const kube::json::Value& schema = version->document.root();
  return MakeVersion(std::move(version), "schema", schema);
}

/// Read once: the lines of a CRD stand side by side. A line may have the schema itself.
const Version& VersionOf(const kube::json::Value& input) {
  static std::map<std::string, std::unique_ptr<Version>> versions;
  if (const kube::json::Value* schema = input.Find("schema")) {
    const std::string text = kube::json::Print(*schema);
    auto& version = versions[text];
    if (version == nullptr) version = ParseSchema(text);
    return *version;
  }
  const std::string path(GetText(input, "crd"));
  const std::string name(GetText(input, "version"));
  auto& version = versions[path + " " + name];
  if (version == nullptr) version = ReadVersion(path, name);
  return *version;
}

void Compare(const kube::json::Value& expected, std::string_view what,
             const kube::schema::ObjectOutcome& outcome, Mismatches& mismatches) {
  if (expected.Find(what) == nullptr) return;  // depends on the order of a map
  mismatches.CompareStrings(what, FindStrings(expected, what),
                            kube::meta::SortedStrings(outcome.errors));
  const kube::json::Value* costs = expected.Find("cost");
  if (costs == nullptr) return;
  const kube::json::Value* cost = costs->Find(what);
  const std::string wanted = cost == nullptr ? "none" : std::string(cost->text());
  const std::string got = outcome.rule_cost ? std::to_string(*outcome.rule_cost) : "none";
  if (wanted != got) mismatches.Add("cost of " + std::string(what), wanted, got);
}

}  // namespace

void SetCorpus(const std::string& folder) { Corpus() = folder; }

void ReplayValidateCel(const Vector& vector, Mismatches& mismatches) {
  using kube::schema::CheckUpdate;
  using kube::schema::Ratcheting;
  const Version& version = VersionOf(vector.input);
  const kube::json::Value& object = Get(vector.input, "object");
  const kube::json::Value* old = vector.input.Find("old");
  const kube::schema::ObjectRules rules{*version.props, *version.structural, version.rules.get()};
  kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
  Compare(vector.expected, "create", kube::schema::CheckCreate(object, rules, patterns),
          mismatches);
  if (old == nullptr) return;
  Compare(vector.expected, "update", CheckUpdate(object, *old, rules, Ratcheting::kNone, patterns),
          mismatches);
  Compare(vector.expected, "updateRatcheting",
          CheckUpdate(object, *old, rules, Ratcheting::kUnchangedValues, patterns), mismatches);
}

}  // namespace vectors
