#pragma once

#include <string>

#include "kube/yaml/yaml.h"
#include "migrate/check/suggest_making.h"

/// What is told of a suggestion beside it.
namespace plugin::report {

/// For the suggested CRD: at each change what it rests on, e.g. "412 of 2000 objects, string;
/// helm, old-operator". The addresses are those of suggestion.crd.
kube::yaml::Comments CommentsOf(const migrate::check::CrdSuggestion& crd);

/// The whole of the suggestion for a person: how much was added, what was fixed and what is left,
/// a line each, and what the check of it says. Ends with a line break.
std::string SuggestionSummary(const migrate::check::CrdSuggestion& crd);

}  // namespace plugin::report
