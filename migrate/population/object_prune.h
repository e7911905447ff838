#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kube/client/client.h"
#include "kube/json/json.h"
#include "kube/system/clock.h"
#include "migrate/population/cluster_kinds.h"
#include "migrate/report/population_report.h"
#include "migrate/sweep/write/exchange.h"
#include "migrate/sweep/write/retry.h"

namespace migrate::population {

/// An object that was proven to be made of a template (populate::Membership).
struct ObjectToPrune {
  ServedKind kind;
  std::string namespace_, name, template_name;
  std::string uid, resource_version;  ///< as which it was proven
};

/// One object on its way out. No I/O.
///
/// It is deleted as what was proven, by uid and resourceVersion; after a conflict it is read, and
/// proven again, before the next try. What is somebody else's by then, or another object of its
/// name, is kept.
class ObjectPrune final : public sweep::write::Exchange {
 public:
  /// `patience`: how long it is tried again.
  ObjectPrune(ObjectToPrune object, bool is_dry_run, kube::system::Clock::Duration patience)
      : object_(std::move(object)), is_dry_run_(is_dry_run), budget_(patience) {}

  kube::client::ApiRequest Request() const override;
  Step OnAnswer(std::string_view body, const std::optional<kube::client::CallError>& error,
                kube::json::Document& document, kube::system::Clock::TimePoint now) override;

  const ObjectToPrune& object() const { return object_; }
  // What became of it, once it is done.
  report::PopulationClass result() const { return result_; }
  const std::string& message() const { return message_; }

 private:
  enum class Asks : std::uint8_t { kDeletion, kObject };

  std::string DeletionBody() const;
  Step OnObject(std::string_view body, kube::json::Document& document,
                kube::system::Clock::TimePoint now);
  Step End(report::PopulationClass result, std::string message = "");
  Step Fail(const sweep::write::AnswerVerdict& verdict, std::string message,
            kube::system::Clock::TimePoint now);

  ObjectToPrune object_;
  bool is_dry_run_;
  Asks asks_ = Asks::kDeletion;
  bool may_be_deleted_ = false;  // by a try without a clear answer
  sweep::write::RetryBudget budget_;
  report::PopulationClass result_ = report::PopulationClass::kFailed;
  std::string message_;
};

}  // namespace migrate::population
