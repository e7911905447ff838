#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/populate/cluster_kinds.h"
#include "migrate/populate/object_apply.h"
#include "migrate/populate/population_input.h"
#include "migrate/report/population_report.h"
#include "migrate/rewrite/exchange_pool.h"
#include "migrate/rewrite/retry.h"

namespace migrate::populate {

/// Whether what was made of a template may be deleted where it is not wanted any more: the template
/// has to be as the deletion was planned by, or as gone. Asks the server, once for each template,
/// and again some seconds after a leave was given.
class DeletionCheck {
 public:
  /// Is told, once, of a template of which nothing may be deleted: it `is_changed`, or the server
  /// does not say. Not where the session was stopped meanwhile.
  using RefusedFunction = std::function<void(const std::string& template_name, bool is_changed,
                                             const std::string& why)>;

  /// Both must outlive it.
  DeletionCheck(const PopulationInput& input, const kube::client::Session& session,
                RefusedFunction on_refused)
      : input_(input), session_(session), on_refused_(std::move(on_refused)) {}

  /// Why not; absent: it may.
  const std::optional<std::string>& WhyNot(const std::string& template_name);

 private:
  struct Answer {
    std::optional<std::string> why_not{};
    kube::base::Clock::TimePoint at{};
  };

  std::optional<std::string> Ask(const std::string& template_name) const;

  const PopulationInput& input_;
  const kube::client::Session session_;
  const RefusedFunction on_refused_;
  std::map<std::string, Answer> answers_;  // by template
};

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
