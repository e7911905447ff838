#include "plugin/command/server_warnings.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "kube/base/text.h"
#include "kube/base/utf8.h"

namespace plugin::command {
namespace {

constexpr std::size_t kMostAlike = 1000;      // a server that goes on is not listened to
constexpr std::size_t kMostLines = 20;        // the rest says little more
constexpr std::size_t kMostObjects = 100000;  // of all lines, told apart by their hashes: some MB
constexpr std::size_t kMostBytes = 2048;      // of a text
constexpr std::string_view kInvalidValue = "Invalid value: ";

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

/// The length of the value that a field's error begins with, a text or a number, with the colon
/// behind it. 0: it has none, as those of rules.
std::size_t LengthOfValue(std::string_view text) {
  const bool is_text = text.starts_with('"');
  const std::size_t end = is_text ? EndOfQuoted(text) : text.find_first_not_of("-.0123456789");
  if (end == 0 || end >= text.size() || !text.substr(end).starts_with(": ")) return 0;
  return end + 2;
}

/// The path of a field without its indices and keys.
std::string FoldedPath(std::string_view path) {
  std::string folded;
  bool is_key = false;
  for (const char c : path) {
    if (c == ']') is_key = false;
    if (!is_key) folded += c;
    if (c == '[') is_key = true;
  }
  return folded;
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

/// What is the same in warnings that are alike: all but the value, the indices and keys of its
/// path, and the name of the object.
std::string Shape(std::string_view text, std::string_view object) {
  const std::size_t colon = text.find(": ");
  const bool has_path = colon != text.npos && text.substr(0, colon).find(' ') == text.npos;
  const std::string path = has_path ? FoldedPath(text.substr(0, colon)) : "";
  std::string_view rest = has_path ? text.substr(colon + 2) : text;
  if (has_path && rest.starts_with(kInvalidValue)) {
    rest.remove_prefix(kInvalidValue.size());
    rest.remove_prefix(LengthOfValue(rest));
  }
  return path + ": " + WithoutName(std::string(rest), object);
}

std::string ObjectsText(std::size_t objects, bool has_more, const std::string& example) {
  if (objects == 1 && !has_more) return example;
  const std::string most = has_more ? "at least " : "";
  return most + kube::base::Count(objects, "object") + ", such as " + example;
}

}  // namespace

void ServerWarnings::Take(const std::string& text, const kube::client::WrittenObject& object) {
  if (object.resource.empty()) return Write(text);
  const std::string warning = kube::base::utf8::Shortened(text, kMostBytes);
  const std::string key = object.resource + " " + Shape(warning, object.name);
  auto found = of_objects_.find(key);
  if (found == of_objects_.end()) {
    has_more_ = has_more_ || of_objects_.size() == kMostAlike;
    if (of_objects_.size() == kMostAlike) return;
    found = of_objects_.emplace(key, Alike{}).first;
    found->second.text = object.resource + ": " + warning;
    found->second.example = object.name;
    found->second.place = of_objects_.size();
  }
  Alike& alike = found->second;
  const std::size_t hash = std::hash<std::string>()(object.name);
  if (alike.objects.contains(hash)) return;
  if (counted_ == kMostObjects && !alike.objects.empty()) {
    alike.has_more = true;
    return;
  }
  alike.objects.insert(hash);
  if (counted_ < kMostObjects) ++counted_;
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
    Write(alike->text + " (" + ObjectsText(alike->objects.size(), alike->has_more, alike->example) +
          ")");
  }
  if (shown < lines.size()) {
    const std::string most = has_more_ ? "at least " : "";
    Write("the server has " + most + std::to_string(lines.size() - shown) +
          " more warnings of objects");
  }
  of_objects_.clear();
  counted_ = 0;
  has_more_ = false;
}

std::size_t ServerWarnings::Count() { return told; }

void ServerWarnings::Write(const std::string& text) {
  ++told;
  write_line_("Warning: " + text);
}

}  // namespace plugin::command
