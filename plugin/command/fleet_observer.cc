#include "plugin/command/fleet_observer.h"

#include <utility>

#include "plugin/terminal/migration_console.h"

namespace plugin::command {

void FleetObserver::OnForetold(const std::string& crd_name,
                               const migrate::report::ForetoldLoss& loss) {
  if (answers_ != Answers::kPerson) return MigrationObserver::OnForetold(crd_name, loss);
  foretold_crd_ = crd_name;
  foretold_ = loss;
}

void FleetObserver::RequireAnswer() {
  if (answers_ == Answers::kNobody) throw terminal::NobodyToAsk();
}

bool FleetObserver::Confirm(const std::string& question) {
  RequireAnswer();
  if (answers_ == Answers::kYes) return true;
  Request request{.cluster = cluster_, .question = question};
  if (foretold_) {
    request.crd = foretold_crd_;
    request.loss = std::exchange(foretold_, std::nullopt);
  }
  places_.release();
  const bool is_agreed = question_.Confirm(std::move(request));
  places_.acquire();
  return is_agreed;
}

}  // namespace plugin::command
