#include "kube/json/list_splitter.h"

#include <bit>
#include <cstdint>

#include "kube/json/block_masks.h"

namespace kube::json {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string Quoted(char c) {
  if (c >= 0x20 && c < 0x7F) return std::string("'") + c + "'";
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("'\\x") + kHex[byte >> 4] + kHex[byte & 0xF] + "'";
}

}  // namespace

// Quick for long lines and for short ones.
TextPosition TextPosition::After(std::string_view text) const {
  TextPosition after = *this;
  after.offset += text.size();
  after.column += text.size();
  const auto count = [&after, text](std::size_t at, std::uint64_t breaks) {
    after.line += CountBits(breaks);
    after.column = text.size() - at - static_cast<std::size_t>(std::bit_width(breaks)) + 1;
  };
  std::size_t at = 0;
  for (; text.size() - at >= kBlock; at += kBlock) {
    if (const std::uint64_t breaks = Block(text.data() + at).Equal('\n')) count(at, breaks);
  }
  for (at = text.find('\n', at); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    count(at, 1);
  }
  return after;
}

std::optional<SplitError> ListSplitter::Push(std::string_view bytes) {
  piece_ = bytes;
  used_ = counted_ = 0;
  while (used_ < piece_.size() && !error_) Step(piece_.substr(used_));
  Here();
  piece_ = {};
  used_ = counted_ = 0;
  return error_;
}

std::optional<SplitError> ListSplitter::Finish() {
  if (!error_ && state_ != State::kBetweenValues) Fail("unexpected end of JSON input");
  return error_;
}

void ListSplitter::Step(std::string_view bytes) {
  switch (state_) {
    case State::kBetweenValues:
      return BetweenValues(bytes[0]);
    case State::kInTopLevelArray:
      ScanInto(bytes, State::kBetweenValues);
      if (state_ == State::kBetweenValues) HandOutTopLevel();
      return;
    case State::kBeforeKey:
      return BeforeKey(bytes[0]);
    case State::kInKey:
      return ScanInto(bytes, State::kAfterKey);
    case State::kAfterKey:
      return AfterKey(bytes[0]);
    case State::kBeforeValue:
      return BeforeValue(bytes[0]);
    case State::kInValue:
      return ScanInto(bytes, State::kAfterValue);
    case State::kAfterValue:
      return AfterValue(bytes[0]);
    case State::kBeforeItem:
      return BeforeItem(bytes[0]);
    case State::kInItem:
      return ScanItem(bytes);
  }
}

void ListSplitter::BetweenValues(char c) {
  if (IsSpace(c)) return SkipBlank();
  blanks_ = 0;
  if (c != '{' && c != '[') {
    return Fail("invalid character " + Quoted(c) + " looking for beginning of value");
  }
  top_level_.clear();
  is_list_ = false;
  top_level_position_ = Here();
  if (c == '[') {
    scanner_.Start();
    state_ = State::kInTopLevelArray;
  } else {
    Keep(c);
    state_ = State::kBeforeKey;
  }
}

void ListSplitter::BeforeKey(char c) {
  if (c == '"') {
    scanner_.Start();
    key_start_ = top_level_.size();
    state_ = State::kInKey;
    return;
  }
  Keep(c);
  if (c == '}') HandOutTopLevel();
}

void ListSplitter::AfterKey(char c) {
  Keep(c);
  if (c == ':') state_ = State::kBeforeValue;
  if (c == '}') HandOutTopLevel();
}

void ListSplitter::BeforeValue(char c) {
  if (IsSpace(c)) return Keep(c);
  const bool is_items = std::string_view(top_level_).substr(key_start_).starts_with("\"items\"");
  if (c == '[' && is_items) {
    is_list_ = true;
    state_ = State::kBeforeItem;
    return Keep(c);
  }
  scanner_.Start();
  state_ = State::kInValue;
}

void ListSplitter::AfterValue(char c) {
  Keep(c);
  if (c == ',') state_ = State::kBeforeKey;
  if (c == '}') HandOutTopLevel();
}

void ListSplitter::BeforeItem(char c) {
  if (IsSpace(c)) return SkipBlank();
  blanks_ = 0;
  if (after_item_ && c == ',') {
    after_item_ = false;
    after_comma_ = true;
    Advance(1);
  } else if (c == ']' && !after_comma_) {
    after_item_ = false;
    Keep(c);
    state_ = State::kAfterValue;
  } else if (after_item_) {
    Fail("invalid character " + Quoted(c) + " after array element");
  } else if (c == ']' || c == '}' || c == ',') {
    Fail("invalid character " + Quoted(c) + " looking for beginning of value");
  } else {
    after_item_ = true;
    after_comma_ = false;
    scanner_.Start();
    item_.clear();
    item_position_ = Here();
    state_ = State::kInItem;
  }
}

void ListSplitter::ScanInto(std::string_view bytes, State next) {
  const std::size_t count = scanner_.Scan(bytes);
  top_level_.append(bytes.substr(0, count));
  Advance(count);
  if (scanner_.done()) state_ = next;
  if (top_level_.size() > kMaxValueBytes) Fail("an object of more than 32 MiB is too large");
}

void ListSplitter::ScanItem(std::string_view bytes) {
  const std::size_t count = scanner_.Scan(bytes);
  const std::string_view text = bytes.substr(0, count);
  Advance(count);
  if (scanner_.done() && item_.empty()) {
    state_ = State::kBeforeItem;
    return sink_.OnObject(Kind::kItem, text, item_position_);
  }
  item_.append(text);
  if (item_.size() > kMaxValueBytes) return Fail("an object of more than 32 MiB is too large");
  if (scanner_.done()) {
    state_ = State::kBeforeItem;
    sink_.OnObject(Kind::kItem, item_, item_position_);
  }
}

void ListSplitter::SkipBlank() {
  Advance(1);
  if (++blanks_ > kMaxValueBytes) Fail("more than 32 MiB of blanks are too many");
}

void ListSplitter::Keep(char c) {
  top_level_.push_back(c);
  Advance(1);
  if (top_level_.size() > kMaxValueBytes) Fail("an object of more than 32 MiB is too large");
}

void ListSplitter::HandOutTopLevel() {
  state_ = State::kBetweenValues;
  sink_.OnObject(is_list_ ? Kind::kList : Kind::kObject, top_level_, top_level_position_);
}

// Counts the lines up to the byte that is looked at, each byte once.
TextPosition ListSplitter::Here() {
  here_ = here_.After(piece_.substr(counted_, used_ - counted_));
  counted_ = used_;
  return here_;
}

void ListSplitter::Fail(std::string message) { error_ = SplitError{Here(), std::move(message)}; }

}  // namespace kube::json
