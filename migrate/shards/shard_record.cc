#include "migrate/shards/shard_record.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "kube/base/text.h"
#include "migrate/lease/holder.h"

namespace migrate::shards {
namespace {

using Phase = ShardRecord::Phase;
using Step = ShardPart::Step;

constexpr std::array<std::string_view, 5> kPhaseNames = {"preparing", "closing", "flipping",
                                                         "rewriting", "ended"};
constexpr std::array<std::string_view, 6> kStepNames = {"absent", "at-work", "backed-up",
                                                        "closed", "done",    "failed"};
// Of 256 shards a line shall not name more.
constexpr std::size_t kMostNamed = 8;

bool HaveSameCounts(const report::ClassCounts& one, const report::ClassCounts& other) {
  for (std::size_t i = 0; i < report::kObjectClasses; ++i) {
    const auto object_class = static_cast<report::ObjectClass>(i);
    if (one[object_class] != other[object_class]) return false;
  }
  return true;
}

bool HaveSameCounts(const std::optional<report::ClassCounts>& one,
                    const std::optional<report::ClassCounts>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return HaveSameCounts(*one, *other);
}

/// Behind `step` on the way to the end of a shard; one that failed has come nowhere.
bool HasCome(const ShardPart& part, Step step) {
  return part.step != Step::kFailed && part.step >= step;
}

std::string DescribeAbsent(const std::vector<std::string>& numbers) {
  if (numbers.empty()) return "";
  if (numbers.size() == 1) return "shard " + numbers[0] + " has not come";
  const std::size_t named = std::min(numbers.size(), kMostNamed);
  std::string text =
      "shards " +
      kube::base::Join(
          std::vector(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(named)), ", ");
  if (named < numbers.size()) text += " and " + std::to_string(numbers.size() - named) + " more";
  return text + " have not come";
}

std::string DescribePart(std::size_t number, const ShardPart& part) {
  std::string text = "shard " + std::to_string(number) + " is " +
                     std::string(PartStepName(part.step)) + " (" +
                     lease::DescribeHolder(part.holder) + ")";
  if (!part.error.empty()) text += ": " + part.error;
  return text;
}

}  // namespace

bool ShardPart::operator==(const ShardPart& other) const {
  const auto rest = [](const ShardPart& part) {
    return std::tie(part.step, part.holder, part.backup, part.is_verified, part.error,
                    part.seconds);
  };
  return rest(*this) == rest(other) && HaveSameCounts(counts, other.counts) &&
         HaveSameCounts(before_flip, other.before_flip);
}

std::string_view PhaseName(Phase phase) { return kPhaseNames.at(static_cast<std::size_t>(phase)); }

std::string_view PartStepName(Step step) { return kStepNames.at(static_cast<std::size_t>(step)); }

bool AreAll(const ShardRecord& record, Step step) {
  return std::ranges::all_of(record.parts,
                             [step](const ShardPart& part) { return part.step == step; });
}

bool AreAllVerified(const ShardRecord& record) {
  return AreAll(record, Step::kDone) && std::ranges::all_of(record.parts, &ShardPart::is_verified);
}

report::ClassCounts TotalOf(const ShardRecord& record) {
  report::ClassCounts total;
  for (const ShardPart& part : record.parts) total += part.counts;
  return total;
}

std::string DescribeMissing(const ShardRecord& record, Step step) {
  std::vector<std::string> absent, others;
  for (std::size_t i = 0; i < record.parts.size(); ++i) {
    const ShardPart& part = record.parts[i];
    if (HasCome(part, step)) continue;
    if (part.step == Step::kAbsent) {
      absent.push_back(std::to_string(i));
    } else if (others.size() < kMostNamed) {
      others.push_back(DescribePart(i, part));
    }
  }
  std::vector<std::string> texts;
  if (!absent.empty()) texts.push_back(DescribeAbsent(absent));
  std::move(others.begin(), others.end(), std::back_inserter(texts));
  return kube::base::Join(texts, "; ");
}

}  // namespace migrate::shards
