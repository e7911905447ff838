#include "migrate/populate/prune_leaves.h"

#include <chrono>

#include "migrate/populate/cluster_template.h"

namespace migrate::populate {
namespace {

// Then a template is looked at once more before more of it is deleted.
constexpr std::chrono::seconds kLeaveHolds(5);

}  // namespace

const std::optional<std::string>& PruneLeaves::WhyNot(const std::string& template_name) {
  const auto now = session_.clock.Now();
  const auto [place, is_new] = answers_.try_emplace(template_name);
  Answer& answer = place->second;
  const bool is_old = !answer.why_not && now >= answer.at + kLeaveHolds;
  if (is_new || is_old) answer = {.why_not = Ask(template_name), .at = now};
  return answer.why_not;
}

std::optional<std::string> PruneLeaves::Ask(const std::string& template_name) const {
  const auto known = input_.known.find(template_name);
  const bool is_known = known != input_.known.end();
  const TemplateNow now = LookAgain(template_name, is_known ? &known->second : nullptr, session_);
  if (now == (is_known ? TemplateNow::kSame : TemplateNow::kGone)) return std::nullopt;
  if (session_.is_stopped()) return "";
  const bool is_changed = now != TemplateNow::kUnknown;
  std::string why = is_changed ? "the template was changed meanwhile: run again"
                               : "the server does not say whether the template is as it was";
  on_refused_(template_name, is_changed, why);
  return why;
}

}  // namespace migrate::populate
