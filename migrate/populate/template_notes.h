#pragma once

#include <functional>
#include <string>

#include "kube/client/session.h"
#include "migrate/populate/cluster_template.h"
#include "migrate/populate/population_state.h"

namespace migrate::populate {

/// Takes what could not be noted, and whether that is as the template has changed, or is gone.
using NoteErrorFunction = std::function<void(const std::string& error, bool is_changed)>;

/// Says in each template that is not left alone what it has by the outcomes of all namespaces: its
/// ApplySet and its status; in each that is refused, why, as of `now`, RFC 3339; and of one that is
/// only disabled that it is not refused. Nothing is sent for one that says so already. `on_error`
/// takes what could not be noted. False: that is to be done again.
bool NoteInTemplates(PopulationState& state, const TemplateWriter& writer, const std::string& now,
                     const NoteErrorFunction& on_error, const kube::client::Session& session);

}  // namespace migrate::populate
