#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kube::cel {

/// The kinds of tokens, in the order of the grammar of cel-go (parser/gen/CEL.g4), which is that in
/// which its errors list what was expected.
enum class TokenKind : std::uint8_t {
  kEof,
  kEquals,
  kNotEquals,
  kIn,
  kLess,
  kLessEquals,
  kGreaterEquals,
  kGreater,
  kLogicalAnd,
  kLogicalOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kDot,
  kComma,
  kMinus,
  kExclamation,
  kQuestionMark,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
  kTrue,
  kFalse,
  kNull,
  kFloat,
  kInt,
  kUint,
  kString,
  kBytes,
  kIdentifier,
  kEscapedIdentifier,
};

/// What errors call a kind: `'=='`, `IDENTIFIER`.
std::string_view TokenName(TokenKind kind);

struct Token {
  TokenKind kind;
  std::int32_t start;  ///< in code points from the start of the text
  std::string_view text;
};

/// Characters that begin no token.
struct LexerError {
  std::int32_t start;  ///< in code points
  std::string_view text;
  std::size_t tokens_before;  ///< how many tokens were read before it
};

struct Tokens {
  std::vector<Token> tokens;  ///< the last one is kEof
  std::vector<LexerError> errors;
};

/// Splits `text`, which must be UTF-8 and outlive the result, into tokens without white space and
/// comments. The longest token wins, as in ANTLR; after an error it goes on behind the character at
/// which every token ended.
Tokens Tokenize(std::string_view text);

}  // namespace kube::cel
