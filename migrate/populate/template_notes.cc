#include "migrate/populate/template_notes.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

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

}  // namespace migrate::populate
