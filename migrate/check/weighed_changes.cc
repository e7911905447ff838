#include "migrate/check/weighed_changes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "kube/crd/object_changes.h"
#include "kube/crd/value_rules.h"
#include "kube/meta/object_path.h"
#include "kube/schema/coercion.h"
#include "kube/schema/defaulting.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::meta::FieldChoice;
using kube::meta::PathStep;
using kube::schema::PathElement;
using kube::schema::UnknownField;

class LeafWalk {
 public:
  LeafWalk(const UnknownField& field, const FieldChoice& opened,
           const std::function<void(const UnknownField&)>& take)
      : opened_(opened),
        take_(take),
        folded_path_(field.folded_path),
        elements_(field.elements.begin(), field.elements.end()) {}

  void Walk(const Value& value, const PathStep* path) {
    for (const kube::json::Member& member : value.members())
      Below({.key = member.key.text()}, member.value, path);
    std::size_t index = 0;
    for (const Value& element : value.elements())
      Below({.key = {}, .index = index++, .is_index = true}, element, path);
    if (value.members().empty() && value.elements().empty())
      take_({.folded_path = folded_path_, .elements = elements_, .value = value});
  }

 private:
  void Below(const PathElement& element, const Value& value, const PathStep* path) {
    const PathStep step =
        element.is_index ? PathStep::Index(path, element.index) : PathStep::Key(path, element.key);
    const std::size_t length = folded_path_.size();
    if (element.is_index) {
      folded_path_ += "[*]";
    } else if (opened_.NamesAnyKeyOf(&step)) {
      kube::meta::AppendPathOfKeys(folded_path_);
    } else {
      kube::meta::AppendPathName(folded_path_, element.key);
    }
    elements_.push_back(element);
    Walk(value, &step);
    elements_.pop_back();
    folded_path_.resize(length);
  }

  const FieldChoice& opened_;
  const std::function<void(const UnknownField&)>& take_;
  std::string folded_path_;
  std::vector<PathElement> elements_;
};

}  // namespace

void OpenField(const UnknownField& field, const FieldChoice& opened,
               const std::function<void(const UnknownField&)>& take) {
  const std::vector<PathStep> steps = field.Steps();
  const PathStep* path = steps.empty() ? nullptr : &steps.back();
  if (opened.Of(path) == FieldChoice::Part::kNone) return take(field);
  LeafWalk(field, opened, take).Walk(field.value, path);
}

namespace {

using kube::crd::Change;
using kube::crd::ChangeKind;
using kube::schema::StructuralSchema;

bool NoneConverts(const WeighedChanges::Crds& crds) {
  return crds.live.conversion.strategy == "None" && crds.proposed.conversion.strategy == "None";
}

// What a server that prunes shows of an object that it has in etcd; absent where it cannot.
std::optional<Value> ReadAs(const Value& object, const StructuralSchema* schema,
                            kube::json::Arena& arena) {
  Value read = kube::json::CopyForChange(object, arena);
  if (!kube::schema::ReadBySchema(read, schema, arena)) return std::nullopt;
  if (schema == nullptr || !schema->may_have_embedded) return read;
  if (kube::schema::CoerceEmbedded(read, *schema, /*drop_invalid_fields=*/true, arena)) {
    return std::nullopt;
  }
  return read;
}

// One that each object knows, whatever is in it.
bool ConcernsAll(ChangeKind kind) { return kind >= ChangeKind::kScope; }

}  // namespace

void ChangeTally::Merge(const ChangeTally& other) {
  if (objects_.size() < other.objects_.size()) objects_.resize(other.objects_.size());
  for (std::size_t i = 0; i < other.objects_.size(); ++i) objects_[i] += other.objects_[i];
}

WeighedChanges::WeighedChanges(const Crds& crds, const CrdFacts& facts)
    : found_(kube::crd::CompareCrds(crds.live, crds.proposed, crds.release)) {
  for (const auto* crd : {&crds.live, &crds.proposed}) {
    for (const kube::crd::CrdVersion& version : crd->versions) schemas_.push_back(version.schema);
  }
  for (std::size_t i = 0; i < found_.changes.size(); ++i) {
    const Change& change = found_.changes[i];
    const bool is_of_crd = change.version.empty();
    if (is_of_crd && change.kind == ChangeKind::kPreserveUnknownFields) preserving_ = i;
  }
  KeepVersions(crds, facts);
  SortForReport(facts);
}

void WeighedChanges::KeepVersions(const Crds& crds, const CrdFacts& facts) {
  for (std::size_t i = 0; i < facts.versions.size(); ++i) {
    const std::string& name = facts.report.versions[i].name;
    const auto of_version =
        std::ranges::find(found_.versions, name, &kube::crd::CrdChanges::Version::name);
    const bool differs = of_version != found_.versions.end();
    std::optional<Version> counted =
        FindCounted(crds, facts, i, differs ? of_version->live_name : name);
    if (!counted) continue;
    counted_.push_back(name);
    if (differs) counted->difference = of_version->difference.get();
    if (differs || preserving_) versions_.push_back(*counted);
  }
}

// Objects are listed in one version. What they are in another is known while all of it is shown,
// and where pruning by the schemas of both is all that happens to them.
std::optional<WeighedChanges::Version> WeighedChanges::FindCounted(
    const Crds& crds, const CrdFacts& facts, std::size_t version,
    const std::string& live_name) const {
  if (!facts.versions[version].is_convertible) return std::nullopt;
  const std::string& name = facts.report.versions[version].name;
  Version counted{.proposed = crds.server.FindSchema(name)};
  const std::string read = ReadVersion(crds.live);
  if (live_name == read) return counted;
  if (!NoneConverts(crds)) return std::nullopt;
  if (crds.live.preserve_unknown_fields) return counted;
  const bool is_all_stored_so = crds.live.stored_versions == std::vector<std::string>{read};
  const CrdFacts::Version& looked = facts.versions[version];
  const bool is_looked_at = looked.is_looked_at && !looked.is_of_proposal;
  if (!is_looked_at && !is_all_stored_so) return std::nullopt;
  counted.live = crds.live_server.FindSchema(live_name);
  if (counted.live == nullptr) return std::nullopt;
  return counted;
}

void WeighedChanges::SortForReport(const CrdFacts& facts) {
  std::map<std::string_view, std::size_t> places;
  for (const report::VersionReport& version : facts.report.versions) {
    places.emplace(version.name, places.size() + 1);
  }
  // Those of the whole CRD first, those of versions that go last.
  const auto place_of = [&](const std::string& version) {
    const auto place = places.find(version);
    return version.empty() ? 0 : place == places.end() ? places.size() + 1 : place->second;
  };
  const auto key = [&](std::size_t i) {
    const Change& change = found_.changes[i];
    return std::make_tuple(place_of(change.version), std::string_view(change.version),
                           std::string_view(change.path), NameOf(change.kind));
  };
  order_.resize(found_.changes.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, {}, key);
}

bool WeighedChanges::Count(const Value& object, ChangeTally& tally,
                           kube::schema::PatternChecks& patterns) const {
  if (versions_.empty()) return true;
  const std::uint64_t undecided = patterns.undecided();
  std::vector<std::size_t> touching;
  kube::json::Arena arena;
  for (const Version& version : versions_) {
    const std::optional<Value> now =
        version.live == nullptr ? object : ReadAs(object, version.live, arena);
    const std::optional<Value> then = ReadAs(object, version.proposed, arena);
    if (!now || !then) continue;
    if (preserving_ && !kube::crd::IsContained(*now, *then)) {
      touching.push_back(*preserving_);
    }
    if (version.difference == nullptr) continue;
    kube::crd::FindTouching({*now, *then}, *version.difference, patterns, touching);
  }
  std::ranges::sort(touching);
  touching.erase(std::unique(touching.begin(), touching.end()), touching.end());
  if (!touching.empty() && tally.objects_.size() <= touching.back()) {
    tally.objects_.resize(touching.back() + 1);
  }
  for (const std::size_t number : touching) ++tally.objects_[number];
  return patterns.undecided() == undecided;
}

bool WeighedChanges::IsCounted(const Change& change) const {
  if (ConcernsAll(change.kind)) return true;
  if (change.version.empty()) return !counted_.empty();
  return std::ranges::find(counted_, change.version) != counted_.end();
}

report::ChangesReport WeighedChanges::Report(const ChangeTally* tally,
                                             std::uint64_t objects) const {
  report::ChangesReport report{.left_out = found_.left_out, .is_partial = found_.is_partial};
  for (const std::size_t number : order_) {
    const Change& change = found_.changes[number];
    report::ChangeUse& use = report.changes.emplace_back(
        report::ChangeUse{.version = change.version,
                          .path = change.path,
                          .kind = std::string(NameOf(change.kind)),
                          .from = change.from,
                          .to = change.to,
                          .breaking = change.breaking,
                          .brings_transition_rules = change.brings_transition_rules});
    if (tally == nullptr || !IsCounted(change)) continue;
    const std::uint64_t counted =
        number < tally->objects_.size() ? tally->objects_[number] : std::uint64_t{0};
    use.objects = ConcernsAll(change.kind) ? objects : counted;
  }
  return report;
}

}  // namespace migrate::check
