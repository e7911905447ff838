#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What Kubernetes takes as names (k8s.io/apimachinery/pkg/util/validation and
/// pkg/api/validate/content). Each function returns what is wrong with a text, in the server's
/// words; nothing is wrong where the list is empty.
namespace kube::meta {

std::vector<std::string> Dns1035LabelProblems(std::string_view text);
std::vector<std::string> Dns1123LabelProblems(std::string_view text);
std::vector<std::string> Dns1123SubdomainProblems(std::string_view text);
/// A label key or "qualified name": example.com/MyName.
std::vector<std::string> LabelKeyProblems(std::string_view text);
std::vector<std::string> LabelValueProblems(std::string_view text);
/// A name that can be a segment of a URL's path; with `is_prefix` something will be added to it.
std::vector<std::string> PathSegmentProblems(std::string_view text, bool is_prefix);

/// `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, of any length.
bool LooksLikeDns1123Label(std::string_view text);
/// Such labels, joined by dots.
bool LooksLikeDns1123Subdomain(std::string_view text);

/// strings.ToLower as far as it can make a DNS name: ASCII, and the two other letters whose lower
/// case is ASCII.
std::string ToLowerForDns(std::string_view text);

/// "namespace/name"; the name alone of what is in no namespace.
std::string NamespacedName(std::string_view namespace_, std::string_view name);

}  // namespace kube::meta
