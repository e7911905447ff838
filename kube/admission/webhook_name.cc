#include "kube/admission/webhook_name.h"

#include <algorithm>

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

}  // namespace kube::admission
