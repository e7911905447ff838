#include "migrate/migration/dry_run_writes.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "kube/base/text.h"
#include "migrate/cluster/entry_cleaner.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/spool.h"
#include "migrate/cluster/stale_entries.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::migration {
namespace {

constexpr std::size_t kFirst = 5;

void KeepFirst(std::vector<SizedObject>& first, SizedObject object) {
  const auto place = std::ranges::upper_bound(first, object.number, {}, &SizedObject::number);
  if (first.size() == kFirst && place == first.end()) return;
  first.insert(place, std::move(object));
  if (first.size() > kFirst) first.pop_back();
}

/// The seconds that one write takes; absent: it was refused.
std::optional<double> Measure(const SizedObject& object, const rewrite::SweepTarget& target,
                              const kube::client::Session& session) {
  cluster::ListedObject listed;
  listed.namespace_ = object.namespace_;
  listed.name = object.name;
  kube::client::ApiRequest request = DryRunWrite(target, listed);
  request.retry = false;
  const auto begin = session.clock.Now();
  if (!session.client.Send(std::move(request))) return std::nullopt;
  return std::chrono::duration<double>(session.clock.Now() - begin).count();
}

}  // namespace

kube::client::ApiRequest DryRunWrite(const rewrite::SweepTarget& target,
                                     const cluster::ListedObject& object) {
  return {.method = "PATCH",
          .target = rewrite::ObjectPath(target, object) + "?dryRun=All",
          .accept = rewrite::kMetadataAccept,
          .content_type = "application/merge-patch+json",
          .body = "{}",
          .writes = rewrite::WarnedOf(target, object)};
}

void ObjectSizes::Add(const kube::json::Value& object, std::uint64_t number, std::uint64_t size) {
  ++objects;
  bytes += size;
  const bool is_first = first.size() < kFirst || number < first.back().number;
  if (!is_first && size <= largest.bytes) return;
  SizedObject sized{.namespace_ = std::string(cluster::MetadataText(object, "namespace")),
                    .name = std::string(cluster::MetadataText(object, "name")),
                    .number = number,
                    .bytes = size};
  if (size > largest.bytes) largest = sized;
  if (is_first) KeepFirst(first, std::move(sized));
}

void ObjectSizes::Merge(ObjectSizes other) {
  objects += other.objects;
  bytes += other.bytes;
  if (other.largest.bytes > largest.bytes) largest = std::move(other.largest);
  for (SizedObject& object : other.first) KeepFirst(first, std::move(object));
}

report::WriteCost MeasureWriteCost(const ObjectSizes& sizes, const rewrite::SweepTarget& target,
                                   const kube::client::Session& session) {
  struct Written {
    double seconds = 0, bytes = 0;
  };
  std::vector<Written> first;
  for (const SizedObject& object : sizes.first) {
    if (session.is_stopped()) return {};
    const auto seconds = Measure(object, target, session);
    if (!seconds) return {};
    first.push_back({*seconds, static_cast<double>(object.bytes)});
  }
  if (first.empty()) return {};
  // One that takes long by chance does not count.
  std::ranges::sort(first, {}, &Written::seconds);
  const Written usual = first[first.size() / 2];
  report::WriteCost cost{.object = usual.seconds, .byte = 0, .is_measured = true};
  const double more = static_cast<double>(sizes.largest.bytes) - usual.bytes;
  // Where all are about as large, nothing tells what is due to the size, and nothing needs to.
  if (more <= usual.bytes) return cost;
  const auto seconds = Measure(sizes.largest, target, session);
  if (!seconds) return {};
  cost.byte = std::max(0.0, *seconds - usual.seconds) / more;
  cost.object = std::max(0.0, usual.seconds - cost.byte * usual.bytes);
  return cost;
}

namespace {

using cluster::EntryState;
using kube::json::Value;
using VersionSet = std::set<std::string>;

constexpr std::size_t kMostGroups = 16;
constexpr char kKept[] = "a write keeps them";

struct Group {
  cluster::ListedObject
      first{};  // of those whose entries are all of the CRD's versions, if there is one
  bool is_first_stale = true;
  std::uint64_t objects = 0;
};

/// Groups the objects of one list by the versions that their entries name, beside the written one.
class GroupTaker : public cluster::ItemTaker {
 public:
  explicit GroupTaker(const EntryQuestion* question) : known_(question->crd) {
    const kube::crd::Crd& crd = question->crd;
    for (const kube::crd::CrdVersion& version : crd.versions) {
      if (version.name != question->target.version)
        names_.emplace(crd.group + "/" + version.name, version.name);
    }
  }

  void Handle(std::size_t, kube::json::Document& item, std::uint64_t) override {
    const auto object = cluster::ReadObjectMetadata(item.root());
    if (!object || object->entries == EntryState::kNone) return;
    VersionSet versions;
    bool is_stale = false;
    for (const Value& entry : cluster::EntriesOf(item.root())) {
      const auto name = names_.find(entry.FindText("apiVersion"));
      if (name != names_.end()) versions.insert(name->second);
      is_stale |= known_.IsStale(entry);
    }
    if (versions.empty()) return;
    Group& group = groups_[std::move(versions)];
    const bool is_better = group.is_first_stale && !is_stale;
    if (group.objects++ > 0 && !is_better) return;
    group.first = *object;
    group.is_first_stale = is_stale;
  }

  const std::map<VersionSet, Group>& groups() const { return groups_; }

 private:
  const cluster::KnownVersions known_;
  std::map<std::string, std::string, std::less<>> names_;  // of versions, by apiVersion
  std::map<VersionSet, Group> groups_;
};

class Asking {
 public:
  Asking(const EntryQuestion& question, const kube::client::Session& session)
      : question_(question), session_(session) {}

  EntryAnswers Run() {
    std::shared_ptr<GroupTaker> taker;
    std::vector<cluster::ListJob> jobs = {
        {rewrite::ListPath(question_.target), cluster::MakerOf(taker, &question_)}};
    jobs[0].metadata_only = true;
    cluster::ReadLists(jobs, session_, {.chunk_size = question_.chunk_size});
    if (jobs[0].error) {
      AddAllAsUnfit();
      answers_.lines.push_back("what a write makes of managedFields is unknown: " +
                               jobs[0].error->message);
      return std::move(answers_);
    }
    for (const auto& [versions, group] : taker->groups()) Ask(versions, group);
    Judge();
    return std::move(answers_);
  }

 private:
  void AddAllAsUnfit() {
    for (const kube::crd::CrdVersion& version : question_.crd.versions) {
      answers_.unfit.insert(version.name);
    }
  }

  void Ask(const VersionSet& versions, const Group& group) {
    if (session_.is_stopped()) return;
    const std::string name = cluster::ObjectKey(group.first);
    std::string answer = "unknown, as it cannot be asked before anything is written";
    if (question_.may_ask && asked_ == kMostGroups) {
      answer = "unknown, as there are too many groups to ask about all";
    } else if (question_.may_ask) {
      ++asked_;
      answer = TryWrite(group.first);
    }
    if (answer == kKept) {
      kept_.insert(versions.begin(), versions.end());
    } else {
      unfit_.push_back(versions);
      answer += "; the write carries those entries that fit the storage version";
    }
    answers_.lines.push_back(
        "managedFields of " + kube::base::Count(group.objects, "object") + ", such as " + name +
        ", name " +
        kube::base::Join(std::vector<std::string>(versions.begin(), versions.end()), " and ") +
        ", to which a webhook converts. By a dry run: " + answer);
  }

  std::string TryWrite(const cluster::ListedObject& object) {
    const auto answer = session_.client.Send(DryRunWrite(question_.target, object));
    if (!answer) return "unknown (" + answer.error().message + ")";
    const EntryState state = cluster::StateOf((*answer)->root(), nullptr);
    return state == EntryState::kNone ? "a write empties them" : kKept;
  }

  // Of an emptied group each version may be why, but for those that were kept with others.
  void Judge() {
    for (const VersionSet& versions : unfit_) {
      VersionSet suspects;
      std::ranges::set_difference(versions, kept_, std::inserter(suspects, suspects.end()));
      if (suspects.empty()) suspects = versions;
      answers_.unfit.merge(suspects);
    }
  }

  const EntryQuestion& question_;
  const kube::client::Session& session_;
  std::size_t asked_ = 0;
  VersionSet kept_;
  std::vector<VersionSet> unfit_;
  EntryAnswers answers_;
};

}  // namespace

EntryAnswers AskAboutEntries(const EntryQuestion& question, const kube::client::Session& session) {
  if (question.crd.conversion.strategy == "None") return {};
  return Asking(question, session).Run();
}

}  // namespace migrate::migration
