#include <algorithm>
#include <set>
#include <string>

#include "kube/base/base64.h"
#include "kube/crd/ca_bundle.h"
#include "kube/crd/crd_spec_validation.h"
#include "kube/go/go_format.h"
#include "kube/go/go_url.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"

namespace kube::crd {
namespace {

using kube::meta::FieldError;
using kube::meta::InvalidText;
using kube::meta::Required;

constexpr const char* kClientConfig = "spec.conversion.webhookClientConfig";
constexpr const char* kReviewVersions = "spec.conversion.conversionReviewVersions";

void ValidateUrl(const std::string& text, std::vector<FieldError>& errors) {
  const std::string path = meta::Child(kClientConfig, "url");
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const auto url = go::ParseUrl(text);
  if (!url) {
    errors.push_back(
        Required(path, "url must be a valid URL: " + url.error() + std::string(kForm)));
    return;
  }
  if (url->scheme != "https") {
    errors.push_back(InvalidText(path, url->scheme,
                                 "'https' is the only allowed URL scheme" + std::string(kForm)));
  }
  if (url->host.empty()) {
    errors.push_back(InvalidText(path, "", "host must be specified" + std::string(kForm)));
  }
  if (url->user) {
    errors.push_back(InvalidText(path, *url->user, "user information is not permitted in the URL"));
  }
  if (!url->fragment.empty()) {
    errors.push_back(InvalidText(path, url->fragment, "fragments are not permitted in the URL"));
  }
  if (!url->raw_query.empty()) {
    errors.push_back(
        InvalidText(path, url->raw_query, "query parameters are not permitted in the URL"));
  }
}

void ValidatePathSegments(const std::string& path, const std::string& written,
                          std::vector<FieldError>& errors) {
  std::string_view rest = std::string_view(written).substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (std::size_t i = 0;; ++i) {
    const std::size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    const std::string name = "segment[" + std::to_string(i) + "]";
    if (segment.empty()) errors.push_back(InvalidText(path, written, name + " may not be empty"));
    for (const std::string& problem : meta::Dns1123SubdomainProblems(segment)) {
      if (!segment.empty()) errors.push_back(InvalidText(path, written, name + ": " + problem));
    }
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void ValidateServicePath(const std::string& path, const std::string& written,
                         std::vector<FieldError>& errors) {
  if (written.empty() || written == "/") return;
  if (written == "//") {
    errors.push_back(InvalidText(path, written, "segment[0] may not be empty"));
    return;
  }
  if (!written.starts_with('/')) {
    errors.push_back(InvalidText(path, written, "must start with a '/'"));
  }
  ValidatePathSegments(path, written, errors);
}

void ValidateService(const WebhookService& service, std::vector<FieldError>& errors) {
  const std::string path = meta::Child(kClientConfig, "service");
  // The server mixes the two names up.
  if (service.namespace_.empty()) errors.push_back(Required(meta::Child(path, "name")));
  if (service.name.empty()) errors.push_back(Required(meta::Child(path, "namespace")));
  if (service.port < 1 || service.port > 65535) {
    errors.push_back(meta::Invalid(meta::Child(path, "port"), std::to_string(service.port),
                                   "port is not valid: must be between 1 and 65535, inclusive"));
  }
  if (service.path) ValidateServicePath(meta::Child(path, "path"), *service.path, errors);
}

void ValidateClientConfig(const Crd& crd, const CrdRules& rules, std::vector<FieldError>& errors) {
  const auto& config = crd.conversion.client_config;
  if (!config) {
    errors.push_back(Required(kClientConfig, "required when strategy is set to Webhook"));
    return;
  }
  if (config->url.has_value() == config->service.has_value()) {
    errors.push_back(Required(kClientConfig, "exactly one of url or service is required"));
  } else if (config->url) {
    ValidateUrl(*config->url, errors);
  } else {
    ValidateService(*config->service, errors);
  }
  if (rules.allow_invalid_ca_bundle) return;
  if (auto error = CaBundleError(crd)) errors.push_back(*std::move(error));
}

void ValidateReviewVersions(const Crd& crd, const CrdRules& rules,
                            std::vector<FieldError>& errors) {
  static const std::vector<std::string> kNone;
  const auto& versions = crd.conversion.review_versions ? *crd.conversion.review_versions : kNone;
  if (versions.empty()) {
    errors.push_back(Required(kReviewVersions));
    return;
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::string path = meta::Index(kReviewVersions, i);
    if (!seen.insert(versions[i]).second) {
      errors.push_back(InvalidText(path, versions[i], "duplicate version"));
      continue;
    }
    for (const std::string& problem : meta::Dns1035LabelProblems(versions[i])) {
      errors.push_back(InvalidText(path, versions[i], problem));
    }
  }
  if (rules.require_recognized_review_version &&
      std::ranges::none_of(versions, IsRecognizedReviewVersion)) {
    errors.push_back(meta::Invalid(kReviewVersions, meta::PrintStrings(versions),
                                   "must include at least one of v1, v1beta1"));
  }
}

}  // namespace

void ValidateConversion(const Crd& crd, const CrdRules& rules, std::vector<FieldError>& errors) {
  constexpr const char* kStrategy = "spec.conversion.strategy";
  const std::string& strategy = crd.conversion.strategy;
  static const std::vector<std::string> kStrategies = {"None", "Webhook"};
  if (strategy.empty()) {
    errors.push_back(Required(kStrategy));
  } else if (std::ranges::find(kStrategies, strategy) == kStrategies.end()) {
    errors.push_back(meta::NotSupported(kStrategy, go::GoQuote(strategy), kStrategies));
  }
  if (strategy != "None" && crd.preserve_unknown_fields) {
    errors.push_back(meta::Invalid(kStrategy, meta::PrintJsonText(strategy),
                                   "must be None if spec.preserveUnknownFields is true"));
  }
  if (strategy == "Webhook") {
    ValidateClientConfig(crd, rules, errors);
    ValidateReviewVersions(crd, rules, errors);
    return;
  }
  constexpr std::string_view kNotSet = "should not be set when strategy is not set to Webhook";
  if (crd.conversion.client_config) errors.push_back(meta::Forbidden(kClientConfig, kNotSet));
  if (crd.conversion.review_versions && !crd.conversion.review_versions->empty()) {
    errors.push_back(meta::Forbidden(kReviewVersions, kNotSet));
  }
}

}  // namespace kube::crd
