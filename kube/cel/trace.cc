#include "kube/cel/trace.h"

#include <algorithm>
#include <utility>

#include "kube/base/utf8.h"
#include "kube/go/go_format.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

/// Prints until the text is long enough.
class Previewer {
 public:
  explicit Previewer(std::size_t most) : most_(most) {}

  std::string Run(const Value& value) {
    Add(value);
    return base::utf8::Shortened(out_, most_);
  }

 private:
  bool IsFull() const { return out_.size() > most_; }

  // Each level prints something before it goes deeper, so that none is too deep.
  void Add(const Value& value) {
    if (IsFull()) return;
    if (value.is_list()) {
      AddList(value);
    } else if (value.is_map()) {
      AddMap(value);
    } else if (value.kind == Kind::kOptional && value.inner != nullptr) {
      out_ += "optional.of(";
      Add(*value.inner);
      out_ += ')';
    } else {
      AddPlain(value);
    }
  }

  void AddList(const Value& list) {
    out_ += '[';
    for (std::uint32_t i = 0; i < ListSize(list) && !IsFull(); ++i) {
      if (i > 0) out_ += ", ";
      Add(ListItem(memory_, list, i));
    }
    out_ += ']';
  }

  void AddMap(const Value& map) {
    out_ += '{';
    bool is_first = true;
    for (MapCursor cursor(memory_, map); !cursor.AtEnd() && !IsFull(); cursor.Next()) {
      if (!is_first) out_ += ", ";
      is_first = false;
      const MapEntry entry = cursor.Entry();
      Add(entry.key);
      out_ += ": ";
      Add(entry.value);
    }
    out_ += '}';
  }

  void AddPlain(const Value& value) {
    switch (value.kind) {
      case Kind::kString:
        out_ += go::GoQuote(base::utf8::Prefix(value.text(), most_ + 1));
        break;
      case Kind::kBytes:
        out_ += 'b';
        out_ += go::GoQuote(value.text().substr(0, most_ + 1));
        break;
      case Kind::kNull:
        out_ += "null";
        break;
      default:
        out_ += PreviewText(Describe(value), most_ + 1);
        break;
    }
  }

  const std::size_t most_;
  std::string out_;
  json::Arena arena_;
  Memory memory_{arena_};
};

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace

std::string PreviewValue(const Value& value, std::size_t most) {
  try {
    return Previewer(most).Run(value);
  } catch (const GivenUp&) {
    return "...";  // to look at it takes too much memory
  }
}

std::string PreviewText(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : text) {
    if (out.size() > most) break;
    const bool is_blank = IsBlank(c);
    if (is_blank && (out.empty() || out.back() == ' ')) continue;
    out += is_blank ? ' ' : c;
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return base::utf8::Shortened(base::utf8::Sanitize(out), most);
}

namespace {

std::size_t CountSteps(const std::vector<TracedStep>& steps) {
  std::size_t count = steps.size();
  for (const TracedStep& step : steps) {
    for (const TracedElement& element : step.elements) count += CountSteps(element.steps);
  }
  return count;
}

/// Variables that a macro needs for itself have names that nobody can write.
bool IsWritten(std::string_view name) { return !name.starts_with('#') && !name.starts_with('@'); }

}  // namespace

Tracer::Tracer(std::string_view text) : text_(text) {
  for (std::size_t at = 0; at < text.size();) {
    offsets_.push_back(at);
    at += std::max<std::size_t>(base::DecodeRune(text.substr(at)).size, 1);
  }
  offsets_.push_back(text.size());
}

std::string Tracer::TextAt(Span span) const {
  const auto offset = [this](std::int32_t position) {
    return offsets_[std::min(static_cast<std::size_t>(position), offsets_.size() - 1)];
  };
  const std::size_t begin = offset(span.begin);
  return PreviewText(text_.substr(begin, offset(span.end) - begin), kLongestText);
}

void Tracer::OnStep(Span span, const Value& value) {
  TracedStep step{.text = TextAt(span),
                  .value = PreviewValue(value, kLongestText),
                  .is_error = value.is_error(),
                  .elements = std::exchange(elements_, {}),
                  .elements_left_out = std::exchange(elements_left_out_, 0)};
  const auto is_same = [&step](const TracedStep& other) {
    return other.text == step.text && other.value == step.value && other.is_error == step.is_error;
  };
  if (std::ranges::any_of(steps(), is_same)) {
    for (const TracedElement& element : step.elements) Forget(element);
    return;
  }
  if (kept_ >= kStepsKept) {
    ++steps_left_out_;
    return;
  }
  ++kept_;
  steps().push_back(std::move(step));
}

void Tracer::BeginFold(Span span, std::span<const std::string> names, const Value& first) {
  Fold& fold = folds_.emplace_back();
  fold.span = span;
  fold.names.assign(names.begin(), names.end());
  Changes(fold, first);
}

void Tracer::BeginElement(const Value& first, const Value& second) {
  Fold& fold = folds_.back();
  fold.element = {.number = fold.count++};
  const Value* values[] = {&first, &second};
  for (std::size_t i = 0; i < fold.names.size() && i < std::size(values); ++i) {
    if (!IsWritten(fold.names[i])) continue;
    fold.element.variables.push_back({fold.names[i], PreviewValue(*values[i], kLongestText)});
  }
}

/// Whether the accumulator is another one than before. Lists and maps only grow.
bool Tracer::Changes(Fold& fold, const Value& accumulator) {
  const bool boolean = accumulator.is_true();
  const std::int64_t integer = accumulator.is_int() ? accumulator.integer : 0;
  const bool changes =
      fold.kind != accumulator.kind || fold.boolean != boolean || fold.integer != integer;
  fold.kind = accumulator.kind;
  fold.boolean = boolean;
  fold.integer = integer;
  return changes;
}

void Tracer::EndElement(const Value& accumulator) {
  Fold& fold = folds_.back();
  fold.element.decides = Changes(fold, accumulator);
  std::vector<TracedElement>& kept = fold.elements;
  if (fold.element.decides) {
    // This one decides, and no longer another one.
    if (kept.size() > kElementsKept) {
      Forget(kept.back());
      kept.pop_back();
    }
    for (TracedElement& element : kept) element.decides = false;
  } else if (kept.size() >= kElementsKept) {
    Forget(fold.element);
    fold.element = {};
    return;
  }
  kept.push_back(std::exchange(fold.element, {}));
}

void Tracer::Forget(const TracedElement& element) { kept_ -= CountSteps(element.steps); }

void Tracer::EndFold() {
  Fold& fold = folds_.back();
  elements_left_out_ = fold.count - fold.elements.size();
  elements_ = std::move(fold.elements);
  folds_.pop_back();
}

Trace Tracer::Take() {
  while (!folds_.empty()) {
    Fold& fold = folds_.back();
    const std::string text = TextAt(fold.span);
    // An element that was begun has its variables.
    if (!fold.element.variables.empty()) fold.elements.push_back(std::move(fold.element));
    EndFold();
    steps().push_back({.text = text,
                       .value = {},
                       .elements = std::exchange(elements_, {}),
                       .elements_left_out = std::exchange(elements_left_out_, 0)});
  }
  return {std::exchange(steps_, {}), steps_left_out_};
}

}  // namespace kube::cel
