#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/cluster/spool.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {

/// Objects that are named: reads the metadata of one after the other, some at a time, into a spool,
/// and goes on where the spool ends.
///
/// One that is not found is answered as gone. Any other that cannot be read is spooled without uid
/// and resourceVersion: what is wrong with it is found out by the write.
class NamedObjects : public ObjectSource {
 public:
  /// All must outlive it.
  NamedObjects(const SweepTarget& target, const std::vector<ObjectName>& names, std::size_t at_once,
               cluster::Spool& spool, const kube::client::Session& session);
  ~NamedObjects() override;

  void Advance() override;
  void NameOnly() override;
  void Stop() override;
  bool is_done() const override { return is_done_; }
  const std::optional<kube::client::CallError>& error() const override { return no_error_; }
  std::optional<std::uint64_t> remaining() const override;
  kube::base::Clock::TimePoint next_event() const override;

 private:
  class Read;
  void BeginPage();
  bool IsPageRead() const;

  const SweepTarget& target_;
  const std::vector<ObjectName>& names_;
  const std::size_t at_once_;
  cluster::Spool& spool_;
  const kube::client::Session session_;
  bool names_only_ = false;
  bool is_done_;
  std::optional<kube::client::CallError> no_error_;
  std::vector<std::unique_ptr<Read>> page_;
  kube::json::Document document_;
};

/// The objects of an earlier sweep that ended in some classes, with the resource versions that were
/// answered.
class PreviousObjects : public ObjectSource {
 public:
  /// Those of `previous`, which nobody may write meanwhile, into `spool`; both must outlive it.
  /// Goes on where the spool ends.
  PreviousObjects(const cluster::Spool& previous, std::set<report::ObjectClass> classes,
                  cluster::Spool& spool);

  void Advance() override;
  void Stop() override { is_done_ = true; }
  bool is_done() const override { return is_done_; }
  const std::optional<kube::client::CallError>& error() const override { return no_error_; }
  std::optional<std::uint64_t> remaining() const override { return remaining_; }
  kube::base::Clock::TimePoint next_event() const override;

 private:
  cluster::ListedObject ReadObject();
  void FindAnswers();
  void HandleAnswer(std::uint64_t at, cluster::ListedObject& object);

  const cluster::Spool& previous_;
  std::set<report::ObjectClass> classes_;
  cluster::Spool& spool_;
  bool is_done_;
  std::optional<kube::client::CallError> no_error_;
  std::uint64_t remaining_ = 0;
  cluster::LineReader objects_;
  std::uint64_t next_ = 0;  // number of the object that is read next
  // Where the answers of some objects from `answers_from_` on start.
  std::vector<std::uint64_t> answers_;
  std::uint64_t answers_from_ = 0;
};

}  // namespace migrate::rewrite
