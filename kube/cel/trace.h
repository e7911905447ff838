#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/cel/step_observer.h"
#include "kube/cel/value.h"

namespace kube::cel {

/// A value on one line, as a person would write it in an expression: texts in double quotes,
/// `null`, `[1, 2]`, `{"a": 1}`, `optional.none()`, `b"..."`. What has no such form is as errors
/// print it. At most about `most` bytes of UTF-8; "..." stands for what is left out.
std::string PreviewValue(const Value& value, std::size_t most);

/// A text on one line: white space and line breaks become one blank. Shortened as above.
std::string PreviewText(std::string_view text, std::size_t most);

struct TracedElement;

/// A part of an expression, and what it came to.
struct TracedStep {
  std::string text;   ///< of the part, on one line, shortened
  std::string value;  ///< as PreviewValue has it, or the error; empty: it was not finished
  bool is_error = false;
  std::vector<TracedElement> elements;  ///< of a macro
  std::uint64_t elements_left_out = 0;  ///< that the macro looked at, too
};

/// What a macro has done with one element.
struct TracedElement {
  struct Variable {
    std::string name, value;
  };

  std::uint64_t number = 0;  ///< from 0, in the order of the list or map
  std::vector<Variable> variables{};
  bool decides = false;  ///< the value of the macro is what it is by this element
  std::vector<TracedStep> steps{};
};

struct Trace {
  std::vector<TracedStep> steps{};  ///< in the order of evaluation; the whole is the last one
  std::uint64_t steps_left_out = 0;
};

/// Keeps the steps of one evaluation as texts. What is the same twice at one place is kept once. Of
/// macros it keeps the first 3 elements and the one that decided, and of all steps 500.
class Tracer final : public StepObserver {
 public:
  static constexpr std::size_t kElementsKept = 3;
  static constexpr std::size_t kStepsKept = 500;
  static constexpr std::size_t kLongestText = 120;

  /// `text` is that of the expression, and must outlive it.
  explicit Tracer(std::string_view text);

  void OnStep(Span span, const Value& value) override;
  void BeginFold(Span span, std::span<const std::string> names, const Value& first) override;
  void BeginElement(const Value& first, const Value& second) override;
  void EndElement(const Value& accumulator) override;
  void EndFold() override;

  /// What was traced. An evaluation that was given up may have begun what it did not finish.
  Trace Take();

 private:
  /// A macro at work.
  struct Fold {
    Span span;
    std::vector<std::string> names;
    std::vector<TracedElement> elements;
    TracedElement element;  ///< at hand
    std::uint64_t count = 0;
    bool boolean = false;  ///< of the accumulator, as is the next
    std::int64_t integer = 0;
    Value::Kind kind = Value::Kind::kUnset;
  };

  std::string TextAt(Span span) const;
  std::vector<TracedStep>& steps() { return folds_.empty() ? steps_ : folds_.back().element.steps; }
  static bool Changes(Fold& fold, const Value& accumulator);
  void Forget(const TracedElement& element);

  std::string_view text_;
  std::vector<std::size_t> offsets_;  // of each code point, in bytes, and of the end
  std::vector<TracedStep> steps_;
  std::vector<Fold> folds_;  // the innermost last
  /// Of the macro that ended last; its step comes next.
  std::vector<TracedElement> elements_;
  std::uint64_t elements_left_out_ = 0;
  std::size_t kept_ = 0;
  std::uint64_t steps_left_out_ = 0;
};

}  // namespace kube::cel
