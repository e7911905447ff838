#pragma once

#include <span>
#include <string>

#include "kube/cel/ast.h"
#include "kube/cel/value.h"

namespace kube::cel {

/// Is told of the steps of an evaluation, in their order. Values may change, or go, once a call has
/// returned.
///
/// Constants are no steps: their text says what they are. Nor is what a macro adds to the text.
class StepObserver {
 public:
  virtual ~StepObserver() = default;

  /// The part of the text at `span` has come to `value`, which may be an error.
  virtual void OnStep(Span span, const Value& value) = 0;

  /// The macro at `span` begins to look at the elements of a list or map, by variables of these
  /// names. `first` is the value of its accumulator. What is told until EndFold belongs to it.
  virtual void BeginFold(Span span, std::span<const std::string> names, const Value& first) = 0;
  /// The next element. `second` counts where the macro has two variables.
  virtual void BeginElement(const Value& first, const Value& second) = 0;
  virtual void EndElement(const Value& accumulator) = 0;
  /// The step with the value of the macro is told after that.
  virtual void EndFold() = 0;
};

}  // namespace kube::cel
