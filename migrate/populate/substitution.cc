#include "migrate/populate/substitution.h"

#include <algorithm>
#include <vector>

#include "migrate/populate/keys.h"

namespace migrate::populate {
namespace {

// Of a request (apiserver pkg/server/options, MaxRequestBodyBytes).
constexpr std::size_t kMostBytes = 3 * 1024 * 1024;
constexpr std::string_view kNamespace = "$(NAMESPACE)", kCreator = "$(CREATOR)";

// The one that `text` begins with; empty if there is none.
std::string_view ReferenceAt(std::string_view text) {
  if (text.starts_with(kNamespace)) return kNamespace;
  return text.starts_with(kCreator) ? kCreator : std::string_view();
}

}  // namespace

bool UsesCreator(const kube::json::Value& value) {
  Substitution substitution({.namespace_ = "", .creator = kCreator});
  std::vector<const kube::json::Value*> open{&value};
  while (!open.empty() && !substitution.used_creator()) {
    const kube::json::Value& next = *open.back();
    open.pop_back();
    const bool has_it = next.is_string() && next.text().find(kCreator) != std::string_view::npos;
    if (has_it) substitution.Expand(next.text());
    for (const kube::json::Value& element : next.elements()) open.push_back(&element);
    for (const kube::json::Member& member : next.members()) open.push_back(&member.value);
  }
  return substitution.used_creator();
}

std::string Substitution::Creator() {
  used_creator_ = true;
  if (variables_.creator && !variables_.creator->empty()) return std::string(*variables_.creator);
  problem_ =
      std::string("$(CREATOR) is not known: the namespace has no annotation ") + kCreatorAnnotation;
  return std::string(kCreator);
}

std::string Substitution::Expand(std::string_view text) {
  std::string expanded;
  std::size_t at = 0;
  while (at < text.size() && expanded.size() <= kMostBytes) {
    const std::size_t dollar = std::min(text.find('$', at), text.size());
    expanded += text.substr(at, dollar - at);
    if (dollar == text.size()) break;
    const std::string_view rest = text.substr(dollar);
    const std::string_view escaped = ReferenceAt(rest.substr(1));
    const std::string_view reference = ReferenceAt(rest);
    if (!reference.empty()) {
      expanded += reference == kCreator ? Creator() : std::string(variables_.namespace_);
    } else {
      expanded += escaped.empty() ? "$" : escaped;
    }
    at = dollar + (reference.empty() ? 1 + escaped.size() : reference.size());
  }
  bytes_ += expanded.size();
  if (bytes_ > kMostBytes) problem_ = "it becomes larger than an API server takes";
  return expanded;
}

void Substitution::ApplyTo(kube::json::Value& value, kube::json::Arena& arena) {
  // Not by recursion: values may be nested very deeply.
  std::vector<kube::json::Value*> open{&value};
  while (!open.empty() && problem_.empty()) {
    kube::json::Value& next = *open.back();
    open.pop_back();
    if (next.is_string() && next.text().find('$') != std::string_view::npos) {
      next = kube::json::Value::String(arena.Copy(Expand(next.text())));
    }
    for (kube::json::Value& element : next.elements()) open.push_back(&element);
    for (kube::json::Member& member : next.members()) open.push_back(&member.value);
  }
}

}  // namespace migrate::populate
