#include "kube/yaml/yaml.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>
#include <utility>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/yaml/yaml_builder.h"
#include "kube/yaml/yaml_text.h"

namespace kube::yaml {
namespace {

// Lets yaml-cpp read from memory that is not copied.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // an input sequence is never written to
    setg(begin, begin, begin + text.size());
  }
};

bool Holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// yaml-cpp reads the escapes \_ and \N as half of the characters U+00A0 and U+0085.
std::string WithWholeCharacters(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = base::utf8::SequenceLength(text);
    if (length == 0) out += '\xC2';
    out += text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

// Hands yaml-cpp's events on, keeps the place of the last one for errors, and refuses what yaml-cpp
// takes but go-yaml does not.
class Events : public YAML::EventHandler {
 public:
  Events(std::string_view text, json::Document& document)
      : text_(text),
        has_tabs_(Holds(text, "\t")),
        has_split_escapes_(Holds(text, "\\_") || Holds(text, "\\N")),
        builder_(document) {}

  const YAML::Mark& mark() const { return mark_; }

  void OnDocumentStart(const YAML::Mark& mark) override { mark_ = mark; }
  void OnDocumentEnd() override { CheckQuotesEnd(); }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    CheckColon(mark);
    mark_ = mark;
    builder_.Null(anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    CheckColumn(mark);
    MoveTo(mark);
    builder_.Alias(anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    CheckColumn(mark);
    MoveTo(mark);
    last_scalar_ = mark;
    if (has_split_escapes_) return Add(tag, WithWholeCharacters(text), anchor);
    Add(tag, text, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    const bool is_flow = style == YAML::EmitterStyle::Flow;
    if (is_flow) CheckColumn(mark);
    MoveTo(mark);
    builder_.BeginSequence(anchor);
    columns_.push_back(is_flow || InFlow() ? kFlow : kBlockSequence);
  }
  void OnSequenceEnd() override {
    columns_.pop_back();
    builder_.EndSequence();
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    CheckColumn(mark);
    MoveTo(mark);
    builder_.BeginMap(anchor);
    const bool is_flow = style == YAML::EmitterStyle::Flow;
    columns_.push_back(is_flow || InFlow() ? kFlow : mark.column);
  }
  void OnMapEnd() override {
    columns_.pop_back();
    builder_.EndMap();
  }

 private:
  void Add(const std::string& tag, std::string_view text, YAML::anchor_t anchor) {
    // "?" and "!" are yaml-cpp's signs for a plain and a quoted scalar without a tag. A "!" that
    // was written makes a string as well.
    if (tag == "?") return builder_.Scalar({}, Builder::Style::kPlain, text, anchor);
    if (tag == "!") return builder_.Scalar({}, Builder::Style::kQuoted, text, anchor);
    builder_.Scalar(tag, Builder::Style::kPlain, text, anchor);
  }

  static constexpr int kBlockSequence = -1;
  static constexpr int kFlow = -2;

  bool InFlow() const { return !columns_.empty() && columns_.back() == kFlow; }

  void MoveTo(const YAML::Mark& mark) {
    mark_ = mark;
    if (has_tabs_ && !InFlow()) CheckIndentation();
  }

  // Tabs do not indent.
  void CheckIndentation() const {
    const auto end = static_cast<std::size_t>(mark_.pos);
    const auto column = std::min(static_cast<std::size_t>(mark_.column), end);
    const std::string_view before = text_.substr(end - column, column);
    if (before.find('\t') != std::string_view::npos &&
        before.find_first_not_of(" \t") == std::string_view::npos) {
      throw BuildError("found character that cannot start any token");
    }
  }

  // For a key without a colon yaml-cpp makes a null up and says that it stands where the key does.
  void CheckColon(const YAML::Mark& mark) const {
    if (!InFlow() && mark.pos == mark_.pos && builder_.expects_value()) {
      throw BuildError("could not find expected ':'");
    }
  }

  // What stands on a line of its own at the column of the keys has to be a key, if it can be one.
  void CheckColumn(const YAML::Mark& mark) const {
    if (columns_.empty() || mark.column > columns_.back() || mark.line == mark_.line) return;
    const std::string_view text = text_.substr(static_cast<std::size_t>(mark.pos));
    const bool is_block = text.starts_with('|') || text.starts_with('>');
    if (!is_block && builder_.expects_value()) {
      throw BuildError("could not find expected ':'");
    }
  }

  // At the end of the text yaml-cpp does not miss a closing quote.
  void CheckQuotesEnd() const {
    if (last_scalar_.is_null()) return;
    std::string_view rest = text_.substr(static_cast<std::size_t>(last_scalar_.pos));
    while (rest.starts_with('&') || rest.starts_with('!')) {
      rest.remove_prefix(std::min(rest.find_first_of(" \t\n"), rest.size()));
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n"), rest.size()));
    }
    if (IsOpenQuote(rest)) throw BuildError("found unexpected end of stream");
  }

  static bool IsOpenQuote(std::string_view text) {
    if (!text.starts_with('"') && !text.starts_with('\'')) return false;
    const char quote = text.front();
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] == '\\' && quote == '"') {
        ++i;
      } else if (text[i] == quote) {
        if (quote == '"' || !text.substr(i + 1).starts_with(quote)) return false;
        ++i;
      }
    }
    return true;
  }

  std::string_view text_;
  bool has_tabs_;
  bool has_split_escapes_;
  std::vector<int> columns_;  // where the keys of each open block map stand, or a constant
  Builder builder_;
  YAML::Mark mark_ = YAML::Mark::null_mark();
  YAML::Mark last_scalar_ = YAML::Mark::null_mark();
};

// yaml-cpp counts from 0.
ParseError ErrorAt(const YAML::Mark& mark, std::size_t first_line, std::string message) {
  if (mark.is_null()) return {first_line, 0, std::move(message)};
  return {first_line + static_cast<std::size_t>(mark.line),
          static_cast<std::size_t>(mark.column) + 1, std::move(message)};
}

// A document that holds directives only: kubectl splits before the "---" that should follow.
bool HasDirective(std::string_view text) {
  return text.starts_with('%') || text.find("\n%") != std::string_view::npos;
}

std::optional<ParseError> ParseNormalised(std::string_view text, std::size_t first_line,
                                          json::Document& document) {
  Events events(text, document);
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(events) && HasDirective(text)) {
      return ParseError{first_line, 0, "did not find expected <document start>"};
    }
    return std::nullopt;
  } catch (const YAML::DeepRecursion& error) {
    return ErrorAt(error.mark, first_line, "exceeded max depth");
  } catch (const YAML::Exception& error) {
    return ErrorAt(error.mark, first_line, error.msg);
  } catch (const BuildError& error) {
    return ErrorAt(events.mark(), first_line, error.what());
  }
}

}  // namespace

std::optional<ParseError> Parse(std::string_view text, std::size_t first_line,
                                json::Document& document) {
  document.root() = json::Value();
  document.arena().Reset();
  std::string buffer;
  const auto normalised = NormaliseText(text, first_line, buffer);
  if (!normalised) return normalised.error();
  auto error = ParseNormalised(*normalised, first_line, document);
  if (error) document.root() = json::Value();
  return error;
}

}  // namespace kube::yaml
