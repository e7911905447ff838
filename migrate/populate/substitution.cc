#include "migrate/populate/substitution.h"

#include <algorithm>
#include <vector>

#include "migrate/populate/keys.h"

namespace migrate::populate {
namespace {

// Of a request (apiserver pkg/server/options, MaxRequestBodyBytes).
constexpr std::size_t kMostBytes = 3 * 1024 * 1024;

}  // namespace

std::string Substitution::ValueOf(std::string_view name) {
  if (name == "NAMESPACE") return std::string(variables_.namespace_);
  if (name != "CREATOR") return "$(" + std::string(name) + ")";
  if (variables_.creator && !variables_.creator->empty()) return std::string(*variables_.creator);
  problem_ =
      std::string("$(CREATOR) is not known: the namespace has no annotation ") + kCreatorAnnotation;
  return "$(CREATOR)";
}

std::string Substitution::Expand(std::string_view text) {
  std::string expanded;
  const std::size_t last_end = text.rfind(')');
  std::size_t at = 0;
  while (at < text.size() && expanded.size() <= kMostBytes) {
    const std::size_t dollar = std::min(text.find('$', at), text.size());
    expanded += text.substr(at, dollar - at);
    if (dollar == text.size()) break;
    const std::string_view rest = text.substr(dollar);
    if (rest.starts_with("$(") && last_end != text.npos && dollar < last_end) {
      const std::size_t end = rest.find(')');
      expanded += ValueOf(rest.substr(2, end - 2));
      at = dollar + end + 1;
    } else {
      expanded += '$';
      at = dollar + (rest.starts_with("$$") ? 2 : 1);
    }
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
