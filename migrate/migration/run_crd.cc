#include "migrate/migration/run_crd.h"

#include <utility>

#include "migrate/check/crd_request.h"
#include "migrate/migration/migration_end.h"

namespace migrate::migration {

RunCrd::RunCrd(std::string target, const kube::client::Session& session)
    : target_(std::move(target)), session_(session) {}

std::optional<std::string> RunCrd::Read() {
  auto crd = check::GetCrd(session_.client, target_);
  if (!crd) return crd.error().message;
  live_ = *std::move(crd);
  upgrade_.reset();
  change_.reset();
  Expect(check::ShapeOf(*live_));
  return std::nullopt;
}

std::optional<std::string> RunCrd::ReadTurnedOn() {
  check::CrdShape expected = noted_shape();
  ++expected.generation;
  expected.preserves_unknown_fields = false;
  auto crd = check::GetCrd(session_.client, target_);
  if (!crd) {
    return crd.error().message + "\npruning is on; rewrite the objects by the same command";
  }
  if (const auto change = check::CheckCrdUnchanged(expected, *crd)) {
    return WithNextStep(*change, live_->name);
  }
  live_ = *std::move(crd);
  Expect(std::move(expected));
  return std::nullopt;
}

std::string RunCrd::pruning_patch() const {
  return upgrade_ ? upgrade_->patch : check::kTurnPruningOn;
}

check::CrdShape RunCrd::noted_shape() const {
  check::CrdShape shape = expected();
  if (!upgrade_) return shape;
  shape.schemas = upgrade_->schemas;
  shape.kept_fields = upgrade_->kept_fields;
  return shape;
}

std::optional<std::string> RunCrd::CheckCrdUnchanged() {
  if (!change_) change_ = guard_->CheckCrdUnchanged();
  return change_;
}

}  // namespace migrate::migration
