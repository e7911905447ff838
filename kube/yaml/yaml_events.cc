#include "kube/yaml/yaml_events.h"

#include <yaml.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/json/json_patch.h"
#include "kube/yaml/yaml_scalar.h"

namespace kube::yaml {
namespace {

/// A place in a text, all from 0 and in characters, as libyaml counts.
struct Mark {
  std::size_t index = 0;
  std::size_t line = 0, column = 0;
};

/// What the text of one document is made of. The texts hold until the next event.
struct Event {
  enum class Type : std::uint8_t {
    kAlias,
    kScalar,
    kBeginSequence,
    kEndSequence,
    kBeginMap,
    kEndMap,
    kEnd,    ///< of the document, or of the text
    kOther,  ///< nothing of a value
  };
  enum class Style : std::uint8_t { kPlain, kSingleQuoted, kDoubleQuoted, kBlock };

  Type type = Type::kOther;
  Style style = Style::kPlain;  ///< of a scalar
  bool is_flow = false;         ///< of a sequence or map that begins
  std::string_view anchor;      ///< of an alias: its name; empty if there is none
  std::string_view tag;         ///< complete, or "!"; empty if there is none
  std::string_view value;       ///< of a scalar
  Mark start, end;
};

/// Why a text is not YAML.
struct Problem {
  std::string_view text;  ///< libyaml's words
  Mark mark;
};

std::string_view View(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

Mark MarkOf(const yaml_mark_t& mark) { return {mark.index, mark.line, mark.column}; }

Event::Style ScalarStyleOf(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      return Event::Style::kSingleQuoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return Event::Style::kDoubleQuoted;
    case YAML_LITERAL_SCALAR_STYLE:
    case YAML_FOLDED_SCALAR_STYLE:
      return Event::Style::kBlock;
    default:
      return Event::Style::kPlain;
  }
}

void SetScalar(const yaml_event_t& from, Event& event) {
  const auto& scalar = from.data.scalar;
  event.type = Event::Type::kScalar;
  event.style = ScalarStyleOf(scalar.style);
  event.anchor = View(scalar.anchor);
  event.tag = View(scalar.tag);
  event.value = {reinterpret_cast<const char*>(scalar.value), scalar.length};
}

void Set(const yaml_event_t& from, Event& event) {
  event = Event();
  event.start = MarkOf(from.start_mark);
  event.end = MarkOf(from.end_mark);
  switch (from.type) {
    case YAML_ALIAS_EVENT:
      event.type = Event::Type::kAlias;
      event.anchor = View(from.data.alias.anchor);
      return;
    case YAML_SCALAR_EVENT:
      return SetScalar(from, event);
    case YAML_SEQUENCE_START_EVENT:
      event.type = Event::Type::kBeginSequence;
      event.is_flow = from.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
      event.anchor = View(from.data.sequence_start.anchor);
      event.tag = View(from.data.sequence_start.tag);
      return;
    case YAML_MAPPING_START_EVENT:
      event.type = Event::Type::kBeginMap;
      event.is_flow = from.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
      event.anchor = View(from.data.mapping_start.anchor);
      event.tag = View(from.data.mapping_start.tag);
      return;
    case YAML_SEQUENCE_END_EVENT:
      event.type = Event::Type::kEndSequence;
      return;
    case YAML_MAPPING_END_EVENT:
      event.type = Event::Type::kEndMap;
      return;
    case YAML_DOCUMENT_END_EVENT:
    case YAML_STREAM_END_EVENT:
      event.type = Event::Type::kEnd;
      return;
    default:
      return;
  }
}

/// The events of one text, by libyaml, of which go-yaml v2 is a translation.
class Parser {
 public:
  /// `text` is UTF-8 and outlives the parser.
  explicit Parser(std::string_view text) : rest_(text), is_broken_off_(!text.ends_with('\n')) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&parser_, &Parser::Read, this);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  /// False where the text is in problem(). Nothing may be asked behind kEnd.
  bool Next(Event& event) {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) == 0) {
      if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
      problem_.text =
          parser_.problem == nullptr ? "unknown problem parsing YAML content" : parser_.problem;
      problem_.mark = MarkOf(parser_.problem_mark);
      return false;
    }
    Set(event_, event);
    return true;
  }
  const Problem& problem() const { return problem_; }

 private:
  // A last line without a break gets one, as from kubectl's reader of lines.
  static int Read(void* data, unsigned char* buffer, std::size_t size, std::size_t* size_read) {
    auto& self = *static_cast<Parser*>(data);
    if (self.rest_.empty() && self.is_broken_off_) {
      self.rest_ = "\n";
      self.is_broken_off_ = false;
    }
    *size_read = std::min(size, self.rest_.size());
    std::memcpy(buffer, self.rest_.data(), *size_read);
    self.rest_.remove_prefix(*size_read);
    return 1;
  }

  yaml_parser_t parser_{};
  yaml_event_t event_{};
  std::string_view rest_;
  bool is_broken_off_;
  Problem problem_;
};

/// Goes on from one place to a later one, which costs what lies between.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}
  /// `index` is not below the one before.
  std::size_t OffsetOf(std::size_t index);

 private:
  std::string_view text_;
  std::size_t index_ = 0, offset_ = 0;
};

std::size_t TextCursor::OffsetOf(std::size_t index) {
  for (; index_ < index && offset_ < text_.size(); ++index_) {
    offset_ += std::max<std::size_t>(base::utf8::SequenceLength(text_.substr(offset_)), 1);
  }
  return std::min(offset_, text_.size());
}

/// Where the character with the index begins; the end of the text if it has not so many.
std::size_t OffsetOf(std::string_view text, std::size_t index) {
  return TextCursor(text).OffsetOf(index);
}

/// What ends an anchor or a tag.
constexpr std::string_view kBlanks = " \t\r\n";

// go-yaml takes them into a tag.
constexpr std::string_view kFlowInTags = ",[]";

// The first characters of the private use area that the text does not have.
std::string UnusedCharacter(std::string_view text, int& next) {
  for (; next < 0x1900; ++next) {
    const std::string character = {'\xEE', static_cast<char>(0x80 | (next >> 6 & 0x3F)),
                                   static_cast<char>(0x80 | (next & 0x3F))};
    if (text.find(character) == std::string_view::npos) return ++next, character;
  }
  return {};
}

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t i = 0; (i = text.find(from, i)) != std::string::npos; i += to.size()) {
    text.replace(i, from.size(), to);
  }
}

/// A text in which libyaml meets other characters where it refuses what go-yaml takes: \' in double
/// quotes, a colon at the end of a plain scalar in flow ([a:]), and what flow is made of in tags
/// (!a,b). Each is replaced by one other character, so that all columns stay.
class AmendedText {
 public:
  explicit AmendedText(std::string_view text) : original_(text), text_(text) {}
  AmendedText(const AmendedText&) = delete;
  AmendedText& operator=(const AmendedText&) = delete;

  /// What libyaml has to be given.
  std::string_view text() const { return text_; }
  bool is_amended() const { return !copy_.empty(); }

  /// Amends what libyaml has found. False where go-yaml refuses it too, or after so many amendments
  /// that to read the text again would take too long.
  bool Amend(const Problem& problem);
  /// Amends the tag that begins at `offset` of text() so that it goes on to the next blank, as
  /// go-yaml reads it in flow. False if it does so anyway; else the text has to be read again.
  bool AmendTag(std::size_t offset);

  /// A scalar of text() as it stands in the original.
  std::string Restore(std::string_view value) const;

 private:
  bool MayAmend();
  void Replace(std::size_t offset, std::string_view character);
  void ReplaceApostrophes(std::size_t offset);

  std::string_view original_;
  std::string_view text_;  // original_, or copy_
  std::string copy_;
  // Characters that the original does not have, of three bytes: for a colon, and for what is
  // dropped.
  std::string colon_, nothing_;
  std::size_t bytes_read_again_ = 0;
};

bool AmendedText::MayAmend() {
  constexpr std::size_t kTimes = 16;
  constexpr std::size_t kMostBytes = 64 * 1024 * 1024;
  bytes_read_again_ += text_.size();
  if (bytes_read_again_ > kMostBytes + kTimes * text_.size()) return false;
  if (copy_.empty()) {
    int next = 0;
    colon_ = UnusedCharacter(original_, next);
    nothing_ = UnusedCharacter(original_, next);
    copy_ = original_;
  }
  return !nothing_.empty();
}

void AmendedText::Replace(std::size_t offset, std::string_view character) {
  copy_.replace(offset, 1, character);
  text_ = copy_;
}

// Of the whole scalar, from the first one on.
void AmendedText::ReplaceApostrophes(std::size_t offset) {
  for (std::size_t i = offset; i + 1 < copy_.size() && copy_[i] != '"'; ++i) {
    if (copy_[i] != '\\') continue;
    if (copy_[i + 1] == '\'') {
      Replace(i, nothing_);
      i += nothing_.size() - 1;
    } else {
      ++i;
    }
  }
}

bool AmendedText::Amend(const Problem& problem) {
  const std::size_t offset = OffsetOf(text_, problem.mark.index);
  const std::string_view rest = text_.substr(offset);
  if (problem.text == "found unknown escape character" && rest.starts_with("\\'")) {
    if (!MayAmend()) return false;
    ReplaceApostrophes(offset);
    return true;
  }
  if (problem.text == "found unexpected ':'" && rest.starts_with(':')) {
    if (!MayAmend()) return false;
    Replace(offset, colon_);
    return true;
  }
  if (problem.text == "did not find expected whitespace or line break" && !rest.empty() &&
      kFlowInTags.find(rest[0]) != std::string_view::npos) {
    if (!MayAmend()) return false;
    Replace(offset, "_");
    return true;
  }
  return false;
}

bool AmendedText::AmendTag(std::size_t offset) {
  if (text_.substr(offset).starts_with("!<")) return false;
  const std::size_t end = std::min(text_.find_first_of(kBlanks, offset), text_.size());
  const std::size_t cut = text_.find_first_of(kFlowInTags, offset);
  if (cut >= end || !MayAmend()) return false;
  Replace(cut, "_");
  return true;
}

std::string AmendedText::Restore(std::string_view value) const {
  std::string text(value);
  if (!nothing_.empty()) ReplaceAll(text, nothing_, "");
  if (!colon_.empty()) ReplaceAll(text, colon_, ":");
  return text;
}

// Several of it may stand in one map.
constexpr std::string_view kMergeKey = "<<";

// What is longer is not noted, so that memory does not grow with the square of the depth.
constexpr std::size_t kLongestPointer = 4096;

std::string Below(const std::string& pointer, std::string_view token) {
  std::string below = pointer;
  if (below.size() <= kLongestPointer) json::AppendPointerToken(below, token);
  return below;
}

/// Follows the events of one document, and notes where its keys stand.
class KeyTracker {
 public:
  /// Lines count from `first_line`. `lines` must outlive it, and is begun anew.
  KeyTracker(std::size_t first_line, KeyLines& lines);

  /// `expects_key`: the event is, or begins, the key of a map.
  void Take(const Event& event, bool expects_key);

 private:
  struct Frame {
    bool is_map;
    std::string pointer;    // of the map or sequence
    std::string key{};      // of the value that comes next, where it is a map
    std::size_t index = 0;  // the same, where it is a sequence
  };

  void NoteKey(std::string_view key, std::size_t line);
  std::string TakePlace();

  const std::size_t first_line_;
  KeyLines& lines_;
  std::vector<Frame> frames_;
};

KeyTracker::KeyTracker(std::size_t first_line, KeyLines& lines)
    : first_line_(first_line), lines_(lines) {
  lines_ = {};
}

void KeyTracker::Take(const Event& event, bool expects_key) {
  switch (event.type) {
    case Event::Type::kScalar:
    case Event::Type::kAlias:
      if (expects_key) return NoteKey(event.value, first_line_ + event.start.line);
      TakePlace();
      return;
    case Event::Type::kBeginMap:
    case Event::Type::kBeginSequence:
      // As a key it is refused.
      frames_.push_back({.is_map = event.type == Event::Type::kBeginMap, .pointer = TakePlace()});
      return;
    case Event::Type::kEndMap:
    case Event::Type::kEndSequence:
      if (!frames_.empty()) frames_.pop_back();
      return;
    case Event::Type::kEnd:
    case Event::Type::kOther:
      return;
  }
}

void KeyTracker::NoteKey(std::string_view key, std::size_t line) {
  if (frames_.empty()) return;
  Frame& frame = frames_.back();
  frame.key = key;
  if (frame.pointer.size() > kLongestPointer) return;
  std::string pointer = Below(frame.pointer, key);
  const bool is_new = lines_.by_pointer.insert_or_assign(pointer, line).second;
  if (is_new || lines_.repeated || key == kMergeKey) return;
  lines_.repeated = {.pointer = std::move(pointer), .line = line};
}

// The pointer of the value that comes now.
std::string KeyTracker::TakePlace() {
  if (frames_.empty()) return "";
  Frame& frame = frames_.back();
  return Below(frame.pointer, frame.is_map ? frame.key : std::to_string(frame.index++));
}

constexpr std::string_view kLoneTag = "!";

// With each token libyaml looks at every level of flow that is open.
constexpr int kMaxFlowDepth = 1000;

enum class Flow : unsigned char { kNone, kSequence, kMap };

/// Hands the events of one document to a Builder, and finds what go-yaml reads otherwise.
class DocumentReader {
 public:
  /// `key_tracker` may be a null pointer.
  DocumentReader(AmendedText& amended, std::size_t first_line, Builder& builder,
                 KeyTracker* key_tracker)
      : amended_(amended),
        first_line_(first_line),
        text_(amended.text()),
        has_slash_escapes_(text_.find("\\/") != std::string_view::npos),
        cursor_(text_),
        builder_(builder),
        key_tracker_(key_tracker) {}

  std::vector<BooleanKey>& boolean_keys() { return boolean_keys_; }
  /// Where the scalar is that Builder::Unfit tells of.
  const Mark& UnfitAt(std::size_t number) const { return unfit_at_[number]; }

  /// False where the text was amended and has to be read again. Throws BuildError for what go-yaml
  /// refuses.
  bool Take(const Event& event) {
    if (AmendsTag(event)) return false;
    if (key_tracker_ != nullptr) key_tracker_->Take(event, builder_.ExpectsKey());
    Add(event);
    return true;
  }

 private:
  void Add(const Event& event) {
    switch (event.type) {
      case Event::Type::kAlias:
        return TakeAlias(event.anchor);
      case Event::Type::kScalar:
        return TakeScalar(event);
      case Event::Type::kBeginSequence:
        Enter(event.is_flow ? Flow::kSequence : Flow::kNone);
        return builder_.BeginSequence(NewAnchor(event.anchor));
      case Event::Type::kBeginMap:
        Enter(event.is_flow ? Flow::kMap : Flow::kNone);
        return builder_.BeginMap(NewAnchor(event.anchor));
      case Event::Type::kEndSequence:
        Leave();
        return builder_.EndSequence();
      case Event::Type::kEndMap:
        Leave();
        return builder_.EndMap();
      case Event::Type::kEnd:
      case Event::Type::kOther:
        return;
    }
  }

  bool IsInFlow() const { return flow_depth_ > 0; }
  void Enter(Flow flow) {
    flows_.push_back(flow);
    flow_depth_ += flow == Flow::kNone ? 0 : 1;
    if (flow_depth_ > kMaxFlowDepth) throw BuildError("exceeded max depth");
  }
  void Leave() {
    flow_depth_ -= flows_.back() == Flow::kNone ? 0 : 1;
    flows_.pop_back();
  }

  // Of two anchors of one name the one before counts.
  std::size_t NewAnchor(std::string_view name) {
    if (name.empty()) return 0;
    return anchors_[std::string(name)] = ++anchor_count_;
  }

  void TakeAlias(std::string_view name) {
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      throw BuildError("unknown anchor '" + std::string(name) + "' referenced");
    }
    builder_.Alias(found->second, name);
  }

  void TakeScalar(const Event& event) {
    const Builder::Style style = StyleOf(event);
    CheckQuestionMarks(event);
    CheckSlashEscapes(event);
    if (style == Builder::Style::kPlain && builder_.ExpectsKey()) NoteBoolean(event);
    const std::size_t anchor = NewAnchor(event.anchor);
    const std::string_view tag = event.tag == kLoneTag ? std::string_view() : event.tag;
    if (amended_.is_amended()) {
      builder_.Scalar(tag, style, amended_.Restore(event.value), anchor);
    } else {
      builder_.Scalar(tag, style, event.value, anchor);
    }
    if (builder_.unfit_count() > unfit_at_.size()) unfit_at_.push_back(event.start);
  }

  void NoteBoolean(const Event& event) {
    const Scalar scalar = ResolvePlain(event.value);
    if (scalar.kind != ScalarKind::kBool) return;
    const std::string word = base::ToLower(event.value);
    if (word == "true" || word == "false") return;
    boolean_keys_.push_back(
        {std::string(event.value), first_line_ + event.start.line, scalar.boolean});
  }

  static Builder::Style StyleOf(const Event& event) {
    if (event.tag == kLoneTag) return Builder::Style::kNonSpecific;
    const bool is_plain = event.style == Event::Style::kPlain;
    return is_plain && event.tag.empty() ? Builder::Style::kPlain : Builder::Style::kQuoted;
  }

  // To libyaml a tag in flow ends before what flow is made of, to go-yaml with the next blank.
  bool AmendsTag(const Event& event) {
    if (!IsInFlow() || event.tag.empty()) return false;
    std::size_t offset = cursor_.OffsetOf(event.start.index);
    if (text_.substr(offset).starts_with('&')) {
      offset = SkipBlanks(text_.find_first_of(kBlanks, offset));
    }
    return amended_.AmendTag(offset);
  }

  // To go-yaml a question mark in flow ends a plain scalar, and begins a key where none can be.
  void CheckQuestionMarks(const Event& event) {
    if (!IsInFlow() || event.style != Event::Style::kPlain) return;
    if (event.value.find('?') == std::string_view::npos) return;
    throw BuildError(flows_.back() == Flow::kMap ? "did not find expected ',' or '}'"
                                                 : "did not find expected ',' or ']'");
  }

  void CheckSlashEscapes(const Event& event) {
    if (!has_slash_escapes_ || event.style != Event::Style::kDoubleQuoted) return;
    const std::size_t start = cursor_.OffsetOf(event.start.index);
    const std::size_t end = cursor_.OffsetOf(event.end.index);
    const std::string_view written = text_.substr(start, end - start);
    for (std::size_t i = written.find('\\'); i != std::string_view::npos;
         i = written.find('\\', i + 2)) {
      if (written.substr(i).starts_with("\\/")) throw BuildError("found unknown escape character");
    }
  }

  // And comments.
  std::size_t SkipBlanks(std::size_t offset) const {
    for (;;) {
      offset = std::min(text_.find_first_not_of(kBlanks, offset), text_.size());
      if (offset == text_.size() || text_[offset] != '#') return offset;
      offset = std::min(text_.find_first_of("\r\n", offset), text_.size());
    }
  }

  AmendedText& amended_;
  const std::size_t first_line_;
  const std::string_view text_;
  const bool has_slash_escapes_;
  TextCursor cursor_;
  Builder& builder_;
  KeyTracker* key_tracker_;
  std::map<std::string, std::size_t, std::less<>> anchors_;
  std::size_t anchor_count_ = 0;
  std::vector<Mark> unfit_at_;
  std::vector<BooleanKey> boolean_keys_;
  std::vector<Flow> flows_;
  int flow_depth_ = 0;
};

ParseError ErrorAt(const Mark& mark, std::size_t first_line, std::string_view message) {
  return {first_line + mark.line, mark.column + 1, std::string(message)};
}

/// What has become of reading the text once.
struct Outcome {
  bool is_amended = false;  ///< and has to be read again
  std::optional<ParseError> error = {};
};

bool IsBare(const Event& event) { return event.tag.empty() && event.anchor.empty(); }

/// Makes a scalar of the list that `event` begins, a key in brackets, whose text `text` keeps.
/// False where libyaml finds something wrong. Throws BuildError for a list of anything else.
bool TakeBrackets(Parser& parser, Event& event, std::string& text) {
  Event scalar, end;
  if (!parser.Next(scalar)) return false;
  const bool is_plain =
      scalar.type == Event::Type::kScalar && IsBare(scalar) && scalar.style == Event::Style::kPlain;
  text = "[" + std::string(scalar.value) + "]";
  if (!parser.Next(end)) return false;
  if (!is_plain || end.type != Event::Type::kEndSequence) {
    throw BuildError("invalid map key: a key in brackets is one name, without quotes");
  }
  event.type = Event::Type::kScalar;
  event.style = Event::Style::kSingleQuoted;
  event.value = text;
  event.end = end.end;
  return true;
}

Outcome ReadOnce(AmendedText& amended, std::size_t first_line, json::Document& document,
                 const EventOptions& options) {
  KeyLines* const key_lines = options.key_lines;
  document.Reset();
  Builder builder(document);
  std::optional<KeyTracker> key_tracker;
  if (key_lines != nullptr) key_tracker.emplace(first_line, *key_lines);
  DocumentReader reader(amended, first_line, builder, key_tracker ? &*key_tracker : nullptr);
  Parser parser(amended.text());
  const auto fail = [&]() -> Outcome {
    const Problem& problem = parser.problem();
    if (amended.Amend(problem)) return {.is_amended = true};
    return {.error = ErrorAt(problem.mark, first_line, problem.text)};
  };
  std::string bracket_key;
  for (Event event; event.type != Event::Type::kEnd;) {
    if (!parser.Next(event)) return fail();
    try {
      const bool is_list_as_key = event.type == Event::Type::kBeginSequence && event.is_flow &&
                                  IsBare(event) && builder.ExpectsKey();
      if (is_list_as_key && options.bracket_keys == BracketKeys::kRefused) {
        throw BuildError("invalid map key: a list is none, quote it");
      }
      if (is_list_as_key && !TakeBrackets(parser, event, bracket_key)) return fail();
      if (!reader.Take(event)) return {.is_amended = true};
    } catch (const BuildError& error) {
      return {.error = ErrorAt(event.start, first_line, error.what())};
    }
  }
  if (const auto unfit = builder.FindUnfit()) {
    return {.error = ErrorAt(reader.UnfitAt(unfit->number), first_line, unfit->message)};
  }
  if (options.boolean_keys != nullptr) *options.boolean_keys = std::move(reader.boolean_keys());
  return {};
}

}  // namespace

std::optional<ParseError> ReadEvents(std::string_view text, std::size_t first_line,
                                     json::Document& document, const EventOptions& options) {
  AmendedText amended(text);
  Outcome outcome;
  do {  // each time it comes further
    outcome = ReadOnce(amended, first_line, document, options);
  } while (outcome.is_amended);
  return std::move(outcome.error);
}

}  // namespace kube::yaml
