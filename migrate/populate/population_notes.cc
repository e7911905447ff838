#include "migrate/populate/population_notes.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/client.h"
#include "kube/json/json.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/population_input.h"
#include "migrate/populate/population_round.h"
#include "migrate/rewrite/retry.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::populate {
namespace {

struct StatusOfTemplate {
  std::size_t namespaces = 0;
  std::vector<StatusFailure> failures{};
};

StatusOfTemplate StatusOf(const std::string& template_name, const PopulationState& state) {
  StatusOfTemplate status;
  for (const auto& [namespace_, outcome] : state.outcomes) {
    const auto found = outcome.templates.find(template_name);
    if (found == outcome.templates.end()) continue;
    if (found->second.selects) ++status.namespaces;
    std::ranges::copy(found->second.failures, std::back_inserter(status.failures));
  }
  // Answers come in any order, and the same failures are to be the same status.
  std::ranges::sort(status.failures, {}, [](const StatusFailure& failure) {
    return std::tie(failure.namespace_, failure.object);
  });
  return status;
}

NoteResult NoteWhatItHas(ClusterTemplate& known, const PopulationState& state,
                         const TemplateWriter& writer) {
  const ApplySetExtent extent = ExtentOf(known.name, state);
  const StatusOfTemplate status = StatusOf(known.name, state);
  NoteResult problem = writer.Narrow(known, extent.types, extent.namespaces);
  return problem ? problem : writer.WriteStatus(known, status.namespaces, status.failures);
}

}  // namespace

bool NoteInTemplates(PopulationState& state, const TemplateWriter& writer, const std::string& now,
                     const NoteErrorFunction& on_error, const kube::client::Session& session) {
  bool is_noted = true;
  for (auto& [name, known] : state.input.known) {
    if (session.is_stopped()) return false;
    const auto refusal = state.input.refused.find(name);
    NoteResult problem;
    if (refusal != state.input.refused.end()) {
      problem = writer.WriteRefusal(known, refusal->second, now);
    } else if (state.input.left_alone.contains(name)) {
      problem = writer.ClearRefusal(known);
    } else {
      problem = NoteWhatItHas(known, state, writer);
    }
    if (!problem || session.is_stopped()) continue;
    is_noted = false;
    on_error("what the template " + name + " has cannot be noted in it: " + problem->why,
             problem->is_changed);
  }
  return is_noted && !session.is_stopped();
}

namespace {

using kube::json::Arena;
using kube::json::Value;

// NoteLengthLimit (kubernetes pkg/apis/core/validation/events.go), in bytes.
constexpr std::size_t kMostNoteBytes = 1024;

std::string NamespacePath(const std::string& namespace_) {
  return std::string(kNamespacesPath) + "/" + kube::client::UrlEscape(namespace_);
}

kube::client::ApiRequest Write(std::string method, std::string target, const Value& body) {
  return {.method = std::move(method),
          .target = std::move(target) + "?fieldManager=" + kFieldManager,
          .accept = rewrite::kMetadataAccept,
          .content_type = "application/json",
          .body = kube::json::Print(body),
          .retry = false};
}

Value Object(std::initializer_list<std::pair<const char*, Value>> entries, Arena& arena) {
  Value object = Value::Object();
  for (const auto& [key, value] : entries) object.SetNew(key, value, arena);
  return object;
}

}  // namespace

SingleWrite::Step SingleWrite::OnAnswer(std::string_view,
                                        const std::optional<kube::client::CallError>& error,
                                        kube::json::Document&, kube::base::Clock::TimePoint) {
  error_ = error;
  was_slowdown_ = error && rewrite::ClassifyAnswer(*error).is_slowdown;
  retry_after_ = error && error->status ? error->status->retry_after : std::nullopt;
  return Step::kDone;
}

// An Event is in the namespace of what it is about, as which that of a Namespace has to be named
// (legacyValidateEvent in the same file).
kube::client::ApiRequest EventRequest(const PopulationEvent& event, const std::string& time) {
  Arena arena;
  const auto text = [](std::string_view value) { return Value::String(value); };
  const bool is_template = event.about == PopulationEvent::About::kTemplate;
  const std::string namespace_ = is_template ? "default" : event.name;
  const std::string api_version = is_template ? std::string(kGroup) + "/" + kVersion : "v1";
  const std::string prefix = event.name.substr(0, 50) + ".";
  const std::string message(kube::base::utf8::Prefix(event.message, kMostNoteBytes));
  Value about = Object({{"apiVersion", text(api_version)},
                        {"kind", text(is_template ? kTemplateKind : "Namespace")},
                        {"name", text(event.name)},
                        {"uid", text(event.uid)}},
                       arena);
  if (!is_template) about.SetNew("namespace", text(namespace_), arena);
  const Value metadata =
      Object({{"generateName", text(prefix)}, {"namespace", text(namespace_)}}, arena);
  const Value source = Object({{"component", text(kFieldManager)}}, arena);
  const Value body = Object({{"apiVersion", text("v1")},
                             {"kind", text("Event")},
                             {"metadata", metadata},
                             {"involvedObject", about},
                             {"reason", text(event.reason)},
                             {"message", text(message)},
                             {"type", text(event.is_warning ? "Warning" : "Normal")},
                             {"source", source},
                             {"firstTimestamp", text(time)},
                             {"lastTimestamp", text(time)},
                             {"count", Value::Number(std::int64_t{1}, arena)}},
                            arena);
  return Write("POST", NamespacePath(namespace_) + "/events", body);
}

kube::client::ApiRequest PopulatedLabelRequest(const std::string& namespace_,
                                               const std::string& uid) {
  Arena arena;
  const Value labels = Object({{kPopulatedLabel, Value::String("true")}}, arena);
  const Value metadata = Object({{"uid", Value::String(uid)}, {"labels", labels}}, arena);
  auto request = Write("PATCH", NamespacePath(namespace_), Object({{"metadata", metadata}}, arena));
  request.content_type = "application/merge-patch+json";
  return request;
}

namespace {

using report::PopulatedObject;
using report::PopulationClass;

// In one namespace at a time; the status of the template has more.
constexpr std::size_t kMostProblems = 10;
constexpr std::size_t kNamesShown = 10;

std::string EventNameOf(const PopulatedObject& object) {
  const ObjectKey key{{object.group, object.kind}, object.name};
  return key.ToString() + " of the template " + object.template_name;
}

std::string EventListOf(std::string_view what, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const std::size_t shown = std::min(names.size(), kNamesShown);
  std::string text =
      std::string(what) + " " + kube::base::Join(std::span(names).first(shown), ", ");
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::string ReasonOf(PopulationClass population_class) {
  switch (population_class) {
    case PopulationClass::kRefused:
      return "Refused";
    case PopulationClass::kFailed:
      return "Failed";
    case PopulationClass::kKept:
      return "Kept";
    case PopulationClass::kApplied:
    case PopulationClass::kUnchanged:
    case PopulationClass::kPruned:
    case PopulationClass::kGone:
      return "";
  }
  return "";
}

}  // namespace

void RoundEvents::HandleExpansion(const std::string& namespace_, const Expansion& expansion) {
  News& news = news_[namespace_];
  for (const auto& replaced : expansion.replaced) {
    news.problems.push_back({"Replaced", Describe(replaced)});
  }
  for (const auto& held : expansion.held) news.problems.push_back({"Held", Describe(held)});
}

void RoundEvents::HandleObject(const PopulatedObject& object) {
  News& news = news_[object.namespace_];
  const std::string reason = ReasonOf(object.population_class);
  if (!reason.empty()) {
    news.problems.push_back({reason, EventNameOf(object) + ": " + object.message});
  } else if (object.population_class == PopulationClass::kApplied) {
    news.applied.push_back(EventNameOf(object) +
                           (object.message.empty() ? "" : " (" + object.message + ")"));
  } else if (object.population_class == PopulationClass::kPruned) {
    news.pruned.push_back(EventNameOf(object));
  }
}

std::vector<PopulationEvent> RoundEvents::Take(const std::map<std::string, std::string>& uids) {
  std::vector<PopulationEvent> events;
  for (auto& entry : std::exchange(news_, {})) {
    const std::string& name = entry.first;
    News& news = entry.second;
    const auto uid = uids.find(name);
    if (uid == uids.end()) continue;
    const auto add = [&](bool is_warning, std::string reason, std::string message) {
      events.push_back({PopulationEvent::About::kNamespace, name, uid->second, is_warning,
                        std::move(reason), std::move(message)});
    };
    std::vector<std::string> done = {EventListOf("applied", news.applied),
                                     EventListOf("deleted", news.pruned)};
    std::erase(done, "");
    if (!done.empty()) add(false, "Populated", kube::base::Join(done, "; "));
    // Answers come in any order.
    std::ranges::sort(news.problems);
    news.problems.erase(std::unique(news.problems.begin(), news.problems.end()),
                        news.problems.end());
    std::set<std::size_t> told;
    for (const Problem& problem :
         std::span(news.problems).first(std::min(news.problems.size(), kMostProblems))) {
      const std::size_t hash = std::hash<std::string>()(problem.reason + problem.text);
      told.insert(hash);
      if (!told_[name].contains(hash)) add(true, problem.reason, problem.text);
    }
    if (told.empty()) {
      told_.erase(name);
    } else {
      told_[name] = std::move(told);
    }
  }
  return events;
}

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
    problem = kube::client::ServerMessage(*write.error());
    on_failure(write.about());
  };
  Writer writer(population_, session_, on_done, options_.on_tick);
  for (auto& write : writes) writer.Begin(std::move(write));
  writer.Finish();
  if (!problem.empty() && !is_told) options_.tell(trouble + problem);
  is_told = !problem.empty();
}

}  // namespace migrate::populate
