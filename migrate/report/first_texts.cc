#include "migrate/report/first_texts.h"

#include <algorithm>
#include <iterator>

namespace migrate::report {
namespace {

constexpr std::size_t kMostTexts = 20;

}  // namespace

void FirstTexts::Add(const Place& place, std::string text) {
  ++count_;
  kept_.emplace_back(place, std::move(text));
  if (kept_.size() == 2 * kMostTexts) DropLast();
}

void FirstTexts::Merge(FirstTexts&& other) {
  count_ += other.count_;
  std::ranges::move(other.kept_, std::back_inserter(kept_));
  DropLast();
}

std::vector<std::string> FirstTexts::Texts() const {
  FirstTexts first = *this;
  first.DropLast();
  std::vector<std::string> texts;
  for (auto& [place, text] : first.kept_) texts.push_back(std::move(text));
  return texts;
}

void FirstTexts::DropLast() {
  std::ranges::sort(kept_);
  if (kept_.size() > kMostTexts) kept_.resize(kMostTexts);
}

}  // namespace migrate::report
