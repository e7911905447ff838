#include "migrate/crds/crd_guard.h"

#include <chrono>

#include "kube/client/answer_meaning.h"
#include "migrate/crds/crd_request.h"
#include "migrate/lists/pause.h"

namespace migrate::crds {
namespace {

using kube::client::Meaning;

constexpr std::chrono::minutes kPatience(2);
constexpr std::chrono::seconds kPause(1);

}  // namespace

std::optional<std::string> CrdGuard::FindChange() const {
  const kube::system::Clock::TimePoint patience = session_.clock.Now() + kPatience;
  for (;;) {
    const auto crd = GetCrd(session_.client, target_);
    if (crd) return crds::FindChange(expected_, *crd);
    const Meaning meaning = kube::client::MeaningOf(crd.error());
    if (meaning == Meaning::kNotFound) return "the CustomResourceDefinition was deleted";
    const bool may_not = meaning == Meaning::kUnauthorized || meaning == Meaning::kForbidden;
    if (may_not || session_.clock.Now() >= patience) {
      return "the CustomResourceDefinition cannot be read any more: " + crd.error().message;
    }
    if (!lists::PauseUntil(session_.clock.Now() + kPause, session_)) return std::nullopt;
  }
}

}  // namespace migrate::crds
