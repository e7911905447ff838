#include "migrate/check/object_diff.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/go/go_format.h"
#include "kube/schema/defaulting.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

using kube::json::Arena;
using kube::json::Value;

// As many as a person reads.
constexpr std::size_t kRefusalsTold = 20;
// A schema has hardly more reasons, if messages do not name what each object has.
constexpr std::size_t kRefusalsKept = 1000;

std::string VersionNames(const report::CrdReport& report) {
  std::string names;
  for (const report::VersionReport& version : report.versions) {
    names.append(names.empty() ? "" : ", ").append(version.name);
  }
  return names;
}

// Of which the server makes a schema to prune by.
std::vector<std::string> UsableVersions(const CrdFacts& facts) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < facts.versions.size(); ++i) {
    if (facts.versions[i].is_convertible) names.push_back(facts.report.versions[i].name);
  }
  return names;
}

std::string Unusable(const report::CrdReport& crd, const std::string& version,
                     const std::vector<std::string>& usable) {
  std::string why = "nothing can be pruned by the schema of " + version + "; " +
                    report::CheckCommand(crd.name, crd.source) + " tells why";
  if (usable.empty()) return why;
  return why + ", and --version shows what another schema removes (" +
         kube::base::Join(usable, ", ") + ")";
}

}  // namespace

kube::base::Result<PruningPreview, std::string> PruningPreview::Make(
    const CrdCheck& check, const PreviewOptions& options) {
  const report::CrdReport& report = check.facts().report;
  const std::string& name = options.version.empty() ? report.storage_version : options.version;
  const auto version = std::ranges::find(report.versions, name, &report::VersionReport::name);
  if (version == report.versions.end()) {
    return kube::base::Unexpected("there is no version " + kube::go::GoQuote(name) +
                                  "; there is: " + VersionNames(report));
  }
  const std::vector<std::string> usable = UsableVersions(check.facts());
  if (std::ranges::find(usable, name) == usable.end()) {
    return kube::base::Unexpected(Unusable(report, name, usable));
  }
  return PruningPreview(check, options, usable.size() == report.versions.size());
}

PruningPreview::PruningPreview(const CrdCheck& check, const PreviewOptions& options,
                               bool is_servable)
    : check_(&check),
      version_(options.version.empty() ? check.facts().report.storage_version : options.version),
      api_version_(check.group() + "/" + version_),
      is_storage_version_(version_ == check.facts().report.storage_version),
      is_servable_(is_servable),
      show_managed_fields_(options.show_managed_fields),
      mutation_(options.mutation) {
  if (!options.foretells_refusals) return;
  schemas_ =
      std::make_shared<const ObjectSchemas>(check.ReadManifest(), check.server_rules(), version_);
}

std::optional<std::string> PruningPreview::Prune(Value& object, Arena& arena) const {
  const kube::crd::CustomResourceServer& server = check_->server();
  if (!is_servable_) {
    if (kube::schema::ReadBySchema(object, server.FindSchema(version_), arena)) return std::nullopt;
    return "the defaults of version " + version_ + " would make it too large";
  }
  if (is_storage_version_) return server.Rewrite(object, arena);
  auto error = server.OnRead(object, version_, arena);
  return error ? error : server.OnRequest(object, version_, arena);
}

kube::base::Result<ObjectChange, std::string> PruningPreview::Preview(Value& object,
                                                                      Arena& arena) const {
  if (auto error = kube::json::StoreNumbers(object, arena)) {
    return kube::base::Unexpected(*std::move(error));
  }
  const kube::crd::CustomResourceServer& server = check_->server();
  if (auto error = server.WebhookError(object, version_))
    return kube::base::Unexpected(*std::move(error));
  object.Set("apiVersion", Value::String(api_version_), arena);
  Value* metadata = object.Find("metadata");
  if (metadata != nullptr && !show_managed_fields_) metadata->Erase("managedFields");
  Value after = kube::json::DeepCopy(object, arena);
  if (mutation_) {
    auto mutated = mutation_->Apply(object, arena);
    if (!mutated) return kube::base::Unexpected(std::move(mutated).error());
    if (*mutated) after = kube::json::DeepCopy(**mutated, arena);
  }
  const Value* metadata_after = after.Find("metadata");
  const Value kept = metadata_after == nullptr ? Value() : *metadata_after;
  if (auto error = Prune(after, arena)) return kube::base::Unexpected(*std::move(error));
  // The server puts it in order whether it prunes or not: no news of an object in a file.
  if (metadata_after != nullptr) after.Set("metadata", kept, arena);
  return ObjectChange{.group = check_->group(),
                      .version = version_,
                      .kind = check_->kind(),
                      .namespace_ = cluster::MetadataText(object, "namespace"),
                      .name = cluster::MetadataText(object, "name"),
                      .now = object,
                      .after = after,
                      .differs = !kube::json::Equal(object, after)};
}

// In the place of what the server shows then of an object that no mutation has changed.
std::string PruningPreview::Refusal(const ObjectChange& change,
                                    kube::schema::PatternChecks& patterns) const {
  if (schemas_ == nullptr) return "";
  if (!mutation_) return schemas_->Refusal(change.after, &change.after, version_, patterns);
  Arena arena;
  Value old = kube::json::DeepCopy(change.now, arena);
  if (Prune(old, arena)) return "";
  return schemas_->Refusal(change.after, &old, version_, patterns);
}

void RefusedObjects::Add(std::uint64_t number, const std::string& object,
                         const std::string& refusal) {
  if (refusal.empty()) return;
  const std::lock_guard lock(mutex_);
  if (alike_.size() == kRefusalsKept && !alike_.contains(refusal)) {
    ++others_;
    return;
  }
  Alike& alike = alike_[refusal];
  if (alike.count == 0 || number < alike.number) {
    alike.number = number;
    alike.object = object;
  }
  ++alike.count;
}

std::vector<std::string> RefusedObjects::Notes(const std::string& crd) const {
  std::vector<std::pair<const std::string*, const Alike*>> lines;
  for (const auto& [refusal, alike] : alike_) lines.emplace_back(&refusal, &alike);
  std::ranges::sort(lines, {}, [](const auto& line) { return line.second->number; });
  std::vector<std::string> notes;
  std::uint64_t others = others_;
  for (const auto& [refusal, alike] : lines) {
    if (notes.size() == kRefusalsTold) {
      others += alike->count;
      continue;
    }
    const std::string more =
        alike->count == 1 ? "" : " and " + kube::base::Count(alike->count - 1, "more object");
    notes.push_back(crd + ": once it is pruned, the API server would refuse the next write of " +
                    alike->object + more + ": " + *refusal);
  }
  if (others > 0) {
    notes.push_back(crd + ": for other reasons that of " +
                    kube::base::Count(others, "more object") + ", which \"check\" counts");
  }
  return notes;
}

std::vector<std::string> CrdNamesOf(const std::vector<DiffTarget>& targets) {
  std::set<std::string> names;
  for (const DiffTarget& target : targets) names.insert(target.crd);
  return {names.begin(), names.end()};
}

std::set<std::string> ObjectNamesOf(const CrdIdentity& crd,
                                    const std::vector<DiffTarget>& targets) {
  std::set<std::string> names;
  for (const DiffTarget& target : targets) {
    if (!IsNamed(crd, target.crd)) continue;
    if (target.object.empty()) return {};
    names.insert(target.object);
  }
  return names;
}

std::string RefusalNote(const CrdCheck& check) {
  const report::CrdReport& report = check.facts().report;
  if (report.verdict != report::Verdict::kBlocked) return "";
  return check.name() + ": the API server would refuse it with pruning on; " +
         report::CheckCommand(check.name(), report.source) + " tells why";
}

std::string GivenTwiceNote(const std::string& crd) {
  return crd + " was given more than once; the last one counts";
}

std::string LeftOutError(const CrdCheck& check, const std::string& object, const std::string& why) {
  return check.name() + ": left out " + object + ": " + why;
}

}  // namespace migrate::check
