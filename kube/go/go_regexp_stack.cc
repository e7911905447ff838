#include "kube/go/go_regexp_stack.h"

#include <algorithm>

namespace kube::go {
namespace {

// The limits of Go's regexp/syntax/parse.go: maxHeight, maxSize and maxRepeat.
constexpr int kMaxHeight = 1000;
constexpr std::int64_t kMaxSize = (128 << 20) / 40;
constexpr std::int64_t kMaxRepeats = 1000;

std::int64_t RepeatedSize(const RegexpStack::Repetition& repetition, std::int64_t size) {
  if (repetition.op == '*') return 2 + size;
  if (repetition.op != '{') return 1 + size;
  if (repetition.max >= 0) {
    return std::max<std::int64_t>(1, repetition.max * size + (repetition.max - repetition.min));
  }
  return repetition.min == 0 ? 2 + size : 1 + repetition.min * size;
}

}  // namespace

void RegexpStack::Push(Kind kind, bool fold_case) {
  CountNew();
  PushElement({.kind = kind, .fold_case = fold_case});
}

void RegexpStack::OpenGroup(bool captures, bool fold_case) {
  CountNew();
  PushElement({.kind = Kind::kGroup, .fold_case = fold_case, .captures = captures});
}

void RegexpStack::AddBar() {
  Collapse(Kind::kConcatenation);
  if (SwapBar()) return;
  CountNew();
  PushElement({.kind = Kind::kBar});
}

bool RegexpStack::CloseGroup(bool& fold_case) {
  EndGroupContents();
  if (elements_.size() < 2 || elements_[elements_.size() - 2].kind != Kind::kGroup) return false;
  Element contents = elements_.back();
  elements_.pop_back();
  const Element group = elements_.back();
  elements_.pop_back();
  fold_case = group.fold_case;
  if (group.captures) {
    contents.kind = Kind::kCapture;
    contents.size += 2;
    ++contents.height;
  }
  PushElement(contents);
  return true;
}

bool RegexpStack::Repeat(Repetition repetition) {
  if (elements_.empty() || IsPseudo(elements_.back())) return false;
  CountNew();
  Element& element = elements_.back();
  element.kind = Kind::kRepeat;
  element.size = RepeatedSize(repetition, element.size);
  ++element.height;
  element.count = 0;
  if (repetition.op == '{') {
    element.count = repetition.max < 0 ? repetition.min : repetition.max;
    // What is repeated exactly 0 times is not looked into.
    element.repeats = repetition.max == 0 ? 1 : element.repeats * std::max(1, element.count);
  }
  CheckLimits(element);
  return true;
}

bool RegexpStack::RepeatsAreValid() const { return elements_.back().repeats <= kMaxRepeats; }

bool RegexpStack::Finish() {
  EndGroupContents();
  return elements_.size() == 1;
}

void RegexpStack::CountNew() {
  if (freed_ > 0) {
    --freed_;
  } else {
    ++nodes_;
  }
}

void RegexpStack::PushElement(const Element& element) {
  MergeLiterals();
  elements_.push_back(element);
  CheckLimits(elements_.back());
}

void RegexpStack::CheckLimits(const Element& element) {
  CheckSize(element);
  if (limit_ == Limit::kNone && element.height > kMaxHeight) limit_ = Limit::kTooDeep;
}

void RegexpStack::CheckSize(const Element& element) {
  const auto check = [this](const Element& candidate) {
    if (limit_ == Limit::kNone && candidate.size > kMaxSize) limit_ = Limit::kTooLarge;
  };
  if (!tracks_size_) {
    const bool counted = element.kind == Kind::kRepeat && element.count > 0;
    const std::int64_t count = counted ? element.count : 1;
    repeat_product_ = count > kMaxSize / repeat_product_ ? kMaxSize : repeat_product_ * count;
    if (nodes_ < kMaxSize / repeat_product_) return;
    tracks_size_ = true;
    std::for_each(elements_.begin(), elements_.end(), check);
  }
  check(element);
}

/// Makes one string of the two literals on top: no operator can reach them any more.
void RegexpStack::MergeLiterals() {
  if (elements_.size() < 2) return;
  const Element& top = elements_.back();
  Element& below = elements_[elements_.size() - 2];
  const bool literals = top.kind == Kind::kLiteral && below.kind == Kind::kLiteral;
  if (!literals || top.fold_case != below.fold_case) return;
  below.size += top.size;
  elements_.pop_back();
  CountFreed();
}

/// Brings the bar under the element on top, or melts single characters on both sides of it.
bool RegexpStack::SwapBar() {
  const auto is_class = [](const Element& element) {
    return element.kind == Kind::kClass || (element.kind == Kind::kLiteral && element.size == 1);
  };
  const std::size_t count = elements_.size();
  if (count < 2 || elements_[count - 2].kind != Kind::kBar) return false;
  if (count >= 3 && is_class(elements_[count - 1]) && is_class(elements_[count - 3])) {
    elements_[count - 3].kind = Kind::kClass;
    elements_.pop_back();
    CountFreed();
    return true;
  }
  std::swap(elements_[count - 1], elements_[count - 2]);
  return true;
}

void RegexpStack::EndGroupContents() {
  Collapse(Kind::kConcatenation);
  if (SwapBar()) elements_.pop_back();
  Collapse(Kind::kAlternation);
}

/// Replaces the elements above the topmost group or bar by one of `kind`. Elements that are of this
/// kind already give their parts to it.
void RegexpStack::Collapse(Kind kind) {
  if (kind == Kind::kConcatenation) MergeLiterals();
  std::size_t first = elements_.size();
  while (first > 0 && !IsPseudo(elements_[first - 1])) --first;
  const std::size_t count = elements_.size() - first;
  if (count != 1) CountNew();
  Element whole{.kind = count == 0 ? Kind::kEmpty : kind};
  if (count == 1) whole = elements_.back();
  if (count > 1) {
    whole.size = kind == Kind::kAlternation ? static_cast<std::int64_t>(count) - 1 : 0;
    for (std::size_t i = first; i < elements_.size(); ++i) {
      const Element& part = elements_[i];
      whole.size += part.size;
      whole.height = std::max(whole.height, part.height + (part.kind == kind ? 0 : 1));
      whole.repeats = std::max(whole.repeats, part.repeats);
      if (part.kind == kind) CountFreed();
    }
  }
  elements_.resize(first, whole);
  PushElement(whole);
}

}  // namespace kube::go
