#include "kube/schema/json_path.h"

#include "kube/base/utf8.h"
#include "kube/meta/field_error.h"

namespace kube::schema {
namespace {

constexpr std::string_view kNoField = "does not refer to a valid field";

/// Cuts a path into '.', '[', ']', quoted texts and what is between.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  /// The next token; absent at the end.
  std::optional<std::string_view> Next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t size = NextSize();
    const std::string_view token = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return token;
  }

 private:
  std::size_t NextSize() const {
    if (rest_.front() == '\'') return QuotedSize();
    const std::size_t end = rest_.find_first_of(".[]");
    if (end == std::string_view::npos) return rest_.size();
    return end == 0 ? 1 : end;
  }

  std::size_t QuotedSize() const {
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\'' && rest_[i - 1] != '\\') return i + 1;
    }
    return rest_.size();
  }

  std::string_view rest_;
};

base::Result<std::string, std::string> Unescape(std::string_view text) {
  constexpr std::string_view kDirectives = "abfnrtv'\\";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v'\\";
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // A backslash needs a character after it that is no line break.
    if (text[i] != '\\' || i + 1 == text.size() || text[i + 1] == '\n') {
      plain += text[i];
      continue;
    }
    const std::size_t directive = kDirectives.find(text[++i]);
    if (directive == std::string_view::npos) {
      const std::size_t size = base::DecodeRune(text.substr(i)).size;
      return base::Unexpected("invalid string literal: invalid escape char " +
                              std::string(text.substr(i - 1, size + 1)));
    }
    plain += kMeanings[directive];
  }
  return plain;
}

class Follower {
 public:
  Follower(const SchemaProps* schema, bool allow_array_notation)
      : target_{"", "", schema}, allow_array_notation_(allow_array_notation) {}

  base::Result<JsonPathTarget, std::string> Follow(std::string_view json_path) {
    Tokens tokens(json_path);
    while (const auto token = tokens.Next()) {
      std::optional<std::string> problem;
      if (*token == ".") {
        problem = FollowName(tokens);
      } else if (*token == "[") {
        problem = FollowBrackets(tokens);
      } else {
        problem = "expected [ or . but got: " + std::string(*token);
      }
      if (problem) return base::Unexpected(std::move(*problem));
    }
    return target_;
  }

 private:
  std::optional<std::string> FollowName(Tokens& tokens) {
    const auto name = tokens.Next();
    return name ? Step(*name) : "unexpected end of JSON path";
  }

  std::optional<std::string> FollowBrackets(Tokens& tokens) {
    if (!allow_array_notation_) return "array notation is not allowed";
    const auto quoted = tokens.Next();
    if (!quoted) return "unexpected end of JSON path";
    if (quoted->size() < 2 || !quoted->starts_with('\'') || !quoted->ends_with('\'')) {
      return "expected single quoted string but got " + std::string(*quoted);
    }
    const auto name = Unescape(quoted->substr(1, quoted->size() - 2));
    if (!name) return name.error();
    if (auto problem = Step(*name)) return problem;
    const auto close = tokens.Next();
    if (!close) return "unexpected end of JSON path";
    if (*close != "]") return "expected ] but got " + std::string(*close);
    return std::nullopt;
  }

  std::optional<std::string> Step(std::string_view name) {
    const SchemaProps* schema = target_.schema;
    if (schema == nullptr) return std::string(kNoField);
    if (!schema->properties.empty()) {
      target_.path = meta::Child(target_.path, name);
      target_.schema = schema->FindProperty(name);
      if (target_.schema == nullptr) return std::string(kNoField);
    } else {
      if (!schema->additional_properties) return std::string(kNoField);
      target_.path = meta::Key(target_.path, name);
      target_.schema = schema->additional_properties->schema.get();
    }
    if (target_.first.empty()) target_.first = target_.path;
    return std::nullopt;
  }

  JsonPathTarget target_;
  const bool allow_array_notation_;
};

}  // namespace

base::Result<JsonPathTarget, std::string> FollowJsonPath(std::string_view json_path,
                                                         const SchemaProps* schema,
                                                         bool allow_array_notation) {
  return Follower(schema, allow_array_notation).Follow(json_path);
}

}  // namespace kube::schema
