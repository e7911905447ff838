#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/json/json.h"
#include "migrate/populate/cluster_kinds.h"
#include "migrate/populate/object_states.h"
#include "migrate/report/population_report.h"
#include "migrate/rewrite/exchange.h"
#include "migrate/rewrite/retry.h"

namespace migrate::populate {

/// An object that was proven to be made of a template (Membership).
struct ObjectToPrune {
  ServedKind kind;
  std::string namespace_, name, template_name;
  std::string uid, resource_version;  ///< as which it was proven
};

/// One object on its way out. No I/O.
///
/// It is deleted as what was proven, by uid and resourceVersion; after a conflict it is read, and
/// proven again, before the next try. What is somebody else's by then, or another object of its
/// name, is kept. To be shown it is read, and proven, first.
class ObjectPrune final : public rewrite::Exchange {
 public:
  /// `patience`: how long it is tried again.
  ObjectPrune(ObjectToPrune object, WriteMode mode, kube::base::Clock::Duration patience)
      : object_(std::move(object)),
        mode_(mode),
        asks_(mode == WriteMode::kShow ? Asks::kObject : Asks::kDeletion),
        budget_(patience) {}

  kube::client::ApiRequest Request() const override;
  Step OnAnswer(std::string_view body, const std::optional<kube::client::CallError>& error,
                kube::json::Document& document, kube::base::Clock::TimePoint now) override;

  const ObjectToPrune& object() const { return object_; }
  // What became of it, once it is done.
  report::PopulationClass result() const { return result_; }
  const std::string& message() const { return message_; }
  // The same to be shown.
  const ObjectStates& states() const { return states_; }

 private:
  enum class Asks : std::uint8_t { kDeletion, kObject };

  std::string DeletionBody() const;
  Step OnObject(std::string_view body, kube::json::Document& document,
                kube::base::Clock::TimePoint now);
  Step End(report::PopulationClass result, std::string message = "");
  Step Fail(const rewrite::AnswerVerdict& verdict, std::string message,
            kube::base::Clock::TimePoint now);

  ObjectToPrune object_;
  WriteMode mode_;
  Asks asks_;
  ObjectStates states_;
  bool may_be_deleted_ = false;  // by a try without a clear answer
  rewrite::RetryBudget budget_;
  report::PopulationClass result_ = report::PopulationClass::kFailed;
  std::string message_;
};

}  // namespace migrate::populate
