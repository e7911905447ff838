#include "migrate/migration/entry_question.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "kube/base/text.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/spool.h"
#include "migrate/cluster/stale_entries.h"
#include "migrate/migration/write_cost.h"
#include "migrate/rewrite/sweep_paths.h"

namespace migrate::migration {
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
  GroupTaker(const kube::crd::Crd& crd, const std::string& written) : known_(crd) {
    for (const kube::crd::CrdVersion& version : crd.versions) {
      if (version.name != written) names_.emplace(crd.group + "/" + version.name, version.name);
    }
  }

  void Take(std::size_t, kube::json::Document& item, std::uint64_t) override {
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
    std::vector<cluster::ListJob> jobs;
    jobs.emplace_back(rewrite::ListPath(question_.target), [this] {
      return std::make_shared<GroupTaker>(question_.crd, question_.target.version);
    });
    jobs[0].metadata_only = true;
    cluster::ReadLists(jobs, session_, {.chunk_size = question_.chunk_size});
    if (jobs[0].error) {
      AddAllAsUnfit();
      answers_.lines.push_back("what a write makes of managedFields is unknown: " +
                               jobs[0].error->message);
      return std::move(answers_);
    }
    const auto& groups = static_cast<const GroupTaker&>(*jobs[0].taker).groups();
    for (const auto& [versions, group] : groups) Ask(versions, group);
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
