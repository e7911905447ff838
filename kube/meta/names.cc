#include "kube/meta/names.h"

#include <algorithm>
#include <span>

#include "kube/base/text.h"

namespace kube::meta {
namespace {

using kube::base::IsDigit;

constexpr std::size_t kLabelLimit = 63;
constexpr std::size_t kSubdomainLimit = 253;

constexpr std::string_view kDns1035LabelText =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kDns1123LabelText =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kDns1123SubdomainText =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelKeyText =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLabelValueText =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLowerOrDigit(char c) { return IsLower(c) || IsDigit(c); }
bool IsAlphanumeric(char c) { return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }

bool LooksLikeDns1035Label(std::string_view text) {
  return LooksLikeDns1123Label(text) && IsLower(text.front());
}

bool LooksLikeLabelKeyName(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

/// Kubernetes counts bytes; one of its packages calls them characters.
std::string TooLongText(std::size_t limit, std::string_view unit) {
  return "must be no more than " + std::to_string(limit) + " " + std::string(unit);
}

std::vector<std::string> Problems(std::string_view text, std::size_t limit, bool matches,
                                  std::string_view message, std::string_view unit = "characters") {
  std::vector<std::string> problems;
  if (text.size() > limit) problems.push_back(TooLongText(limit, unit));
  if (!matches) problems.emplace_back(message);
  return problems;
}

std::vector<std::string> LabelKeyPrefixProblems(std::string_view prefix) {
  if (prefix.empty()) return {"prefix part must be non-empty"};
  std::vector<std::string> problems = Problems(
      prefix, kSubdomainLimit, LooksLikeDns1123Subdomain(prefix), kDns1123SubdomainText, "bytes");
  for (std::string& problem : problems) problem.insert(0, "prefix part ");
  return problems;
}

void AddLabelKeyNameProblems(std::string_view name, std::vector<std::string>& problems) {
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > kLabelLimit) {
    problems.push_back("name part " + TooLongText(kLabelLimit, "bytes"));
  }
  if (!LooksLikeLabelKeyName(name)) problems.push_back("name part " + std::string(kLabelKeyText));
}

}  // namespace

bool LooksLikeDns1123Label(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

bool LooksLikeDns1123Subdomain(std::string_view text) {
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    if (!LooksLikeDns1123Label(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return LooksLikeDns1123Label(text);
}

std::vector<std::string> Dns1035LabelProblems(std::string_view text) {
  return Problems(text, kLabelLimit, LooksLikeDns1035Label(text), kDns1035LabelText);
}

std::vector<std::string> Dns1123LabelProblems(std::string_view text) {
  const bool has_dots_only = LooksLikeDns1123Subdomain(text);
  return Problems(text, kLabelLimit, LooksLikeDns1123Label(text),
                  has_dots_only ? "must not contain dots" : kDns1123LabelText);
}

std::vector<std::string> Dns1123SubdomainProblems(std::string_view text) {
  return Problems(text, kSubdomainLimit, LooksLikeDns1123Subdomain(text), kDns1123SubdomainText);
}

std::vector<std::string> LabelKeyProblems(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    std::vector<std::string> problems;
    AddLabelKeyNameProblems(text, problems);
    return problems;
  }
  if (text.find('/', slash + 1) != std::string_view::npos) {
    return {"a valid label key " + std::string(kLabelKeyText) +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  std::vector<std::string> problems = LabelKeyPrefixProblems(text.substr(0, slash));
  AddLabelKeyNameProblems(text.substr(slash + 1), problems);
  return problems;
}

std::vector<std::string> LabelValueProblems(std::string_view text) {
  return Problems(text, kLabelLimit, text.empty() || LooksLikeLabelKeyName(text), kLabelValueText,
                  "bytes");
}

std::vector<std::string> PathSegmentProblems(std::string_view text, bool is_prefix) {
  if (!is_prefix && text == ".") return {"may not be '.'"};
  if (!is_prefix && text == "..") return {"may not be '..'"};
  std::vector<std::string> problems;
  if (text.find('/') != std::string_view::npos) problems.emplace_back("may not contain '/'");
  if (text.find('%') != std::string_view::npos) problems.emplace_back("may not contain '%'");
  return problems;
}

std::string ToLowerForDns(std::string_view text) {
  constexpr std::string_view kKelvinSign = "\u212A";
  constexpr std::string_view kDottedI = "\u0130";
  std::string lower;
  while (!text.empty()) {
    const bool is_kelvin = text.starts_with(kKelvinSign);
    const bool is_dotted_i = text.starts_with(kDottedI);
    const char c = text.front();
    lower += is_kelvin ? 'k' : is_dotted_i ? 'i' : c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    text.remove_prefix(is_kelvin ? kKelvinSign.size() : is_dotted_i ? kDottedI.size() : 1);
  }
  return lower;
}

std::string NamespacedName(std::string_view namespace_, std::string_view name) {
  std::string text(namespace_);
  return text.append(namespace_.empty() ? "" : "/").append(name);
}

}  // namespace kube::meta
