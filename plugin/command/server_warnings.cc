#include "plugin/command/server_warnings.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "kube/base/text.h"

namespace plugin::command {
namespace {

constexpr std::size_t kMostAlike = 1000;      // a server that goes on is not listened to
constexpr std::size_t kMostLines = 20;        // the rest says little more
constexpr std::size_t kMostObjects = 100000;  // told apart by their hashes, some MB
constexpr std::string_view kInvalidValue = ": Invalid value: ";

std::atomic<std::size_t> told = 0;

/// The end of what is in quotes as Go's %q has it; `text` begins with one.
std::size_t EndOfQuoted(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

/// Without the value of a field's error: `spec.a: Invalid value: "b": message`.
std::string WithoutValue(std::string_view text) {
  const std::size_t found = text.find(kInvalidValue);
  if (found == text.npos) return std::string(text);
  const std::size_t value = found + kInvalidValue.size();
  std::string_view rest = text.substr(value);
  if (rest.starts_with('"')) rest.remove_prefix(EndOfQuoted(rest));
  return std::string(text.substr(0, value)) + std::string(rest);
}

/// Without the name of the object, where it stands in quotes or behind its namespace.
std::string WithoutName(std::string text, std::string_view object) {
  const std::string_view name = object.substr(object.find('/') + 1);
  if (name.empty()) return text;
  for (std::size_t i = text.find(name, 1); i < text.size(); i = text.find(name, i + 1)) {
    const std::size_t end = i + name.size();
    const bool is_quoted = text[i - 1] == '"' && end < text.size() && text[end] == '"';
    if (is_quoted || text[i - 1] == '/') text.erase(i, name.size());
  }
  return text;
}

/// What is the same in warnings that are alike: no value, no index or key of the path, no digit and
/// no name of the object.
std::string Shape(std::string_view text, std::string_view object) {
  const std::string whole = WithoutName(WithoutValue(text), object);
  const std::size_t path = whole.find(": ");
  std::string shape;
  bool is_key = false;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool is_in_path = path != whole.npos && i < path;
    if (is_in_path && whole[i] == ']') is_key = false;
    if (!is_key && !kube::base::IsDigit(whole[i])) shape += whole[i];
    if (is_in_path && whole[i] == '[') is_key = true;
  }
  return shape;
}

std::string ObjectsText(std::size_t objects, const std::string& example) {
  if (objects == 1) return example;
  const std::string most = objects >= kMostObjects ? "at least " : "";
  return most + kube::base::Count(objects, "object") + ", such as " + example;
}

}  // namespace

void ServerWarnings::Take(const std::string& text, const kube::client::WrittenObject& object) {
  if (object.resource.empty()) return Write(text);
  const std::string key = object.resource + " " + Shape(text, object.name);
  auto found = of_objects_.find(key);
  if (found == of_objects_.end()) {
    has_more_ = has_more_ || of_objects_.size() == kMostAlike;
    if (of_objects_.size() == kMostAlike) return;
    found = of_objects_.emplace(key, Alike{}).first;
    found->second.text = object.resource + ": " + text;
    found->second.example = object.name;
    found->second.place = of_objects_.size();
  }
  auto& objects = found->second.objects;
  if (objects.size() < kMostObjects) objects.insert(std::hash<std::string>()(object.name));
}

void ServerWarnings::TellOfObjects() {
  std::vector<const Alike*> lines;
  for (const auto& [key, alike] : of_objects_) lines.push_back(&alike);
  std::ranges::sort(lines, [](const Alike* one, const Alike* other) {
    if (one->objects.size() != other->objects.size())
      return one->objects.size() > other->objects.size();
    return one->place < other->place;
  });
  const std::size_t shown = std::min(lines.size(), kMostLines);
  for (const Alike* alike : std::span(lines).first(shown)) {
    Write(alike->text + " (" + ObjectsText(alike->objects.size(), alike->example) + ")");
  }
  if (shown < lines.size()) {
    const std::string most = has_more_ ? "at least " : "";
    Write("the server has " + most + std::to_string(lines.size() - shown) +
          " more warnings of objects");
  }
  of_objects_.clear();
  has_more_ = false;
}

std::size_t ServerWarnings::Count() { return told; }

void ServerWarnings::Write(const std::string& text) {
  ++told;
  write_line_("Warning: " + text);
}

}  // namespace plugin::command
