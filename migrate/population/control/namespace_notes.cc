#include "migrate/population/control/namespace_notes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "migrate/populate/keys.h"
#include "migrate/population/call_words.h"
#include "migrate/population/writer.h"

namespace migrate::population::control {
namespace {

// A namespace that is gone, or on its way out, takes nothing.
bool IsOver(const kube::client::CallError& error) {
  return error.status && (error.status->code == 404 || error.status->code == 409 ||
                          error.status->message.ends_with("because it is being terminated"));
}

}  // namespace

NamespaceNotes::NamespaceNotes(Options options, const PopulationOptions& population,
                               const kube::client::Session& session)
    : options_(std::move(options)), population_(population), session_(session) {}

// The label before Events, and what went wrong before what went well: whoever waits for the first
// shall not wait for the last, of which a new template brings one in every namespace.
void NamespaceNotes::Send(const std::vector<std::string>& namespaces, PopulationState& state) {
  std::map<std::string, std::string> uids;
  Writes labels, troubles;
  for (const std::string& name : namespaces) {
    const auto found = state.input.namespaces.find(name);
    if (found == state.input.namespaces.end()) continue;
    const std::string& uid = uids[name] = found->second.uid;
    if (!IsToBeMarked(name, state)) continue;
    labels.push_back(std::make_unique<SingleWrite>(name, PopulatedLabelRequest(name, uid)));
  }
  const std::string time = options_.time_of_day();
  for (const NamespaceEvent& event : events_.Take(uids)) {
    (event.is_warning ? troubles : kept_)
        .push_back(std::make_unique<SingleWrite>(event.namespace_, EventRequest(event, time)));
  }
  if (!kept_since_ && !kept_.empty()) kept_since_ = session_.clock.Now();
  SendAll(std::move(labels), "cannot note that namespaces were populated: ", is_label_trouble_told_,
          [&state](const std::string& name) { state.outcomes[name].is_unfinished = true; });
  SendEvents(std::move(troubles));
}

void NamespaceNotes::SendKept(std::size_t most) {
  const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(std::min(most, kept_.size()));
  Writes sent(std::make_move_iterator(kept_.begin()), std::make_move_iterator(end));
  kept_.erase(kept_.begin(), end);
  if (kept_.empty()) kept_since_.reset();
  SendEvents(std::move(sent));
}

void NamespaceNotes::DropKept() {
  kept_.clear();
  kept_since_.reset();
}

void NamespaceNotes::SendEvents(Writes events) {
  SendAll(std::move(events), "cannot create Events in namespaces: ", is_event_trouble_told_,
          [](const std::string&) {});
}

bool NamespaceNotes::IsToBeMarked(const std::string& name, const PopulationState& state) const {
  const auto outcome = state.outcomes.find(name);
  if (!options_.marks_populated || outcome == state.outcomes.end()) return false;
  const populate::TargetNamespace& target = state.input.namespaces.at(name).target;
  return !outcome->second.is_unfinished && !target.IsPopulated() && !target.OptsOut() &&
         name != populate::kSystemNamespace;
}

// A server words a trouble anew for each namespace. Where nothing is sent nothing is known to be
// well again.
void NamespaceNotes::SendAll(Writes writes, const std::string& trouble, bool& is_told,
                             const FailureFunction& on_failure) {
  if (writes.empty() || session_.is_stopped()) return;
  std::string problem;
  const auto on_done = [&](const sweep::write::Exchange& exchange) {
    const auto& write = static_cast<const SingleWrite&>(exchange);
    if (!write.error() || IsOver(*write.error())) return;
    problem = WordsOf(*write.error());
    on_failure(write.namespace_name());
  };
  Writer writer(population_, session_, on_done, options_.on_tick);
  for (auto& write : writes) writer.Begin(std::move(write));
  writer.Finish();
  if (!problem.empty() && !is_told) options_.tell(trouble + problem);
  is_told = !problem.empty();
}

}  // namespace migrate::population::control
