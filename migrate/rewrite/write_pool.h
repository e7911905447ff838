#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kube/client/session.h"
#include "migrate/rewrite/exchange_pool.h"
#include "migrate/rewrite/object_write.h"

namespace migrate::rewrite {

/// The writes of a sweep that are under way.
class WritePool : public ExchangePool {
 public:
  /// As ExchangePool; `target` must outlive it, too.
  WritePool(const SweepTarget& target, Throttle throttle,
            std::function<void(const std::string&)> on_wait, const kube::client::Session& session)
      : ExchangePool(throttle, std::move(on_wait), session), target_(target) {}

  /// Is told what became of an object.
  using OnWritten = std::function<void(const ObjectWrite&)>;
  void TakeAnswers(const OnWritten& on_written, const OnDone& on_put_off = nullptr) {
    ExchangePool::TakeAnswers(
        [&on_written](const Exchange& exchange) {
          on_written(static_cast<const ObjectWrite&>(exchange));
        },
        on_put_off);
  }

  void Begin(cluster::SpooledObject object) {
    ExchangePool::Begin(std::make_unique<ObjectWrite>(target_, std::move(object)));
  }

 private:
  const SweepTarget& target_;
};

}  // namespace migrate::rewrite
