#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/json/json.h"
#include "migrate/check/object_diff.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/cluster_kinds.h"
#include "migrate/report/population_report.h"
#include "migrate/rewrite/exchange_pool.h"
#include "migrate/rewrite/retry.h"

namespace migrate::populate {

/// What a write is sent for.
enum class WriteMode : std::uint8_t {
  kStore,
  kDryRun,  ///< to hear what the server says; it stores nothing
  kShow,    ///< the same, and to show what would change: the object is read before
};

/// An object before a write and after it, as the server shows it: JSON. Empty: there is none.
struct ObjectStates {
  std::string now, after;
};

/// Has `taker` compare them, as `kubectl diff` does: without metadata.managedFields, and of Secrets
/// with *** in the place of each value, which says of a value that changes "(before)" or "(after)".
/// What `kubectl apply` has noted of a Secret in an annotation is such a value too.
void ShowStates(const ObjectStates& states, const ServedKind& kind, std::string_view namespace_,
                std::string_view name, check::ChangeTaker& taker);

/// An object as it is to be in a namespace.
struct ObjectToApply {
  ServedKind kind;  ///< in the version that it is written in
  ObjectKey key;
  std::string namespace_, template_name;
  std::string body;  ///< JSON
  /// The resourceVersion of what was made of a template and is there already; empty: it is not
  /// known that something is.
  std::string known_version{};
};

/// One object on its way to the server, as a server-side apply of kubectl-prune-populate. No I/O.
///
/// It is sent without force first. Where others own fields that would change, the server names
/// them, and it is sent again with force, so that manual changes are set back; but not where the
/// object is a member of somebody else's ApplySet, which would lose it (KEP-3659).
///
/// To be shown it is read first, and once more where it has changed by the time of the answer.
class ObjectApply final : public rewrite::Exchange {
 public:
  /// `patience`: how long it is tried again.
  ObjectApply(ObjectToApply object, WriteMode mode, kube::base::Clock::Duration patience)
      : object_(std::move(object)),
        mode_(mode),
        asks_(mode == WriteMode::kShow ? Asks::kObject : Asks::kApply),
        budget_(patience) {}

  kube::client::ApiRequest Request() const override;
  Step OnAnswer(std::string_view body, const std::optional<kube::client::CallError>& error,
                kube::json::Document& document, kube::base::Clock::TimePoint now) override;

  const ObjectToApply& object() const { return object_; }
  // What became of it, once it is done.
  report::PopulationClass result() const { return result_; }
  const std::string& message() const { return message_; }
  /// The last request had no answer of the server, so that the next one may have none.
  bool is_unanswered() const { return is_unanswered_; }
  /// It is not sent, and has failed.
  void GiveUp(std::string why) { message_ = std::move(why); }
  // As the server has it, where it was applied.
  const std::string& uid() const { return uid_; }
  const std::string& resource_version() const { return resource_version_; }
  // The same to be shown.
  const ObjectStates& states() const { return states_; }

 private:
  enum class Asks : std::uint8_t { kObject, kApply };

  Step OnRead(std::string_view body, std::string resource_version);
  Step ReadAgain();
  Step OnApplied(std::string_view body, const kube::json::Value& metadata);
  Step OnConflict(const kube::client::ApiStatus& status);
  Step Fail(const rewrite::AnswerVerdict& verdict, std::string message,
            kube::base::Clock::TimePoint now);

  ObjectToApply object_;
  WriteMode mode_;
  Asks asks_;
  std::string read_version_;  // of the object that was read; empty: there was none
  int readings_ = 0;          // that were out of date
  ObjectStates states_;
  bool is_forced_ = false, is_unanswered_ = false;
  std::string set_back_;  // of others, by force
  rewrite::RetryBudget budget_;
  report::PopulationClass result_ = report::PopulationClass::kFailed;
  std::string message_;
  std::string uid_, resource_version_;
};

/// The objects of one namespace, one after the other in their order: a RoleBinding may be refused
/// where its Role is not there yet.
class NamespaceApply final : public rewrite::Exchange {
 public:
  /// Is told of each object that is done.
  using OnDone = std::function<void(const ObjectApply&)>;

  /// There is at least one object. With `gives_up` those behind one without an answer are not sent,
  /// and have failed.
  NamespaceApply(std::vector<ObjectToApply> objects, WriteMode mode,
                 kube::base::Clock::Duration patience, bool gives_up, OnDone on_done);

  kube::client::ApiRequest Request() const override { return current_->Request(); }
  Step OnAnswer(std::string_view body, const std::optional<kube::client::CallError>& error,
                kube::json::Document& document, kube::base::Clock::TimePoint now) override;

 private:
  void BeginNext();
  void GiveUpRest(const std::string& key);

  std::vector<ObjectToApply> objects_;
  std::size_t next_ = 0;
  const WriteMode mode_;
  const kube::base::Clock::Duration patience_;
  const bool gives_up_;
  OnDone on_done_;
  std::unique_ptr<ObjectApply> current_;
};

}  // namespace migrate::populate
