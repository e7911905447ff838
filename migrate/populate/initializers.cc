#include "migrate/populate/initializers.h"

#include <algorithm>
#include <utility>

#include "migrate/populate/namespace_template.h"

namespace migrate::populate {
namespace {

using kube::json::Value;

void SortOnce(std::vector<std::string>& names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

kube::base::Result<InitializationConfiguration, std::vector<std::string>>
ReadInitializationConfiguration(const Value& object) {
  const Value nothing = Value::Object();
  const auto part = [&nothing](const Value& of, std::string_view key) -> const Value& {
    const Value* found = of.Find(key);
    return found == nullptr ? nothing : *found;
  };
  const Value& spec = part(object, "spec");
  const Value* selector = part(spec, "namespaces").Find("labelSelector", kube::json::Type::kObject);
  if (selector == nullptr) {
    return kube::base::Unexpected(
        std::vector<std::string>{"spec.namespaces.labelSelector: Required value"});
  }
  auto read = ReadNamespaceSelector(*selector);
  if (!read) return kube::base::Unexpected(kube::meta::SortedStrings(read.error()));
  InitializationConfiguration configuration{
      .name = std::string(part(object, "metadata").FindText("name")),
      .selector = *std::move(read),
      .initializers = {}};
  for (const Value& initializer : part(spec, "initializers").elements()) {
    configuration.initializers.emplace_back(initializer.FindText("name"));
  }
  std::erase(configuration.initializers, "");
  SortOnce(configuration.initializers);
  return configuration;
}

std::vector<std::string> ReadInitializers(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  std::erase(names, "");
  SortOnce(names);
  return names;
}

}  // namespace migrate::populate
