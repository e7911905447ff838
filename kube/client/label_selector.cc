#include "kube/client/label_selector.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <vector>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/meta/make_field_error.h"
#include "kube/meta/names.h"

namespace kube::client {
namespace {

// Up to the next comma that no backslash escapes.
std::size_t TermLength(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') return i;
    if (text[i] == '\\') ++i;
  }
  return text.size();
}

// The value behind the first "=", "==" or "!=" of `term`.
std::optional<std::string_view> ValueOf(std::string_view term) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    const std::string_view rest = term.substr(i);
    if (rest.starts_with("==") || rest.starts_with("!=")) return rest.substr(2);
    if (rest.starts_with('=')) return rest.substr(1);
  }
  return std::nullopt;
}

std::optional<std::string> ValueProblem(std::string_view value) {
  const std::string invalid = "invalid field selector: ";
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\') {
      const std::string_view next = value.substr(std::min(i + 1, value.size()));
      if (!next.empty() && std::string_view("\\,=").find(next[0]) != std::string_view::npos) {
        ++i;
        continue;
      }
      const std::size_t length = std::max<std::size_t>(base::utf8::SequenceLength(next), 1);
      return invalid + "invalid escape sequence: \\" + std::string(next.substr(0, length));
    }
    if (value[i] == '=') return invalid + "unescaped character in value: 61";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FieldSelectorProblem(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view term = rest.substr(0, TermLength(rest));
    rest.remove_prefix(std::min(term.size() + 1, rest.size()));
    if (term.empty()) continue;
    const std::optional<std::string_view> value = ValueOf(term);
    if (!value) {
      return "invalid selector: '" + std::string(text) + "'; can't understand '" +
             std::string(term) + "'";
    }
    if (auto problem = ValueProblem(*value)) return problem;
  }
  return std::nullopt;
}

namespace {

using Problem = std::optional<std::string>;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSymbol(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }

enum class TokenKind { kEnd, kWord, kSymbol };

struct Token {
  TokenKind kind;
  std::string_view text;

  bool Is(std::string_view symbol) const { return kind == TokenKind::kSymbol && text == symbol; }
};

/// Reads a selector token by token, and can look one ahead.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text), next_(Scan()) {}

  /// A key, "in" and "notin" included.
  const Token& Peek() const { return next_; }
  Token Take() {
    const Token token = next_;
    next_ = Scan();
    return token;
  }

 private:
  Token Scan() {
    while (!rest_.empty() && IsBlank(rest_.front())) rest_.remove_prefix(1);
    if (rest_.empty()) return {TokenKind::kEnd, {}};
    if (IsSymbol(rest_.front())) return Cut(TokenKind::kSymbol, SymbolLength());
    std::size_t length = 1;
    while (length < rest_.size() && !IsBlank(rest_[length]) && !IsSymbol(rest_[length])) ++length;
    return Cut(TokenKind::kWord, length);
  }

  std::size_t SymbolLength() const {
    return rest_.starts_with("==") || rest_.starts_with("!=") ? 2 : 1;
  }

  Token Cut(TokenKind kind, std::size_t length) {
    const Token token = {kind, rest_.substr(0, length)};
    rest_.remove_prefix(length);
    return token;
  }

  std::string_view rest_;
  Token next_;
};

std::string Found(const Token& token, std::string_view expected) {
  return "found '" + std::string(token.text) + "', expected: " + std::string(expected);
}

bool IsInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

/// key, operator and values, as NewRequirement validates them.
struct Requirement {
  std::string_view key;
  bool compares = false;  ///< by > or <
  std::set<std::string_view> values{};
};

Problem Validate(const Requirement& requirement) {
  std::vector<std::string> problems;
  const auto add = [&](const std::string& path, std::string_view text, std::string_view detail) {
    problems.push_back(meta::InvalidText(path, text, detail).ToString());
  };
  const std::vector<std::string> key_problems = meta::LabelKeyProblems(requirement.key);
  // The server prints the path of a selector without a field of an object as "<nil>".
  if (!key_problems.empty()) add("<nil>", requirement.key, base::Join(key_problems, "; "));
  std::size_t i = 0;
  if (requirement.compares && !IsInteger(*requirement.values.begin())) {
    add("values[0]", *requirement.values.begin(),
        "for 'Gt', 'Lt' operators, the value must be an integer");
  }
  for (const std::string_view value : requirement.values) {
    const std::string path = meta::Key(meta::Index("values", i++), requirement.key);
    const std::vector<std::string> value_problems = meta::LabelValueProblems(value);
    if (!value_problems.empty()) add(path, value, base::Join(value_problems, "; "));
  }
  if (problems.empty()) return std::nullopt;
  return meta::Aggregate(problems);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Problem Parse() {
    if (lexer_.Peek().kind == TokenKind::kEnd) return std::nullopt;
    while (true) {
      const Token& first = lexer_.Peek();
      if (first.kind != TokenKind::kWord && !first.Is("!")) {
        return Found(first, "!, identifier, or 'end of string'");
      }
      if (const Problem problem = ParseRequirement()) {
        return "unable to parse requirement: " + *problem;
      }
      const Token separator = lexer_.Take();
      if (separator.kind == TokenKind::kEnd) return std::nullopt;
      if (!separator.Is(",")) return Found(separator, "',' or 'end of string'");
      const Token& next = lexer_.Peek();
      if (next.kind != TokenKind::kWord && !next.Is("!")) {
        return Found(next, "identifier after ','");
      }
    }
  }

 private:
  Problem ParseRequirement() {
    const bool absent = lexer_.Peek().Is("!");
    if (absent) lexer_.Take();
    const Token key = lexer_.Take();
    if (key.kind != TokenKind::kWord) return Found(key, "identifier");
    // The key is looked at before what follows it.
    Requirement requirement{.key = key.text};
    if (const Problem problem = Validate(requirement)) return problem;
    const Token& next = lexer_.Peek();
    if (absent || next.kind == TokenKind::kEnd || next.Is(",")) return std::nullopt;
    if (const Problem problem = ParseOperation(requirement)) return problem;
    return Validate(requirement);
  }

  Problem ParseOperation(Requirement& requirement) {
    const Token operation = lexer_.Take();
    if (operation.text == "in" || operation.text == "notin") return ParseSet(requirement);
    requirement.compares = operation.Is(">") || operation.Is("<");
    if (requirement.compares || operation.Is("=") || operation.Is("==") || operation.Is("!=")) {
      return ParseValue(requirement);
    }
    return Found(operation, "in, notin, =, ==, !=, gt, lt");
  }

  Problem ParseValue(Requirement& requirement) {
    const Token& next = lexer_.Peek();
    if (next.kind == TokenKind::kEnd || next.Is(",")) {
      requirement.values.insert("");
      return std::nullopt;
    }
    const Token value = lexer_.Take();
    if (value.kind != TokenKind::kWord) return Found(value, "identifier");
    requirement.values.insert(value.text);
    return std::nullopt;
  }

  Problem ParseSet(Requirement& requirement) {
    const Token open = lexer_.Take();
    // Without a comma, unlike all others.
    if (!open.Is("(")) return "found '" + std::string(open.text) + "' expected: '('";
    const Token& next = lexer_.Peek();
    if (next.Is(")")) {
      requirement.values.insert("");
      lexer_.Take();
      return std::nullopt;
    }
    if (next.kind != TokenKind::kWord && !next.Is(","))
      return Found(next, "',', ')' or identifier");
    return ParseElements(requirement.values);
  }

  // Up to and with ")". An element may be empty.
  Problem ParseElements(std::set<std::string_view>& values) {
    while (true) {
      const Token token = lexer_.Take();
      if (token.kind == TokenKind::kWord) {
        values.insert(token.text);
        if (lexer_.Peek().Is(",")) continue;
        if (!lexer_.Peek().Is(")")) return Found(lexer_.Peek(), "',' or ')'");
      } else if (token.Is(",")) {
        if (const Problem problem = ParseBehindComma(values)) return problem;
      } else if (token.Is(")")) {
        return std::nullopt;
      } else {
        return Found(token, "',', or identifier");
      }
    }
  }

  Problem ParseBehindComma(std::set<std::string_view>& values) {
    if (values.empty()) values.insert("");
    if (lexer_.Peek().Is(")")) {
      values.insert("");
    } else if (lexer_.Peek().Is(",")) {
      lexer_.Take();
      values.insert("");
      // Behind two commas there must be an element.
      if (lexer_.Peek().Is(")")) return Found(lexer_.Peek(), "',', or identifier");
    }
    return std::nullopt;
  }

  Lexer lexer_;
};

}  // namespace

std::optional<std::string> LabelSelectorProblem(std::string_view text) {
  return Parser(text).Parse();
}

}  // namespace kube::client
