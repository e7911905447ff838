#include "kube/cel/literals.h"

#include <charconv>

#include "kube/base/utf8.h"

namespace kube::cel {
namespace {

constexpr char32_t kLastCodePoint = 0x10FFFF;

bool IsCodePoint(char32_t value) {
  return value <= kLastCodePoint && (value < 0xD800 || value > 0xDFFF);
}

std::optional<char> SimpleEscape(char c) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"`?";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"`?";
  const std::size_t at = kLetters.find(c);
  return at == std::string_view::npos ? std::nullopt : std::optional(kValues[at]);
}

std::string NormalizeLineBreaks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i] == '\r' ? '\n' : text[i];
  }
  return out;
}

/// The text of a literal with its escapes, one after the other.
class Unescaper {
 public:
  Unescaper(std::string_view text, bool is_bytes) : text_(text), is_bytes_(is_bytes) {}

  base::Result<std::string, std::string> Run() {
    while (!text_.empty()) {
      if (text_[0] != '\\') {
        out_ += text_[0];
        text_.remove_prefix(1);
      } else if (!Escape()) {
        return base::Unexpected(std::move(error_));
      }
    }
    return std::move(out_);
  }

 private:
  bool Fail(std::string_view error) {
    error_ = error;
    return false;
  }

  bool Escape() {
    if (text_.size() < 2) return Fail("unable to unescape string, found '\\' as last character");
    const char c = text_[1];
    text_.remove_prefix(2);
    if (const std::optional<char> simple = SimpleEscape(c)) {
      out_ += *simple;
      return true;
    }
    if (c == 'x' || c == 'X') return Number(2, 16, "unable to unescape string");
    if ((c == 'u' || c == 'U') && !is_bytes_) {
      return Number(c == 'u' ? 4 : 8, 16, "unable to unescape string");
    }
    if (c >= '0' && c <= '3') {
      text_ = {text_.data() - 1, text_.size() + 1};
      return Number(3, 8, "unable to unescape octal sequence in string");
    }
    return Fail("unable to unescape string");
  }

  bool Number(std::size_t digits, int base, std::string_view error) {
    const std::string_view number = text_.substr(0, digits);
    std::uint32_t value = 0;
    const auto [end, code] =
        std::from_chars(number.data(), number.data() + number.size(), value, base);
    if (number.size() < digits || end != number.data() + number.size()) return Fail(error);
    text_.remove_prefix(digits);
    if (is_bytes_) {
      out_ += static_cast<char>(value);
      return true;
    }
    if (!IsCodePoint(value)) return Fail("invalid unicode code point");
    base::utf8::Append(out_, value);
    return true;
  }

  std::string_view text_;
  bool is_bytes_;
  std::string out_;
  std::string error_;
};

}  // namespace

base::Result<std::string, std::string> Unescape(std::string_view written, bool is_bytes) {
  const std::string normalized = NormalizeLineBreaks(written);
  std::string_view literal = normalized;
  const bool is_raw = literal.starts_with('r') || literal.starts_with('R');
  if (is_raw) literal.remove_prefix(1);
  const std::size_t quotes =
      literal.size() >= 6 && literal[0] == literal[1] && literal[1] == literal[2] ? 3 : 1;
  if (literal.size() < 2 * quotes) {
    return base::Unexpected(std::string("unable to unescape string"));
  }
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  if (is_raw) return std::string(literal);
  return Unescaper(literal, is_bytes).Run();
}

std::optional<std::int64_t> ParseIntLiteral(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::optional<std::uint64_t> size = ParseUintLiteral(text);
  const std::uint64_t most = std::uint64_t{INT64_MAX} + (is_negative ? 1 : 0);
  if (!size || *size > most) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? ~*size + 1 : *size);
}

std::optional<std::uint64_t> ParseUintLiteral(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace kube::cel
