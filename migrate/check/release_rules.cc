#include "migrate/check/release_rules.h"

#include <string>

namespace migrate::check {
namespace {

using kube::base::Release;
using kube::meta::FieldError;

constexpr Release kNumberFormats{1, 36};
constexpr Release kCaBundles{1, 31};
constexpr Release kRatcheting{1, 30};
constexpr Release kRules{1, 25};

// In the words of kube-openapi's number validation.
bool IsOfNumberFormat(const FieldError& error) {
  const std::size_t at = error.detail.find(" value must be of type ");
  return at != std::string::npos && error.detail.find(" with format ", at) != std::string::npos;
}

/// Older servers drop rules.
bool IsOfRules(const FieldError& error) {
  constexpr std::string_view kKeyword = "x-kubernetes-validations";
  return error.field.find(kKeyword) != std::string::npos || error.detail.starts_with(kKeyword);
}

}  // namespace

ServerRules RulesOf(const std::optional<Release>& release) {
  return {.ratchets = release && *release >= kRatcheting, .release = release};
}

std::optional<Release> FirstRelease(const FieldError& error) {
  if (IsOfNumberFormat(error)) return kNumberFormats;
  if (error.field == "spec.conversion.webhookClientConfig.caBundle") return kCaBundles;
  if (IsOfRules(error)) return kRules;
  return std::nullopt;
}

std::optional<Release> LaterRelease(const FieldError& error, const std::optional<Release>& server) {
  const std::optional<Release> first = FirstRelease(error);
  return first && server && *server < *first ? first : std::nullopt;
}

}  // namespace migrate::check
