#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/json/json.h"
#include "kube/system/clock.h"
#include "migrate/spool/spool.h"
#include "migrate/sweep/source/object_source.h"
#include "migrate/sweep/write/sweep_target.h"

namespace migrate {

/// Objects that are named: reads the metadata of one after the other, some at a time, into a spool,
/// and goes on where the spool ends.
///
/// One that is not found is answered as gone. Any other that cannot be read is spooled without uid
/// and resourceVersion: what is wrong with it is found out by the write.
class NamedObjects : public ObjectSource {
 public:
  /// All must outlive it.
  NamedObjects(const SweepTarget& target, const std::vector<ObjectName>& names, std::size_t at_once,
               Spool& spool, kube::Client& client, const kube::Clock& clock);
  ~NamedObjects() override;

  void Advance() override;
  void NameOnly() override;
  void Stop() override;
  bool is_done() const override { return is_done_; }
  const std::optional<kube::CallError>& error() const override { return no_error_; }
  std::optional<std::uint64_t> remaining() const override;
  kube::Clock::TimePoint next_event() const override;

 private:
  class Read;
  void BeginPage();
  bool IsPageRead() const;

  const SweepTarget& target_;
  const std::vector<ObjectName>& names_;
  const std::size_t at_once_;
  Spool& spool_;
  kube::Client& client_;
  const kube::Clock& clock_;
  bool names_only_ = false;
  bool is_done_;
  std::optional<kube::CallError> no_error_;
  std::vector<std::unique_ptr<Read>> page_;
  kube::json::Document document_;
};

}  // namespace migrate
