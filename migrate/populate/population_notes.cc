#include "migrate/populate/population_notes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "migrate/populate/call_words.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/writer.h"

namespace migrate::populate {
namespace {

// A namespace that is gone, or on its way out, takes nothing.
bool IsOver(const kube::client::CallError& error) {
  return error.status && (error.status->code == 404 || error.status->code == 409 ||
                          error.status->message.ends_with("because it is being terminated"));
}

}  // namespace

PopulationNotes::PopulationNotes(Options options, const PopulationOptions& population,
                                 const kube::client::Session& session)
    : options_(std::move(options)), population_(population), session_(session) {}

// The label before Events, and what went wrong before what went well: whoever waits for the first
// shall not wait for the last, of which a new template brings one in every namespace.
void PopulationNotes::Send(const std::vector<std::string>& namespaces, PopulationState& state) {
  std::map<std::string, std::string> uids;
  Writes labels, troubles;
  for (const std::string& name : namespaces) {
    const auto found = state.input.namespaces.find(name);
    if (found == state.input.namespaces.end()) continue;
    const std::string& uid = uids[name] = found->second.uid;
    if (!IsToBeMarked(name, state)) continue;
    labels.push_back(std::make_unique<SingleWrite>(name, PopulatedLabelRequest(name, uid)));
  }
  const std::string time = population_.time_of_day();
  for (const PopulationEvent& event : events_.Take(uids)) {
    (event.is_warning ? troubles : kept_)
        .push_back(std::make_unique<SingleWrite>(event.name, EventRequest(event, time)));
  }
  if (!kept_since_ && !kept_.empty()) kept_since_ = session_.clock.Now();
  SendAll(std::move(labels), "cannot note that namespaces were populated: ", is_label_trouble_told_,
          [&state](const std::string& name) { state.outcomes[name].is_unfinished = true; });
  SendEvents(std::move(troubles));
}

void PopulationNotes::SendKept(std::size_t most) {
  const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(std::min(most, kept_.size()));
  Writes sent(std::make_move_iterator(kept_.begin()), std::make_move_iterator(end));
  kept_.erase(kept_.begin(), end);
  if (kept_.empty()) kept_since_.reset();
  SendEvents(std::move(sent));
}

void PopulationNotes::DropKept() {
  kept_.clear();
  kept_since_.reset();
}

void PopulationNotes::SendRefusals(const PopulationInput& input) {
  std::map<std::string, std::string> refusals;
  Writes events;
  for (const auto& [name, refusal] : input.refused) {
    refusals[name] = refusal.why;
    const auto told = told_refusals_.find(name);
    if (told != told_refusals_.end() && told->second == refusal.why) continue;
    const PopulationEvent event{
        .about = PopulationEvent::About::kTemplate,
        .name = name,
        .uid = input.known.at(name).uid,
        .is_warning = true,
        .reason = refusal.reason,
        .message = "it is left alone, and what was made of it: " + refusal.why};
    events.push_back(
        std::make_unique<SingleWrite>(name, EventRequest(event, population_.time_of_day())));
  }
  told_refusals_ = std::move(refusals);
  SendEvents(std::move(events));
}

void PopulationNotes::SendEvent(const PopulationEvent& event) {
  Writes events;
  events.push_back(
      std::make_unique<SingleWrite>(event.name, EventRequest(event, population_.time_of_day())));
  SendEvents(std::move(events));
}

void PopulationNotes::SendEvents(Writes events) {
  SendAll(std::move(events), "cannot create Events: ", is_event_trouble_told_,
          [](const std::string&) {});
}

bool PopulationNotes::IsToBeMarked(const std::string& name, const PopulationState& state) const {
  const auto outcome = state.outcomes.find(name);
  if (!options_.marks_populated || outcome == state.outcomes.end()) return false;
  const ClusterNamespace& found = state.input.namespaces.at(name);
  const TargetNamespace& target = found.target;
  const bool waits = !target.pending_initializers.empty() && !target.OptsOut();
  if (waits && !options_.is_overdue(found)) return false;
  // Of one that opts out by its annotation alone the webhook's selector knows nothing else.
  return !outcome->second.is_unfinished && !target.IsPopulated() && !target.OptsOutByLabel() &&
         name != kSystemNamespace;
}

// A server words a trouble anew for each namespace. Where nothing is sent nothing is known to be
// well again.
void PopulationNotes::SendAll(Writes writes, const std::string& trouble, bool& is_told,
                              const FailureFunction& on_failure) {
  if (writes.empty() || session_.is_stopped()) return;
  std::string problem;
  const auto on_done = [&](const rewrite::Exchange& exchange) {
    const auto& write = static_cast<const SingleWrite&>(exchange);
    if (!write.error() || IsOver(*write.error())) return;
    problem = WordsOf(*write.error());
    on_failure(write.about());
  };
  Writer writer(population_, session_, on_done, options_.on_tick);
  for (auto& write : writes) writer.Begin(std::move(write));
  writer.Finish();
  if (!problem.empty() && !is_told) options_.tell(trouble + problem);
  is_told = !problem.empty();
}

}  // namespace migrate::populate
