#include "migrate/populate/population.h"

#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "migrate/populate/expansion.h"
#include "migrate/populate/population_notes.h"
#include "migrate/populate/population_round.h"

namespace migrate::populate {
namespace {
using report::DryRun;
using report::PopulatedObject;
using report::PopulationRemark;

PopulationState ReadState(const PopulationOptions& options, const kube::client::Session& session) {
  PopulationInput input = ReadPopulationInput(options.namespaces, options.trusts_creator, session);
  auto kinds = ClusterKinds::Read(GroupsOf(input), session);
  if (!kinds) throw kube::base::Error(kinds.error());
  return {.input = std::move(input), .kinds = *std::move(kinds)};
}

class PopulationRun {
 public:
  PopulationRun(const PopulationOptions& options, const kube::client::Session& session)
      : options_(options),
        session_(session),
        state_(ReadState(options, session)),
        notes_({.marks_populated = false,
                .tell = [this](const std::string& text) { Warn(text); },
                .on_tick = [] {}},
               options_, session_) {
    report_.dry_run = options.dry_run;
    for (const PopulationRemark& remark : state_.input.remarks) Remark(remark.kind, remark.text);
  }

  report::PopulationReport Run() {
    if (!session_.is_stopped()) Populate();
    if (!session_.is_stopped() && IsComplete()) {
      NoteInTemplates(
          state_,
          TemplateWriter(options_.version, options_.dry_run == DryRun::kServer, options_.patience,
                         session_),
          options_.time_of_day(), [this](const std::string& error, bool) { Fault(error); },
          session_);
    }
    report_.is_interrupted = session_.is_stopped();
    for (auto& [name, objects] : objects_) {
      std::ranges::move(objects, std::back_inserter(report_.objects));
    }
    return std::move(report_);
  }

 private:
  /// All that there is was looked at, and what is noted of it is stored.
  bool IsComplete() const {
    return options_.dry_run == DryRun::kNone && options_.namespaces.empty();
  }

  void Remark(PopulationRemark::Kind kind, std::string text) {
    if (kind == PopulationRemark::Kind::kError) report_.has_errors = true;
    report_.remarks.push_back({.kind = kind, .text = std::move(text)});
  }
  void Note(std::string text) { Remark(PopulationRemark::Kind::kNote, std::move(text)); }
  void Warn(std::string text) { Remark(PopulationRemark::Kind::kWarning, std::move(text)); }
  void Fault(std::string text) { Remark(PopulationRemark::Kind::kError, std::move(text)); }

  void Populate() {
    if (state_.input.known.empty()) {
      Note("the cluster has no NamespaceTemplate; what was made of those that are gone stays");
    }
    std::vector<std::string> names;
    for (const auto& [name, found] : state_.input.namespaces) {
      names.push_back(name);
      if (!found.is_terminating || options_.namespaces.empty()) continue;
      Note(name + " is being deleted, and gets nothing new");
    }
    const RoundNews news = {
        .on_expansion = [this](const std::string& name,
                               const Expansion& expansion) { Log(name, expansion); },
        .on_object =
            [this](const PopulatedObject& object) {
              notes_.events().HandleObject(object);
              objects_[object.namespace_].push_back(object);
            },
        .on_error = [this](const std::string& error) { Fault(error); },
        .is_changed = {},
        .on_progress =
            [this](std::size_t done, std::size_t expected) {
              if (options_.on_progress) options_.on_progress(done, expected);
            }};
    RunRound(names, options_, state_, news, session_);
    if (options_.dry_run == DryRun::kNone) SendEvents(names);
  }

  void SendEvents(const std::vector<std::string>& names) {
    notes_.SendRefusals(state_.input);
    notes_.Send(names, state_);
    notes_.SendKept(names.size());
  }

  void Log(const std::string& name, const Expansion& expansion) {
    notes_.events().HandleExpansion(name, expansion);
    if (!options_.namespaces.empty()) ReportStanding(name, expansion);
    for (const auto& replaced : expansion.replaced) Warn(name + ": " + Describe(replaced));
    for (const auto& held : expansion.held) Warn(name + ": " + Describe(held));
  }

  // Of those that are named: of all it would be no news.
  void ReportStanding(const std::string& name, const Expansion& expansion) {
    const std::string standing = DescribeStanding(name, expansion.standing);
    if (!standing.empty()) return Note(standing);
    if (expansion.templates.empty()) Note("no template selects " + name);
  }

  const PopulationOptions& options_;
  const kube::client::Session session_;
  PopulationState state_;
  PopulationNotes notes_;
  report::PopulationReport report_;
  std::map<std::string, std::vector<PopulatedObject>> objects_;  // by namespace
};

}  // namespace

report::PopulationReport Populate(const PopulationOptions& options,
                                  const kube::client::Session& session) {
  return PopulationRun(options, session).Run();
}

}  // namespace migrate::populate
