#include "migrate/population/template_notes.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace migrate::population {
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

}  // namespace

void NoteInTemplates(PopulationState& state, const TemplateWriter& writer,
                     const std::function<void(const std::string&)>& on_error,
                     const kube::client::Session& session) {
  for (auto& [name, known] : state.input.known) {
    if (state.input.left_alone.contains(name)) continue;
    if (session.is_stopped()) return;
    const ApplySetExtent extent = ExtentOf(name, state);
    const StatusOfTemplate status = StatusOf(name, state);
    std::string why = writer.Narrow(known, extent.types, extent.namespaces);
    if (why.empty()) why = writer.WriteStatus(known, status.namespaces, status.failures);
    if (!why.empty() && !session.is_stopped()) {
      on_error("what the template " + name + " has cannot be noted in it: " + why);
    }
  }
}

}  // namespace migrate::population
