#include "kube/go/go_format.h"

#include "kube/base/utf8.h"
#include "kube/go/go_printable.h"

namespace kube::go {
namespace {

void AppendHex(std::string& out, char32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += "0123456789abcdef"[(value >> static_cast<unsigned>(shift)) & 0xFU];
  }
}

/// The letter after the backslash of an escape such as \n; 0 if `rune` has none.
char ShortEscape(char32_t rune) {
  switch (rune) {
    case '\a':
      return 'a';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\v':
      return 'v';
    case '"':
    case '\\':
      return static_cast<char>(rune);
    default:
      return 0;
  }
}

void AppendNumericEscape(std::string& out, char32_t rune) {
  if (rune < 0x80) {
    out += "\\x";
    AppendHex(out, rune, 2);
  } else if (rune < 0x10000) {
    out += "\\u";
    AppendHex(out, rune, 4);
  } else {
    out += "\\U";
    AppendHex(out, rune, 8);
  }
}

void AppendQuoted(std::string& out, std::string_view bytes, const base::Rune& rune) {
  if (rune.IsBad()) {
    out += "\\x";
    AppendHex(out, static_cast<unsigned char>(bytes[0]), 2);
  } else if (const char letter = ShortEscape(rune.value)) {
    out += '\\';
    out += letter;
  } else if (IsGoPrintable(rune.value)) {
    out += bytes;
  } else {
    AppendNumericEscape(out, rune.value);
  }
}

}  // namespace

std::string GoQuote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const base::Rune rune = base::DecodeRune(text);
    AppendQuoted(out, text.substr(0, rune.size), rune);
    text.remove_prefix(rune.size);
  }
  return out += '"';
}

}  // namespace kube::go
