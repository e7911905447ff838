#include "migrate/check/cost_remedies.h"

#include <algorithm>
#include <map>

#include "kube/base/text.h"
#include "kube/crd/rule_places.h"
#include "kube/meta/object_path.h"
#include "kube/suggest/schema_change.h"

namespace migrate::check {
namespace {

using kube::crd::HeldSizes;
using kube::crd::SizeLimit;

constexpr std::size_t kMostTold = 6;

std::optional<kube::crd::Crd> CopyIfAny(const kube::crd::Crd* crd) {
  return crd == nullptr ? std::nullopt : std::optional(kube::crd::CopyCrd(*crd));
}

std::int64_t HeldBy(const SizeLimit& limit, const HeldSizes& held) {
  const auto found = held.find(limit.path);
  return found == held.end() ? 0 : found->second;
}

// "maxItems: 46 on .spec.names"
std::string LimitText(const SizeLimit& limit) {
  const std::string path = limit.path.empty() ? "." : kube::meta::WithLeadingDot(limit.path);
  const std::string was = limit.was ? " (not " + std::to_string(*limit.was) + ")" : "";
  return std::string(limit.keyword) + ": " + std::to_string(limit.most) + was + " on " + path;
}

// What objects have, where that is known.
std::string HeldText(const std::vector<SizeLimit>& limits, const HeldSizes& held) {
  if (held.empty()) return "";
  for (const SizeLimit& limit : limits) {
    const std::int64_t most = HeldBy(limit, held);
    if (most <= limit.most) continue;
    return "; but objects have up to " + std::to_string(most) + " in " +
           kube::meta::WithLeadingDot(limit.path) +
           " and would be refused: write the rule in a cheaper way";
  }
  return "; no object has more";
}

std::string HintOf(const std::vector<SizeLimit>& limits, const HeldSizes& held) {
  std::vector<std::string> texts;
  for (const SizeLimit& limit : limits) {
    if (texts.size() == kMostTold) break;
    texts.push_back(LimitText(limit));
  }
  std::string hint = "set " + kube::base::Join(texts, ", ");
  if (limits.size() > kMostTold) {
    hint += " and " + std::to_string(limits.size() - kMostTold) + " more";
  }
  hint += limits.size() == 1 ? ": the most" : ": together the most";
  return hint + " that lets all rules fit" + HeldText(limits, held);
}

}  // namespace

CostRemedies::CostRemedies(const kube::crd::Crd& crd, const kube::crd::Crd* old,
                           kube::base::Release server)
    : crd_(kube::crd::CopyCrd(crd)),
      old_(CopyIfAny(old)),
      server_(server),
      limits_(FindLimits({})) {}

std::vector<CostRemedies::Limits> CostRemedies::FindLimits(const HeldSizes& held) const {
  std::map<std::string, Limits> by_schema;  // nearly always they have the same
  std::vector<Limits> limits;
  for (const kube::crd::CrdVersion& version : crd_.versions) {
    const auto [found, is_new] = by_schema.try_emplace(kube::crd::SchemaText(crd_, version.name));
    if (is_new) {
      found->second =
          kube::crd::FindCostLimits(crd_, old_ ? &*old_ : nullptr, version.name, server_, held);
    }
    limits.push_back(found->second);
  }
  return limits;
}

void CostRemedies::Measure(const kube::json::Value& object, HeldSizes& held) const {
  for (const Limits& limits : limits_) {
    for (const SizeLimit& limit : limits) {
      std::int64_t& most = held[limit.path];
      most = std::max(most, kube::crd::LargestHeld(object, limit));
    }
  }
}

void CostRemedies::AddTo(report::CrdReport& report, const HeldSizes& held) const {
  const bool is_exceeded = std::ranges::any_of(limits_, [&](const Limits& limits) {
    return std::ranges::any_of(
        limits, [&](const SizeLimit& limit) { return HeldBy(limit, held) > limit.most; });
  });
  const std::vector<Limits> by_objects = is_exceeded ? FindLimits(held) : limits_;
  report.cost_limits.clear();
  for (std::size_t i = 0; i < by_objects.size(); ++i) {
    for (const SizeLimit& limit : by_objects[i]) {
      report::CostLimit& told = report.cost_limits.emplace_back(
          report::CostLimit{.version = crd_.versions[i].name,
                            .path = limit.path,
                            .pointer = kube::suggest::PlaceOf(limit.steps, i).pointer,
                            .keyword = std::string(limit.keyword),
                            .most = limit.most,
                            .was = limit.was});
      if (!held.empty()) told.held = HeldBy(limit, held);
    }
  }
  for (report::Problem& problem : report.admission_problems) {
    // Where all versions share a schema it is that of the first.
    const std::size_t version = kube::crd::VersionIndexOf(problem.field).value_or(0);
    if (!IsOfRuleCost(problem) || version >= by_objects.size()) continue;
    if (!by_objects[version].empty()) problem.hint = HintOf(by_objects[version], held);
  }
}

bool IsOfRuleCost(const report::Problem& problem) {
  return kube::crd::IsOfRuleCost(problem.message);
}

}  // namespace migrate::check
