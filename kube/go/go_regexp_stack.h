#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kube::go {

/// The stack of parsed expressions of Go's regexp/syntax parser, reduced to what its limits look
/// at: how high and how large each expression is and how often it is repeated.
///
/// Left out is Go's factoring of common prefixes ("abc|abd" becomes "ab[cd]"), which moves the
/// height and size of an alternation a little.
class RegexpStack {
 public:
  enum class Limit {
    kNone,
    kTooDeep,   ///< nested more than 1000 levels
    kTooLarge,  ///< more than 3.3 million instructions
  };

  /// What an element of the expression is.
  enum class Kind {
    kLiteral,
    kClass,  ///< [a-z], \d, . and the like
    kEmpty,  ///< ^, \b and the like
    kConcatenation,
    kAlternation,
    kCapture,
    kRepeat,
    kGroup,  ///< a parenthesis that is not closed yet
    kBar,    ///< what stands for a | until its group closes
  };

  /// How often something is repeated; `max` is -1 for "and more".
  struct Repetition {
    char op;  ///< '*', '+', '?' or '{'
    int min = 0;
    int max = 0;
  };

  /// Pushes a literal character, a class or an empty-width assertion. Literals that follow each
  /// other become one string if they agree in `fold_case`.
  void Push(Kind kind, bool fold_case);
  /// Opens a group; `fold_case` is what counts again behind it.
  void OpenGroup(bool captures, bool fold_case);
  /// Ends an alternative.
  void AddBar();
  /// Closes the innermost group. False if none is open; otherwise `fold_case` is set back.
  bool CloseGroup(bool& fold_case);
  /// Repeats the element on top. False if there is none.
  bool Repeat(Repetition repetition);
  /// False if the element on top, a repetition, makes more than 1000 copies of something inside.
  bool RepeatsAreValid() const;
  /// Ends the expression. False if a group is still open.
  bool Finish();

  /// The first limit that was passed.
  Limit limit() const { return limit_; }

 private:
  struct Element {
    Kind kind;
    bool fold_case = false;
    bool captures = false;
    int height = 1;
    int count = 0;             // of a repetition: its max, or its min where there is no max
    std::int64_t size = 1;     // in instructions; for a literal also in characters
    std::int64_t repeats = 1;  // most copies of one thing inside
  };

  static bool IsPseudo(const Element& element) { return element.kind >= Kind::kGroup; }
  void CountNew();
  void CountFreed() { ++freed_; }
  void PushElement(const Element& element);
  void CheckLimits(const Element& element);
  void CheckSize(const Element& element);
  void MergeLiterals();
  bool SwapBar();
  void EndGroupContents();
  void Collapse(Kind kind);

  std::vector<Element> elements_;
  Limit limit_ = Limit::kNone;
  // Go looks at sizes only when this many nodes, times the product of all repetitions, could
  // matter.
  std::int64_t nodes_ = 0;
  std::int64_t freed_ = 0;
  std::int64_t repeat_product_ = 1;
  bool tracks_size_ = false;
};

}  // namespace kube::go
