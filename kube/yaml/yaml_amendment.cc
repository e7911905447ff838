#include "kube/yaml/yaml_amendment.h"

#include <algorithm>

#include "kube/base/utf8.h"

namespace kube::yaml {
namespace {

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

}  // namespace

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

std::size_t TextCursor::OffsetOf(std::size_t index) {
  for (; index_ < index && offset_ < text_.size(); ++index_) {
    offset_ += std::max<std::size_t>(base::utf8::SequenceLength(text_.substr(offset_)), 1);
  }
  return std::min(offset_, text_.size());
}

std::size_t OffsetOf(std::string_view text, std::size_t index) {
  return TextCursor(text).OffsetOf(index);
}

}  // namespace kube::yaml
