#include "migrate/check/crd_check.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <tuple>

#include "kube/base/text.h"
#include "kube/crd/crd_validation.h"
#include "kube/meta/names.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/coercion.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/object_validation.h"
#include "kube/schema/pruning.h"
#include "kube/schema/schema_props.h"
#include "migrate/check/hints.h"
#include "migrate/check/managed_fields.h"
#include "migrate/check/version_validity.h"
#include "migrate/check/weighed_changes.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::schema::StructuralSchema;
using kube::schema::UnknownField;

constexpr std::string_view kValidityUnknown =
    "not every object could be held against the patterns of its schema (or only in minutes): some "
    "may be invalid once they are pruned";

// Counts the unknown fields of one object.
class TallySink : public kube::schema::UnknownFieldSink {
 public:
  TallySink(const Value& object, const report::CountedObject& counted, report::FieldTally& tally,
            const std::optional<kube::meta::FieldChoice>& opened, std::vector<std::string>* paths,
            std::map<std::string, std::string>* quoted)
      : owners_(object),
        counted_(counted),
        tally_(tally),
        opened_(opened),
        paths_(paths),
        quoted_(quoted) {}

  void OnUnknownField(const UnknownField& field) override {
    if (opened_) {
      OpenField(field, *opened_, [this](const UnknownField& leaf) { Count(leaf); });
    } else {
      Count(field);
    }
    if (paths_ != nullptr) Keep(field);
    found_ = true;
  }
  std::uint64_t paths_left_out() const { return paths_left_out_; }
  bool found() const { return found_; }

 private:
  void Count(const UnknownField& field) {
    const FieldOwners owners = owners_.Find(field.elements);
    tally_.Add(field.folded_path, counted_, report::FieldTypeOf(field.value), owners.managers,
               owners.last_written);
  }

  // The paths of one object can take far more memory than the object.
  void Keep(const UnknownField& field) {
    constexpr std::size_t kMostPathBytes = std::size_t{1} << 20;
    std::string path = field.Path();
    if (paths_left_out_ == 0 && path.size() <= kMostPathBytes - path_bytes_) {
      path_bytes_ += path.size();
      std::string quoted = field.QuotedPath();
      if (quoted != path) quoted_->emplace(path, std::move(quoted));
      paths_->push_back(std::move(path));
    } else {
      ++paths_left_out_;
    }
  }

  OwnerFinder owners_;
  const report::CountedObject& counted_;
  report::FieldTally& tally_;
  const std::optional<kube::meta::FieldChoice>& opened_;
  std::vector<std::string>* paths_;
  std::map<std::string, std::string>* quoted_;
  std::size_t path_bytes_ = 0;
  std::uint64_t paths_left_out_ = 0;
  bool found_ = false;
};

bool HasDefaults(const StructuralSchema* schema) {
  return schema != nullptr && (schema->default_value || schema->may_have_defaults_below);
}

bool HasRules(const kube::schema::SchemaProps& schema) {
  return kube::schema::AnySchema(
      schema, [](const kube::schema::SchemaProps& any) { return any.HasRules(); });
}

}  // namespace

std::string FullName(const Value& object) {
  const std::string_view name = cluster::MetadataText(object, "name");
  return kube::meta::NamespacedName(cluster::MetadataText(object, "namespace"),
                                    name.empty() ? "<none>" : name);
}

CrdTally::VersionTally& CrdTally::Version(std::size_t index) {
  if (versions_.size() <= index) versions_.resize(index + 1);
  return versions_[index];
}

kube::schema::PatternChecks& CrdTally::PatternsForObject() {
  if (!patterns_) {
    patterns_ = std::make_unique<kube::schema::PatternChecks>(kube::crd::MakePatternChecks());
  }
  patterns_->Allow(kPatternsOfObject);
  return *patterns_;
}

void CrdTally::Merge(CrdTally&& other) {
  const auto merge = [](VersionTally& into, VersionTally& from) {
    into.objects_losing_fields += from.objects_losing_fields;
    into.pruned_fields.Merge(from.pruned_fields);
    into.added_defaults.Merge(from.added_defaults);
    into.dropped_nulls.Merge(from.dropped_nulls);
    into.invalid_once_pruned.Merge(std::move(from.invalid_once_pruned));
    into.invalid.Merge(from.invalid);
  };
  objects_ += other.objects_;
  objects_losing_fields_ += other.objects_losing_fields_;
  for (std::size_t i = 0; i < other.versions_.size(); ++i) merge(Version(i), other.versions_[i]);
  merge(storage_migration_, other.storage_migration_);
  maybe_in_etcd_.Merge(other.maybe_in_etcd_);
  changes_.Merge(other.changes_);
  stale_.Merge(other.stale_);
  unfit_.Merge(other.unfit_);
  to_clean_ += other.to_clean_;
  std::move(other.paths_.begin(), other.paths_.end(), std::back_inserter(paths_));
  errors_.Merge(std::move(other.errors_));
  observations_.Merge(std::move(other.observations_));
  for (const auto& [path, size] : other.held_) {
    std::int64_t& most = held_[path];
    most = std::max(most, size);
  }
  is_validity_unknown_ |= other.is_validity_unknown_;
}

CrdCheck::CrdCheck(kube::crd::Crd crd, std::string source, const CrdCheckOptions& options)
    : known_(crd),
      keep_paths_(options.keep_paths),
      server_rules_(options.server),
      opened_(options.opened),
      proof_(options.proof) {
  if (options.replaced != nullptr) crd.stored_versions = options.replaced->stored_versions;
  if (options.keep_manifest)
    manifest_ = kube::json::Print(crd.document->root(), kube::json::KeyOrder::kAsWritten);
  facts_ = FindCrdFacts(crd, std::move(source), options);
  KeepCleaner(crd);
  // A webhook may make anything of what was read.
  observes_ = facts_.converts_nothing &&
              std::ranges::any_of(facts_.report.problems, [](const report::Problem& problem) {
                return NeedsObjects(problem.message);
              });
  server_ = std::make_unique<kube::crd::CustomResourceServer>(
      crd, options.as_is && crd.preserve_unknown_fields);
  for (std::size_t i = 0; i < facts_.versions.size(); ++i) {
    const bool is_convertible = facts_.versions[i].is_convertible;
    const std::string& version = facts_.report.versions[i].name;
    versions_.push_back({.name = version,
                         .convertible = is_convertible,
                         .schema = is_convertible ? server_->FindSchema(version) : nullptr,
                         .is_looked_at = facts_.versions[i].is_looked_at});
  }
  KeepValidations(crd, options);
  KeepLive(options);
  if (live_ && options.origin == CrdCheckOptions::Origin::kProposal) {
    changes_ = std::make_unique<const WeighedChanges>(
        WeighedChanges::Crds{*live_, *live_server_, crd, *server_, Release()}, facts_);
    facts_.report.changes = changes_->Report(nullptr, 0);
  }
  if (options.checks_validity) KeepValidities(crd, options);
  const bool has_validity = std::ranges::any_of(
      versions_, [](const Version& version) { return version.validity != nullptr; });
  if (validates_ || has_validity || changes_ != nullptr) crd_ = std::move(crd.document);
}

// By these schemas an object is read in turn. Who reads another version than the stored one gets
// what is left by that one's schema, unless a webhook converts.
std::vector<const StructuralSchema*> CrdCheck::ReadsOf(const kube::crd::Crd& crd,
                                                       const Version& version) const {
  const auto storage = std::ranges::find(versions_, facts_.report.storage_version, &Version::name);
  const auto number = static_cast<std::size_t>(&version - versions_.data());
  const bool is_known = facts_.converts_nothing || facts_.versions[number].is_of_proposal;
  const bool is_pruned_before = crd.conversion.strategy == "None" && is_known &&
                                storage != versions_.end() && &*storage != &version &&
                                storage->convertible;
  if (is_pruned_before) return {storage->schema, version.schema};
  return {version.schema};
}

// As ReadsOf, of the CRD that is replaced.
std::vector<const StructuralSchema*> CrdCheck::LiveReads(
    const kube::crd::CrdVersion& version) const {
  if (live_->preserve_unknown_fields) return {};
  const kube::crd::CrdVersion* storage = live_->StorageVersion();
  std::vector<const StructuralSchema*> reads;
  if (storage != nullptr && storage != &version && live_->conversion.strategy == "None") {
    reads.push_back(live_server_->FindSchema(storage->name));
  }
  reads.push_back(live_server_->FindSchema(version.name));
  return reads;
}

// Nobody writes in a version that is not served, and what a server prunes as it reads loses
// nothing.
void CrdCheck::KeepValidations(const kube::crd::Crd& crd, const CrdCheckOptions& options) {
  if (options.origin == CrdCheckOptions::Origin::kServer && facts_.reads_are_pruned) return;
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    const std::shared_ptr<const kube::schema::SchemaProps>& schema = crd.versions[i].schema;
    Version& version = versions_[i];
    version.is_validated = crd.versions[i].served && version.is_looked_at;
    // Two versions of one name share the first one's schema for pruning; see KeepValidities.
    if (!version.is_validated || schema == nullptr || version.schema == nullptr) continue;
    std::vector<const StructuralSchema*> reads = ReadsOf(crd, version);
    if (reads.size() == 1 && !kube::schema::CanPruningInvalidate(*schema)) continue;
    version.validation = schema;
    version.schemas = std::move(reads);
    validates_ = true;
  }
}

// As if pruning were on; `crd` ends as it was.
void CrdCheck::KeepCleaner(kube::crd::Crd& crd) {
  const kube::crd::CrdVersion* storage = crd.StorageVersion();
  if (storage == nullptr) return;
  using Unfit = cluster::KnownVersions::Unfit;
  if (!cluster::KnownVersions(crd, *storage, Unfit::kDoubtful).HasDoubtful()) return;
  const bool preserves = std::exchange(crd.preserve_unknown_fields, false);
  cleaner_ =
      std::make_unique<const cluster::EntryCleaner>(crd, storage->name, cluster::Cleaning::kAuto);
  crd.preserve_unknown_fields = preserves;
}

void CrdCheck::KeepLive(const CrdCheckOptions& options) {
  if (options.replaced == nullptr) return;
  auto copy = kube::crd::ReadCopiedCrd(options.replaced->document->root());
  if (!copy) return;
  live_ = *std::move(copy);
  live_server_ =
      std::make_unique<kube::crd::CustomResourceServer>(*live_, live_->preserve_unknown_fields);
  if (live_->preserve_unknown_fields || live_->conversion.strategy != "None") return;
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    const kube::crd::CrdVersion* version = live_->FindVersion(versions_[i].name);
    if (!facts_.versions[i].is_of_proposal || version == nullptr || !version->served) continue;
    versions_[i].shows = live_server_->FindSchema(versions_[i].name);
  }
}

// Of what a webhook makes for other versions nothing is known.
void CrdCheck::KeepValidities(const kube::crd::Crd& crd, const CrdCheckOptions& options) {
  const kube::crd::Crd& server_crd = options.replaced == nullptr ? crd : *options.replaced;
  const bool is_of_one_version =
      options.origin != CrdCheckOptions::Origin::kFile && !facts_.converts_nothing;
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    Version& version = versions_[i];
    const kube::crd::CrdVersion& of_crd = crd.versions[i];
    if (!of_crd.served || !version.is_looked_at || version.schema == nullptr) continue;
    // Two versions of one name, as no server takes them, share a schema for pruning.
    if (crd.FindVersion(of_crd.name) != &of_crd) continue;
    if (of_crd.schema == nullptr || !facts_.report.versions[i].structural) continue;
    if (is_of_one_version && version.name != ReadVersion(server_crd) &&
        !facts_.versions[i].is_of_proposal) {
      continue;
    }
    has_rules_ |= HasRules(*of_crd.schema);
    VersionValidity::Schemas schemas{
        .own = {of_crd.schema, version.schema, RuleValidatorOf(*of_crd.schema, server_rules_),
                ReadsOf(crd, version)},
        .api_version = crd.group + "/" + version.name,
        .is_from_etcd = options.origin != CrdCheckOptions::Origin::kFile,
        .is_created = options.creates,
        .drops_status = options.creates && of_crd.has_status_subresource(),
        .server_ratchets = server_rules_.ratchets,
        .is_stored = options.origin == CrdCheckOptions::Origin::kServer,
        .is_proposal = live_.has_value()};
    const auto* live = live_ ? live_->FindVersion(version.name) : nullptr;
    if (live != nullptr && live->schema != nullptr) {
      schemas.live = {live->schema, live_server_->FindSchema(version.name),
                      RuleValidatorOf(*live->schema, server_rules_), LiveReads(*live)};
    }
    version.validity = std::make_unique<const VersionValidity>(std::move(schemas));
  }
}

kube::crd::Crd CrdCheck::ReadManifest() const {
  auto document = std::make_unique<kube::json::Document>();
  const bool is_json = !document->Parse(manifest_);
  auto crd = kube::crd::ReadCrd(std::move(document));
  // It was read before.
  if (!is_json || !crd) throw kube::base::Error("cannot read " + name() + " again");
  return *std::move(crd);
}

void CrdCheck::CheckObject(const CheckedObject& object, CrdTally& tally) const {
  const std::string full_name = FullName(object.value);
  const report::CountedObject counted{object.place, full_name};
  ++tally.objects_;
  tally.bytes_ += object.bytes;
  report::ObjectPaths paths;
  bool loses = false, loses_nulls = false, changes_in_storage = false;
  Look(object.value, tally);
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    const Version& version = versions_[i];
    if (!version.is_looked_at) continue;
    const bool loses_nothing = tally.sights_[i] && tally.sights_[i]->loses_nothing;
    const bool loses_here =
        CheckVersion(version, object, counted, loses_nothing, tally.Version(i), paths);
    const bool loses_nulls_here =
        CountRewrite(version, object, counted, tally.Version(i), tally.errors_);
    loses |= loses_here;
    loses_nulls |= loses_nulls_here;
    if (version.name == facts_.report.storage_version) {
      changes_in_storage = loses_here || loses_nulls_here || HasDefaults(version.schema);
    }
  }
  if (loses) ++tally.objects_losing_fields_;
  if (validates_ && (loses || loses_nulls)) CountInvalid(object, counted, tally);
  CountRefused(object, counted, changes_in_storage, tally, paths);
  if (facts_.foretells_migration) CheckStorageMigration(object, counted, tally.storage_migration_);
  if (changes_ != nullptr) CountChanges(object, tally);
  if (observes_) tally.observations_.Add(object.value);
  if (facts_.cost_remedies != nullptr) facts_.cost_remedies->Measure(object.value, tally.held_);
  CheckReadable(object, counted, tally);
  CountEntries(object, counted, tally);
  if (facts_.reads_are_pruned) CountHidden(object, counted, tally);
  if (!keep_paths_) return;
  paths.namespace_ = cluster::MetadataText(object.value, "namespace");
  paths.name = cluster::MetadataText(object.value, "name");
  paths.source = object.source;
  tally.paths_.push_back(std::move(paths));
}

// What somebody owns and no read shows.
void CrdCheck::CountHidden(const CheckedObject& object, const report::CountedObject& counted,
                           CrdTally& tally) const {
  const bool is_covered = proof_ != nullptr && proof_->covers(object.value);
  if (is_covered && !proof_->may_keep) return;
  const std::string_view api_version =
      server_->converts_by_webhook() ? object.value.FindText("apiVersion") : "";
  for (const LackingField& field : FindLackingFields(object.value, ReadSchema(), api_version)) {
    if (is_covered && !proof_->may_keep(field.path)) continue;
    tally.maybe_in_etcd_.Add(field.path, counted, report::FieldType::kNull, {field.manager}, "");
  }
}

void CrdCheck::CountEntries(const CheckedObject& object, const report::CountedObject& counted,
                            CrdTally& tally) const {
  std::uint64_t entries = tally.stale_.AddStale(object.value, known_, counted);
  if (cleaner_ != nullptr) {
    for (const Value* entry : cleaner_->FindUnfit(object.value)) {
      tally.unfit_.Add(*entry, counted);
      ++entries;
    }
  }
  if (entries > 0) tally.to_clean_ += {1, entries};
}

// That of a version in which objects are read.
const kube::schema::StructuralSchema* CrdCheck::ReadSchema() const {
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    if (versions_[i].is_looked_at && !facts_.versions[i].is_of_proposal) return versions_[i].schema;
  }
  return nullptr;
}

// What a webhook makes of an object for other versions than its own is not known.
void CrdCheck::Look(const Value& object, CrdTally& tally) const {
  const std::string_view own_version =
      server_->converts_by_webhook() ? kube::meta::TypeOf(object).group_version.version : "";
  tally.sights_.assign(versions_.size(), std::nullopt);
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    const Version& version = versions_[i];
    if (version.validity == nullptr) continue;
    if (!own_version.empty() && own_version != version.name) continue;
    tally.sights_[i] = version.validity->Look(object, tally.PatternsForObject());
  }
}

// Whether it loses fields by that version.
bool CrdCheck::CheckVersion(const Version& version, const CheckedObject& object,
                            const report::CountedObject& counted, bool loses_nothing,
                            CrdTally::VersionTally& tally, report::ObjectPaths& paths) const {
  std::vector<std::string>* kept = keep_paths_ ? &paths.pruned_paths[version.name] : nullptr;
  if (loses_nothing) return false;
  TallySink sink(object.value, counted, tally.pruned_fields, opened_, kept, &paths.quoted_paths);
  if (version.shows == nullptr) {
    kube::schema::FindLostFields(object.value, version.schema, sink);
  } else {
    kube::json::Arena arena;
    Value shown = kube::json::CopyForChange(object.value, arena);
    kube::schema::DropLostFields(shown, version.shows, arena);
    kube::schema::FindLostFields(shown, version.schema, sink);
  }
  if (kept != nullptr) std::sort(kept->begin(), kept->end());
  if (sink.paths_left_out() > 0) paths.paths_left_out[version.name] = sink.paths_left_out();
  if (sink.found()) ++tally.objects_losing_fields;
  return sink.found();
}

// What a rewrite adds and drops beside pruning (the order is that of a read from etcd). True if it
// drops nulls.
bool CrdCheck::CountRewrite(const Version& version, const CheckedObject& object,
                            const report::CountedObject& counted, CrdTally::VersionTally& tally,
                            report::FirstTexts& errors) const {
  if (version.schema == nullptr) return false;
  if (!HasDefaults(version.schema) &&
      (!object.may_hold_nulls || !kube::json::HasNull(object.value)))
    return false;
  kube::json::Arena arena;
  Value copy = kube::json::CopyForChange(object.value, arena);
  kube::schema::SchemaReadNotes notes;
  if (!kube::schema::ReadBySchema(copy, version.schema, arena, &notes)) {
    errors.Add(counted.place, std::string(counted.full_name) + ": the defaults of version " +
                                  version.name + " would make it too large");
    return false;
  }
  for (const std::string& path : notes.added_defaults) tally.added_defaults.Add(path, counted);
  for (const std::string& path : notes.dropped_nulls) tally.dropped_nulls.Add(path, counted);
  return !notes.dropped_nulls.empty();
}

void CrdCheck::CountInvalid(const CheckedObject& object, const report::CountedObject& counted,
                            CrdTally& tally) const {
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    if (versions_[i].validation == nullptr) continue;
    const auto why = WhyInvalidOncePruned(object.value, versions_[i].schemas,
                                          *versions_[i].validation, tally.PatternsForObject());
    if (!why) tally.is_validity_unknown_ = true;
    if (!why || why->empty()) continue;
    tally.Version(i).invalid_once_pruned.Add(counted.place,
                                             std::string(counted.full_name) + ": " + *why);
  }
}

void CrdCheck::CountRefused(const CheckedObject& object, const report::CountedObject& counted,
                            bool changes_in_storage, CrdTally& tally,
                            report::ObjectPaths& paths) const {
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    const Version& version = versions_[i];
    if (!tally.sights_[i]) continue;
    const bool is_storage = version.name == facts_.report.storage_version;
    const VersionValidity::Findings findings =
        version.validity->Find(object.value, *tally.sights_[i], is_storage || !changes_in_storage,
                               tally.PatternsForObject());
    tally.is_validity_unknown_ |= findings.is_unknown;
    if (findings.errors.empty()) continue;
    const bool is_refused =
        AddFindings(findings, object.value, version.validity->schema(), server_rules_, counted,
                    tally.Version(i).invalid, keep_paths_ && is_storage ? &paths.invalid : nullptr);
    if (is_refused) tally.Version(i).invalid.CountRefused();
  }
}

// Which version an object is stored in is not known: the worst of all that it may be counts. The
// object is pruned by the schema of the stored version first, then by that of the storage version.
void CrdCheck::CheckStorageMigration(const CheckedObject& object,
                                     const report::CountedObject& counted,
                                     CrdTally::VersionTally& tally) const {
  const auto find = [this](const std::string& name) {
    return std::find_if(versions_.begin(), versions_.end(),
                        [&name](const Version& version) { return version.name == name; });
  };
  const auto storage = find(facts_.report.storage_version);
  bool loses = false;
  for (const std::string& stored : facts_.report.stored_versions) {
    const auto from = find(stored);
    if (from == versions_.end() || storage == versions_.end()) continue;
    if (!from->convertible || !storage->convertible) continue;
    TallySink first(object.value, counted, tally.pruned_fields, opened_, nullptr, nullptr);
    kube::schema::FindLostFields(object.value, from->schema, first);
    loses |= first.found();
    if (from == storage) continue;
    kube::json::Arena arena;
    Value copy = kube::json::CopyForChange(object.value, arena);
    kube::schema::DropLostFields(copy, from->schema, arena);
    TallySink second(copy, counted, tally.pruned_fields, opened_, nullptr, nullptr);
    kube::schema::FindLostFields(copy, storage->schema, second);
    loses |= second.found();
  }
  if (loses) ++tally.objects_losing_fields;
}

void CrdCheck::CountChanges(const CheckedObject& object, CrdTally& tally) const {
  if (!changes_->Count(object.value, tally.changes_, tally.PatternsForObject())) {
    tally.is_validity_unknown_ = true;
  }
}

// Embedded resources are the one part of an object that can make it unreadable.
void CrdCheck::CheckReadable(const CheckedObject& object, const report::CountedObject& counted,
                             CrdTally& tally) const {
  const auto may_fail = [](const Version& version) {
    return version.schema != nullptr && version.schema->may_have_embedded;
  };
  if (std::none_of(versions_.begin(), versions_.end(), may_fail)) return;
  kube::json::Arena arena;
  Value copy = kube::json::CopyForChange(object.value, arena);
  const auto error =
      server_->converts_by_webhook()
          ? server_->OnRead(copy, kube::meta::TypeOf(object.value).group_version.version, arena)
          : server_->Rewrite(copy, arena);
  if (error) {
    tally.errors_.Add(counted.place, std::string(counted.full_name) + ": " + *error);
  }
}

// What is read of an object is what its stored version keeps first.
std::vector<std::string> CrdCheck::FindReturning(
    const std::vector<report::FieldUse>& maybe_in_etcd) const {
  std::vector<std::string> returning;
  if (!live_ || facts_.report.apply == std::nullopt) return returning;
  const auto keeps = [](const StructuralSchema* schema, const std::string& path) {
    return schema != nullptr && kube::schema::KeepsPath(*schema, path);
  };
  for (const report::FieldUse& field : maybe_in_etcd) {
    const bool comes = std::ranges::any_of(versions_, [&](const Version& version) {
      return std::ranges::count(facts_.report.stored_versions, version.name) > 0 &&
             keeps(version.schema, field.path) &&
             !keeps(live_server_->FindSchema(version.name), field.path);
    });
    if (comes) returning.push_back(field.path);
  }
  return returning;
}

// A read prunes by the version that an object is stored in, then by its own. So a field that all of
// these have is in etcd only where the reads show it, and another version shows it where some
// stored version has it. Of what a webhook makes nothing is known.
std::vector<report::FieldUse> CrdCheck::FindHidden(std::vector<report::FieldUse> uses) const {
  const kube::crd::CustomResourceServer& server = live_ ? *live_server_ : *server_;
  const std::vector<std::string>& stored = facts_.report.stored_versions;
  const auto is_read = [this](const std::string& v) { return v == facts_.read_version; };
  if (server.converts_by_webhook() && !std::ranges::all_of(stored, is_read)) return uses;
  const std::vector<std::string>& served =
      live_ ? facts_.report.replaced->served_versions : facts_.report.served_versions;
  std::vector<report::FieldUse> hidden;
  for (report::FieldUse& use : uses) {
    const auto keeps = [&](const std::string& version) {
      const StructuralSchema* schema = server.FindSchema(version);
      return schema != nullptr && kube::schema::KeepsPath(*schema, use.path);
    };
    if (keeps(facts_.read_version) && std::ranges::all_of(stored, keeps)) continue;
    if (!server.converts_by_webhook() && std::ranges::any_of(stored, keeps)) {
      std::ranges::copy_if(served, std::back_inserter(use.shown_in),
                           [&](const std::string& v) { return !is_read(v) && keeps(v); });
    }
    hidden.push_back(std::move(use));
  }
  return hidden;
}

std::string CrdCheck::RulesNote() const {
  const bool server_drops_them =
      server_rules_.release && *server_rules_.release < kube::schema::kFirstRuleRelease;
  if (!has_rules_ || !server_drops_them) return "";
  return "its x-kubernetes-validations are not evaluated: Kubernetes " +
         server_rules_.release->ToString() + " drops rules, and holds no object against them (" +
         kube::schema::kFirstRuleRelease.ToString() + " is the first that does)";
}

report::CrdReport CrdCheck::Report(const CrdTally& tally) const {
  report::CrdReport report = facts_.report;
  report.objects_skipped = false;
  report.object_count = tally.objects_;
  report.object_bytes = tally.bytes_;
  report.objects_losing_fields = tally.objects_losing_fields_;
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    report::VersionReport& version = report.versions[i];
    if (!versions_[i].is_looked_at) continue;
    version.objects = tally.objects_;
    if (versions_[i].is_validated) version.objects_invalid_once_pruned = 0;
    if (versions_[i].validity != nullptr) version.validity.emplace();
    if (i >= tally.versions_.size()) continue;
    const CrdTally::VersionTally& counted = tally.versions_[i];
    version.objects_losing_fields = counted.objects_losing_fields;
    version.pruned_fields = counted.pruned_fields.Report();
    version.added_defaults = counted.added_defaults.Report();
    version.dropped_nulls = counted.dropped_nulls.Report();
    if (versions_[i].validity != nullptr) {
      version.validity = counted.invalid.Report();
      version.validity->server_tolerates = server_rules_.ratchets;
    }
    if (!versions_[i].is_validated) continue;
    version.objects_invalid_once_pruned = counted.invalid_once_pruned.count();
    version.invalid_once_pruned = counted.invalid_once_pruned.Texts();
  }
  if (report.migration_needed) {
    report.storage_migration = {tally.storage_migration_.objects_losing_fields,
                                tally.storage_migration_.pruned_fields.Report()};
  }
  if (proof_ != nullptr) report.verified = proof_->verified;
  if (report.verified) report.verified->is_by_annotation = proof_->is_somebodys_word;
  if (changes_ != nullptr) report.changes = changes_->Report(&tally.changes_, tally.objects_);
  report.maybe_in_etcd = FindHidden(tally.maybe_in_etcd_.Report());
  report.returning_fields = FindReturning(report.maybe_in_etcd);
  report.stale_managed_fields = tally.stale_.Report();
  report.unfit_managed_fields = tally.unfit_.Report();
  report.managed_fields_to_clean = tally.to_clean_;
  report.objects = tally.paths_;
  std::sort(report.objects.begin(), report.objects.end(),
            [](const report::ObjectPaths& a, const report::ObjectPaths& b) {
              return std::tie(a.namespace_, a.name, a.source) <
                     std::tie(b.namespace_, b.name, b.source);
            });
  report.object_errors = tally.errors_.Texts();
  for (report::Problem& problem : report.problems) {
    std::string hint = HintByObjects(problem.field, problem.message, tally.observations_.root());
    if (!hint.empty()) problem.hint = std::move(hint);
  }
  if (facts_.cost_remedies != nullptr) facts_.cost_remedies->AddTo(report, tally.held_);
  if (tally.is_validity_unknown_) report.AddNote(kValidityUnknown);
  report.verdict = VerdictOf(report);
  return report;
}

}  // namespace migrate::check
