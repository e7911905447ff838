#include "tests/vectors/vector.h"

#include <algorithm>

namespace vectors {
namespace {

std::string Lines(const std::vector<std::string>& strings) {
  std::string lines;
  for (const std::string& s : strings) lines += "\n      " + s;
  if (strings.size() == 1) return strings.front();
  return strings.empty() ? "nothing" : lines;
}

void SortAndUnique(std::vector<std::string>& strings) {
  std::ranges::sort(strings);
  strings.erase(std::unique(strings.begin(), strings.end()), strings.end());
}

/// Reads well-formed JSON text from the front, a token or value at a time.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool Skip(char c) {
    SkipSpace();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view TakeValue() {
    SkipSpace();
    const std::string_view start = rest_;
    std::size_t depth = 0;
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (depth == 0 && (c == ',' || c == '}' || c == ']' || c == ':')) break;
      if (c == '"') {
        TakeString();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      rest_.remove_prefix(1);
    }
    std::string_view value = start.substr(0, start.size() - rest_.size());
    while (value.ends_with(' ')) value.remove_suffix(1);
    return value;
  }

 private:
  void SkipSpace() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  void TakeString() {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
  }

  std::string_view rest_;
};

}  // namespace

const kube::json::Value& Get(const kube::json::Value& object, std::string_view key) {
  const kube::json::Value* value = object.Find(key);
  if (value == nullptr) throw BadVector("no \"" + std::string(key) + "\"");
  return *value;
}

std::string_view GetText(const kube::json::Value& object, std::string_view key) {
  const kube::json::Value& value = Get(object, key);
  if (!value.is_string()) throw BadVector("\"" + std::string(key) + "\" is no string");
  return value.text();
}

bool GetFlag(const kube::json::Value& object, std::string_view key) {
  const kube::json::Value* value = object.Find(key, kube::json::Type::kBool);
  return value != nullptr && value->AsBool();
}

std::vector<std::string> FindStrings(const kube::json::Value& object, std::string_view key) {
  std::vector<std::string> strings;
  const kube::json::Value* list = object.Find(key);
  if (list == nullptr || list->is_null()) return strings;
  if (!list->is_array()) throw BadVector("\"" + std::string(key) + "\" is no list");
  for (const kube::json::Value& element : list->elements()) {
    strings.emplace_back(element.is_string() ? element.text() : GetText(element, "string"));
  }
  return strings;
}

std::optional<std::string> FindString(const kube::json::Value& object, std::string_view key) {
  const kube::json::Value* value = object.Find(key, kube::json::Type::kString);
  return value ? std::optional<std::string>(value->text()) : std::nullopt;
}

void Mismatches::Add(std::string_view what, std::string_view expected, std::string_view got) {
  text_.append("  ").append(what).append("\n    expected: ").append(expected);
  text_.append("\n    got:      ").append(got).append("\n");
}

void Mismatches::CompareJson(std::string_view what, const kube::json::Value& expected,
                             const kube::json::Value& got) {
  if (!kube::json::Equal(expected, got))
    Add(what, kube::json::Print(expected), kube::json::Print(got));
}

void Mismatches::CompareStrings(std::string_view what, const std::vector<std::string>& expected,
                                const std::vector<std::string>& got) {
  if (expected != got) Add(what, Lines(expected), Lines(got));
}

void Mismatches::CompareAsSets(std::string_view what, std::vector<std::string> expected,
                               std::vector<std::string> got) {
  SortAndUnique(expected);
  SortAndUnique(got);
  CompareStrings(what, expected, got);
}

void Mismatches::CompareErrors(std::string_view what, const std::optional<std::string>& expected,
                               const std::optional<std::string>& got) {
  if (expected != got) Add(what, expected.value_or("no error"), got.value_or("no error"));
}

std::string_view RawMember(std::string_view text, std::string_view key) {
  const std::string quoted = "\"" + std::string(key) + "\"";
  Scanner scanner(text);
  if (!scanner.Skip('{')) return {};
  do {
    const bool found = scanner.TakeValue() == quoted;
    if (!scanner.Skip(':')) return {};
    const std::string_view value = scanner.TakeValue();
    if (found) return value;
  } while (scanner.Skip(','));
  return {};
}

}  // namespace vectors
