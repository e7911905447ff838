#include "kube/schema/validation_outcome.h"

#include <algorithm>

namespace kube::schema {
namespace {

/// Up to here a search from the start is faster than a set.
constexpr std::size_t kFew = 16;

}  // namespace

bool Outcome::IsKnown(const std::string& message) {
  if (findings_.size() <= kFew) {
    return std::ranges::find(findings_, message, &Finding::message) != findings_.end();
  }
  for (std::size_t i = messages_.size(); i < findings_.size(); ++i) {
    messages_.insert(findings_[i].message);
  }
  return messages_.contains(message);
}

void Outcome::Add(Finding finding) {
  if (!IsKnown(finding.message)) findings_.push_back(std::move(finding));
}

void Outcome::Merge(Outcome other) {
  matches_ += other.matches_;
  if (findings_.empty()) {
    findings_ = std::move(other.findings_);
    messages_ = std::move(other.messages_);
    return;
  }
  for (Finding& finding : other.findings_) Add(std::move(finding));
}

void Outcome::Forgive() {
  findings_.clear();
  messages_.clear();
}

}  // namespace kube::schema
