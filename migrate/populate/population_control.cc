#include "migrate/populate/population_control.h"

#include <algorithm>
#include <utility>

#include "kube/base/text.h"
#include "kube/meta/label_match.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/population_notes.h"
#include "migrate/populate/population_round.h"

namespace migrate::populate {
namespace {

// A new namespace waits no longer than for these.
constexpr std::size_t kMostAtOnce = 250;
constexpr std::chrono::seconds kPatience(1), kAnswerLimit(5);
// Namespaces come and go; templates need not say so each time.
constexpr std::chrono::seconds kNotePause(1), kLongestNotePause(5);
constexpr std::chrono::seconds kNoteRetry(10);
// Objects come before what is said of them.
constexpr std::chrono::seconds kLongestKept(30);
// A kind that is missing may be there by now.
constexpr std::chrono::seconds kKindsPause(10);
// So may be what guards $(CREATOR).
constexpr std::chrono::seconds kGuardPause(2);

// What fails is tried again by another round, so that no namespace holds up the others for long.
ControlOptions WatchedOptions(ControlOptions options) {
  options.population.patience = kPatience;
  options.population.answer_limit = kAnswerLimit;
  options.population.comes_again = true;
  return options;
}

/// By what templates look at. That it was populated is said by us.
bool IsLookedAtAlike(const ClusterNamespace& a, const ClusterNamespace& b) {
  TargetNamespace one = a.target, other = b.target;
  one.labels.erase(kPopulatedLabel);
  other.labels.erase(kPopulatedLabel);
  return one == other && a.uid == b.uid && a.is_terminating == b.is_terminating;
}

bool IsSameTemplate(const TemplateEntry& now, const ClusterTemplate& known,
                    const NamespaceTemplate* usable) {
  if (now.known.uid != known.uid || now.known.generation != known.generation) return false;
  if (!now.usable || usable == nullptr) return !now.usable && usable == nullptr;
  return now.usable->is_disabled == usable->is_disabled;
}

}  // namespace

PopulationControl::PopulationControl(ControlOptions options, PopulationCounts& counts,
                                     KnownPopulation* known, const kube::client::Session& session,
                                     const kube::client::Session& round_session)
    : options_(WatchedOptions(std::move(options))),
      counts_(counts),
      session_(session),
      round_session_(round_session),
      watch_(
          session, options_.tell, [this] { feed_.FeedSoon(); }, options_.marks_populated),
      feed_(known, watch_, session.clock),
      notes_({.marks_populated = options_.marks_populated,
              .is_overdue = [this](const ClusterNamespace& found) { return IsOverdue(found); },
              .tell = options_.tell,
              .on_tick = [this] { Look(); }},
             options_.population, round_session) {}

bool PopulationControl::Begin() {
  if (!watch_.Begin()) return false;
  if (options_.population.trusts_creator) state_.input.SetCreatorGuard("");
  feed_.Begin();
  TakeChanges();
  PublishCounts();
  return true;
}

bool PopulationControl::is_busy() const {
  const auto next = due_.next();
  const bool is_due = next && *next <= session_.clock.Now();
  return is_leading_ && !watch_.blind_since() && (is_due || AreEventsDue());
}

void PopulationControl::Advance() {
  Look();
  TakeChanges();
  const auto now = session_.clock.Now();
  const bool leads = options_.leads() && !round_session_.is_stopped();
  if (leads && !is_leading_) BeginToLead();
  is_leading_ = leads;
  if (leads && options_.resync.count() > 0 && now >= resync_due_) LookAtAllAnew();
  LookAtClosed();
  LookAtGuard();
  ReportLeftAlone();
  const std::vector<std::string> names =
      leads && !watch_.blind_since() ? due_.Take(kMostAtOnce, now) : std::vector<std::string>();
  if (!names.empty()) LookAt(names);
  // Of what was not done to its end, or was done by another one, nothing is known.
  if (round_session_.is_stopped()) is_leading_ = false;
  // Whoever leads by now has more to tell.
  if (!is_leading_) notes_.DropKept();
  if (is_leading_ && AreEventsDue()) notes_.SendKept(kMostAtOnce);
  if (is_leading_ && std::exchange(are_refusals_new_, false)) notes_.SendRefusals(state_.input);
  if (is_leading_ && IsNoteDue() && HasLookedAtAll()) Note();
  PublishCounts();
}

// Also while a round lasts: webhooks go by it.
void PopulationControl::Look() {
  watch_.Advance();
  feed_.Feed();
}

void PopulationControl::NoteSoon() {
  if (!note_due_) note_due_ = session_.clock.Now() + kNotePause;
}

// What is seen while a round goes on, and what is not seen at all, is left to the next one.
bool PopulationControl::IsChanged(const std::string& namespace_,
                                  const std::string& template_name) const {
  if (watch_.blind_since()) return true;
  const PopulationChanges& changes = watch_.changes();
  const auto found = changes.namespaces.find(namespace_);
  const auto old = state_.input.namespaces.find(namespace_);
  const bool is_another = found != changes.namespaces.end() &&
                          (!found->second || old == state_.input.namespaces.end() ||
                           !IsLookedAtAlike(*found->second, old->second));
  if (is_another) return true;
  const auto entry = changes.templates.find(template_name);
  if (entry == changes.templates.end()) return false;
  const auto known = state_.input.known.find(template_name);
  return !entry->second || known == state_.input.known.end() ||
         !IsSameTemplate(*entry->second, known->second, state_.input.FindTemplate(template_name));
}

// A namespace that has been made and deleted in between leaves nothing behind.
void PopulationControl::TakeChanges() {
  PopulationChanges changes = watch_.TakeChanges();
  if (changes.empty()) return;
  for (auto& [name, found] : changes.namespaces) HandleNamespace(name, std::move(found));
  for (auto& [name, entry] : changes.templates) HandleTemplate(name, std::move(entry));
}

void PopulationControl::HandleNamespace(const std::string& name,
                                        std::optional<ClusterNamespace> found) {
  const auto old = state_.input.namespaces.find(name);
  const bool was_there = old != state_.input.namespaces.end();
  const bool is_another = was_there && (!found || found->uid != old->second.uid);
  if (is_another) {
    state_.outcomes.erase(name);
    // In one that was made anew there may be what a round has just put there.
    if (!found) state_.members.RemoveNamespace(name);
    due_.Forget(name);
    notes_.events().Forget(name);
    NoteSoon();
  }
  if (!found) {
    if (was_there) state_.input.namespaces.erase(old);
    return;
  }
  if (!was_there || is_another) {
    due_.AddNew(name);
  } else if (!IsLookedAtAlike(*found, old->second)) {
    due_.Add(name);
  }
  if (options_.marks_populated && !IsOverdue(*found)) closed_.insert(name);
  state_.input.namespaces.insert_or_assign(name, *std::move(found));
}

bool PopulationControl::IsOverdue(const ClusterNamespace& found) const {
  return options_.now() - found.created >= options_.initialization_timeout;
}

// One of them opens by its age: that is told by who leads then, and noted by the label.
void PopulationControl::LookAtClosed() {
  for (auto each = closed_.begin(); each != closed_.end();) {
    const auto found = state_.input.namespaces.find(*each);
    const bool is_there = found != state_.input.namespaces.end();
    if (is_there && !found->second.target.IsPopulated() && !IsOverdue(found->second)) {
      ++each;
      continue;
    }
    const std::string why = is_there ? WhyClosed(found->second) : "";
    if (!why.empty() && is_leading_) {
      notes_.SendEvent({.about = PopulationEvent::About::kNamespace,
                        .name = *each,
                        .uid = found->second.uid,
                        .is_warning = true,
                        .reason = "OpenedLate",
                        .message = "it takes objects of everybody after " +
                                   std::to_string(options_.initialization_timeout.count()) +
                                   " seconds: " + why});
      due_.Add(*each);
    }
    each = closed_.erase(each);
  }
}

/// What a namespace lacks that everybody waits for; empty: nothing.
std::string PopulationControl::WhyClosed(const ClusterNamespace& found) const {
  const TargetNamespace& target = found.target;
  if (found.is_terminating || target.IsPopulated() || target.OptsOut()) return "";
  if (!target.pending_initializers.empty()) {
    return "its initializers " + kube::base::Join(target.pending_initializers, ", ") +
           " have not finished";
  }
  const auto outcome = state_.outcomes.find(target.name);
  const bool is_populated = outcome != state_.outcomes.end() && !outcome->second.is_unfinished;
  return is_populated ? "" : "it does not have all objects of its templates";
}

void PopulationControl::HandleTemplate(const std::string& name,
                                       std::optional<TemplateEntry> entry) {
  const auto known = state_.input.known.find(name);
  const bool was_there = known != state_.input.known.end();
  if (!entry && !was_there) return;
  const bool is_same =
      entry && was_there && IsSameTemplate(*entry, known->second, state_.input.FindTemplate(name));
  if (is_same) return state_.input.PutTemplate(*std::move(entry));
  AddSelected(name);
  if (!entry) {
    state_.input.RemoveTemplate(name);
  } else {
    state_.input.PutTemplate(*std::move(entry));
    AddSelected(name);
  }
  changed_templates_.insert(name);
  NoteSoon();
}

// Not watched: it matters where something is about to be made by it, and then as it is now. Whoever
// waits for it waits some seconds.
void PopulationControl::LookAtGuard() {
  if (options_.population.trusts_creator || !state_.input.UsesCreator()) return;
  const auto now = session_.clock.Now();
  const bool is_round_due = is_leading_ && !watch_.blind_since() && due_.CountDue(now) > 0;
  if (!is_round_due && (is_guarded_ || now < guard_due_)) return;
  guard_due_ = now + kGuardPause;
  const std::string why_unguarded = ReadCreatorGuard(session_);
  if (session_.is_stopped()) return;
  is_guarded_ = why_unguarded.empty();
  for (const std::string& name : state_.input.SetCreatorGuard(why_unguarded)) {
    AddSelected(name);
    changed_templates_.insert(name);
    NoteSoon();
  }
}

void PopulationControl::ReportLeftAlone() {
  for (const std::string& name : std::exchange(changed_templates_, {})) {
    are_refusals_new_ = true;
    if (const auto remark = state_.input.WhyLeftAlone(name)) options_.tell(remark->text);
  }
}

// By the template as it is known now. What was made of it may be where it selects nothing any more.
void PopulationControl::AddSelected(const std::string& template_name) {
  const NamespaceTemplate* each = state_.input.FindTemplate(template_name);
  for (const auto& [name, found] : state_.input.namespaces) {
    const bool is_selected =
        each != nullptr && kube::meta::Matches(each->selector, found.target.labels);
    if (is_selected || state_.members.HasAny(name, template_name)) due_.Add(name);
  }
}

void PopulationControl::PublishCounts() {
  counts_.Set({.namespaces = state_.input.namespaces.size(),
               .templates = state_.input.known.size(),
               .due = due_.CountDue(session_.clock.Now()),
               .unfinished = due_.waiting(),
               .refused = is_leading_ ? state_.input.refused.size() : 0,
               .leads = is_leading_,
               .is_blind = watch_.blind_since().has_value()});
}

void PopulationControl::BeginToLead() {
  state_.outcomes.clear();
  are_refusals_new_ = true;
  LookAtAllAnew();
}

void PopulationControl::LookAtAllAnew() {
  resync_due_ = session_.clock.Now() + options_.resync;
  state_.members.ListAnew();
  groups_.clear();
  for (const auto& [name, found] : state_.input.namespaces) due_.Add(name);
}

void PopulationControl::LookAt(const std::vector<std::string>& names) {
  const bool has_kinds = ReadKinds(names);
  if (has_kinds) {
    counts_.CountRound();
    const RoundNews news = {.on_expansion =
                                [this](const std::string& name, const auto& expansion) {
                                  notes_.events().HandleExpansion(name, expansion);
                                },
                            .on_object =
                                [this](const report::PopulatedObject& object) {
                                  counts_.Count(object.population_class);
                                  notes_.events().HandleObject(object);
                                },
                            .on_error = options_.tell,
                            .is_changed =
                                [this](const std::string& name, const std::string& template_name) {
                                  return IsChanged(name, template_name);
                                },
                            .on_progress =
                                [this](std::size_t, std::size_t) {
                                  Look();
                                  options_.leads();
                                }};
    RunRound(names, options_.population, state_, news, round_session_);
    notes_.Send(names, state_);
  }
  const auto now = session_.clock.Now();
  for (const std::string& name : names) {
    const auto outcome = state_.outcomes.find(name);
    const bool is_there = outcome != state_.outcomes.end();
    due_.NoteDone(name, !has_kinds || (is_there && outcome->second.is_unfinished), now);
    const auto found = state_.input.namespaces.find(name);
    const bool is_postponed = has_kinds && !is_there && found != state_.input.namespaces.end() &&
                              !found->second.is_terminating;
    if (is_postponed) due_.Add(name);
  }
  const std::set<std::string> seen(names.begin(), names.end());
  for (const std::string& name : state_.members.TakeNewlySeen()) {
    if (!seen.contains(name) && state_.input.namespaces.contains(name)) due_.Add(name);
  }
  NoteSoon();
}

// False: they cannot be read, so that nothing is known to be missing or to be pruned.
bool PopulationControl::ReadKinds(const std::vector<std::string>& names) {
  const auto now = session_.clock.Now();
  const std::set<std::string> groups = GroupsOf(state_.input);
  bool is_due = groups != groups_;
  for (const std::string& name : names) {
    const auto outcome = state_.outcomes.find(name);
    const bool has_failed = outcome != state_.outcomes.end() && outcome->second.is_unfinished;
    is_due |= has_failed && now >= kinds_read_ + kKindsPause;
  }
  if (!is_due) return true;
  auto kinds = ClusterKinds::Read(groups, round_session_);
  if (round_session_.is_stopped()) return false;
  if (!kinds && !is_kinds_trouble_told_) {
    options_.tell("nothing is populated, as the kinds of the cluster cannot be read: " +
                  kinds.error());
  }
  is_kinds_trouble_told_ = !kinds;
  if (!kinds) return false;
  state_.kinds = *std::move(kinds);
  groups_ = groups;
  kinds_read_ = now;
  return true;
}

// Where some namespace is due all the time that does not hold them up for ever.
bool PopulationControl::AreEventsDue() const {
  const auto now = session_.clock.Now();
  const auto since = notes_.kept_since();
  return since && (due_.CountDue(now) == 0 || now >= *since + kLongestKept);
}

// The same.
bool PopulationControl::IsNoteDue() const {
  const auto now = session_.clock.Now();
  if (!note_due_ || now < *note_due_) return false;
  return due_.CountDue(now) == 0 || now >= *note_due_ + kLongestNotePause;
}

// Where a namespace waits for its first look, what is there is not known.
bool PopulationControl::HasLookedAtAll() const {
  return std::ranges::all_of(state_.input.namespaces, [this](const auto& entry) {
    return entry.second.is_terminating || state_.outcomes.contains(entry.first);
  });
}

void PopulationControl::Note() {
  const auto on_error = [this](const std::string& error, bool is_changed) {
    if (!is_changed) options_.tell(error);
  };
  const TemplateWriter writer(options_.population.version, /*is_dry_run=*/false,
                              options_.population.patience, round_session_);
  note_due_.reset();
  const std::string now = options_.population.time_of_day();
  if (NoteInTemplates(state_, writer, now, on_error, round_session_)) return;
  note_due_ = session_.clock.Now() + kNoteRetry;
}

}  // namespace migrate::populate
