#include "kube/admission/handler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/meta/names.h"

namespace kube::admission {
namespace {

std::string WithHyphens(std::string_view id) {
  std::string text(id);
  std::ranges::replace(text, '_', '-');
  return text;
}

}  // namespace

std::string NameOfId(std::string_view id) {
  std::string name = WithHyphens(id);
  std::ranges::replace(name, '/', '.');
  return name;
}

std::string PathOfId(std::string_view id) { return WithHyphens(id); }

std::string WebhookName(std::string_view id, std::string_view configuration) {
  return NameOfId(id).append(".").append(configuration);
}

bool IsOurWebhook(std::string_view name, std::string_view configuration) {
  return name.size() > configuration.size() + 1 && name.ends_with(configuration) &&
         name[name.size() - configuration.size() - 1] == '.';
}

std::optional<std::string> WebhookNameProblem(std::string_view name) {
  const std::vector<std::string> problems = meta::Dns1123SubdomainProblems(name);
  if (!problems.empty()) return base::Join(problems, ",");
  if (std::ranges::count(name, '.') < 2) {
    return "should be a domain with at least three segments separated by dots";
  }
  return std::nullopt;
}

namespace {

std::vector<std::string> OptionProblems(const HandlerOptions& options) {
  std::vector<std::string> problems;
  if (options.resources.empty()) problems.emplace_back("it is for no resource");
  // kubernetes pkg/apis/admissionregistration/validation.
  if (options.timeout < std::chrono::seconds(1) || options.timeout > std::chrono::seconds(30)) {
    problems.emplace_back("the timeout value must be between 1 and 30 seconds");
  }
  std::ranges::move(ObjectFilterProblems(options.object), std::back_inserter(problems));
  std::ranges::move(LabelSelectorProblems(options.namespace_labels), std::back_inserter(problems));
  return problems;
}

}  // namespace

Handler Validate(std::string id, HandlerOptions options, ValidateFunction function) {
  return {std::move(id), std::move(options), std::move(function)};
}

Handler Mutate(std::string id, HandlerOptions options, MutateFunction function) {
  return {std::move(id), std::move(options), std::move(function)};
}

void Handlers::Add(Handler handler) {
  std::vector<std::string> problems = OptionProblems(handler.options);
  if (!meta::LooksLikeDns1123Subdomain(NameOfId(handler.id))) {
    problems.emplace_back("an id is words of a-z, 0-9, - and _, with / or . between them");
  }
  for (const Handler& other : handlers_) {
    if (NameOfId(other.id) != NameOfId(handler.id)) continue;
    problems.push_back("its webhook would have the name of that of \"" + other.id + "\"");
  }
  if (!problems.empty()) {
    throw base::Error("admission handler \"" + handler.id + "\": " + base::Join(problems, "; "));
  }
  handlers_.push_back(std::move(handler));
}

const Handler* Handlers::Find(std::string_view path) const {
  const auto found = std::ranges::find_if(handlers_, [path](const Handler& handler) {
    return handler.id == path || PathOfId(handler.id) == path;
  });
  return found == handlers_.end() ? nullptr : &*found;
}

}  // namespace kube::admission
