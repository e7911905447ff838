#pragma once

#include <string>
#include <vector>

#include "kube/client/kubeconfig_file.h"

/// Which clusters a fleet has.
namespace plugin::command {

/// The words of --contexts with the lines of FILE in the place of each @FILE: one name or pattern a
/// line; blank lines and those that begin with # say nothing. Throws kube::base::Error for a file
/// that cannot be read, or says nothing.
std::vector<std::string> ReadPatterns(const std::vector<std::string>& words);

/// The names of the contexts that some pattern names or matches, sorted bytewise, each once. In a
/// pattern * stands for any characters, ? for one, [a-z] for one of these. Throws kube::base::Error
/// for a pattern that chooses nothing: it lists the contexts that there are.
std::vector<std::string> ChooseContexts(const std::vector<std::string>& patterns,
                                        const kube::client::Kubeconfig& kubeconfig);

/// Why nothing can be said of a context by its name: it leads to no server that the kubeconfig
/// knows, so that what surrounds the program would say which one is asked. Empty: it does.
std::string WhyNowhere(const std::string& context, const kube::client::Kubeconfig& kubeconfig);

}  // namespace plugin::command
