#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

/// From the text of an expression to the tree that CEL's grammar makes of it.
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

/// What the grammar makes of the tokens of an expression: a tree with a node for each rule that
/// stands for something. Where there were errors parts are missing.
struct SyntaxNode {
  enum class Kind : std::uint8_t {
    kBroken,  ///< a rule that had an error before it was clear what it is
    kConditional,
    kOr,
    kAnd,
    kBinary,  ///< a comparison or arithmetic
    kNot,
    kNegate,
    kSelect,
    kMemberCall,
    kIndex,
    kIdent,
    kGlobalCall,
    kList,
    kMap,
    kMessage,
    kInt,
    kUint,
    kDouble,
    kString,
    kBytes,
    kTrue,
    kFalse,
    kNull,
  };

  Kind kind = Kind::kBroken;
  const Token* start = nullptr;  ///< the first token
  const Token* end = nullptr;    ///< the last token; null: there is none
  const Token* op = nullptr;     ///< the operator, or the parenthesis, bracket or brace that opens
  const Token* name = nullptr;   ///< an identifier or the text of a literal; null: missing
  const Token* name_start = nullptr;  ///< where an identifier should be
  const Token* sign = nullptr;        ///< the - of a number
  bool has_leading_dot = false;
  bool is_optional = false;           ///< .?name or [?index]
  std::vector<const Token*> tokens;   ///< operators of kOr, kAnd, kNot, kNegate; names of kMessage
  std::vector<SyntaxNode*> children;  ///< operands, arguments, elements or keys; null: missing
  std::vector<bool> optional_children;  ///< elements, keys or fields written with ?
  std::vector<SyntaxNode*> values;      ///< of entries
  std::vector<const Token*> colons;     ///< of entries
  std::vector<const Token*> fields;     ///< the names of the fields of a message; null: missing
  const Token* entries_start = nullptr;
};

/// What the parser says of a token.
struct SyntaxError {
  std::int32_t position;  ///< in code points; -1: nowhere
  std::string message;
};

struct SyntaxTree {
  std::deque<SyntaxNode> nodes;
  std::deque<Token> made_up;   ///< tokens that were missing and clear
  SyntaxNode* root = nullptr;  ///< null: parsing was given up
  std::vector<SyntaxError> errors;
};

/// Parses as the parser that ANTLR generates from CEL's grammar: same errors, recovered from in the
/// same way, so that what follows an error is reported as cel-go reports it. Gives up at rules
/// nested more than 250 deep, and after 100 errors or 30 recoveries. `tokens` must outlive it.
SyntaxTree ParseTokens(const Tokens& tokens);

}  // namespace kube::cel
