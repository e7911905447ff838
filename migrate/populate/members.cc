#include "migrate/populate/members.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "kube/json/json.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/populate/call_words.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {
namespace {

/// Takes the members of one attempt to read a list.
class MemberTaker : public cluster::ItemTaker {
 public:
  explicit MemberTaker(const ServedKind& kind) : kind_(std::make_shared<const ServedKind>(kind)) {}

  void Take(std::size_t, kube::json::Document& item, std::uint64_t) override {
    const auto metadata = cluster::ReadObjectMetadata(item.root());
    auto membership = ReadMembership(item.root());
    if (!metadata || !membership) return;
    const std::lock_guard lock(mutex_);
    members.push_back({.kind = kind_,
                       .namespace_ = metadata->namespace_,
                       .name = metadata->name,
                       .uid = metadata->uid,
                       .resource_version = metadata->resource_version,
                       .membership = *std::move(membership)});
  }

  std::vector<Member> members;

 private:
  const std::shared_ptr<const ServedKind> kind_;
  std::mutex mutex_;
};

}  // namespace

std::vector<MembersOfKind> ReadMembers(const std::vector<ServedKind>& kinds,
                                       const std::vector<std::string>& namespaces,
                                       const kube::client::Session& session) {
  const std::vector<std::string> all = {""};
  const std::vector<std::string>& places = namespaces.empty() ? all : namespaces;
  std::vector<cluster::ListJob> jobs;
  for (const ServedKind& kind : kinds) {
    for (const std::string& place : places) {
      jobs.emplace_back(cluster::WithSelectors(kind.ListPath(place), kTemplateNameLabel, ""),
                        [&kind] { return std::make_shared<MemberTaker>(kind); });
      jobs.back().metadata_only = true;
    }
  }
  if (!jobs.empty()) cluster::ReadLists(jobs, session, {});
  std::vector<MembersOfKind> result;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i % places.size() == 0) result.push_back({.kind = kinds[i / places.size()]});
    MembersOfKind& of_kind = result.back();
    if (jobs[i].error) {
      of_kind.error = WordsOf(*jobs[i].error);
      continue;
    }
    auto& taken = static_cast<MemberTaker&>(*jobs[i].taker).members;
    std::ranges::move(taken, std::back_inserter(of_kind.members));
  }
  for (MembersOfKind& of_kind : result) {
    std::ranges::sort(of_kind.members, {}, [](const Member& member) {
      return std::tie(member.namespace_, member.name);
    });
  }
  return result;
}

}  // namespace migrate::populate
