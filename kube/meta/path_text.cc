#include "kube/meta/path_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace kube::meta {

std::string FieldPath::ToString() const {
  std::vector<const FieldPath*> steps;
  for (const FieldPath* step = this; step != nullptr; step = step->parent_) steps.push_back(step);
  std::string text;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!text.empty()) text += '.';
    text.append((*step)->name_);
    if ((*step)->kind_ == Kind::kKey) text.append("[").append((*step)->key_).append("]");
    if ((*step)->kind_ == Kind::kIndex) {
      text.append("[").append(std::to_string((*step)->index_)).append("]");
    }
  }
  return text;
}

namespace {

using base::Unexpected;

// What is deeper is not named by hand.
constexpr std::size_t kMostSteps = 200;

// Up to and with '], \' and \\ being a quote and a backslash. Absent where there is no end.
std::optional<std::string> TakeQuoted(std::string_view& text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("']")) {
      text.remove_prefix(i + 2);
      return name;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    name += text[i];
  }
  return std::nullopt;
}

bool IsIndex(std::string_view text) {
  return text == "*" ||
         (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos);
}

// `text` is not empty; what was read is taken off.
base::Result<WrittenStep, std::string> TakeStep(std::string_view& text) {
  if (text.starts_with("['")) {
    text.remove_prefix(2);
    auto name = TakeQuoted(text);
    if (!name) return Unexpected<std::string>("a [' has no '] behind it");
    return WrittenStep{.name = *std::move(name)};
  }
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    const std::string_view index = text.substr(1, end == text.npos ? end : end - 1);
    if (end == text.npos || !IsIndex(index)) {
      return Unexpected<std::string>("behind a [ comes a number or * and a ], or 'NAME']");
    }
    text.remove_prefix(end + 1);
    return WrittenStep{.is_index = true, .is_any = index == "*", .name = std::string(index)};
  }
  const std::size_t end = std::min(text.find_first_of(".["), text.size());
  if (end == 0) return Unexpected<std::string>("a name in it is empty");
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  return WrittenStep{.is_any = name == "*", .name = std::string(name)};
}

}  // namespace

base::Result<std::vector<WrittenStep>, std::string> ParsePathText(std::string_view text) {
  std::vector<WrittenStep> steps;
  if (text.starts_with('.')) text.remove_prefix(1);
  if (text.empty()) return Unexpected<std::string>("it names nothing");
  while (!text.empty()) {
    if (steps.size() == kMostSteps) return Unexpected<std::string>("it is too long");
    auto step = TakeStep(text);
    if (!step) return Unexpected(std::move(step).error());
    steps.push_back(*std::move(step));
    if (!text.starts_with('.')) continue;
    text.remove_prefix(1);
    if (text.empty()) return Unexpected<std::string>("a name in it is empty");
  }
  return steps;
}

}  // namespace kube::meta
