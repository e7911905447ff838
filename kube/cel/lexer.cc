#include <algorithm>
#include <array>

#include "kube/base/text.h"
#include "kube/cel/syntax.h"

namespace kube::cel {
namespace {

constexpr std::array<std::string_view, 36> kNames = {
    "<EOF>",  "'=='",  "'!='",       "'in'",          "'<'",    "'<='",      "'>='",    "'>'",
    "'&&'",   "'||'",  "'['",        "']'",           "'{'",    "'}'",       "'('",     "')'",
    "'.'",    "','",   "'-'",        "'!'",           "'?'",    "':'",       "'+'",     "'*'",
    "'/'",    "'%'",   "'true'",     "'false'",       "'null'", "NUM_FLOAT", "NUM_INT", "NUM_UINT",
    "STRING", "BYTES", "IDENTIFIER", "ESC_IDENTIFIER"};

using base::IsDigit;
using base::IsHexDigit;

bool IsLetter(char c) { return base::IsLetter(c) || c == '_'; }
bool IsSpace(char c) { return c == '\t' || c == ' ' || c == '\r' || c == '\n' || c == '\f'; }
bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// What a rule of the grammar makes of a text: how far it got, and whether that is a token.
struct Match {
  TokenKind kind = TokenKind::kEof;
  std::size_t length = 0;   // of the token; 0: none
  std::size_t reached = 0;  // characters that may belong to a token of this rule
};

/// Reads one token at the start of a text.
class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : text_(text) {}

  Match Read() {
    const char first = At(0);
    if (IsLetter(first)) {
      ReadWord();
      ReadString();
    } else if (IsDigit(first) || (first == '.' && IsDigit(At(1)))) {
      ReadNumber();
    } else if (first == '"' || first == '\'') {
      ReadString();
    } else if (first == '`') {
      ReadEscapedIdentifier();
    } else {
      ReadSymbol();
    }
    return best_;
  }

 private:
  char At(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  void Offer(TokenKind kind, std::size_t length) {
    best_.reached = std::max(best_.reached, length);
    if (length > best_.length) {
      best_.kind = kind;
      best_.length = length;
    }
  }
  void Reach(std::size_t reached) { best_.reached = std::max(best_.reached, reached); }

  void ReadWord() {
    std::size_t end = 1;
    while (IsLetter(At(end)) || IsDigit(At(end))) ++end;
    const std::string_view word = text_.substr(0, end);
    TokenKind kind = TokenKind::kIdentifier;
    if (word == "in") kind = TokenKind::kIn;
    if (word == "true") kind = TokenKind::kTrue;
    if (word == "false") kind = TokenKind::kFalse;
    if (word == "null") kind = TokenKind::kNull;
    Offer(kind, end);
  }

  void ReadNumber() {
    std::size_t end = 0;
    if (At(0) == '0' && At(1) == 'x' && IsHexDigit(At(2))) {
      end = 2;
      while (IsHexDigit(At(end))) ++end;
      return OfferInteger(end);
    }
    while (IsDigit(At(end))) ++end;
    if (end > 0) OfferInteger(end);
    bool is_float = false;
    if (At(end) == '.' && IsDigit(At(end + 1))) {
      ++end;
      while (IsDigit(At(end))) ++end;
      is_float = true;
    }
    if (At(end) == 'e' || At(end) == 'E') {
      std::size_t digits = end + 1;
      if (At(digits) == '+' || At(digits) == '-') ++digits;
      if (IsDigit(At(digits))) {
        end = digits;
        while (IsDigit(At(end))) ++end;
        is_float = true;
      }
    }
    if (is_float) Offer(TokenKind::kFloat, end);
  }

  void OfferInteger(std::size_t end) {
    Offer(TokenKind::kInt, end);
    if (At(end) == 'u' || At(end) == 'U') Offer(TokenKind::kUint, end + 1);
  }

  /// [b][r] and one of four kinds of quotes.
  void ReadString() {
    std::size_t at = 0;
    TokenKind kind = TokenKind::kString;
    if (At(at) == 'b' || At(at) == 'B') {
      kind = TokenKind::kBytes;
      ++at;
    }
    const bool is_raw = At(at) == 'r' || At(at) == 'R';
    if (is_raw) ++at;
    const char quote = At(at);
    if (quote != '"' && quote != '\'') return;
    ReadPlainString(kind, at + 1, quote, is_raw);
    if (At(at + 1) == quote && At(at + 2) == quote) {
      ReadTripleString(kind, at + 3, quote, is_raw);
    }
  }

  void ReadPlainString(TokenKind kind, std::size_t at, char quote, bool is_raw) {
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == quote) return Offer(kind, at + 1);
      if (c == '\n' || c == '\r') break;
      if (!is_raw && c == '\\') {
        if (!SkipEscape(at)) break;
      } else {
        ++at;
      }
    }
    Reach(at);
  }

  void ReadTripleString(TokenKind kind, std::size_t at, char quote, bool is_raw) {
    while (at < text_.size()) {
      const char c = text_[at];
      if (c == quote && At(at + 1) == quote && At(at + 2) == quote) return Offer(kind, at + 3);
      if (!is_raw && c == '\\') {
        if (!SkipEscape(at)) break;
      } else {
        ++at;
      }
    }
    Reach(at);
  }

  /// Moves `at` behind the escape that begins there; to the first wrong character where it is none.
  bool SkipEscape(std::size_t& at) {
    const char c = At(++at);
    if (at >= text_.size()) return false;
    if (c == 'x' || c == 'X') return SkipDigits(++at, 2, IsHexDigit);
    if (c == 'u') return SkipDigits(++at, 4, IsHexDigit);
    if (c == 'U') return SkipDigits(++at, 8, IsHexDigit);
    if (c >= '0' && c <= '3') {
      return SkipDigits(++at, 2, [](char digit) { return digit >= '0' && digit <= '7'; });
    }
    if (std::string_view("abfnrtv\"'\\?`").find(c) == std::string_view::npos) return false;
    ++at;
    return true;
  }

  template <typename Test>
  bool SkipDigits(std::size_t& at, int count, Test is_digit) {
    for (int i = 0; i < count; ++i, ++at) {
      if (!is_digit(At(at))) return false;
    }
    return true;
  }

  void ReadEscapedIdentifier() {
    std::size_t end = 1;
    const auto belongs = [](char c) {
      return IsLetter(c) || IsDigit(c) || c == '.' || c == '-' || c == '/' || c == ' ';
    };
    while (belongs(At(end))) ++end;
    if (end > 1 && At(end) == '`') return Offer(TokenKind::kEscapedIdentifier, end + 1);
    Reach(end);
  }

  void ReadSymbol() {
    struct Symbol {
      std::string_view text;
      TokenKind kind;
    };
    static constexpr Symbol kSymbols[] = {
        {"==", TokenKind::kEquals},      {"!=", TokenKind::kNotEquals},
        {"<=", TokenKind::kLessEquals},  {">=", TokenKind::kGreaterEquals},
        {"<", TokenKind::kLess},         {">", TokenKind::kGreater},
        {"&&", TokenKind::kLogicalAnd},  {"||", TokenKind::kLogicalOr},
        {"[", TokenKind::kLeftBracket},  {"]", TokenKind::kRightBracket},
        {"{", TokenKind::kLeftBrace},    {"}", TokenKind::kRightBrace},
        {"(", TokenKind::kLeftParen},    {")", TokenKind::kRightParen},
        {".", TokenKind::kDot},          {",", TokenKind::kComma},
        {"-", TokenKind::kMinus},        {"!", TokenKind::kExclamation},
        {"?", TokenKind::kQuestionMark}, {":", TokenKind::kColon},
        {"+", TokenKind::kPlus},         {"*", TokenKind::kStar},
        {"/", TokenKind::kSlash},        {"%", TokenKind::kPercent}};
    for (const Symbol& symbol : kSymbols) {
      if (text_.starts_with(symbol.text)) return Offer(symbol.kind, symbol.text.size());
    }
    if (At(0) == '=' || At(0) == '&' || At(0) == '|') Reach(1);
  }

  std::string_view text_;
  Match best_;
};

}  // namespace

std::string_view TokenName(TokenKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

Tokens Tokenize(std::string_view text) {
  Tokens result;
  std::size_t at = 0;
  std::int32_t code_point = 0;
  const auto skip_to = [&](std::size_t end) {
    for (; at < end; ++at) {
      if (!IsContinuation(text[at])) ++code_point;
    }
  };
  while (at < text.size()) {
    if (IsSpace(text[at])) {
      skip_to(at + 1);
      continue;
    }
    if (text.substr(at).starts_with("//")) {
      skip_to(std::min(text.find('\n', at), text.size()));
      continue;
    }
    const Match match = TokenReader(text.substr(at)).Read();
    if (match.length > 0) {
      result.tokens.push_back({match.kind, code_point, text.substr(at, match.length)});
      skip_to(at + match.length);
      continue;
    }
    // The character at which the last rule gave up belongs to the error.
    std::size_t end = std::min(at + match.reached + 1, text.size());
    while (end < text.size() && IsContinuation(text[end])) ++end;
    result.errors.push_back({code_point, text.substr(at, end - at), result.tokens.size()});
    skip_to(end);
  }
  result.tokens.push_back({TokenKind::kEof, code_point, "<EOF>"});
  return result;
}

}  // namespace kube::cel
