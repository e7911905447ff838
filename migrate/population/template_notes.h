#pragma once

#include <functional>
#include <string>

#include "kube/client/session.h"
#include "migrate/population/cluster_template.h"
#include "migrate/population/population_state.h"

namespace migrate::population {

/// Says in each template that is not left alone what it has by the outcomes of all namespaces: its
/// ApplySet and its status. Nothing is sent for one that says so already. `on_error` takes what
/// could not be noted.
void NoteInTemplates(PopulationState& state, const TemplateWriter& writer,
                     const std::function<void(const std::string&)>& on_error,
                     const kube::client::Session& session);

}  // namespace migrate::population
