#include "migrate/guard/writer_tally.h"

#include <algorithm>
#include <span>

#include "kube/base/metrics_text.h"
#include "kube/base/utf8.h"
#include "migrate/check/proof.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/stale_entries.h"

namespace migrate::guard {
namespace {

using kube::json::Arena;
using kube::json::Value;

// The start of our User-Agent, which the API server takes for the manager of who names none
// (apiserver pkg/endpoints/handlers managerOrUserAgent).
constexpr std::string_view kOwnManager = "kubectl-prune";

std::span<const Value> ManagedFields(const Value* object) {
  return object == nullptr ? std::span<const Value>() : cluster::FirstEntriesOf(*object);
}

// The entry of the last time among those that the old object does not have. All times are of one
// form, so that texts compare as they do. Empty: nobody, or one of several within a second.
std::string_view ManagerOfNewEntry(const Value* object, const Value* old_object) {
  const std::span<const Value> old_entries = ManagedFields(old_object);
  const Value* latest = nullptr;
  bool is_only = true;
  for (const Value& entry : ManagedFields(object)) {
    const std::string_view time = entry.FindText("time");
    if (latest != nullptr && time < latest->FindText("time")) continue;
    const bool is_old = std::ranges::any_of(old_entries, [&entry](const Value& old) {
      return old.FindText("manager") == entry.FindText("manager") &&
             old.FindText("time") == entry.FindText("time") && kube::json::Equal(entry, old);
    });
    if (is_old) continue;
    if (latest == nullptr || time > latest->FindText("time")) {
      latest = &entry;
      is_only = true;
    } else if (entry.FindText("manager") != latest->FindText("manager")) {
      is_only = false;
    }
  }
  return latest != nullptr && is_only ? latest->FindText("manager") : std::string_view();
}

}  // namespace

Writer WriterOf(const kube::admission::Review& review) {
  const std::string_view given =
      review.options == nullptr ? std::string_view() : review.options->FindText("fieldManager");
  return {.user = review.user.username,
          .manager = given.empty() ? ManagerOfNewEntry(review.object, review.old_object) : given};
}

bool IsRewrite(const kube::admission::Review& review) {
  if (review.object == nullptr || review.old_object == nullptr) return false;
  Arena arena;
  return kube::json::Equal(cluster::WithoutManagedFields(*review.object, arena),
                           cluster::WithoutManagedFields(*review.old_object, arena));
}

bool IsOfMigration(const Writer& writer) { return writer.manager == kOwnManager; }

namespace {

constexpr std::size_t kMostMetrics = 100;

// As a rule one account writes everything, and where nobody else needs the places it may have them.
std::size_t MostOfUser(std::size_t entries) {
  return entries < WriterTally::kMostEntries / 2 ? entries + 1 : WriterTally::kMostEntries / 10;
}

std::string LimitedName(std::string_view text) {
  return kube::base::utf8::Shortened(text, WriterTally::kMostNameBytes - 3);
}

}  // namespace

void WriterTally::NoteRequest() {
  const std::lock_guard lock(mutex_);
  ++requests_;
}

void WriterTally::NoteLosingRequest(bool is_denied) {
  const std::lock_guard lock(mutex_);
  ++losing_;
  if (is_denied) ++denied_;
}

void WriterTally::NoteLeftOut(std::uint64_t fields) {
  const std::lock_guard lock(mutex_);
  left_out_ += fields;
}

bool WriterTally::NoteLoss(const LosingRequest& request, const LostField& field,
                           LossOutcome outcome) {
  const Key key(LimitedName(request.crd), field.path, LimitedName(request.writer.user),
                LimitedName(request.writer.manager));
  const std::lock_guard lock(mutex_);
  bool is_new = false;
  Entry* entry = FindOrAdd(key, is_new);
  if (entry == nullptr) {
    left_out_ += field.count;
    return false;
  }
  if (is_new) entry->first_seen = request.time;
  entry->first_seen = std::min(entry->first_seen, request.time);
  entry->last_seen = is_new ? request.time : std::max(entry->last_seen, request.time);
  report::WriterUse& use = entry->use;
  ++use.requests;
  const bool is_first_added = field.added > 0 && use.added++ == 0;
  if (outcome == LossOutcome::kDenied) ++use.denied;
  if (outcome == LossOutcome::kMoved) ++use.moved;
  use.version = field.version;
  use.example_object = LimitedName(request.object);
  use.example_path = field.example;
  return is_first_added;
}

// The null pointer: there is no room.
WriterTally::Entry* WriterTally::FindOrAdd(const Key& key, bool& is_new) {
  const auto known = entries_.find(key);
  if (known != entries_.end()) return &known->second;
  std::size_t& of_user = entries_of_user_[std::get<2>(key)];
  const bool is_full = entries_.size() >= kMostEntries || of_user >= MostOfUser(entries_.size());
  if (is_full) {
    if (of_user == 0) entries_of_user_.erase(std::get<2>(key));
    return nullptr;
  }
  ++of_user;
  is_new = true;
  return &entries_[key];
}

std::uint64_t WriterTally::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::uint64_t WriterTally::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

report::GuardReport WriterTally::Report() const {
  const std::lock_guard lock(mutex_);
  report::GuardReport report;
  report.requests = requests_;
  report.requests_losing_fields = losing_;
  report.requests_denied = denied_;
  report.left_out = left_out_;
  report.writers.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) {
    report::WriterUse& use = report.writers.emplace_back(entry.use);
    std::tie(use.crd, use.path, use.user, use.manager) = key;
    use.first_seen = check::TimeText(entry.first_seen);
    use.last_seen = check::TimeText(entry.last_seen);
  }
  return report;
}

std::vector<std::pair<const WriterTally::Key*, const WriterTally::Entry*>>
WriterTally::MostRequested(std::size_t most) const {
  std::vector<std::pair<const Key*, const Entry*>> sorted;
  for (const auto& [key, entry] : entries_) sorted.emplace_back(&key, &entry);
  if (sorted.size() <= most) return sorted;
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
    return a.second->use.requests > b.second->use.requests;
  });
  sorted.resize(most);
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return *a.first < *b.first; });
  return sorted;
}

std::string WriterTally::PrintMetrics() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  kube::base::AppendMetric(out, "guard_requests_total", "counter",
                           "Requests to create or change objects that are guarded.", requests_);
  kube::base::AppendMetric(out, "guard_requests_losing_fields_total", "counter",
                           "Of these, which have fields that pruning would remove.", losing_);
  kube::base::AppendMetric(out, "guard_requests_denied_total", "counter",
                           "Of these, which were refused.", denied_);
  const auto most_requested = MostRequested(kMostMetrics);
  if (most_requested.empty()) return out;
  constexpr std::string_view kLost = "guard_lost_fields_total";
  kube::base::AppendMetricHead(out, kLost, "counter",
                               "Requests with a field that pruning would remove, by writer.");
  for (const auto& [key, entry] : most_requested) {
    const auto& [crd, path, user, manager] = *key;
    kube::base::AppendMetricSample(
        out, kLost, {{"crd", crd}, {"path", path}, {"user", user}, {"manager", manager}},
        std::to_string(entry->use.requests));
  }
  return out;
}

}  // namespace migrate::guard
