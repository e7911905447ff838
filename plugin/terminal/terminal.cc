#include "plugin/terminal/terminal.h"

#include <algorithm>

#include "kube/base/utf8.h"

namespace plugin::terminal {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

void AppendEscape(std::string& out, char32_t c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[c >> shift & 0xF];
}

void AppendControl(std::string& out, char c) {
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else {
    out += '^';
    out += static_cast<char>(c ^ 0x40);  // ESC is ^[, BEL is ^G, DEL is ^?
  }
}

bool IsPlain(char c) { return c >= 0x20 && c < 0x7F; }

// Appends the character at the start of `text`, which is not plain; returns its length.
std::size_t AppendSpecial(std::string& out, std::string_view text) {
  const std::size_t length = kube::base::utf8::SequenceLength(text);
  if (length == 0) {
    out += kReplacement;
    return 1;
  }
  if (length == 1) {
    AppendControl(out, text[0]);
  } else if (kube::base::utf8::SteeringLength(text) > 0) {
    AppendEscape(out, kube::base::DecodeRune(text).value);
  } else {
    out += text.substr(0, length);
  }
  return length;
}

// Where the character number `index` begins, or the end.
std::size_t OffsetOf(std::string_view text, std::size_t index) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) == 0x80) continue;
    if (seen++ == index) return i;
  }
  return text.size();
}

}  // namespace

void AppendPrintable(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto special = std::ranges::find_if_not(text, IsPlain);
    const auto plain = static_cast<std::size_t>(special - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (!text.empty()) text.remove_prefix(AppendSpecial(out, text));
  }
}

std::string Printable(std::string_view text) {
  std::string out;
  AppendPrintable(out, text);
  return out;
}

std::string PrintableLines(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t kept = text.find_first_of("\n\t");
    AppendPrintable(out, text.substr(0, kept));
    if (kept == std::string_view::npos) return out;
    out += text[kept];
    text.remove_prefix(kept + 1);
  }
}

std::string CutMiddle(std::string_view text, std::size_t width, CutAt at) {
  constexpr std::string_view kGap = "...";
  const std::size_t count = CharacterCount(text);
  if (count <= width) return std::string(text);
  const std::size_t kept = width - kGap.size();
  const std::size_t tail = at == CutAt::kMiddle ? kept / 2 : kept / 4;
  return std::string(text.substr(0, OffsetOf(text, kept - tail))).append(kGap) +
         std::string(text.substr(OffsetOf(text, count - tail)));
}

std::string Wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t length = CharacterCount(word);
    if (!out.empty() && used + 1 + length > width) {
      out.append("\n").append(indent);
      used = CharacterCount(indent);
    } else if (!out.empty()) {
      out += ' ';
      ++used;
    }
    out += word;
    used += length;
  }
  return out;
}

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::size_t CharacterCount(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace plugin::terminal
