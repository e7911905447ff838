#include "kube/mutation/reference.h"

#include <charconv>
#include <cstddef>
#include <utility>

namespace kube::mutation {
namespace {

const json::Value* Follow(const json::Value& value, const meta::WrittenStep& step) {
  if (!step.is_index) return value.Find(step.name);
  std::size_t index = 0;
  const char* end = step.name.data() + step.name.size();
  const bool is_read = std::from_chars(step.name.data(), end, index).ec == std::errc();
  return is_read && index < value.elements().size() ? &value.elements()[index] : nullptr;
}

// Outside of ['...'].
bool HasBlank(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '\'') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && static_cast<unsigned char>(text[i]) <= ' ') {
      return true;
    }
  }
  return false;
}

}  // namespace

bool LooksLikeReference(std::string_view text) {
  return text.size() >= 2 && text.front() == '(' && text.back() == ')';
}

base::Result<Reference, std::string> Reference::Parse(std::string_view text) {
  const std::string_view path = text.substr(1, text.size() - 2);
  if (HasBlank(path)) {
    return base::Unexpected<std::string>("a name with blanks has to be quoted, as ['a b']");
  }
  auto steps = meta::ParsePathText(path);
  if (!steps) return base::Unexpected(std::move(steps).error());
  Reference reference;
  for (const meta::WrittenStep& step : *steps) {
    if (step.is_any) return base::Unexpected<std::string>("it does not lead to one value");
  }
  reference.steps_ = *std::move(steps);
  return reference;
}

const json::Value* Reference::FindIn(const json::Value& object) const {
  const json::Value* value = &object;
  for (const meta::WrittenStep& step : steps_) {
    value = Follow(*value, step);
    if (value == nullptr) return nullptr;
  }
  return value;
}

}  // namespace kube::mutation
