#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/meta/label_match.h"

namespace migrate::populate {

/// Who has something to do in a new namespace before everybody may create objects in it.
struct InitializationConfiguration {
  std::string name;
  kube::meta::LabelSelector selector;     ///< of namespaces; empty: all
  std::vector<std::string> initializers;  ///< their names, sorted
};

/// Reads a NamespaceInitializationConfiguration as a cluster shows it, whose schema has had its
/// say. The errors are those of its selector, as of a template's, sorted bytewise.
kube::base::Result<InitializationConfiguration, std::vector<std::string>>
ReadInitializationConfiguration(const kube::json::Value& object);

/// The names in the text of a namespace's annotation, "a,b", sorted, each once. What can be the
/// name of no initializer is left out: anybody may have written it before the webhook was there.
std::vector<std::string> ReadInitializers(std::string_view text);

}  // namespace migrate::populate
