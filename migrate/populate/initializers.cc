#include "migrate/populate/initializers.h"

#include <algorithm>
#include <utility>

#include "kube/meta/names.h"
#include "migrate/populate/namespace_template.h"

namespace migrate::populate {
namespace {

using kube::json::Value;

// What is no name, by the pattern of the CRD, is left out.
std::vector<std::string> NamesIn(std::vector<std::string> texts) {
  std::erase_if(texts, [](const std::string& text) {
    return !kube::meta::Dns1123SubdomainProblems(text).empty();
  });
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
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
  std::vector<std::string> initializers;
  for (const Value& initializer : part(spec, "initializers").elements()) {
    initializers.emplace_back(initializer.FindText("name"));
  }
  return InitializationConfiguration{.name = std::string(part(object, "metadata").FindText("name")),
                                     .selector = *std::move(read),
                                     .initializers = NamesIn(std::move(initializers))};
}

std::vector<std::string> ReadInitializers(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return NamesIn(std::move(names));
}

}  // namespace migrate::populate
