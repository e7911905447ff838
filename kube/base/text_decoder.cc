#include "kube/base/text_decoder.h"

#include <algorithm>

#include "kube/base/utf8.h"

namespace kube::base {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LittleMark = "\xFF\xFE";
constexpr std::string_view kUtf16BigMark = "\xFE\xFF";
constexpr char32_t kReplacement = 0xFFFD;

bool IsHighSurrogate(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool IsLowSurrogate(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// The number of bytes at the end that may be the start of a character.
std::size_t IncompleteEnd(std::string_view bytes) {
  for (std::size_t count = 1; count <= std::min<std::size_t>(3, bytes.size()); ++count) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - count]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    const std::size_t width = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return count < width ? count : 0;
  }
  return 0;
}

}  // namespace

std::string_view TextDecoder::Decode(std::string_view bytes) {
  bytes = Join(bytes);
  if (encoding_ == Encoding::kUnknown && !Detect(bytes, false)) return {};
  return encoding_ == Encoding::kUtf8 ? DecodeUtf8(bytes, false) : DecodeUtf16(bytes, false);
}

std::string_view TextDecoder::Finish() {
  std::string_view bytes = Join({});
  if (encoding_ == Encoding::kUnknown) Detect(bytes, true);
  return encoding_ == Encoding::kUtf8 ? DecodeUtf8(bytes, true) : DecodeUtf16(bytes, true);
}

std::string_view TextDecoder::Join(std::string_view bytes) {
  if (waiting_.empty()) return bytes;
  joined_.assign(waiting_).append(bytes);
  waiting_.clear();
  return joined_;
}

bool TextDecoder::Detect(std::string_view& bytes, bool at_end) {
  if (!at_end && bytes.size() < kUtf8Mark.size()) {
    waiting_ = bytes;
    return false;
  }
  if (bytes.starts_with(kUtf16LittleMark)) {
    encoding_ = Encoding::kUtf16Little;
    bytes.remove_prefix(kUtf16LittleMark.size());
  } else if (bytes.starts_with(kUtf16BigMark)) {
    encoding_ = Encoding::kUtf16Big;
    bytes.remove_prefix(kUtf16BigMark.size());
  } else {
    encoding_ = Encoding::kUtf8;
    if (bytes.starts_with(kUtf8Mark)) bytes.remove_prefix(kUtf8Mark.size());
  }
  return true;
}

std::string_view TextDecoder::DecodeUtf8(std::string_view bytes, bool at_end) {
  if (!at_end) {
    const std::size_t incomplete = IncompleteEnd(bytes);
    waiting_ = bytes.substr(bytes.size() - incomplete);
    bytes.remove_suffix(incomplete);
  }
  if (utf8::IsValid(bytes)) return bytes;
  decoded_ = utf8::Sanitize(bytes);
  return decoded_;
}

char16_t TextDecoder::UnitAt(std::string_view bytes, std::size_t at) const {
  const auto first = static_cast<unsigned char>(bytes[at]);
  const auto second = static_cast<unsigned char>(bytes[at + 1]);
  return static_cast<char16_t>(encoding_ == Encoding::kUtf16Little ? second << 8 | first
                                                                   : first << 8 | second);
}

std::string_view TextDecoder::DecodeUtf16(std::string_view bytes, bool at_end) {
  decoded_.clear();
  std::size_t at = 0;
  while (bytes.size() - at >= 2) {
    const char32_t unit = UnitAt(bytes, at);
    if (!IsHighSurrogate(unit)) {
      utf8::Append(decoded_, IsLowSurrogate(unit) ? kReplacement : unit);
      at += 2;
      continue;
    }
    if (bytes.size() - at < 4) break;
    const char32_t low = UnitAt(bytes, at + 2);
    const bool pair = IsLowSurrogate(low);
    utf8::Append(decoded_,
                 pair ? 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00) : kReplacement);
    at += pair ? 4 : 2;
  }
  if (!at_end) {
    waiting_ = bytes.substr(at);
  } else if (at < bytes.size()) {
    utf8::Append(decoded_, kReplacement);
  }
  return decoded_;
}

}  // namespace kube::base
