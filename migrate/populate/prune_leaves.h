#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/populate/population_input.h"

namespace migrate::populate {

/// Whether what was made of a template may be deleted where it is not wanted any more: the template
/// has to be as the deletion was planned by, or as gone. Asks the server, once for each template,
/// and again some seconds after a leave was given.
class PruneLeaves {
 public:
  /// Is told, once, of a template of which nothing may be deleted: it `is_changed`, or the server
  /// does not say. Not where the session was stopped meanwhile.
  using RefusedFunction = std::function<void(const std::string& template_name, bool is_changed,
                                             const std::string& why)>;

  /// Both must outlive it.
  PruneLeaves(const PopulationInput& input, const kube::client::Session& session,
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

}  // namespace migrate::populate
