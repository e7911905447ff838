#include "kube/client/plugin_answer.h"

#include <utility>

namespace kube::client {

base::Result<PluginAnswer::Given, std::string> PluginAnswer::After(std::uint64_t known,
                                                                   const UsableFunction& is_usable,
                                                                   const RunFunction& run) {
  const std::lock_guard lock(mutex_);
  if (last_ && last_->number > known && is_usable(last_->credential)) return *last_;
  auto credential = run();
  if (!credential) return base::Unexpected(std::move(credential).error());
  last_ = Given{*std::move(credential), last_ ? last_->number + 1 : 1};
  return *last_;
}

}  // namespace kube::client
