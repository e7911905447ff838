#include "migrate/check/crd_guard.h"

#include <chrono>

#include "kube/client/answer_meaning.h"
#include "migrate/check/crd_request.h"
#include "migrate/cluster/pause.h"

namespace migrate::check {
namespace {

using kube::client::Meaning;

constexpr std::chrono::minutes kPatience(2);
constexpr std::chrono::seconds kPause(1);

}  // namespace

// What cannot be read is asked for again as a whole, which tells why.
bool CrdGuard::IsAsSeen() {
  if (seen_version_.empty()) return false;
  const auto crd = GetCrdMetadata(session_.client, target_);
  if (!crd) return false;
  const kube::json::Value* metadata = (*crd)->root().Find("metadata");
  return metadata != nullptr && metadata->FindText("uid") == expected_.uid &&
         metadata->FindText("resourceVersion") == seen_version_;
}

kube::base::Result<std::optional<std::string>, kube::client::CallError> CrdGuard::Compare() {
  if (IsAsSeen()) return std::optional<std::string>();
  auto crd = GetCrd(session_.client, target_);
  if (!crd) return kube::base::Unexpected(std::move(crd).error());
  auto change = check::CheckCrdUnchanged(expected_, *crd);
  if (!change) seen_version_ = crd->resource_version;
  return change;
}

std::optional<std::string> CrdGuard::CheckCrdUnchanged() {
  const kube::base::Clock::TimePoint patience = session_.clock.Now() + kPatience;
  for (;;) {
    const auto change = Compare();
    if (change) return *change;
    const Meaning meaning = kube::client::MeaningOf(change.error());
    if (meaning == Meaning::kNotFound) return kCrdDeleted;
    const bool may_not = meaning == Meaning::kUnauthorized || meaning == Meaning::kForbidden;
    if (may_not || session_.clock.Now() >= patience) {
      return "the CustomResourceDefinition cannot be read any more: " + change.error().message;
    }
    if (!cluster::PauseUntil(session_.clock.Now() + kPause, session_)) return std::nullopt;
  }
}

}  // namespace migrate::check
